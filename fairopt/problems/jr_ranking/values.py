"""The value of a feed, and the best one without any axiom: exact sums over positions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from fairopt.rational import Exact

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking


def value_of(problem: JrRanking, shown: Sequence[int]) -> Fraction | float:
    """Return the score of comments in display order; with ``dcg`` a float, rounded once."""
    total = _weighted(problem.scores, problem.position_factors, shown)
    return float(total) if problem.objective.kind == "float" else total


def _weighted(scores: Exact, factors: Exact, shown: Sequence[int]) -> Fraction:
    pairs = zip(shown, factors.num.tolist(), strict=True)
    total = sum(int(scores.num[c]) * factor for c, factor in pairs)
    return Fraction(total, scores.den * factors.den)


def top_order(problem: JrRanking) -> tuple[int, ...]:
    """Return a best feed that ignores the axiom, but not ``forced`` and ``forbidden``.

    In set mode, and where all position weights are positive, the best comments beside the forced
    ones. A negative weight wants a low score: the best feed then takes some comments from the top
    and the others from the bottom, and all ways to do so are tried.
    """
    out = set(problem.forced) | set(problem.forbidden)
    free = [c for c in problem.by_score.tolist() if c not in out]
    need = problem.k - len(problem.forced)
    factors = problem.position_factors
    negative = sum(1 for v in factors.num.tolist() if v < 0)
    best: tuple[Fraction, tuple[int, ...]] | None = None
    for low in range(min(negative, need) + 1):
        chosen = [*problem.forced, *free[: need - low], *free[len(free) - low :]]
        order = _arranged(problem, chosen)
        value = _weighted(problem.scores, factors, order)
        if best is None or value > best[0]:
            best = (value, order)
    assert best is not None
    return best[1]


def _arranged(problem: JrRanking, chosen: Sequence[int]) -> tuple[int, ...]:
    """Return the best order: higher scores at positions of higher weight."""
    rank = problem.score_rank
    by_score = sorted(chosen, key=lambda c: int(rank[c]))
    factors = problem.position_factors.num.tolist()
    slots = sorted(range(problem.k), key=lambda p: -factors[p])
    out = [0] * problem.k
    for c, p in zip(by_score, slots, strict=True):
        out[p] = c
    return tuple(out)


def top_value(problem: JrRanking) -> Fraction | float:
    """Return the value of ``top_order``: no feed under any axiom has a higher one."""
    return value_of(problem, top_order(problem))
