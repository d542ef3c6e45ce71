"""Matroids that count: uniform, partition and laminar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fairopt.errors import InstanceError
from fairopt.problems.online_selection.kinds import (
    Ints,
    Matroid,
    count,
    csr,
    element_set,
    frozen,
    positions,
    sized,
)


@dataclass(frozen=True, eq=False, slots=True)
class Uniform(Matroid):
    """At most ``rank`` of ``n`` elements."""

    type: ClassVar[str] = "uniform"
    n: int
    rank: int

    @classmethod
    def of(cls, n: int, rank: int) -> Self:
        return cls(count(n, "n_elements"), count(rank, "matroid.rank"))

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "rank": self.rank}

    def take(self, index: ArrayLike) -> Self:
        return type(self)(len(positions(index, self.n)), self.rank)


@dataclass(frozen=True, eq=False, slots=True)
class Partition(Matroid):
    """At most ``capacity[b]`` elements of every block b.

    Parameters
    ----------
    n
        Number of elements.
    block
        Block of each element, shape (n,).
    capacity
        Capacity of each block, shape (blocks,).
    """

    type: ClassVar[str] = "partition"
    n: int
    block: Ints
    capacity: Ints

    @classmethod
    def of(cls, blocks: Sequence[Any], capacities: Sequence[Any], n: int | None = None) -> Self:
        n = sized(len(blocks), n, "matroid.blocks", "blocks")
        capacity = [count(c, f"matroid.capacities[{b}]") for b, c in enumerate(capacities)]
        for e, b in enumerate(blocks):
            if count(b, f"matroid.blocks[{e}]") >= len(capacity):
                why = f"no block {b}; there are {len(capacity)} capacities"
                raise InstanceError(f"matroid.blocks[{e}]", why)
        return cls(n, frozen(np.array(blocks, np.int64)), frozen(np.array(capacity, np.int64)))

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "blocks": self.block.tolist(),
            "capacities": self.capacity.tolist(),
        }

    def fields(self) -> dict[str, Any]:
        return {"type": self.type, "blocks": self.block, "capacities": self.capacity}

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n)
        return type(self)(len(where), frozen(self.block[where]), self.capacity)

    def size(self) -> dict[str, int]:
        return {"blocks": len(self.capacity)}


@dataclass(frozen=True, eq=False, slots=True)
class Laminar(Matroid):
    """At most ``capacity[s]`` elements of every set s; sets are nested or disjoint.

    Parameters
    ----------
    n
        Number of elements.
    names
        Name of each set (None where the file gives none).
    capacity
        Capacity of each set, shape (sets,).
    parent
        The smallest set around each set, -1 for none, shape (sets,). Of equal sets the one
        listed later lies inside.
    leaf
        The smallest set around each element, -1 for none, shape (n,).
    chain_ptr, chain
        The sets around element e from the largest to the smallest are
        ``chain[chain_ptr[e]:chain_ptr[e + 1]]``.
    """

    type: ClassVar[str] = "laminar"
    n: int
    names: tuple[str | None, ...]
    capacity: Ints
    parent: Ints
    leaf: Ints
    chain_ptr: Ints
    chain: Ints

    @classmethod
    def of(
        cls,
        n: int,
        sets: Sequence[Iterable[Any]],
        capacities: Sequence[Any],
        names: Sequence[str | None] | None = None,
    ) -> Self:
        n = count(n, "n_elements")
        members = [element_set(s, n, f"matroid.sets[{k}].elements") for k, s in enumerate(sets)]
        if len(capacities) != len(members):
            raise InstanceError("matroid.sets", f"expected {len(members)} capacities")
        capacity = [count(c, f"matroid.sets[{k}].capacity") for k, c in enumerate(capacities)]
        named = tuple(names) if names is not None else (None,) * len(members)
        seen: set[str] = set()
        for k, name in enumerate(named):
            if name is not None and name in seen:
                raise InstanceError(f"matroid.sets[{k}].name", f"{name!r} is given twice")
            seen |= {name} if name is not None else set()
        return cls._nested(n, members, capacity, named)

    @classmethod
    def _nested(
        cls,
        n: int,
        members: Sequence[Sequence[int]],
        capacity: Sequence[int],
        names: tuple[str | None, ...],
    ) -> Self:
        """Build chains by adding sets from the largest to the smallest; refuse crossing ones.

        A set must lie inside the set that was the smallest around each of its elements so far,
        so all of them must agree.
        """
        parent = [-1] * len(members)
        leaf = [-1] * n
        chain: list[list[int]] = [[] for _ in range(n)]
        for s in sorted(range(len(members)), key=lambda k: (-len(members[k]), k)):
            found = [leaf[e] for e in members[s]]
            if found and min(found) != max(found):
                shown = f"{_shown(names, _crossing(members, s, found))} and {_shown(names, s)}"
                raise InstanceError("matroid.sets", f"{shown} cross: neither nested nor disjoint")
            parent[s] = found[0] if found else -1
            for e in members[s]:
                leaf[e] = s
                chain[e].append(s)
        ptr, flat = csr(chain)
        own, around, deepest = (frozen(np.array(a, np.int64)) for a in (capacity, parent, leaf))
        return cls(n, names, own, around, deepest, ptr, flat)

    def members(self, s: int) -> list[int]:
        """Return the elements of set ``s`` in ascending order."""
        element = np.repeat(np.arange(self.n), np.diff(self.chain_ptr))
        found: list[int] = element[self.chain == s].tolist()
        return found

    def lists(self) -> list[list[int]]:
        """Return the elements of every set."""
        out: list[list[int]] = [[] for _ in self.names]
        element = np.repeat(np.arange(self.n), np.diff(self.chain_ptr))
        for s, e in zip(self.chain.tolist(), element.tolist(), strict=True):
            out[s].append(e)
        return out

    def to_json(self) -> dict[str, Any]:
        sets = []
        for name, members, capacity in zip(
            self.names, self.lists(), self.capacity.tolist(), strict=True
        ):
            row: dict[str, Any] = {} if name is None else {"name": name}
            sets.append({**row, "elements": members, "capacity": capacity})
        return {"type": self.type, "sets": sets}

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n)
        place = np.full(self.n, -1, np.int64)
        place[where] = np.arange(len(where))
        members = [sorted(int(place[e]) for e in s if place[e] >= 0) for s in self.lists()]
        return self._nested(len(where), members, self.capacity.tolist(), self.names)

    def size(self) -> dict[str, int]:
        return {"sets": len(self.names)}


def _crossing(members: Sequence[Sequence[int]], s: int, found: Sequence[int]) -> int:
    """Return a set that crosses set ``s``, among the smallest ones around its elements."""
    mine = set(members[s])
    around = [t for t in sorted(set(found)) if t >= 0]
    return next(t for t in around if not mine <= set(members[t]))


def _shown(names: Sequence[str | None], s: int) -> str:
    return f"sets[{s}]" if names[s] is None else f"{names[s]!r}"
