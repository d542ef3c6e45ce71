"""Matroids given by vectors or by lists of sets: linear, bases, circuits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection import axioms
from fairopt.problems.online_selection.kinds import (
    Matroid,
    bits,
    count,
    element_set,
    frozen,
    positions,
    sized,
)
from fairopt.rational import Rational, whole

MAX_PRIME = 2**31  # so that products of residues fit in int64


def is_prime(p: int) -> bool:
    """Return whether ``p``, below 2^32, is prime (Miller and Rabin with bases 2, 3, 5, 7)."""
    if p < 2 or any(p % k == 0 for k in (2, 3, 5, 7)):
        return p in (2, 3, 5, 7)
    odd, twos = p - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        x = pow(base, odd, p)
        if x in (1, p - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % p
            if x == p - 1:
                break
        else:
            return False
    return p != 3_215_031_751  # the one number below 2^32 that fools these bases


@dataclass(frozen=True, eq=False, slots=True)
class Linear(Matroid):
    """Sets of columns that are linearly independent, over GF(p) or over the rationals.

    Parameters
    ----------
    n
        Number of columns.
    prime
        The prime p, None for the rationals.
    matrix
        Shape (rows, n): residues mod p as int64; for the rationals whole numbers (int64, or
        Python ints where they do not fit), column e times ``scale[e]``. Scaling a column does
        not change independence.
    scale
        Positive scale of each column, shape (n,); all 1 mod p.
    """

    type: ClassVar[str] = "linear"
    n: int
    prime: int | None
    matrix: NDArray[Any]
    scale: NDArray[Any]

    @classmethod
    def of(cls, field: Any, columns: Sequence[Sequence[Any]], n: int | None = None) -> Self:
        prime = _field(field)
        n = sized(len(columns), n, "matroid.columns", "columns")
        rows = len(columns[0]) if n else 0
        for e, column in enumerate(columns):
            if len(column) != rows:
                why = f"expected {rows} entries as in columns[0], got {len(column)}"
                raise InstanceError(f"matroid.columns[{e}]", why)
        if prime is not None:
            matrix = np.zeros((rows, n), np.int64)
            for e, column in enumerate(columns):
                for k, entry in enumerate(column):
                    if isinstance(entry, bool) or not isinstance(entry, int | np.integer):
                        why = f"expected an integer (taken mod {prime}), got {entry!r}"
                        raise InstanceError(f"matroid.columns[{e}][{k}]", why)
                    matrix[k, e] = int(entry) % prime
            return cls(n, prime, frozen(matrix), frozen(np.ones(n, np.int64)))
        return cls._rational(n, rows, columns)

    @classmethod
    def _rational(cls, n: int, rows: int, columns: Sequence[Sequence[Any]]) -> Self:
        matrix = np.zeros((rows, n), object)
        scale = np.ones(n, object)
        for e, column in enumerate(columns):
            entries = [_exact(v, f"matroid.columns[{e}][{k}]") for k, v in enumerate(column)]
            scale[e] = math.lcm(*(v.denominator for v in entries))
            for k, value in enumerate(entries):
                matrix[k, e] = int(value * scale[e])
        return cls(n, None, frozen(matrix, _fit(matrix)), frozen(scale, _fit(scale)))

    @property
    def field(self) -> int | str:
        """The prime, or ``Q``."""
        return "Q" if self.prime is None else self.prime

    def column(self, e: int) -> list[Rational]:
        """Return the entries of a column as given (mod p)."""
        scale = int(self.scale[e])
        return [whole(Fraction(int(v), scale)) for v in self.matrix[:, e].tolist()]

    def to_json(self) -> dict[str, Any]:
        columns = [
            [v if isinstance(v, int) else rational.text(v) for v in self.column(e)]
            for e in range(self.n)
        ]
        return {"type": self.type, "field": self.field, "columns": columns}

    def fields(self) -> dict[str, Any]:
        if self.prime is None:
            return self.to_json()
        return {"type": self.type, "field": self.prime, "matrix": self.matrix}

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n)
        matrix = frozen(self.matrix[:, where], self.matrix.dtype)
        scale = frozen(self.scale[where], self.scale.dtype)
        return type(self)(len(where), self.prime, matrix, scale)

    def size(self) -> dict[str, int]:
        return {"rows": int(self.matrix.shape[0])}


def _field(field: Any) -> int | None:
    if field == "Q":
        return None
    if isinstance(field, bool) or not isinstance(field, int):
        raise InstanceError("matroid.field", f'expected a prime or "Q", got {field!r}')
    if not 2 <= field < MAX_PRIME or not is_prime(field):
        raise InstanceError("matroid.field", f'expected a prime below 2^31 or "Q", got {field}')
    return field


def _exact(value: Any, where: str) -> Fraction:
    """Return an entry over Q; a float or a decimal is refused, because it is rarely meant."""
    if isinstance(value, str) and rational_text(value):
        return Fraction(rational.parse(value, where))
    if isinstance(value, int | np.integer | Fraction) and not isinstance(value, bool):
        return Fraction(rational.parse(value, where))
    shown = str(value)[:40] if not isinstance(value, str) else repr(value)[:40]
    raise InstanceError(where, f"use integers or p/q strings, got {shown}")


def rational_text(text: str) -> bool:
    """Return whether a text is an integer or ``p/q`` (no decimal point)."""
    return not set(text.lower()) & set(".en")


def _fit(values: NDArray[Any]) -> Any:
    largest = max((abs(int(v)) for v in values.ravel().tolist()), default=0)
    return np.int64 if largest < 2**62 else object


@dataclass(frozen=True, eq=False, slots=True)
class _Listed(Matroid):
    """A list of sets of elements.

    Parameters
    ----------
    n
        Number of elements.
    sets
        The sets, each ascending, in the order of the file.
    sampled
        Whether the axioms were checked on a sample only, because there are so many sets.
    """

    n: int
    sets: tuple[tuple[int, ...], ...]
    sampled: bool

    @property
    def masks(self) -> tuple[int, ...]:
        """The sets as bit masks."""
        return tuple(bits(s) for s in self.sets)

    def size(self) -> dict[str, int]:
        return {self.type: len(self.sets)}


def _sets(lists: Sequence[Iterable[Any]], n: int, where: str) -> list[tuple[int, ...]]:
    sets = [element_set(s, n, f"{where}[{k}]") for k, s in enumerate(lists)]
    seen: dict[tuple[int, ...], int] = {}
    for k, s in enumerate(sets):
        if s in seen:
            raise InstanceError(f"{where}[{k}]", f"is the same set as {where}[{seen[s]}]")
        seen[s] = k
    return sets


@dataclass(frozen=True, eq=False, slots=True)
class Bases(_Listed):
    """Subsets of the listed bases."""

    type: ClassVar[str] = "bases"

    @classmethod
    def of(cls, n: int, bases: Sequence[Iterable[Any]]) -> Self:
        n = count(n, "n_elements")
        sets = _sets(bases, n, "matroid.bases")
        if not sets:
            raise InstanceError("matroid.bases", "a matroid has at least one base")
        for k, s in enumerate(sets):
            if len(s) != len(sets[0]):
                sizes = f"bases[{k}] has {len(s)} elements, bases[0] has {len(sets[0])}"
                raise InstanceError("matroid.bases", f"all bases have the same size: {sizes}")
        sampled = axioms.check_exchange(sets, n)
        return cls(n, tuple(sets), sampled)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "bases": [list(s) for s in self.sets]}

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n).tolist()
        place = {e: k for k, e in enumerate(where)}
        parts = [tuple(sorted(place[e] for e in s if e in place)) for s in self.sets]
        size = max(map(len, parts))
        return type(self)(
            len(where), tuple(dict.fromkeys(p for p in parts if len(p) == size)), self.sampled
        )


@dataclass(frozen=True, eq=False, slots=True)
class Circuits(_Listed):
    """Sets that contain none of the listed circuits."""

    type: ClassVar[str] = "circuits"

    @classmethod
    def of(cls, n: int, circuits: Sequence[Iterable[Any]]) -> Self:
        n = count(n, "n_elements")
        sets = _sets(circuits, n, "matroid.circuits")
        if () in sets:
            where = f"matroid.circuits[{sets.index(())}]"
            raise InstanceError(where, "a circuit is not empty")
        sampled = axioms.check_circuits(sets, n)
        return cls(n, tuple(sets), sampled)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "circuits": [list(s) for s in self.sets]}

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n).tolist()
        place = {e: k for k, e in enumerate(where)}
        parts = [
            tuple(sorted(place[e] for e in s)) for s in self.sets if all(e in place for e in s)
        ]
        return type(self)(len(where), tuple(parts), self.sampled)
