"""The exact methods against worked examples and enumeration, on every backend."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

import fairopt
from fair_clustering import brute
from fair_clustering.examples import EXAMPLES
from fairopt.errors import UsageError

BACKENDS = ("highs", "cp-sat", "cbc")
LISTED = ("points", "candidates", "fixed")
FEW = settings(max_examples=max(1, settings().max_examples // 3))  # of each of many cases


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_example(name, backend):
    content, value = EXAMPLES[name]
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "exact", backend=backend)
    assert solution.status == ("infeasible" if value is None else "optimal")
    assert solution.value == (None if value is None else pytest.approx(value, rel=1e-12, abs=1e-12))
    assert fairopt.verify(problem, solution).ok


def equals_enumeration(content, backend="highs"):
    """Assert that ``exact`` finds what enumeration finds, with a status that says so."""
    problem = fairopt.load(content)
    best = brute.best(content)
    try:
        solution = fairopt.solve(problem, "exact", backend=backend)
    except UsageError:  # CP-SAT takes no rows that no power of two makes whole
        if backend != "cp-sat" or "weights" not in content:
            raise
        return
    assert solution.status == ("infeasible" if best is None else "optimal")
    if best is not None:
        assert solution.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert fairopt.verify(problem, solution).ok


@pytest.mark.parametrize("choice", brute.CHOICES)
@pytest.mark.parametrize("condition", brute.CONDITIONS)
def test_kmeans_equals_enumeration(condition, choice):
    @FEW
    @given(brute.contents(condition, choice))
    def holds(content):
        equals_enumeration(content)

    holds()


@pytest.mark.parametrize("choice", LISTED)
@pytest.mark.parametrize("condition", brute.CONDITIONS)
def test_kcenter_equals_enumeration(condition, choice):
    @FEW
    @given(brute.contents(condition, choice, "kcenter"))
    def holds(content):
        equals_enumeration(content)

    holds()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("condition", brute.CONDITIONS)
def test_0_1_program_equals_enumeration(condition, backend, monkeypatch):
    """Without the linear program in front, which often settles it: every backend has to work."""
    from fairopt_solvers.fair_clustering import exact

    monkeypatch.setattr(exact, "MOST_SHARES", 0)
    monkeypatch.setattr(exact, "is_paired", lambda problem: False)

    @FEW
    @given(brute.contents(condition, objective="kmedian"))
    def holds(content):
        assume(content.get("centers") != "free")
        equals_enumeration(content, backend)

    holds()


@given(brute.contents("strict", "fixed", "kmedian"))
def test_flow_equals_enumeration(content):
    from fairopt_solvers.fair_clustering import exact

    n = len(content["points"]) // 2 * 2
    if not n:
        return
    content = {k: v for k, v in content.items() if k != "weights"}
    content |= {"points": content["points"][:n], "groups": ["a", "b"] * (n // 2)}
    content["allow_empty"] = True
    problem = fairopt.load(content)
    assert exact.is_paired(problem)
    flow = exact.paired_flow(problem, exact.site_costs(problem, None), exact.Run())
    best = brute.best(content)
    paid = brute.costs(content, flow.labels[None, :], content["k"])[0]
    assert brute.fair(content, flow.labels[None, :], content["k"])[0]
    assert paid == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert flow.bound <= best * (1 + 1e-12)
    assert flow.bound == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("backend", BACKENDS)
def test_scale_does_not_change_the_answer(scale, backend):
    """Backends ignore improvements below 1e-6: costs are divided by their mean first."""
    content, value = EXAMPLES["I"]
    points = [[x * scale for x in point] for point in content["points"]]
    centers = [[x * scale for x in point] for point in content["centers"]]
    problem = fairopt.load({**content, "points": points, "centers": centers})
    solution = fairopt.solve(problem, "exact", backend=backend)
    assert solution.value == pytest.approx(value * scale**2, rel=1e-9)
    assert solution.status == "optimal"


def test_far_from_the_origin():
    content, value = EXAMPLES["B1"]
    points = [[x + 1e8 for x in point] for point in content["points"]]
    near = fairopt.solve(fairopt.load(content), "exact")
    far = fairopt.solve(fairopt.load({**content, "points": points}), "exact")
    assert far.answer_json["labels"] == near.answer_json["labels"]
    assert far.value == pytest.approx(value, rel=1e-6)


def test_cp_sat_states_its_scale():
    """Costs that are not whole are rounded down, and the bound says at which scale."""
    content, _ = EXAMPLES["I"]
    thirds = {key: [[x / 3] for (x,) in content[key]] for key in ("points", "centers")}
    problem = fairopt.load({**content, **thirds})
    solution = fairopt.solve(problem, "exact", backend="cp-sat")
    assert solution.bound.data["scale"] > 2**20
    assert float(solution.bound.value) <= solution.value
    assert solution.status == "optimal"


def test_the_gap_is_searched_and_others_are_subsets():
    """Sixteen points, fourteen with a gap; the clusters of more are refused, by name."""
    points = np.random.default_rng(3).normal(size=(16, 2)).tolist()
    groups = list("ab" * 8)
    base = {"problem": "fair-clustering", "points": points, "groups": groups, "k": 3}
    strict = {**base, "fairness": {"type": "proportional", "rounding": "strict"}}
    solution = fairopt.solve(fairopt.load(strict), "exact")
    assert solution.status == "optimal"
    gap = {**base, "fairness": {"type": "gap", "epsilon": 0}}
    with pytest.raises(UsageError, match="at most 14 points"):
        fairopt.solve(fairopt.load(gap), "exact")
    small = {**strict, "points": points[:12], "groups": groups[:12]}
    zero = fairopt.solve(fairopt.load({**small, "fairness": gap["fairness"]}), "exact")
    same = fairopt.solve(fairopt.load(small), "exact")
    assert zero.value == pytest.approx(same.value, rel=1e-12)  # a gap of 0 is strict
    assert zero.status == same.status == "optimal"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"objective": "kmedian", "centers": "free"}, "no exact method for kmedian"),
        ({"fairness": {"type": "proportional", "rounding": "soft"}}, "no exact method for soft"),
        ({"fairness": {"type": "socially-fair"}}, "does not serve"),
    ],
)
def test_refusals_name_what_stands_in_the_way(changes, words):
    problem = fairopt.load({**EXAMPLES["A1"][0], **changes})
    with pytest.raises(UsageError, match=words):
        fairopt.solve(problem, "exact")


def test_single_cluster_is_said():
    solution = fairopt.solve(fairopt.load(EXAMPLES["B4"][0]), "exact")
    assert "single-cluster" in [note.code for note in solution.notes]
    assert len(set(solution.answer_json["labels"])) == 1
