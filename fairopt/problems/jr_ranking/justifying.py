"""Justifying sets: any set of comments after which no group of a whole quota is left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from fairopt.errors import InstanceError
from fairopt.problems.jr_ranking import counting

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

_CELLS = 20_000_000_000  # multiplications for the proof that no smaller set is justifying


def is_justifying(problem: JrRanking, comments: Iterable[int]) -> bool:
    """Return whether u_c <= t_1 - 1 for every comment c, for the instance's k."""
    shown = counting.mask_of(problem, comments)
    left = counting.unrepresented(problem, counting.satisfaction(problem, shown))
    return int(left.max()) < problem.threshold_of(1)


def refuted_below(problem: JrRanking, size: int) -> bool:
    """Return whether no set of fewer than ``size`` comments is justifying, by enumeration.

    A superset of a justifying set is justifying, so only sets of size - 1 are tried, all but the
    last comment of each set one by one and the last ones together in one product of matrices.
    Raises ``InstanceError`` where that is too much.
    """
    if size == 0:
        return True
    if size == 1:
        return not is_justifying(problem, ())
    m, due = problem.n_comments, problem.threshold_of(1)
    wanted = np.flatnonzero(problem.sup >= due)  # only these can be left out
    work = comb(m, size - 2) * len(wanted) * problem.n_users * m
    if work > _CELLS:
        raise InstanceError("proof", f"too many sets of {size - 1} comments to try them all")
    table = np.zeros((m, problem.n_users))
    table[problem.indices, counting.rows_of(problem)] = 1.0
    mass = table[wanted] * problem.weights
    misses = 1.0 - table
    for head in combinations(range(m), size - 2):
        free = np.prod(misses[list(head)], axis=0) if head else np.ones(problem.n_users)
        left = (mass * free) @ misses.T  # (wanted, last comment): weight left out
        if (left.max(axis=0) < due).any():
            return False
    return True
