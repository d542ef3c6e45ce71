"""The answer: tiers, best first; and the whole path for those who ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.errors import InstanceError

Ints = NDArray[np.int64]


def _frozen(values: ArrayLike) -> Ints:
    out = np.array(values, np.int64)
    out.setflags(write=False)
    return out


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """All optima: the finest ranking, and from which tau each of its boundaries is drawn.

    Attributes
    ----------
    finest
        (n,) tier of each item at the largest tau below one half, 0 is best.
    births
        For the boundary below each tier but the last: the largest dissent across it.
    """

    finest: Ints
    births: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "finest", _frozen(self.finest))

    def at(self, tau: Fraction) -> Ints:
        """Return the tiers at a tau: boundaries born later are not drawn."""
        drawn = np.cumsum([0, *(int(b <= tau) for b in self.births)])
        return np.asarray(drawn[self.finest], np.int64)

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """The taus at which the ranking changes, 0 first."""
        return tuple(sorted({Fraction(0), *self.births}))


@dataclass(frozen=True, eq=False, slots=True)
class Tiering:
    """An ordered partition: items of different tiers are compared, those of one are not.

    Attributes
    ----------
    tier
        (n,) tier of each item, 0 is best; no tier is empty.
    path
        The whole path, for the method that finds it.
    """

    tier: Ints
    path: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tier", _frozen(self.tier))

    @property
    def tiers(self) -> list[list[int]]:
        """The items of each tier in the order of the instance, best tier first."""
        return listed(self.tier)


def listed(tier: Ints) -> list[list[int]]:
    """Return the items of each tier."""
    order = np.argsort(tier, kind="stable")
    ends = np.cumsum(np.bincount(tier))[:-1]
    return [part.tolist() for part in np.split(order, ends)]


def write_answer(answer: Tiering, items: Sequence[str]) -> dict[str, Any]:
    """Return the answer in the form of the solution file."""

    def named(tier: Ints) -> list[list[str]]:
        return [[items[i] for i in part] for part in listed(tier)]

    out: dict[str, Any] = {"tiers": named(answer.tier)}
    if answer.path is not None:
        texts = [rational.text(b) for b in answer.path.births]
        out["path"] = {"finest": named(answer.path.finest), "births": texts}
    return out


def read_answer(data: Any, place: Mapping[str, int]) -> Tiering:
    """Read an answer; raises ``InstanceError`` with a path below ``answer``."""
    if not isinstance(data, Mapping) or not {"tiers"} <= set(data) <= {"tiers", "path"}:
        raise InstanceError("answer", "expected an object with the key tiers (and path)")
    tier = _tiers(data["tiers"], place, "answer.tiers")
    if data.get("path") is None:
        return Tiering(tier)
    path = data["path"]
    if not isinstance(path, Mapping) or set(path) != {"finest", "births"}:
        raise InstanceError("answer.path", "expected an object with finest and births")
    finest = _tiers(path["finest"], place, "answer.path.finest")
    given = path["births"]
    if not isinstance(given, list | tuple) or len(given) != int(finest.max(initial=0)):
        raise InstanceError("answer.path.births", "expected one number for each boundary")
    births = [Fraction(rational.parse(b, f"answer.path.births[{k}]")) for k, b in enumerate(given)]
    return Tiering(tier, Path(finest, tuple(births)))


def _tiers(data: Any, place: Mapping[str, int], where: str) -> Ints:
    if not isinstance(data, list | tuple):
        raise InstanceError(where, "expected a list of tiers")
    tier = np.full(len(place), -1, np.int64)
    for k, part in enumerate(data):
        if not isinstance(part, list | tuple) or not part:
            raise InstanceError(f"{where}[{k}]", "expected a list of items, not empty")
        for name in part:
            i = place.get(str(name)) if isinstance(name, str | int) else None
            if i is None:
                raise InstanceError(f"{where}[{k}]", f"no item {name!r}")
            if tier[i] >= 0:
                raise InstanceError(f"{where}[{k}]", f"not a partition: {name!r} is named twice")
            tier[i] = k
    if len(tier) and tier.min() < 0:
        missing = next(name for name, i in place.items() if tier[i] < 0)
        raise InstanceError(where, f"not a partition: {missing!r} is in no tier")
    return tier
