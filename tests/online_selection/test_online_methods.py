"""The online methods: worked examples exactly, guarantees on random instances, kernels' twins."""

import json
from fractions import Fraction
from itertools import permutations
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.guarantees import degeneracy_chance, oblivious_chance
from fairopt.problems.online_selection.matroids import Graphic
from fairopt.problems.online_selection.replay import peeled
from fairopt_solvers.jit import random_state
from fairopt_solvers.online_selection import peeling
from fairopt_solvers.online_selection.kernels_degeneracy import later_ends
from fairopt_solvers.online_selection.levels import (
    oblivious_law,
    oblivious_probability,
    paper_colours,
    tight_colours,
)
from fairopt_solvers.online_selection.placing import EdgeLevels, OracleLevels
from fairopt_solvers.online_selection.worst_order import worst_order
from online_selection.brute_online import Plain, contents, graphs

K4 = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]

# name, what is told, colours, worst over all orders, colours of the paper, tight number
WORKED = [
    ("w1", {}, (1, 1, 2, 2, 3), 3, 6, 3),
    ("w2", {"alpha": 2}, (1, 1, 1, 2, 2, 3), 3, 5, 3),
    ("w4", {"beta": "5/2"}, (1, 2, 1, 2, 3), 3, 6, 5),
    ("w5", {}, (1, 2, 3, 1, 2, 1), 3, 7, 5),
    ("w7", {"beta": "2"}, (1, 2, 1, 1, 2), 3, 5, 3),
]

# name, edges, rank, gamma, alpha, paper, tight, colours in file order
GRAPHS = [
    ("karate.json", 78, 33, "17/6", 3, 14, 9, 4),
    ("les_miserables.json", 254, 76, "23/4", 6, 32, 26, 9),
    ("davis.json", 89, 31, "3", 3, 14, 11, 4),
    ("florentine.json", 20, 14, "5/3", 2, 8, 4, 2),
    ("petersen.json", 15, 9, "5/3", 2, 7, 3, 3),
    ("k10.json", 45, 9, "5", 5, 16, 13, 9),
    ("grid20.csv", 760, 399, "40/21", 2, 14, 9, 2),
]


@pytest.fixture
def shipped(request):
    folder = request.config.rootpath / "instances" / "online_selection"

    def load(name, **told):
        problem = fairopt.load(folder / name, problem="online-selection")
        return problem.replace(**{f"information.{k}": v for k, v in told.items()})

    return load


def built(content, **told):
    """Return the problem of a content with these parameters."""
    return OnlineSelection.from_json({**content, "information": told})


def told(plain):
    """Return the true parameters of a small instance as a file gives them."""
    gamma = plain.density()
    return {"beta": str(gamma), "rank": plain.rank[frozenset(range(plain.n))]} if gamma else {}


# -- worked examples -----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "known", "colours", "worst", "paper", "tight"), WORKED)
def test_worked_first_fit(shipped, name, known, colours, worst, paper, tight):
    problem = shipped(f"{name}.json", **known)
    method = "first-fit" if problem.is_matroid else "matchoid"
    for option, m in (("tight", tight), ("paper", paper), ("order", max(colours))):
        solution = fairopt.solve(problem, method, m=option)
        assert solution.answer.coloring.tolist() == list(colours)
        assert solution.answer.law == (Fraction(1, m),) * m
        assert solution.value == Fraction(1, m)
        proven = None if option == "order" else Fraction(1, m)
        assert solution.figures["guaranteed_min_prob"] == proven
    found = worst_order(problem)
    assert (found["colors"], found["exhaustive"]) == (worst, True)


@pytest.mark.parametrize("name", ["w1", "w2", "w4", "w5", "w7"])
def test_worst_order_is_the_worst_of_all(shipped, name):
    problem = shipped(f"{name}.json")
    plain = Plain(problem.to_json())
    most = max(max(plain.first_fit(order)) for order in permutations(range(plain.n)))
    assert worst_order(problem)["colors"] == most


def test_worked_laminar(shipped):
    solution = fairopt.solve(shipped("w5.json"), "laminar")
    assert solution.answer.coloring.tolist() == [1, 4, 3, 2, 1, 3]
    assert solution.value == solution.figures["guaranteed_min_prob"] == Fraction(1, 5)
    one = fairopt.solve(shipped("w1.json"), "laminar")
    assert one.answer.coloring.tolist() == [1, 2, 3, 1, 2]
    assert one.value == one.figures["guaranteed_min_prob"] == Fraction(1, 3)
    listed = fairopt.solve(shipped("w1.json"), "laminar", rule="list")
    assert listed.value == Fraction(1, 5)


@pytest.mark.parametrize(
    ("edges", "d", "q", "chances"),
    [
        (K4, 2, "1/3", "1/3 5/18 19/81 5/18 19/81 19/81"),
        (K4, 3, "1/4", "1/4 7/32 37/192 7/32 37/192 37/192"),
        ([[0, 1], [0, 2], [1, 2]], 2, "1/2", "1/2 3/8 3/8"),
        ([[0, 1], [0, 2], [1, 2]], 1, "1/2", "1/2 3/8 3/8"),
    ],
)
def test_worked_degeneracy(edges, d, q, chances):
    expected = tuple(map(Fraction, chances.split()))
    graph = graph_of(Graphic.of(edges))
    assert tuple(peeling.exact_probabilities(graph, d, Fraction(q))) == expected
    problem = OnlineSelection(Graphic.of(edges))
    solution = fairopt.solve(problem, "degeneracy", degeneracy=d, q=q, runs=200)
    assert solution.figure("exact_probabilities") == expected


@pytest.mark.parametrize(
    ("d", "one_over"), [(3, 83.7), (16, 170.1), (81, 398.6), (256, 950.6), (10**4, 27840)]
)
def test_lemma_15_is_what_is_reported(d, one_over):
    q = peeling.default_share(d)
    assert 1 / degeneracy_chance(d, q) == pytest.approx(one_over, rel=1e-3)
    assert degeneracy_chance(1, peeling.default_share(1)) is None


def test_worked_oblivious_law():
    law = [round(float(oblivious_probability(j)), 5) for j in (1, 2, 3, 5, 10)]
    assert law == [0.25834, 0.12168, 0.07222, 0.03529, 0.01262]
    assert sum(oblivious_law(3000)) < 1
    for j in (1, 2, 7, 1000):
        assert Fraction(oblivious_chance(j)) <= oblivious_probability(j)
        assert oblivious_chance(j) == pytest.approx(float(oblivious_probability(j)), rel=1e-12)


# -- real graphs ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "n", "k", "gamma", "alpha", "paper", "tight", "used"), GRAPHS)
def test_real_graphs(shipped, name, n, k, gamma, alpha, paper, tight, used):
    problem = shipped(name, beta=gamma, alpha=alpha)
    assert problem.n_elements == n
    assert paper_colours(alpha, k) == paper
    assert tight_colours(Fraction(gamma), k) == tight < paper
    solution = fairopt.solve(problem, "first-fit")
    assert int(solution.answer.coloring.max()) == used
    assert solution.value == solution.figures["guaranteed_min_prob"] == Fraction(1, tight)
    rng = np.random.default_rng(0)
    levels = EdgeLevels(problem.matroid, None)
    for _ in range(20):
        levels.clear()
        assert levels.extend(rng.permutation(n)).max() <= tight


def test_worst_order_of_a_complete_graph_is_found_by_climbing(shipped):
    found = worst_order(shipped("k10.json"), steps=300)
    assert (found["colors"], found["exhaustive"], found["tried"]) == (9, False, 300)
    assert sorted(found["order"]) == list(range(45))


# -- how many colours ----------------------------------------------------------------------


@given(st.fractions(1, 40, max_denominator=60), st.integers(1, 2000))
def test_the_tight_number_is_never_larger_and_always_enough(gamma, rank):
    assert 1 <= tight_colours(gamma, rank) <= paper_colours(ceil(gamma), rank)
    for p in (1, 2, 3):
        assert tight_colours(gamma, rank, p) <= paper_colours(gamma, rank, p)


def test_colours_without_logarithm():
    assert paper_colours(Fraction(5, 2), 1, 2) == 3
    assert (tight_colours(2, 3), paper_colours(2, 3)) == (3, 5)
    assert (tight_colours(2, 1000), paper_colours(2, 1000)) == (11, 16)


# -- first fit on everything ---------------------------------------------------------------


@given(contents(matchoid=False), st.data())
def test_first_fit_is_first_fit_and_its_guarantee_holds_for_every_order(content, data):
    plain = Plain(content)
    problem = built(content, **told(plain))
    order = data.draw(st.permutations(range(plain.n)))
    problem = problem.replace(**{"arrival.order": list(order)})
    solution = fairopt.solve(problem, "first-fit")
    expected = plain.first_fit(order)
    assert solution.answer.coloring.tolist() == expected
    m = len(solution.answer.law)
    assert max(expected, default=0) <= m
    if plain.n:
        assert solution.value == (0 if plain.loops else Fraction(1, m))
    assert not [n for n in solution.notes if n.code == "guarantee-violated"]


@given(contents(), st.data())
def test_matchoid_levels_suffice(content, data):
    plain = Plain(content)
    k = plain.rank[frozenset(range(plain.n))]
    gamma = plain.density()
    problem = built(content, **({"beta": str(gamma), "rank": k} if gamma else {}))
    order = data.draw(st.permutations(range(plain.n)))
    problem = problem.replace(**{"arrival.order": list(order)})
    for m in ("tight", "paper"):
        solution = fairopt.solve(problem, "matchoid", m=m)
        assert solution.answer.coloring.tolist() == plain.first_fit(order)
        assert fairopt.verify(problem, solution).ok


@given(st.integers(1, 14).flatmap(lambda n: graphs(n, "graphic")), st.data())
def test_edge_levels_equal_general_levels(content, data):
    graph = Graphic.of(content["edges"])
    limit = data.draw(st.none() | st.integers(1, 4))
    order = np.array(data.draw(st.permutations(range(graph.n))), np.int64)
    fast, slow = EdgeLevels(graph, limit), OracleLevels(graph, limit)
    cut = data.draw(st.integers(0, graph.n))
    for part in (order[:cut], order[cut:]):
        assert fast.extend(part).tolist() == slow.extend(part).tolist()


def test_many_levels_of_parallel_edges():
    graph = Graphic.of([[0, 1]] * 100)
    assert EdgeLevels(graph, None).extend(np.arange(100)).tolist() == list(range(1, 101))


@given(contents(least=1), st.data())
def test_oblivious_needs_no_parameter(content, data):
    problem = OnlineSelection.from_json({**content, "information": {"model": "oblivious"}})
    plain = Plain(content)
    solution = fairopt.solve(problem, "oblivious")
    colours = plain.first_fit(plain.order)
    assert solution.answer.coloring.tolist() == colours
    loops = 0 in colours
    assert solution.value == (0 if loops else oblivious_probability(max(colours)))


# -- wrong parameters ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "options", "matroid"),
    [
        ("first-fit", {}, {"type": "graphic", "edges": K4}),
        ("matchoid", {}, {"type": "graphic", "edges": K4}),
        ("laminar", {}, {"type": "uniform", "rank": 2}),
        ("laminar", {"rule": "list"}, {"type": "uniform", "rank": 2}),
    ],
)
@pytest.mark.parametrize("answer", ["coloring", "run"])
def test_wrong_parameters_never_break_independence(method, options, matroid, answer):
    content = {"problem": "online-selection", "n_elements": 6, "matroid": matroid}
    problem = built({**content, "labels": list("abcdef")}, alpha=1, rank=2)
    solution = fairopt.solve(problem, method, answer=answer, **options)
    assert solution.status == "feasible"
    (note,) = [n for n in solution.notes if n.code == "guarantee-violated"]
    first = next(e for e in range(6) if colours_of(problem, method, options)[e] == 0)
    assert f"violated at element {'abcdef'[first]}" in note.text
    assert solution.figures["guaranteed_min_prob"] is None or answer == "run"
    assert fairopt.verify(problem, solution).ok


def colours_of(problem, method, options):
    return fairopt.solve(problem, method, **options).answer.coloring.tolist()


def test_loops_are_no_violation():
    problem = OnlineSelection(Graphic.of([[0, 1], [2, 2], [1, 2]]))
    problem = problem.replace(**{"information.alpha": 1, "information.rank": 2})
    for method in ("first-fit", "matchoid", "oblivious"):
        solution = fairopt.solve(problem, method)
        assert solution.answer.coloring.tolist() == [1, 0, 1]
        assert {n.code for n in solution.notes} <= {"loops"}


# -- Algorithm 3 ---------------------------------------------------------------------------


def graph_of(matroid):
    real = np.flatnonzero(matroid.tail != matroid.head)
    return peeling.Graph.of(matroid.n_vertices, matroid.tail[real], matroid.head[real])


@given(st.integers(1, 14).flatmap(lambda n: graphs(n, "graphic")), st.data())
def test_peeling_equals_the_definition(content, data):
    graph = graph_of(Graphic.of(content["edges"]))
    m, n = len(graph.tail), graph.n_vertices
    part = np.array(data.draw(st.lists(st.integers(0, 2), min_size=m, max_size=m)), np.int8)
    d = data.draw(st.integers(1, 3))
    end = np.zeros(m, np.int64)
    later_ends(*graph.arrays, part, d, np.zeros(n, np.int64), np.zeros(2 * n, np.int64), end)
    ends = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    arcs = [
        (min(e), max(e)) if p == 0 else (max(e), min(e))
        for e, p in zip(ends, part, strict=True)
        if p < 2
    ]
    place = peeled(n, arcs, d)
    assert end.tolist() == [max(e, key=lambda v: place[v]) for e in ends]


@given(st.integers(1, 9).flatmap(lambda n: graphs(n, "graphic")))
def test_samples_follow_the_exact_law(content):
    graph = graph_of(Graphic.of(content["edges"]))
    q, runs = Fraction(2, 5), 4000
    exact = np.array(peeling.exact_probabilities(graph, 2, q), float)
    counted = peeling.counts(graph, 2, q, runs, random_state(1)) / runs
    shares, squares = peeling.shares(graph, 2, q, runs, random_state(2))
    spread = 5 * np.sqrt(np.maximum(exact * (1 - exact), 0.01) / runs)
    assert (np.abs(counted - exact) < spread).all()
    assert (np.abs(shares / runs - exact) < spread).all()
    assert (squares <= shares + 1e-9).all()


def test_degeneracy_of_graphs(shipped):
    expected = {"karate": 4, "les_miserables": 9, "davis": 4, "florentine": 2, "petersen": 3}
    for name, d in expected.items():
        assert peeling.degeneracy(graph_of(shipped(f"{name}.json").matroid)) == d


def test_degeneracy_options(shipped):
    problem = shipped("petersen.json")
    paper = fairopt.solve(problem, "degeneracy", runs=3000)
    tuned = fairopt.solve(problem, "degeneracy", runs=3000, tune="grid")
    assert paper.answer.estimate.rule == {
        "name": "degeneracy",
        "degeneracy": 3,
        "q": "1603/6329",
    }
    assert tuned.value > paper.value
    assert [n.code for n in tuned.notes if n.code == "tuned"]
    assert 0 < paper.figures["guaranteed_min_prob"] < paper.value
    assert tuned.figures["guaranteed_min_prob"] is None  # x (1 + delta) >= 1
    shares = fairopt.solve(problem, "degeneracy", runs=3000, estimator="shares")
    assert shares.answer.estimate.sums
    assert fairopt.verify(problem, fairopt.load_solution(shares.to_json())).ok


def test_a_forest_is_accepted_whole():
    problem = OnlineSelection(Graphic.of([["a", "b"], ["b", "c"], ["d", "e"]]))
    assert fairopt.solve(problem, "degeneracy").value == 1
    believed = problem.replace(**{"information.alpha": 1})
    assert fairopt.solve(believed, "degeneracy", answer="run").answer.run.accepted == (0, 1, 2)


# -- what does not apply, and what auto takes -----------------------------------------------


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("laminar", {}, "laminar is for uniform, partition and laminar matroids"),
        ("secretary", {}, "weights"),
        ("degeneracy", {"q": 1}, "q must lie"),
        ("degeneracy", {"degeneracy": 0}, "degeneracy must be"),
        ("random-order", {"runs": 0}, "runs must be"),
        ("ocrs", {"b": 2}, "b must lie"),
    ],
)
def test_what_does_not_apply_says_so(shipped, method, options, words):
    with pytest.raises(fairopt.UsageError, match=words):
        fairopt.solve(shipped("w2.json", alpha=2), method, **options)


def test_first_fit_is_for_matroids(shipped):
    with pytest.raises(fairopt.UsageError, match="matchoid"):
        fairopt.solve(shipped("w4.json"), "first-fit")
    with pytest.raises(fairopt.UsageError, match="fixed order"):
        fairopt.solve(
            shipped("w2.json").replace(**{"arrival.model": "random"}), "first-fit", m="order"
        )


@pytest.mark.parametrize(
    ("name", "model", "taken"),
    [
        ("w1.json", "parameters", "laminar"),
        ("w2.json", "parameters", "first-fit"),
        ("w4.json", "parameters", "matchoid"),
        ("w5.json", "parameters", "laminar"),
        ("w2.json", "oblivious", "oblivious"),
        ("w2.json", "random", "first-fit"),
    ],
)
def test_auto_takes_the_largest_guarantee(shipped, name, model, taken):
    known = {"w2.json": {"alpha": 2}, "w4.json": {"beta": "5/2"}}.get(name, {})
    solution = fairopt.solve(shipped(name, model=model, **known))
    assert [n.text for n in solution.notes if n.code == "chosen"] == [f"auto took {taken}"]
    other = fairopt.solve(shipped(name, model=model, **known), taken)
    assert json.dumps(other.answer_json) == json.dumps(solution.answer_json)
