"""The counts of all pairs from a profile, by kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.selective_aggregation import SelectiveAggregation
from fairopt.problems.selective_aggregation.profile import Counts, Profile
from fairopt.run import Run
from fairopt_solvers.selective_aggregation.kernels_count import count

Ints = NDArray[np.int64]

_MISSING = np.iinfo(np.int16).max
_SLICE = 500_000_000  # comparisons between two looks at the clock, about 0.2 s


def counts_of(problem: SelectiveAggregation, run: Run) -> Counts | None:
    """Return the counts, None if the time was up before all pairs were counted."""
    said = problem.profile
    if said.ranks is None or said.weights is None or said.n >= _MISSING:
        return said.counts
    return _count(said, said.weights, run)


def _count(said: Profile, weights: Ints, run: Run) -> Counts | None:
    assert said.ranks is not None
    n, ranks = said.n, said.ranks.T
    missing = ranks < 0
    worst = np.ascontiguousarray(np.where(missing, _MISSING, ranks), np.int16)
    best = np.ascontiguousarray(np.where(missing, -1, ranks), np.int16)
    support = np.zeros((n, n), np.int64)
    step = max(1, _SLICE // (n * ranks.shape[1]))
    for first in range(0, n, step):
        if run.expired():
            return None
        count(worst, best, weights, first, min(n, first + step), support)
    present = (~missing).astype(np.float64)
    both = ((present * weights) @ present.T).round().astype(np.int64)  # exact below 2^53
    ties = both - support - support.T
    np.fill_diagonal(ties, 0)
    return Counts(said.total, support, ties)
