"""Degenerate and bad instances: each is accepted as documented, or refused naming the field."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import fairopt
from fairopt.errors import InstanceError, UsageError
from fairopt.files import parse_json
from fairopt.problems.online_selection import OnlineSelection, Selection
from fairopt.problems.online_selection.axioms import ALL_CIRCUITS
from fairopt.problems.online_selection.listed import Bases, Circuits, is_prime
from fairopt.problems.online_selection.problem import Arrival, Information


def content(kind="uniform", n=3, more=None, **matroid):
    if kind == "uniform":
        matroid = {"rank": 2, **matroid}
    return {"n_elements": n, "matroid": {"type": kind, **matroid}, **(more or {})}


def sets(*pairs, n=4):
    rows = [{"name": f"s{k}", "elements": list(e), "capacity": c} for k, (e, c) in enumerate(pairs)]
    return content("laminar", n, sets=rows)


def linear(field, *columns):
    return content("linear", len(columns), field=field, columns=list(columns))


def part(elements, **matroid):
    return content("matchoid", 3, parts=[{"elements": elements, "matroid": matroid}])


EDGES = [[0, 1], [1, 2], [0, 2]]
BAD = {
    "crossing sets": (
        sets(([0, 1], 1), ([1, 2], 1)),
        "matroid.sets: 's0' and 's1' cross: neither nested nor disjoint",
    ),
    "crossing sets of three sizes": (
        sets(([0, 1, 2], 1), ([0, 1, 2, 3], 2), ([2, 3], 1)),
        "matroid.sets: 's0' and 's2' cross",
    ),
    "set name twice": (
        content("laminar", 2, sets=[{"name": "a", "elements": [k], "capacity": 1} for k in (0, 1)]),
        "matroid.sets[1].name: 'a' is given twice",
    ),
    "element twice in a set": (
        sets(([0, 0], 1)),
        "matroid.sets[0].elements[1]: element 0 is given twice",
    ),
    "element out of range": (
        sets(([0, 4], 1)),
        "matroid.sets[0].elements[1]: no element 4; elements are 0 to 3",
    ),
    "negative capacity of a set": (
        sets(([0], -1)),
        "matroid.sets[0].capacity: expected at least 0, got -1",
    ),
    "order too short": (
        content(more={"arrival": {"order": [0, 1]}}),
        "arrival.order: expected a permutation of 0 to 2, got 2 entries",
    ),
    "order with a repetition": (
        content(more={"arrival": {"order": [0, 1, 1]}}),
        "arrival.order: expected a permutation; element 1 comes twice, 2 never",
    ),
    "order out of range": (
        content(more={"arrival": {"order": [0, 1, 3]}}),
        "arrival.order[2]: no element 3; elements are 0 to 2",
    ),
    "order of texts": (
        content(more={"arrival": {"order": ["a"]}}),
        "arrival.order[0]: expected int",
    ),
    "unknown arrival": (
        content(more={"arrival": {"model": "sorted"}}),
        "arrival.model: unknown value 'sorted'; choose from fixed, adversarial, random",
    ),
    "unknown information": (
        content(more={"information": {"model": "all"}}),
        "information.model: unknown value 'all'; choose from known, parameters, oblivious, random",
    ),
    "alpha 0": (
        content(more={"information": {"alpha": 0}}),
        "information.alpha: expected at least 1, got 0",
    ),
    "alpha no integer": (
        content(more={"information": {"alpha": Decimal("1.5")}}),
        "information.alpha",
    ),
    "beta too small": (
        content(more={"information": {"beta": "1/2"}}),
        "information.beta: expected at least 1, got 1/2",
    ),
    "rank too large": (
        content(more={"information": {"rank": 4}}),
        "information.rank: expected 0 to 3 (n_elements), got 4",
    ),
    "decimal over Q": (
        linear("Q", [1, Decimal("0.5")], [0, 1]),
        "matroid.columns[0][1]: use integers or p/q strings, got 0.5",
    ),
    "float over Q": (
        linear("Q", [1.0], [2]),
        "matroid.columns[0][0]: use integers or p/q strings, got 1.0",
    ),
    "NaN over Q": (
        linear("Q", [float("nan")], [2]),
        "matroid.columns[0][0]: use integers or p/q strings, got nan",
    ),
    "decimal text over Q": (
        linear("Q", ["1.5"], [2]),
        "matroid.columns[0][0]: use integers or p/q strings, got '1.5'",
    ),
    "division by zero": (linear("Q", ["1/0"], [2]), "matroid.columns[0][0]: division by zero"),
    "float mod p": (
        linear(2, [1, 0.5], [0, 1]),
        "matroid.columns[0][1]: expected an integer (taken mod 2), got 0.5",
    ),
    "NaN mod p": (linear(2, [float("nan")]), "matroid.columns[0][0]: expected an integer"),
    "true mod p": (linear(2, [True]), "matroid.columns[0][0]: expected an integer"),
    "composite field": (
        linear(91, [1]),
        'matroid.field: expected a prime below 2^31 or "Q", got 91',
    ),
    "field 1": (linear(1, [1]), "matroid.field: expected a prime"),
    "field R": (linear("R", [1]), "matroid.field: expected a prime or \"Q\", got 'R'"),
    "huge field": (linear(2**31 + 11, [1]), "matroid.field: expected a prime below 2^31"),
    "ragged columns": (
        linear(2, [1, 0], [1]),
        "matroid.columns[1]: expected 2 entries as in columns[0], got 1",
    ),
    "bases of unequal size": (
        content("bases", bases=[[0], [1, 2]]),
        "matroid.bases: all bases have the same size: bases[1] has 2 elements, bases[0] has 1",
    ),
    "bases without exchange": (
        content("bases", 4, bases=[[0, 1], [2, 3]]),
        "matroid.bases: exchange fails: bases[",
    ),
    "no bases": (content("bases", bases=[]), "matroid.bases: a matroid has at least one base"),
    "base twice": (
        content("bases", bases=[[0, 1], [1, 0]]),
        "matroid.bases[1]: is the same set as matroid.bases[0]",
    ),
    "element twice in a base": (
        content("bases", bases=[[1, 1]]),
        "matroid.bases[0][1]: element 1 is given twice",
    ),
    "nested circuits": (
        content("circuits", circuits=[[0, 1], [0, 1, 2]]),
        "matroid.circuits: circuits[1] contains circuits[0]",
    ),
    "circuits without elimination": (
        content("circuits", circuits=[[0, 1], [1, 2]]),
        "matroid.circuits: elimination fails: no circuit inside circuits[0] and circuits[1] avoids"
        " their common element 1",
    ),
    "empty circuit": (content("circuits", circuits=[[]]), "matroid.circuits[0]: a circuit is not"),
    "negative rank": (content(rank=-1), "matroid.rank: expected at least 0, got -1"),
    "huge rank": (content(rank=2**63), "matroid.rank: expected"),
    "negative block capacity": (
        content("partition", blocks=[0, 0, 1], capacities=[1, -1]),
        "matroid.capacities[1]: expected at least 0, got -1",
    ),
    "unknown block": (
        content("partition", blocks=[0, 2, 1], capacities=[1, 1]),
        "matroid.blocks[1]: no block 2; there are 2 capacities",
    ),
    "negative block": (
        content("partition", blocks=[0, -1, 1], capacities=[1, 1]),
        "matroid.blocks[1]: expected at least 0, got -1",
    ),
    "too few blocks": (
        content("partition", blocks=[0, 0], capacities=[1]),
        "matroid.blocks: expected 3 blocks (one for each element), got 2",
    ),
    "too few edges": (
        content("graphic", 4, edges=EDGES),
        "matroid.edges: expected 4 edges (one for each element), got 3",
    ),
    "edge with three ends": (
        content("graphic", edges=[[0, 1], [1, 2, 3], [0, 2]]),
        "matroid.edges[1]: expected array of length",
    ),
    "vertices of two kinds": (
        content("graphic", edges=[[0, 1], ["1", 2], [0, 2]]),
        "matroid.edges[1]: expected all integers or all texts as vertices, got '1'",
    ),
    "vertex is a number": (
        content("graphic", edges=[[0, 1], [Decimal("1.5"), 2], [0, 2]]),
        "matroid.edges[1][0]: expected int | str",
    ),
    "vertex is true": (
        content("graphic", edges=[[True, 1], EDGES[1], EDGES[2]]),
        "matroid.edges[0][0]",
    ),
    "neighbour twice": (
        content("transversal", 2, neighbors=[[0], [1, 1]]),
        "matroid.neighbors[1]: neighbour 1 is given twice",
    ),
    "neighbours of two kinds": (
        content("transversal", 2, neighbors=[[0], ["a"]]),
        "matroid.neighbors: expected all integers or all texts",
    ),
    "part out of range": (
        part([0, 3], type="uniform", rank=1),
        "matroid.parts[0].elements[1]: no element 3",
    ),
    "part with a repetition": (
        part([0, 0], type="uniform", rank=1),
        "matroid.parts[0].elements[1]: element 0 is given twice",
    ),
    "part of the wrong size": (
        part([0, 1], type="graphic", edges=EDGES),
        "matroid.parts[0].matroid.edges: expected 2 edges (one for each element), got 3",
    ),
    "local index in a part": (
        part([1, 2], type="bases", bases=[[2]]),
        "matroid.parts[0].matroid.bases[0][0]: no element 2; elements are 0 to 1",
    ),
    "unknown kind in a part": (
        part([0], type="gamma"),
        "matroid.parts[0].matroid.type: unknown value",
    ),
    "matchoid in a part": (
        part([0], type="matchoid", parts=[]),
        "matroid.parts[0].matroid.type: a part is a matroid, no matchoid",
    ),
    "unknown kind": (
        content("greedoid"),
        "matroid.type: unknown value 'greedoid'; choose from uniform, partition, laminar, graphic",
    ),
    "no kind": ({"n_elements": 1, "matroid": {}}, "matroid.type: the key is missing"),
    "no matroid": ({"n_elements": 1}, "matroid: the key is missing"),
    "unknown key of a kind": (content(size=2), "matroid.size: unknown key"),
    "unknown key": (content(more={"elements": 3}), "elements: unknown key"),
    "seed in arrival": (content(more={"arrival": {"seed": 1}}), "arrival.seed: unknown key"),
    "number of elements unknown": (
        {"matroid": {"type": "uniform", "rank": 1}},
        "n_elements: the key is missing",
    ),
    "negative number of elements": (content(n=-1), "n_elements: expected at least 0, got -1"),
    "too many labels": (
        content(more={"labels": ["a"]}),
        "labels: expected 3 labels (n_elements), got 1",
    ),
    "label twice": (content(more={"labels": ["a", "b", "a"]}), "labels[2]: 'a' is given twice"),
    "label is true": (content(more={"labels": ["a", "b", True]}), "labels[2]: expected"),
    "negative weight": (
        content(more={"weights": [1, -1, 0]}),
        "weights[1]: expected at least 0, got -1",
    ),
    "NaN weight": (
        content(more={"weights": [1, float("nan"), 0]}),
        "weights[1]: expected a finite",
    ),
    "too few weights": (content(more={"weights": [1]}), "weights: expected 3 weights"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_bad_instance_names_the_field(data, message):
    with pytest.raises(InstanceError) as caught:
        OnlineSelection.from_json(data)
    assert str(caught.value).startswith(message)


def test_nan_is_no_json():
    with pytest.raises(InstanceError, match="NaN"):
        parse_json(b'{"weights": [NaN]}')


def test_primes():
    small = [p for p in range(400) if all(p % k for k in range(2, p)) and p > 1]
    assert [p for p in range(400) if is_prime(p)] == small
    assert is_prime(2**31 - 1)
    assert not is_prime(3_215_031_751)


def none_accepted(problem):
    return problem.check(Selection.colors([0] * problem.n_elements, [Fraction(1)]))


LOOPS = {
    "capacity 0": (content("partition", blocks=[0, 1, 0], capacities=[0, 1]), [0, 2]),
    "capacity 0 of a set": (sets(([0, 1], 0), ([0, 1, 2], 2)), [0, 1]),
    "rank 0": (content(rank=0), [0, 1, 2]),
    "self-loop": (content("graphic", edges=[[0, 1], [1, 1], [0, 2]]), [1]),
    "bridge": (content("cographic", 4, edges=[*EDGES, [2, 3]]), [3]),
    "self-loop of the dual": (content("cographic", edges=[[0, 0], [0, 1], [0, 1]]), []),
    "zero column": (linear(2, [1, 0], [2, 4]), [1]),
    "zero column over Q": (linear("Q", [1, 0], ["0/5", 0]), [1]),
    "isolated left vertex": (content("transversal", neighbors=[[0], [], [0]]), [1]),
    "in no base": (content("bases", bases=[[0], [2]]), [1]),
    "single circuit": (content("circuits", circuits=[[1]]), [1]),
    "loop of a part": (part([1, 2], type="uniform", rank=0), [1, 2]),
}


@pytest.mark.parametrize(("data", "loops"), LOOPS.values(), ids=LOOPS)
def test_loops_are_defined(data, loops):
    problem = OnlineSelection.from_json(data)
    assert list(problem.loops) == loops
    check = none_accepted(problem)
    assert not check.violations
    assert check.figures["loops"] == loops
    assert check.value == 0
    if loops:
        assert check.figures["gamma"] is None
        assert check.figures["restricted"]["elements"] == problem.n_elements - len(loops)
        assert problem.recompute({"rule": "loop", "element": loops[0]}) == 0
        assert problem.recompute({"rule": "densest-set", "set": loops}) == 0
    else:
        assert check.figures["restricted"] is None


def test_loopless_part_is_reported():
    problem = OnlineSelection.from_json(
        content("graphic", 4, edges=[[0, 1], [3, 3], [0, 2], [1, 2]])
    )
    third = Fraction(1, 3)
    pairs = [([0, 2], third), ([0, 3], third), ([2, 3], third)]
    check = problem.check(Selection.draws(pairs, densest=[0, 2, 3]))
    assert not check.violations
    assert check.value == 0
    restricted = check.figures["restricted"]
    assert restricted["min_prob"] == Fraction(2, 3)
    assert restricted["gamma"] == Fraction(3, 2)
    assert restricted["alpha"] == 2
    assert restricted["ratio_to_offline"] == 1
    assert check.figures["ratio_to_offline"] is None


def test_empty_ground_set():
    for matroid in (
        {"type": "uniform", "rank": 2},
        {"type": "graphic", "edges": []},
        {"type": "matchoid", "parts": []},
        {"type": "bases", "bases": [[]]},
    ):
        problem = OnlineSelection.from_json({"n_elements": 0, "matroid": matroid})
        check = problem.check(Selection.draws([([], Fraction(1))]))
        assert not check.violations
        assert check.value is None
        figures = check.figures
        assert (figures["rank"], figures["alpha"], figures["gamma"]) == (0, 0, 0)
        assert figures["min_prob"] is None
        assert problem.recompute({"rule": "empty"}) is None


def test_single_element_and_free_matroid():
    for data in (content(n=1), content(rank=5), content("circuits", circuits=[])):
        problem = OnlineSelection.from_json(data)
        everything = Selection.draws([(range(problem.n_elements), Fraction(1))], densest=[0])
        check = problem.check(everything)
        assert check.value == 1
        assert check.figures["gamma"] == 1
        assert problem.recompute({"rule": "trivial"}) == 1


def test_equal_sets_the_smaller_capacity_binds():
    problem = OnlineSelection.from_json(sets(([0, 1], 2), ([0, 1], 1)))
    assert problem.check(Selection.colors([1, 1, 1, 1], [Fraction(1)])).violations
    assert not problem.check(Selection.colors([1, 0, 1, 1], [Fraction(1)])).violations


def test_many_sets_are_checked_on_a_sample_and_the_problem_says_so():
    parallel = list(itertools.combinations(range(26), 2))  # a uniform matroid of rank 1
    assert len(parallel) > ALL_CIRCUITS
    problem = OnlineSelection(Circuits.of(26, parallel))
    assert [note.code for note in problem.notes()] == ["defaults", "sampled-axioms"]
    few = [c for c in parallel if max(c) < 10]
    assert not Circuits.of(10, few).sampled


def test_exchange_is_checked_in_full_for_thousands_of_bases():
    bases = list(itertools.combinations(range(16), 5))  # 4,368
    assert not Bases.of(16, bases).sampled
    with pytest.raises(InstanceError, match="exchange fails"):
        Bases.of(16, [b for b in bases if b not in {(0, 1, 2, 3, k) for k in range(5, 16)}])


def test_settings():
    problem = OnlineSelection.from_json(content("graphic", edges=EDGES))
    other = problem.replace(**{"information.beta": "3/2", "arrival.order": [2, 0, 1]})
    assert other.information.beta == Fraction(3, 2)
    assert other.order.tolist() == [2, 0, 1]
    assert other.digest() != problem.digest()
    assert other.meta.origin.set == {"information.beta": "3/2", "arrival.order": [2, 0, 1]}
    with pytest.raises(UsageError, match="no field 'alpha'"):
        problem.replace(alpha=2)
    with pytest.raises(InstanceError, match=r"information\.model: unknown value"):
        problem.replace(**{"information.model": "everything"})


def test_underscores_and_hyphens_mean_the_same():
    data = content(more={"arrival": {"model": "fixed"}})
    assert OnlineSelection.from_json({**data, "objective": "min_prob"}).objective.name == "min-prob"


def test_library_gets_the_same_words():
    problem = OnlineSelection.from_json(content())
    with pytest.raises(InstanceError, match=r"arrival\.order"):
        OnlineSelection(problem.matroid, arrival=Arrival("fixed", np.array([0, 0, 1])))
    with pytest.raises(InstanceError, match=r"information\.rank"):
        OnlineSelection(problem.matroid, information=Information(rank=9))


def test_answers_that_are_no_answers():
    problem = OnlineSelection.from_json(content())
    for data in (7, {}, {"kind": "lottery"}, {"kind": "coloring", "coloring": [1], "law": ["1"]},
                 {"kind": "coloring", "coloring": [1, 2, True], "law": ["1"]},
                 {"kind": "lottery", "lottery": [{"set": [0, 0], "probability": "1"}]},
                 {"kind": "lottery", "lottery": [{"set": [9], "probability": "1"}]},
                 {"kind": "lottery", "lottery": [{"set": [0], "probability": 0.5}]},
                 {"kind": "lottery", "lottery": [], "densest": []},
                 {"kind": "estimate", "estimate": {"counts": [1, 1, 9], "runs": 5}},
                 {"kind": "estimate", "estimate": {"counts": [1, 1, 1], "runs": 0}},
                 {"kind": "run", "run": {"accepted": [], "order": [0], "coins": 1}}):  # fmt: skip
        with pytest.raises(InstanceError, match=r"^answer"):
            problem.answer_from_json(data)


def test_generators_refuse_what_they_cannot_make():
    with pytest.raises(UsageError, match="edges"):
        fairopt.generate("online-selection", "random-graph", vertices=3, edges=4)
    with pytest.raises(UsageError, match="graph"):
        fairopt.generate("online-selection", "named-graph", graph="moebius")
