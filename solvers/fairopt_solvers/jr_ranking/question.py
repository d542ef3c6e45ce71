"""What the methods of this family ask of an instance, in arrays that kernels take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.jr_ranking import JrRanking
from fairopt.rational import Exact
from fairopt_solvers.jr_ranking.profile import Bools, Ints, Profile

_SAFE = 2**61
LEVELLED = ("pjr+", "ejr+", "pjr", "ejr")  # axioms about groups that deserve more than one


def quota(n: int, size: int, level: int, rule: str) -> int:
    """Return the least integer weight of a group that deserves ``level`` of ``size`` comments."""
    if rule == "hare":
        return -(-level * n // size)
    return level * n // (size + 1) + 1


@dataclass(frozen=True, eq=False)
class Question:
    """Maximise an exact score over the selections of size k that keep an axiom.

    ``profile`` has equal ballots merged and empty ones left out; its ``n`` counts them all.
    """

    profile: Profile
    k: int
    scores: Exact
    axiom: str = "jr"
    rule: str = "hare"
    forced: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()

    @staticmethod
    def of(problem: JrRanking) -> Question:
        """Return the question of an instance (the set mode's; cutoffs are asked separately)."""
        return Question(
            Profile.of(problem).merged, problem.k, problem.scores, problem.axiom, problem.quota,
            problem.forced, problem.forbidden,
        )  # fmt: skip

    # -- sizes and scores ---------------------------------------------------------------

    @cached_property
    def thresholds(self) -> Ints:
        """t_l for l = 1..k at place l; place 0 is unused."""
        n, k = self.profile.n, self.k
        return np.array([0, *(quota(n, k, level, self.rule) for level in range(1, k + 1))])

    @property
    def t(self) -> int:
        """Weight from which a group deserves one comment."""
        return int(self.thresholds[1])

    @cached_property
    def allowed(self) -> Bools:
        """Comments that are not forbidden."""
        out = np.ones(self.profile.m, bool)
        out[list(self.forbidden)] = False
        return out

    @cached_property
    def fixed(self) -> Bools:
        """Comments that are forced."""
        out = np.zeros(self.profile.m, bool)
        out[list(self.forced)] = True
        return out

    @cached_property
    def by_score(self) -> Ints:
        """All comments by falling score, ties by index."""
        num = self.scores.num
        if num.dtype != object:
            return np.argsort(-num, kind="stable").astype(np.int64)
        return np.array(sorted(range(len(num)), key=lambda c: (-num[c], c)), np.int64)

    @cached_property
    def rank(self) -> Ints:
        """Place of each comment in ``by_score``."""
        out = np.empty(self.profile.m, np.int64)
        out[self.by_score] = np.arange(self.profile.m)
        return out

    @cached_property
    def guide(self) -> Ints:
        """Scores as 64-bit integers; those beyond are rounded, and only guide a search."""
        num = self.scores.num
        if num.dtype != object:
            return np.ascontiguousarray(num, np.int64)
        top = max(1, sum(abs(int(v)) for v in num.tolist()))
        unit = -(-top // _SAFE)
        return np.array([int(v) // unit for v in num.tolist()], np.int64)

    @cached_property
    def points(self) -> list[int]:
        """Scores as Python integers, over the denominator ``scores.den``."""
        return [int(v) for v in self.scores.num.tolist()]

    def total(self, selected: Iterable[int]) -> int:
        """Return the exact score of a selection, times ``scores.den``."""
        return sum(self.points[int(c)] for c in selected)

    def value(self, selected: Iterable[int]) -> Fraction:
        """Return the exact score of a selection."""
        return Fraction(self.total(selected), self.scores.den)

    # -- selections ---------------------------------------------------------------------

    def display(self, selected: Iterable[int]) -> tuple[int, ...]:
        """Return a selection by falling score, ties by index."""
        return tuple(sorted({int(c) for c in selected}, key=lambda c: (-self.points[c], c)))

    def filled(self, selected: Sequence[int] | Ints) -> tuple[int, ...]:
        """Return the selection with the best allowed comments put in until it has k."""
        inside = np.zeros(self.profile.m, bool)
        inside[np.asarray(selected, np.int64)] = True
        rest = self.by_score[(~inside & self.allowed)[self.by_score]]
        return self.display([*map(int, selected), *rest[: self.k - int(inside.sum())].tolist()])

    @cached_property
    def top(self) -> tuple[int, ...]:
        """The best k comments: forced ones first, no forbidden ones."""
        return self.filled(self.forced)

    def represents(self, selected: Sequence[int] | Ints) -> bool:
        """Return whether JR holds."""
        if not self.profile.m:
            return True
        return int(self.profile.unrepresented(selected).max()) < self.t

    def strongly(self, selected: Sequence[int] | Ints) -> NDArray[np.int64]:
        """Return the comments at which EJR+ fails."""
        level, group = self.profile.worst_levels(selected, self.k)
        return np.flatnonzero(group >= self.thresholds[level])
