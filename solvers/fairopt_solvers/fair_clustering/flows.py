"""Fair assignments that are flows: integral, polynomial, exact.

Costs are rounded down to integers at a scale that is stated, so that the cost of the flow divided
by the scale bounds every assignment from below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.backends import min_cost_flow

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Flow:
    """``labels`` is None where there is no flow (``infeasible``) or no time.

    ``bound`` lies below the cost of every assignment of the kind asked for.
    """

    labels: Ints | None
    bound: float
    infeasible: bool
    data: dict[str, Any]


def is_paired(problem: FairClustering) -> bool:
    """Return whether a strict assignment is a flow: two groups of equal size, no weights."""
    fairness = problem.fairness
    if fairness.type != "proportional" or fairness.rounding != "strict":
        return False
    if problem.weights is not None or len(problem.attributes) != 1 or not problem.allow_empty:
        return False
    size = np.bincount(problem.attributes[0].codes)
    return len(size) == 2 and bool(size[0] == size[1])


def paired_flow(problem: FairClustering, distances: Floats, run: Run) -> Flow:
    """Return the best assignment with as many points of one group as of the other everywhere.

    One unit goes from each point of the first group through a cluster to one of the second.
    """
    n, m = distances.shape
    first = problem.attributes[0].codes == 0
    cost, scale = _integers(distances, n + m)
    i, j = (v.ravel() for v in np.indices((n, m)))
    out = first[i]
    tail, head = np.where(out, i, n + j), np.where(out, n + j, i)
    supply = np.concatenate([np.where(first, 1, -1), np.zeros(m, np.int64)])
    result = min_cost_flow(tail, head, np.ones(n * m, np.int64), cost.ravel(), supply, run)
    return _read(result, n, m, scale)


def bounded_flow(
    distances: Floats,
    codes: Ints,
    run: Run,
    *,
    lower: Ints,
    upper: Ints,
    size_lower: Ints,
    size_upper: Ints,
) -> Flow:
    """Return the best assignment with whole bounds on group counts (G, m) and sizes (m,).

    Costs (n, m) may be weighted; every point counts once in the bounds.
    """
    n, m = distances.shape
    groups = len(lower)
    cost, scale = _integers(distances, n + groups * m + m + 1)
    i, j = (v.ravel() for v in np.indices((n, m)))
    group_at, cluster_at = n, n + groups * m
    sink = cluster_at + m
    of_group = group_at + np.arange(groups * m)
    of_cluster = cluster_at + np.arange(m)
    tail = np.concatenate([i, of_group, of_cluster])
    head = np.concatenate(
        [group_at + codes[i] * m + j, np.tile(of_cluster, groups), np.full(m, sink)]
    )
    room = np.concatenate(
        [np.ones(n * m, np.int64), (upper - lower).ravel(), size_upper - size_lower]
    )
    if np.any(room < 0):
        return Flow(None, math.inf, True, {"backend": "none"})
    price = np.concatenate([cost.ravel(), np.zeros(groups * m + m, np.int64)])
    supply = np.zeros(sink + 1, np.int64)
    supply[:n] = 1
    supply[of_group] -= lower.ravel()
    supply[of_cluster] += lower.sum(0) - size_lower
    supply[sink] = int(size_lower.sum()) - n
    return _read(min_cost_flow(tail, head, room, price, supply, run), n, m, scale)


def _integers(distances: Floats, nodes: int) -> tuple[Ints, float]:
    """Return costs rounded down at a power of two that no total can overflow, and the scale."""
    top = float(distances.max(initial=0.0))
    bits = 57 - max(nodes, 2).bit_length()
    if np.all(distances == np.rint(distances)) and top < 2.0**bits:
        return distances.astype(np.int64), 1.0
    scale = 2.0 ** (bits - math.frexp(top)[1])
    return np.floor(distances * scale).astype(np.int64), scale


def _read(result: Any, n: int, m: int, scale: float) -> Flow:
    data: dict[str, Any] = {"backend": result.backend}
    if scale != 1.0:
        data["scale"] = scale
    if result.flow is None or result.cost is None:
        return Flow(None, -math.inf, result.status == "infeasible", data)
    labels = result.flow[: n * m].reshape(n, m).argmax(1).astype(np.int64)
    return Flow(labels, result.cost / scale, False, data)
