"""What the rules prove is true, by brute force; what proves nothing is refused."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.errors import InstanceError
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.guarantees import (
    H_NORM,
    degeneracy_chance,
    feasible_h,
    oblivious_chance,
    paper_levels,
    tight_levels,
    tight_levels_matchoid,
)
from fairopt.problems.online_selection.proofs_guarantees import degeneracy_of
from online_selection.brute_online import Plain, contents

K4 = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
PAIRS = [{"set": [0, 3, 5], "probability": "1/2"}, {"set": [1, 2, 4], "probability": "1/2"}]


def graph(edges, **more):
    return OnlineSelection.from_json({"matroid": {"type": "graphic", "edges": edges}, **more})


def c5():
    parts = [
        {"elements": [(v - 1) % 5, v], "matroid": {"type": "uniform", "rank": 1}} for v in range(5)
    ]
    return OnlineSelection.from_json(
        {"n_elements": 5, "matroid": {"type": "matchoid", "parts": parts}}
    )


def best(plain):
    """t* from below and above: 0 with loops; for a matroid 1/gamma."""
    return Fraction(0) if plain.loops else 1 / plain.density()


@given(contents(least=1, matchoid=False), st.data())
def test_set_and_weight_bounds_hold_for_every_answer(content, data):
    problem, plain = OnlineSelection.from_json(content), Plain(content)
    n = problem.n_elements
    chosen = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
    bound = problem.recompute({"rule": "densest-set", "set": chosen})
    assert bound == Fraction(plain.rank[frozenset(chosen)], len(chosen)) >= best(plain)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if any(weights):
        found = problem.recompute({"rule": "weights", "weights": weights})
        assert found == plain.best_weight(weights) / sum(weights) >= best(plain)
    if plain.rest:
        tight = problem.recompute({"rule": "densest-set", "set": sorted(plain.densest())})
        assert tight == 1 / plain.density()


@given(contents(least=1), st.data())
def test_set_bounds_of_matchoids_with_a_cover_are_weaker_but_true(content, data):
    if content["matroid"]["type"] != "matchoid":
        return
    problem, plain = OnlineSelection.from_json(content), Plain(content)
    chosen = data.draw(st.lists(st.integers(0, plain.n - 1), min_size=1, unique=True))
    parts = len(content["matroid"]["parts"])
    cover = data.draw(st.permutations(range(parts)))[: data.draw(st.integers(0, parts))]
    found = problem.recompute({"rule": "densest-set", "set": chosen, "cover": cover})
    assert found >= Fraction(plain.rank[frozenset(chosen)], len(chosen))


@given(contents(least=1, most=5))
def test_partitions_and_first_fit_levels(content):
    problem, plain = OnlineSelection.from_json(content), Plain(content)
    coloring = plain.first_fit()
    colors = max(coloring)
    if not plain.rest:
        return
    data = {"rule": "partition", "coloring": coloring}
    assert problem.recompute(data, "alpha_at_most") == colors >= plain.alpha()
    least = problem.recompute(
        {"rule": "densest-set", "set": sorted(plain.densest())}, "alpha_at_least"
    )
    assert least == math.ceil(plain.density()) <= plain.alpha()
    if least == colors:
        both = {**data, "set": sorted(plain.densest())}
        assert problem.recompute(both, "alpha") == plain.alpha()


@given(contents(least=1, most=5), st.randoms(use_true_random=False))
def test_first_fit_never_needs_more_levels_than_are_guaranteed(content, rng):
    problem, plain = OnlineSelection.from_json(content), Plain(content)
    if not plain.rest:
        return
    gamma, k = plain.density(), plain.rank[frozenset(range(plain.n))]
    if problem.is_matroid:
        m = tight_levels(gamma, k)
        assert m <= paper_levels(gamma, k)
    else:
        p = max(1, problem.matroid.p)
        m = tight_levels_matchoid(gamma, k, p)
    orders = list(itertools.permutations(range(plain.n)))
    for order in rng.sample(orders, min(30, len(orders))):
        assert max(plain.first_fit(order)) <= m


def test_k4():
    problem = graph(K4)
    packing = {"rule": "packing", "lottery": PAIRS, "set": list(range(6))}
    assert problem.recompute(packing, "gamma") == 2
    assert problem.recompute(packing, "beta") == 2
    weighted = {"rule": "weighted-packing", "lottery": PAIRS, "weights": [1] * 6}
    assert problem.recompute(weighted, "beta") == 2
    coloring = [1, 2, 2, 1, 2, 1]
    alpha = {"rule": "partition", "coloring": coloring, "set": list(range(6))}
    assert problem.recompute(alpha, "alpha") == 2
    for evidence in (
        {"by": "lottery", "lottery": PAIRS},
        {"by": "partition", "coloring": coloring},
    ):
        for levels, m in (("tight", 3), ("paper", 5)):
            data = {"rule": "first-fit", "levels": levels, "gamma": evidence}
            assert problem.recompute(data, "guaranteed_min_prob") == Fraction(1, m)
        data = {"rule": "oblivious", "gamma": evidence}
        assert problem.recompute(data, "guaranteed_min_prob") == oblivious_chance(3)
        assert problem.recompute({"rule": "evidence", "gamma": evidence}, "gamma_at_most") == 2
    given_ = {"rule": "first-fit", "gamma": {"by": "given"}, "rank": "given"}
    told = problem.replace(**{"information.beta": 2, "information.rank": 3})
    assert told.recompute(given_, "guaranteed_min_prob") == Fraction(1, 3)


def test_matchings_of_the_cycle():
    problem = c5()
    lottery = [{"set": [k, (k + 2) % 5], "probability": "1/5"} for k in range(5)]
    packing = {"rule": "packing", "lottery": lottery, "set": list(range(5))}
    assert problem.recompute(packing, "beta") == Fraction(5, 2)
    data = {"rule": "matchoid", "levels": "paper", "gamma": {"by": "lottery", "lottery": lottery}}
    assert problem.recompute(data, "guaranteed_min_prob") == Fraction(1, 6)
    cover = {"rule": "set-and-cover", "set": [0, 2], "cover": [1, 3, 4]}
    with pytest.raises(InstanceError, match="the set has 2 elements, the cover shows 3"):
        problem.recompute(cover, "rank")


def test_closed_forms_and_laminar_guarantees():
    laminar = fairopt.problems.online_selection.OnlineSelection.from_json(
        {"n_elements": 6, "matroid": {"type": "laminar", "sets": [
            {"elements": [0, 1, 2, 3, 4, 5], "capacity": 3}, {"elements": [0, 1, 2], "capacity": 1},
            {"elements": [3, 4], "capacity": 1}]}}
    )  # fmt: skip
    assert laminar.recompute({"rule": "closed-form"}, "gamma") == 3
    assert laminar.recompute({"rule": "closed-form"}, "alpha") == 3
    data = {"rule": "laminar", "alpha": {"by": "closed-form"}}
    assert laminar.recompute(data, "guaranteed_min_prob") == Fraction(1, 5)
    with pytest.raises(InstanceError, match="uniform and partition"):
        laminar.recompute({**data, "rule": "laminar-cyclic"}, "guaranteed_min_prob")
    uniform = fairopt.generate("online-selection", "uniform", elements=5, rank=2)
    data = {"rule": "laminar-cyclic", "alpha": {"by": "closed-form"}}
    assert uniform.recompute(data, "guaranteed_min_prob") == Fraction(1, 3)


def test_degeneracy_numbers():
    for d, factor in ((3, 83.7), (16, 170.1), (81, 398.6), (256, 950.6), (10**4, 27_840)):
        assert 1 / degeneracy_chance(d) == pytest.approx(factor, rel=1e-3)
    assert 1 / degeneracy_chance(10**6) == pytest.approx(2.39e6, rel=1e-3)
    assert degeneracy_chance(1) is None
    assert degeneracy_chance(0) == 1
    complete = graph([[u, v] for u in range(6) for v in range(u)])
    assert degeneracy_of(complete.matroid) == 5
    data = {"rule": "degeneracy", "degeneracy": 5}
    assert complete.recompute(data, "guaranteed_min_prob") == degeneracy_chance(5)
    with pytest.raises(InstanceError, match="not 4-degenerate"):
        complete.recompute({**data, "degeneracy": 4}, "guaranteed_min_prob")
    told = complete.replace(**{"information.alpha": 3})
    assert told.recompute(data, "guaranteed_min_prob") == degeneracy_chance(5)


def test_oblivious_law_is_feasible_and_as_published():
    published = {1: 0.25834, 2: 0.12168, 3: 0.07222, 5: 0.03529, 10: 0.01262}
    for color, chance in published.items():
        assert oblivious_chance(color) == pytest.approx(chance, abs=5e-6)
    most = 20_000
    head = math.fsum(1 / feasible_h(j) for j in range(1, most))
    rest = 1 / (2 * math.log(most + 1))  # the integral of the tail
    assert head + rest <= H_NORM


REFUSED = {
    "unknown rule": ({"rule": "faith"}, "bound", "no rule 'faith'"),
    "rule of another kind": ({"rule": "loop", "element": 0}, "gamma", "no rule 'loop'"),
    "no loop": ({"rule": "loop", "element": 0}, "bound", "is no loop"),
    "not empty": ({"rule": "empty"}, "bound", "there are 6 elements"),
    "empty set": ({"rule": "densest-set", "set": []}, "bound", "must not be empty"),
    "no set": ({"rule": "densest-set"}, "bound", "expected a list"),
    "unknown element": ({"rule": "densest-set", "set": [6]}, "bound", "expected 0 to 5, got 6"),
    "element twice": ({"rule": "densest-set", "set": [1, 1]}, "bound", "names something twice"),
    "a cover for a matroid": (
        {"rule": "densest-set", "set": [1], "cover": []}, "bound", "is for matchoids",
    ),
    "negative weight": ({"rule": "weights", "weights": [1, -1, 0, 0, 0, 0]}, "bound", "at least 0"),
    "no weight": ({"rule": "weights", "weights": [0] * 6}, "bound", "not all 0"),
    "few weights": ({"rule": "weights", "weights": [1]}, "bound", "expected 6 numbers"),
    "no closed form": ({"rule": "closed-form"}, "gamma", "no closed form for graphic"),
    "cycle in a lottery": (
        {"rule": "lottery", "lottery": [{"set": [0, 1, 3], "probability": 1}]},
        "beta_at_most", "is not independent",
    ),
    "too much probability": (
        {"rule": "lottery", "lottery": [*PAIRS, PAIRS[0]]}, "beta_at_most", "more than 1",
    ),
    "nothing covered": ({"rule": "lottery", "lottery": PAIRS[:1]}, "beta_at_most", "uncovered"),
    "lottery and set apart": (
        {"rule": "packing", "lottery": PAIRS, "set": [0, 1, 3]}, "gamma", "differ: 1/2 and 2/3",
    ),
    "an element without color": (
        {"rule": "partition", "coloring": [1, 2, 2, 1, 2, 0]}, "alpha_at_most", "has no color",
    ),
    "a class with a cycle": (
        {"rule": "partition", "coloring": [1, 1, 2, 1, 2, 2]}, "alpha_at_most", "not independent",
    ),
    "more classes than shown": (
        {"rule": "partition", "coloring": [1, 2, 2, 1, 2, 3], "set": [0]}, "alpha", "3 classes",
    ),
    "nothing given": (
        {"rule": "first-fit", "gamma": {"by": "given"}}, "guaranteed_min_prob", "gives neither",
    ),
    "no evidence": ({"rule": "first-fit"}, "guaranteed_min_prob", "expected an object"),
    "no laminar matroid": (
        {"rule": "laminar", "alpha": {"by": "given"}}, "guaranteed_min_prob", "is for laminar",
    ),
    "rank not given": (
        {"rule": "first-fit", "gamma": {"by": "lottery", "lottery": PAIRS}, "rank": "given"},
        "guaranteed_min_prob", "gives no rank",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_what_proves_nothing_is_refused(data, kind, message):
    with pytest.raises(InstanceError) as caught:
        graph(K4).recompute(data, kind)
    assert message in str(caught.value)
