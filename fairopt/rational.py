"""Exact rational numbers: read, write, scale to integers, add up in bulk.

A number of an instance is an int, a decimal (taken from its decimal text, so ``0.1`` is
1/10), or a text ``"p/q"``. Texts are limited in size, because ``Fraction("1e9999999")``
alone would keep a machine busy for seconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError

Rational = int | Fraction

MAX_DIGITS = 400
RESULT_DIGITS = 4000  # of numbers in a solution, which are sums of many (Python's own limit: 4300)
MAX_EXPONENT = 400
_HUGE = Fraction(10**250)
_INT64_SAFE = 2**62  # sums of that many units cannot overflow an int64
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def parse(value: object, where: str = "", *, digits: int = MAX_DIGITS) -> Rational:
    """Return ``value`` as an exact number: an ``int`` if it is whole, else a ``Fraction``.

    Accepts ints, floats (by their shortest decimal text), ``Decimal``, ``Fraction`` and texts
    ``"12"``, ``"0.5"``, ``"1e-3"``, ``"2/3"``, of at most that many ``digits``. Raises
    ``InstanceError`` at ``where`` otherwise.
    """
    if isinstance(value, bool | np.bool_):
        raise InstanceError(where, f"expected a number, got {str(value).lower()}")
    if isinstance(value, int | np.integer):
        number: Rational = int(value)
        if abs(number) >= 10 ** (digits + MAX_EXPONENT):  # what a text could have said
            raise InstanceError(where, f"a number may have at most {digits} digits")
        return number
    if isinstance(value, Fraction):
        return whole(value)
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise InstanceError(where, f"expected a finite number, got {value}")
        return _decimal(repr(float(value)), where, digits)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InstanceError(where, f"expected a finite number, got {value}")
        return _decimal(str(value), where, digits)
    if isinstance(value, str):
        text = value.strip()
        if "/" in text:
            top, _, bottom = text.partition("/")
            if re.fullmatch(r"[+-]?\d+", top) and re.fullmatch(r"\d+", bottom):
                if max(len(top), len(bottom)) > digits + 1:
                    raise InstanceError(where, f"a number may have at most {digits} digits")
                if int(bottom) == 0:
                    raise InstanceError(where, f"division by zero in {text!r}")
                return whole(Fraction(int(top), int(bottom)))
        else:
            return _decimal(text, where, digits)
    shown = repr(value)
    raise InstanceError(where, f"expected a number, got {shown[:60]}")


def _decimal(text: str, where: str, digits: int) -> Rational:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise InstanceError(where, f"expected a number, got {text[:60]!r}")
    if len(match[1]) > digits + 1:
        raise InstanceError(where, f"a number may have at most {digits} digits")
    exponent = match[2] or "e0"
    if len(exponent) > 6 or abs(int(exponent[1:])) > MAX_EXPONENT:
        raise InstanceError(where, f"an exponent may be at most {MAX_EXPONENT}")
    return whole(Fraction(text))


def whole(value: Rational) -> Rational:
    """Return an ``int`` when ``value`` is whole, else the ``Fraction`` itself."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def text(value: Rational) -> str:
    """Return the lowest-terms text, ``"2/3"`` or ``"1"``."""
    return str(Fraction(value))


def exactly(value: int | Fraction | float) -> Rational:
    """Return the exact value of a number, a float read as the binary fraction that it is."""
    return whole(Fraction(value))


def common_denominator(values: Iterable[Rational]) -> int:
    """Return the least common denominator (1 for no values)."""
    return math.lcm(*{Fraction(v).denominator for v in values})


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """A read-only vector of rationals with one denominator: value k is ``num[k] / den``.

    ``num`` is int64 when the sum of absolute values stays below 2^62, so that no sum over
    distinct entries overflows; otherwise an object array of Python ints. Build it with ``of``.
    """

    num: NDArray[Any]
    den: int

    @staticmethod
    def of(values: Sequence[Rational] | NDArray[Any]) -> Exact:
        """Return the vector of these exact numbers (an integer array is taken as it is)."""
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
            return Exact._frozen(values, 1)
        distinct: dict[Rational, int] = dict.fromkeys(values, 0)
        den = common_denominator(distinct)
        for value in distinct:
            distinct[value] = int(value * den)
        num = np.empty(len(values), dtype=object)
        num[:] = [distinct[value] for value in values]
        return Exact._frozen(num, den)

    @staticmethod
    def _frozen(num: NDArray[Any], den: int) -> Exact:
        if num.dtype == object or num.dtype.kind == "u":
            total = sum(abs(int(v)) for v in num.tolist())
            kind: Any = np.int64 if total < _INT64_SAFE else object
            num = np.array(num, dtype=kind)
        else:
            num = np.array(num, dtype=np.int64)
            if num.size and float(np.abs(num.astype(np.float64)).sum()) >= _INT64_SAFE:
                num = num.astype(object)
        num.setflags(write=False)
        return Exact(num, den)

    def __len__(self) -> int:
        return len(self.num)

    def __getitem__(self, k: int) -> Rational:
        return whole(Fraction(int(self.num[k]), self.den))

    def take(self, index: NDArray[Any]) -> Exact:
        """Return the sub-vector at ``index`` (positions or a mask)."""
        return Exact._frozen(self.num[index], self.den)

    def total(self, mask: NDArray[np.bool_] | None = None) -> Rational:
        """Return the exact sum, over all entries or those of ``mask``."""
        part = self.num if mask is None else self.num[mask]
        return whole(Fraction(int(part.sum()) if part.size else 0, self.den))

    def floats(self) -> NDArray[np.float64]:
        """Return the nearest floats (for relaxations and statistics, never for a threshold)."""
        if self.num.dtype == object:
            return np.array([_near(Fraction(int(v), self.den)) for v in self.num], np.float64)
        return np.asarray(self.num / float(self.den), np.float64)

    def to_list(self) -> list[Rational]:
        """Return the entries as ints and Fractions."""
        if self.den == 1:
            return [int(v) for v in self.num.tolist()]
        return [whole(Fraction(int(v), self.den)) for v in self.num.tolist()]


def _near(value: Fraction) -> float:
    """Return the nearest float, at most 1e250: sums and products of it stay finite."""
    return float(max(-_HUGE, min(_HUGE, value)))


def add_by(index: NDArray[Any], num: NDArray[Any], size: int) -> NDArray[Any]:
    """Return ``out`` with ``out[index[k]] += num[k]``, in integers of any size, without rounding.

    ``num`` is as in ``Exact``: int64 whose absolute sum is below 2^62, or Python ints.
    """
    out = np.zeros(size, dtype=num.dtype if num.dtype == object else np.int64)
    np.add.at(out, index, num)
    return out
