"""Bounds on the whole problem, over all centres, each with data that the court recomputes.

What ignores fairness bounds the fair optimum too. For many points in few dimensions the bounds
that need no search are weak: then nothing better is known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt.solution import Bound
from fairopt_solvers.fair_clustering.fair_lp import MOST_SHARES
from fairopt_solvers.fair_clustering.kernels_bounds import savings
from fairopt_solvers.fair_clustering.medoids import MOST_ENTRIES, farthest_first, medoids
from fairopt_solvers.fair_clustering.milp import solve_relaxation
from fairopt_solvers.fair_clustering.proven import (
    NO_FAIRNESS,
    better,
    bound_from,
    discrete_bound,
    dual_bound,
    relaxed_bound,
    settles,
)
from fairopt_solvers.fair_clustering.rows import LINEAR
from fairopt_solvers.fair_clustering.sites import site_costs, site_count
from fairopt_solvers.fair_clustering.transport import potentials

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_LINKS = 10_000  # pairs of points and sites up to which the linear program is solved
OTHER = ("individual", "core")  # conditions on centres: what ignores them is a bound
_ROUNDS = 200


def whole_bound(problem: FairClustering, run: Run, *, value: float | None = None) -> Bound | None:
    """Return the best bound that can be had cheaply, None if there is none.

    ``value`` is that of an answer at hand; the search ends early where a bound meets it.
    Sums over fixed centres: the fair assignment. Largest distances: points far apart. Sums over
    listed centres: prices of the points, from the linear program where it is small. Free
    centres of ``kmeans``: small singular values, transport between two groups, all partitions
    where they are few; and half of what listed centres give.
    """
    best: Bound | None = None
    if problem.fairness.type not in (*LINEAR, *OTHER):
        return None
    for bound in _bounds(problem, run):
        best = better(best, bound)
        if run.expired() or (value is not None and settles(best, value)):
            break
    return best


def _bounds(problem: FairClustering, run: Run) -> Iterator[Bound | None]:
    name, mode = problem.objective.name, problem.mode
    yield bound_from(problem, "combinatorial", {"rule": "zero"})
    if name == "kcenter":
        yield bound_from(problem, "combinatorial", {"rule": "nearest-sites"})
        if mode != "fixed":
            yield farthest_bound(problem, farthest_first(problem, problem.k + 1))
        return
    if mode == "fixed":
        yield _given(problem, run)
        return
    if name == "kmeans" and problem.points is not None:
        yield bound_from(problem, "theorem", {"rule": "spectral"})
        if mode == "free" and problem.k**problem.n <= _FEW:
            yield bound_from(problem, "combinatorial", {"rule": "partitions"})
        yield _group_means(problem)
        yield _alignment(problem, run)
    yield _listed(problem, run)


_FEW = 60_000  # label vectors that the court looks at itself


def farthest_bound(problem: FairClustering, points: Ints) -> Bound | None:
    """Return the bound of k + 1 points that are far apart: two of them share a centre."""
    if len(points) <= problem.k:
        return bound_from(problem, "combinatorial", {"rule": "zero"})
    data = {"rule": "farthest-points", "points": points[: problem.k + 1].tolist()}
    return bound_from(problem, "combinatorial", data)


def _given(problem: FairClustering, run: Run) -> Bound | None:
    distances = site_costs(problem, None)
    plain = dual_bound(problem, NO_FAIRNESS)
    if problem.fairness.type not in LINEAR or distances.size > MOST_SHARES:
        return plain
    made, result = solve_relaxation(problem, distances, run.child("bound"))
    return better(plain, relaxed_bound(made, result))


def _listed(problem: FairClustering, run: Run) -> Bound | None:
    """Prices of the points: from the linear program, or by subgradients without fairness."""
    distances_fit = problem.n * site_count(problem) <= MOST_ENTRIES
    if not distances_fit:
        return None
    distances = site_costs(problem, None)
    if distances.size <= MOST_LINKS and problem.fairness.type in LINEAR:
        limit = min(run.remaining() / 2, 20.0)
        made, result = solve_relaxation(problem, distances, run.child("bound", time_limit=limit))
        bound = relaxed_bound(made, result)
        if bound is not None:
            return bound
    return discrete_bound(problem, prices(problem, distances, run))


def prices(
    problem: FairClustering, distances: Floats, run: Run, *, rounds: int = _ROUNDS
) -> Floats:
    """Return prices v (n,): the sum of v plus the k least savings of a site is to be large.

    Subgradient steps of the length that would close the gap to a clustering at hand (Polyak),
    shortened when nothing improves.
    """
    cost = np.ascontiguousarray((problem.mass[:, None] * distances).T)
    sites, k = len(cost), min(problem.k, len(cost))
    chosen = medoids(problem, run.child("medoids"), steps=2 * sites)
    v: Floats = np.asarray(cost[chosen].min(0), np.float64)
    top, best, kept = float(v.sum()), -np.inf, v
    stale, length, rho = 0, 1.0, np.empty(sites)
    for _ in range(rounds):
        savings(cost, v, rho)
        open_ = np.argpartition(rho, k - 1)[:k]
        value = float(v.sum() + rho[open_].sum())
        if value > best:
            best, kept, stale = value, v.copy(), 0
        else:
            stale += 1
            if stale == 10:
                length, stale = length / 2, 0
        slope = 1.0 - (cost[open_] < v).sum(0)
        norm = float((slope**2).sum())
        if norm == 0.0 or top - best <= 1e-9 * top or length < 1e-4 or run.expired():
            break
        v = np.asarray(np.maximum(v + length * (top - value) / norm * slope, 0.0), np.float64)
    return kept


def _group_means(problem: FairClustering) -> Bound | None:
    """Sum of squares between the groups, whose means every cluster averages in proportion."""
    fairness = problem.fairness
    if fairness.type != "proportional" or fairness.rounding == "floor-ceil":
        return None
    best: Bound | None = None
    for attribute in problem.attributes:
        data = {"rule": "group-means", "attribute": attribute.name}
        best = better(best, bound_from(problem, "theorem", data))
    return best


def _alignment(problem: FairClustering, run: Run) -> Bound | None:
    """Transport between two groups that every cluster holds in proportion."""
    fairness = problem.fairness
    if fairness.type != "proportional" or fairness.rounding == "floor-ceil":
        return None
    best: Bound | None = None
    for attribute in problem.attributes:
        if len(attribute.values) != 2:
            continue
        found = potentials(problem, attribute.codes, run)
        if found is None:
            continue
        data = {
            "rule": "alignment",
            "attribute": attribute.name,
            "u": found[0].tolist(),
            "v": found[1].tolist(),
        }
        best = better(best, bound_from(problem, "combinatorial", data))
    return best
