"""Kernels of the alternation: distances to centres, one step of Lloyd's algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from fairopt_solvers.jit import FLOAT, FLOATS, FLOATS_2D, FLOATS_OUT, INT, INTS_OUT, kernel

FLOATS_2D_OUT = types.Array(types.float64, 2, "C", readonly=False)

SQUARED, EUCLIDEAN, MANHATTAN = 0, 1, 2


@kernel(INT(FLOATS_2D, FLOATS_2D, INT, INT, INT, FLOATS_2D_OUT))
def fill_distances(x: Any, c: Any, metric: Any, first: Any, last: Any, out: Any) -> Any:
    """Set ``out[first:last]`` to the distances of these points to all centres.

    ``metric``: 0 squared Euclidean, 1 Euclidean, 2 Manhattan. Coordinate by coordinate, without
    cancellation.
    """
    d = x.shape[1]
    for i in range(first, last):
        for k in range(c.shape[0]):
            total = 0.0
            if metric == MANHATTAN:
                for a in range(d):
                    total += abs(x[i, a] - c[k, a])
            else:
                for a in range(d):
                    gap = x[i, a] - c[k, a]
                    total += gap * gap
                if metric == EUCLIDEAN:
                    total = np.sqrt(total)
            out[i, k] = total
    return last


@kernel(
    FLOAT(FLOATS_2D, FLOATS, FLOATS_2D, INT, INT, INTS_OUT, FLOATS_OUT, FLOATS_2D_OUT, FLOATS_OUT)
)
def nearest(
    x: Any,
    w: Any,
    c: Any,
    first: Any,
    last: Any,
    labels: Any,
    near: Any,
    sums: Any,
    mass: Any,
) -> Any:
    """Put points ``first..last-1`` to their nearest centres (squared distance, ties to the lowest).

    Sets ``labels`` and ``near`` (squared distances, not weighted), adds ``w x`` to ``sums``
    (k, d) and ``w`` to ``mass`` (k,); returns the weighted cost.
    """
    d = x.shape[1]
    cost = 0.0
    for i in range(first, last):
        best, at = np.inf, 0
        for k in range(c.shape[0]):
            total = 0.0
            for a in range(d):
                gap = x[i, a] - c[k, a]
                total += gap * gap
            if total < best:
                best, at = total, k
        labels[i] = at
        near[i] = best
        cost += w[i] * best
        mass[at] += w[i]
        for a in range(d):
            sums[at, a] += w[i] * x[i, a]
    return cost
