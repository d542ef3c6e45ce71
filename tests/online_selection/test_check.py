"""The court against brute force: independence, ranks, probabilities, figures, replays."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.problem import Violation
from fairopt.problems.online_selection import OnlineSelection, Selection
from fairopt.problems.online_selection.confidence import bernstein, clopper_pearson, tail
from fairopt.problems.online_selection.independence import dependent, independent
from fairopt.problems.online_selection.rank import closed_gamma, heaviest, rank
from online_selection.brute_online import Plain, contents

HALF = Fraction(1, 2)


def both(content):
    return OnlineSelection.from_json(content), Plain(content)


def rules(check):
    return {violation.rule for violation in check.violations}


@given(contents())
def test_independence_and_rank_of_every_subset(content):
    problem, plain = both(content)
    for chosen, held in plain.rank.items():
        assert independent(problem.matroid, chosen) == (chosen in plain.good), chosen
        assert rank(problem.matroid, chosen) == held, chosen
    assert list(problem.loops) == plain.loops


@given(contents(), st.data())
def test_many_groups_at_once(content, data):
    problem, plain = both(content)
    n = problem.n_elements
    groups = data.draw(st.lists(st.sets(st.integers(0, max(n - 1, 0))), max_size=5)) if n else []
    pairs = [(e, 10 * g) for g, chosen in enumerate(groups) for e in chosen]
    pairs = data.draw(st.permutations(pairs))
    element, group = [e for e, _ in pairs], [g for _, g in pairs]
    bad = [10 * g for g, chosen in enumerate(groups) if frozenset(chosen) not in plain.good]
    assert dependent(problem.matroid, element, group) == bad


@given(contents(), st.randoms(use_true_random=False))
def test_restriction_keeps_independence(content, rng):
    problem, plain = both(content)
    index = [e for e in range(problem.n_elements) if rng.random() < 0.6]
    rng.shuffle(index)
    smaller = problem.restricted(index)
    for size in range(len(index) + 1):
        for local in itertools.combinations(range(len(index)), size):
            whole = frozenset(index[k] for k in local)
            assert independent(smaller.matroid, local) == (whole in plain.good)


@given(contents(), st.data())
def test_heaviest_set(content, data):
    problem, plain = both(content)
    n = problem.n_elements
    weights = data.draw(st.lists(st.fractions(0, 3, max_denominator=3), min_size=n, max_size=n))
    assert heaviest(problem.matroid, weights) == plain.best_weight(weights)


@given(contents(matchoid=False))
def test_closed_forms(content):
    problem, plain = both(content)
    found = closed_gamma(problem.matroid)
    if content["matroid"]["type"] in ("uniform", "partition", "laminar"):
        assert found == plain.density()
        assert math.ceil(found) == plain.alpha()
    else:
        assert found is None


def gini(chances):
    total = sum(chances, Fraction(0))
    pairs = sum((abs(p - q) for p in chances for q in chances), Fraction(0))
    return pairs / (2 * len(chances) * total) if total else Fraction(0)


@given(contents(least=1), st.data())
def test_coloring(content, data):
    problem, plain = both(content)
    n = problem.n_elements
    coloring = plain.first_fit()
    if data.draw(st.booleans()):
        coloring = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    colors = max(1, *coloring)
    shares = data.draw(st.lists(st.integers(0, 4), min_size=colors, max_size=colors))
    law = [Fraction(s, 4 * colors) for s in shares]
    check = problem.check(Selection.colors(coloring, law))
    classes = [frozenset(e for e in range(n) if coloring[e] == c) for c in set(coloring) - {0}]
    assert rules(check) == (set() if all(c in plain.good for c in classes) else {"independence"})
    chances = [law[c - 1] if c else Fraction(0) for c in coloring]
    assert_figures(problem, plain, check, chances)


@given(contents(least=1), st.data())
def test_lottery(content, data):
    problem, plain = both(content)
    sets = data.draw(
        st.lists(st.sampled_from(sorted(plain.good, key=sorted)), min_size=1, max_size=4)
    )
    parts = data.draw(st.lists(st.integers(1, 5), min_size=len(sets), max_size=len(sets)))
    law = [Fraction(p, sum(parts)) for p in parts]
    answer = Selection.draws(zip(sets, law, strict=True))
    check = problem.check(answer)
    assert not check.violations
    chances = [
        sum((p for s, p in zip(sets, law, strict=True) if e in s), Fraction(0))
        for e in range(problem.n_elements)
    ]
    assert_figures(problem, plain, check, chances)
    assert check.figures["guaranteed_min_prob"] == (None if plain.loops else min(chances))
    again = problem.answer_from_json(problem.answer_to_json(answer))
    assert again == answer


def assert_figures(problem, plain, check, chances):
    n, figures = problem.n_elements, check.figures
    assert check.value == figures["min_prob"] == min(chances)
    assert figures["mean_prob"] == sum(chances, Fraction(0)) / n
    assert figures["gini"] == gini(chances)
    assert figures["rank"] == plain.rank[frozenset(range(n))]
    if figures["gamma"] is not None:
        assert figures["gamma"] == plain.density()
        assert figures["ratio_to_offline"] == min(chances) * plain.density()
    if problem.weights is not None:
        weights = problem.weights.to_list()
        expected = sum((w * p for w, p in zip(weights, chances, strict=True)), Fraction(0))
        assert figures["expected_weight"] == expected
        assert figures["opt_weight"] == plain.best_weight(weights)
        price = plain.best_weight(weights) / expected if expected else None
        assert figures["price_of_fairness"] == price
    usable = sorted(plain.rest)
    if plain.loops:
        restricted = figures["restricted"]
        assert restricted["elements"] == len(usable)
        if usable:
            mine = [chances[e] for e in usable]
            assert restricted["min_prob"] == min(mine)
            assert restricted["gini"] == gini(mine)


@given(contents(least=1, most=5, matchoid=False), st.randoms(use_true_random=False))
def test_gamma_is_reported_exactly_where_it_is_attained(content, rng):
    """A packing by brute force: q copies of every element in p independent sets."""
    problem, plain = both(content)
    if not plain.rest:
        return
    gamma, densest = plain.density(), plain.densest()
    sets = packing(plain, gamma)
    answer = Selection.draws([(s, Fraction(1, len(sets))) for s in sets], densest=densest)
    figures = problem.check(answer).figures
    mine = figures["restricted"] if plain.loops else figures
    assert mine["gamma"] == mine["beta"] == gamma
    assert mine["alpha"] == math.ceil(gamma) == plain.alpha()
    assert mine["ratio_to_offline"] == 1


def packing(plain, gamma):
    """Return p independent sets that cover every usable element exactly q times, gamma = p/q."""
    p, q = gamma.numerator, gamma.denominator
    copies = [e for e in sorted(plain.rest) for _ in range(q)]

    def place(left, room):
        if not left:
            return room
        tried = set()
        for k in range(p):
            if (
                room[k] not in tried
                and left[0] not in room[k]
                and room[k] | {left[0]} in plain.good
            ):
                tried.add(room[k])
                found = place(left[1:], [*room[:k], room[k] | {left[0]}, *room[k + 1 :]])
                if found:
                    return found
        return None

    return place(copies, [frozenset()] * p)


# -- what the court refuses ------------------------------------------------------------------


def k4():
    return fairopt.load("instances/online_selection/w2.json")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


def test_broken_laws_and_lotteries():
    problem = k4()
    coloring = [1, 1, 1, 2, 2, 3]
    third = Fraction(1, 3)
    good = Selection.uniform_colors(coloring, 3)
    assert not problem.check(good).violations
    for law, idle in (([third] * 3, third), ([third] * 2, third), ([HALF] * 3, Fraction(-1, 2))):
        answer = Selection("coloring", good.coloring, tuple(law), idle)
        assert rules(problem.check(answer)) == {"law"}
    assert rules(problem.check(Selection.uniform_colors([1, 1, 2, 1, 2, 3], 3))) == {"independence"}
    for pairs in ([([0], HALF)], [([0], Fraction(2))], [([0], Fraction(0)), ([1], Fraction(1))]):
        assert rules(problem.check(Selection.draws(pairs))) == {"probability"}
    check = problem.check(Selection.draws([([0, 1, 3], Fraction(1))]))
    assert check.violations == (Violation("independence", "lottery[0].set", 1),)
    for answer in (
        Selection.uniform_colors([1, 1], 1),
        Selection.draws([([7], Fraction(1))]),
        Selection.draws([([0], Fraction(1))], densest=[9]),
        Selection("coloring"),
    ):
        assert rules(problem.check(answer)) == {"shape"}


def test_irrational_laws_are_read_as_the_fractions_that_they_are():
    problem = k4()
    answer = Selection.colors([1, 1, 1, 2, 2, 3], [0.25, 0.125, 0.1])
    check = problem.check(answer)
    assert not check.violations
    assert check.value == Fraction(0.1)
    assert answer.to_json()["law"] == [0.25, 0.125, 0.1]
    assert problem.answer_from_json(answer.to_json()) == answer


def test_a_larger_lottery_is_not_called_optimal_by_a_set_that_proves_nothing():
    free = OnlineSelection.from_json({"n_elements": 3, "matroid": {"type": "graphic",
                                      "edges": [[0, 1], [1, 2], [2, 3]]}})  # fmt: skip
    everything = Fraction(1)
    assert free.check(Selection.draws([(range(3), everything)], densest=[1])).figures["gamma"] == 1
    loose = free.check(Selection.draws([(range(3), everything)], densest=[0, 1]))
    assert loose.figures["gamma"] is None
    short = k4().check(Selection.draws([([0, 3, 5], HALF), ([1, 2, 4], HALF)], densest=[0, 1, 3]))
    assert short.figures["gamma"] is None


# -- runs ------------------------------------------------------------------------------------


@given(contents(), st.randoms(use_true_random=False))
def test_greedy_and_first_fit_runs(content, rng):
    problem, plain = both(content)
    order = list(range(problem.n_elements))
    rng.shuffle(order)
    greedy = Selection.single(plain.greedy(order), order, {"rule": "greedy"})
    check = problem.check(greedy)
    assert not check.violations
    assert check.value is None
    levels = plain.first_fit(order)
    for color in (0, 1, 2):
        accepted = [e for e in order if levels[e] == color and color]
        run = Selection.single(accepted, order, {"rule": "first-fit", "color": color})
        assert not problem.check(run).violations
    if len(plain.greedy(order)):
        short = Selection.single(sorted(plain.greedy(order))[1:], order, {"rule": "greedy"})
        assert rules(problem.check(short)) == {"replay"}


def test_runs_that_the_court_refuses():
    problem = k4()
    early = Selection.single([0, 1], [0], {"rule": "greedy"})
    assert rules(problem.check(early)) == {"causality", "replay"}
    cycle = Selection.single([0, 1, 3], range(6), {"rule": "greedy"})
    assert rules(problem.check(cycle)) == {"independence", "replay"}
    for coins in (
        {},
        {"rule": "clairvoyant"},
        {"rule": "first-fit"},
        {"rule": "set", "set": [9]},
        {"rule": "vertex-order", "vertices": [0, 1]},
        {"rule": "laminar", "color": 1},
    ):
        assert "replay" in rules(problem.check(Selection.single([], range(6), coins)))


def test_decisions_depend_on_the_past_alone():
    """Cut after each arrival: the decisions so far stay."""
    from fairopt.problems.online_selection.replay import replay

    problem = k4()
    laminar = fairopt.load("instances/online_selection/w5.json")
    weighed = OnlineSelection(laminar.matroid, weights=[3, 1, 4, 1, 5, 9])
    cases = [
        (problem, {"rule": "greedy"}),
        (problem, {"rule": "first-fit", "color": 2}),
        (problem, {"rule": "active", "set": [1, 2, 4]}),
        (problem, {"rule": "set", "set": [1, 2, 4]}),
        (problem, {"rule": "vertex-order", "vertices": [2, 0, 3, 1]}),
        (problem, {"rule": "degeneracy", "first": 2, "second": 1, "degeneracy": 1}),
        (laminar, {"rule": "laminar", "color": 3, "colors": 5}),
        (weighed, {"rule": "secretary", "sample": 2}),
    ]
    rng = np.random.default_rng(0)
    for instance, coins in cases:
        for _ in range(20):
            order = rng.permutation(6).tolist()
            whole = replay(instance, order, coins)
            for stop in range(7):
                assert replay(instance, order[:stop], coins) == whole & set(order[:stop])
            assert independent(instance.matroid, whole)


# -- estimates -------------------------------------------------------------------------------


def exact_tail(successes, runs, chance):
    terms = (
        math.comb(runs, j) * chance**j * (1 - chance) ** (runs - j)
        for j in range(successes, runs + 1)
    )
    return sum(terms, Fraction(0))


@given(st.integers(1, 60), st.data())
def test_confidence_limit_is_below_and_close(runs, data):
    successes = data.draw(st.integers(1, runs))
    delta = data.draw(st.sampled_from([Fraction(1, 100), Fraction(1, 7000), Fraction(1, 10**6)]))
    limit = clopper_pearson(successes, runs, delta)
    assert exact_tail(successes, runs, limit) <= delta
    assert exact_tail(successes, runs, limit * Fraction(1001, 1000) + Fraction(1, 10**6)) > delta


def test_confidence_limits_of_many_runs():
    assert clopper_pearson(0, 100, Fraction(1, 100)) == 0
    low = clopper_pearson(8300, 83_000, Fraction(1, 10**5))
    assert 0.095 <= low < 0.0957  # a share of 0.1 is certified to within 5 %
    assert tail(8300, 83_000, float(low)) <= 1e-5
    assert bernstein(5e4, 3e4, 100_000, Fraction(1, 1000)) > Fraction(49, 100)
    assert bernstein(1.0, 1.0, 2, Fraction(1, 1000)) == 0


def test_estimate():
    problem = k4()
    counts = [500, 400, 300, 400, 300, 310]
    check = problem.check(Selection.estimated(counts, 1000))
    assert check.basis == "simulation"
    assert check.value == clopper_pearson(300, 1000, Fraction(1, 600))
    assert check.figures["observed_min_prob"] == Fraction(3, 10)
    averages = Selection.estimated(counts, 1000, sums=[300.0] * 6, squares=[90.5] * 6)
    assert problem.check(averages).value > check.value
    for bad in (Selection.estimated([9] * 6, 8), Selection.estimated([1] * 5, 8),
                Selection.estimated([1] * 6, 8, sums=[9.0] * 6, squares=[1.0] * 6)):  # fmt: skip
        assert rules(problem.check(bad)) == {"shape"}


def test_exact_probabilities_of_the_degeneracy_rule():
    problem = k4()
    rule = {"name": "degeneracy", "degeneracy": 2, "q": "1/3"}
    answer = Selection.estimated([1] * 6, 10, rule=rule)
    assert "exact_probabilities" not in problem.check(answer).figures
    found = problem.check(answer, figures="all").figures["exact_probabilities"]
    assert found == tuple(map(Fraction, ("1/3", "5/18", "19/81", "5/18", "19/81", "19/81")))
    assert problem.answer_from_json(answer.to_json()) == answer


@given(st.integers(0, 2), st.sampled_from(["1/2", "1/3"]), st.data())
def test_exact_probabilities_agree_with_the_replayed_rule(d, q, data):
    """Every order and every split into samples, weighed by the multinomial."""
    n = data.draw(st.integers(1, 4))
    vertex = st.integers(0, 3)
    edges = data.draw(st.lists(st.tuples(vertex, vertex).map(list), min_size=n, max_size=n))
    problem = OnlineSelection.from_json({"matroid": {"type": "graphic", "edges": edges}})
    answer = Selection.estimated([0] * n, 1, rule={"name": "degeneracy", "degeneracy": d, "q": q})
    found = problem.check(answer, figures="all").figures["exact_probabilities"]
    from fairopt.problems.online_selection.replay import replay

    share, chances = Fraction(q), [Fraction(0)] * n
    for order in itertools.permutations(range(n)):
        for first, second in ((a, b) for a in range(n + 1) for b in range(n + 1 - a)):
            decided = n - first - second
            ways = math.factorial(n) // math.prod(map(math.factorial, (first, second, decided)))
            weight = ways * ((1 - share) / 2) ** (first + second) * share**decided
            coins = {"rule": "degeneracy", "first": first, "second": second, "degeneracy": d}
            for e in replay(problem, order, coins):
                chances[e] += weight / math.factorial(n)
    assert list(found) == chances


@given(contents(matchoid=False), st.integers(1, 3), st.randoms(use_true_random=False))
def test_laminar_replay_by_the_words_of_the_rule(content, alpha, rng):
    """Sets as sets, the list searched anew at every arrival."""
    if content["matroid"]["type"] not in ("uniform", "partition", "laminar"):
        return
    from fairopt.problems.online_selection.replay import replay

    problem, plain = both(content)
    matroid, order = content["matroid"], list(range(plain.n))
    rng.shuffle(order)
    if matroid["type"] == "laminar":
        sets = [set(s["elements"]) for s in matroid["sets"]]
    elif matroid["type"] == "partition":
        blocks = matroid["blocks"]
        sets = [{e for e in order if blocks[e] == b} for b in set(blocks)]
    else:
        sets = [set(order)]
    line, colors = [], {}
    for e in (e for e in order if e not in plain.loops):
        seen = [s & set(line) for s in sets if e in s and s & set(line)]
        deepest = min(seen, key=len, default=set(line))
        at = max((k + 1 for k, f in enumerate(line) if f in deepest), default=0)
        near = {colors[f] for f in line[max(0, at - alpha + 1) : at] + line[at : at + alpha - 1]}
        mine = min(set(range(1, 2 * alpha)) - near)
        line.insert(at, e)
        same = frozenset(f for f, c in colors.items() if c == mine)
        colors[e] = mine if same | {e} in plain.good else 0
    for color in range(1, 2 * alpha):
        coins = {"rule": "laminar", "color": color, "colors": 2 * alpha - 1}
        expected = {e for e, c in colors.items() if c == color}
        assert replay(problem, order, coins) == expected
    if alpha >= plain.density():
        assert all(colors.values())
