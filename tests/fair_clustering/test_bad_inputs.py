"""The table of bad and degenerate inputs: what is refused names its field."""

from fractions import Fraction

import numpy as np
import pytest

import fairopt
from fair_clustering.examples import FLOOR, LINE, NONE, SOFT, STRICT, content
from fairopt import InstanceError

BAD = [
    (content([], ""), "points"),
    (content([[], []], "ab"), "points"),
    (content(LINE, "rrbbbb", k=0), "k"),
    (content(LINE, "rrbbbb", k=2.5), "k"),
    (content(LINE, "rrbbbb", k=True), "k"),
    (content(LINE, "rrbbbb", k=7, allow_empty=False), "k"),
    (content([[0], [float("nan")]], "ab"), "points[1]"),
    (content([[0], [1, 2]], "ab"), "points[1]"),
    (content([[0], ["x"]], "ab"), "points[1]"),
    (content(LINE, "rrbbbb", weights=[1, 1, 1, 1, 1, 0], fairness=SOFT), "weights[5]"),
    (content(LINE, "rrbbbb", weights=[1, 1], fairness=SOFT), "weights"),
    (content(LINE, "rrb"), "groups"),
    (content(LINE, ["r", "r", "b", "b", "b", None]), "groups[5]"),
    (content(LINE, {"sex": ["r", "r", "b", "b", "b", 1.5]}), "groups.sex[5]"),
    (content(LINE, "rrbbbb", weights=[2] * 6, fairness=FLOOR), "fairness.rounding"),
    (content(LINE, "rrbbbb", {"type": "gap", "epsilon": 1.5}), "fairness.epsilon"),
    (content(LINE, "rrbbbb", {"type": "gap"}), "fairness.epsilon"),
    (content(LINE, "rrbbbb", {"type": "balance", "min_balance": -1}), "fairness.min_balance"),
    (content(LINE, "rrbbbb", {"type": "bounds", "delta": 1}), "fairness.delta"),
    (content(LINE, "rrbbbb", {"type": "strict"}), "fairness.type"),
    (content(LINE, "rrbbbb", {"type": "none", "epsilon": 0.1}), "fairness.epsilon"),
    (
        content(LINE, "rrbbbb", {"type": "bounds", "lower": {"group": {"x": 0.5}}}),
        "fairness.lower.group.x",
    ),
    (
        content(LINE, "rrbbbb", {"type": "bounds", "upper": {"sex": {"r": 0.5}}}),
        "fairness.upper.sex",
    ),
    (
        content(LINE, "rrbbbb", {"type": "bounds", "delta": 0, "lower": {"group": {"r": 0}}}),
        "fairness.delta",
    ),
    (content(LINE, "rrbbbb", centers=[[0], [1], [2]]), "centers"),
    (content(LINE, "rrbbbb", centers=[[0, 1], [1, 1]]), "centers"),
    (content(LINE, "rrbbbb", centers="middle"), "centers"),
    (content(LINE, "rrbbbb", candidates=[]), "candidates"),
    (content(LINE, "rrbbbb", metric="euclidean"), "metric"),
    (content(LINE, "rrbbbb", metric="sqeuclidean", objective="kmedian"), "metric"),
    (content(LINE, "rrbbbb", preprocess=["scale"]), "preprocess[0]"),
    (content(LINE, "rrbbbb", colour="red"), "colour"),
    ({"problem": "fair-clustering", "k": 2}, "points"),
    ({"problem": "fair-clustering", "k": 2, "distances": [[0, -1]]}, "distances[0]"),
    ({"problem": "fair-clustering", "k": 2, "distances": [[0, 1], [1, 0]],
      "centers": "free"}, "centers"),
    ({"problem": "fair-clustering", "k": 2, "distances": [[0, 1, 1], [1, 0, 1]],
      "centers": "points"}, "centers"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "where"), BAD, ids=[f"{k}-{w}" for k, (_, w) in enumerate(BAD)])
def test_bad_input_names_its_field(data, where):
    with pytest.raises(InstanceError) as caught:
        fairopt.load(data)
    assert caught.value.where == where


IMPOSSIBLE = [
    ({"type": "bounds", "lower": {"group": {"r": 0.5}}}, "lower-above-share", "1/3"),
    ({"type": "bounds", "upper": {"group": {"b": 0.5}}}, "upper-below-share", "2/3"),
    (
        {"type": "bounds", "lower": {"group": {"r": 0.3}}, "upper": {"group": {"r": 0.2}}},
        "lower-above-upper", "3/10",
    ),
    ({"type": "bounds", "lower": {"group": {"r": 0.6, "b": 0.6}}}, "lower-sum", "6/5"),
    ({"type": "bounds", "upper": {"group": {"r": 0.4, "b": 0.4}}}, "upper-sum", "4/5"),
    ({"type": "balance", "min_balance": 0.6}, "balance-above-max", "1/2"),
]  # fmt: skip


@pytest.mark.parametrize("method", ["exact", "auto", "fca"])
@pytest.mark.parametrize(("fairness", "rule", "number"), IMPOSSIBLE)
def test_impossible_conditions_are_proven_without_a_solver(fairness, rule, number, method):
    problem = fairopt.load(content(LINE, "rrbbbb", fairness))
    solution = fairopt.solve(problem, method)
    assert solution.status == "infeasible"
    assert solution.infeasible.data == {"rule": rule}
    assert number in solution.infeasible.reason
    report = fairopt.verify(problem, solution)
    assert report.ok
    assert any("verified: recomputed" in verdict for _, verdict in report.claims)


def test_a_possible_condition_is_not_proven_impossible():
    problem = fairopt.load(content(LINE, "rrbbbb", {"type": "balance", "min_balance": 0.5}))
    assert problem.impossible() is None
    for rule in ("balance-above-max", "gcd", "lower-sum"):
        assert problem.recompute({"rule": rule}, "infeasible") is False


def test_strict_with_divisor_one_and_no_empty_clusters():
    problem = fairopt.load(content([*LINE, [13]], "rrbbbbb", allow_empty=False))
    solution = fairopt.solve(problem)
    assert solution.status == "infeasible"
    assert "at most 1" in solution.infeasible.reason


def test_more_clusters_than_points_leave_some_empty():
    solution = fairopt.solve(fairopt.load(content([[0], [1]], "ab", FLOOR, k=5)))
    assert solution.figures["n_empty"] == 5 - solution.figures["clusters"]
    assert solution.figures["clusters"] <= 2


def test_one_group_only_is_unfair_clustering():
    problem = fairopt.load(content(LINE, "rrrrrr"))
    solution = fairopt.solve(problem)
    assert solution.value == 4.0
    assert solution.figures["balance"] == {"group": 1}
    assert "one-group" in {note.code for note in solution.notes}


def test_equal_points_cost_nothing():
    solution = fairopt.solve(fairopt.load(content([[2, 3]] * 5, "aabbb", NONE, k=3)))
    assert (solution.status, solution.value) == ("optimal", 0.0)


def test_far_from_the_origin_the_labels_are_the_same():
    near = content([[x, x % 7] for x in range(12)], "ab" * 6, FLOOR, k=3)
    far = {**near, "points": [[x + 1e8, y - 1e8] for x, y in near["points"]]}
    one, two = (fairopt.solve(fairopt.load(data), "fca") for data in (near, far))
    assert one.answer.labels.tolist() == two.answer.labels.tolist()
    assert two.value == pytest.approx(one.value, rel=1e-6)


def test_asymmetric_distances_are_served_with_a_note():
    data = {"problem": "fair-clustering", "k": 1, "distances": [[0, 3], [1, 0]],
            "objective": "kmedian"}  # fmt: skip
    solution = fairopt.solve(fairopt.load(data), "exact")
    assert solution.value == 1.0
    assert solution.answer.center_indices.tolist() == [0]
    assert "asymmetric" in {note.code for note in solution.notes}


def test_labels_that_are_numbers_are_compared_as_texts():
    one = fairopt.load(content(LINE, [1, 1, 2, 2, 2, 10]))
    two = fairopt.load(content(LINE, ["1", "1", "2", "2", "2", "10"]))
    assert one.attributes[0].values == ("1", "10", "2")
    assert one.digest() == two.digest()
    three = fairopt.problems.fair_clustering.FairClustering(
        np.array(LINE, float), np.array([1, 1, 2, 2, 2, 10]), k=2, fairness=STRICT
    )
    assert three.digest() == one.digest()


def test_settings_change_the_condition():
    problem = fairopt.load(content(LINE, "rrbbbb"))
    gap = problem.replace(**{"fairness.epsilon": "1/4"})
    assert gap.fairness.to_json() == {"type": "gap", "epsilon": "1/4"}
    soft = problem.replace(**{"fairness.rounding": "soft"})
    assert (soft.fairness.type, soft.fairness.rounding) == ("proportional", "soft")
    plain = gap.replace(**{"fairness.type": "none"})
    assert plain.fairness.to_json() == {"type": "none"}
    assert problem.replace(k=3).k == 3
    assert problem.replace(
        fairness={"type": "balance", "min_balance": 0.5}
    ).fairness.min_balance == (Fraction(1, 2))
