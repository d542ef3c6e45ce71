"""How much an online algorithm loses at most: closed forms, enclosed rigorously.

The figures hold logarithms and the principal branch W0 of Lambert's function. They are computed
in decimals of 60 digits, whose own logarithm is correctly rounded, and handed out as floats that
are **never below** the true number and at most 1e-14 (relative) above it. So they are the same on
every machine.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from fairopt.errors import MethodError

if TYPE_CHECKING:
    from fairopt.problems.online_selection.multiclass import OnlineMulticlass

_DIGITS = 60
_GAP = Decimal("1e-30")  # relative width of the bracket around W0
_SURE = Decimal("1e-45")  # a sign is trusted beyond that
_SHOWN = Context(prec=15, rounding=ROUND_CEILING)


def competitive_ratio(problem: OnlineMulticlass) -> float:
    """Return A: no algorithm that keeps all quotas at every time guarantees OPT/ALG below it.

    With m the sum of the quotas, mu the smallest (0 without classes, or where agents without a
    class may come), b = B - m and theta = U/L: ``(1 + ln theta) B / (b + mu)`` while
    ``mu ln theta <= b``, else ``W0(theta b / mu) B / b``, which is ``theta B / mu`` for b = 0.
    Infinite if all units are promised and mu = 0. Optimal for disjoint classes.
    """
    with localcontext(Context(prec=_DIGITS)):
        return _up(_set_aside(problem))


def price_ratio(problem: OnlineMulticlass) -> float:
    """Return 1 + ln theta, the ratio without quotas."""
    with localcontext(Context(prec=_DIGITS)):
        return _up(1 + _log(problem.theta))


def robustness(problem: OnlineMulticlass) -> float:
    """Return A / (1 - trust), whatever the prediction is."""
    with localcontext(Context(prec=_DIGITS)):
        own = Decimal(1) - _decimal(Fraction(problem.trust))
        return math.inf if own <= 0 else _up(_set_aside(problem) / own)


def consistency(problem: OnlineMulticlass) -> float:
    """Return 1 / (trust + (1 - trust) / A), where following the prediction is optimal."""
    with localcontext(Context(prec=_DIGITS)):
        trust = _decimal(Fraction(problem.trust))
        ratio = _set_aside(problem)
        part = Decimal(0) if ratio.is_infinite() else (1 - trust) / ratio
        return math.inf if trust + part <= 0 else _up(1 / (trust + part))


def proportional_ratio(problem: OnlineMulticlass) -> float:
    """Return ``(1 + (K - 1)/k)(1 + ln theta)`` where k of the K classes have arrivals.

    The value ``OPT_j(b)`` that class j can get from b units is concave in b, hence at most
    ``max(1, K b / B)`` times that of an equal share B/K, of which the curve gets all but a factor
    1 + ln theta. Shares b_j with sum B make the sum of these maxima at most ``K + k - 1``. If all
    classes come this is ``(2 - 1/K)(1 + ln theta)``. Infinite if none does.
    """
    came = int((problem.arrivals > 0).sum())
    if not came:
        return math.inf
    with localcontext(Context(prec=_DIGITS)):
        share = 1 + Decimal(problem.n_classes - 1) / came
        return _up(share * (1 + _log(problem.theta)))


def _set_aside(problem: OnlineMulticlass) -> Decimal:
    units, least = problem.capacity, problem.least_quota
    free = units - problem.promised
    log = _log(problem.theta)
    if least * log <= free:
        if free + least == 0:
            return Decimal("Infinity")
        return (1 + log) * units / (free + least)
    if free == 0:
        return _decimal(problem.theta) * units / least
    return _lambert(problem.theta * free / least) * units / free


def _lambert(c: Fraction) -> Decimal:
    """Return an upper bound on W0(c) for c > 0, at most ``_GAP`` (relative) too large.

    W0 is the root of ``w + ln w - ln c``, increasing and concave: Newton's steps from the left
    stay on the left. A change of sign proves the bracket.
    """
    log = _log(c)
    w = _decimal(c / (1 + c))
    for _ in range(200):
        step = (log - w - w.ln()) / (1 + 1 / w)
        w += step
        if abs(step) <= w * _GAP / 100:
            break
    low, high = w * (1 - _GAP / 2), w * (1 + _GAP / 2)
    if not (low + low.ln() - log < -_SURE and high + high.ln() - log > _SURE):
        raise MethodError(f"no bracket around W0({float(c)})")
    return high


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _log(value: Fraction) -> Decimal:
    return _decimal(value).ln() if value != 1 else Decimal(0)


def _up(value: Decimal) -> float:
    """Return the value rounded up to 15 digits, then to a float that is not below it."""
    if value.is_infinite():
        return math.inf
    shown = _SHOWN.create_decimal(value)
    out = float(shown)
    return math.nextafter(out, math.inf) if Fraction(out) < Fraction(shown) else out
