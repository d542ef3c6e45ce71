"""Centres that can be listed: costs to them, and answers that use some of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import Clustering, FairClustering, Shares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOISE = 1e-10  # shares below are a solver's zero


def pairwise(x: Floats, c: Floats, metric: str) -> Floats:
    """Return (n, m) distances of this metric, coordinate by coordinate: no cancellation."""
    out = np.zeros((len(x), len(c)))
    for axis in range(x.shape[1]):
        difference = x[:, axis, None] - c[None, :, axis]
        out += np.abs(difference) if metric == "manhattan" else difference * difference
    return np.sqrt(out) if metric == "euclidean" else out


def site_count(problem: FairClustering) -> int:
    """Return how many sites there are; for free centres the points."""
    if problem.mode in ("free", "points"):
        return problem.n
    if problem.sites is not None:
        return len(problem.sites)
    assert problem.distances is not None
    return int(problem.distances.shape[1])


def site_costs(problem: FairClustering, sites: Ints | None) -> Floats:
    """Return the distances d (n, m) to these sites, all if None; free centres: to the points."""
    if problem.distances is None:
        assert problem.points is not None
        if problem.mode in ("free", "points"):
            places = problem.points
        else:
            assert problem.sites is not None
            places = problem.sites
        return pairwise(problem.points, places if sites is None else places[sites], problem.metric)
    return problem.distances if sites is None else problem.distances[:, sites]


def rows_between(problem: FairClustering, point: int) -> Floats:
    """Return (n,) how far the points are from one of them.

    Without coordinates and with candidates as centres: the largest difference between the
    distances to a candidate, which no distance can be below (triangle inequality).
    """
    if problem.points is not None:
        return pairwise(problem.points, problem.points[point : point + 1], problem.metric)[:, 0]
    assert problem.distances is not None
    if problem.mode == "points":
        return problem.distances[:, point].copy()
    return np.asarray(np.abs(problem.distances - problem.distances[point]).max(1), np.float64)


def among(
    problem: FairClustering, sites: Ints, labels: Ints | None, shares: Floats | None = None
) -> Clustering:
    """Return the answer with centres ``sites``; ``labels`` count them, None: nearest.

    Ties go to the lowest site. ``shares`` (n, sites) make a soft answer and replace the labels.
    Free centres become the coordinates of the points.
    """
    kept = None
    if shares is not None:
        shares = tidy(shares)
        labels, kept = shares.argmax(1).astype(np.int64), as_shares(shares)
    if labels is None:
        labels = site_costs(problem, sites).argmin(1).astype(np.int64)
    if problem.mode == "fixed":
        return Clustering(labels, shares=kept)
    if problem.mode == "free":
        assert problem.points is not None
        return Clustering(labels, centers=problem.points[sites], shares=kept)
    return Clustering(labels, center_indices=sites, shares=kept)


def tidy(shares: Floats) -> Floats:
    """Return shares (n, m) without the noise of a solver, each row adding up to 1."""
    clean = np.where(shares < NOISE, 0.0, shares)
    return np.asarray(clean / clean.sum(1, keepdims=True), np.float64)


def as_shares(shares: Floats) -> Shares | None:
    """Return tidy shares as sparse rows, None if no point is split."""
    used = shares > 0
    if int(used.sum()) == len(shares):
        return None
    point, cluster = np.nonzero(used)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(point, minlength=len(shares)))])
    return Shares(ptr.astype(np.int64), cluster.astype(np.int64), shares[point, cluster])
