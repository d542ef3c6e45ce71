"""Optimal free centres for few points: the best way to cut a set into fair clusters.

A hard clustering costs, for each cluster, the squared distances between its pairs divided by its
mass; no difference of large numbers is formed. Conditions that hold cluster by cluster give a
program over subsets; the gap, which looks at all clusters at once, is searched partition by
partition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_POINTS = 16
MOST_POINTS_GAP = 14
PER_CLUSTER = ("none", "proportional", "balance", "bounds")
_SLICE = 20_000_000  # pairs of subsets in one call of the kernel, about 0.1 s
_NODES = 300_000


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A way to cut the points into clusters; ``labels`` is None if there is none (or not yet).

    ``done`` says whether everything was looked at.
    """

    labels: Ints | None
    cost: float
    done: bool


def best_partition(problem: FairClustering, run: Run, start: Ints | None = None) -> Cut:
    """Return the cheapest fair partition into at most k clusters (k if none may be empty).

    At most 16 points, 14 with the gap; ``start`` holds fair labels to begin with. The cost is
    that of the centroids: weighted squared distances.
    """
    pair, mass = pair_costs(problem)
    if problem.fairness.type == "gap":
        return _by_search(problem, pair, mass, run, start)
    return _by_subsets(problem, pair, mass, run)


def pair_costs(problem: FairClustering) -> tuple[Floats, Floats]:
    """Return ``w_i w_j |x_i - x_j|^2`` (n, n) and the masses (n,)."""
    assert problem.points is not None
    x, w = problem.points, problem.mass
    difference = x[:, None, :] - x[None, :, :]
    return np.ascontiguousarray(w[:, None] * w[None, :] * (difference**2).sum(2)), w


def subset_costs(pair: Floats, mass: Floats) -> Floats:
    """Return for every bit mask what it costs as one cluster; the empty one costs 0."""
    bits = members(len(mass)).astype(np.float64)
    inner = 0.5 * ((bits @ pair) * bits).sum(1)
    weight = bits @ mass
    return np.asarray(inner / np.where(weight > 0, weight, 1.0), np.float64)


def members(n: int) -> Ints:
    """Return the (2^n, n) table of bits."""
    return (np.arange(2**n)[:, None] >> np.arange(n)[None, :]) & 1


def fair_subsets(problem: FairClustering) -> Bools:
    """Return for every bit mask whether it is a fair cluster; the empty one is.

    Whole weights are compared in integers, others within 1e-9 of the whole mass.
    """
    bits = members(problem.n)
    whole = whole_weights(problem)
    weights: Any = problem.mass if whole is None else whole
    total = bits @ weights
    out = np.ones(len(bits), bool)
    for attribute, bound in zip(problem.attributes, _bounds(problem), strict=True):
        groups = len(attribute.values)
        inside = np.stack([bits @ (weights * (attribute.codes == g)) for g in range(groups)], 1)
        out &= _fair(problem, inside, total, bound, exact=whole is not None)
    out[0] = True
    return out


def whole_weights(problem: FairClustering) -> Ints | None:
    """Return the weights as integers if all are whole and small enough for exact products."""
    mass = problem.mass
    if np.all(mass == np.rint(mass)) and float(mass.sum()) < 2.0**26:
        return mass.astype(np.int64)
    return None


def _bounds(problem: FairClustering) -> list[tuple[list[Fraction], list[Fraction]] | None]:
    if problem.fairness.type != "bounds":
        return [None] * len(problem.attributes)
    limits = problem.bounds()
    pairs = zip(limits.lower, limits.upper, strict=True)
    return [([Fraction(b) for b in low], [Fraction(a) for a in high]) for low, high in pairs]


def _fair(problem: FairClustering, inside: Any, total: Any, bound: Any, *, exact: bool) -> Bools:
    """Return which rows of group masses (s, G) with these totals (s,) satisfy the condition."""
    fairness = problem.fairness
    tolerance = 0.0 if exact else 1e-9 * float(problem.mass.sum())
    good = np.ones(len(total), bool)
    if fairness.type == "proportional":
        everything, groups = total[-1], inside[-1]  # the last mask holds every point
        difference = np.abs(everything * inside - groups * total[:, None])
        if fairness.rounding == "floor-ceil":
            good = np.all(difference <= problem.n - 1, axis=1)
        else:
            good = np.all(difference <= tolerance * everything, axis=1)
    elif fairness.type == "balance":
        ratio = Fraction(fairness.min_balance)
        least, most = inside.min(1), inside.max(1)
        good = at_least(least, ratio, most, tolerance)
    elif fairness.type == "bounds":
        for g, (low, high) in enumerate(zip(*bound, strict=True)):
            good &= at_least(inside[:, g], low, total, tolerance)
            good &= at_least(-inside[:, g], -high, total, tolerance)
    return good


def at_least(left: Any, ratio: Fraction, right: Any, tolerance: float) -> Bools:
    """Return where ``left >= ratio * right``, exactly for integer arrays."""
    if tolerance:
        return np.asarray(left + tolerance >= float(ratio) * right, bool)
    num, den = ratio.numerator, ratio.denominator
    if max(abs(num), den) >= 2**31:  # Python integers where products could overflow
        left, right = left.astype(object), right.astype(object)
    return np.asarray(den * left >= num * right, bool)


def _by_subsets(problem: FairClustering, pair: Floats, mass: Floats, run: Run) -> Cut:
    from fairopt_solvers.fair_clustering.kernels_subsets import subset_layer

    n = problem.n
    cost = np.where(fair_subsets(problem), subset_costs(pair, mass), np.inf)
    full = 2**n - 1
    before = np.full(2**n, np.inf)
    before[0] = 0.0
    chosen: list[Ints] = []
    best, layers = np.inf, 0
    for j in range(1, min(problem.k, n) + 1):
        out, part = np.full(2**n, np.inf), np.zeros(2**n, np.int64)
        first = 0
        while first < 2**n:
            if run.expired():
                return Cut(_labels(chosen, layers, full, n), best, done=False)
            # A mask has up to 2^n / 2 subsets; most have far fewer.
            last = min(2**n, first + max(1, _SLICE >> max(first.bit_length(), 1)))
            subset_layer(cost, before, first, last, out, part)
            first = last
        chosen.append(part)
        if out[full] < best and (problem.allow_empty or j == problem.k):
            best, layers = float(out[full]), j
        before = out
    return Cut(_labels(chosen, layers, full, n), best, done=True)


def _labels(chosen: list[Ints], layers: int, full: int, n: int) -> Ints | None:
    """Read the clusters back from the last layer to the first."""
    if not layers:
        return None
    labels, rest = np.zeros(n, np.int64), full
    for cluster, j in enumerate(range(layers - 1, -1, -1)):
        part = int(chosen[j][rest])
        labels[(part >> np.arange(n)) & 1 == 1] = cluster
        rest ^= part
    return labels


def gap_rows(problem: FairClustering) -> tuple[Floats, Floats, Floats]:
    """Return (plus, minus, limit): per pair of groups, crossed masses and twice the gap of them."""
    whole = whole_weights(problem)
    mass = problem.mass
    epsilon = Fraction(problem.fairness.epsilon)
    plus, minus, limit = [], [], []
    for attribute in problem.attributes:
        codes, groups = attribute.codes, len(attribute.values)
        size = np.bincount(codes, mass, groups)
        for g in range(groups):
            for h in range(g + 1, groups):
                plus.append(np.where(codes == g, mass * size[h], 0.0))
                minus.append(np.where(codes == h, mass * size[g], 0.0))
                most = 2 * epsilon * Fraction(size[g]) * Fraction(size[h])
                if whole is None:
                    limit.append(float(most) + 1e-9 * float(size[g] * size[h]))
                else:
                    limit.append(float(math.floor(most)))
    shape = (-1, problem.n)
    return np.reshape(plus, shape), np.reshape(minus, shape), np.array(limit, np.float64)


def _by_search(
    problem: FairClustering, pair: Floats, mass: Floats, run: Run, start: Ints | None
) -> Cut:
    """Search all partitions, far points first: branches end early."""
    from fairopt_solvers.fair_clustering.kernels_subsets import search_partitions

    n = problem.n
    order = _far_first(pair)
    plus, minus, limit = gap_rows(problem)
    pair, mass = np.ascontiguousarray(pair[np.ix_(order, order)]), np.ascontiguousarray(mass[order])
    plus, minus = np.ascontiguousarray(plus[:, order]), np.ascontiguousarray(minus[:, order])
    label, found = np.full(n + 1, -1, np.int64), np.full(n, -1, np.int64)
    label[n] = 0
    best = np.array([np.inf])
    if start is not None:
        begin = start[order]
        found[:] = begin
        inside = [begin == c for c in np.unique(begin)]
        best[0] = sum(pair[np.ix_(s, s)].sum() / 2 / mass[s].sum() for s in inside)
    done = False
    while not done and not run.expired():
        done = bool(
            search_partitions(
                pair, mass, plus, minus, limit, min(problem.k, n), not problem.allow_empty,
                _NODES, label, best, found,
            )
        )  # fmt: skip
    if found[0] < 0:
        return Cut(None, np.inf, done)
    labels = np.empty(n, np.int64)
    labels[order] = found
    return Cut(labels, float(best[0]), done)


def _far_first(pair: Floats) -> Ints:
    """Return the points in an order in which each is far from those before it."""
    order = [int(pair.sum(1).argmax())]
    near = pair[order[0]].copy()
    near[order[0]] = -1.0
    for _ in range(len(pair) - 1):
        order.append(int(near.argmax()))
        near = np.minimum(near, pair[order[-1]])
        near[order] = -1.0
    return np.array(order, np.int64)
