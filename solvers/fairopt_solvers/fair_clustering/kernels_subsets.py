"""Kernels of the exact methods for few points: the subset program and the search of partitions."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import (
    BOOL,
    FLOATS,
    FLOATS_2D,
    FLOATS_OUT,
    INT,
    INTS_OUT,
    helper,
    kernel,
)


@kernel(INT(FLOATS, FLOATS, INT, INT, FLOATS_OUT, INTS_OUT))
def subset_layer(cost: Any, before: Any, first: Any, last: Any, out: Any, part: Any) -> Any:
    """Add a cluster: ``out[s] = min over p of cost[p] + before[s - p]``, ``first <= s < last``.

    Sets are bit masks and ``p`` holds the lowest point of ``s``, so that each partition is met
    once. ``part[s]`` is the best ``p`` (the first one met), 0 where there is none. Returns the
    number of pairs looked at.
    """
    steps = 0
    for mask in range(max(first, 1), last):
        low = mask & -mask
        rest = mask ^ low
        best, chosen = np.inf, 0
        sub = rest
        while True:
            value = cost[sub | low] + before[rest ^ sub]
            if value < best:
                best, chosen = value, sub | low
            steps += 1
            if sub == 0:
                break
            sub = (sub - 1) & rest
        out[mask], part[mask] = best, chosen
    return steps


@helper
def _cost(pair: Any, mass: Any, label: Any, count: Any, inner: Any, weight: Any) -> Any:
    """Return what the clusters of the first ``count`` points cost; clears its scratch."""
    inner[:] = 0.0
    weight[:] = 0.0
    for i in range(count):
        c = label[i]
        weight[c] += mass[i]
        for j in range(i):
            if label[j] == c:
                inner[c] += pair[i, j]
    total = 0.0
    for c in range(len(inner)):
        if weight[c] > 0.0:
            total += inner[c] / weight[c]
    return total


@helper
def _fair(plus: Any, minus: Any, limit: Any, label: Any, n: Any, amount: Any) -> Any:
    """Return whether every row's differences, added up over clusters, stay within its limit."""
    for r in range(len(limit)):
        amount[:] = 0.0
        for i in range(n):
            amount[label[i]] += plus[r, i] - minus[r, i]
        if np.abs(amount).sum() > limit[r]:
            return False
    return True


@kernel(
    BOOL(
        FLOATS_2D, FLOATS, FLOATS_2D, FLOATS_2D, FLOATS, INT, BOOL, INT,
        INTS_OUT, FLOATS_OUT, INTS_OUT,
    )
)  # fmt: skip
def search_partitions(
    pair: Any, mass: Any, plus: Any, minus: Any, limit: Any, k: Any, full: Any, steps: Any,
    label: Any, best: Any, found: Any,
) -> Any:  # fmt: skip
    """Go on with the search of all partitions into at most ``k`` clusters; return if it is over.

    A partition is a label vector in which a new label is one above those before it. Points are
    labelled in order; a branch ends where the clusters so far cost ``best[0]`` or more, which is
    safe because a cluster's cost never falls when it gets a point.

    Parameters
    ----------
    pair
        (n, n) ``w_i w_j |x_i - x_j|^2``; a cluster costs its sum over pairs divided by its mass.
    plus, minus, limit
        Row r asks that the sum over clusters of ``|plus[r] in it - minus[r] in it|`` is at most
        ``limit[r]``.
    full
        Whether exactly ``k`` clusters are asked for.
    label
        (n + 1,) state: labels, of which the last place says how many are settled; -1 everywhere
        and 0 in the last place to begin with.
    best, found
        Cost and labels (n,) of the best partition so far; in and out.
    """
    n = len(mass)
    inner, weight = np.zeros(k), np.zeros(k)
    depth = label[n]
    while steps > 0:
        steps -= 1
        if depth == n:
            total = _cost(pair, mass, label, n, inner, weight)
            if total < best[0] and _fair(plus, minus, limit, label, n, inner):
                best[0] = total
                for i in range(n):
                    found[i] = label[i]
            depth -= 1
        used = 0
        for i in range(depth):
            used = max(used, label[i] + 1)
        placed = False
        for c in range(label[depth] + 1, min(used + 1, k)):
            if full and max(used, c + 1) + (n - depth - 1) < k:
                continue
            label[depth] = c
            if _cost(pair, mass, label, depth + 1, inner, weight) < best[0]:
                placed = True
                break
        if placed:
            depth += 1
            if depth < n:
                label[depth] = -1
        else:
            depth -= 1
            if depth < 0:
                return True
    label[n] = depth
    return False
