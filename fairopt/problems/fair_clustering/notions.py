"""Fairness to individuals: near enough to a centre, and no reason to leave together.

Both are about distances of a metric: for ``kmeans`` with coordinates the Euclidean ones, not their
squares. Every point counts once, whatever its weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import distances as metrics

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

Floats = NDArray[np.float64]


def own_metric(problem: FairClustering) -> str:
    """Return the metric that the notions are about."""
    return "euclidean" if problem.metric == "sqeuclidean" else problem.metric


def nearest(problem: FairClustering, centers: Floats | None, table: Floats | None) -> Floats:
    """Return (n,) distances to the nearest of centres: coordinates, or columns of distances."""
    if table is not None:
        return np.asarray(table.min(1), np.float64)
    assert problem.points is not None
    assert centers is not None
    out = np.full(problem.n, np.inf)
    for part in metrics.blocks(len(centers), problem.n):
        far = metrics.between(problem.points, centers[part], own_metric(problem))
        out = np.minimum(out, far.min(1))
    return out


def individual(problem: FairClustering, near: Floats) -> float:
    """Return the largest d(i, S) / r(i), r the distance to the ceil(n/k)-th nearest point.

    The point itself counts as its first; 0/0 = 0. None of it without distances between points.
    """
    need = -(-problem.n // problem.k)
    worst = 0.0
    for part in metrics.blocks(problem.n, problem.n):
        if problem.points is None:
            assert problem.distances is not None
            far = problem.distances[part]
        else:
            far = metrics.between(problem.points[part], problem.points, own_metric(problem))
        radius = np.partition(far, need - 1, axis=1)[:, need - 1]
        worst = max(worst, _largest_ratio(near[part], radius))
    return worst


def _largest_ratio(top: Floats, bottom: Floats) -> float:
    positive = bottom > 0
    if (top[~positive] > 0).any():
        return float("inf")
    return float((top[positive] / bottom[positive]).max(initial=0.0))


def core(problem: FairClustering, near: Floats) -> float:
    """Return the least rho for which no ceil(n/k) points all gain by more than that factor.

    The largest, over all places y, of the ceil(n/k)-th largest d(i, S) / d(i, y); a distance of
    0 to y and not to S counts as infinite, 0/0 as 0 (Chen et al., ICML 2019).
    """
    need = -(-problem.n // problem.k)
    count = problem.site_count
    worst = 0.0
    for part in metrics.blocks(count, problem.n):
        if problem.points is None:
            assert problem.distances is not None
            far = problem.distances[:, part]
        else:
            places = problem.points if problem.sites is None else problem.sites
            far = metrics.between(problem.points, places[part], own_metric(problem))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(near[:, None] > 0, near[:, None] / far, 0.0)
        worst = max(worst, float(np.partition(ratio, -need, axis=0)[-need].max()))
    return worst
