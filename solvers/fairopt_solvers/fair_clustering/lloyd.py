"""The unfair method ``kmeans``, and starts of the fair ones: k-means++ and Lloyd's algorithm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.fair_clustering.common import answer
from fairopt_solvers.fair_clustering.kernels_lloyd import nearest
from fairopt_solvers.fair_clustering.proven import unfair_cost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SAMPLE = 50_000  # points among which k-means++ draws
_SLICE = 20_000_000  # products of coordinates between two looks at the clock, about 0.1 s


def kmeans(
    problem: FairClustering,
    run: Run,
    *,
    starts: int = 10,
    iterations: int = 300,
    tolerance: float = 1e-4,
) -> Outcome[Clustering]:
    """Cluster without regard to fairness: Lloyd's algorithm from k-means++ starts.

    Parameters
    ----------
    starts
        Independent starts; the cheapest result counts.
    iterations
        Of each start, at most.
    tolerance
        A start ends when the squared moves of the centres add up to no more than this times
        the mean variance of the columns, or when no label changes.

    Fixed centres: each point to its nearest one. Raises ``UsageError`` where centres have to be
    chosen from a list.
    """
    if problem.mode in ("points", "candidates"):
        raise UsageError(f"kmeans needs free centres; centers is {problem.mode!r}: use kmedoids")
    if problem.mode == "fixed":
        from fairopt_solvers.fair_clustering.sites import site_costs

        found = answer(problem, site_costs(problem, None).argmin(1).astype(np.int64))
        return Outcome(found, claims=unfair_cost(problem, found))
    x, shift = centred(problem)
    best: tuple[float, Floats, Ints] | None = None
    for s in range(max(1, starts)):
        child = run.child(f"start-{s}")
        centers = plus_plus(x, problem.mass, problem.k, child)
        made = lloyd(x, problem.mass, centers, child, iterations=iterations, tolerance=tolerance)
        if made is None:
            break
        if best is None or made[0] < best[0]:
            best = made
            run.offer(answer(problem, made[2], centers=made[1] + shift), made[0])
        if run.expired():
            break
    if best is None:
        return Outcome()
    found = answer(problem, best[2], centers=best[1] + shift)
    return Outcome(found, claims=unfair_cost(problem, found))


def centred(problem: FairClustering) -> tuple[Floats, Floats]:
    """Return (points less their mean, mean)."""
    assert problem.points is not None
    shift = problem.points.mean(0)
    return np.ascontiguousarray(problem.points - shift), shift


def plus_plus(x: Floats, w: Floats, k: int, run: Run) -> Floats:
    """Return k starting centres (k, d): each the best of a few points drawn by squared distance.

    Arthur and Vassilvitskii, "k-means++" (2007), with the greedy choice among 2 + log k draws.
    Drawn from a random sample where there are very many points. Fewer distinct points than k:
    some centres coincide.
    """
    rng = run.rng
    if len(x) > _SAMPLE:
        who = np.sort(rng.choice(len(x), _SAMPLE, replace=False))
        x, w = x[who], w[who]
    trials = 2 + int(np.log(k))
    first = int(np.searchsorted(np.cumsum(w), rng.random() * w.sum(), side="right"))
    chosen = [min(first, len(x) - 1)]
    near = _squares(x, x[chosen])[0]
    for _ in range(1, k):
        law = np.cumsum(w * near)
        draws = rng.random(trials) * law[-1]
        at = np.minimum(np.searchsorted(law, draws, side="right"), len(x) - 1)
        closer = np.minimum(near, _squares(x, x[at]))
        best = int((closer @ w).argmin())
        chosen.append(int(at[best]))
        near = closer[best]
    return x[chosen].copy()


def _squares(x: Floats, c: Floats) -> Floats:
    return np.stack([((x - row) ** 2).sum(1) for row in c])


def lloyd(
    x: Floats,
    w: Floats,
    centers: Floats,
    run: Run,
    *,
    iterations: int = 300,
    tolerance: float = 1e-4,
) -> tuple[float, Floats, Ints] | None:
    """Return (cost, centres, labels) of Lloyd's algorithm from these centres.

    A cluster that loses all its points gets the point that is farthest from its own centre. None
    if the time was up before the first labels.
    """
    limit = tolerance * float(x.var(0).mean())
    labels, stable = np.full(len(x), -1, np.int64), False
    for _ in range(max(1, iterations)):
        found = _step(x, w, centers, run)
        if found is None:
            break
        new, near, sums, mass = found
        stable = bool(np.array_equal(new, labels))
        labels = new
        moved = _means(x, w, labels, near, sums, mass)
        shift = float(((moved - centers) ** 2).sum())
        centers = moved
        if stable or shift <= limit:
            break
    if not stable:
        found = _step(x, w, centers, run)
        if found is not None:
            labels = found[0]
    if labels[0] < 0:
        return None
    cost = float(w @ ((x - centers[labels]) ** 2).sum(1))
    return cost, centers, labels


def _step(
    x: Floats, w: Floats, centers: Floats, run: Run
) -> tuple[Ints, Floats, Floats, Floats] | None:
    n, (k, d) = len(x), centers.shape
    labels, near = np.empty(n, np.int64), np.empty(n)
    sums, mass = np.zeros((k, d)), np.zeros(k)
    each = max(1, _SLICE // (k * d))
    for first in range(0, n, each):
        if run.expired():
            return None
        nearest(x, w, centers, first, min(first + each, n), labels, near, sums, mass)
    return labels, near, sums, mass


def _means(x: Floats, w: Floats, labels: Ints, near: Floats, sums: Floats, mass: Floats) -> Floats:
    """Return the means; the farthest points go where nothing is."""
    empty = np.flatnonzero(mass == 0)
    if len(empty):
        count = min(len(empty), len(x))
        far = np.argpartition(-near, count - 1)[:count]
        for c, i in zip(empty.tolist(), far.tolist(), strict=False):
            own = labels[i]
            sums[own] -= w[i] * x[i]
            mass[own] -= w[i]
            sums[c], mass[c] = w[i] * x[i], w[i]
    used = mass > 0
    return np.where(used[:, None], sums / np.where(used, mass, 1.0)[:, None], x[labels.argmin()])
