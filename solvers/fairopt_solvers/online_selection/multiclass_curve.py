"""The price curve of set-aside: how much of the free units a value may use up.

The free units ``b`` get dearer as they are used: the first ``flat`` of them cost L, then the price
grows by ``exp(A/B)`` a unit and reaches U at ``b``. All in floats; decisions are cut to what is
really there, in integers, by whoever uses the curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from fairopt.problems.online_selection.multiclass import OnlineMulticlass


@dataclass(frozen=True, slots=True)
class Curve:
    """How many free units a value may use up, as a function of ln(value / L).

    Parameters
    ----------
    ratio
        A, what the curve guarantees.
    free
        b, the units not promised.
    flat
        Units that cost L.
    start
        ln(v0 / L), where v0 is the price after ``flat``; values below get nothing.
    slope
        B / A: units for each e-fold of the price.
    """

    ratio: float
    free: float
    flat: float
    start: float
    slope: float

    def level(self, log_value: float) -> float:
        """Return the largest use of free units at which the value pays the price."""
        if log_value < self.start:
            return 0.0
        return min(self.free, self.flat + self.slope * (log_value - self.start))


def set_aside_curve(problem: OnlineMulticlass) -> Curve:
    """Return the curve beside the reserve for quotas, with the best ratio A.

    m is the sum of the quotas, mu the smallest that surely helps. While ``mu ln theta <= b`` the
    curve begins at L; otherwise the promised units alone are worth more, and it begins at
    ``v0 = A mu L / B`` with A from Lambert's W0.
    """
    units, mu = problem.capacity, problem.least_quota
    free = units - problem.promised
    log = log_of(problem.theta)
    if free == 0:
        ratio = float(problem.theta) * units / mu if mu else math.inf
        return Curve(ratio, 0.0, 0.0, 0.0, 0.0)
    if mu * log <= free:
        ratio = (1 + log) * units / (free + mu)
        return Curve(ratio, free, units / ratio - mu, 0.0, units / ratio)
    ratio = lambert(log + math.log(free / mu)) * units / free
    return Curve(ratio, free, 0.0, math.log(ratio * mu / units), units / ratio)


def plain_curve(units: float, log_theta: float) -> Curve:
    """Return the curve without quotas: ratio 1 + ln theta."""
    slope = units / (1 + log_theta)
    return Curve(1 + log_theta, units, slope, 0.0, slope)


def lambert(log: float) -> float:
    """Return W0(exp(log)), the root of ``w + ln w = log``, by Newton's steps from the left."""
    small = math.exp(min(log, 0.0))
    w = small / (1 + small)
    for _ in range(100):
        step = (log - w - math.log(w)) / (1 + 1 / w)
        w += step
        if abs(step) <= 1e-16 * w:
            break
    return w


def log_of(value: Fraction) -> float:
    """Return the logarithm of a positive rational of any size."""
    try:
        return math.log(value)
    except (OverflowError, ValueError):
        return math.log(value.numerator) - math.log(value.denominator)
