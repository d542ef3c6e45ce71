"""Fair assignments with a small largest distance (``kcenter``), to given centres."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.fair_clustering.assign import Assigned, fair_assignment, soft_assignment
from fairopt_solvers.fair_clustering.common import is_soft
from fairopt_solvers.fair_clustering.forms import Form

Floats = NDArray[np.float64]

_NUDGE = 1e-3  # distances within the radius count so little
_STEPS = 40


def radius_assignment(
    problem: FairClustering, distances: Floats, run: Run, *, form: Form
) -> Assigned | None:
    """Return a fair assignment whose largest distance is small; ``cost`` is that distance.

    Bisection over the distances: a sum in which those beyond the radius count 1 is 0 where the
    radius can be kept. A heuristic, as whole points may fail where shares do not. None if the
    time was up before the first assignment.
    """
    solve = soft_assignment if is_soft(problem) else fair_assignment
    best = solve(problem, distances, run, form=form)
    if best is None or best.labels is None or best.violation:
        return best
    best = replace(best, cost=_largest(distances, best))
    values = np.unique(distances)
    low = int(np.searchsorted(values, float(distances.min(1).max())))
    high = int(np.searchsorted(values, best.cost))
    top = float(distances.max()) or 1.0
    for _ in range(_STEPS):
        if low >= high or run.expired():
            break
        middle = (low + high) // 2
        cost = (distances > values[middle]) + _NUDGE / len(distances) * distances / top
        found = solve(problem, cost, run, form=form)
        if found is None:
            break
        reached = np.inf
        if found.labels is not None and not found.violation:
            reached = _largest(distances, found)
        if reached <= values[middle]:
            best = replace(found, cost=reached)
            high = int(np.searchsorted(values, reached))
        else:
            low = middle + 1
    return best


def _largest(distances: Floats, found: Assigned) -> float:
    assert found.labels is not None
    if found.shares is not None:
        from fairopt_solvers.fair_clustering.sites import NOISE

        return float(distances[found.shares >= NOISE].max())
    return float(np.take_along_axis(distances, found.labels[:, None], axis=1).max())
