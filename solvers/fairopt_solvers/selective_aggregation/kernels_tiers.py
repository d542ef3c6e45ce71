"""Kernels of one threshold and of the whole path."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import INT, INTS, INTS_2D, INTS_OUT, kernel


@kernel(INT(INTS_2D, INT, INTS_OUT, INTS_OUT, INTS_OUT))
def cut(level: Any, limit: Any, net: Any, order: Any, tier: Any) -> Any:
    """Set ``tier`` (n,) to the optimum at a largest level; returns how many tiers there are.

    ``net`` (zeros) and ``order`` are scratch. Items by falling net, ties to the lowest: the first
    k are a cut exactly if their nets add up to k (n - k).
    """
    n = len(net)
    for i in range(n):
        for j in range(n):
            if i != j and level[i, j] <= limit:
                net[i] += 1
                net[j] -= 1
    order[:] = np.argsort(-net, kind="mergesort")
    total, drawn = 0, 0
    for k in range(n):
        tier[order[k]] = drawn
        total += net[order[k]]
        if total == (k + 1) * (n - k - 1):
            drawn += 1
    return drawn


@kernel(INT(INTS_2D, INTS, INTS, INTS_OUT))
def birth(level: Any, order: Any, tier: Any, found: Any) -> Any:
    """Raise ``found[b]`` to the largest level of a statement across the boundary below tier b.

    ``order``: items by tier. For each item the items below it from the last tier up, with a running
    maximum that holds for every boundary passed.
    """
    n = len(order)
    for i in range(n):
        best, own = -1, tier[i]
        k = n - 1
        while k >= 0 and tier[order[k]] > own:
            here = tier[order[k]]
            while k >= 0 and tier[order[k]] == here:
                best = max(best, level[i, order[k]])
                k -= 1
            found[here - 1] = max(found[here - 1], best)
    return n
