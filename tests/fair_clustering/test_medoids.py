"""Unfair clusterings around listed centres: what they promise, and what they refuse."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given

import fairopt
from fair_clustering import brute
from fairopt.errors import UsageError


@given(brute.contents(objective="kmedian"))
def test_no_swap_of_a_medoid_helps(content):
    assume("centers" not in content or content["centers"] in ("points", "free"))
    content = {**content, "allow_empty": True}
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "kmedoids")
    sites = content.get("candidates", content["points"])
    table = brute.distances(content, sites)
    w = np.array([float(v) for v in brute.weights(content)])
    k = min(content["k"], len(sites))
    value = solution.value
    if solution.answer.center_indices is None:
        rows = [list(map(float, x)) for x in sites]
        chosen = [rows.index(c) for c in solution.answer.centers.tolist()]
    else:
        chosen = solution.answer.center_indices.tolist()
    assert value == pytest.approx((w * table[:, chosen].min(1)).sum(), abs=1e-9)
    for out, new in itertools.product(range(k), range(len(sites))):
        other = [*chosen[:out], new, *chosen[out + 1 :]]
        assert (w * table[:, other].min(1)).sum() >= value - 1e-9 * max(1.0, value)


@given(brute.contents("none", objective="kcenter"))
def test_gonzalez_is_within_twice_the_optimum(content):
    assume(content.get("centers") in ("points", "free"))
    content = {**content, "allow_empty": True}
    solution = fairopt.solve(fairopt.load(content), "gonzalez")
    best = brute.best({**content, "centers": "points"})
    assert solution.value <= 2 * best + 1e-9
    assert float(solution.bound.value) <= solution.value <= 2 * float(solution.bound.value) + 1e-9


def test_the_nearest_candidate_replaces_a_far_point():
    content = {
        "problem": "fair-clustering", "objective": "kcenter", "k": 2,
        "points": [[0], [1], [9], [10]], "candidates": [[5], [2], [9.5]],
        "fairness": {"type": "none"},
    }  # fmt: skip
    solution = fairopt.solve(fairopt.load(content), "gonzalez")
    assert solution.answer.center_indices.tolist() == [1, 2]
    assert solution.value == 2


@pytest.mark.parametrize(("method", "objective"), [("kmedoids", "kmeans"), ("gonzalez", "kcenter")])
def test_given_centres_are_refused(method, objective):
    content = {
        "problem": "fair-clustering", "objective": objective, "points": [[0], [1]], "k": 1,
        "centers": [[0]], "fairness": {"type": "none"},
    }  # fmt: skip
    with pytest.raises(UsageError, match="fixed"):
        fairopt.solve(fairopt.load(content), method)


def test_a_sample_of_the_sites_where_there_are_too_many(monkeypatch):
    from fairopt_solvers.fair_clustering import medoids

    monkeypatch.setattr(medoids, "MOST_ENTRIES", 400)
    points = np.random.default_rng(0).normal(size=(40, 2)).tolist()
    content = {
        "problem": "fair-clustering", "objective": "kmedian", "points": points, "k": 3,
        "centers": "points", "fairness": {"type": "none"},
    }  # fmt: skip
    problem = fairopt.load(content)
    one, two = (fairopt.solve(problem, "kmedoids") for _ in range(2))
    assert one.value == two.value  # the sample depends on the seed alone
    assert len(one.answer.center_indices) == 3
