"""Whole counts near the masses of the linear program: cheap ones, and no worse than all others."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt_solvers.fair_clustering.targets import _cheapest_sum


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 2))
def test_cheapest_sum_is_the_best_of_all(seed, rows, off):
    rng = np.random.default_rng(seed)
    shift = np.repeat(np.arange(-off, off + 1), 2)
    more = rng.integers(-2, 3, (rows, len(shift)))
    loss = rng.integers(0, 20, (rows, len(shift))).astype(float)
    loss[rng.random(loss.shape) < 0.1] = np.inf
    ways = {}
    for pick in itertools.product(range(len(shift)), repeat=rows):
        cost = sum(loss[r, j] for r, j in enumerate(pick))
        if sum(shift[j] for j in pick) == 0 and np.isfinite(cost):
            total = sum(int(more[r, j]) for r, j in enumerate(pick))
            ways[total] = min(cost, ways.get(total, np.inf))
    for total, least in ways.items():
        pick = _cheapest_sum(loss, shift, more, total, rows * max(off, 1))
        assert sum(int(more[r, j]) for r, j in enumerate(pick)) == total
        assert sum(int(shift[j]) for j in pick) == 0
        assert sum(loss[r, j] for r, j in enumerate(pick)) == least


@pytest.mark.parametrize(
    "fairness",
    [
        {"type": "proportional", "rounding": "floor-ceil"},
        {"type": "balance", "min_balance": "0.45"},
        {"type": "bounds", "delta": "0.1"},
        {"type": "gap", "epsilon": "0.02"},
    ],
    ids=lambda fairness: fairness["type"],
)
def test_the_proven_gap_is_small_for_many_points(fairness):
    rng = np.random.default_rng(3)
    group = (rng.random(12_000) < 0.4).astype(int)
    points = rng.normal(size=(12_000, 3)) + group[:, None]
    blobs = fairopt.load(
        {"problem": "fair-clustering", "points": points.tolist(), "groups": group.tolist(), "k": 6}
    )
    plain = fairopt.solve(blobs.replace(fairness={"type": "none"}), method="kmeans", starts=1)
    asked = blobs.replace(centers=plain.answer.centers.tolist(), fairness=fairness)
    solution = fairopt.solve(asked, method="fair-dual")
    gap = float(solution.value) / float(solution.bound.value) - 1
    assert gap <= 1e-4
    assert fairopt.verify(asked, solution).ok


def test_prices_are_found_far_from_zero():
    """Groups far apart: at price 0 no point is near a boundary, and the curvature vanishes."""
    asked = fairopt.load(
        {
            "problem": "fair-clustering", "points": [[0], [1], [2], [10], [11], [12]],
            "groups": list("rrrbbb"), "k": 2, "centers": [[1], [11]],
            "fairness": {"type": "bounds", "delta": 0},
        }
    )  # fmt: skip
    solution = fairopt.solve(asked, method="fair-dual")
    assert float(solution.value) == pytest.approx(264)
    assert float(solution.bound.value) == pytest.approx(264, rel=1e-6)
