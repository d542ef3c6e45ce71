"""What every kind of matroid data has, and how bad data are refused."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.errors import InstanceError

Ints = NDArray[np.int64]


class Matroid(ABC):
    """An independence system on the elements 0..n-1, as data.

    Subclasses are frozen, own read-only arrays and are built by a validating classmethod ``of``,
    whose errors name the field as in the JSON file (``matroid.edges[3]``).
    """

    type: ClassVar[str]
    n: int

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the value of the key ``matroid`` in the instance file."""

    @abstractmethod
    def take(self, index: ArrayLike) -> Self:
        """Return the restriction to these distinct elements; new element k is ``index[k]``."""

    def fields(self) -> dict[str, Any]:
        """Return the data for the digest."""
        return self.to_json()

    def size(self) -> dict[str, int]:
        """Return sizes that describe the kind (``vertices``, ``sets`` …)."""
        return {}


def frozen(values: ArrayLike, dtype: Any = np.int64) -> Any:
    """Return an own, C-contiguous, read-only array."""
    own = np.array(values, dtype=dtype, order="C")
    own.setflags(write=False)
    return own


def positions(index: ArrayLike, n: int) -> Ints:
    """Return distinct positions below ``n`` as an array."""
    out: Ints = np.asarray(index, np.int64).reshape(-1)
    if out.size and (out.min() < 0 or out.max() >= n or len(np.unique(out)) != len(out)):
        raise ValueError("expected distinct elements of the matroid")
    return out


def pointers(sizes: Ints) -> Ints:
    """Return CSR pointers from row sizes."""
    out = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=out[1:])
    return out


def csr(rows: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return read-only CSR pointers and entries of a list of lists."""
    lists = list(rows)
    ptr = pointers(np.array([len(row) for row in lists], np.int64))
    flat = [v for row in lists for v in row]
    return frozen(ptr), frozen(np.array(flat, np.int64))


def count(value: Any, where: str, least: int = 0) -> int:
    """Return a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InstanceError(where, f"expected a whole number, got {value!r}")
    if value < least:
        raise InstanceError(where, f"expected at least {least}, got {value}")
    if value >= 2**62:
        raise InstanceError(where, f"expected less than 2^62, got {value}")
    return int(value)


def element_set(values: Iterable[Any], n: int, where: str) -> tuple[int, ...]:
    """Return distinct elements in ascending order; refuses repeated and unknown ones."""
    out = []
    seen: set[int] = set()
    for k, value in enumerate(values):
        place = f"{where}[{k}]"
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InstanceError(place, f"expected an element (a whole number), got {value!r}")
        if not 0 <= value < n:
            raise InstanceError(place, f"no element {value}; elements are 0 to {n - 1}")
        if value in seen:
            raise InstanceError(place, f"element {value} is given twice")
        seen.add(int(value))
        out.append(int(value))
    return tuple(sorted(out))


def sized(given: int, n: int | None, where: str, what: str) -> int:
    """Return the number of elements that a list gives, which must be ``n`` where that is known."""
    if n is not None and given != n:
        raise InstanceError(where, f"expected {n} {what} (one for each element), got {given}")
    return given


def bits(elements: Iterable[int]) -> int:
    """Return a set of elements as a bit mask."""
    out = 0
    for e in elements:
        out |= 1 << e
    return out
