"""The court of fair clustering: violations, value and figures of an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problem import Check, Violation
from fairopt.problems.fair_clustering import distances as metrics
from fairopt.problems.fair_clustering import figures, notions
from fairopt.problems.fair_clustering.masses import ROOM, masses_of, sizes_of, worst_breach
from fairopt.solution import Claim

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.answer import Clustering, Shares
    from fairopt.problems.fair_clustering.problem import FairClustering

Floats = NDArray[np.float64]

MOST_PAIRS = 100_000_000  # distances computed for figures that nobody asked for by the condition


def check(problem: FairClustering, answer: Clustering, claims: Sequence[Claim] = ()) -> Check:
    """Return violations, the value, and the figures.

    Rules: ``clustering`` (a cluster for each point; shares that add up), ``centers`` (at most k,
    finite, distinct places), ``empty``, ``budget``, and ``fairness`` with the worst place.
    """
    if broken := _misfits(problem, answer):
        return Check(broken)
    r = _centers_count(problem, answer)
    masses, sizes = masses_of(problem, answer, r), sizes_of(problem, answer, r)
    each = _costs(problem, answer)
    largest = problem.objective.name == "kcenter"
    cost = float(each.max()) if largest else math.fsum((problem.mass * each).tolist())
    table = figures.group_figures(problem, masses, sizes)
    means = figures.mean_costs(problem, problem.mass * each)
    empty = int(sum(1 for size in sizes.tolist() if not size > 0))
    found: dict[str, Any] = {
        "cost": cost,
        "mean_cost": None if largest else cost / problem.total,
        **table,
        "price_of_fairness": figures.price(problem, cost, claims),
        "bound_for_centers": figures.bound_for_centers(problem, answer, claims),
        "clusters": r - empty,
        "n_empty": problem.k - (r - empty),
        "soft": answer.shares is not None,
        "sizes": [_number(size) for size in sizes.tolist()],
        "group_mean_cost": means,
    }
    value, violations = _condition(problem, answer, masses, found)
    if empty + problem.k - r and not problem.allow_empty:
        violations.append(Violation("empty", f"{r - empty} of {problem.k} clusters are used",
                                    problem.k - r + empty))  # fmt: skip
    return Check(tuple(violations), cost if value is None else value, found)


def _number(size: Any) -> Any:
    return int(size) if isinstance(size, int) or float(size).is_integer() else float(size)


# -- is it a clustering? -------------------------------------------------------------------


def _misfits(problem: FairClustering, answer: Clustering) -> tuple[Violation, ...]:
    labels = np.asarray(answer.labels)
    if labels.shape != (problem.n,) or labels.dtype.kind not in "iu":
        why = f"labels for {problem.n} points are needed, got shape {labels.shape}"
        return (Violation("clustering", why, abs(len(labels) - problem.n) or 1),)
    if broken := _centers(problem, answer):
        return (Violation("centers", broken, 1),)
    r = _centers_count(problem, answer)
    bad = np.flatnonzero((labels < 0) | (labels >= r))
    if len(bad):
        where = f"point {bad[0]} has label {labels[bad[0]]}, there are {r} centres"
        return (Violation("clustering", where, len(bad)),)
    if answer.shares is not None and (broken := _shares(problem, answer, answer.shares, r)):
        return (Violation("clustering", broken, 1),)
    return ()


def _centers_count(problem: FairClustering, answer: Clustering) -> int:
    if problem.mode == "fixed":
        return problem.k
    centers = answer.centers if answer.center_indices is None else answer.center_indices
    assert centers is not None
    return len(centers)


def _centers(problem: FairClustering, answer: Clustering) -> str | None:
    """Return what is wrong with the centres."""
    centers, indices = answer.centers, answer.center_indices
    if problem.mode == "fixed":
        assert problem.sites is not None
        same = centers is None or np.array_equal(centers, problem.sites)
        return None if same and indices is None else "the fixed ones cannot be changed"
    if problem.mode == "free":
        if centers is None or indices is not None:
            return "coordinates are needed"
        if centers.ndim != 2 or not len(centers) or centers.shape[1] != problem.d:
            return f"expected rows of {problem.d} coordinates, got shape {centers.shape}"
        if not np.isfinite(centers).all():
            return "coordinates must be finite"
        return f"{len(centers)} are more than k = {problem.k}" if len(centers) > problem.k else None
    if indices is None or centers is not None:
        return f"indices of {problem.mode} are needed"
    if indices.ndim != 1 or not len(indices) or indices.dtype.kind not in "iu":
        return "expected a list of indices"
    if len(indices) > problem.k:
        return f"{len(indices)} are more than k = {problem.k}"
    if ((indices < 0) | (indices >= problem.site_count)).any():
        return f"indices are 0 to {problem.site_count - 1}"
    return "one is named twice" if len(set(indices.tolist())) < len(indices) else None


def _shares(problem: FairClustering, answer: Clustering, shares: Shares, r: int) -> str | None:
    """Return what is wrong with the shares."""
    if not problem.fairness.splits:
        kind = problem.fairness.rounding or problem.fairness.type
        return f"points may not be split under the condition {kind}"
    ptr, clusters, values = shares.indptr, shares.clusters, shares.values
    if len(ptr) != problem.n + 1 or ptr[0] != 0 or ptr[-1] != len(values):
        return "expected one row of shares for each point"
    if len(clusters) != len(values) or (np.diff(ptr) < 1).any():
        return "every point needs a share"
    if ((clusters < 0) | (clusters >= r)).any() or not np.isfinite(values).all():
        return f"shares are finite and of clusters 0 to {r - 1}"
    rows = shares.rows
    if len(np.unique(rows * r + clusters)) < len(rows):
        return "a share is given twice"
    total = np.bincount(rows, values, problem.n)
    if (values < -1e-12).any() or (np.abs(total - 1) > ROOM).any():
        return f"shares of point {int(np.abs(total - 1).argmax())} do not add up to 1"
    order = np.lexsort((clusters, -values, rows))
    first = clusters[order][ptr[:-1]]
    wrong = np.flatnonzero(first != answer.labels)
    return f"the label of point {wrong[0]} is not its largest share" if len(wrong) else None


# -- what does it cost? --------------------------------------------------------------------


def _costs(problem: FairClustering, answer: Clustering) -> Floats:
    """Return (n,) what each point pays, without its weight; ``kcenter``: its largest distance."""
    shares = answer.shares
    if shares is None:
        return _to_own(problem, answer, np.arange(problem.n), answer.labels)
    rows = shares.rows
    paid = _to_own(problem, answer, rows, shares.clusters)
    if problem.objective.name == "kcenter":
        paid = np.where(shares.values > 0, paid, 0.0)
        return np.asarray(np.maximum.reduceat(paid, shares.indptr[:-1]), np.float64)
    return np.bincount(rows, paid * shares.values, problem.n).astype(np.float64)


def _to_own(problem: FairClustering, answer: Clustering, rows: Any, clusters: Any) -> Floats:
    """Return the distances of points to the centres of clusters, pair by pair."""
    indices = answer.center_indices
    if problem.distances is not None:
        assert indices is not None
        return np.asarray(problem.distances[rows, indices[clusters]], np.float64)
    assert problem.points is not None
    if problem.mode == "fixed" or indices is not None:
        places = problem.points if problem.sites is None else problem.sites
        centers = places if indices is None else places[indices]
    else:
        assert answer.centers is not None
        centers = answer.centers
    return metrics.paired(problem.points[rows], centers[clusters], problem.metric)


# -- is it fair? ---------------------------------------------------------------------------


def _condition(
    problem: FairClustering, answer: Clustering, masses: tuple[Any, ...], found: dict[str, Any]
) -> tuple[float | None, list[Violation]]:
    """Return the value where it is not the cost, and what breaks the condition.

    Adds the figures that the condition is about.
    """
    fairness = problem.fairness
    if fairness.labelled:
        breach = worst_breach(problem, masses)
        broken = [] if breach is None else [Violation("fairness", breach.where, breach.amount)]
        _for_individuals(problem, answer, found, asked=False)
        return None, broken
    if fairness.type == "socially-fair":
        means = [m for group in found["group_mean_cost"].values() for m in group.values()]
        if problem.objective.name == "kcenter":
            return None, []
        return max(means, default=found["mean_cost"]), []
    if fairness.type == "bounded-cost":
        over = Fraction(found["cost"]) - fairness.max_cost
        kept = over <= Fraction(ROOM) * fairness.max_cost
        broken = [] if kept else [Violation("budget", "the cost", float(over))]
        return _level(problem, found), broken
    _for_individuals(problem, answer, found, asked=True)
    name = "individual_alpha" if fairness.type == "individual" else "core_rho"
    most = fairness.alpha if fairness.type == "individual" else fairness.rho
    value = found[name]
    if value is None or value > float(most) * (1 + ROOM):
        amount = None if value is None else value - float(most)
        return None, [Violation("fairness", name, amount)]
    return None, []


def _level(problem: FairClustering, found: dict[str, Any]) -> float:
    """Return the least delta (``bounds``) or epsilon (``gap``) that the clusters keep."""
    if problem.fairness.condition == "gap":
        return float(max(found["tv"].values(), default=0))
    return float(1 - min(found["relative_balance"].values(), default=1))


def _for_individuals(
    problem: FairClustering, answer: Clustering, found: dict[str, Any], *, asked: bool
) -> None:
    """Add the figures about individuals where the condition asks for them or they are cheap."""
    pairs = problem.n * max(problem.n, problem.site_count)
    if not asked and pairs > MOST_PAIRS // 100:
        return
    centers, table = _centers_of(problem, answer)
    near = notions.nearest(problem, centers, table)
    between = problem.points is not None or problem.mode == "points"
    alpha = notions.individual(problem, near) if between else None
    found["individual_alpha"] = _finite(alpha)
    found["core_rho"] = _finite(notions.core(problem, near))


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isinf(value) else value


def _centers_of(problem: FairClustering, answer: Clustering) -> tuple[Any, Any]:
    """Return centres as coordinates, or as columns of distances."""
    if problem.distances is not None:
        return None, problem.distances[:, answer.center_indices]
    if answer.center_indices is not None:
        places = problem.points if problem.sites is None else problem.sites
        assert places is not None
        return places[answer.center_indices], None
    return (problem.sites if problem.mode == "fixed" else answer.centers), None
