"""The offline optimum: gamma, alpha, beta, lotteries and densest sets against enumeration."""

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fairopt
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.matroids import (
    Graphic,
    Laminar,
    Linear,
    Matchoid,
    Partition,
    Transversal,
    Uniform,
    bipartite_matchings,
    matchings,
)
from fairopt.problems.online_selection.rank import rank
from fairopt.run import Run
from fairopt_solvers.online_selection import lotteries, partition
from fairopt_solvers.online_selection.columns import solve_matchoid
from fairopt_solvers.online_selection.density import density
from fairopt_solvers.online_selection.pricing import Pricing, cover_by_parts
from fairopt_solvers.online_selection.rationals import small_weights, solve_lottery
from online_selection.brute_online import Plain, contents, matchoids

HALF = Fraction(1, 2)


def solve(matroid, **options):
    return fairopt.solve(OnlineSelection(matroid), "offline", **options)


def assert_meets(solution):
    """The lottery attains r(S)/|S| of its densest set: a proof that needs nothing else."""
    densest, matroid = solution.answer.densest, solution.source.matroid
    assert solution.status == "optimal"
    assert solution.value == Fraction(rank(matroid, densest), len(densest))
    assert sum(draw.probability for draw in solution.answer.lottery) == 1


# -- matroids --------------------------------------------------------------------------------


@given(contents(least=1, matchoid=False))
def test_matroids_against_enumeration(content):
    plain = Plain(content)
    solution = fairopt.solve(OnlineSelection.from_json(content), "offline")
    figures = solution.figures if not plain.loops else solution.figures["restricted"]
    assert solution.status == "optimal"
    assert solution.value == (0 if plain.loops else 1 / plain.density())
    assert figures["gamma"] == figures["beta"] == plain.density()
    assert figures["alpha"] == plain.alpha() == math.ceil(plain.density())
    if plain.rest:
        assert figures["min_prob"] == 1 / plain.density()
    if not plain.loops:
        assert_meets(solution)


@given(contents(least=1, matchoid=False))
def test_density_against_enumeration(content):
    matroid, plain = OnlineSelection.from_json(content).matroid, Plain(content)
    assume(not plain.loops)
    found = density(matroid, Run())
    assert found.exact
    assert found.gamma == plain.density()
    assert Fraction(len(found.densest), plain.rank[frozenset(found.densest)]) == found.gamma


EXAMPLES = [
    (Uniform.of(5, 2), "5/2", 3),
    (Graphic.of([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]), "2", 2),
    (Graphic.of([[0, 1], [0, 2], [1, 2]]), "3/2", 2),
    (Laminar.of(6, [range(6), [0, 1, 2], [3, 4]], [3, 1, 1]), "3", 3),
    (Linear.of(2, [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]]), "3/2", 2),
    (Linear.of("Q", [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]]), "4/3", 2),
    (Transversal.of([[0], [0], [0, 1], [1, 2], [2]]), "2", 2),
    (Uniform.of(3, 3), "1", 1),
    (Uniform.of(1, 1), "1", 1),
]


@pytest.mark.parametrize(("matroid", "gamma", "alpha"), EXAMPLES)
def test_worked_examples(matroid, gamma, alpha):
    solution = solve(matroid)
    assert_meets(solution)
    assert solution.value == 1 / Fraction(gamma)
    assert (solution.figures["gamma"], solution.figures["alpha"]) == (Fraction(gamma), alpha)


def test_binary_triangle_is_densest():
    solution = solve(Linear.of(2, [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]]))
    assert solution.answer.densest == (0, 1, 2)


def test_matchings_of_a_pentagon():
    solution = solve(matchings([[k, (k + 1) % 5] for k in range(5)]))
    assert_meets(solution)
    figures = solution.figures
    assert figures["gamma"] == figures["beta"] == Fraction(5, 2)
    assert (figures["alpha"], figures["rank"]) == (3, 2)


GRAPHS = {
    "karate": (nx.karate_club_graph, 78, 33, "17/6"),
    "miserables": (nx.les_miserables_graph, 254, 76, "23/4"),
    "davis": (nx.davis_southern_women_graph, 89, 31, "3"),
    "florentine": (nx.florentine_families_graph, 20, 14, "5/3"),
    "petersen": (nx.petersen_graph, 15, 9, "5/3"),
    "K10": (lambda: nx.complete_graph(10), 45, 9, "5"),
    "grid": (lambda: nx.grid_2d_graph(20, 20), 760, 399, "40/21"),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_named_graphs(name):
    make, n, k, gamma = GRAPHS[name]
    solution = solve(Graphic.of([[str(u), str(v)] for u, v in make().edges()]))
    assert_meets(solution)
    figures = solution.figures
    assert (solution.source.n_elements, figures["rank"]) == (n, k)
    assert figures["gamma"] == Fraction(gamma)
    assert figures["alpha"] == math.ceil(Fraction(gamma))


@pytest.mark.parametrize("seed", range(3))
def test_flows_and_partitions_find_the_same_density(seed):
    edges = [list(e) for e in nx.gnm_random_graph(20, 90, seed=seed).edges()]
    dense = [[f"d{u}", f"d{v}"] for u, v in itertools.combinations(range(7), 2)]
    joined = [[str(u), str(v)] for u, v in edges] + dense + [["0", "d0"]]
    graph = Graphic.of(joined)
    vertices = {v: k for k, v in enumerate(graph.vertices)}
    columns = []
    for u, v in joined:  # the same matroid over GF(2)
        columns.append([int(k in (vertices[u], vertices[v])) for k in range(len(vertices))])
    by_flow, by_copies = density(graph, Run()), density(Linear.of(2, columns), Run())
    assert by_flow.gamma == by_copies.gamma
    assert rank(graph, by_flow.densest) * by_flow.gamma == len(by_flow.densest)


def test_loops_stand_aside():
    solution = solve(Graphic.of([[0, 1], [2, 2], [0, 2], [1, 2], [1, 1]]))
    assert (solution.status, solution.value) == ("optimal", 0)
    assert solution.figures["loops"] == [1, 4]
    assert solution.figures["gamma"] is None
    assert solution.figures["restricted"]["gamma"] == Fraction(3, 2)
    assert solution.answer.densest == (0, 2, 3)
    everything = solve(Uniform.of(3, 0))
    assert (everything.status, everything.value) == ("optimal", 0)


def test_too_large_a_lottery_is_packed_and_said_so(monkeypatch):
    monkeypatch.setattr(lotteries, "_CELLS", 1000)
    solution = solve(Graphic.of([list(e) for e in nx.gnm_random_graph(30, 100, seed=1).edges()]))
    assert solution.status == "feasible"
    assert [note.code for note in solution.notes if note.code == "bounded"]
    assert solution.bound.proof == "combinatorial"
    assert 1 < solution.ratio < Fraction(3, 2)
    monkeypatch.setattr(lotteries, "_CELLS", 10**8)
    monkeypatch.setattr(partition, "_ROOM", 1000)
    again = solve(Graphic.of([list(e) for e in nx.gnm_random_graph(30, 100, seed=1).edges()]))
    assert again.bound.value == solution.bound.value
    assert again.ratio < Fraction(11, 10)


class Clock:
    def __init__(self, reads):
        self.left = reads

    def __call__(self):
        self.left -= 1
        return 0.0 if self.left >= 0 else 1e9


@pytest.mark.parametrize("reads", [0, 1, 2, 3, 5, 8, 20])
@pytest.mark.parametrize(
    "matroid",
    [
        Graphic.of([list(e) for e in nx.complete_graph(7).edges()]),
        Linear.of(3, np.random.default_rng(0).integers(1, 3, (15, 4)).tolist()),
        matchings([list(e) for e in nx.petersen_graph().edges()]),
    ],
    ids=["graph", "columns", "matchings"],
)
def test_an_answer_at_any_deadline(matroid, reads):
    run = Run(time_limit=1, clock=Clock(reads), minimize=False)
    solution = fairopt.api.solve_in(run, OnlineSelection(matroid), "offline", {})
    assert solution.value > 0
    assert solution.bound is None or solution.bound.value >= solution.value


# -- matchoids -------------------------------------------------------------------------------


def plain_beta(plain):
    """1/t* by the linear program over all feasible sets (floats)."""
    from scipy.optimize import linprog

    sets, rest = sorted(plain.good, key=sorted), sorted(plain.rest)
    cover = [[*(-1 if e in s else 0 for s in sets), 1] for e in rest]
    result = linprog(
        [*([0] * len(sets)), -1],
        A_ub=cover,
        b_ub=[0] * len(rest),
        A_eq=[[*([1] * len(sets)), 0]],
        b_eq=[1],
        bounds=[(0, 1)] * (len(sets) + 1),
    )
    return -1 / result.fun


@st.composite
def matchoid_contents(draw):
    n = draw(st.integers(1, 6))
    return {"problem": "online-selection", "n_elements": n, "matroid": draw(matchoids(n))}


@given(matchoid_contents())
@settings(max_examples=15)
def test_matchoids_against_the_whole_linear_program(content):
    plain = Plain(content)
    solution = fairopt.solve(OnlineSelection.from_json(content), "offline")
    assert solution.status == "optimal"
    if plain.loops:
        assert solution.value == 0
        return
    assert float(1 / solution.value) == pytest.approx(plain_beta(plain), abs=1e-7)
    assert 1 / solution.value >= plain.density()
    assert 1 / solution.value <= plain.alpha()
    assert solution.figures["beta"] == 1 / solution.value
    assert fairopt.verify(solution.source, solution).ok


@pytest.mark.parametrize("backend", ["highs", "cp-sat", "cbc"])
def test_backends_agree_on_matchings(backend):
    edges = [list(e) for e in nx.gnm_random_graph(12, 30, seed=4).edges()]
    solution = solve(matchings(edges), backend=backend)
    assert_proven(solution, Fraction(1, 7))


def assert_proven(solution, value):
    assert (solution.status, solution.value) == ("optimal", value)
    assert solution.bound.proof == "combinatorial"
    assert solution.figures["beta"] == 1 / value


@pytest.mark.parametrize("seed", range(4))
def test_bipartite_matchings_have_the_largest_degree(seed):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 8, 30).tolist(), rng.integers(0, 8, 30).tolist()
    solution = solve(bipartite_matchings(left, right))
    assert_proven(solution, Fraction(1, max(np.bincount(left).max(), np.bincount(right).max())))
    assert solution.figures["rank"] is not None
    assert solution.figures["gamma"] == solution.figures["beta"]


def test_weights_prove_where_no_set_does():
    """Maximal sets 012, 03, 13, 23: weights 1, 1, 1, 2 show 5/3, no set shows more than 3/2."""
    parts = [([k, j, 3], Uniform.of(3, 2)) for k, j in ((0, 1), (0, 2), (1, 2))]
    solution = solve(Matchoid.of(4, parts))
    plain = Plain(solution.source.to_json())
    assert plain.density() == Fraction(3, 2)
    assert (solution.status, solution.value) == ("optimal", Fraction(3, 5))
    assert solution.bound.data == {"rule": "weights", "weights": [1, 1, 1, 2]}
    assert solution.figures["beta"] == Fraction(5, 3)
    assert solution.figures["gamma"] is None
    assert fairopt.verify(solution.source, solution).ok


def test_circuits_are_separated_in_parts_that_do_not_count():
    edges = [list(e) for e in nx.complete_graph(5).edges()]
    graph, colors = Graphic.of(edges), Partition.of([k % 3 for k in range(10)], [2, 1, 1])
    both = Matchoid.of(10, [(range(10), graph), (range(10), colors)])
    pricing = Pricing(both, "highs")
    feasible = Plain(OnlineSelection(both).to_json()).good
    rng = np.random.default_rng(0)
    for _ in range(10):
        weights = rng.integers(0, 9, 10).tolist()
        found = pricing.heaviest(weights, Run())
        best = max(sum(weights[e] for e in s) for s in feasible)
        assert found.weight == found.bound == best


def test_cover_by_parts_is_the_rank_of_bipartite_matchings():
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 9, 25).tolist(), rng.integers(0, 9, 25).tolist()
    matroid = bipartite_matchings(left, right)
    most, parts = cover_by_parts(matroid, np.arange(25), Run())
    graph = nx.Graph([((0, u), (1, v)) for u, v in zip(left, right, strict=True)])
    assert most == len(nx.max_weight_matching(graph, maxcardinality=True))
    assert set(parts) <= {0, 1}


def test_rational_lottery_is_the_vertex():
    sets = [(0, 1), (1, 2), (0, 2)]
    exact = solve_lottery(sets, np.array([1, 1, 1]) / 3, 3)
    assert exact.least == Fraction(2, 3)
    assert {p for _, p in exact.draws} == {Fraction(1, 3)}
    loose = solve_lottery([(0,), (0,), (1,)], np.array([0.25, 0.25, 0.5]), 2)
    assert loose.least == HALF


def test_small_weights():
    assert small_weights(np.array([0.25, 0.5, 0.25])) == [1, 2, 1]
    assert small_weights(np.array([0.2, 0.0, 0.3])) == [2, 0, 3]


def test_matchoid_without_time_still_answers():
    problem = OnlineSelection(matchings([list(e) for e in nx.complete_graph(8).edges()]))
    run = Run(time_limit=0, minimize=False)
    outcome = solve_matchoid(problem, problem.matroid, list(range(28)), run, "highs")
    assert outcome.bound.value == 1
    assert outcome.answer.lottery
