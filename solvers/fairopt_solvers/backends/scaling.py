"""Objectives are scaled before a backend sees them, and mapped back exactly.

Backends have absolute tolerances: improvements below 1e-6 are ignored, so an objective in
millionths would come back "optimal" with a wrong value and an equal wrong bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.rational import Exact, Rational, whole
from fairopt_solvers.backends.model import BackendRefusal, Floats, LinearModel

TOLERANCE = Fraction(1, 10**6)  # what backends leave undecided, in the scale they are given
RELATIVE = Fraction(1, 10**9)
_FLOAT_NOISE = Fraction(1, 10**15)  # relative error of a backend's own sums
_EXACT = 2.0**53
_INT64 = 2.0**62
_LP_TOP_BITS = 10
_TOP_BITS = 30  # the largest coefficient a backend gets is about 2^30
_SPARE_BITS = 10  # but integers are divided by at most 2^10: units stay far above 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Costs to minimise, and how they relate to the objective.

    Attributes
    ----------
    factor
        ``costs`` = factor * objective, and another sign when maximising.
    costs
        Floats; Python integers' int64 for a backend that takes integers only.
    unit
        Values in this scale are multiples of it; None when unknown or below the tolerance.
    loss
        Absolute error, in the objective's units, that rounding the costs to floats may cause.
    """

    factor: Fraction
    costs: NDArray[Any]
    unit: Fraction | None
    loss: Fraction
    maximize: bool

    @staticmethod
    def of(model: LinearModel) -> Scaling:
        """Return the scaling for a backend that computes in floats.

        To integers when totals stay below 2^53; else by the power of two that brings the
        smallest coefficient to at least 1, or the largest to at most 2^30 if that is less.
        """
        num, den, unit = model.objective.num, model.objective.den, model.unit()
        sign = -1 if model.maximize else 1
        top = max((abs(v) for v in num.tolist()), default=0)
        if not top:
            return Scaling(
                Fraction(1), np.zeros(len(num)), Fraction(1), Fraction(0), bool(sign < 0)
            )
        ints, common = _coprime(num)
        reach = _reach(model)
        largest = top // common
        total = (
            float(np.dot(np.abs(ints.astype(np.float64)), reach)) if largest < 2**1000 else math.inf
        )
        if total < _EXACT or (math.isinf(total) and largest <= 2**_TOP_BITS):
            down = min(max(0, largest.bit_length() - _TOP_BITS), _SPARE_BITS)
            factor = Fraction(den, common << down)
            costs = np.ldexp(ints.astype(np.float64), -down) * sign
            return Scaling(factor, costs, _usable(unit, factor), Fraction(0), model.maximize)
        smallest = min(abs(v) for v in num.tolist() if v)
        shift = min(-_floor_log2(smallest, den), _TOP_BITS - 1 - _floor_log2(top, den))
        return Scaling._power(model, shift, unit)

    @staticmethod
    def continuous(model: LinearModel) -> Scaling:
        """Return the scaling for an LP: the largest coefficient is about 2^10.

        Nothing lies on a grid there, and simplex and crossover crawl under large costs, against
        which their absolute tolerances are far too tight.
        """
        top = max((abs(v) for v in model.objective.num.tolist()), default=0)
        if not top:
            return Scaling.of(model)
        shift = _LP_TOP_BITS - 1 - _floor_log2(top, model.objective.den)
        return Scaling._power(model, shift, None)

    @staticmethod
    def _power(model: LinearModel, shift: int, unit: Fraction | None) -> Scaling:
        """Return the scaling by 2^shift, and what rounding the coefficients to floats loses."""
        factor = Fraction(2) ** shift
        costs = _times_power(model.objective, shift)
        lost = float(np.dot(np.abs(costs), _reach(model))) * 2.0**-51
        loss = Fraction(lost) if math.isfinite(lost) else Fraction(0)
        exact_enough = math.isfinite(lost) and loss < TOLERANCE / 2
        known = _usable(unit, factor) if exact_enough else None
        sign = -1 if model.maximize else 1
        return Scaling(factor, costs * sign, known, loss / factor, model.maximize)

    @staticmethod
    def integers(model: LinearModel, backend: str) -> Scaling:
        """Return the scaling to coprime int64 costs, for a backend that takes integers only.

        Raises ``BackendRefusal``, naming the scale, when totals would not fit.
        """
        _refuse_columns(model, backend)
        ints, common = _coprime(model.objective.num)
        factor = Fraction(model.objective.den, common)
        largest = max((abs(v) for v in ints.tolist()), default=0)
        total = math.inf
        if largest < _INT64:
            total = float(np.dot(np.abs(ints.astype(np.float64)), _reach(model)))
        if not total < _INT64:
            raise BackendRefusal(
                f"{backend}: the objective times {_shown(factor)} is integral, but its totals do "
                "not fit into 62 bits"
            )
        costs = ints.astype(np.int64) * (-1 if model.maximize else 1)
        return Scaling(factor, costs, _usable(model.unit(), factor), Fraction(0), model.maximize)

    # -- there and back -----------------------------------------------------------------

    def given(self, value: Rational) -> Fraction:
        """Return an objective value in the backend's scale, minimising."""
        scaled = Fraction(value) * self.factor
        return -scaled if self.maximize else scaled

    def back(self, given: Fraction) -> Rational:
        """Return a value of the backend's scale in the objective's units."""
        value = given / self.factor
        return whole(-value if self.maximize else value)

    def back_float(self, given: float) -> float:
        """Return ``back`` in floats, for display."""
        return float(given / self.factor) * (-1 if self.maximize else 1)

    def close(self, claimed: float, value: Rational) -> bool:
        """Return whether a backend's objective agrees with the recomputed value."""
        if not math.isfinite(claimed):
            return False
        given = self.given(value)
        allowed = TOLERANCE + abs(given) * _FLOAT_NOISE * 10 + self.loss * self.factor
        if self.unit is None:
            allowed = max(allowed, abs(given) * RELATIVE)
        return abs(Fraction(claimed) - given) <= allowed

    def bound(self, claimed: float | int | None) -> Rational | None:
        """Return a backend's lower bound in the objective's units; on a grid rounded safely up.

        The claim may be too high by 1e-6 and by the noise of float sums; it is lowered by that
        much before it is rounded, so that the grid point is never beyond the true bound.
        """
        if claimed is None or not math.isfinite(claimed) or abs(claimed) >= 1e30:
            return None
        given = Fraction(claimed)
        if self.unit is not None:
            doubt = TOLERANCE + abs(given) * _FLOAT_NOISE + self.loss * self.factor
            given = math.ceil((given - doubt) / self.unit) * self.unit
        return self.back(given)

    def slack(self, value: Rational) -> Rational:
        """Return the absolute error that a claim about ``value`` admits; 0 on a known grid."""
        if self.unit is not None:
            return 0
        return max(TOLERANCE / self.factor, RELATIVE * abs(Fraction(value))) + self.loss

    def snap(self, value: Rational) -> Rational:
        """Return the grid point if ``value`` is within the tolerance of one."""
        if self.unit is None:
            return value
        given = self.given(value)
        nearest = round(given / self.unit) * self.unit
        return self.back(nearest) if abs(nearest - given) <= TOLERANCE else value

    def duals(self, y: Floats | None) -> Floats | None:
        """Return multipliers in the objective's units and sense."""
        if y is None:
            return None
        return np.asarray(y * (float(1 / self.factor) * (-1 if self.maximize else 1)) + 0.0)


def _coprime(num: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return the numerators divided by their greatest common divisor, and the divisor."""
    common = math.gcd(*num.tolist()) if len(num) else 0
    common = common or 1
    return (num // common if common != 1 else num), common


def _refuse_columns(model: LinearModel, backend: str) -> None:
    """Refuse columns that bounded integers cannot be."""
    if not model.integer.all():
        raise BackendRefusal(f"{backend}: column {int(np.argmin(model.integer))} is continuous")
    wide = ~(np.maximum(np.abs(model.lower), np.abs(model.upper)) < _EXACT)
    if wide.any():
        j = int(np.argmax(wide))
        raise BackendRefusal(
            f"{backend}: column {j} has bounds [{model.lower[j]}, {model.upper[j]}]; "
            "finite ones below 2^53 are needed"
        )


def _reach(model: LinearModel) -> Floats:
    """Return the largest absolute value of each column; 0 where there is no cost."""
    reach = np.maximum(np.abs(model.lower), np.abs(model.upper))
    return np.where(np.asarray(model.objective.num != 0, bool), reach, 0.0)


def _usable(unit: Fraction | None, factor: Fraction) -> Fraction | None:
    """Return the unit in the backend's scale, None when tolerances would blur it."""
    if unit is None or unit * factor < 8 * TOLERANCE:
        return None
    return unit * factor


def _floor_log2(num: int, den: int) -> int:
    """Return floor(log2(|num| / den)), exactly."""
    num = abs(num)
    k = num.bit_length() - den.bit_length()
    above = num >= den << k if k >= 0 else num << -k >= den
    return k if above else k - 1


def _times_power(objective: Exact, shift: int) -> Floats:
    """Return the nearest floats of objective * 2^shift; no intermediate can overflow."""
    up, down = max(shift, 0), max(-shift, 0)
    num, den = objective.num, objective.den
    if num.dtype != object and den.bit_length() < 900 and abs(shift) < 900:
        return np.asarray(np.ldexp(num.astype(np.float64) / float(den), shift), np.float64)
    values = {v: float(Fraction(int(v) << up, den << down)) for v in set(num.tolist())}
    return np.array([values[v] for v in num.tolist()], np.float64)


def _shown(factor: Fraction) -> str:
    text = str(factor)
    return text if len(text) <= 40 else f"{text[:20]}… ({len(text)} digits)"
