"""The method ``round-robin``: after an unfair clustering, clusters take points of a group in turn.

Gupta, Ghalme, Krishnan, Jain, "Efficient Algorithms for Fair Clustering with a New Notion of
Fairness" (FRAC, 2023).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.fair_clustering.pieces import clustered, occupy
from fairopt_solvers.fair_clustering.proven import unfair_cost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def round_robin(
    problem: FairClustering,
    run: Run,
    *,
    share: float = 1.0,
    starts: int = 10,
    iterations: int = 100,
) -> Outcome[Clustering]:
    """Give every cluster its quota of every group, and the rest to the nearest centres.

    Parameters
    ----------
    share
        Quota relative to equal parts: each cluster gets at least ``floor(share * n_g / k)``
        points of a group with n_g points. 0 to 1; with 1 fewer than k points a group are free.
    starts, iterations
        Of the unfair clustering.

    With several attributes every combination of values counts as a group. Weights do not count
    for quotas. Centres move to the clusters in the end. Raises ``UsageError`` for another share.
    """
    if not 0.0 <= share <= 1.0:
        raise UsageError(f"share: expected 0 to 1, got {share:g}")
    found = clustered(problem, run, starts=starts, iterations=iterations, offer=False)
    if found is None:
        return Outcome()
    distances = np.ascontiguousarray(found.places.distances(found.state))
    labels = by_turns(distances, kinds(problem), share)
    if not problem.allow_empty:
        occupy(distances, labels)
    every = found.places.answer(found.state, np.arange(distances.shape[1]))
    state = found.places.update(found.state, labels, None, run)
    return Outcome(found.places.answer(state, labels), claims=unfair_cost(problem, every))


def kinds(problem: FairClustering) -> Ints:
    """Return (n,) which combination of values each point has."""
    out = np.zeros(problem.n, np.int64)
    for attribute in problem.attributes:
        key = out * len(attribute.values) + attribute.codes
        out = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return out


def by_turns(distances: Floats, of: Ints, share: float) -> Ints:
    """Return labels: quotas of every kind in turn, then the nearest; ties to the lowest."""
    from fairopt_solvers.fair_clustering.kernels_quota import take_turns

    n, k = distances.shape
    labels = np.full(n, -1, np.int64)
    for kind in range(int(of.max()) + 1):
        members = np.flatnonzero(of == kind)
        quota = int(share * len(members) / k + 1e-9)
        order = np.argsort(distances[members], axis=0, kind="stable").T
        take_turns(np.ascontiguousarray(order), members, quota, np.zeros(k, np.int64), labels)
    free = labels < 0
    labels[free] = distances[free].argmin(1)
    return labels
