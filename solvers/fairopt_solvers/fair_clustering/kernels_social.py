"""Kernel of socially fair centres: weight moved from one group to another until both cost alike."""

from __future__ import annotations

from typing import Any

from numba import types

from fairopt_solvers.jit import FLOAT, FLOATS, FLOATS_2D, INT, kernel

FLOATS_3D = types.Array(types.float64, 3, "C", readonly=True)

_HALVINGS = 60  # of the search; beyond the digits of a float


@kernel(FLOAT(FLOATS, INT, INT, INT, FLOAT))
def _weight(weights: Any, g: Any, low: Any, high: Any, step: Any) -> Any:
    """Return the weight of a group after the move."""
    if g == low:
        return weights[g] - step
    if g == high:
        return weights[g] + step
    return weights[g]


@kernel(FLOAT(FLOATS_2D, FLOATS_3D, FLOATS, FLOATS_2D, FLOATS, INT, INT))
def transfer(mass: Any, sums: Any, least: Any, old: Any, weights: Any, low: Any, high: Any) -> Any:
    """Return how much weight goes from ``low`` to ``high`` until they cost the same, or all of it.

    ``mass`` (G, k), ``sums`` (G, k, d), ``least`` (G,), ``old`` centres (k, d), ``weights`` (G,).
    The difference of the costs falls with the weight moved; by bisection.
    """
    groups, clusters, d = sums.shape
    begin, end = 0.0, weights[low]
    for _ in range(_HALVINGS):
        step = 0.5 * (begin + end)
        if step <= begin or step >= end:
            break
        difference = least[high] - least[low]
        for c in range(clusters):
            here, plain = 0.0, 0.0
            for g in range(groups):
                here += _weight(weights, g, low, high, step) * mass[g, c]
                plain += mass[g, c]
            for a in range(d):
                total, whole = 0.0, 0.0
                for g in range(groups):
                    total += _weight(weights, g, low, high, step) * sums[g, c, a]
                    whole += sums[g, c, a]
                center = old[c, a]
                if here > 0.0:
                    center = total / here
                elif plain > 0.0:
                    center = whole / plain
                if mass[high, c] > 0.0:
                    difference += mass[high, c] * (sums[high, c, a] / mass[high, c] - center) ** 2
                if mass[low, c] > 0.0:
                    difference -= mass[low, c] * (sums[low, c, a] / mass[low, c] - center) ** 2
        if difference > 0.0:
            begin = step
        else:
            end = step
    return end
