"""The linear program of the fair assignment at a vertex, for many points.

Points that have one clearly cheapest cluster at nearly optimal prices are there; the program holds
only the clusters that are nearly cheapest for the others, and takes in more until its own prices
show that no other cluster is cheaper for anybody. The first prices are those of a sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, relax, rows
from fairopt_solvers.fair_clustering.forms import Form

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_SAMPLE = 1_500  # points that make the first prices
_LOOSE = 2_500  # points that may have several clusters at first, clusters that open in a round
_LEAST = 20  # points of each kind in the sample, if there are so many
_PENALTIES = (3.0, 1e2, 1e4, 1e6)  # of breaking the condition, relative to the largest distance
_SLACK = 1e-6
_CHEAPER = 1e-9  # relative to the mean distance
_ROUNDS = 300


@dataclass(frozen=True, eq=False)
class Vertex:
    """Optimal shares (n, k), the multipliers (rows, k) of the form, and whether none exist."""

    shares: Floats | None
    y: Floats | None = None
    infeasible: bool = False
    backend: str = ""


def fair_vertex(form: Form, distances: Floats, weights: Floats, run: Run) -> Vertex:
    """Return optimal shares at a vertex; without shares if the time is up or none are fair."""
    scale = float(distances.mean()) or 1.0
    theta = _first_prices(form, distances, weights, run)
    if theta is None:
        return Vertex(None)
    paid = distances + theta[form.of]
    open_ = paid <= paid.min(1, keepdims=True) + _width(paid, scale)
    top, dearer = float(distances.max()) or 1.0, 0
    for _ in range(_ROUNDS):
        if run.expired():
            break
        model, loose, cell = _model(form, distances, weights, open_, _PENALTIES[dearer] * top)
        result = relax(model, run.child("vertex"))
        if result.x is None or result.duals is None:
            break
        points = int(loose.sum())
        more = _cheaper(form, distances, open_, result, points, scale)
        if more.any():
            open_ |= more
        elif _broken(form, distances.shape[1], result.x):
            if dearer + 1 == len(_PENALTIES):
                return Vertex(None, infeasible=True, backend=result.backend)
            dearer += 1
        else:
            shares = _shares(distances, open_, loose, cell, result.x)
            return Vertex(shares, _multipliers(form, result, points, distances.shape[1]))
    return Vertex(None)


def _first_prices(form: Form, d: Floats, w: Floats, run: Run) -> Floats | None:
    """Return prices (kinds, k) from the program of a sample; None if the time is up."""
    n, k = d.shape
    kinds = len(form.mass)
    if n <= 2 * _SAMPLE or k == 1:
        return np.zeros((kinds, k))
    rng, parts = run.child("prices").rng, []
    for t in range(kinds):
        inside = np.flatnonzero(form.of == t)
        count = min(len(inside), max(_LEAST, round(_SAMPLE * len(inside) / n)))
        parts.append(np.sort(rng.choice(inside, count, replace=False)))
    who = np.concatenate(parts)
    of = form.of[who]
    mass = w[who] * (form.mass / np.bincount(of, w[who], kinds))[of]
    few = replace(form, of=of)
    top = float(d.max()) or 1.0
    every = np.ones((len(who), k), bool)
    model, loose, _ = _model(few, d[who], mass, every, _PENALTIES[0] * top)
    result = relax(model, run.child("prices"))
    if result.duals is None:
        return None
    return _theta(form, result, int(loose.sum()), k)


def _width(paid: Floats, scale: float) -> float:
    """Return up to which distance from the cheapest a cluster is open at first."""
    if paid.shape[1] == 1:
        return 0.0
    two = np.partition(paid, 1, axis=1)
    gaps = np.sort(two[:, 1] - two[:, 0])
    return max(float(gaps[min(len(gaps) - 1, _LOOSE)]), _CHEAPER * scale)


def _model(
    form: Form, d: Floats, w: Floats, open_: Bools, penalty: float
) -> tuple[LinearModel, Bools, tuple[Ints, Ints]]:
    """Return the program, who is not settled, and (point, cluster) of its first columns.

    Columns: shares of the unsettled points, masses of kinds in clusters, for ``gap`` the parts of
    the differences, last what breaks the condition at a ``penalty``: without these a program with
    few open clusters may have no point and hence no prices. Rows: points, masses, condition.
    """
    k, kinds = d.shape[1], len(form.mass)
    loose = open_.sum(1) > 1
    point, cluster = np.nonzero(open_ & loose[:, None])
    number = np.cumsum(loose) - 1
    there = np.zeros((kinds, k))
    settled = np.flatnonzero(~loose)
    np.add.at(there, (form.of[settled], open_[settled].argmax(1)), w[settled])
    count = len(point)
    mass = count + np.arange(kinds * k)
    at = form.of[point] * k + cluster
    ones = np.ones(int(loose.sum()))
    blocks = [
        rows(number[point], np.arange(count), lower=ones, upper=ones, count=len(ones)),
        rows(
            np.concatenate([at, np.arange(kinds * k)]),
            np.concatenate([np.arange(count), mass]),
            np.concatenate([w[point], -np.ones(kinds * k)]),
            lower=-there.ravel(),
            upper=-there.ravel(),
            count=kinds * k,
        ),
        *_condition(form, k, mass.reshape(kinds, k)),
    ]
    extra = 2 * form.rows * k if form.spread else 0
    cost = np.concatenate(
        [
            w[point] * d[point, cluster],
            np.zeros(kinds * k + extra),
            np.full(_breaches(form, k), penalty),
        ]
    )
    model = LinearModel.build(cost, *blocks, upper=np.inf, integer=False)
    return model, loose, (point, cluster)


def _condition(form: Form, k: int, mass: Ints) -> list[Rows]:
    """Return the rows ``B'M <= charge``, ``= 0``, or ``= p - q`` with a bound on the sum of p."""
    t, r = np.nonzero(form.matrix)
    row = (r[:, None] * k + np.arange(k)).ravel()
    col, coef = mass[t].ravel(), np.repeat(form.matrix[t, r], k)
    count = form.rows * k
    if not count:
        return []
    none, each = np.zeros(count), np.arange(count)
    first = int(mass.max()) + 1
    if not form.spread:
        low = np.full(count, -np.inf) if form.signed else none
        signs = (-1.0,) if form.signed else (-1.0, 1.0)
        row = np.concatenate([row, *(each for _ in signs)])
        col = np.concatenate([col, first + np.arange(count * len(signs))])
        coef = np.concatenate([coef, np.repeat(signs, count)])
        return [rows(row, col, coef, lower=low, upper=none + form.charge, count=count)]
    p, q = first + each, first + count + each
    over = first + 2 * count + np.arange(form.rows)
    pair = np.arange(form.rows)
    one = np.ones(count)
    return [
        rows(
            np.concatenate([row, each, each]),
            np.concatenate([col, p, q]),
            np.concatenate([coef, -one, one]),
            lower=none,
            upper=none,
            count=count,
        ),
        rows(
            np.concatenate([np.repeat(pair, k), pair]),
            np.concatenate([p, over]),
            np.concatenate([one, -np.ones(form.rows)]),
            upper=np.full(form.rows, form.spread),
            count=form.rows,
        ),
    ]


def _breaches(form: Form, k: int) -> int:
    """Return how many columns say what breaks the condition."""
    return form.rows if form.spread else form.rows * k * (1 if form.signed else 2)


def _broken(form: Form, k: int, x: Floats) -> bool:
    count = _breaches(form, k)
    return bool(count and x[-count:].max() > _SLACK)


def _theta(form: Form, result: LinearResult, points: int, k: int) -> Floats:
    assert result.duals is not None
    return -result.duals[points : points + len(form.mass) * k].reshape(-1, k)


def _multipliers(form: Form, result: LinearResult, points: int, k: int) -> Floats:
    assert result.duals is not None
    first = points + len(form.mass) * k
    y = -result.duals[first : first + form.rows * k].reshape(form.rows, k)
    return np.maximum(y, 0.0) if form.signed else y


def _cheaper(
    form: Form, d: Floats, open_: Bools, result: LinearResult, points: int, scale: float
) -> Bools:
    """Return the clusters that are not open and cheaper at the prices of the program; if very
    many, those that gain most."""
    paid = d + _theta(form, result, points, d.shape[1])[form.of]
    best = np.where(open_, paid, np.inf).min(1, keepdims=True)
    gain = np.where(open_, 0.0, best - paid)
    more = gain > _CHEAPER * scale
    if int(more.sum()) > _LOOSE:
        more = gain >= np.partition(gain[more], -_LOOSE)[-_LOOSE]
    return np.asarray(more, bool)


def _shares(d: Floats, open_: Bools, loose: Bools, cell: tuple[Ints, Ints], x: Floats) -> Floats:
    out = np.where(loose[:, None], 0.0, open_.astype(np.float64))
    out[cell] = x[: len(cell[0])]
    out[out < 1e-9] = 0.0
    return np.asarray(out / out.sum(1, keepdims=True), np.float64)
