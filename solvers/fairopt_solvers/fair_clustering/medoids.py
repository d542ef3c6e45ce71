"""Unfair clusterings around listed centres: ``kmedoids`` for sums, ``gonzalez`` for the radius."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.fair_clustering.proven import unfair_cost
from fairopt_solvers.fair_clustering.sites import among, rows_between, site_costs, site_count

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_ENTRIES = 20_000_000  # of the matrix of distances, 160 MB
_SLICE = 20_000_000  # distances looked at in one call of the kernel, about 0.05 s


def kmedoids(problem: FairClustering, run: Run, *, steps: int = 1_000_000) -> Outcome[Clustering]:
    """Choose centres among the points or candidates by swaps, and put each point to the nearest.

    Parameters
    ----------
    steps
        Sites tried for a swap, at most.

    Beyond 20 million distances the sites are a random sample. Raises ``UsageError`` for fixed
    centres, and for ``kmeans`` with free ones.
    """
    if problem.mode == "fixed" or (problem.mode == "free" and problem.objective.name == "kmeans"):
        raise UsageError(
            f"kmedoids chooses centres among points or candidates; centers is {problem.mode!r}"
        )
    chosen = medoids(problem, run, steps=steps)
    answer = among(problem, chosen, None)
    return Outcome(answer, claims=unfair_cost(problem, answer))


def medoids(problem: FairClustering, run: Run, *, steps: int = 1_000_000) -> Ints:
    """Return at most k distinct sites (points if centres are free) that are good for the sum."""
    from fairopt_solvers.fair_clustering.kernels_medoids import best_addition, swap

    sites = _sampled(problem, run)
    cost = np.ascontiguousarray((problem.mass[:, None] * site_costs(problem, sites)).T)
    k = min(problem.k, len(sites))
    near = np.full(problem.n, float(cost.max(initial=0.0)))
    chosen: list[int] = []
    while len(chosen) < k and not (chosen and run.expired()):
        best = int(best_addition(cost, near))
        if best in chosen:  # nothing left to save: the lowest sites that are still free
            free = np.setdiff1d(np.arange(len(sites)), chosen)
            chosen += free[: k - len(chosen)].tolist()
            break
        chosen.append(best)
        near = np.minimum(near, cost[best])
    place = np.array(chosen, np.int64)
    idle, tried, total = 0, 0, np.zeros(1)
    each = max(1, _SLICE // max(1, problem.n))
    while idle < len(sites) and tried < steps and not run.expired():
        todo = min(each, steps - tried)
        idle = int(swap(cost, tried % len(sites), idle, todo, place, total))
        tried += todo
    return np.sort(sites[place])


def _sampled(problem: FairClustering, run: Run) -> Ints:
    """Return the sites to choose from: all of them, or a sample that fits into memory."""
    count = site_count(problem)
    most = max(problem.k, MOST_ENTRIES // max(1, problem.n))
    if count <= most:
        return np.arange(count)
    return np.sort(run.child("sites").rng.choice(count, most, replace=False))


def gonzalez(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Choose each next centre as far as possible from those before it.

    The largest distance is at most twice the least one if distances are a metric and points may
    be centres. Where candidates are given, each chosen point is replaced by its nearest one. The
    k + 1 points that are met last prove the bound. Raises ``UsageError`` for fixed centres.
    """
    if problem.mode == "fixed":
        raise UsageError("gonzalez chooses centres; centers is 'fixed'")
    from fairopt_solvers.fair_clustering.bounds import farthest_bound

    order = farthest_first(problem, problem.k + 1)
    chosen = order[: problem.k]
    if problem.mode == "candidates":
        chosen = np.unique(site_costs(problem, None)[chosen].argmin(1))
    answer = among(problem, np.sort(chosen), None)
    run.offer(answer)
    bound = farthest_bound(problem, order)
    return Outcome(answer, bound, claims=unfair_cost(problem, answer))


def farthest_first(problem: FairClustering, count: int) -> Ints:
    """Return up to ``count`` distinct points, each as far as possible from those before it.

    The first is the point that is farthest from point 0. Where only distances to candidates are
    known, two points are as far apart as their rows. Ties go to the lowest index; points at
    distance 0 from those before them are left out.
    """
    start = int(rows_between(problem, 0).argmax())
    order, near = [start], rows_between(problem, start)
    while len(order) < min(count, problem.n):
        far = int(near.argmax())
        if near[far] <= 0:
            break
        order.append(far)
        near = np.minimum(near, rows_between(problem, far))
    return np.array(order, np.int64)
