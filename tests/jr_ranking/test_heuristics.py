"""What the heuristics promise, in exact numbers, on random instances and the worked ones."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.testing import check_method
from fairopt_solvers.jr_ranking import heuristics
from fairopt_solvers.jr_ranking.question import Question
from jr_ranking import brute

OURS = (
    "auto", "exact", "top-k", "greedy-cc", "reserve-greedy", "swap-search", "gjcr",
    "safe-prefix-greedy",
)  # fmt: skip

E1 = {
    "comments": 5, "k": 2, "approvals": [[0, 1], [0, 1], [0, 1], [2], [2], [3, 4]],
    "scores": [10, 9, 1, 2, 8],
}  # fmt: skip
E2 = {
    "comments": 6, "k": 3, "scores": [1, 1, 1, 1, 5, 4],
    "approvals": [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3], [4], [5]],
}  # fmt: skip
E6 = {
    "comments": 7, "k": 4, "mode": "ranking", "position_weights": [4, 3, 2, 1],
    "approvals": [[5], [5], [5], [5], [0, 2], [0, 5], [0], [0, 1], [2], [5]],
    "scores": [13, 28, 20, 15, 25, 6, 18], "prefixes": [2, 4],
}  # fmt: skip
NAMED = {**E1, "comments": ["a", "b", "c", "d", "e"], "quota": "droop", "axiom": "ejr+"}
STUCK = {
    "comments": 3, "k": 2, "approvals": [[0], [0], [1]], "forbidden": [0], "weights": [1, 2, 1],
}  # fmt: skip


def load(content, **changes):
    return fairopt.load({"problem": "jr-ranking", **content, **changes})


@pytest.mark.parametrize("method", OURS)
def test_conformance(method):
    instances = [load(NAMED), load(STUCK), load(E2, axiom="pjr")]  # the shipped ones aside
    check_method("jr-ranking", method, instances)


@given(brute.contents())
def test_top_k_is_the_best_without_the_axiom(content):
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "top-k")
    assert solution.value == solution.bound.value == brute.Plain(content).best("none")


@given(brute.contents(fixed=False))
def test_greedy_cc_keeps_jr_and_its_share_of_the_best(content):
    plain, problem = brute.Plain(content), fairopt.load(content)
    core, _ = heuristics.greedy_cc(Question.of(problem))
    solution = fairopt.solve(problem, "greedy-cc")
    assert plain.jr(solution.answer.selected)
    if min(plain.scores) >= 0:
        assert solution.value * problem.k >= (problem.k - len(core)) * plain.best("none")


@given(brute.contents(fixed=False))
def test_engagement_pays_at_most_the_proven_price(content):
    content = {**content, "scores": "approvals", "quota": "hare"}
    plain, k = brute.Plain(content), content["k"]
    value = fairopt.solve(fairopt.load(content), "greedy-cc").value
    worst = max(Fraction(k * a, k + a * a - a) for a in range(1, k + 1))
    assert plain.best("none") <= max(worst, 1) * value


@given(brute.contents(), st.sampled_from(brute.AXIOMS))
def test_reserve_and_swap_search_keep_the_axiom_and_never_lose(content, axiom):
    content = {**content, "axiom": axiom}
    problem, plain = fairopt.load(content), brute.Plain(content)
    reserve, swap = (fairopt.solve(problem, m) for m in ("reserve-greedy", "swap-search"))
    other = "greedy-cc" if axiom == "jr" else "gjcr"
    plainer = fairopt.solve(problem, other)
    assert (reserve.answer is None) == (plainer.answer is None) == (swap.answer is None)
    if reserve.answer is None:
        assert content.get("forced") or content.get("forbidden")
        return
    for solution in (reserve, swap):
        assert plain.keeps(axiom, solution.answer.selected)
    best = plain.best(axiom)
    assert plainer.value <= reserve.value <= swap.value <= best


@given(brute.contents())
def test_gjcr_keeps_ejr_plus(content):
    solution = fairopt.solve(fairopt.load({**content, "axiom": "ejr+"}), "gjcr")
    if solution.answer is not None:
        assert brute.Plain(content).ejr_plus(frozenset(solution.answer.selected))
    else:
        assert content.get("forced") or content.get("forbidden")


@given(brute.rankings())
def test_rankings_keep_their_cutoffs_where_nothing_is_forced(content):
    content = {k: v for k, v in content.items() if k not in ("forced", "forbidden")}
    problem, plain = fairopt.load(content), brute.Plain(content)
    for method in ("safe-prefix-greedy", "greedy-cc", "swap-search"):
        order = fairopt.solve(problem, method).answer.selected
        assert all(plain.jr(order[:r], r) for r in problem.prefixes), method


def test_every_prefix_of_the_coverage_order_represents_even_by_droop():
    @given(brute.contents(fixed=False))
    def holds(content):
        size = content["comments"]
        content = {**content, "quota": "droop", "k": size, "scores": [0] * size}
        order = fairopt.solve(fairopt.load(content), "safe-prefix-greedy").answer.selected
        problem, plain = fairopt.load(content), brute.Plain(content)
        core, _ = heuristics.greedy_cc(Question.of(problem))
        assert all(plain.jr(core[:r], r) for r in range(1, len(core) + 1))
        assert len(order) == size

    holds()


def test_worked_examples():
    e1, e6 = load(E1), load(E6)
    assert fairopt.solve(e1, "reserve-greedy").value == 19
    ranking = fairopt.solve(e6, "safe-prefix-greedy")
    assert (ranking.value, ranking.answer.selected) == (200, (1, 5, 4, 2))
    assert fairopt.solve(load(E2, axiom="ejr+"), "swap-search").value == 7
    stuck = fairopt.solve(load(STUCK), "reserve-greedy")
    assert (stuck.answer, [note.code for note in stuck.notes][:1]) == (None, ["stuck"])


def test_scores_beyond_64_bits_only_guide_and_never_decide():
    big = 10**30
    content = {**E1, "scores": [str(big + 10), str(big + 9), str(big + 1), str(big + 2), str(big)]}
    solution = fairopt.solve(load(content), "swap-search")
    assert solution.value == 2 * big + 19
    assert fairopt.solve(load(content), "exact").value == 2 * big + 19
