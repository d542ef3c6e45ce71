"""What every problem has: an objective, a court, a digest, settings that can be replaced."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError, UsageError
from fairopt.rational import Exact
from fairopt.solution import Claim, Note, Origin, Value, as_float, encode

FLOATS = 1e-9  # relative difference of floats that are the same number


class Sense(StrEnum):
    """Which direction is better."""

    MINIMIZE = "minimize"
    MAXIMIZE = "maximize"


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective in force: name, sense, kind of value, unit.

    ``kind`` is ``integer``, ``rational``, ``float`` or ``lexicographic``; it fixes the type of
    values (``int``, ``Fraction``, ``float``, tuple). ``grid``: all values are multiples of it.
    ``rounding`` is the absolute error of adding values up in floats; None where the court and the
    methods compute the same numbers.
    """

    name: str
    sense: Sense
    kind: str
    unit: str = ""
    grid: Fraction | None = None
    rounding: float | None = None

    def room(self, value: Any) -> Fraction:
        """Return how far apart two computations of one value may lie: 0 without ``rounding``."""
        if self.rounding is None or not isinstance(value, int | float | Fraction):
            return Fraction(0)
        size = abs(float(value)) if math.isfinite(value) else 0.0
        return Fraction(max(self.rounding, FLOATS * size))

    def coerce(self, value: Any) -> Value:
        """Return ``value`` in the type of this kind (exact kinds refuse a lossy change)."""
        if self.kind == "integer":
            if int(value) != value:
                raise ValueError(f"{value} is not an integer")
            return int(value)
        if self.kind == "rational":
            return Fraction(value)
        if self.kind == "float":
            return as_float(value)
        return tuple(value)

    def better(self, a: Any, b: Any) -> bool:
        """Return whether value ``a`` is strictly better than ``b``."""
        return bool(a < b) if self.sense is Sense.MINIMIZE else bool(a > b)


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: which, where in the answer or instance, by how much."""

    rule: str
    where: str
    by_how_much: Any = None

    def __str__(self) -> str:
        amount = "" if self.by_how_much is None else f" by {self.by_how_much}"
        return f"{self.rule} at {self.where}{amount}"


@dataclass(frozen=True, slots=True)
class Check:
    """What the family's own court says of an answer."""

    violations: tuple[Violation, ...] = ()
    value: Value | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    basis: str = ""  # ``simulation`` where the value is a confidence limit, not a certainty


@dataclass(frozen=True, slots=True)
class Meta:
    """What a file says beside the question itself; no part of the digest.

    ``flags`` are the file's defaults for ``method``, ``seed``, ``threads``, ``time_limit``;
    ``expected`` are known values, shown by comparisons and ignored by solving.
    """

    name: str | None = None
    source: str | None = None
    licence: str | None = None
    expected: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Any] = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)

    def to_json(self) -> dict[str, Any]:
        """Return the keys to write into an instance file, without the empty ones."""
        named = {"name": self.name, "source": self.source, "licence": self.licence}
        out: dict[str, Any] = {k: v for k, v in named.items() if v is not None}
        if self.expected:
            out["expected"] = encode(self.expected)
        return {**out, **self.flags}


class Problem(ABC):
    """Base of all problems. Subclasses are frozen, own their arrays, and validate once.

    A subclass is built by keyword arguments (among them ``objective`` and ``meta``) and raises
    ``InstanceError`` with the path of the field as in the JSON file. What the modules of its
    ``family`` offer under the names below need not be written again:

    | method | function |
    |---|---|
    | ``from_json`` | ``schema.read_problem(cls, data, meta)`` |
    | ``to_json`` | ``schema.write_problem(problem)`` |
    | ``replace`` | ``schema.changed(problem, changes, meta)`` |
    | ``notes`` | ``view.notes_of(problem)``, optional |
    | ``renamed``, ``reordered`` | ``symmetry.renamed(problem, rename)`` …, optional |
    """

    problem: ClassVar[str]
    objectives: ClassVar[tuple[str, ...]]  # the first is the default
    settings: ClassVar[Mapping[str, Any]] = {}  # dotted field -> its type, for ``--set``
    optional_answer: ClassVar[tuple[str, ...]] = ()  # keys of an answer that it is lawful without
    proofs: ClassVar[str] = ""  # module whose RULES recompute proofs
    family: ClassVar[str] = ""  # package of the family, as in ``fairopt.problems.jr_ranking``

    objective: Objective
    meta: Meta

    @abstractmethod
    def check(self, answer: Any, claims: Sequence[Claim] = (), *, figures: str = "few") -> Check:
        """Return violations, exact value and figures of ``answer``.

        ``figures`` is ``few`` or ``all`` (adds the expensive ones). Only claims that the caller
        has recomputed, or that name a solver, may be passed.
        """

    @abstractmethod
    def fields(self) -> Mapping[str, Any]:
        """Return the data that make the question, by name, for the digest.

        Values: arrays, texts, numbers, ``Exact``, None, and tuples or mappings of these.
        """

    def _changed(self, changes: Mapping[str, Any], meta: Meta) -> Self:
        """Return the problem with these settings (keys of ``settings``, or ``objective``)."""
        made: Self = self._part("schema", "changed")(self, changes, meta)
        return made

    @classmethod
    def from_json(cls, data: Mapping[str, Any], meta: Meta | None = None) -> Self:
        """Build the problem from the content of its JSON file (numbers may be texts)."""
        made: Self = cls._part("schema", "read_problem")(cls, data, meta)
        return made

    def to_json(self) -> dict[str, Any]:
        """Return the instance in the form of its JSON file."""
        written: dict[str, Any] = self._part("schema", "write_problem")(self)
        return written

    @classmethod
    def _part(cls, module: str, name: str, default: Any = None) -> Callable[..., Any]:
        """Return a function of the family, or the default where there is none."""
        place = f"{cls.family}.{module}"
        exists = bool(cls.family) and importlib.util.find_spec(place) is not None
        found = getattr(importlib.import_module(place), name, default) if exists else default
        if found is None:
            words = f"{cls.__name__} needs {module}.{name} in the package that family names"
            raise NotImplementedError(words)
        return found  # type: ignore[no-any-return]

    @abstractmethod
    def answer_to_json(self, answer: Any) -> Any:
        """Return the answer in the form of the solution file."""

    @abstractmethod
    def answer_from_json(self, data: Any) -> Any:
        """Read an answer back; raises ``InstanceError`` with a path below ``answer``."""

    def size(self) -> Mapping[str, int]:
        """Return the sizes that describe the instance (``papers``, ``authors`` …)."""
        return {}

    def notes(self) -> Sequence[Note]:
        """Return remarks on the question itself, such as defaults that decide it."""
        found: Sequence[Note] = self._part("view", "notes_of", lambda _: ())(self)
        return found

    def renamed(self, rename: Callable[[str], str]) -> Self | None:
        """Return the same problem with other ids in the same order; None if it has no ids."""
        made: Self | None = self._part("symmetry", "renamed", _unchanged)(self, rename)
        return made

    def reordered(self, rng: np.random.Generator) -> Self | None:
        """Return the same problem with its items listed in another order; None if order counts."""
        made: Self | None = self._part("symmetry", "reordered", _unchanged)(self, rng)
        return made

    @property
    def name(self) -> str | None:
        """The name given in the file, or the file's own."""
        return self.meta.name

    def replace(self, /, **changes: Any) -> Self:
        """Return the problem with other settings, validated anew: ``replace(limit=10)``.

        Dotted settings are given as ``replace(**{"quota.rule": "harmonic"})``; ``objective`` is
        a setting too. What was set is remembered and stored in solutions. Raises ``UsageError``
        for a name that is no setting, ``InstanceError`` for a value that cannot be.
        """
        typed = {key: self._typed(key, value) for key, value in changes.items()}
        origin = self.meta.origin
        done = {k: _as_setting(v) for k, v in typed.items() if k != "objective"}
        meta = replace(self.meta, origin=replace(origin, set={**origin.set, **done}))
        return self._changed(typed, meta)

    def _typed(self, key: str, value: Any) -> Any:
        if key == "objective":
            return self.objective_name(value)
        if key not in self.settings:
            known = ", ".join(["objective", *self.settings])
            raise UsageError(f"{self.problem} has no field {key!r} to set; choose from {known}")
        from fairopt.convert import convert

        return convert(value, self.settings[key], where=key)

    def recompute(self, data: Mapping[str, Any], kind: str = "bound") -> Any:
        """Return what a proof proves, from the instance and the proof's data alone.

        ``data["rule"]`` names a function of the family's ``proofs.py``, among those of a kind:
        ``bound`` (on the objective in force), ``infeasible`` (returns True), or the name of a
        claim up to its ``[``. Raises ``InstanceError`` if the rule is unknown there or the data
        prove nothing.
        """
        rules = importlib.import_module(self.proofs).RULES.get(kind, {}) if self.proofs else {}
        name = data.get("rule")
        if not isinstance(name, str) or name not in rules:
            raise InstanceError("proof", f"no rule {name!r} proves such a thing ({kind})")
        return rules[name](self, data)

    def scope_of(self, data: Mapping[str, Any]) -> str:
        """Return what the claims of a proof rule hold for, in words; empty: for the instance.

        From ``SCOPES`` (rule -> words) beside the family's ``RULES``.
        """
        scopes = getattr(importlib.import_module(self.proofs), "SCOPES", {}) if self.proofs else {}
        return str(scopes.get(str(data.get("rule")), ""))

    def digest(self) -> str:
        """Return ``sha256:…`` over the question: same digest, same question."""
        cached = self.__dict__.get("_digest")
        if cached is None:
            cached = self.__dict__["_digest"] = digest(self.problem, self.fields())
        return str(cached)

    @classmethod
    def objective_name(cls, name: str | None) -> str:
        """Return the canonical name of an objective; raises ``UsageError`` for another."""
        if name is None:
            return cls.objectives[0]
        if not isinstance(name, str):
            raise UsageError(f"an objective is named by a text, not {name!r}")
        canonical = name.replace("_", "-")
        if canonical not in cls.objectives:
            raise UsageError(
                f"{cls.problem} has no objective {name!r}; choose from {', '.join(cls.objectives)}"
            )
        return canonical


def _unchanged(problem: Problem, by: object) -> None:
    """Stand for a symmetry that a family does not have."""


def _as_setting(value: Any) -> Any:
    """Return a setting as JSON holds it: whole numbers as ints, other rationals as texts."""
    if isinstance(value, Mapping):
        return {key: _as_setting(part) for key, part in value.items()}
    if isinstance(value, Fraction):
        return encode(rational.whole(value))
    return value


def digest(problem: str, fields: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a problem name and its fields in sorted order."""
    state = hashlib.sha256()
    _feed(state.update, problem)
    _feed(state.update, dict(fields))
    return f"sha256:{state.hexdigest()}"


def _feed(update: Any, value: Any) -> None:
    """Feed one value, each kind with its own mark and its length, so that no two mix."""
    if value is None:
        update(b"0;")
    elif isinstance(value, str):
        raw = value.encode()
        update(b"s%d:" % len(raw) + raw)
    elif isinstance(value, bool | int | Fraction):
        _feed(update, "#" + rational.text(int(value) if isinstance(value, bool) else value))
    elif isinstance(value, float):
        _feed(update, "~" + value.hex())
    elif isinstance(value, Exact):
        numbers = value.num.tolist()
        texts = map(str, numbers) if value.den == 1 else map(rational.text, value.to_list())
        _feed(update, ",".join(texts))
    elif isinstance(value, np.ndarray):
        _feed_array(update, value)
    elif isinstance(value, Mapping):
        update(b"m%d:" % len(value))
        for key in sorted(value):
            _feed(update, key)
            _feed(update, value[key])
    elif isinstance(value, Iterable):
        items = list(value)
        update(b"l%d:" % len(items))
        for item in items:
            _feed(update, item)
    else:  # pragma: no cover - a programming error of a family
        raise TypeError(f"no digest for {type(value).__name__}")


def _feed_array(update: Any, array: NDArray[Any]) -> None:
    """Integers and booleans as int64, floats as float64, both little-endian."""
    kind = "<f8" if array.dtype.kind == "f" else "<i8"
    update(f"a{array.shape}{kind}:".encode())
    update(np.ascontiguousarray(array, dtype=kind).tobytes())
