"""The fair assignment to given centres: dual prices, whole targets, exact transport.

Bound: the dual of the linear program (``dual``). Answer: each point to its cheapest cluster at
these prices, then counts repaired to whole targets by shortest paths (``moves``). For two equal
groups in strict proportion the repair is joint and the answer optimal (its own prices prove it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.fair_clustering.dual import Dual, maximise, shares_at
from fairopt_solvers.fair_clustering.flows import is_paired
from fairopt_solvers.fair_clustering.forms import LINEAR, Form, broken, form_of, to_json
from fairopt_solvers.fair_clustering.moves import meet_counts
from fairopt_solvers.fair_clustering.sites import tidy
from fairopt_solvers.fair_clustering.targets import whole_targets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TIGHTER = (0.02, 0.2)  # towards proportional, where whole points break the condition

MOST_LINEAR = 50_000  # shares of a linear program
_CLOSE = 1e-8  # relative gap up to which shares are good enough
_WARMER = (1.0, 10.0, 1e2, 1e4, 1e6)  # temperatures at which shares are looked for


@dataclass(frozen=True, eq=False)
class Assigned:
    """A fair assignment.

    Attributes
    ----------
    labels
        (n,), None where none was found (then ``violation`` says what is in the way).
    cost
        Weighted sum of distances, infinite without labels.
    bound
        No fair assignment to these centres, split points or not, costs less.
    multipliers
        JSON-ready, with which the court recomputes the bound.
    dual
        To start from for centres near by; None without prices.
    shares
        (n, k), for ``soft_assignment`` only.
    """

    labels: Ints | None
    cost: float
    bound: float
    multipliers: dict[str, Any]
    violation: str | None = None
    dual: Dual | None = None
    shares: Floats | None = None


def fair_assignment(
    problem: FairClustering,
    distances: Floats,
    run: Run,
    *,
    warm: Assigned | None = None,
    form: Form | None = None,
    tolerance: float = 1e-7,
    closest: bool = False,
) -> Assigned | None:
    """Assign every point whole, at small cost and fairly.

    Parameters
    ----------
    distances
        (n, k) from the points to the centres, whatever the instance's own centres are.
    warm
        Result for centres near by, to start from.
    form
        ``form_of(problem)``, where it is at hand.
    tolerance
        Relative, of the bound.
    closest
        Whether to be near exact shares where ``floor-ceil`` leaves room, at a little more cost.

    Returns
    -------
    None if the time is up; without labels if whole points cannot keep the condition. That may
    happen where integral assignments are hard (weights) or clusters must not be empty.
    """
    distances = np.ascontiguousarray(distances, np.float64)
    form = form_of(problem) if form is None else form
    y = None if warm is None or warm.dual is None else warm.dual.smooth
    dual = maximise(form, distances, problem.mass, run, warm=y, tolerance=tolerance)
    if dual is None:
        return None
    labels = _cheapest(distances, dual.theta, form.of)
    if problem.weights is not None and not problem.allow_empty:
        _fill_empty(distances, problem.mass, labels)
    if is_paired(problem):
        return _paired(problem, form, distances, labels, dual, run)
    words: str | None = None
    if problem.weights is not None:
        labels, words = _weighted(problem, form, distances, labels, run)
    else:
        targets, words = whole_targets(
            problem, form, dual.masses, run,
            theta=dual.theta, distances=distances, closest=closest,
        )  # fmt: skip
        if targets is None and run.expired():
            return None
        if targets is not None:
            words = None
            if not _move(form, distances, labels, targets, run):
                return None
    return _made(problem, form, distances, labels, dual, words)


def _move(form: Form, distances: Floats, labels: Ints, targets: Ints, run: Run) -> bool:
    """Let the labels meet the targets (kinds, k); return False if the time is up."""
    used = np.flatnonzero(targets.sum(0))
    if len(used) == 1:
        labels[:] = used[0]
        return True
    for t, wanted in enumerate(targets):
        inside = np.flatnonzero(form.of == t)
        if meet_counts(distances, labels, wanted, run, members=inside) is None:
            return False
    return True


def _cheapest(distances: Floats, theta: Floats, of: Ints) -> Ints:
    """Return the cheapest cluster of every point at these prices; ties to the lowest."""
    labels = np.empty(len(distances), np.int64)
    for first in range(0, len(labels), 100_000):
        part = slice(first, first + 100_000)
        labels[part] = (distances[part] + theta[of[part]]).argmin(1)
    return labels


def _made(
    problem: FairClustering, form: Form, d: Floats, labels: Ints, dual: Dual, words: str | None
) -> Assigned:
    cost = cost_of(problem, d, labels) if words is None else np.inf
    multipliers = to_json(problem, form, dual.y)
    return Assigned(labels if words is None else None, cost, dual.bound, multipliers, words, dual)


def cost_of(problem: FairClustering, distances: Floats, labels: Ints) -> float:
    """Return the weighted sum of the distances to the own clusters."""
    own = np.take_along_axis(distances, labels[:, None], axis=1)[:, 0]
    return float((problem.mass * own).sum())


def _paired(
    problem: FairClustering, form: Form, d: Floats, labels: Ints, dual: Dual, run: Run
) -> Assigned | None:
    """Two equal groups in strict proportion: exact, and proven by the prices of the paths."""
    signs = np.where(problem.attributes[0].codes == 0, 1, -1).astype(np.int64)
    price = meet_counts(d, labels, np.zeros(d.shape[1], np.int64), run, signs=signs)
    if price is None:
        return None
    multipliers, bound = to_json(problem, form, dual.y), dual.bound
    prices = np.where(signs[:, None] > 0, price, -price)
    exact = float((d + prices).min(1).sum())
    if exact > bound:
        half = float(form.mass[0])
        name = problem.attributes[0].name
        values = {name: [(price * half).tolist(), (-price * half).tolist()]}
        multipliers, bound = {"rows": "proportional", "values": values}, exact
    return Assigned(labels, cost_of(problem, d, labels), bound, multipliers, None, dual)


def _weighted(
    problem: FairClustering, form: Form, d: Floats, labels: Ints, run: Run
) -> tuple[Ints, str | None]:
    """Return labels that keep the condition with weights, and what they break if there are none.

    Whole points of any weight in strict proportion are a partition problem; here the cheapest
    clusters at the prices are tried, those of tighter thresholds, and last one cluster for all.
    """
    words = _check(problem, form, labels, d.shape[1])
    for tighter in _TIGHTER if form.kind in ("bounds", "balance", "gap") else ():
        if words is None or run.expired():
            break
        dual = maximise(form_of(problem, tighter=tighter), d, problem.mass, run)
        if dual is not None:
            labels = _cheapest(d, dual.theta, form.of)
            words = _check(problem, form, labels, d.shape[1])
    if words is not None:
        one = np.full(len(d), int((problem.mass @ d).argmin()), np.int64)
        if _check(problem, form, one, d.shape[1]) is None:
            return one, None
    return labels, words


def _fill_empty(distances: Floats, weights: Floats, labels: Ints) -> None:
    """Give each empty cluster the point that pays least for it and does not leave one empty."""
    size = np.bincount(labels, minlength=distances.shape[1])
    for c in np.flatnonzero(size == 0).tolist():
        own = np.take_along_axis(distances, labels[:, None], axis=1)[:, 0]
        more = np.where(size[labels] > 1, weights * (distances[:, c] - own), np.inf)
        i = int(more.argmin())
        if not np.isfinite(more[i]):
            return
        size[labels[i]] -= 1
        labels[i], size[c] = c, 1


def _check(problem: FairClustering, form: Form, labels: Ints, k: int) -> str | None:
    masses = np.zeros((len(form.mass), k))
    np.add.at(masses, (form.of, labels), problem.mass)
    if not problem.allow_empty and len(np.unique(labels)) < k:
        return "a cluster is empty"
    return broken(problem, form, masses)


def soft_assignment(
    problem: FairClustering,
    distances: Floats,
    run: Run,
    *,
    warm: Assigned | None = None,
    form: Form | None = None,
    tolerance: float = 1e-7,
) -> Assigned | None:
    """Assign shares of points: the optimum of the linear program up to the temperature.

    As ``fair_assignment``; ``shares`` are set, and ``labels`` are the largest of them. Small
    programs that are too degenerate for that are solved by HiGHS.
    """
    distances = np.ascontiguousarray(distances, np.float64)
    form = form_of(problem) if form is None else form
    y = None if warm is None or warm.dual is None else warm.dual.smooth
    dual = maximise(form, distances, problem.mass, run, warm=y, tolerance=tolerance)
    if dual is None:
        return None
    shares: Floats | None = None
    words: str | None = None
    for warmer in _WARMER:
        shares = shares_at(form, distances, problem.mass, run, dual, warmer=warmer)
        if shares is None:
            return None
        words = _check_shares(problem, form, shares)
        if words is None:
            break
    assert shares is not None
    cost = float((problem.mass @ (shares * distances)).sum())
    multipliers = to_json(problem, form, dual.y)
    rough = words is not None or cost - dual.bound > _CLOSE * abs(dual.bound)
    if rough and 0 < distances.size <= MOST_LINEAR and distances.max() > 0:
        from fairopt_solvers.fair_clustering.shares import solve_shares

        better, proof, _ = solve_shares(problem, distances, run)
        if better is not None and _check_shares(problem, form, tidy(better)) is None:
            shares, words = tidy(better), None
            cost = float((problem.mass @ (shares * distances)).sum())
            multipliers = multipliers if proof is None else proof
    labels = shares.argmax(1).astype(np.int64)
    return Assigned(labels, cost, dual.bound, multipliers, words, dual, shares)


def _check_shares(problem: FairClustering, form: Form, shares: Floats) -> str | None:
    """Return how shares (n, k) break the condition, or leave a cluster empty that must not be."""
    part = problem.mass[:, None] * shares
    masses = np.stack([part[form.of == t].sum(0) for t in range(len(form.mass))])
    if not problem.allow_empty and np.any(masses.sum(0) <= 1e-9 * float(problem.mass.sum())):
        return "a cluster is empty"
    return broken(problem, form, masses)


def serves(problem: FairClustering) -> bool:
    """Return whether the condition is one of those that are linear in the masses."""
    return problem.fairness.type in LINEAR
