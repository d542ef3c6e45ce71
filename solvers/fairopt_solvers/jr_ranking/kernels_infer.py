"""The fit of a logistic matrix factorisation: work in votes, not in users times comments.

Votes come as CSR: user i voted on ``item[ptr[i]:ptr[i + 1]]``, ``agrees`` holds 1 for an agreement
and 0 for anything else. Parameters are rows of ``x``, users first: a bias, then the vector, filled
up with zeros to a multiple of four, so that four products are read and written together.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from numba import types

from fairopt_solvers.jit import FLOAT, FLOATS, INT, INTS, INTS32, helper, kernel

_FLOATS_2D_OUT = types.Array(types.float64, 2, "C")

_STEP, _BETA1, _BETA2, _TINY = 0.05, 0.9, 0.999, 1e-8  # of the Adam steps (Kingma, Ba 2015)
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9 = (1 / factorial(j) for j in range(2, 10))  # of exp
_TOP = 35.0  # beyond it the logistic function is 0 or 1 as far as floats can tell


@helper
def _errors(item: Any, agrees: Any, own: Any, right: Any, error: Any) -> None:
    """Write by how much the chance of each vote of one user exceeds the vote."""
    for j in range(error.size):
        error[j] = own[0] + right[item[j], 0]
    for b in range(1, own.size, 4):
        u0, u1, u2, u3 = own[b], own[b + 1], own[b + 2], own[b + 3]
        for j in range(error.size):
            c = np.uint64(item[j])
            one = u0 * right[c, b] + u1 * right[c, b + 1]
            error[j] += one + (u2 * right[c, b + 2] + u3 * right[c, b + 3])
    for j in range(error.size):
        z = error[j]
        z = _TOP if z > _TOP else z
        z = -_TOP if z < -_TOP else z
        # exp(-z) as a power of a short series, which processors do for several votes at once;
        # the relative error is below 1e-13.
        s = z * (-1.0 / 256)
        y = _C5 + s * (_C6 + s * (_C7 + s * (_C8 + s * _C9)))
        y = 1 + s * (1 + s * (_C2 + s * (_C3 + s * (_C4 + s * y))))
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        error[j] = 1.0 / (1.0 + y) - agrees[j]


@helper
def _slopes(item: Any, error: Any, own: Any, right: Any, slope: Any, right_slope: Any) -> None:
    """Write the slope of one user and add to those of the comments."""
    total = 0.0
    for j in range(error.size):
        total += error[j]
        right_slope[item[j], 0] += error[j]
    slope[0] = total
    for b in range(1, own.size, 4):
        u0, u1, u2, u3 = own[b], own[b + 1], own[b + 2], own[b + 3]
        g0 = g1 = g2 = g3 = 0.0
        for j in range(error.size):
            c, e = np.uint64(item[j]), error[j]
            g0 += e * right[c, b]
            g1 += e * right[c, b + 1]
            g2 += e * right[c, b + 2]
            g3 += e * right[c, b + 3]
            right_slope[c, b] += e * u0
            right_slope[c, b + 1] += e * u1
            right_slope[c, b + 2] += e * u2
            right_slope[c, b + 3] += e * u3
        slope[b], slope[b + 1], slope[b + 2], slope[b + 3] = g0, g1, g2, g3


@helper
def _adam(
    x: Any, slope: Any, mean: Any, square: Any, penalty: Any, fade1: Any, fade2: Any
) -> None:  # fmt: skip
    """Make one step; ``fade1`` and ``fade2`` are the share of the start in the two averages."""
    reach, spread = _STEP / (1 - fade1), 1 / (1 - fade2)
    for p in range(x.size):
        g = slope[p] + penalty * x[p]
        m = mean[p] + (1 - _BETA1) * (g - mean[p])
        s = square[p] + (1 - _BETA2) * (g * g - square[p])
        mean[p], square[p] = m, s
        x[p] -= reach * m / (np.sqrt(spread * s) + _TINY)


@kernel((INTS, INTS32, FLOATS, FLOAT, INT, _FLOATS_2D_OUT))
def fit(ptr: Any, item: Any, agrees: Any, penalty: Any, rounds: Any, x: Any) -> None:
    """Improve the parameters ``x`` by so many Adam steps on all votes at once."""
    users, longest = ptr.size - 1, 0
    for i in range(users):
        longest = max(longest, ptr[i + 1] - ptr[i])
    error, slope = np.empty(longest), np.zeros_like(x)
    mean, square = np.zeros_like(x), np.zeros_like(x)
    fade1 = fade2 = 1.0
    for _ in range(rounds):
        right, right_slope = x[users:], slope[users:]
        right_slope[:] = 0.0
        for i in range(users):
            first, last = ptr[i], ptr[i + 1]
            wrong, mine = error[: last - first], item[first:last]
            _errors(mine, agrees[first:last], x[i], right, wrong)
            _slopes(mine, wrong, x[i], right, slope[i], right_slope)
        fade1, fade2 = fade1 * _BETA1, fade2 * _BETA2
        _adam(x.ravel(), slope.ravel(), mean.ravel(), square.ravel(), penalty, fade1, fade2)
