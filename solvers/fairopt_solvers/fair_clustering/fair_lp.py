"""The method ``fair-lp``: the fair assignment as a linear program, with its certificate.

Shares x_ik of points in clusters, the masses of the groups as further columns: nk + O(|groups| k)
columns, and no coupling between single points of different groups. The duals are the multipliers
that prove the optimum. Where a condition admits no split points, the optimum is rounded by a flow
on whole group counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Infeasible, Note, Outcome
from fairopt_solvers.fair_clustering.proven import (
    centers_claim,
    dual_bound,
)
from fairopt_solvers.fair_clustering.rounding import rounded
from fairopt_solvers.fair_clustering.rows import LINEAR
from fairopt_solvers.fair_clustering.shares import solve_shares
from fairopt_solvers.fair_clustering.sites import among, site_costs
from fairopt_solvers.fair_clustering.start import unfair_sites
from fairopt_solvers.fair_clustering.thresholds import least_radius, radius_bound

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_SHARES = 50_000
SOFT = ("none", "balance", "bounds", "gap")


def fair_lp(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Return the best shares for given centres; elsewhere those of the unfair clustering.

    The value is optimal among soft answers for ``fixed`` centres. ``strict`` and ``floor-ceil``
    admit no shares: there the optimum is rounded, and bounds the rounded answer. At most 50,000
    shares. Raises ``UsageError`` beyond, and for conditions that are not linear.
    """
    impossible = problem.impossible()
    if impossible is not None:
        return Outcome(infeasible=impossible)
    if problem.fairness.type not in LINEAR:
        raise UsageError(f"fair-lp does not serve the condition {problem.fairness.type!r}")
    if problem.mode != "fixed":
        return _around(problem, run)
    distances = site_costs(problem, None)
    _refuse_large(distances)
    return soft_answer(problem, distances, run, "highs")


def _refuse_large(distances: Floats) -> None:
    if distances.size > MOST_SHARES:
        raise UsageError(
            f"fair-lp takes at most {MOST_SHARES:,} pairs of points and centres, this instance "
            f"has {distances.size:,}; use fair-dual"
        )


def soft_answer(
    problem: FairClustering, distances: Floats, run: Run, backend: str
) -> Outcome[Clustering]:
    """Solve the linear program of given centres (sites of a ``fixed`` instance)."""
    if problem.objective.name == "kcenter":
        return _radius(problem, distances, run, backend)
    shares, multipliers, no = solve_shares(problem, distances, run)
    if no is not None:
        return Outcome(infeasible=no)
    bound = None if multipliers is None else dual_bound(problem, multipliers)
    if shares is None:
        return Outcome(bound=bound)
    every = np.arange(shares.shape[1])
    answer, notes = whole_or_shares(problem, distances, every, shares, run)
    return Outcome(answer, bound, notes=notes)


def admits_shares(problem: FairClustering) -> bool:
    """Return whether a point may be split under the condition."""
    fairness = problem.fairness
    return fairness.type in SOFT or (
        fairness.type == "proportional" and fairness.rounding == "soft"
    )


def whole_or_shares(
    problem: FairClustering, distances: Floats, sites: Ints, shares: Floats, run: Run
) -> tuple[Clustering | None, tuple[Note, ...]]:
    """Return the answer of shares (n, sites), rounded where no point may be split."""
    answer = among(problem, sites, None, shares)
    if answer.shares is not None and not admits_shares(problem):
        labels = rounded(problem, distances, shares, run)
        if labels is None:
            return None, (_stuck(),)
        answer = among(problem, sites, labels)
    if problem.check(answer).violations:
        return None, (_stuck(),)
    return answer, () if answer.shares is None else (_split(),)


def _stuck() -> Note:
    return Note("stuck", "the linear optimum splits points, and no flow rounds it; use exact")


def _split() -> Note:
    return Note("relaxation", "points are split: the value may lie below the best hard one")


def _radius(
    problem: FairClustering, distances: Floats, run: Run, backend: str
) -> Outcome[Clustering]:
    least = least_radius(problem, distances, run, backend=backend, relaxed=True, given=True)
    data = least.data or {"backend": "fairopt thresholds"}
    if least.shares is None:
        if least.bound == np.inf:
            words = f"not even shares satisfy the condition {problem.fairness.type!r}"
            return Outcome(infeasible=Infeasible(words, "solver", data), notes=least.notes)
        return Outcome(notes=least.notes)
    every = np.arange(distances.shape[1])
    answer, notes = whole_or_shares(problem, distances, every, least.shares, run)
    bound = radius_bound(problem, distances, least, run)
    return Outcome(answer, bound, notes=(*least.notes, *notes))


# -- centres that are not given ------------------------------------------------------------


def _around(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Assign fairly to the centres of an unfair clustering; nothing is proven about others."""
    sites = unfair_sites(problem, run)
    distances = site_costs(problem, sites)
    _refuse_large(distances)
    if problem.objective.name == "kcenter":
        least = least_radius(problem, distances, run, backend="highs", relaxed=True, given=True)
        shares, multipliers = least.shares, None
    else:
        shares, multipliers, no = solve_shares(problem, distances, run)
        if no is not None:
            return Outcome(infeasible=no)
    if shares is None:
        return Outcome(notes=(_stuck(),))
    answer, notes = whole_or_shares(problem, distances, sites, shares, run)
    if answer is None or multipliers is None:
        return Outcome(answer, notes=notes)
    return Outcome(answer, claims=centers_claim(problem, answer, multipliers), notes=notes)
