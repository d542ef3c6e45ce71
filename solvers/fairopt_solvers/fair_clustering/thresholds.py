"""Largest distances: the optimum is one of the distances, found by asking whether it can be kept.

Whether all points can go at most a given distance is a 0/1 program without costs; points that
are too far from a centre simply may not go there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt.solution import Bound, Note
from fairopt_solvers.backends import relax, solve
from fairopt_solvers.fair_clustering.medoids import farthest_first
from fairopt_solvers.fair_clustering.milp import feasibility_model, linear_model
from fairopt_solvers.fair_clustering.proven import bound_from, settles, solver_bound

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Least:
    """The smallest radius found, and what is proven about it.

    Attributes
    ----------
    shares
        (n, m) of the best answer, None if none was found.
    bound
        No answer has a smaller largest distance; -inf if nothing is known, inf: no answer at all.
    data
        Who says so; empty if nobody needs to (every point's nearest site is so far).
    """

    shares: Floats | None
    bound: float
    data: dict[str, Any]
    notes: tuple[Note, ...]


def least_radius(
    problem: FairClustering,
    distances: Floats,
    run: Run,
    *,
    backend: str,
    start: Ints | None = None,
    relaxed: bool = False,
    given: bool | None = None,
    on_shares: Any = None,
) -> Least:
    """Find the smallest largest distance by bisection over the distances (n, m).

    ``start`` are fair labels among the m sites. ``relaxed`` asks for shares instead of labels,
    ``given`` is as in ``linear_model``.
    """
    low = float(distances.min(1).max())
    values = np.unique(distances)
    values = values[values >= low * (1 - 1e-12)]
    shares: Floats | None = None
    first, last = 0, len(values)  # the optimum is values[first .. last], last: not known to exist
    if start is not None:
        shares = np.zeros(distances.shape)
        shares[np.arange(len(start)), start] = 1.0
        top = float(distances[np.arange(len(start)), start].max())
        last = int(np.searchsorted(values, top))
    data: dict[str, Any] = {}
    notes: tuple[Note, ...] = ()
    while first < last and not run.expired():
        middle = (first + last) // 2
        if shares is None and last == len(values):
            middle = last - 1  # first of all: is there an answer?
        made = feasibility_model(
            problem, distances, float(values[middle]), integers=backend == "cp-sat",
            relaxed=relaxed, given=given,
        )  # fmt: skip
        whole = bool(made.model.integer.any())
        result = (solve if whole else relax)(made.model, run, backend=backend)
        notes = (*notes, *result.notes)
        if result.x is not None:
            shares = made.shares(result.x)
            last = int(np.searchsorted(values, float(distances[shares > 0].max())))
            if on_shares is not None:
                on_shares(shares)
        elif result.status == "infeasible":
            first = middle + 1
            data = {"backend": result.backend or backend}
        else:
            break
    bound = float(values[first]) if first < len(values) else np.inf
    return Least(shares, bound, data, notes)


def radius_bound(problem: FairClustering, distances: Floats, least: Least, run: Run) -> Bound:
    """Return the bound of a bisection, by a proof that needs no solver's word if there is one.

    Every point has to reach its nearest site; k + 1 points far apart share a centre; multipliers
    show that not even shares stay within the next smaller distance of given centres.
    """
    for bound in _proofs(problem, distances, least, run):
        if settles(bound, least.bound):
            assert bound is not None
            return bound
    return solver_bound(problem, least.bound, 0.0, least.data or {"backend": "fairopt thresholds"})


def _proofs(
    problem: FairClustering, distances: Floats, least: Least, run: Run
) -> Iterator[Bound | None]:
    yield bound_from(problem, "combinatorial", {"rule": "nearest-sites"})
    if problem.mode != "fixed":
        points = farthest_first(problem, problem.k + 1)
        if len(points) > problem.k:
            data = {"rule": "farthest-points", "points": points.tolist()}
            yield bound_from(problem, "combinatorial", data)
        return
    below = distances[distances < least.bound]
    if not below.size or run.expired():
        return
    radius = float(below.max())
    made = linear_model(problem, (distances > radius).astype(np.float64))
    result = relax(made.model, run.child("radius"))
    if result.duals is not None:
        multipliers = made.fair.read(result.duals[problem.n :] / made.scale)
        data = {"rule": "radius-dual", "radius": radius, "multipliers": multipliers}
        yield bound_from(problem, "multipliers", data)
