"""Kernel of the dual of the fair assignment: value, masses and curvature in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from fairopt_solvers.fair_clustering.kernels_lloyd import FLOATS_2D_OUT
from fairopt_solvers.jit import FLOAT, FLOATS, FLOATS_2D, FLOATS_OUT, INT, INTS, kernel

FLOATS_3D_OUT = types.Array(types.float64, 3, "C", readonly=False)

_FAR = 36.0  # exp(-36) is below the rounding of 1


@kernel(
    INT(FLOATS_2D, INTS, FLOATS, FLOATS_2D, FLOAT, INT, INT, FLOATS_OUT, FLOATS_2D_OUT,
        FLOATS_3D_OUT)
)  # fmt: skip
def evaluate(
    d: Any,
    kind: Any,
    w: Any,
    theta: Any,
    heat: Any,
    first: Any,
    last: Any,
    value: Any,
    mass: Any,
    curve: Any,
) -> Any:
    """Add the part of points ``first..last-1`` to the smoothed and the plain dual.

    Point i of kind t = kind[i] pays r_k = d[i, k] + theta[t, k] in cluster k; smoothed minimum
    ``-heat log sum_k exp(-r_k / heat)``, with shares p_k.

    Parameters
    ----------
    d
        (n, k).
    kind, w
        (n,) row of ``theta``, weight.
    heat
        Positive.
    value
        (3,) += the smoothed sum, the sum of w min_k r_k, and that of w sum_k p_k r_k.
    mass
        (kinds, k) += w p.
    curve
        (kinds, k, k) += w (diag(p) - p p'): minus ``heat`` times the second derivative.
    """
    k = d.shape[1]
    p = np.empty(k)
    who = np.empty(k, np.int64)
    smooth = plain = paid = 0.0
    for i in range(first, last):
        t = kind[i]
        low = d[i, 0] + theta[t, 0]
        for j in range(k):
            r = d[i, j] + theta[t, j]
            p[j] = r
            if r < low:
                low = r
        count, total = 0, 0.0
        for j in range(k):
            z = (p[j] - low) / heat
            if z < _FAR:
                e = np.exp(-z) if z > 0.0 else 1.0
                p[count] = e
                who[count] = j
                total += e
                count += 1
        plain += w[i] * low
        if count == 1:
            smooth += w[i] * low
            paid += w[i] * low
            mass[t, who[0]] += w[i]
            continue
        smooth += w[i] * (low - heat * np.log(total))
        for a in range(count):
            p[a] /= total
            paid += w[i] * p[a] * (d[i, who[a]] + theta[t, who[a]])
        for a in range(count):
            wp = w[i] * p[a]
            row = curve[t, who[a]]
            mass[t, who[a]] += wp
            row[who[a]] += wp
            for b in range(count):
                row[who[b]] -= wp * p[b]
    value[0] += smooth
    value[1] += plain
    value[2] += paid
    return last
