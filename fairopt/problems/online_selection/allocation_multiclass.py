"""The answer: which fraction of a unit each agent gets, and perhaps who won it in a draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Exact, Rational, exactly

ROUNDINGS = ("lossless", "systematic", "none")
ENFORCED = ("prefix", "final", "none")
_KEYS = {"kind", "fractional", "rounding", "enforced"}


@dataclass(frozen=True, eq=False)
class Allocation:
    """What each agent gets.

    Parameters
    ----------
    x
        Fraction of a unit for each agent, the expected number of units, exact.
    rounding
        How the fractions become decisions: ``lossless`` (two states), ``systematic`` (one
        coin), or ``none``.
    enforced
        What is promised about quotas: ``prefix``, kept whenever the sequence stops; ``final``,
        kept by the whole sequence; ``none``.
    coins, accepted
        Of a run: the numbers in [0, 1) that were drawn (one for each agent, or a single one
        for ``systematic``), and the agents accepted, in rising order. None for both otherwise.
    """

    x: Exact
    rounding: str = "lossless"
    enforced: str = "prefix"
    coins: tuple[float, ...] | None = None
    accepted: tuple[int, ...] | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Allocation):
            return NotImplemented
        return self._key() == other._key()

    __hash__ = None  # type: ignore[assignment]

    def _key(self) -> tuple[Any, ...]:
        return (self.fractional, self.rounding, self.enforced, self.coins, self.accepted)

    @property
    def kind(self) -> str:
        """``run`` where coins were tossed, else ``fractional``."""
        return "fractional" if self.accepted is None else "run"

    @cached_property
    def fractional(self) -> tuple[Rational, ...]:
        """The fractions, exact."""
        return tuple(self.x.to_list())

    def to_json(self) -> dict[str, Any]:
        """Return the form of the solution file: a float where it is exact, else a text."""
        out: dict[str, Any] = {
            "kind": self.kind,
            "fractional": [_shown(v) for v in self.fractional],
            "rounding": self.rounding,
            "enforced": self.enforced,
        }
        if self.accepted is not None and self.coins is not None:
            out |= {"coins": list(self.coins), "accepted": list(self.accepted)}
        return out


def _shown(value: Rational) -> int | float | str:
    if isinstance(value, int):
        return value
    near = float(value)
    return near if Fraction(near) == value else rational.text(value)


def read_allocation(data: Any, n: int) -> Allocation:
    """Read the answer of a solution file about ``n`` agents; floats are taken exactly."""
    if not isinstance(data, Mapping):
        raise InstanceError("answer", "expected an object")
    kind = data.get("kind")
    if kind not in ("fractional", "run"):
        raise InstanceError("answer.kind", "choose from fractional, run")
    keys = _KEYS | ({"coins", "accepted"} if kind == "run" else set())
    if set(data) != keys:
        raise InstanceError("answer", f"expected the keys {', '.join(sorted(keys))}")
    for key, known in (("rounding", ROUNDINGS), ("enforced", ENFORCED)):
        if data[key] not in known:
            raise InstanceError(f"answer.{key}", f"choose from {', '.join(known)}")
    x = [_number(v, f"answer.fractional[{k}]") for k, v in _list(data, "fractional", n)]
    rounding, enforced = data["rounding"], data["enforced"]
    if kind == "fractional":
        return Allocation(Exact.of(x), rounding, enforced)
    if rounding == "none":
        raise InstanceError("answer.rounding", "a run is drawn by lossless or systematic")
    many = min(n, 1) if rounding == "systematic" else n
    coins = []
    for k, value in _list(data, "coins", many):
        coin = float(_number(value, f"answer.coins[{k}]"))
        if not 0 <= coin < 1:
            raise InstanceError(f"answer.coins[{k}]", f"expected a number in [0, 1), got {coin}")
        coins.append(coin)
    accepted = [_agent(v, k, n) for k, v in _list(data, "accepted", None)]
    if any(a >= b for a, b in pairwise(accepted)):
        raise InstanceError("answer.accepted", "expected distinct agents in rising order")
    return Allocation(Exact.of(x), rounding, enforced, tuple(coins), tuple(accepted))


def _list(data: Mapping[str, Any], key: str, many: int | None) -> Sequence[tuple[int, Any]]:
    value = data[key]
    if not isinstance(value, list | tuple) or many not in (None, len(value)):
        text = "a list" if many is None else f"a list of {many}"
        raise InstanceError(f"answer.{key}", f"expected {text}")
    return tuple(enumerate(value))


def _number(value: Any, where: str) -> Rational:
    if isinstance(value, str):
        return rational.parse(value, where, digits=rational.RESULT_DIGITS)
    if isinstance(value, float) and 0 <= value <= 1:  # nearly all of them
        return Fraction(value) if 0 < value < 1 else int(value)
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InstanceError(where, f"expected a number, got {value!r:.40}")
    if isinstance(value, float) and not abs(value) <= 1e300:
        raise InstanceError(where, f"expected a finite number, got {value}")
    return exactly(value)


def _agent(value: Any, k: int, n: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < n:
        raise InstanceError(f"answer.accepted[{k}]", f"no agent {value!r:.40}")
    return value
