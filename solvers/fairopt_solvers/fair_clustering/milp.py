"""Sums of distances to centres that can be listed: the 0/1 program, its linear relaxation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt.solution import Note
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, relax, rows, solve
from fairopt_solvers.fair_clustering.rows import Fair, linear_rows
from fairopt_solvers.fair_clustering.rows_whole import integer_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EXACT = 2.0**50  # totals of whole costs up to here go to a backend as they are
_BITS = 42  # else CP-SAT gets costs whose total has about so many bits


@dataclass(frozen=True, eq=False)
class Model:
    """Columns ``x`` (n, m) at ``i * m + j``, then ``y`` (m) unless all centres are given.

    Attributes
    ----------
    chooses
        Whether the centres are chosen, with columns y.
    scale
        The costs given to a backend are ``scale`` times those of the problem.
    loss
        How far the sum of the given costs, divided by ``scale``, may lie below the true one.
    """

    problem: FairClustering
    m: int
    chooses: bool
    model: LinearModel
    fair: Fair
    scale: float
    loss: float

    def shares(self, point: Floats) -> Floats:
        """Return x as (n, m)."""
        n = self.problem.n
        return point[: n * self.m].reshape(n, self.m)

    def point(self, labels: Ints) -> Floats:
        """Return the point of labels among the m centres."""
        x = np.zeros((self.problem.n, self.m))
        x[np.arange(len(x)), labels] = 1.0
        y = (x.sum(0) > 0).astype(np.float64) if self.chooses else np.zeros(0)
        return np.concatenate([x.ravel(), y, self.fair.fill(x)])


def linear_model(problem: FairClustering, distances: Floats, *, given: bool | None = None) -> Model:
    """Return the linear program over shares, costs divided by their mean.

    ``given`` says that all centres are open, whatever the instance says.
    """
    cost, scale, _ = scaled(problem, distances, integers=False)
    return _model(problem, distances.shape[1], cost, scale, 0.0, relaxed=True, given=given)


def integer_model(problem: FairClustering, distances: Floats, *, integers: bool = False) -> Model:
    """Return the 0/1 program; ``integers`` asks for costs that CP-SAT can take.

    Centre choice: at most k of the m sites, exactly k if no cluster may be empty. For ``soft``
    shares are continuous and only the choice of centres is whole.
    """
    cost, scale, loss = scaled(problem, distances, integers=integers)
    return _model(problem, distances.shape[1], cost, scale, loss, integers=integers)


def feasibility_model(
    problem: FairClustering, distances: Floats, radius: float, *, integers: bool = False,
    relaxed: bool = False, given: bool | None = None,
) -> Model:  # fmt: skip
    """Return the program without costs in which no point goes further than ``radius``."""
    m = distances.shape[1]
    cost = np.zeros(distances.shape, np.int64)
    return _model(
        problem, m, cost, 1.0, 0.0, integers=integers, relaxed=relaxed, given=given,
        open_=distances <= radius,
    )  # fmt: skip


def scaled(
    problem: FairClustering, distances: Floats, *, integers: bool
) -> tuple[NDArray[Any], float, float]:
    """Return (costs for a backend, scale, loss of their sum in the problem's units).

    Whole costs stay what they are. Others are divided by their mean, or, for a backend that
    takes integers only, multiplied by a power of two and rounded down.
    """
    cost = problem.mass[:, None] * distances
    total = float(cost.max(1).sum())
    if np.all(cost == np.rint(cost)) and total < _EXACT:
        return cost.astype(np.int64), 1.0, 0.0
    if integers:
        scale = 2.0 ** (_BITS - math.frexp(total)[1])
        return np.floor(cost * scale).astype(np.int64), scale, len(cost) / scale
    mean = float(cost.mean())
    return cost / mean, 1.0 / mean, 0.0


def _model(
    problem: FairClustering, m: int, cost: NDArray[Any], scale: float, loss: float, *,
    relaxed: bool = False, integers: bool = False, given: bool | None = None,
    open_: NDArray[np.bool_] | None = None,
) -> Model:  # fmt: skip
    n = problem.n
    chooses = problem.mode != "fixed" if given is None else not given
    n_x, n_y = n * m, m if chooses else 0
    soft = relaxed or problem.fairness.rounding == "soft"
    fair = (linear_rows if soft else integer_rows)(problem, m, n_x + n_y)
    extra = len(fair.lower)
    full = not problem.allow_empty and not soft
    blocks = [*_structure(problem, m, chooses=chooses, full=full), *fair.blocks]
    upper = np.ones(n_x) if open_ is None else open_.astype(np.float64).ravel()
    # Shares that nothing but the choice of centres restricts are whole by themselves.
    whole = np.full(n_x, not soft and (integers or problem.fairness.type != "none"))
    objective = np.concatenate([cost.ravel(), np.zeros(n_y + extra, cost.dtype)])
    model = LinearModel.build(
        objective,
        *blocks,
        lower=np.concatenate([np.zeros(n_x + n_y), fair.lower]),
        upper=np.concatenate([upper, np.ones(n_y), fair.upper]),
        integer=np.concatenate([whole, np.full(n_y, not relaxed), fair.integer]),
    )
    return Model(problem, m, chooses, model, fair, scale, loss)


def _structure(problem: FairClustering, m: int, *, chooses: bool, full: bool) -> list[Rows]:
    """Every point once; only open centres; as many centres as there may be.

    ``full``: each of k centres has a point. It is left out for shares, of which any amount, as
    small as you like, would do.
    """
    n, k = problem.n, problem.k
    i, j = (v.ravel() for v in np.indices((n, m)))
    x = i * m + j
    out = [rows(i, x, lower=np.ones(n), upper=np.ones(n))]
    if not chooses:
        if full:
            out.append(rows(j, x, lower=np.ones(m)))
        return out
    y = n * m + np.arange(m)
    at = np.arange(n * m)
    row, col = np.concatenate([at, at]), np.concatenate([x, y[j]])
    coef = np.concatenate([np.ones(n * m), -np.ones(n * m)])
    out.append(rows(row, col, coef, upper=np.zeros(n * m)))
    low = float(k) if full else 0.0
    out.append(rows(np.zeros(m, np.int64), y, lower=np.array([low]), upper=np.array([float(k)])))
    if full:
        row, col = np.concatenate([j, np.arange(m)]), np.concatenate([x, y])
        coef = np.concatenate([np.ones(n * m), -np.ones(m)])
        out.append(rows(row, col, coef, lower=np.zeros(m)))
    return out


@dataclass(frozen=True, eq=False)
class Solved:
    """What a 0/1 program gave: labels among the m centres, a bound in the problem's units."""

    labels: Ints | None
    shares: Floats | None
    status: str
    bound: float | None
    slack: float
    data: dict[str, Any]
    notes: tuple[Note, ...]


def solve_sum(
    problem: FairClustering,
    distances: Floats,
    run: Run,
    *,
    backend: str,
    start: Ints | None = None,
    on_labels: Any = None,
) -> Solved:
    """Solve the 0/1 program with a backend, from ``start`` (labels among the m centres)."""
    made = integer_model(problem, distances, integers=backend == "cp-sat")

    def heard(point: Floats) -> None:
        on_labels(made.shares(point).argmax(1))

    result = solve(
        made.model,
        run,
        backend=backend,
        start=None if start is None else made.point(start),
        on_point=None if on_labels is None else heard,
    )
    return _solved(made, result, backend)


def _solved(made: Model, result: LinearResult, backend: str) -> Solved:
    data: dict[str, Any] = {"backend": result.backend or backend}
    shares = None if result.x is None else made.shares(result.x)
    labels = None if shares is None else shares.argmax(1).astype(np.int64)
    bound, slack = None, 0.0
    if result.bound is not None:
        bound = float(Fraction(result.bound)) / made.scale
        slack = float(Fraction(result.slack)) * (1 - 1e-12) / made.scale  # never rounded up
        if made.loss:
            data["scale"] = made.scale
    return Solved(labels, shares, result.status, bound, slack, data, result.notes)


def solve_relaxation(
    problem: FairClustering, distances: Floats, run: Run
) -> tuple[Model, LinearResult]:
    """Solve the linear program with HiGHS; free centres: with the points as candidates."""
    made = linear_model(problem, distances)
    return made, relax(made.model, run)
