"""JR for general utilities (De et al. 2025): no large group prefers one comment to all shown."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking import JrRanking
from fairopt_solvers.jr_ranking.audits import Finding
from fairopt_solvers.jr_ranking.profile import Ints


def utility_jr(problem: JrRanking, selected: Sequence[int]) -> Finding:
    """Audit a selection by the utilities of an instance.

    Raises ``UsageError`` if it has none.
    """
    if problem.utilities is None:
        raise UsageError("utility-jr needs an instance with utilities")
    level, comment, members = utility_level(
        problem.utilities, problem.weights, selected, problem.k, problem.quota
    )
    fails = level >= 1 if problem.quota == "hare" else level > 1
    if not fails:
        return Finding("utility-jr", True, note=f"level {level}")
    return Finding("utility-jr", False, members, (comment,), 1, note=f"level {level}")


def utility_level(
    utilities: NDArray[Any], weights: Ints, selected: Sequence[int], k: int, quota: str = "hare"
) -> tuple[Fraction, int, Ints]:
    """Return the largest k w(S) / n of a group that would rather have one comment, that comment, S.

    A group S with a comment c goes without if for some theta all its members have
    ``utilities[i, c] >= theta`` and less than theta for everything selected. ``(users,
    comments)`` utilities are compared as they are, without arithmetic. Time O(m n log n).
    With the Droop quota k + 1 stands for k. Ties go to the smallest comment.
    """
    chosen = np.asarray(selected, np.int64)
    n, seats = int(weights.sum()), k if quota == "hare" else k + 1
    if chosen.size:
        shown = utilities[:, chosen].max(axis=1)
        free = np.ones(len(weights), bool)
    else:
        shown, free = utilities.min(axis=1), np.zeros(len(weights), bool)
    best, where, cut = 0, -1, None
    for c in range(utilities.shape[1]):
        mine = utilities[:, c]
        rather = mine > shown if free.any() else np.ones(len(weights), bool)
        if not rather.any():
            continue
        value, theta = _heaviest(shown[rather], mine[rather], weights[rather], not free.any())
        if value > best:
            best, where, cut = value, c, theta
    if where < 0:
        return Fraction(0), -1, np.zeros(0, np.int64)
    members = utilities[:, where] >= cut
    if free.any():
        members &= shown < cut
    return Fraction(seats * best, n), where, np.flatnonzero(members)


def _heaviest(
    low: NDArray[Any], high: NDArray[Any], weight: Ints, unbounded: bool
) -> tuple[int, Any]:
    """Return the largest weight of {low < theta <= high} over theta in ``high``, and theta."""
    if unbounded:  # nothing is selected: everybody is below every theta
        return int(weight.sum()), high.min()
    by_low, by_high = np.argsort(low, kind="stable"), np.argsort(high, kind="stable")
    below = np.concatenate([[0], np.cumsum(weight[by_low])])
    under = np.concatenate([[0], np.cumsum(weight[by_high])])
    theta = high[by_high]
    gone = np.searchsorted(theta, theta, side="left")
    value = below[np.searchsorted(low[by_low], theta, side="left")] - under[gone]
    at = int(np.argmax(value))
    return int(value[at]), theta[at]
