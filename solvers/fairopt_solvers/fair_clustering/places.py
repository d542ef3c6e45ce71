"""Where centres may be, and where they are best for given clusters.

``Free`` centres are any coordinates: means (kmeans), geometric medians by Weiszfeld's iteration or
medians of each coordinate (kmedian), smallest enclosing balls (kcenter). ``Listed`` ones are sites:
the best of them for each cluster.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt_solvers.fair_clustering.common import (
    answer,
    centroids,
    distances_to,
    soft_centroids,
)
from fairopt_solvers.fair_clustering.lloyd import centred, lloyd, plus_plus
from fairopt_solvers.fair_clustering.sites import site_costs, site_count

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_ENTRIES = 20_000_000  # of the matrix of distances to sites
_TRIES, _SAMPLE = 5, 4_000  # of k-means++ for one start, points that they look at
_WEISZFELD = 30
_BALL = 200


class Places(Protocol):
    """Centres as a state that only this class understands."""

    def start(self, run: Run, number: int) -> Any:
        """Return the centres of an unfair clustering."""

    def distances(self, state: Any) -> Floats:
        """Return (n, k)."""

    def update(self, state: Any, labels: Ints, shares: Floats | None, run: Run) -> Any:
        """Return centres that are better for these clusters, or as good."""

    def answer(self, state: Any, labels: Ints | None, shares: Floats | None = None) -> Clustering:
        """Return the answer, in the coordinates or sites of the instance."""


def places_of(problem: FairClustering, run: Run) -> Places:
    """Return the places of the instance's centres (not for fixed ones)."""
    return Free(problem) if problem.mode == "free" else Listed(problem, run)


class Free:
    """Centres anywhere; coordinates are relative to the mean of the points."""

    def __init__(self, problem: FairClustering) -> None:
        self.problem = problem
        self.x, self.shift = centred(problem)
        self.w = problem.mass

    def start(self, run: Run, number: int) -> Floats:
        """k-means++, for ``kmeans`` the best of several tries on a sample, then Lloyd's steps."""
        if self.problem.objective.name != "kmeans":
            return plus_plus(self.x, self.w, self.problem.k, run)
        x, w = self.x, self.w
        if len(x) > _SAMPLE:
            who = np.sort(run.child("sample").rng.choice(len(x), _SAMPLE, replace=False))
            x, w = np.ascontiguousarray(x[who]), np.ascontiguousarray(w[who])
        best: tuple[float, Floats] | None = None
        for number in range(_TRIES):
            if best is not None and run.expired():
                break
            centers = plus_plus(x, w, self.problem.k, run.child(f"try-{number}"))
            made = lloyd(x, w, centers, run)
            if made is None:
                return centers
            if best is None or made[0] < best[0]:
                best = made[0], made[1]
        assert best is not None
        full = lloyd(self.x, self.w, best[1], run) if len(x) < len(self.x) else None
        return best[1] if full is None else full[1]

    def distances(self, state: Floats) -> Floats:
        return distances_to(self.x, state, self.problem.metric)

    def update(self, state: Floats, labels: Ints, shares: Floats | None, run: Run) -> Floats:
        name, metric = self.problem.objective.name, self.problem.metric
        if name == "kmeans":
            if shares is not None:
                return soft_centroids(self.x, self.w, shares, state)
            return centroids(self.x, self.w, labels, state)
        if name == "kmedian" and metric == "euclidean":
            return weiszfeld(self.x, self.w, labels, state)
        new = state.copy()
        for c in np.unique(labels).tolist():
            inside = labels == c
            if name == "kmedian":
                new[c] = _medians(self.x[inside], self.w[inside])
            elif not run.expired():
                new[c] = _ball(self.x[inside], state[c], metric)
        return new

    def answer(
        self, state: Floats, labels: Ints | None, shares: Floats | None = None
    ) -> Clustering:
        return answer(self.problem, labels, centers=state + self.shift, shares=shares)


def weiszfeld(x: Floats, w: Floats, labels: Ints, centers: Floats) -> Floats:
    """Return centres whose sums of Euclidean distances are not larger, usually smaller.

    Weiszfeld 1937; a distance is taken to be at least a tiny one, so that a centre that is a
    point can leave it.
    """
    tiny = 1e-9 * float(np.sqrt((x**2).sum(1).max())) or 1.0
    best, least = centers, np.inf
    for _ in range(_WEISZFELD):
        far = np.sqrt(((x - centers[labels]) ** 2).sum(1))
        cost = float(w @ far)
        if not cost < least * (1 - 1e-9):
            break
        best, least = centers, cost
        centers = centroids(x, w / np.maximum(far, tiny), labels, centers)
    return best


def _medians(x: Floats, w: Floats) -> Floats:
    """Return the weighted median of each coordinate."""
    out = np.empty(x.shape[1])
    for a, column in enumerate(x.T):
        order = np.argsort(column, kind="stable")
        law = np.cumsum(w[order])
        out[a] = column[order[int(np.searchsorted(law, law[-1] / 2))]]
    return out


def _ball(x: Floats, center: Floats, metric: str) -> Floats:
    """Return the centre of a small ball around the points, never a larger one than at hand.

    Badoiu and Clarkson 2003: steps of length 1/i to the farthest point; for ``manhattan`` the
    middle of the box is tried.
    """

    def radius(c: Floats) -> tuple[float, int]:
        gap = x - c
        far = np.abs(gap).sum(1) if metric == "manhattan" else np.sqrt((gap * gap).sum(1))
        at = int(far.argmax())
        return float(far[at]), at

    best, least = center, radius(center)[0]
    here = (x.min(0) + x.max(0)) / 2
    for i in range(1, _BALL):
        size, at = radius(here)
        if size < least:
            best, least = here, size
        if metric == "manhattan":
            break
        here = here + (x[at] - here) / (i + 1)
    return best


class Listed:
    """Centres among the points or candidates; a sample of them where they are very many."""

    def __init__(self, problem: FairClustering, run: Run) -> None:
        self.problem = problem
        count, most = site_count(problem), max(problem.k, MOST_ENTRIES // max(1, problem.n))
        self.sites = np.arange(count)
        if count > most:
            self.sites = np.sort(run.child("sites").rng.choice(count, most, replace=False))
        self.d = np.ascontiguousarray(site_costs(problem, self.sites))
        self.k = min(problem.k, len(self.sites))

    def start(self, run: Run, number: int) -> Ints:
        """Medoids of an unfair clustering first, then sites drawn by distance (k-means++)."""
        if number == 0 and len(self.sites) == site_count(self.problem):
            from fairopt_solvers.fair_clustering.start import unfair_sites

            chosen = unfair_sites(self.problem, run).tolist()
        else:
            chosen = []
        near = self.d[:, chosen].min(1) if chosen else np.ones(len(self.d))
        while len(chosen) < self.k:
            law = np.cumsum(self.problem.mass * near)
            who = int(np.searchsorted(law, run.rng.random() * law[-1], side="right"))
            order = np.argsort(self.d[min(who, len(law) - 1)], kind="stable")
            chosen.append(int(order[~np.isin(order, chosen)][0]))
            near = self.d[:, chosen].min(1)
        return np.array(chosen, np.int64)

    def distances(self, state: Ints) -> Floats:
        return np.ascontiguousarray(self.d[:, state])

    def update(self, state: Ints, labels: Ints, shares: Floats | None, run: Run) -> Ints:
        new = state.copy()
        for c in np.unique(labels).tolist():
            inside = labels == c
            if self.problem.objective.name == "kcenter":
                cost = self.d[inside].max(0)
            elif shares is not None:
                cost = (self.problem.mass * shares[:, c]) @ self.d
            else:
                cost = self.problem.mass[inside] @ self.d[inside]
            taken = np.delete(new, c)
            cost[taken] = np.inf
            best = int(cost.argmin())
            if cost[best] < cost[new[c]]:
                new[c] = best
        return new

    def answer(self, state: Ints, labels: Ints | None, shares: Floats | None = None) -> Clustering:
        return answer(self.problem, labels, indices=self.sites[state], shares=shares)
