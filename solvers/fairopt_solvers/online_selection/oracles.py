"""Independence oracles: one interface over every kind of matroid, and over matchoids.

>>> oracle = Oracle.of(matroid)
>>> oracle.rank([0, 2, 5])
>>> colour = oracle.first_fit(order)             # 1, 2, … by element; 0 for loops
>>> levels = oracle.levels()
>>> levels.place(e)                              # one arrival: its level, or -1
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt_solvers.online_selection.tables import Table, build, parts_of, random_primes

Ints = NDArray[np.int64]
TRIES = 20
_NO_LIMIT = 2**62


class PrimesDisagree(Exception):
    """Two primes gave different answers about rational columns; other primes must be tried."""


@dataclass(eq=False, slots=True)
class Levels:
    """Independent sets A_0, A_1, …, that only grow.

    Each element is in at most one of them. ``used`` is the number of levels that ``place`` and
    ``first_fit`` have filled. For a matroid whose levels are filled by these two alone the spans
    are nested, and the level of an element is found with O(log used) queries. Room for further
    levels is made as needed.
    """

    oracle: Oracle
    count: int
    state: Ints
    pool: Ints
    work: Ints
    colour: Ints
    _answer: Ints
    _used: Ints
    _nested: bool

    @property
    def used(self) -> int:
        """How many levels are in use."""
        return int(self._used[0])

    def fits(self, level: int, e: int) -> bool:
        """Return whether A_level + e is independent; e must be in no level yet."""
        return self._level(level, e, commit=False)

    def add(self, level: int, e: int) -> bool:
        """Put e into A_level if it fits there; return whether it did.

        After that levels are searched one by one, because spans need not be nested any more.
        """
        self._nested = False
        return self._level(level, e, commit=True)

    def place(self, e: int, limit: int | None = None) -> int:
        """Put e into the first level below ``limit`` where it fits; return it, or -1."""
        self.extend(np.array([e], np.int64), limit)
        return int(self.colour[e]) - 1

    def extend(self, order: ArrayLike, limit: int | None = None) -> Ints:
        """Place the elements of ``order`` one after the other; return ``colour`` of all so far."""
        sequence = np.ascontiguousarray(order, np.int64)
        most = _NO_LIMIT if limit is None else limit
        done = 0
        while True:
            done = self._place(sequence, done, 0, most, True, self.colour)
            if done == len(sequence):
                return self.colour
            self._reach(2 * self.count)

    def _level(self, level: int, e: int, *, commit: bool) -> bool:
        self._reach(level)
        answer = self.colour if commit else self._answer
        self._place(np.array([e], np.int64), 0, level, level + 1, commit, answer)
        if commit and answer[e]:
            self._used[0] = max(self.used, level + 1)
        return bool(answer[e])

    def _place(
        self, order: Ints, start: int, first: int, limit: int, commit: bool, colour: Ints
    ) -> int:
        from fairopt_solvers.online_selection.kernels_levels import place

        table, work = self.oracle.table.arrays, self.work
        state = (self.state, self.count, self.pool, work)
        one = first > 0 or not commit
        used = np.array([first], np.int64) if one else self._used
        nested = self._nested and not one
        done = place(*table, *state, order, start, first, limit, nested, commit, colour, used)
        if self.oracle.table.twins and work[1]:
            raise PrimesDisagree
        return int(done)

    def members(self, level: int) -> Ints:
        """Return the elements of a level in ascending order."""
        return np.flatnonzero(self.colour == level + 1)

    def clear(self) -> None:
        """Empty all levels."""
        self.state[:] = 0
        self.colour[:] = 0
        self._used[0] = 0
        self._nested = self.oracle.is_matroid

    def _reach(self, level: int) -> None:
        """Make room for a level: the state is copied, so room grows by doubling."""
        if level < self.count:
            return
        wider = np.zeros((self.oracle.table.cells, max(level + 1, 2 * self.count)), np.int64)
        wider[:, : self.count] = self.state.reshape(-1, self.count)
        self.count = wider.shape[1]
        self.state = wider.reshape(-1)


@dataclass(eq=False, slots=True)
class Oracle:
    """An independence system behind kernels.

    Rational columns are eliminated modulo two random primes of 31 bits. A set that is independent
    modulo a prime is independent, so the only possible error is a wrong "dependent" from both; what
    methods claim is proven exactly afterwards. Where the two disagree the batch operations start
    again with other primes, and the single steps of ``Levels`` raise ``PrimesDisagree``.
    """

    matroid: Any
    n: int
    is_matroid: bool
    table: Table
    seed: int

    @staticmethod
    def of(matroid: Any, seed: int = 0) -> Oracle:
        """Compile a matroid or matchoid (one of ``fairopt.problems.online_selection.matroids``).

        ``seed`` chooses the primes for rational columns.
        """
        table = build(matroid.n, parts_of(matroid, random_primes(seed)))
        return Oracle(matroid, matroid.n, matroid.type != "matchoid", table, seed)

    def levels(self, n_levels: int = 8) -> Levels:
        """Return empty levels; room for more than ``n_levels`` is made as needed."""
        table = self.table
        count = max(1, n_levels)
        return Levels(
            self,
            count,
            np.zeros(table.cells * count, np.int64),
            np.zeros(table.words, np.int64),
            table.work.copy(),
            np.zeros(self.n, np.int64),
            np.zeros(self.n, np.int64),
            np.zeros(1, np.int64),
            self.is_matroid,
        )

    def first_fit(self, order: ArrayLike, max_levels: int | None = None) -> Ints:
        """Return the first-fit colour of each element: 1, 2, …, or 0.

        Colour 0 have elements that ``order`` leaves out, loops, and those that fit into none of
        the first ``max_levels`` levels.
        """
        for _ in range(TRIES):
            try:
                return self.levels(min(max_levels or 8, 8)).extend(order, max_levels)
            except PrimesDisagree:
                self.other_primes()
        raise PrimesDisagree

    def base(self, order: ArrayLike | None = None) -> Ints:
        """Return a maximal independent set, greedily in that order; elements ascending."""
        sequence = np.arange(self.n) if order is None else order
        return np.flatnonzero(self.first_fit(sequence, 1))

    def rank(self, subset: Iterable[int] | None = None) -> int:
        """Return the largest size of an independent subset (for a matchoid: of a greedy one)."""
        return len(self.base(None if subset is None else _index(subset)))

    def independent(self, subset: Iterable[int]) -> bool:
        """Return whether a set of distinct elements is independent."""
        elements = _index(subset)
        return len(self.base(elements)) == len(elements)

    def loops(self) -> Ints:
        """Return the elements that are in no independent set."""
        levels = self.levels(1)
        return np.array([e for e in range(self.n) if not levels.fits(0, e)], np.int64)

    def max_weight_base(self, weights: ArrayLike) -> Ints:
        """Return an independent set of largest weight (for a matroid), elements ascending.

        Greedy in decreasing weight, ties to the lowest index; elements of negative weight are
        left out, those of weight 0 are taken.
        """
        values = np.asarray(weights)
        order = np.argsort(-values, kind="stable")
        return self.base(order[values[order] >= 0])

    def circuit(self, independent: Iterable[int], e: int) -> Ints:
        """Return the elements of the only circuit in I + e, e among them; empty if there is none.

        By definition, with one query for each element of I; matroids only.
        """
        inside = _index(independent)
        if self.independent([*inside.tolist(), e]):
            return np.zeros(0, np.int64)
        closing = [
            f for f in inside.tolist() if self.independent([e, *inside[inside != f].tolist()])
        ]
        return np.array(sorted([*closing, e]), np.int64)

    def other_primes(self) -> None:
        """Compile anew with other primes; levels made before keep theirs."""
        self.seed += 1
        self.table = build(self.n, parts_of(self.matroid, random_primes(self.seed)))


def _index(subset: Iterable[int]) -> Ints:
    if isinstance(subset, np.ndarray) and subset.dtype.kind == "b":
        return np.flatnonzero(subset)
    return np.array(list(subset), np.int64)
