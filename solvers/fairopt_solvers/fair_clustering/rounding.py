"""From shares to whole points: integer targets for every group in every cluster, then a flow.

Group counts between the floor and the ceiling of the shares' masses are a flow, hence integral,
and cost no more than the shares (Bercea et al., APPROX 2019). For ``strict`` and ``floor-ceil``
the targets are chosen so that the condition holds exactly.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.fair_clustering.flows import bounded_flow
from fairopt_solvers.fair_clustering.rows import condition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def rounded(problem: FairClustering, distances: Floats, shares: Floats, run: Run) -> Ints | None:
    """Return hard labels near the shares, None where no flow does it.

    That is: several attributes, or weights. Labels keep ``strict`` and ``floor-ceil``; elsewhere
    group counts are off by less than 1 (``max_additive_violation`` below 2).
    """
    if problem.weights is not None or len(problem.attributes) > 1:
        return None
    codes = problem.attributes[0].codes if problem.attributes else np.zeros(problem.n, np.int64)
    groups, m = int(codes.max()) + 1, shares.shape[1]
    size = np.bincount(codes, minlength=groups)
    mass = (codes[None, :] == np.arange(groups)[:, None]).astype(np.float64) @ shares
    kind = condition(problem)
    if kind == "proportional":
        unit = math.gcd(*size.tolist())
        u = largest_remainder(mass.sum(0) * unit / problem.n, unit)
        lower = upper = (size // unit)[:, None] * u[None, :]
        sizes = (lower.sum(0), lower.sum(0))
    elif kind == "floor-ceil":
        whole = largest_remainder(mass.sum(0), problem.n)
        product = size[:, None] * whole[None, :]
        lower, upper = product // problem.n, -(-product // problem.n)
        sizes = (whole, whole)
    else:
        lower = np.floor(mass + 1e-7).astype(np.int64)
        upper = np.ceil(mass - 1e-7).astype(np.int64)
        total = mass.sum(0)
        sizes = (np.floor(total + 1e-7).astype(np.int64), np.ceil(total - 1e-7).astype(np.int64))
    cost = problem.mass[:, None] * distances[:, :m]
    flow = bounded_flow(
        cost, codes, run, lower=lower, upper=upper, size_lower=sizes[0], size_upper=sizes[1]
    )
    return flow.labels


def largest_remainder(parts: Floats, total: int) -> Ints:
    """Return whole numbers near the parts that add up to the total; ties to the lowest."""
    out = np.floor(parts + 1e-9).astype(np.int64)
    missing = total - int(out.sum())
    order = np.argsort(out - parts, kind="stable")
    if missing >= 0:
        out[order[: missing % max(1, len(out))]] += 1
        return out + missing // max(1, len(out))
    for c in order[::-1].tolist():  # rounding errors only: one or two too many
        if missing < 0 < out[c]:
            out[c] -= 1
            missing += 1
    return out
