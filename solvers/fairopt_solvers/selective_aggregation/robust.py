"""How a ranking changes when opinions are missing, or when some judges say something else.

On counts alone: the judges of a pair are interchangeable, and a judge of weight w is w judges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.selective_aggregation import SelectiveAggregation
from fairopt.problems.selective_aggregation.profile import Counts
from fairopt.run import Run
from fairopt_solvers.selective_aggregation.counting import counts_of
from fairopt_solvers.selective_aggregation.spa import tiers

Ints = NDArray[np.int64]

MOST = 2_000_000_000  # opinions


def perturbed(
    problem: SelectiveAggregation, *, trials: int, share: float, seed: int
) -> dict[str, Any]:
    """Rank anew after random changes of opinions, many times.

    Parameters
    ----------
    trials
        Of each kind: ``missing`` (a share of all opinions is dropped) and ``changed`` (a share is
        replaced by one of the two other values, each with the same chance).
    share
        Of the single opinions of judges on pairs.

    Returns
    -------
    dict
        For each kind lists over the trials: ``inversions``, ``added``, ``lost`` comparisons.
    """
    if problem.asked is None:
        raise UsageError("robustness needs tau (or max_dissent_count)")
    if trials < 1 or not 0 <= share <= 1:
        raise UsageError("trials must be at least 1, share lie in [0, 1]")
    counts = counts_of(problem, Run(seed=seed))
    assert counts is not None
    cells = _cells(counts)
    if int(cells.sum()) > MOST:
        raise UsageError(f"there are more than {MOST:,} opinions")
    before = _ranked(problem, counts)
    rng = np.random.default_rng(seed)
    out: dict[str, Any] = {}
    for kind in ("missing", "changed"):
        found = [
            _compared(before, _ranked(problem, _redrawn(counts, cells, share, kind, rng)))
            for _ in range(trials)
        ]
        names = ("inversions", "added", "lost")
        out[kind] = {name: [row[k] for row in found] for k, name in enumerate(names)}
    return out


def _cells(counts: Counts) -> Ints:
    """Return (pairs, 3): judges for the first, against it, and tied, for every pair i < j."""
    i, j = np.triu_indices(len(counts.support), 1)
    return np.stack([counts.support[i, j], counts.support[j, i], counts.ties[i, j]], axis=1)


def _redrawn(
    counts: Counts, cells: Ints, share: float, kind: str, rng: np.random.Generator
) -> Counts:
    total = int(cells.sum())
    taken = rng.multivariate_hypergeometric(
        cells.ravel(), round(share * total), method="marginals"
    ).reshape(cells.shape)
    left = cells - taken
    if kind == "changed":
        first = rng.binomial(taken, 0.5)
        second = taken - first
        left = left + np.roll(first, 1, axis=1) + np.roll(second, 2, axis=1)
    n = len(counts.support)
    i, j = np.triu_indices(n, 1)
    support, ties = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    support[i, j], support[j, i] = left[:, 0], left[:, 1]
    ties[i, j] = ties[j, i] = left[:, 2]
    return Counts(counts.total, support, ties)


def _ranked(problem: SelectiveAggregation, counts: Counts) -> Ints:
    dissent = counts.dissent(problem.convention)
    assert problem.asked is not None
    return tiers(dissent.level, dissent.floor(problem.asked))


def _compared(before: Ints, after: Ints) -> tuple[int, int, int]:
    """Return how many pairs are inverted, newly compared, compared no more."""
    i, j = np.triu_indices(len(before), 1)
    one, two = np.sign(before[j] - before[i]), np.sign(after[j] - after[i])
    return (
        int((one * two < 0).sum()),
        int(((one == 0) & (two != 0)).sum()),
        int(((one != 0) & (two == 0)).sum()),
    )
