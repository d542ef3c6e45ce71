"""What authors lose, as rows over the open papers.

The cost of author i is ``max(0, x - shift) / scale``, x the papers lost. A cost at most t is one
row per author; the number of authors with a loss of at least T papers takes one 0/1 column per
distinct set of papers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection.quota import pointers
from fairopt_solvers.backends import Rows, rows
from fairopt_solvers.desk_rejection.presolve import OPEN, REJECTED, Open

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Losses:
    """Authors with open papers, their papers, and the costs that they can have.

    Attributes
    ----------
    author
        Authors with open papers, shape (touched,).
    ptr, col
        CSR: open papers (columns) of each.
    base
        Papers of each that are lost already.
    shift, scale
        The cost form of each.
    settled
        Loss, shift and scale of the other authors with a loss, shape (others, 3).
    settled_wiped
        How many of those have lost every paper.
    """

    part: Open
    author: Ints
    ptr: Ints
    col: Ints
    base: Ints
    shift: Ints
    scale: Ints
    settled: Ints
    settled_wiped: int

    @staticmethod
    def of(part: Open, objective: str) -> Losses:
        """Return the losses that matter for an objective."""
        problem = part.problem
        shift, scale = problem.cost_form(objective)
        column = np.full(problem.n_papers, -1, np.int64)
        column[part.paper] = np.arange(len(part.paper))
        slot_paper, slot_author = problem.author_paper, problem.author_of_slot
        open_slot = part.state[slot_paper] == OPEN
        many = np.bincount(slot_author[open_slot], minlength=problem.n_authors)
        lost = np.bincount(
            slot_author[part.state[slot_paper] == REJECTED], minlength=problem.n_authors
        )
        touched = many > 0
        rest = ~touched & (lost > 0)
        return Losses(
            part,
            np.flatnonzero(touched),
            pointers(many[touched]),
            column[slot_paper[open_slot]],
            lost[touched],
            shift[touched],
            scale[touched],
            np.stack([lost, shift, scale], axis=1)[rest],
            int(np.sum(rest & (lost == problem.degree))),
        )

    @cached_property
    def size(self) -> Ints:
        """Open papers of each author, shape (touched,)."""
        return np.diff(self.ptr)

    @cached_property
    def author_of(self) -> Ints:
        """The author (position in ``author``) of each entry of ``col``."""
        return np.repeat(np.arange(len(self.author)), self.size)

    @cached_property
    def author_set(self) -> Ints:
        """Number of the distinct set of open papers of each author, shape (touched,)."""
        bounds, cols = self.ptr.tolist(), self.col
        seen: dict[bytes, int] = {}
        out = [seen.setdefault(cols[a:b].tobytes(), len(seen)) for a, b in pairwise(bounds)]
        return np.array(out, np.int64)

    def lost(self, kept: Bools) -> Ints:
        """Return the papers that each touched author loses."""
        gone = ~kept[self.col]
        return self.base + np.bincount(self.author_of[gone], minlength=len(self.author))

    def worst(self, kept: Bools) -> Fraction:
        """Return the worst cost of all authors."""
        return max(_worst(*self.settled.T), _worst(self.lost(kept), self.shift, self.scale))

    def values(self) -> list[Fraction]:
        """Return the positive costs that any author can have, falling."""
        pairs = {(lost - shift, scale) for lost, shift, scale in self.settled.tolist()}
        low = np.maximum(self.base, self.shift + 1)
        spans = np.unique(np.stack([low - self.shift, self.base + self.size - self.shift,
                                    self.scale], axis=1), axis=0)  # fmt: skip
        for first, last, scale in spans.tolist():
            pairs.update((x, scale) for x in range(first, last + 1))
        return sorted({Fraction(x, s) for x, s in pairs if x > 0}, reverse=True)

    def unavoidable(self) -> Fraction:
        """Return the worst cost that the losses so far already make."""
        return max(_worst(*self.settled.T), _worst(self.base, self.shift, self.scale))

    def at_least(self, value: Fraction) -> Ints:
        """Return the loss from which each touched author's cost is at least ``value`` > 0."""
        scaled = value.numerator * self.scale.astype(object)
        return np.asarray(self.shift - (-scaled // value.denominator), dtype=np.int64)

    def counter(self, value: Fraction | None) -> Counter:
        """Count the authors whose cost is at least ``value`` > 0 (None: who lose every paper)."""
        if value is None:
            problem = self.part.problem
            return Counter.of(self, problem.degree[self.author], self.settled_wiped)
        lost, shift, scale = self.settled.T.astype(object)
        over = (lost - shift) * value.denominator >= value.numerator * scale
        return Counter.of(self, self.at_least(value), int(np.sum(over)))

    def cap_rows(self, t: Fraction) -> Rows | None:
        """Return rows that keep every cost at or below t; None if no choice of papers can."""
        cap = self.shift + t.numerator * self.scale // t.denominator
        need = self.base + self.size - cap  # open papers that must be kept
        if np.any(need > self.size):
            return None
        tight = np.flatnonzero(need > 0)
        # Authors with the same papers: only the strongest demand counts.
        demand = np.zeros(int(self.author_set.max(initial=-1)) + 1, np.int64)
        np.maximum.at(demand, self.author_set[tight], need[tight])
        first = np.unique(self.author_set, return_index=True)[1]
        chosen = first[demand > 0]
        return self._rows_of(chosen, demand[demand > 0].astype(np.float64))

    def _rows_of(self, authors: Ints, lower: Floats) -> Rows:
        row = np.full(len(self.author), -1, np.int64)
        row[authors] = np.arange(len(authors))
        entry = row[self.author_of] >= 0
        return rows(row[self.author_of[entry]], self.col[entry], 1, lower=lower, count=len(authors))


def _worst(lost: Ints, shift: Ints, scale: Ints) -> Fraction:
    over = np.stack([lost - shift, scale], axis=1)[lost > shift]
    pairs = np.unique(over, axis=0).tolist() if len(over) else []
    return max((Fraction(x, s) for x, s in pairs), default=Fraction(0))


@dataclass(frozen=True, eq=False)
class Counter:
    """How many authors lose at least their threshold: ``constant + weight · 1[...]``.

    The indicator of a set of papers with a single one is ``1 - r``; others get a 0/1 column
    each, which must be 1 when at least ``need`` of the set's papers are rejected.

    Attributes
    ----------
    single
        How many authors hang on each open paper alone, shape (columns,).
    need, many, ptr, col
        The sets with a column: papers that must go, authors, CSR of papers.
    """

    constant: int
    single: Ints
    need: Ints
    many: Ints
    ptr: Ints
    col: Ints

    @staticmethod
    def of(losses: Losses, threshold: Ints, settled: int) -> Counter:
        """Count authors that lose at least ``threshold`` papers each."""
        n = len(losses.part.paper)
        need = threshold - losses.base
        already = need <= 0
        possible = ~already & (need <= losses.size)
        one = possible & (losses.size == 1)
        single = np.bincount(losses.col[losses.ptr[:-1][one]], minlength=n).astype(np.int64)
        key = np.stack([losses.author_set, need], axis=1)[possible & ~one]
        found, first, many = np.unique(key, axis=0, return_index=True, return_counts=True)
        chosen = np.flatnonzero(possible & ~one)[first]
        row = np.full(len(losses.author), -1, np.int64)
        row[chosen] = np.arange(len(chosen))
        entry = row[losses.author_of] >= 0
        order = np.argsort(row[losses.author_of[entry]], kind="stable")
        return Counter(
            settled + int(already.sum()),
            single,
            found[:, 1].astype(np.int64) if len(found) else np.zeros(0, np.int64),
            many.astype(np.int64),
            pointers(losses.size[chosen]),
            losses.col[entry][order],
        )

    def count(self, kept: Bools) -> int:
        """Return the number of authors for a set of kept columns."""
        return int(self.constant + (self.single * ~kept).sum() + (self.many * self.on(kept)).sum())

    def on(self, kept: Bools) -> Bools:
        """Return which sets lose at least their need."""
        of = np.repeat(np.arange(len(self.need)), np.diff(self.ptr))
        gone = np.bincount(of[~kept[self.col]], minlength=len(self.need))
        return gone >= self.need

    def link_rows(self, offset: int) -> Rows:
        """Return the rows that tie each set's column (from ``offset`` on) to its papers.

        ``gone <= need - 1 + (size - need + 1) z``, with ``gone = size - sum r``.
        """
        size = np.diff(self.ptr)
        of = np.repeat(np.arange(len(self.need)), size)
        slope = (size - self.need + 1).astype(np.float64)
        return rows(
            np.concatenate([of, np.arange(len(self.need))]),
            np.concatenate([self.col, offset + np.arange(len(self.need))]),
            np.concatenate([np.ones(len(of)), slope]),
            lower=slope,
            count=len(self.need),
        )
