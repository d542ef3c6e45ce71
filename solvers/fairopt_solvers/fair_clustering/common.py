"""Small things that the methods share: distances to centres, centroids, answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt_solvers.fair_clustering.kernels_lloyd import (
    EUCLIDEAN,
    MANHATTAN,
    SQUARED,
    fill_distances,
)
from fairopt_solvers.fair_clustering.sites import as_shares, tidy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_METRICS = {"sqeuclidean": SQUARED, "euclidean": EUCLIDEAN, "manhattan": MANHATTAN}
_SOFT = ("none", "balance", "bounds", "gap")


def distances_to(points: Floats, centers: Floats, metric: str) -> Floats:
    """Return (n, k) distances of points (n, d) to centres (k, d), without cancellation."""
    out = np.empty((len(points), len(centers)))
    points = np.ascontiguousarray(points, np.float64)
    fill_distances(points, np.ascontiguousarray(centers), _METRICS[metric], 0, len(points), out)
    return out


def centroids(points: Floats, weights: Floats, labels: Ints, old: Floats) -> Floats:
    """Return the weighted means (k, d) of the clusters; an empty one keeps its old centre."""
    k = len(old)
    mass = np.bincount(labels, weights, k)
    sums = np.stack([np.bincount(labels, weights * column, k) for column in points.T], axis=1)
    return np.where(mass[:, None] > 0, sums / np.where(mass > 0, mass, 1.0)[:, None], old)


def soft_centroids(points: Floats, weights: Floats, shares: Floats, old: Floats) -> Floats:
    """Return the means (k, d) of the clusters, points weighted by their shares (n, k)."""
    part = shares * weights[:, None]
    mass = part.sum(0)
    used = mass > 1e-12 * float(weights.sum())
    return np.where(used[:, None], (part.T @ points) / np.where(used, mass, 1.0)[:, None], old)


def answer(
    problem: FairClustering,
    labels: Ints | None,
    *,
    centers: Floats | None = None,
    indices: Ints | None = None,
    shares: Floats | None = None,
) -> Clustering:
    """Return an answer with these centres (coordinates of ``problem.points``) or sites.

    Clusters that nobody uses are left out unless centres are fixed or no cluster may be empty.
    """
    kept = None
    if shares is not None:
        shares = tidy(shares)
        labels, kept = shares.argmax(1).astype(np.int64), as_shares(shares)
    assert labels is not None
    if problem.mode == "fixed":
        return Clustering(labels, shares=kept)
    if kept is None and problem.allow_empty:
        used, labels = np.unique(labels, return_inverse=True)
        labels = labels.astype(np.int64)
        centers = None if centers is None else centers[used]
        indices = None if indices is None else indices[used]
    return Clustering(labels, centers=centers, center_indices=indices, shares=kept)


def is_soft(problem: FairClustering) -> bool:
    """Return whether the instance asks for shares."""
    return bool(problem.fairness.type == "proportional" and problem.fairness.rounding == "soft")


def may_split(problem: FairClustering) -> bool:
    """Return whether the condition admits shares."""
    return is_soft(problem) or problem.fairness.type in _SOFT
