"""Values as people read them: exact where short, decimals beside, and who proved what."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fairopt import judge, rational
from fairopt.cli.show import one_line
from fairopt.problem import Objective
from fairopt.solution import Bound, Solution, Status, as_float

_LONG = 24  # characters of an exact number, above which only its decimals are shown
_HEAD = 6  # entries of a list that are shown
EMPTY = "-"
_NUMBER = re.compile(r"(?<![\w.])-?\d{12,}/[1-9]\d*(?![\w.])|(?<![\w./])-?\d{33,400}(?![\w./])")


def decimal(value: Any, digits: int = 6) -> str:
    """Return a number in decimals with that many significant digits."""
    number = as_float(value)
    if math.isinf(number) and not isinstance(value, float):
        return _power(Fraction(value))
    return f"{number:.{digits}g}"


def _power(value: Fraction) -> str:
    exponent = len(str(abs(value.numerator))) - len(str(value.denominator))
    return f"{'-' if value < 0 else ''}1e{exponent}"


def short(value: Any, digits: int = 4) -> str:
    """Return a value for the cell of a table: whole numbers, decimals, ``yes`` or ``no``."""
    if value is None:
        return EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**_LONG else decimal(value, digits)
    if isinstance(value, float | Fraction):
        return decimal(value, digits)
    if isinstance(value, tuple | list):
        return _listed([short(v, digits) for v in value])
    if isinstance(value, Mapping):
        return _listed([f"{k} {short(v, digits)}" for k, v in value.items()], "{}")
    return one_line(str(value))


def _listed(parts: list[str], brackets: str = "[]") -> str:
    more = f", … {len(parts)} in all" if len(parts) > _HEAD else ""
    return f"{brackets[0]}{', '.join(parts[:_HEAD])}{more}{brackets[1]}"


def exact(value: Any) -> str:
    """Return the exact text of a value; long numbers in decimals, long lists by their head."""
    if isinstance(value, tuple | list):
        return _listed([exact(v) for v in value])
    if isinstance(value, Mapping):
        parts = [f"{one_line(str(k))} {both(v)}" for k, v in value.items()]
        return parts[0] if len(parts) == 1 else _listed(parts, "{}")
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return short(value, 12)
    if isinstance(value, Fraction) and value.denominator != 1:
        text = rational.text(value)
    else:
        text = f"{int(value):,}" if abs(value) < 10**_LONG else ""
    return text if 0 < len(text) <= _LONG + 8 else f"about {decimal(value)}"


def both(value: Any) -> str:
    """Return ``2/3 = 0.666667``: the exact value, and decimals where it is not whole."""
    first = exact(value)
    if "about" in first:
        return first
    second = _decimals(value)
    return first if second in ("", first) else f"{first} = {second}"


def _decimals(value: Any) -> str:
    if isinstance(value, tuple | list):
        flat = any(isinstance(v, Fraction) and v.denominator != 1 for v in value)
        return _listed([_decimals(v) or exact(v) for v in value]) if flat else ""
    if isinstance(value, Fraction) and value.denominator != 1:
        return decimal(value)
    return ""


def shorten(words: str) -> str:
    """Return words in which long exact numbers are given in decimals."""
    return _NUMBER.sub(lambda found: exact(Fraction(found[0])), words)


def with_unit(value: Any, objective: Objective) -> str:
    """Return the value with the unit of its objective."""
    unit = objective.unit
    first, space, rest = unit.partition(" ")
    if value == 1 and first.endswith("s"):
        unit = f"{first[:-1]}{space}{rest}"
    return f"{both(value)} {unit}".strip()


def prover(proof: str, data: Mapping[str, Any]) -> str:
    """Return who stands behind a proof, in words."""
    name = one_line(judge.prover(proof, data))
    rule = one_line(str(data.get("rule", "")))
    if proof == "solver":
        return f"claimed by {name}"
    if proof == "multipliers":
        return "proven by recomputable multipliers"
    what = "a theorem" if proof == "theorem" else "a recomputable certificate"
    return f"proven by {what}" + (f" ({rule})" if rule else "")


def tolerance(slack: Any) -> str:
    """Return a slack as ``1e-9``, rounded up to one digit so that it stays true."""
    value = Fraction(slack)
    exponent = math.floor(math.log10(as_float(value))) if 0 < value < 1 else 0
    unit = Fraction(10) ** exponent
    digit = math.ceil(value / unit - Fraction(1, 10**6))  # the float 1e-9 is a hair above
    return f"{digit}e{exponent}" if exponent < -3 else f"{as_float(digit * unit):g}"


def bound_words(bound: Bound) -> str:
    """Return the bound, who stands behind it, and the error that the proof admits."""
    admitted = f", to within {tolerance(bound.slack)}" if bound.slack else ""
    return f"{both(bound.value)}, {prover(bound.proof, bound.data)}{admitted}"


STOPPED = {"time-limit": "stopped by the time limit", "interrupted": "interrupted"}


def status_words(solution: Solution[Any]) -> str:
    """Return the status with what it rests on: ``optimal to 1e-9, claimed by highs 1.16.0``."""
    words = str(solution.status)
    bound = solution.bound
    if solution.status is Status.OPTIMAL and bound is not None:
        if bound.slack:
            words += f" to {tolerance(bound.slack)}"
        words += f", {prover(bound.proof, bound.data)}"
    if solution.status is Status.INFEASIBLE and solution.infeasible is not None:
        reason = solution.infeasible
        words += f": {one_line(reason.reason)}; {prover(reason.proof, reason.data)}"
    if solution.status is Status.UNKNOWN:
        words += ": no answer was found"
    if solution.stopped_by in STOPPED and solution.status is not Status.OPTIMAL:
        words += f", {STOPPED[solution.stopped_by]}"
    return words


def ratio_words(ratio: Any) -> str:
    """Return the ratio, rounded up so that it stays true."""
    if ratio is None:
        return EMPTY
    if ratio == 1:
        return "1"
    up = Fraction(math.ceil(Fraction(ratio) * 10_000), 10_000)
    return f"{as_float(up):.4f}" if up < 1000 else decimal(up)


def seconds_words(seconds: Mapping[str, float]) -> str:
    """Return ``0.01 reading, 0.20 solving, 0.00 checking``."""
    names = {"read": "reading", "method": "solving", "check": "checking"}
    return ", ".join(f"{v:.2f} {names.get(k, k)}" for k, v in seconds.items())
