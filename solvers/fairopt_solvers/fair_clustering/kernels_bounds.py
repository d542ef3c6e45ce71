"""Kernels of the bounds: savings of sites at given prices, transforms of transport potentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import FLOAT, FLOATS, FLOATS_2D, FLOATS_OUT, helper, kernel


@kernel((FLOATS_2D, FLOATS, FLOATS_OUT))
def savings(cost: Any, price: Any, out: Any) -> None:
    """Set ``out[j] = - sum over i of max(0, price[i] - cost[j, i])`` (sites x points)."""
    for j in range(cost.shape[0]):
        total = 0.0
        for i in range(cost.shape[1]):
            more = price[i] - cost[j, i]
            if more > 0.0:
                total += more
        out[j] = -total


@helper
def _square(x: Any, i: Any, y: Any, j: Any) -> Any:
    total = 0.0
    for a in range(x.shape[1]):
        difference = x[i, a] - y[j, a]
        total += difference * difference
    return total


@kernel((FLOATS_2D, FLOATS_2D, FLOATS, FLOATS_OUT))
def transform(x: Any, y: Any, potential: Any, out: Any) -> None:
    """Set ``out[i] = min over j of |x_i - y_j|^2 - potential[j]``."""
    for i in range(len(x)):
        best = np.inf
        for j in range(len(y)):
            value = _square(x, i, y, j) - potential[j]
            if value < best:
                best = value
        out[i] = best


@kernel((FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, FLOAT, FLOATS_OUT))
def soft_transform(x: Any, y: Any, potential: Any, share: Any, heat: Any, out: Any) -> None:
    """Set ``out`` to the smoothed transform, where ``y_j`` has the share ``share[j]`` of a mass.

    The minimum becomes ``-heat log sum over j of share[j] exp((potential[j] - |.|^2) / heat)``.
    """
    row = np.empty(len(y))
    for i in range(len(x)):
        top = -np.inf
        for j in range(len(y)):
            row[j] = potential[j] - _square(x, i, y, j)
            if row[j] > top:
                top = row[j]
        total = 0.0
        for j in range(len(y)):
            total += share[j] * np.exp((row[j] - top) / heat)
        out[i] = -(top + heat * np.log(total))
