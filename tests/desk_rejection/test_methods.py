"""Heuristics and policies: lawful, within their guarantees, equal to their definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given

import fairopt
from desk_rejection import brute
from fairopt import registry
from fairopt.problems.desk_rejection import DeskRejection

HEURISTICS = [m.name for m in registry.methods("desk-rejection") if m.kind != "exact"]
MAXIMAL = [
    "exact", "auto", "lp-rounding", "greedy", "local-search", "sequential", "random-sequential",
    "reverse-sequential", "degree-greedy", "weight-greedy",
]  # fmt: skip


def harmonic(k):
    return sum((Fraction(1, i) for i in range(1, k + 1)), Fraction(0))


@pytest.mark.parametrize("method", HEURISTICS)
def test_never_better_than_the_optimum_nor_worse_than_its_ratio(method):
    @given(brute.contents())
    def holds(content):
        for objective in ("max-accept", "average", "wiped", "leximin"):
            problem = fairopt.load(content).replace(objective=objective)
            if not registry.find_method("desk-rejection", method).serves(objective):
                continue
            best = brute.best(content, objective)
            solution = fairopt.solve(problem, method)
            if best is None:
                assert solution.status == "infeasible"
                continue
            assert not problem.objective.better(solution.value, best)
            assert not problem.objective.better(best, solution.bound.value)
            assert method not in MAXIMAL or solution.figures["maximal"]
            if solution.status == "optimal":
                assert solution.value == best
            assert fairopt.verify(problem, solution).ok

    holds()


@given(brute.contents(rules=("unit",)))
def test_greedy_rejects_at_most_a_harmonic_number_times_the_least_weight(content):
    plain = brute.Plain(content)
    assume(plain.unit and not any(p.get("must_keep") for p in plain.papers))
    most = max((sum(plain.over_limit(a) for a in p["authors"]) for p in plain.papers), default=0)
    total = sum(brute.number(p.get("weight", 1)) for p in plain.papers)
    problem = fairopt.load(content)
    rejected = total - fairopt.solve(problem, "greedy").value
    least = total - brute.best(content, "max-accept")
    assert rejected <= max(1, harmonic(most)) * least


@given(brute.contents(rules=("unit",)))
def test_weight_greedy_keeps_its_share(content):
    plain = brute.Plain(content)
    assume(plain.unit and not any(p.get("must_keep") for p in plain.papers))
    most = max((sum(plain.over_limit(a) for a in p["authors"]) for p in plain.papers), default=0)
    kept = fairopt.solve(fairopt.load(content), "weight-greedy").value
    assert kept * max(1, most) >= brute.best(content, "max-accept")


@given(brute.contents())
def test_sequential_policies_follow_their_words(content):
    plain = brute.Plain(content)
    must = [bool(p.get("must_keep")) for p in plain.papers]
    never = [bool(p.get("must_reject")) for p in plain.papers]
    assume(plain.feasible(must))
    orders = {"sequential": range(len(must)), "reverse-sequential": range(len(must))[::-1]}
    for method, order in orders.items():
        kept = list(must)
        for j in order:
            if not never[j] and not kept[j]:
                kept[j] = True
                kept[j] = all(plain.ok(a, kept) for a in plain.papers[j]["authors"])
        answer = fairopt.solve(fairopt.load(content), method).answer
        assert answer.mask.tolist() == kept


@given(brute.contents())
def test_rank_cut_follows_its_words(content):
    plain = brute.Plain(content)
    must = [bool(p.get("must_keep")) for p in plain.papers]
    assume(plain.feasible(must))
    seen = list(must)
    kept = list(must)
    for j, paper in enumerate(plain.papers):
        if not paper.get("must_reject") and not must[j]:
            seen[j] = True
            kept[j] = all(plain.ok(a, seen) for a in paper["authors"])
    assert fairopt.solve(fairopt.load(content), "rank-cut").answer.mask.tolist() == kept


@given(brute.contents())
def test_reject_all_over_follows_its_words(content):
    plain = brute.Plain(content)
    must = [bool(p.get("must_keep")) for p in plain.papers]
    assume(plain.feasible(must))
    over = {a for a in plain.own if plain.over_limit(a)}
    kept = [
        bool(p.get("must_keep") or (not over & set(p["authors"]) and not p.get("must_reject")))
        for p in plain.papers
    ]
    assert fairopt.solve(fairopt.load(content), "reject-all-over").answer.mask.tolist() == kept


def test_self_nominate_drops_as_authors_rank():
    content = {
        "problem": "desk-rejection",
        "limit": 1,
        "authors": [{"id": "x", "drop_order": ["p2"]}],
        "papers": [{"id": f"p{j}", "authors": ["x"]} for j in range(4)],
    }
    kept = fairopt.solve(fairopt.load(content), "self-nominate").answer.kept
    assert kept == ("p0",)  # p2 as ranked, then the latest: p3, p1


def test_seeds_give_other_answers():
    problem = fairopt.generate(
        "desk-rejection", "random-uniform", papers=60, authors=20, per_paper=2, limit=3
    )
    for method in ("random-sequential", "random-per-author"):
        answers = {fairopt.solve(problem, method, seed=s).answer.kept for s in range(5)}
        assert len(answers) > 1


@pytest.mark.parametrize("objective", ["max-accept", "average", "collateral"])
@pytest.mark.parametrize("rule", ["unit", "harmonic"])
def test_integral_relaxations_are_proven_by_multipliers(objective, rule):
    rng = np.random.default_rng(5)
    papers = [
        {"id": f"p{j}", "authors": [f"a{i}" for i in rng.choice(30, size=3, replace=False)]}
        for j in range(80)
    ]
    content = {
        "problem": "desk-rejection",
        "limit": 3,
        "papers": papers,
        "quota": {"rule": rule},
    }
    problem = fairopt.load(content)
    if rule == "harmonic" and objective == "collateral":
        with pytest.raises(fairopt.InstanceError, match="unit quota"):
            problem.replace(objective=objective)
        return
    problem = problem.replace(objective=objective)
    rounded = fairopt.solve(problem, "lp-rounding")
    assert rounded.bound.proof == "multipliers"
    exact = fairopt.solve(problem, "exact")
    assert exact.status == "optimal"
    assert not problem.objective.better(exact.value, rounded.bound.value)


def test_hundred_digit_costs_decide_exactly():
    """Harmonic costs of many team sizes need integers far beyond 64 bits."""
    rng = np.random.default_rng(3)
    papers = [
        {"id": f"p{j}", "authors": ["x", *(f"a{j}-{k}" for k in range(int(size)))]}
        for j, size in enumerate(rng.integers(1, 40, size=30))
    ]
    content = {
        "problem": "desk-rejection", "papers": papers, "limit": "3.25",
        "quota": {"rule": "harmonic"},
    }  # fmt: skip
    problem = fairopt.load(content)
    assert problem.rows.cost.dtype == object
    best = fairopt.solve(problem, "exact")
    assert best.status == "optimal"
    for method in HEURISTICS:
        solution = fairopt.solve(problem, method)
        assert solution.value <= best.value
        assert fairopt.verify(problem, solution).ok


def test_limits_and_sizes_that_must_work():
    many = [{"id": f"m{j}", "authors": ["x", f"c{j}"]} for j in range(202)]
    team = [{"id": "big", "authors": [f"t{k}" for k in range(82)]}]
    content = {"problem": "desk-rejection", "limit": 5, "papers": many + team}
    solution = fairopt.solve(fairopt.load(content), objective="average")
    assert solution.status == "optimal"
    assert solution.figures["kept"] == 6


def test_no_solver_is_called_when_nobody_is_over_the_limit(monkeypatch):
    import fairopt_solvers.desk_rejection.packing as packing

    monkeypatch.setattr(packing, "relax", None)
    monkeypatch.setattr(packing, "solve", None)
    problem = DeskRejection.from_edges(["a", "b"], ["p", "q"], limit=3)
    for objective in problem.objectives:
        solution = fairopt.solve(problem, objective=objective)
        assert (solution.status, solution.figures["ideal"]) == ("optimal", True)


def test_unlimited_time_is_the_default_and_zero_means_none():
    problem = DeskRejection.from_edges(["a", "a"], ["p", "q"], limit=1)
    assert fairopt.solve(problem, time_limit=0).stopped_by == "completed"


def test_objectives_a_method_does_not_serve_are_refused():
    problem = DeskRejection.from_edges(["a", "a"], ["p", "q"], limit=1)
    with pytest.raises(fairopt.UsageError, match="greedy serves max-accept"):
        fairopt.solve(problem, "greedy", objective="leximin")
    with pytest.raises(fairopt.UnknownMethod, match="did you mean 'greedy'"):
        fairopt.solve(problem, "greedi")
    with pytest.raises(fairopt.UsageError, match="no option 'depht'"):
        fairopt.solve(problem, "exact", depht=3)
