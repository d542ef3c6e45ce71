"""First-fit levels of an instance, as the online methods use them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.kinds import Matroid
from fairopt_solvers.online_selection.oracles import Levels, Oracle, PrimesDisagree

Ints = NDArray[np.int64]

NO_LIMIT = 2**62
ROOM = 8  # levels to begin with


class Placer(Protocol):
    """Puts arrivals into levels; an element that fits into none gets colour 0."""

    def clear(self) -> None:
        """Empty all levels."""

    def extend(self, elements: Ints) -> Ints:
        """Place arrivals in turn; return their colours."""


def placer(matroid: Matroid, limit: int | None) -> Placer:
    """Return empty first-fit levels, at most ``limit`` of them (None for as many as it takes)."""
    if isinstance(matroid, Graphic):
        return EdgeLevels(matroid, limit)
    return OracleLevels(matroid, limit)


class EdgeLevels:
    """Levels of a graph: spanning forests. Memory: four bytes a vertex and level."""

    def __init__(self, graph: Graphic, limit: int | None) -> None:
        self.tail, self.head, self.vertices = graph.tail, graph.head, graph.n_vertices
        self.limit = NO_LIMIT if limit is None else limit
        self.room = min(ROOM, max(1, self.limit))
        self.colour = np.zeros(graph.n, np.int64)
        self._used = np.zeros(1, np.int64)
        self._forest = np.full(self.vertices * self.room, -1, np.int32)

    def clear(self) -> None:
        self._forest.fill(-1)
        self.colour.fill(0)
        self._used[0] = 0

    def extend(self, elements: Ints) -> Ints:
        from fairopt_solvers.online_selection.kernels_graphic import fit_edges

        arrivals = np.ascontiguousarray(elements, np.int64)
        done = 0
        while True:
            done = fit_edges(
                self.tail, self.head, self._forest, self.room, arrivals, done, self.limit,
                self.colour, self._used,
            )  # fmt: skip
            if done == len(arrivals):
                return self.colour[arrivals]
            wider = np.full((self.vertices, 2 * self.room), -1, np.int32)
            wider[:, : self.room] = self._forest.reshape(-1, self.room)
            self._forest, self.room = wider.reshape(-1), 2 * self.room


class OracleLevels:
    """Levels of any matroid or matchoid, which survive a disagreement of primes.

    Where two primes disagree about rational columns, other primes are taken and the arrivals so
    far are placed again; they keep their levels unless a prime had erred before.
    """

    def __init__(self, matroid: Matroid, limit: int | None) -> None:
        self.matroid, self.limit = matroid, limit
        self.oracle = Oracle.of(matroid)
        self._order: list[int] = []
        self._levels: Levels = self.oracle.levels(min(limit or ROOM, ROOM))

    @property
    def colour(self) -> Ints:
        return self._levels.colour

    def clear(self) -> None:
        self._levels.clear()
        self._order.clear()

    def extend(self, elements: Ints) -> Ints:
        if not self.oracle.table.twins:  # no primes
            return self._levels.extend(elements, self.limit)[elements]
        self._order += elements.tolist()
        pending = elements
        while True:
            try:
                return self._levels.extend(pending, self.limit)[elements]
            except PrimesDisagree:
                self.oracle = Oracle.of(self.matroid, self.oracle.seed + 1)
                self._levels = self.oracle.levels()
                pending = np.array(self._order, np.int64)
