"""What the judges said: ballots, single votes or sums, and the counts that follow.

Everything is whole numbers. A judge's opinion on a pair is better, worse, tied or missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]

_ROWS = 64  # items compared with all others at once: the block stays in the cache
_FULL = 255  # ballots that a byte can count


@dataclass(frozen=True, eq=False, slots=True)
class Votes:
    """Opinions on single pairs: judge, first item, second item, and who is better (1, 0, -1)."""

    judge: Ints
    first: Ints
    second: Ints
    value: Ints
    weights: Ints  # (judges,)


@dataclass(frozen=True, eq=False)
class Profile:
    """All opinions, in one of three forms; ``total`` is the weight of all judges, W.

    Attributes
    ----------
    n
        Items.
    total
        W; judges without any opinion count.
    ranks
        (ballots, n) int32, smaller is better, equal is tied, -1 is missing; equal ballots are one
        row with the sum of their ``weights``.
    votes
        Single opinions.
    support, ties
        (n, n) sums as given: who was put above whom by how many, and who was tied.
    """

    n: int
    total: int
    ranks: Ints32 | None = None
    weights: Ints | None = None
    votes: Votes | None = None
    support: Ints | None = None
    ties: Ints | None = None

    @cached_property
    def counts(self) -> Counts:
        """Return the counts of all pairs, by plain array code."""
        if self.ranks is not None and self.weights is not None:
            return Counts(self.total, *_of_ranks(self.ranks, self.weights))
        if self.votes is not None:
            return Counts(self.total, *_of_votes(self.votes, self.n))
        assert self.support is not None
        assert self.ties is not None
        return Counts(self.total, self.support, self.ties)


def _of_ranks(ranks: Ints32, weights: Ints) -> tuple[Ints, Ints]:
    """Return support and ties of ballots, 64 rows of items at a time."""
    n = ranks.shape[1]
    # A missing item is neither below (left) nor above (right) anything.
    left = np.where(ranks < 0, np.int32(2**31 - 1), ranks)
    right = np.where(ranks < 0, np.int32(-1), ranks)
    support = np.zeros((n, n), np.int64)
    single, heavy = np.flatnonzero(weights == 1), np.flatnonzero(weights != 1)
    for first in range(0, n, _ROWS):
        rows = slice(first, first + _ROWS)
        part = support[rows]
        for begin in range(0, len(single), _FULL):
            few = np.zeros(part.shape, np.uint8)
            for k in single[begin : begin + _FULL].tolist():
                few += left[k, rows, None] < right[k, None, :]
            part += few
        for k in heavy.tolist():
            part += weights[k] * (left[k, rows, None] < right[k, None, :])
    present = (ranks >= 0).astype(np.float64)
    both = ((present * weights[:, None]).T @ present).round().astype(np.int64)
    ties = both - support - support.T
    np.fill_diagonal(ties, 0)
    return support, ties


def _of_votes(votes: Votes, n: int) -> tuple[Ints, Ints]:
    weight = votes.weights[votes.judge]
    support, ties = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    for sign, a, b in ((1, votes.first, votes.second), (-1, votes.second, votes.first)):
        chosen = votes.value == sign
        np.add.at(support, (a[chosen], b[chosen]), weight[chosen])
    tied = votes.value == 0
    for a, b in ((votes.first, votes.second), (votes.second, votes.first)):
        np.add.at(ties, (a[tied], b[tied]), weight[tied])
    return support, ties


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """For every ordered pair the weight of the judges by opinion; all zero on the diagonal.

    ``support[i, j]`` put i above j, ``ties[i, j]`` tied them; the rest of ``total`` is missing.
    """

    total: int
    support: Ints
    ties: Ints

    @property
    def missing(self) -> Ints:
        """Return the weight of the judges without an opinion on each pair."""
        out = self.total - self.support - self.support.T - self.ties
        np.fill_diagonal(out, 0)
        return np.asarray(out, np.int64)

    def dissent(self, convention: str) -> Dissent:
        """Return the dissent of every statement "i above j" under a convention."""
        against = self.support.T
        if convention == "strict":
            return Dissent(self.total - self.support, self.total)
        if convention == "half-ties":
            return Dissent(2 * self.total - 2 * self.support - self.ties, 2 * self.total)
        judged = self.support + against + self.ties
        return _fractions(np.where(judged > 0, against + self.ties, 1), np.maximum(judged, 1))


@dataclass(frozen=True, eq=False, slots=True)
class Dissent:
    """Dissents as whole numbers that are ordered like them.

    ``level[i, j]`` stands for the dissent of "i above j": a numerator over ``scale``, or where
    denominators differ a place in the ascending list ``values``.
    """

    level: Ints
    scale: int = 0
    values: tuple[Fraction, ...] = ()

    def value(self, level: int) -> Fraction:
        """Return the dissent that a level stands for."""
        return Fraction(level, self.scale) if self.scale else self.values[level]

    def floor(self, tau: Fraction) -> int:
        """Return the largest level whose dissent is at most ``tau`` (-1 if there is none)."""
        if self.scale:
            return int(tau * self.scale // 1)
        return _below(self.values, tau, strict=False)

    @property
    def largest(self) -> int:
        """Return the largest level whose dissent is less than one half."""
        if self.scale:
            return (self.scale - 1) // 2
        return _below(self.values, Fraction(1, 2), strict=True)


def _below(values: tuple[Fraction, ...], limit: Fraction, *, strict: bool) -> int:
    from bisect import bisect_left, bisect_right

    return (bisect_left if strict else bisect_right)(values, limit) - 1


def _fractions(num: Ints, den: Ints) -> Dissent:
    """Return levels for fractions with different denominators, in exact order."""
    shared = np.gcd(num, den)
    pairs, where = np.unique(
        np.stack([(num // shared).ravel(), (den // shared).ravel()]), axis=1, return_inverse=True
    )
    values = [Fraction(a, b) for a, b in pairs.T.tolist()]
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values), np.int64)
    place[order] = np.arange(len(values))
    level = place[np.asarray(where).ravel()].reshape(num.shape)
    return Dissent(level, values=tuple(values[k] for k in order))
