"""Potentials of the transport between two groups: any below the squared distances will do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, relax, rows
from fairopt_solvers.fair_clustering.kernels_bounds import soft_transform, transform
from fairopt_solvers.fair_clustering.sites import pairwise

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_EXACT = 20_000  # pairs up to which the transport is solved as a linear program
MOST_PAIRS = 4_000_000  # pairs up to which the smoothed transport is
_WORK = 100_000_000  # pairs looked at by the smoothed transport, about 1.5 s
_MARGIN = 1e-13  # relative: potentials must lie below the distances in the court's floats too


def potentials(problem: FairClustering, codes: Ints, run: Run) -> tuple[Floats, Floats] | None:
    """Return (u, v) with ``u_i + v_j <= |x_i - x_j|^2`` for i of group 0 and j of group 1.

    Their mean over the groups (by weight) is near the squared Wasserstein distance between
    them. None for very many points.
    """
    if problem.points is None or run.expired():
        return None
    count = int((codes == 0).sum())
    if count * (len(codes) - count) > MOST_PAIRS:
        return None
    points = np.ascontiguousarray(problem.points - problem.points.mean(0))
    x, y = points[codes == 0], points[codes == 1]
    a, b = problem.mass[codes == 0], problem.mass[codes == 1]
    a, b = a / a.sum(), b / b.sum()
    mean = a @ x - b @ y
    v = -2.0 * (y @ mean)
    if len(x) * len(y) <= MOST_EXACT:
        solved = _exact(x, y, a, b, run)
        v = v if solved is None else solved
    else:
        v = _smoothed(x, y, a, b, v, run)
    u, back = np.empty(len(x)), np.empty(len(y))
    transform(x, y, v, u)
    transform(y, x, u, back)  # never below v, so the sum can only grow
    return _below(u, back, x, y)


def _below(u: Floats, v: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    size = float((x**2).sum(1).max() + (y**2).sum(1).max() + np.abs(u).max() + np.abs(v).max())
    return u - _MARGIN * size, v


def _exact(x: Floats, y: Floats, a: Floats, b: Floats, run: Run) -> Floats | None:
    """Return the potentials of group 1 from the linear program, None if it was not solved."""
    cost = pairwise(x, y, "sqeuclidean")
    scale = float(cost.mean())
    if scale == 0.0:
        return np.zeros(len(y))
    i, j = (index.ravel() for index in np.indices(cost.shape))
    column = np.arange(cost.size)
    model = LinearModel.build(
        (cost / scale).ravel(),
        rows(i, column, lower=a * len(x), upper=a * len(x)),
        rows(j, column, lower=b * len(x), upper=b * len(x)),
        upper=np.inf,
        integer=False,
    )
    result = relax(model, run.child("transport"))
    return None if result.duals is None else result.duals[len(x) :] * scale


def _smoothed(x: Floats, y: Floats, a: Floats, b: Floats, v: Floats, run: Run) -> Floats:
    """Return potentials of group 1 by alternating smoothed transforms, cooled down.

    Cuturi 2013, in the logarithmic form.
    """
    u, v = np.empty(len(x)), np.ascontiguousarray(v)
    rounds = max(4, _WORK // (2 * len(x) * len(y)))
    heat = float(x.var(0).sum() + y.var(0).sum()) or 1.0
    last = heat / 2000.0
    cool = (last / heat) ** (1.0 / max(1, rounds - 1))
    for _ in range(rounds):
        if run.expired():
            break
        soft_transform(x, y, v, b, heat, u)
        soft_transform(y, x, u, a, heat, v)
        heat *= cool
    return v
