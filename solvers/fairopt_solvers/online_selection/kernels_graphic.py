"""First fit for graphs: one union-find a level, level-minor, in 32-bit cells.

The general kernel of ``kernels_levels`` does the same for every kind of matroid; this one is three
to five times faster on graphs, which are the large instances.
"""

from __future__ import annotations

from typing import Any

from numba import types

from fairopt_solvers.jit import INT, INTS, INTS_OUT, helper, kernel

FOREST = types.Array(types.int32, 1, "C", readonly=False)
"""Cell ``v * levels + j``: the parent of v in level j, or minus the size of the tree of a root."""


@helper
def root(forest: Any, levels: Any, j: Any, v: Any) -> Any:
    """Return the root of v in level j, halving the path."""
    while True:
        p = forest[v * levels + j]
        if p < 0:
            return v
        g = forest[p * levels + j]
        if g < 0:
            return types.int64(p)
        forest[v * levels + j] = g
        v = types.int64(g)


@kernel(INT(INTS, INTS, FOREST, INT, INTS, INT, INT, INTS_OUT, INTS_OUT))
def fit_edges(tail, head, forest, levels, order, start, limit, colour, used):  # type: ignore[no-untyped-def]
    """Put the edges of ``order[start:]`` each into the first level in which it closes no cycle.

    ``colour[e]`` becomes the level plus one, or 0 for a self-loop and where no level below
    ``limit`` fits; ``used[0]`` is the number of levels in use. Spans are nested, so the level is
    found by doubling steps and bisection. Returns how far it came: less than ``order.size`` if a
    further level is needed than the forest has.
    """
    for at in range(start, order.size):
        e = order[at]
        u, v = tail[e], head[e]
        colour[e] = 0
        if u == v:
            continue
        low, high = -1, 0
        a, b, place = u, v, -1  # the roots in level ``place``
        while high < used[0]:
            a, b, place = root(forest, levels, high, u), root(forest, levels, high, v), high
            if a != b:
                break
            low = high
            high = 2 * high + 1
        high = min(high, used[0])
        while high - low > 1:
            middle = (low + high) // 2
            x, y = root(forest, levels, middle, u), root(forest, levels, middle, v)
            if x != y:
                high, a, b, place = middle, x, y, middle
            else:
                low = middle
        if high >= limit:
            continue
        if high == used[0]:
            if high == levels:
                return at
            used[0] += 1
        if place != high:
            a, b = root(forest, levels, high, u), root(forest, levels, high, v)
        i, k = a * levels + high, b * levels + high
        if forest[i] > forest[k]:  # the tree of a is the smaller one
            forest[k] += forest[i]
            forest[i] = b
        else:
            forest[i] += forest[k]
            forest[k] = a
        colour[e] = high + 1
    return order.size
