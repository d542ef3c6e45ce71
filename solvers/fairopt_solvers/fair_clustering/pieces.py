"""Unfair clusterings of points, or of pieces of several points that stay together (fairlets)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt_solvers.fair_clustering.common import answer
from fairopt_solvers.fair_clustering.places import Places, places_of
from fairopt_solvers.fair_clustering.sites import site_costs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Given:
    """The fixed centres of an instance; the state holds their numbers."""

    def __init__(self, problem: FairClustering) -> None:
        self.problem = problem
        self.d = np.ascontiguousarray(site_costs(problem, None))

    def start(self, run: Run, number: int) -> Ints:
        return np.arange(self.d.shape[1])

    def distances(self, state: NDArray[np.generic]) -> Floats:
        return self.d

    def update(
        self, state: NDArray[np.generic], labels: Ints, shares: Floats | None, run: Run
    ) -> NDArray[np.generic]:
        return state

    def answer(
        self, state: NDArray[np.generic], labels: Ints | None, shares: Floats | None = None
    ) -> Clustering:
        return answer(self.problem, labels, shares=shares)


@dataclass(frozen=True, eq=False)
class Pieces:
    """Centres (a state of ``places``), the labels (n,) of the points, and the cost."""

    places: Places
    state: NDArray[np.generic]
    labels: Ints
    cost: float

    def answer(self) -> Clustering:
        """Return it as an answer."""
        return self.places.answer(self.state, self.labels)


def where(problem: FairClustering, run: Run) -> Places:
    """Return the places of the centres, fixed ones too."""
    return Given(problem) if problem.mode == "fixed" else places_of(problem, run)


def clustered(
    problem: FairClustering,
    run: Run,
    *,
    of: Ints | None = None,
    starts: int = 10,
    iterations: int = 100,
    offer: bool = True,
) -> Pieces | None:
    """Cluster pieces as wholes: nearest centres for each piece, best centres for each cluster.

    Parameters
    ----------
    of
        (n,) the piece of every point, numbered from 0; None: every point by itself.
    starts, iterations
        Independent starts from the centres of an unfair clustering, rounds of each at most.
    offer
        Whether the run is offered what is found.

    Returns
    -------
    The cheapest; None if the time was up before the first, or if clusters must not be empty and
    there are fewer pieces than clusters.
    """
    places = where(problem, run)
    best: Pieces | None = None
    for number in range(1 if problem.mode == "fixed" else max(1, starts)):
        if best is not None and run.expired():
            break
        child = run.child(f"start-{number}")
        found = _descend(problem, places, places.start(child, number), of, run, iterations)
        if found is None:
            break
        if best is None or found.cost < best.cost:
            best = found
            if offer:
                run.offer(best.answer(), best.cost)
    return best


def _descend(
    problem: FairClustering,
    places: Places,
    state: NDArray[np.generic],
    of: Ints | None,
    run: Run,
    iterations: int,
) -> Pieces | None:
    best: Pieces | None = None
    for _ in range(max(1, iterations)):
        d = places.distances(state)
        labels = put(problem, d, of)
        if labels is None:
            return None
        moved = places.update(state, labels, None, run)
        cost = value(problem, places.distances(moved), labels)
        if best is not None and not cost < best.cost * (1 - 1e-9):
            break
        best, state = Pieces(places, moved, labels, cost), moved
        if run.expired():
            break
    return best


def put(problem: FairClustering, distances: Floats, of: Ints | None) -> Ints | None:
    """Return the labels (n,) that are cheapest for the pieces; ties to the lowest cluster.

    Where clusters must not be empty, pieces that pay least for it move; None if there are too
    few.
    """
    costs = _of_pieces(problem, distances, of)
    labels = costs.argmin(1).astype(np.int64)
    if not problem.allow_empty and not occupy(costs, labels):
        return None
    return labels if of is None else np.asarray(labels[of], np.int64)


def _of_pieces(problem: FairClustering, distances: Floats, of: Ints | None) -> Floats:
    """Return (pieces, k): what each piece costs in each cluster."""
    radius = problem.objective.name == "kcenter"
    paid = distances if radius else problem.mass[:, None] * distances
    if of is None:
        return paid
    out = np.zeros((int(of.max()) + 1, distances.shape[1]))
    if radius:
        np.maximum.at(out, of, paid)
        return out
    for c, column in enumerate(paid.T):
        out[:, c] = np.bincount(of, column, len(out))
    return out


def occupy(costs: Floats, labels: Ints) -> bool:
    """Fill each empty cluster with the piece that pays least for it; False if there are too few.

    ``costs`` (pieces, k); ``labels`` (pieces,) is changed. No cluster is emptied for another.
    """
    size = np.bincount(labels, minlength=costs.shape[1])
    for c in np.flatnonzero(size == 0).tolist():
        own = np.take_along_axis(costs, labels[:, None], axis=1)[:, 0]
        more = np.where(size[labels] > 1, costs[:, c] - own, np.inf)
        i = int(more.argmin())
        if not np.isfinite(more[i]):
            return False
        size[labels[i]] -= 1
        labels[i], size[c] = c, 1
    return True


def value(problem: FairClustering, distances: Floats, labels: Ints) -> float:
    """Return the sum or the maximum of the distances to the own centres."""
    own = np.take_along_axis(distances, labels[:, None], axis=1)[:, 0]
    return float(own.max()) if problem.objective.name == "kcenter" else float(problem.mass @ own)
