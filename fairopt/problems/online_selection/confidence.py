"""Certified lower confidence limits of probabilities, without SciPy, rounded down.

References
----------
Clopper, Pearson, "The use of confidence or fiducial limits", Biometrika 1934.
Maurer, Pontil, "Empirical Bernstein bounds and sample-variance penalization", COLT 2009.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fairopt.problems.online_selection.answer import Estimate

DELTA = Fraction(1, 100)  # all limits hold together with probability 99 %
GRID = 10**9  # limits are multiples of 1/GRID
_SAFETY = 1e-6  # relative error granted to the float sums (they are good to about 1e-9)


def tail(successes: int, runs: int, chance: float) -> float:
    """Return an upper bound of P[Bin(runs, chance) >= successes], for chance < successes/runs.

    Summed from the largest term on; what is left is at most a geometric series.
    """
    if successes <= 0:
        return 1.0
    if chance <= 0.0:
        return 0.0
    odds = chance / (1.0 - chance)
    first = (
        math.lgamma(runs + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(runs - successes + 1)
        + successes * math.log(chance)
        + (runs - successes) * math.log1p(-chance)
    )
    steps = min(runs - successes, 200 + 20 * math.isqrt(runs))
    j = np.arange(successes, successes + steps, dtype=np.float64)
    ratios = (runs - j) / (j + 1.0) * odds
    terms = np.cumprod(ratios)
    total = 1.0 + float(terms.sum())
    if steps < runs - successes:
        last = float((runs - successes - steps) / (successes + steps + 1.0) * odds)
        total += float(terms[-1]) * last / (1.0 - last)
    return math.exp(min(first, 0.0)) * total * (1.0 + _SAFETY)


def clopper_pearson(successes: int, runs: int, delta: Fraction) -> Fraction:
    """Return a lower limit of a probability: it is above the truth with chance at most ``delta``.

    The largest multiple p of 1/``GRID`` with P[Bin(runs, p) >= successes] <= delta, which is
    the ``delta`` quantile of Beta(successes, runs - successes + 1) rounded down; 0 for none.
    """
    if successes <= 0:
        return Fraction(0)
    goal = float(delta) * (1.0 - 1e-12)
    low, high = 0, (successes * GRID - 1) // runs  # the tail of `low` is small enough
    while low < high:
        middle = (low + high + 1) // 2
        if tail(successes, runs, middle / GRID) <= goal:
            low = middle
        else:
            high = middle - 1
    return Fraction(low, GRID)


def bernstein(total: float, squares: float, runs: int, delta: Fraction) -> Fraction:
    """Return a lower limit of the mean of values in [0, 1] from their sum and sum of squares.

    mean - sqrt(2 V ln(2/delta) / runs) - 7 ln(2/delta) / (3 (runs - 1)) with the sample
    variance V; rounded down, 0 if nothing follows.
    """
    if runs < 2:
        return Fraction(0)
    mean = total / runs
    variance = max(0.0, (squares - runs * mean * mean) / (runs - 1)) + 1e-12
    log = math.log(2.0 / float(delta))
    limit = mean - math.sqrt(2.0 * variance * log / runs) - 7.0 * log / (3.0 * (runs - 1))
    return Fraction(max(0, math.floor((limit - 1e-9) * GRID)), GRID)


def lower_limit(found: Estimate, elements: Iterable[int]) -> Fraction:
    """Return the smallest of simultaneous lower confidence limits of these elements.

    All n limits, not only those of the elements asked for, hold together with 99 %.
    """
    delta = DELTA / max(len(found.counts), 1)
    if found.sums:
        return min(bernstein(found.sums[e], found.squares[e], found.runs, delta) for e in elements)
    fewest = min(int(found.counts[e]) for e in elements)
    return clopper_pearson(fewest, found.runs, delta)
