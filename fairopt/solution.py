"""What a method hands over, and what a caller gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, Generic, TypeVar

from fairopt import rational
from fairopt.errors import InstanceError

A = TypeVar("A")
Number = int | Fraction | float
Value = Number | tuple[Any, ...]  # a tuple (of numbers or of tuples) for lexicographic objectives


class Status(StrEnum):
    """What is known about the answer; derived by the frame, never stated by a method."""

    OPTIMAL = "optimal"  # value equals a proven bound
    FEASIBLE = "feasible"  # the answer passes its check; not proven best
    INFEASIBLE = "infeasible"  # proven: no answer exists
    UNKNOWN = "unknown"  # a limit was hit first; nothing was found


PROOFS = ("multipliers", "combinatorial", "theorem", "solver")


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the optimum, and what proves it.

    Parameters
    ----------
    value
        The bound; for lexicographic objectives a tuple no longer than the value, each entry
        proven given the earlier ones. None proves that there is nothing to value.
    proof
        ``multipliers`` or ``combinatorial`` (``data`` lets anybody recompute the value),
        ``theorem``, or ``solver`` (a claim of ``data["backend"]``).
    data
        JSON-ready; ``data["rule"]`` names the function of the family's ``proofs.py``.
    slack
        Absolute error that the proof admits; 0 for exact proofs.
    """

    value: Value | None
    proof: str
    data: Mapping[str, Any] = field(default_factory=dict)
    slack: Number = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "value": encode(self.value),
            "slack": encode(self.slack),
            "proof": self.proof,
            "data": dict(self.data),
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """Something provable beside the bound on the objective (``min_collateral``, ``gamma``).

    ``proof`` and ``data`` are as for ``Bound``; ``scope`` says what it holds for (empty: the
    instance).
    """

    name: str
    value: Any
    proof: str
    data: Mapping[str, Any] = field(default_factory=dict)
    scope: str = ""

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"name": self.name, **_entry("value", self.value)}
        if self.scope:
            out["scope"] = self.scope
        return {**out, "proof": self.proof, "data": dict(self.data)}


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why no answer exists, and what proves it (``proof`` and ``data`` as for ``Bound``)."""

    reason: str
    proof: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"reason": self.reason, "proof": self.proof, "data": dict(self.data)}


@dataclass(frozen=True, slots=True)
class Note:
    """A remark with a code that programs may rely on and a text for people."""

    code: str
    text: str

    def to_json(self) -> dict[str, str]:
        return {"code": self.code, "text": self.text}


@dataclass(frozen=True, slots=True)
class Outcome(Generic[A]):
    """What a method returns. It states no value and no status: the frame derives both."""

    answer: A | None = None
    bound: Bound | None = None
    claims: tuple[Claim, ...] = ()
    infeasible: Infeasible | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """How the question came about: what was read and which fields were set after reading."""

    name: str | None = None
    digest: str = ""
    read: Mapping[str, Any] = field(default_factory=dict)
    set: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "name": self.name,
            "digest": self.digest,
            "read": dict(self.read),
            "set": dict(self.set),
        }
        if self.files:
            out["files"] = dict(self.files)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Solution(Generic[A]):
    """One run, checked. Built by the frame; ``fairopt.verify`` checks it again.

    ``ratio`` is at least 1: the value is at most this many times worse than the proven bound
    (None when that cannot be said). ``figures`` are exact where the instance is.
    """

    problem: str
    origin: Origin
    objective: str
    method: str
    status: Status
    stopped_by: str
    value: Value | None
    bound: Bound | None
    ratio: Number | None
    answer: A | None
    figures: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    threads: int = 1
    claims: tuple[Claim, ...] = ()
    infeasible: Infeasible | None = None
    notes: tuple[Note, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    answer_json: Any = None
    source: Any = field(default=None, repr=False)  # the problem, where it is at hand
    raw: Any = field(default=None, repr=False)  # the content of the file it was read from

    def figure(self, name: str) -> Any:
        """Return a figure, computing an expensive one on demand.

        Raises ``KeyError`` when the problem has no such figure, or when the solution came from
        a file and the instance is not at hand.
        """
        if name in self.figures:
            return self.figures[name]
        if self.source is None or self.answer is None:
            raise KeyError(name)
        return self.source.check(self.answer, self.claims, figures="all").figures[name]

    def to_json(self) -> dict[str, Any]:
        """Return the solution in the form of the file (see ``docs/solution-format.md``)."""
        import fairopt

        out: dict[str, Any] = {
            "fairopt": fairopt.__version__,
            "problem": self.problem,
            "instance": self.origin.to_json(),
            "objective": self.objective,
            "method": self.method,
            "options": encode_mapping(self.options),
            "seed": self.seed,
            "threads": self.threads,
            "status": str(self.status),
            "stopped_by": self.stopped_by,
            **_entry("value", self.value),
            "bound": None if self.bound is None else self.bound.to_json(),
            "ratio": None if self.ratio is None else encode(as_float(self.ratio)),
            "answer": self.answer_json,
            "figures": encode_mapping(self.figures),
            "claims": [claim.to_json() for claim in self.claims],
            "notes": [note.to_json() for note in self.notes],
            "seconds": {k: round(v, 6) for k, v in self.seconds.items()},
            "versions": dict(self.versions),
        }
        if self.infeasible is not None:
            out["infeasible"] = self.infeasible.to_json()
        return out


# -- numbers in JSON -----------------------------------------------------------------------


def encode(value: Any) -> Any:
    """Return the JSON form of a value: ``Fraction`` as text, tuples as lists, inf as text."""
    if isinstance(value, Fraction):
        return rational.text(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, tuple | list):
        return [encode(v) for v in value]
    if isinstance(value, Mapping):
        return encode_mapping(value)
    return value


def encode_mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    """Encode a mapping; what holds a ``Fraction`` gets a ``<key>_float`` beside it."""
    out: dict[str, Any] = {}
    for key, value in values.items():
        out.update(_entry(key, value))
    return out


def _entry(key: str, value: Any) -> dict[str, Any]:
    out = {key: encode(value)}
    if _holds_fraction(value):
        out[f"{key}_float"] = _floats(value)
    return out


def _holds_fraction(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(_holds_fraction(v) for v in value)
    return isinstance(value, Fraction)


def _floats(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_floats(v) for v in value]
    return as_float(value) if isinstance(value, int | float | Fraction) else value


def as_float(value: Any) -> float:
    """Return the nearest float; a number beyond the floats becomes an infinity."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def decode_mapping(data: Mapping[str, Any]) -> dict[str, Any]:
    """Undo ``encode_mapping``: texts with a ``_float`` beside them are rationals again."""
    out: dict[str, Any] = {}
    for key, value in _plain(data):
        if f"{key}_float" in data:
            out[key] = decode(value, where=key)
        elif isinstance(value, Mapping):
            out[key] = decode_mapping(value)
        else:
            out[key] = value
    return out


def _plain(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if not (key.endswith("_float") and key[: -len("_float")] in data):
            yield key, value


def decode(value: Any, where: str = "value") -> Any:
    """Read a value back: texts become exact ``Fraction``, lists become tuples."""
    if isinstance(value, list | tuple):
        return tuple(decode(v, where) for v in value)
    if isinstance(value, str):
        if value in ("inf", "-inf"):
            return float(value)
        return Fraction(rational.parse(value, where, digits=rational.RESULT_DIGITS))
    if value is None or isinstance(value, bool | int | float):
        return value
    raise InstanceError(where, f"expected a number, got {type(value).__name__}")
