"""The data of all kinds of matroids, and of matchoids, which combine several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fairopt.errors import InstanceError
from fairopt.problems.online_selection.counting import Laminar, Partition, Uniform
from fairopt.problems.online_selection.graphs import Cographic, Graphic, Transversal
from fairopt.problems.online_selection.kinds import (
    Ints,
    Matroid,
    count,
    element_set,
    frozen,
    positions,
)
from fairopt.problems.online_selection.listed import Bases, Circuits, Linear

__all__ = [
    "KINDS",
    "Bases",
    "Circuits",
    "Cographic",
    "Graphic",
    "Laminar",
    "Linear",
    "Matchoid",
    "Matroid",
    "Part",
    "Partition",
    "Transversal",
    "Uniform",
    "bipartite_matchings",
    "matchings",
]


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One matroid of a matchoid: local element k is ``elements[k]``."""

    elements: Ints
    matroid: Matroid


@dataclass(frozen=True, eq=False, slots=True)
class Matchoid(Matroid):
    """Sets that are independent in every part. No matroid in general.

    Parameters
    ----------
    n
        Number of elements. An element in no part is free.
    parts
        The matroids on parts of the elements.
    """

    type: ClassVar[str] = "matchoid"
    n: int
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, n: int, parts: Sequence[tuple[Sequence[Any], Matroid]]) -> Self:
        n = count(n, "n_elements")
        out = []
        for k, (elements, inner) in enumerate(parts):
            where = f"matroid.parts[{k}]"
            element_set(elements, n, f"{where}.elements")
            if isinstance(inner, Matchoid):
                raise InstanceError(f"{where}.matroid.type", "a part is a matroid, no matchoid")
            if inner.n != len(elements):
                why = f"expected {len(elements)} elements as in the part, got {inner.n}"
                raise InstanceError(f"{where}.matroid", why)
            out.append(Part(frozen(np.array(elements, np.int64)), inner))
        return cls(n, tuple(out))

    @property
    def p(self) -> int:
        """In how many parts an element is at most."""
        return int(self.multiplicity().max(initial=0))

    def multiplicity(self) -> Ints:
        """Return in how many parts each element is, shape (n,)."""
        out = np.zeros(self.n, np.int64)
        for part in self.parts:
            out[part.elements] += 1
        return out

    def to_json(self) -> dict[str, Any]:
        parts = [
            {"elements": part.elements.tolist(), "matroid": part.matroid.to_json()}
            for part in self.parts
        ]
        return {"type": self.type, "parts": parts}

    def fields(self) -> dict[str, Any]:
        parts = [[part.elements, part.matroid.fields()] for part in self.parts]
        return {"type": self.type, "parts": parts}

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n)
        place = np.full(self.n, -1, np.int64)
        place[where] = np.arange(len(where))
        parts = []
        for part in self.parts:
            local = np.flatnonzero(place[part.elements] >= 0)
            if local.size:
                elements = frozen(place[part.elements[local]])
                parts.append(Part(elements, part.matroid.take(local)))
        return type(self)(len(where), tuple(parts))

    def size(self) -> dict[str, int]:
        return {"parts": len(self.parts)}


KINDS: tuple[type[Matroid], ...] = (
    Uniform, Partition, Laminar, Graphic, Cographic, Transversal, Linear, Bases, Circuits,
    Matchoid,
)  # fmt: skip


def matchings(edges: Sequence[tuple[Any, Any]]) -> Matchoid:
    """Return the matchings of a graph: a 2-matchoid, one edge at every vertex.

    A self-loop is in no matching.
    """
    graph = Graphic.of(edges)
    ends: list[list[int]] = [[] for _ in range(graph.n_vertices)]
    loops = []
    for e, (u, v) in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)):
        if u == v:
            loops.append(e)
            continue
        ends[u].append(e)
        ends[v].append(e)
    parts: list[tuple[Sequence[Any], Matroid]] = [
        (mine, Uniform.of(len(mine), 1)) for mine in ends if mine
    ]
    if loops:
        parts.append((loops, Uniform.of(len(loops), 0)))
    return Matchoid.of(graph.n, parts)


def bipartite_matchings(left: Sequence[int], right: Sequence[int]) -> Matchoid:
    """Return the matchings of a bipartite graph: the intersection of two partition matroids."""
    sides: list[tuple[Sequence[Any], Matroid]] = []
    for side in (left, right):
        names, block = np.unique(np.asarray(side, np.int64), return_inverse=True)
        sides.append((range(len(side)), Partition.of(block.tolist(), [1] * len(names))))
    return Matchoid.of(len(left), sides)
