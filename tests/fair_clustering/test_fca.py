"""The alternation: lawful, reproducible, with claims that hold; good where the optimum is known."""

import numpy as np
import pytest
from hypothesis import given

import fairopt
from fair_clustering import brute
from fair_clustering.examples import EXAMPLES
from fair_clustering.test_assign import blobs

METHODS = ("fca", "fair-dual", "auto")


def free(condition, **more):
    """Return a random instance with free centres."""
    content = blobs(condition, **more)
    del content["centers"]
    return content


@pytest.mark.parametrize("name", ["A1", "A2", "B1", "B2", "B4", "C-kmedian", "C-kcenter", "G", "H"])
def test_worked_examples(name):
    content, value = EXAMPLES[name]
    problem = fairopt.load(content)
    for method in ("fca", "auto"):
        solution = fairopt.solve(problem, method)
        assert solution.value == pytest.approx(value), method
        assert fairopt.verify(problem, solution).ok


@pytest.mark.parametrize("objective", ["kmeans", "kmedian", "kcenter"])
@pytest.mark.parametrize("choice", ["free", "points", "candidates", "fixed"])
def test_answers_are_lawful_and_no_better_than_enumeration(choice, objective):
    @given(brute.contents(None, choice, objective, n=(1, 6)))
    def holds(content):
        problem = fairopt.load(content)
        known = choice != "free" or objective == "kmeans"
        best = brute.best(content) if known else None
        solution = fairopt.solve(problem, "fca", starts=2, swaps=2)
        assert fairopt.verify(problem, solution).ok
        if solution.answer is not None and solution.answer.shares is None and known:
            assert best is not None
            assert solution.value >= best - 1e-9 * max(1.0, best)

    holds()


def test_more_starts_are_never_worse_and_seeds_repeat():
    problem = fairopt.load(free("floor-ceil", k=4))
    one = fairopt.solve(problem, "fca", starts=1, seed=3)
    many = fairopt.solve(problem, "fca", starts=5, seed=3)
    again = fairopt.solve(problem, "fca", starts=5, seed=3)
    assert many.value <= one.value * (1 + 1e-12)
    assert many.answer_json == again.answer_json


def claims_of(solution):
    """Return the claims by name."""
    return {claim.name: claim.value for claim in solution.claims}


@pytest.mark.parametrize("condition", ["floor-ceil", "balance", "bounds", "gap", "soft"])
def test_claims(condition):
    problem = fairopt.load(free(condition))
    solution = fairopt.solve(problem, "fca", starts=3)
    claims = claims_of(solution)
    assert claims["unfair_cost"] <= solution.value
    assert claims["bound_for_centers"] <= solution.value * (1 + 1e-9)
    assert claims["bound_for_centers"] >= solution.value * 0.98
    assert fairopt.verify(problem, solution).ok


def test_the_bound_over_all_centres_can_be_left_out():
    problem = fairopt.load(free("floor-ceil"))
    with_bound, without = (fairopt.solve(problem, "fca", starts=2, bound=b) for b in (True, False))
    assert without.bound is None
    assert without.value == with_bound.value
    assert "bound_for_centers" in claims_of(without)


def test_far_from_the_origin():
    content = free("floor-ceil", n=60)
    near = fairopt.solve(fairopt.load(content), "fca")
    points = np.round(np.array(content["points"]) * 64) / 64  # exact after the shift
    here = fairopt.solve(fairopt.load({**content, "points": points.tolist()}), "fca")
    far = fairopt.solve(fairopt.load({**content, "points": (points + 2.0**26).tolist()}), "fca")
    assert here.value == pytest.approx(near.value, rel=0.1)
    assert far.answer.labels.tolist() == here.answer.labels.tolist()


def test_gap_level_zero_is_strict_and_a_large_one_is_unfair():
    content = free("gap", n=60)
    content["groups"] = {"a0": ["x", "y"] * 30}
    content["fairness"] = {"type": "gap", "epsilon": "1"}
    problem = fairopt.load(content)
    loose = fairopt.solve(problem, "fca-c", starts=3)
    plain = fairopt.solve(problem, "kmeans", starts=3)
    assert loose.value == pytest.approx(plain.value, rel=1e-3)
    strict = fairopt.solve(problem, "fca-c", starts=3, level=0.0)
    assert strict.value >= loose.value
    first, second = (
        np.bincount(strict.answer.labels[g::2], minlength=content["k"]) for g in (0, 1)
    )
    assert first.tolist() == second.tolist()


def test_coupling_meets_the_assignment_for_equal_groups():
    content = free("strict", n=80, k=3)
    content["groups"] = {"a0": ["x", "y"] * 40}
    problem = fairopt.load(content)
    one = fairopt.solve(problem, "fca-coupling", starts=3)
    other = fairopt.solve(problem, "fca", starts=3)
    assert one.value == pytest.approx(other.value, rel=0.05)
    blocks = fairopt.solve(problem, "fca-coupling", block=10, alignment_coefficient=2.0)
    assert blocks.value >= 0.9 * other.value
    assert fairopt.verify(problem, blocks).ok


def test_coupling_refuses_what_it_does_not_serve():
    problem = fairopt.load(free("gap"))
    with pytest.raises(fairopt.errors.UsageError, match="use fca"):
        fairopt.solve(problem, "fca-coupling")


@pytest.mark.parametrize(
    ("objective", "metric"),
    [("kmedian", "euclidean"), ("kmedian", "manhattan"), ("kcenter", "euclidean")],
)
def test_free_centres_of_other_objectives_beat_points(objective, metric):
    content = {**free("floor-ceil", n=60, k=3), "objective": objective, "metric": metric}
    loose = fairopt.solve(fairopt.load({**content, "centers": "free"}), "fca", starts=5)
    tight = fairopt.solve(fairopt.load({**content, "centers": "points"}), "fca", starts=5)
    assert loose.value <= tight.value * 1.02
