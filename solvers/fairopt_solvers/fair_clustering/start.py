"""Answers that exact methods start from, and centres that ignore fairness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.fair_clustering.medoids import farthest_first, medoids
from fairopt_solvers.fair_clustering.rounding import rounded
from fairopt_solvers.fair_clustering.shares import solve_shares
from fairopt_solvers.fair_clustering.sites import among, site_costs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_PAIRS = 50_000  # of points and centres that the linear program of a start takes


def unfair_sites(problem: FairClustering, run: Run) -> Ints:
    """Return sites that are good centres without fairness (free centres: points)."""
    if problem.mode == "fixed":
        return np.arange(problem.k)
    if problem.objective.name != "kcenter":
        return medoids(problem, run.child("medoids"), steps=10 * problem.n)
    order = farthest_first(problem, problem.k)
    if problem.mode == "candidates":
        return np.unique(site_costs(problem, None)[order].argmin(1))
    return np.sort(order)


def fair_start(problem: FairClustering, distances: Floats, run: Run) -> Ints | None:
    """Return fair labels among all sites, None if the heuristic finds none.

    The centres of an unfair clustering, then a fair assignment to them; or the best single site,
    which is fair wherever a group may have its share.
    """
    sites = unfair_sites(problem, run)
    labels = _assigned(problem, np.ascontiguousarray(distances[:, sites]), run)
    if labels is not None and _lawful(problem, sites[labels]):
        return np.asarray(sites[labels], np.int64)
    cost = problem.mass[:, None] * distances
    each = distances.max(0) if problem.objective.name == "kcenter" else cost.sum(0)
    single = np.full(problem.n, int(each.argmin()), np.int64)
    return single if _lawful(problem, single) else None


def _lawful(problem: FairClustering, chosen: Ints) -> bool:
    """Return whether labels among all sites keep every rule."""
    if problem.mode == "fixed":
        answer = among(problem, np.arange(problem.k), chosen)
    else:
        used, own = np.unique(chosen, return_inverse=True)
        answer = among(problem, used, own.astype(np.int64))
    return not problem.check(answer).violations


def free_start(problem: FairClustering, run: Run) -> Ints | None:
    """Return fair labels of free centres, None if the heuristic finds none."""
    sites = unfair_sites(problem, run)
    labels = _assigned(problem, site_costs(problem, sites), run)
    if labels is None:
        return None
    used, own = np.unique(labels, return_inverse=True)
    own = own.astype(np.int64)
    return None if problem.check(among(problem, sites[used], own)).violations else own


def _assigned(problem: FairClustering, distances: Floats, run: Run) -> Ints | None:
    """Return labels near the best shares for these centres, None if nothing rounds them."""
    if run.expired() or distances.size > MOST_PAIRS:
        return None
    shares, _, _ = solve_shares(problem, distances, run.child("start"))
    if shares is None:
        return None
    if np.all(shares.max(1) > 1.0 - 1e-6):
        return np.asarray(shares.argmax(1), np.int64)
    return rounded(problem, distances, shares, run)
