"""Matroids of graphs: graphic, cographic and transversal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fairopt.errors import InstanceError
from fairopt.problems.online_selection.kinds import (
    Ints,
    Matroid,
    csr,
    frozen,
    pointers,
    positions,
    sized,
)

Name = int | str


@dataclass(frozen=True, eq=False, slots=True)
class _EdgeList(Matroid):
    """Edges as elements. Element e joins ``vertices[tail[e]]`` and ``vertices[head[e]]``.

    Parameters
    ----------
    n
        Number of edges. Parallel edges and self-loops are allowed.
    vertices
        Names, sorted: ascending integers, or texts in code-point order. The order of vertex
        numbers is therefore the order of labels.
    tail, head
        Vertex numbers, shape (n,).
    """

    n: int
    vertices: tuple[Name, ...]
    tail: Ints
    head: Ints

    @classmethod
    def of(cls, edges: Sequence[Sequence[Any]] | Ints, n: int | None = None) -> Self:
        n = sized(len(edges), n, "matroid.edges", "edges")
        if not n:
            return cls(0, (), frozen([]), frozen([]))
        if isinstance(edges, np.ndarray):
            pairs: Any = edges
            if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
                raise InstanceError("matroid.edges", "expected pairs of integers")
            names, place = np.unique(pairs.astype(np.int64), return_inverse=True)
            vertices: tuple[Name, ...] = tuple(names.tolist())
            ends = place.reshape(-1, 2)
        else:
            flat = _ends(edges)
            vertices = _vertices(flat, "matroid.edges", 2)
            index = {name: k for k, name in enumerate(vertices)}
            ends = np.array([index[v] for v in flat], np.int64).reshape(-1, 2)
        return cls(n, vertices, frozen(ends[:, 0]), frozen(ends[:, 1]))

    @property
    def n_vertices(self) -> int:
        """Number of vertices that have an edge."""
        return len(self.vertices)

    @property
    def edges(self) -> list[tuple[Name, Name]]:
        """The edges as pairs of names."""
        names = self.vertices
        ends = zip(self.tail.tolist(), self.head.tolist(), strict=True)
        return [(names[u], names[v]) for u, v in ends]

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "edges": [list(pair) for pair in self.edges]}

    def fields(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "vertices": self.vertices,
            "tail": self.tail,
            "head": self.head,
        }

    def size(self) -> dict[str, int]:
        return {"vertices": self.n_vertices}


def _ends(edges: Sequence[Sequence[Any]]) -> list[Any]:
    out: list[Any] = []
    for k, edge in enumerate(edges):
        if not isinstance(edge, list | tuple) or len(edge) != 2:
            raise InstanceError(f"matroid.edges[{k}]", f"expected two vertices, got {edge!r}")
        out += edge
    return out


def _vertices(names: Sequence[Any], where: str, width: int = 1) -> tuple[Name, ...]:
    """Return distinct names sorted; all must be integers, or all texts."""
    kinds = set(map(type, names))
    if kinds <= {int} or kinds == {str}:
        return tuple(sorted(set(names)))
    first = type(names[0])
    for k, name in enumerate(names):
        if type(name) not in (int, str) or type(name) is not first:
            place = f"{where}[{k // width}]" if width > 1 else where
            why = f"expected all integers or all texts as vertices, got {name!r}"
            raise InstanceError(place, why)
    raise AssertionError  # pragma: no cover


@dataclass(frozen=True, eq=False, slots=True)
class Graphic(_EdgeList):
    """Edge sets without a cycle."""

    type: ClassVar[str] = "graphic"

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n)
        ends = np.stack((self.tail[where], self.head[where]), axis=1)
        used, place = np.unique(ends, return_inverse=True)
        names = tuple(self.vertices[v] for v in used.tolist())
        ends = place.reshape(-1, 2)
        return type(self)(len(where), names, frozen(ends[:, 0]), frozen(ends[:, 1]))


@dataclass(frozen=True, eq=False, slots=True)
class Cographic(_EdgeList):
    """Edge sets whose removal leaves as many components as there are."""

    type: ClassVar[str] = "cographic"

    def take(self, index: ArrayLike) -> Self:
        """Return the restriction: edges that are left out are contracted."""
        where = positions(index, self.n)
        root = list(range(self.n_vertices))

        def find(v: int) -> int:
            while root[v] != v:
                root[v] = root[root[v]]
                v = root[v]
            return v

        gone = np.ones(self.n, np.bool_)
        gone[where] = False
        for u, v in zip(self.tail[gone].tolist(), self.head[gone].tolist(), strict=True):
            a, b = find(u), find(v)
            root[max(a, b)] = min(a, b)
        kept = sorted({find(v) for e in where.tolist() for v in (self.tail[e], self.head[e])})
        place = {v: k for k, v in enumerate(kept)}
        tail = [place[find(int(v))] for v in self.tail[where]]
        head = [place[find(int(v))] for v in self.head[where]]
        names = tuple(self.vertices[v] for v in kept)
        arrays = (frozen(np.array(a, np.int64)) for a in (tail, head))
        return type(self)(len(where), names, *arrays)


@dataclass(frozen=True, eq=False, slots=True)
class Transversal(Matroid):
    """Sets of elements that can all be matched to different right vertices.

    Parameters
    ----------
    n
        Number of elements.
    rights
        Names of the right vertices, sorted.
    ptr, right
        The neighbours of element e are ``right[ptr[e]:ptr[e + 1]]``, positions in ``rights``.
    """

    type: ClassVar[str] = "transversal"
    n: int
    rights: tuple[Name, ...]
    ptr: Ints
    right: Ints

    @classmethod
    def of(cls, neighbors: Sequence[Sequence[Any]], n: int | None = None) -> Self:
        n = sized(len(neighbors), n, "matroid.neighbors", "lists")
        for e, row in enumerate(neighbors):
            if len(set(row)) != len(row):
                twice = next(v for k, v in enumerate(row) if v in row[:k])
                why = f"neighbour {twice!r} is given twice"
                raise InstanceError(f"matroid.neighbors[{e}]", why)
        names = _vertices([v for row in neighbors for v in row], "matroid.neighbors")
        index = {name: k for k, name in enumerate(names)}
        ptr, right = csr([sorted(index[v] for v in row) for row in neighbors])
        return cls(n, names, ptr, right)

    @property
    def n_right(self) -> int:
        """Number of right vertices that have a neighbour."""
        return len(self.rights)

    def neighbors(self, e: int) -> Ints:
        """Return the right vertices of element ``e``."""
        return self.right[self.ptr[e] : self.ptr[e + 1]]

    def to_json(self) -> dict[str, Any]:
        names = self.rights
        rows = [[names[v] for v in self.neighbors(e).tolist()] for e in range(self.n)]
        return {"type": self.type, "neighbors": rows}

    def fields(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "rights": self.rights,
            "ptr": self.ptr,
            "right": self.right,
        }

    def take(self, index: ArrayLike) -> Self:
        where = positions(index, self.n)
        rows = [self.neighbors(e).tolist() for e in where.tolist()]
        used = sorted({v for row in rows for v in row})
        place = {v: k for k, v in enumerate(used)}
        flat = [place[v] for row in rows for v in row]
        ptr = frozen(pointers(np.array([len(row) for row in rows], np.int64)))
        names = tuple(self.rights[v] for v in used)
        return type(self)(len(where), names, ptr, frozen(np.array(flat, np.int64)))

    def size(self) -> dict[str, int]:
        return {"right": self.n_right}
