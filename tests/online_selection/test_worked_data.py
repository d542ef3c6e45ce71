"""The shipped instances are what they say: worked examples by enumeration, graphs by count."""

import itertools
import math
from fractions import Fraction

import networkx as nx
import pytest

import fairopt
from fairopt.problems.online_selection import OnlineSelection, Selection
from fairopt.problems.online_selection.guarantees import (
    paper_levels,
    tight_levels,
    tight_levels_matchoid,
)
from fairopt.problems.online_selection.proofs_guarantees import degeneracy_of
from fairopt.problems.online_selection.rank import rank
from fairopt.problems.online_selection.replay import replay
from online_selection.brute_online import Plain, forest

WORKED = ("w1", "w2", "w3", "w4", "w5", "w6", "w6_rational", "w7")
GRAPHS = {
    "karate": nx.karate_club_graph,
    "les_miserables": nx.les_miserables_graph,
    "davis": nx.davis_southern_women_graph,
    "florentine": nx.florentine_families_graph,
    "petersen": nx.petersen_graph,
    "k10": lambda: nx.complete_graph(10),
}


@pytest.fixture
def shipped(request):
    folder = request.config.rootpath / "instances" / "online_selection"
    return lambda name, **read: fairopt.load(folder / name, **read)


@pytest.mark.parametrize("name", WORKED)
def test_worked_example(shipped, name):
    problem = shipped(f"{name}.json")
    plain, expected = Plain(problem.to_json()), problem.meta.expected
    gamma, k = plain.density(), rank(problem.matroid)
    assert k == plain.rank[frozenset(range(plain.n))] == expected["rank"]
    assert gamma == Fraction(expected.get("gamma") or expected["densest"])
    assert 1 / gamma == Fraction(expected["min-prob"])
    fewest = expected.get("alpha") or expected["fewest matchings that cover"]
    assert plain.alpha() == fewest == math.ceil(gamma)
    if "first-fit colors" in expected:
        assert plain.first_fit() == expected["first-fit colors"]
    if "most colors over all orders" in expected:
        orders = itertools.permutations(range(plain.n))
        assert (
            max(max(plain.first_fit(o)) for o in orders) == expected["most colors over all orders"]
        )
    if "random order greedy" in expected:
        assert plain.random_greedy() == [Fraction(p) for p in expected["random order greedy"]]
    p = 1 if problem.is_matroid else problem.matroid.p
    if "levels paper" in expected:
        alpha = Fraction(plain.alpha()) if problem.is_matroid else gamma
        assert paper_levels(alpha, k, p) == expected["levels paper"]
    if "levels tight" in expected:
        assert tight_levels(gamma, k) == expected["levels tight"]
    for key, chances in expected.items():
        if key.startswith("degeneracy"):
            d, q = (part.partition("=")[2] for part in key.split()[1:])
            rule = {"name": "degeneracy", "degeneracy": int(d), "q": q}
            answer = Selection.estimated([0] * plain.n, 1, rule=rule)
            found = problem.check(answer, figures="all").figures["exact_probabilities"]
            assert list(found) == [Fraction(p) for p in chances]


def test_tight_levels_of_the_cycle_matching(shipped):
    assert tight_levels_matchoid(Fraction(5, 2), 2, 2) == 5  # first-fit uses at most 3


def test_densest_set_of_the_binary_matroid(shipped):
    plain = Plain(shipped("w6.json").to_json())
    assert sorted(plain.densest()) == [0, 1, 2]


def test_laminar_colors(shipped):
    problem = shipped("w5.json")
    colors = problem.meta.expected["laminar colors"]
    order = problem.order.tolist()
    for color in range(1, 6):
        coins = {"rule": "laminar", "color": color, "colors": 5}
        assert replay(problem, order, coins) == {e for e in range(6) if colors[e] == color}


def test_loops(shipped):
    problem = shipped("loops.json")
    assert problem.loops == (1,)
    assert [note.code for note in problem.notes()] == ["loops"]


@pytest.mark.parametrize("name", GRAPHS)
def test_known_graph(shipped, name):
    problem, graph = shipped(f"{name}.json"), GRAPHS[name]()
    expected, matroid = problem.meta.expected, problem.matroid
    assert matroid.edges == list(graph.edges())
    gamma, k = Fraction(expected["gamma"]), rank(matroid)
    assert k == graph.number_of_nodes() - nx.number_connected_components(graph) == expected["rank"]
    assert degeneracy_of(matroid) == max(nx.core_number(graph).values()) == expected["degeneracy"]
    assert math.ceil(gamma) == expected["alpha"]
    assert 1 / gamma == Fraction(expected["min-prob"])
    assert paper_levels(Fraction(expected["alpha"]), k) == expected["levels paper"]
    assert tight_levels(gamma, k) == expected["levels tight"]
    levels = []
    for edge in graph.edges():
        level = next((f for f in levels if forest([*f, edge])), None)
        if level is None:
            levels.append([edge])
        else:
            level.append(edge)
    assert len(levels) == expected["first-fit colors used"]
    assert "NetworkX" in problem.meta.licence


def test_grid(shipped):
    problem = shipped("grid20.csv", problem="online-selection")
    expected = [(20 * a + b, 20 * c + d) for (a, b), (c, d) in nx.grid_2d_graph(20, 20).edges()]
    assert problem.matroid.edges == expected
    assert (rank(problem.matroid), degeneracy_of(problem.matroid)) == (399, 2)
    assert paper_levels(Fraction(2), 399) == 14
    assert tight_levels(Fraction(40, 21), 399) == 9
    whole = problem.recompute({"rule": "densest-set", "set": list(range(760))})
    assert whole == Fraction(399, 760) == Fraction(21, 40)


def test_classes_for_direct_use():
    from fairopt.problems.online_selection.matroids import Graphic, matchings

    problem = OnlineSelection(
        Graphic.of([("a", "b"), ("b", "c"), ("a", "c")]), labels=["x", "y", "z"]
    )
    assert problem.name_of(1) == "y"
    assert problem.size() == {"elements": 3, "vertices": 3}
    matching = OnlineSelection(matchings([("a", "b"), ("b", "c"), ("c", "c")]))
    assert matching.loops == (2,)
    assert not matching.is_matroid
