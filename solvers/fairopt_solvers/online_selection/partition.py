"""Matroid partition: cover every element c times by p independent sets, or show that none can.

References
----------
.. [1] J. Edmonds, Minimum partition of a matroid into independent subsets, 1965.
.. [2] W. Cunningham, Improved bounds for matroid partition and intersection algorithms, 1986.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from fairopt_solvers.online_selection.oracles import TRIES, Oracle, PrimesDisagree
from fairopt_solvers.online_selection.tables import GF2, GFP, GRAPHIC, Part, parts_of, random_primes

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_SLICE = 2_000_000  # steps between two looks at the clock
_ROOM = 80_000_000  # numbers that the classes may need


class Stopped(Exception):
    """The time is up."""


class TooLarge(Exception):
    """So many classes do not fit into memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Either ``classes``, or ``obstacle``: a set R with copies times |R| > classes times r(R).

    ``rank`` is r(R) as the classes show it: each holds a base of R.
    """

    classes: Bools | None
    obstacle: Ints | None = None
    rank: int = 0

    def sets(self) -> list[Ints]:
        """Return the classes as lists of elements."""
        return [] if self.classes is None else [np.flatnonzero(row) for row in self.classes]


def partition(
    oracle: Oracle,
    classes: int,
    copies: int = 1,
    *,
    packed: Bools | None = None,
    expired: Callable[[], bool] = lambda: False,
) -> Cover:
    """Cover each element by ``copies`` of ``classes`` independent sets of a matroid [1]_.

    Starts from ``packed`` (default: what ``pack`` gives) and goes on by shortest augmenting
    paths [2]_. Elements of a class are distinct, so ``classes`` is at least ``copies``. O(n copies)
    augmentations; a search looks at most at one circuit for each element and class. A loop is an
    obstacle by itself. Raises ``Stopped`` when the time is up.
    """
    for _ in range(TRIES):
        try:
            return _partition(oracle, classes, copies, packed, expired)
        except PrimesDisagree:
            oracle.other_primes()
            packed = None
    raise PrimesDisagree


def _partition(
    oracle: Oracle, classes: int, copies: int, packed: Bools | None, expired: Callable[[], bool]
) -> Cover:
    n = oracle.n
    loops = oracle.loops()
    if loops.size or not n:
        return Cover(np.zeros((classes, n), bool)) if not n else Cover(None, loops[:1], 0)
    if classes < copies:
        return Cover(None, np.arange(1), 1)
    rank, part = oracle.rank(), _single(oracle)
    if classes * (_width(part) + rank) > _ROOM:
        raise TooLarge
    member = pack(oracle, classes, copies, expired=expired) if packed is None else packed
    if len(member) < classes:
        raise Stopped
    done, covered = _augmented(part, member, rank, copies, expired)
    if done:
        return Cover(covered)
    obstacle = np.flatnonzero(covered[-1])
    return Cover(None, obstacle, int(covered[0, obstacle].sum()))


def _augmented(
    part: Part, packed: Bools, rank: int, copies: int, expired: Callable[[], bool]
) -> tuple[bool, Bools]:
    """Return whether all is covered, and the members of every class, shape (classes, n).

    If not, a last row holds the obstacle.
    """
    from fairopt_solvers.online_selection.kernels_partition import augment, settle_classes

    classes, width = len(packed), _width(part)
    row = np.array([part.kind, 0, 0, 0, part.n, part.a, part.b, part.cells, 0], np.int64)
    work = np.zeros(3 + part.stamps + max(part.free, 4 * part.a + 4), np.int64)
    work[2] = 3 + part.stamps
    size = packed.sum(axis=1)
    held = np.zeros(classes * rank, np.int64)
    held[np.repeat(np.arange(classes) * rank, size) + _count_up(size)] = np.nonzero(packed)[1]
    inner = np.zeros(classes * width, np.int64)
    settle_classes(row, part.data, rank, classes, width, inner, held, size, work)
    member, seen = packed.copy(), np.zeros(part.n, bool)
    lack = copies - member.sum(axis=0)
    budget, left = _SLICE, int(lack.sum())
    state = (inner, held, size, lack, member.reshape(-1), seen, work)
    while (done := augment(row, part.data, rank, width, budget, *state)) == 1:
        if expired():
            raise Stopped
        budget = 2 * budget if lack.sum() == left else _SLICE
        left = int(lack.sum())
    return (True, member) if done == 0 else (False, np.vstack([member, seen]))


def pack(
    oracle: Oracle, classes: int, copies: int, *, expired: Callable[[], bool] = lambda: False
) -> Bools:
    """Return independent sets, each built greedily from what still lacks most of its copies.

    Row j of the result is set j; there are fewer than ``classes`` if the time is up. No element is
    in more than ``copies`` sets. On random graphs with as many classes as are just enough a few
    copies in ten thousand remain uncovered. One pass and one sort for each set.
    """
    member = np.zeros((classes, oracle.n), bool)
    lack = np.full(oracle.n, copies, np.int64)
    level = oracle.levels(1)
    often = 1 + 100_000 // max(1, oracle.n)
    for j in range(classes):
        if j % often == often - 1 and expired():
            return member[:j]
        level.clear()
        order = np.argsort(-lack, kind="stable")
        member[j] = level.extend(order[lack[order] > 0], 1)
        lack -= member[j]
    return member


def _count_up(size: Ints) -> Ints:
    """Return 0, 1, … within each run of these lengths."""
    return np.asarray(np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size), np.int64)


def arboricity(oracle: Oracle, *, expired: Callable[[], bool] = lambda: False) -> tuple[int, Cover]:
    """Return the least number of independent sets that cover all elements, and such a cover.

    Starts at n/k and jumps to what an obstacle R demands, ``ceil(|R|/r(R))``.
    """
    if not oracle.n:
        return 0, Cover(np.zeros((0, 0), bool))
    classes = max(1, ceil(Fraction(oracle.n, oracle.rank())))
    while True:
        found = partition(oracle, classes, expired=expired)
        if found.classes is not None:
            return classes, found
        assert found.obstacle is not None
        classes = max(classes + 1, ceil(Fraction(len(found.obstacle), found.rank)))


def _single(oracle: Oracle) -> Part:
    """Return the one part of a matroid; bits become residues, of two primes one is enough.

    A class that is independent modulo a prime is independent; an obstacle of rational columns has
    to be checked by its exact rank.
    """
    part = parts_of(oracle.matroid, random_primes(oracle.seed))[0][0]
    if part.kind != GF2:
        return part
    matrix = oracle.matroid.matrix
    data = np.ascontiguousarray(matrix.T % 2, np.int64).reshape(-1)
    rows = len(matrix)
    return Part(GFP, part.n, data, rows, 2, rows, free=rows + 1)


def _width(part: Part) -> int:
    """Return how many numbers a class needs."""
    if part.kind == GRAPHIC:
        return 4 * part.a
    if part.kind == GFP:
        return part.a * (part.n + 1)
    return max(1, part.cells)
