"""The best shares of the points in given clusters, by a linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt.solution import Infeasible
from fairopt_solvers.backends import relax
from fairopt_solvers.fair_clustering.milp import linear_model
from fairopt_solvers.fair_clustering.proven import NO_FAIRNESS

Floats = NDArray[np.float64]


def solve_shares(
    problem: FairClustering, distances: Floats, run: Run
) -> tuple[Floats | None, dict[str, Any] | None, Infeasible | None]:
    """Return the best shares (n, m) for these centres, the multipliers that prove it, or why not.

    The shares are None where the time is up.
    """
    if problem.fairness.type == "none":
        nearest = distances.argmin(1)[:, None] == np.arange(distances.shape[1])
        return nearest.astype(np.float64), NO_FAIRNESS, None
    made = linear_model(problem, distances, given=True)
    result = relax(made.model, run)
    if result.status == "infeasible":
        data = {"backend": result.backend}
        words = f"not even shares satisfy the condition {problem.fairness.type!r}"
        return None, None, Infeasible(words, "solver", data)
    multipliers = None
    if result.duals is not None:
        multipliers = made.fair.read(result.duals[problem.n :] / made.scale)
    shares = None if result.x is None else made.shares(result.x)
    return shares, multipliers, None
