"""Fairness conditions as they are given, and their thresholds as exact numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fairopt import rational
from fairopt.errors import InstanceError

LABELLED = ("none", "proportional", "balance", "bounds", "gap")  # conditions on masses of clusters
TYPES = (*LABELLED, "socially-fair", "individual", "core", "bounded-cost")
ROUNDINGS = ("strict", "floor-ceil", "soft")
CONDITIONS = ("bounds", "gap")  # what a bounded cost may be spent on

ALPHA = Fraction(2)
RHO = Fraction("2.4143")  # at least 1 + sqrt 2

_KEYS = {
    "none": (),
    "proportional": ("rounding",),
    "balance": ("min_balance",),
    "bounds": ("lower", "upper", "delta"),
    "gap": ("epsilon",),
    "socially-fair": (),
    "individual": ("alpha",),
    "core": ("rho",),
    "bounded-cost": ("max_cost", "condition"),
}
_OWNER = {key: kind for kind, keys in _KEYS.items() for key in keys}
_NEEDED = {"balance": "min_balance", "gap": "epsilon", "bounded-cost": "max_cost"}

Limits = Mapping[str, Mapping[str, Fraction]]


@dataclass(frozen=True)
class Fairness:
    """A condition and its thresholds; those of other conditions are 0 or empty.

    Attributes
    ----------
    type
        ``none``, ``proportional``, ``balance``, ``bounds``, ``gap``, ``socially-fair``,
        ``individual``, ``core`` or ``bounded-cost``.
    rounding
        Of ``proportional``: ``strict``, ``floor-ceil`` or ``soft`` (shares of points).
    min_balance, epsilon, delta
        Thresholds of ``balance``, ``gap``, ``bounds``.
    lower, upper
        Of ``bounds``: attribute -> value -> share of a cluster.
    alpha, rho
        Factors of ``individual`` and ``core``.
    max_cost, condition
        Of ``bounded-cost``: the budget, and whether ``delta`` (``bounds``) or ``epsilon``
        (``gap``) is made as small as it permits.
    """

    type: str = "none"
    rounding: str = ""
    min_balance: Fraction = Fraction(0)
    epsilon: Fraction = Fraction(0)
    delta: Fraction | None = None
    lower: Limits = field(default_factory=dict)
    upper: Limits = field(default_factory=dict)
    alpha: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    max_cost: Fraction = Fraction(0)
    condition: str = ""

    @property
    def labelled(self) -> bool:
        """Whether the condition is one on the masses of groups in clusters alone."""
        return self.type in LABELLED

    @property
    def splits(self) -> bool:
        """Whether shares of points are admitted."""
        if self.type == "proportional":
            return self.rounding == "soft"
        return self.type in ("none", "balance", "bounds", "gap")

    def to_json(self) -> dict[str, Any]:
        """Return the condition in the form of the instance file."""
        out: dict[str, Any] = {"type": self.type}
        for key in _KEYS[self.type]:
            value = getattr(self, key)
            if value is not None and value != {} and value != "":
                out[key] = _plain(value)
        return out


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, Fraction):
        whole = rational.whole(value)
        return whole if isinstance(whole, int) else rational.text(whole)
    return value


def read_fairness(given: Mapping[str, Any] | Fairness) -> Fairness:
    """Read a condition. Without a type, its threshold tells which one it is.

    Raises ``InstanceError`` with a path below ``fairness``.
    """
    if isinstance(given, Fairness):
        given = given.to_json()
    if not isinstance(given, Mapping):
        raise InstanceError("fairness", "expected an object with the key type")
    data = {str(key).replace("-", "_"): value for key, value in given.items()}
    kind = _type_of(data)
    for key in data:
        if key not in ("type", *_KEYS[kind]):
            known = ", ".join(_KEYS[kind]) or "nothing"
            raise InstanceError(f"fairness.{key}", f"is no part of {kind!r}, which takes {known}")
    needed = _NEEDED.get(kind)
    if needed is not None and data.get(needed) is None:
        raise InstanceError(f"fairness.{needed}", f"the key is missing ({kind} needs it)")
    values: dict[str, Any] = {}
    if kind == "proportional":
        values["rounding"] = _name(data.get("rounding", "strict"), ROUNDINGS, "fairness.rounding")
    if kind == "bounded-cost":
        values["condition"] = _name(data.get("condition", "bounds"), CONDITIONS,
                                    "fairness.condition")  # fmt: skip
    if kind == "bounds":
        if data.get("delta") is not None and (data.get("lower") or data.get("upper")):
            raise InstanceError("fairness.delta", "excludes lower and upper")
        for side in ("lower", "upper"):
            values[side] = _limits(data.get(side) or {}, f"fairness.{side}")
    values |= {
        key: _number(data[key], f"fairness.{key}", least, most, below)
        for key, least, most, below in _RANGES
        if data.get(key) is not None
    }
    defaults = {"individual": ("alpha", ALPHA), "core": ("rho", RHO)}
    if kind in defaults:
        values.setdefault(*defaults[kind])
    return Fairness(kind, **values)


_RANGES: tuple[tuple[str, int, int | None, bool], ...] = (
    ("min_balance", 0, 1, False),
    ("epsilon", 0, 1, False),
    ("delta", 0, 1, True),
    ("alpha", 0, None, False),
    ("rho", 0, None, False),
    ("max_cost", 0, None, False),
)


def _type_of(data: Mapping[str, Any]) -> str:
    if data.get("type") is not None:
        return _name(data["type"], TYPES, "fairness.type")
    owners = {_OWNER[key] for key in data if key in _OWNER}
    if len(owners) != 1:
        raise InstanceError("fairness.type", f"the key is missing; choose from {', '.join(TYPES)}")
    return owners.pop()


def _name(value: Any, allowed: tuple[str, ...], where: str) -> str:
    name = value.replace("_", "-") if isinstance(value, str) else value
    if name not in allowed:
        raise InstanceError(where, f"unknown value {value!r}; choose from {', '.join(allowed)}")
    return str(name)


def _number(value: Any, where: str, least: int, most: int | None, below: bool) -> Fraction:
    number = Fraction(rational.parse(value, where))
    high = most is not None and (number > most or (below and number == most))
    if number < least or high:
        upper = "" if most is None else f" and {'below' if below else 'at most'} {most}"
        raise InstanceError(where, f"expected at least {least}{upper}, got {rational.text(number)}")
    return number


def _limits(given: Any, where: str) -> dict[str, dict[str, Fraction]]:
    if not isinstance(given, Mapping):
        raise InstanceError(where, "expected {attribute: {value: share}}")
    out: dict[str, dict[str, Fraction]] = {}
    for attribute, shares in given.items():
        here = f"{where}.{attribute}"
        if not isinstance(shares, Mapping):
            raise InstanceError(here, "expected {value: share}")
        out[str(attribute)] = {
            str(value): _number(share, f"{here}.{value}", 0, 1, False)
            for value, share in shares.items()
        }
    return out


def changed(given: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a condition with some keys set; a new type forgets what is no part of it.

    Without a type among the changes, a threshold of another type makes the condition that type.
    """
    out = dict(given)
    kind = changes.get("type")
    if kind is None and out:
        owners = {_OWNER[key] for key in changes if key in _OWNER}
        kind = owners.pop() if len(owners) == 1 else out.get("type")
    if kind is not None:
        name = _name(kind, TYPES, "fairness.type")
        out = {key: value for key, value in out.items() if key in _KEYS[name]}
        out["type"] = name
    if {"lower", "upper"} & changes.keys():
        out.pop("delta", None)
    if "delta" in changes:
        out.pop("lower", None)
        out.pop("upper", None)
    return out | dict(changes)
