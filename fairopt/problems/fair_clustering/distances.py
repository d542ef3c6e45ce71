"""Distances, coordinate by coordinate: data far from the origin lose nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 4_000_000  # distances held at a time where a table need not be kept


def between(points: Floats, centers: Floats, metric: str) -> Floats:
    """Return (n, r) distances of points (n, d) to centres (r, d)."""
    out = np.zeros((len(points), len(centers)))
    for axis in range(points.shape[1]):
        gap = points[:, axis, None] - centers[None, :, axis]
        out += np.abs(gap) if metric == "manhattan" else gap * gap
    return np.sqrt(out) if metric == "euclidean" else out


def paired(points: Floats, centers: Floats, metric: str) -> Floats:
    """Return (n,) distances of row i of one to row i of the other."""
    gap = points - centers
    out = np.abs(gap).sum(1) if metric == "manhattan" else (gap * gap).sum(1)
    return np.asarray(np.sqrt(out) if metric == "euclidean" else out, np.float64)


def from_mean(problem: FairClustering) -> Floats:
    """Return how far each point is from the mean; without coordinates its largest distance."""
    if problem.points is None:
        assert problem.distances is not None
        return np.asarray(problem.distances.max(1), np.float64)
    mean = np.average(problem.points - problem.points[0], axis=0, weights=problem.mass)
    return paired(problem.points - problem.points[0], mean, problem.metric)


def blocks(count: int, width: int) -> Iterator[slice]:
    """Yield slices of ``count`` rows, each small enough for a table of that width."""
    step = max(1, BLOCK // max(width, 1))
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))
