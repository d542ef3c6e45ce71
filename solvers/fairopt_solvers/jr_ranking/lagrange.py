"""From a linear program's duals to an exact bound, and to comments that can be decided by it.

With multipliers y >= 0 on cuts ``a x >= b`` a selection's score is at most
``max { (s + yA) x : x a selection } - y b``, and that maximum is a sum of the k largest
coefficients. The multipliers are rounded down to multiples of a power of two, the rest is done in
integers: nothing here trusts a float.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt_solvers.jr_ranking.cuts import Cut
from fairopt_solvers.jr_ranking.profile import Bools, Ints
from fairopt_solvers.jr_ranking.question import Question

_BITS = 30
_SAFE = 2.0**61


@dataclass(frozen=True, eq=False)
class Lagrange:
    """An exact bound: ``bound`` and ``reduced`` are in units of ``1 / (scores.den * 2**30)``."""

    reduced: NDArray[np.object_] | Ints
    constant: int
    multipliers: tuple[Fraction, ...]  # of the cuts, in units of the score
    inside: Bools  # the best selection for the reduced scores
    bound: int

    def floor(self, question: Question) -> int:
        """Return the bound on totals (scores times ``den``), rounded down to a possible one."""
        step = grid(question)
        return self.bound // (step << _BITS) * step

    def fixed(self, question: Question, low: Bools, high: Bools, best: int) -> tuple[Bools, Bools]:
        """Return which comments a selection with a total above ``best`` cannot and must hold."""
        goal = (best + 1) << _BITS
        reduced, inside = self.reduced, self.inside
        own, other = inside & ~low, ~inside & high
        least = min((int(v) for v in reduced[own].tolist()), default=None)
        most = max((int(v) for v in reduced[other].tolist()), default=None)
        out, must = np.zeros(len(low), bool), np.zeros(len(low), bool)
        if least is not None:
            out[other] = np.asarray(reduced[other] + (self.bound - least) < goal, bool)
        if most is not None:
            must[own] = np.asarray(self.bound + most - reduced[own] < goal, bool)
        return out, must


def grid(question: Question) -> int:
    """Return a number that divides every total."""
    return max(1, math.gcd(*question.points))


def lagrange(
    question: Question, cuts: Sequence[Cut], duals: Sequence[float], low: Bools, high: Bools
) -> Lagrange:
    """Return the bound of multipliers over the selections of size k between two masks."""
    den = question.scores.den
    scaled = [max(0, math.floor(Fraction(y) * den * (1 << _BITS))) for y in duals]
    num = question.scores.num
    size = max([1.0, *(abs(float(v)) for v in num.tolist())]) * 2.0**_BITS
    size += sum(float(y) * max(float(cut.need), 1.0) for y, cut in zip(scaled, cuts, strict=True))
    exact = num.dtype != object and size * max(question.k, 1) < _SAFE
    reduced = (num if exact else num.astype(object)) * (1 << _BITS)
    constant = 0
    for y, cut in zip(scaled, cuts, strict=True):
        if y:
            coef = cut.coef if exact else cut.coef.astype(object)
            reduced[cut.comments] += y * coef
            constant += y * cut.need
    inside = low.copy()
    rest = np.flatnonzero(high & ~low)
    order = sorted(rest.tolist(), key=lambda c: (-reduced[c], c))
    inside[order[: question.k - int(low.sum())]] = True
    bound = sum(int(v) for v in reduced[inside].tolist()) - constant
    unit = den << _BITS
    return Lagrange(reduced, constant, tuple(Fraction(y, unit) for y in scaled), inside, bound)
