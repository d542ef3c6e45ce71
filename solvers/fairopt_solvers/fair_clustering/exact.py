"""The method ``exact``: proven optima.

Free centres of ``kmeans`` for few points by a program over subsets; centres from a list by 0/1
programs behind a linear one; given centres by flows where the assignment is one. Largest
distances by bisection.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Bound, Claim, Infeasible, Note, Outcome
from fairopt_solvers.backends import LinearResult
from fairopt_solvers.fair_clustering.common import answer as answer_of
from fairopt_solvers.fair_clustering.fair_lp import MOST_SHARES, soft_answer
from fairopt_solvers.fair_clustering.flows import is_paired, paired_flow
from fairopt_solvers.fair_clustering.lloyd import centred, lloyd, plus_plus
from fairopt_solvers.fair_clustering.milp import Model, Solved, solve_relaxation, solve_sum
from fairopt_solvers.fair_clustering.proven import (
    better,
    bound_from,
    relaxed_bound,
    settles,
    solver_bound,
    unfair_cost,
)
from fairopt_solvers.fair_clustering.rows import LINEAR
from fairopt_solvers.fair_clustering.sites import among, site_costs
from fairopt_solvers.fair_clustering.start import fair_start, free_start, unfair_sites
from fairopt_solvers.fair_clustering.subsets import (
    MOST_POINTS,
    MOST_POINTS_GAP,
    best_partition,
    whole_weights,
)
from fairopt_solvers.fair_clustering.thresholds import least_radius, radius_bound

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Backend = Literal["highs", "cp-sat", "cbc"]

MOST_BINARIES = 100_000
_OWN = {"backend": "fairopt subsets"}
_UNFAIR_STARTS = 10


def exact(problem: FairClustering, run: Run, *, backend: Backend = "highs") -> Outcome[Clustering]:
    """Return an optimal answer, or the best one when the time is up.

    Answers are hard (no point is split) unless the condition is ``soft``.

    Parameters
    ----------
    backend
        Who solves the 0/1 programs. CP-SAT gets costs that are rounded down at a stated scale.

    Raises
    ------
    UsageError
        Where no exact method is at hand: ``kmeans`` with free centres and more than 16 points
        (14 with a gap), other objectives with free centres, conditions other than ``none``,
        ``proportional``, ``balance``, ``bounds`` and ``gap``, more than 100,000 pairs of points
        and centres.
    """
    return optimum(problem, run, backend=backend)


def optimum(
    problem: FairClustering, run: Run, *, backend: str, start: Ints | None = None
) -> Outcome[Clustering]:
    """Do what ``exact`` does, from a fair answer at hand instead of one of its own.

    ``start`` holds labels among all sites (points, candidates or fixed centres); of free centres
    any labels.
    """
    impossible = problem.impossible()
    if impossible is not None:
        return Outcome(infeasible=impossible)
    if problem.fairness.type not in LINEAR:
        raise UsageError(f"exact does not serve the condition {problem.fairness.type!r}; use auto")
    if problem.mode == "free":
        outcome = _free(problem, run, start)
    elif problem.objective.name == "kcenter":
        outcome = _radius(problem, run, backend, start)
    else:
        outcome = _sum(problem, run, backend, start)
    notes = (*outcome.notes, *single_cluster(problem))
    claims = _unfair(problem, run, outcome.answer)
    return replace(outcome, notes=notes, claims=(*outcome.claims, *claims))


def _unfair(problem: FairClustering, run: Run, answer: Clustering | None) -> tuple[Claim, ...]:
    """Return the claim of the cheapest centres that ignore fairness, those of the answer too."""
    if answer is None:
        return ()
    found = [answer]
    if problem.mode == "free" and not run.expired():
        x, shift = centred(problem)
        for s in range(_UNFAIR_STARTS):
            child = run.child(f"unfair-{s}")
            made = lloyd(x, problem.mass, plus_plus(x, problem.mass, problem.k, child), child)
            if made is not None:
                found.append(answer_of(problem, made[2], centers=made[1] + shift))
    elif problem.mode != "fixed" and not run.expired():
        found.append(among(problem, unfair_sites(problem, run), None))
    claims = [claim for each in found for claim in unfair_cost(problem, each)]
    return tuple(sorted(claims, key=lambda claim: claim.value)[:1])


def single_cluster(problem: FairClustering) -> tuple[Note, ...]:
    """Return the note that strict proportions leave one cluster only, where they do."""
    fairness = problem.fairness
    weights = whole_weights(problem)
    if fairness.type != "proportional" or fairness.rounding != "strict" or weights is None:
        return ()
    for attribute in problem.attributes:
        size = np.zeros(len(attribute.values), np.int64)
        np.add.at(size, attribute.codes, weights)
        if len(size) > 1 and math.gcd(*size.tolist()) == 1 and problem.k > 1:
            return (Note("single-cluster", "strict proportional forces a single cluster"),)
    return ()


# -- free centres --------------------------------------------------------------------------


def _free(problem: FairClustering, run: Run, start: Ints | None) -> Outcome[Clustering]:
    """Cut few points into clusters; or take the one cluster that there can be."""
    name, gap = problem.objective.name, problem.fairness.type == "gap"
    most = MOST_POINTS_GAP if gap else MOST_POINTS
    if name != "kmeans":
        raise UsageError(
            f"no exact method for {name} with free centres; give centers as points, candidates "
            "or fixed, or use auto"
        )
    if problem.fairness.rounding == "soft" and problem.fairness.type == "proportional":
        raise UsageError("no exact method for soft answers with free centres; use auto")
    single = _single(problem)
    if single is not None:
        return single
    if problem.n > most:
        raise UsageError(
            f"exact takes at most {most} points with free centres here, this instance has "
            f"{problem.n}; use fca or auto, which give a bound as well"
        )
    start = free_start(problem, run) if start is None else start
    if start is not None:
        run.offer(_centred(problem, start))
    cut = best_partition(problem, run, start)
    if cut.labels is None:
        if not cut.done:
            run.cut()
            return Outcome()
        return Outcome(infeasible=_none_fair(problem, "every partition was looked at", _OWN))
    answer = _centred(problem, cut.labels)
    if not cut.done:
        run.cut()
        return Outcome(answer)
    bound = bound_from(problem, "combinatorial", {"rule": "partitions"})
    return Outcome(answer, bound or solver_bound(problem, cut.cost, 0.0, _OWN))


def _single(problem: FairClustering) -> Outcome[Clustering] | None:
    """Return the one cluster where it is best for any number of points: forced, or all equal."""
    assert problem.points is not None
    if not problem.allow_empty and problem.k > 1:
        return None
    equal = bool(np.all(problem.points == problem.points[0]))
    if not (equal or problem.k == 1 or single_cluster(problem)):
        return None
    answer = _centred(problem, np.zeros(problem.n, np.int64))
    check = problem.check(answer)
    if check.violations or not isinstance(check.value, float):
        return None
    for rule in ("zero", "single-cluster"):
        bound = bound_from(problem, "combinatorial", {"rule": rule})
        if settles(bound, check.value):
            return Outcome(answer, bound)
    return Outcome(answer, solver_bound(problem, check.value, 0.0, _OWN))


def _centred(problem: FairClustering, labels: Ints) -> Clustering:
    """Return the answer of these clusters with their centroids; labels become 0..r-1."""
    assert problem.points is not None
    _, labels = np.unique(labels, return_inverse=True)
    shift = problem.points.mean(0)
    x, w, r = problem.points - shift, problem.mass, int(labels.max()) + 1
    mass = np.bincount(labels, w, r)
    sums = np.stack([np.bincount(labels, w * column, r) for column in x.T], 1)
    return Clustering(labels.astype(np.int64), centers=sums / mass[:, None] + shift)


def _none_fair(problem: FairClustering, why: str, data: dict[str, Any]) -> Infeasible:
    condition = problem.fairness.type
    words = f"no assignment satisfies the condition {condition!r}"
    if not problem.allow_empty:
        words += f" with {problem.k} clusters that are not empty"
    return Infeasible(f"{words}: {why}", "solver", data)


# -- sums ----------------------------------------------------------------------------------


def _sum(
    problem: FairClustering, run: Run, backend: str, start: Ints | None
) -> Outcome[Clustering]:
    """A flow, a linear program, a 0/1 program: the first that settles it."""
    distances = site_costs(problem, None)
    if problem.fairness.rounding == "soft" and problem.fairness.type == "proportional":
        return _soft_sum(problem, distances, run, backend)
    if is_paired(problem) and problem.mode == "fixed" and distances.size > MOST_SHARES:
        return _paired(problem, distances, run)
    _refuse_large(problem, distances)
    labels = fair_start(problem, distances, run) if start is None else start
    if labels is not None:
        run.offer(_listed(problem, labels))
    bound: Bound | None = None
    if distances.size <= (MOST_SHARES if problem.mode == "fixed" else MOST_SHARES // 2):
        made, result = solve_relaxation(problem, distances, run.child("relaxation"))
        bound = relaxed_bound(made, result)
        found = _whole(made, result)
        if found is not None and (labels is None or bound is not None):
            labels = _cheaper(problem, distances, labels, found)
        if labels is not None and settles(bound, _cost(problem, distances, labels)):
            return Outcome(_listed(problem, labels), bound)
    solved = solve_sum(
        problem, distances, run, backend=backend, start=labels,
        on_labels=lambda x: run.offer(_listed(problem, x)),
    )  # fmt: skip
    if solved.status == "infeasible":
        no = _none_fair(problem, "the 0/1 program has no point", solved.data)
        return Outcome(infeasible=no, notes=solved.notes)
    if solved.bound is not None:
        claim = solver_bound(problem, solved.bound, solved.slack, solved.data)
        nothing = bound_from(problem, "combinatorial", {"rule": "zero"})
        bound = better(nothing, better(bound, claim))
    labels = solved.labels if solved.labels is not None else labels
    answer = None if labels is None else _listed(problem, labels)
    notes = (*solved.notes, *_scaled_away(problem, distances, labels, bound, solved))
    return Outcome(answer, bound, notes=notes)


def _scaled_away(
    problem: FairClustering, distances: Floats, labels: Ints | None, bound: Bound | None,
    solved: Solved,
) -> tuple[Note, ...]:  # fmt: skip
    """Say so where costs that were rounded down leave the optimum open."""
    if labels is None or solved.status != "optimal" or "scale" not in solved.data:
        return ()
    if settles(bound, _cost(problem, distances, labels)):
        return ()
    words = f"proven for costs times {solved.data['scale']:g} rounded down; the rest is open"
    return (Note("bounded", words),)


def _refuse_large(problem: FairClustering, distances: Floats) -> None:
    if distances.size > MOST_BINARIES:
        raise UsageError(
            f"exact takes at most {MOST_BINARIES:,} pairs of points and centres, this instance "
            f"has {distances.size:,}; use auto"
        )


def _paired(problem: FairClustering, distances: Floats, run: Run) -> Outcome[Clustering]:
    """Solve a flow that is too large for a linear program."""
    flow = paired_flow(problem, distances, run)
    if flow.labels is None:
        run.cut()
        return Outcome(_listed_or_none(problem, fair_start(problem, distances, run)))
    bound = solver_bound(problem, flow.bound, 0.0, flow.data)
    return Outcome(_listed(problem, flow.labels), bound)


def _soft_sum(
    problem: FairClustering, distances: Floats, run: Run, backend: str
) -> Outcome[Clustering]:
    """Shares: a linear program for given centres, else one in which only the choice is whole."""
    if problem.mode == "fixed":
        return soft_answer(problem, distances, run, backend)
    _refuse_large(problem, distances)
    labels = fair_start(problem, distances, run)
    solved = solve_sum(problem, distances, run, backend=backend, start=labels)
    if solved.shares is None:
        if solved.status == "infeasible":
            no = _none_fair(problem, "the program has no point", solved.data)
            return Outcome(infeasible=no, notes=solved.notes)
        return Outcome(notes=solved.notes)
    bound = None
    if solved.bound is not None:
        bound = solver_bound(problem, solved.bound, solved.slack, solved.data)
    return Outcome(_shared(problem, solved.shares), bound, notes=solved.notes)


def _whole(made: Model, result: LinearResult) -> Ints | None:
    """Return the labels if the linear program happens to split nothing and is fair."""
    if result.x is None:
        return None
    x = made.shares(result.x)
    if np.abs(x - np.rint(x)).max(initial=0.0) > 1e-6:
        return None
    labels = x.argmax(1).astype(np.int64)
    problem = made.problem
    return None if problem.check(_listed(problem, labels)).violations else labels


def _cheaper(problem: FairClustering, distances: Floats, one: Ints | None, two: Ints) -> Ints:
    if one is None:
        return two
    return min(one, two, key=lambda labels: _cost(problem, distances, labels))


def _cost(problem: FairClustering, distances: Floats, labels: Ints) -> float:
    paid = distances[np.arange(len(labels)), labels]
    return math.fsum((problem.mass * paid).tolist())


def _listed(problem: FairClustering, labels: Ints) -> Clustering:
    """Return the answer of labels among all sites."""
    if problem.mode == "fixed":
        return among(problem, np.arange(problem.k), labels)
    sites, own = np.unique(labels, return_inverse=True)
    return among(problem, sites.astype(np.int64), own.astype(np.int64))


def _listed_or_none(problem: FairClustering, labels: Ints | None) -> Clustering | None:
    return None if labels is None else _listed(problem, labels)


def _shared(problem: FairClustering, shares: Floats) -> Clustering:
    """Return the soft answer of shares (n, m) among all sites."""
    if problem.mode == "fixed":
        return among(problem, np.arange(problem.k), None, shares)
    sites = np.flatnonzero(shares.sum(0) > 0)
    return among(problem, sites, None, shares[:, sites])


# -- the largest distance ------------------------------------------------------------------


def _radius(
    problem: FairClustering, run: Run, backend: str, start: Ints | None
) -> Outcome[Clustering]:
    distances = site_costs(problem, None)
    _refuse_large(problem, distances)
    soft = problem.fairness.rounding == "soft" and problem.fairness.type == "proportional"
    make = _shared if soft else lambda p, x: _listed(p, x.argmax(1).astype(np.int64))
    start = fair_start(problem, distances, run) if start is None else start
    if start is not None:
        run.offer(_listed(problem, start))
    least = least_radius(
        problem, distances, run, backend=backend, start=start,
        on_shares=lambda x: run.offer(make(problem, x)),
    )  # fmt: skip
    if least.shares is None:
        if math.isinf(least.bound) and least.bound > 0:
            no = _none_fair(problem, "at no distance", least.data)
            return Outcome(infeasible=no, notes=least.notes)
        return Outcome(notes=least.notes)
    bound = radius_bound(problem, distances, least, run)
    return Outcome(make(problem, least.shares), bound, notes=least.notes)
