"""The fairness conditions as rows of linear programs.

Columns ``x[i, j]`` (share of point i in cluster j) stand first, at ``i * m + j``. The mass of each
group in each cluster is a column too, so that the duals of its rows are the multipliers of the
certificate. ``rows_whole.py`` holds the form for integer programs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt_solvers.backends import Rows, rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LINEAR = ("none", "proportional", "balance", "bounds", "gap")


@dataclass(frozen=True, eq=False)
class Fair:
    """Rows of a condition and the columns that they bring along.

    Attributes
    ----------
    blocks
        Rows over the columns of x and, from ``first`` on, the columns brought along.
    lower, upper, integer
        Of the columns brought along.
    fill
        x of shape (n, m) -> values of these columns.
    read
        Duals of the blocks' rows -> multipliers as the court reads them.
    """

    blocks: tuple[Rows, ...]
    lower: Floats
    upper: Floats
    integer: NDArray[np.bool_]
    fill: Callable[[Floats], Floats]
    read: Callable[[Floats], dict[str, Any]]


def condition(problem: FairClustering) -> str:
    """Return which row of the table of multipliers serves the condition; ``none`` if vacuous."""
    fairness = problem.fairness
    if fairness.type == "proportional":
        return "floor-ceil" if fairness.rounding == "floor-ceil" else "proportional"
    return str(fairness.type)


class Builder:
    """Collects rows and columns one attribute after the other."""

    def __init__(self, problem: FairClustering, m: int, first: int) -> None:
        self.problem, self.n, self.m = problem, problem.n, m
        self.first = self.next = first
        self.blocks: list[Rows] = []
        self.count = 0  # rows so far
        self.lower: list[Floats] = []
        self.upper: list[Floats] = []
        self.whole: list[bool] = []
        self.fills: list[Callable[[Floats], Floats]] = []

    def columns(
        self, count: int, fill: Callable[[Floats], Floats], *, most: Any = np.inf,
        integer: bool = False,
    ) -> Ints:  # fmt: skip
        """Bring ``count`` columns in ``[0, most]`` along and return their numbers.

        Integer columns need the least upper bound: HiGHS 1.16.0 calls feasible programs
        infeasible where bounds are far beyond what rows admit.
        """
        out = np.arange(self.next, self.next + count)
        self.next += count
        self.lower.append(np.zeros(count))
        self.upper.append(np.broadcast_to(np.asarray(most, np.float64), (count,)))
        self.whole += [integer] * count
        self.fills.append(fill)
        return out

    def add(self, row: Any, col: Any, coef: Any, low: Any, high: Any, count: int) -> slice:
        """Add a block of ``count`` rows and return where its duals will stand."""
        row, col = np.asarray(row, np.int64).ravel(), np.asarray(col, np.int64).ravel()
        coef = np.broadcast_to(np.asarray(coef, np.float64).ravel(), row.shape)
        self.blocks.append(rows(row, col, coef, lower=low, upper=high, count=count))
        self.count += count
        return slice(self.count - count, self.count)

    def done(self, read: Callable[[Floats], dict[str, Any]]) -> Fair:
        def fill(x: Floats) -> Floats:
            return np.concatenate([np.zeros(0), *(f(x) for f in self.fills)])

        empty = np.zeros(0)
        return Fair(
            tuple(self.blocks),
            np.concatenate([empty, *self.lower]),
            np.concatenate([empty, *self.upper]),
            np.array(self.whole, bool),
            fill,
            read,
        )

    # -- what both forms share ----------------------------------------------------------

    def masses(self, codes: Ints, groups: int, weights: Any) -> Callable[[Floats], Floats]:
        """Return the function from x to the flat (G, m) masses of the groups in the clusters."""
        member = np.asarray(weights) * (codes[None, :] == np.arange(groups)[:, None])
        return lambda x: np.asarray((member @ x).ravel(), np.float64)

    def mass_rows(
        self, codes: Ints, mass: Ints, weights: Any, *, factor: Any = 1.0, low: float = 0.0,
        high: float = 0.0,
    ) -> slice:  # fmt: skip
        """Add ``low <= sum of w x over the group - factor * mass <= high``, rows as (g, j)."""
        n, m = self.n, self.m
        groups = len(mass) // m
        at = codes[:, None] * m + np.arange(m)[None, :]
        x = np.arange(n * m).reshape(n, m)
        weight = np.broadcast_to(np.asarray(weights, np.float64)[:, None], (n, m))
        row = np.concatenate([at.ravel(), np.arange(groups * m)])
        col = np.concatenate([x.ravel(), mass])
        coef = np.concatenate([weight.ravel(), np.broadcast_to(-np.asarray(factor), groups * m)])
        return self.add(row, col, coef, np.full(groups * m, low), np.full(groups * m, high),
                        groups * m)  # fmt: skip


def linear_rows(problem: FairClustering, m: int, first: int) -> Fair:
    """Return the condition for shares x >= 0: exact for soft answers, valid for hard ones.

    ``floor-ceil`` is relaxed to ``|n n_gk - n_g n_k| <= n - 1``. ``read`` turns duals of a
    minimisation, positive on lower bounds and negative on upper ones, into multipliers.
    """
    make = Builder(problem, m, first)
    kind = condition(problem)
    readers: list[tuple[str, Callable[[Floats], Any]]] = []
    if kind == "none":
        return make.done(lambda _: {"rows": "none", "values": {}})
    mass = problem.mass
    limits = problem.bounds() if kind == "bounds" else None
    for a, attribute in enumerate(problem.attributes):
        codes, groups = attribute.codes, len(attribute.values)
        masses = make.masses(codes, groups, mass)
        columns = make.columns(groups * m, masses).reshape(groups, m)
        at = make.mass_rows(codes, columns.ravel(), mass)
        size = np.bincount(codes, mass, groups).astype(np.float64)
        pair = None if limits is None else (limits.lower[a], limits.upper[a])
        if kind == "gap":
            reader = _linear_gap(make, columns, size, masses)
        else:
            reader = _linear(make, kind, columns, size, at, pair)
        readers.append((attribute.name, reader))

    def read(duals: Floats) -> dict[str, Any]:
        return {"rows": kind, "values": {name: reader(duals) for name, reader in readers}}

    return make.done(read)


def _linear(
    make: Builder, kind: str, column: Ints, size: Floats, at: slice, pair: Any
) -> Callable[[Floats], Any]:
    """Add the rows of one attribute in its mass columns (G, m); return the reader of its duals."""
    groups, m = column.shape
    share = size / size.sum()
    if kind == "proportional":
        _shares(make, column, share, np.zeros(groups), np.zeros(groups))
        return lambda duals: (-duals[at].reshape(groups, m) * size[:, None]).tolist()
    if kind in ("bounds", "floor-ceil"):
        if kind == "bounds":
            low, high = ([float(v) for v in side] for side in pair)
            room, scale = 0.0, 1.0
        else:
            low = high = share.tolist()
            room, scale = (make.n - 1) / make.n, float(make.n)
        over = _shares(make, column, high, np.full(groups, -np.inf), np.full(groups, room))
        under = _shares(make, column, low, np.full(groups, -room), np.full(groups, np.inf))

        def read(duals: Floats) -> dict[str, Any]:
            upper = np.maximum(-duals[over].reshape(groups, m), 0.0) / scale
            lower = np.maximum(duals[under].reshape(groups, m), 0.0) / scale
            return {"upper": upper.tolist(), "lower": lower.tolist()}

        return read
    return _linear_balance(make, column)


def _shares(make: Builder, column: Ints, share: Any, low: Floats, high: Floats) -> slice:
    """Add ``low_g <= M_gj - share_g * sum_h M_hj <= high_g`` for all g, j."""
    groups, m = column.shape
    g, h, j = (v.ravel() for v in np.indices((groups, groups, m)))
    coef = np.where(g == h, 1.0, 0.0) - np.asarray(share, np.float64)[g]
    return make.add(g * m + j, column[h, j], coef, np.repeat(low, m), np.repeat(high, m),
                    groups * m)  # fmt: skip


def _linear_balance(make: Builder, column: Ints) -> Callable[[Floats], Any]:
    groups, m = column.shape
    least = float(Fraction(make.problem.fairness.min_balance))
    g, h, j = (v.ravel() for v in np.indices((groups, groups, m)))
    row = np.concatenate([(g * groups + h) * m + j] * 2)
    col = np.concatenate([column[g, j], column[h, j]])
    off = np.where(g == h, 0.0, 1.0)
    coef = np.concatenate([off, -least * off])
    count = groups * groups * m
    at = make.add(row, col, coef, np.zeros(count), np.full(count, np.inf), count)
    return lambda duals: np.maximum(duals[at], 0.0).reshape(groups, groups, m).tolist()


def _linear_gap(
    make: Builder, column: Ints, size: Floats, masses: Callable[[Floats], Floats]
) -> Callable[[Floats], Any]:
    """``W (m_g/W_g - m_h/W_h) = p - q`` with the sum of p at most epsilon W, for each pair."""
    groups, m = column.shape
    total = float(size.sum())
    most = float(Fraction(make.problem.fairness.epsilon)) * total
    places: list[slice] = []
    j = np.arange(m)
    for g, h in itertools.combinations(range(groups), 2):
        up, down = total / size[g], total / size[h]

        def parts(x: Floats, g: int = g, h: int = h, up: float = up, down: float = down) -> Floats:
            here = masses(x).reshape(groups, m)
            amount = up * here[g] - down * here[h]
            return np.concatenate([np.maximum(amount, 0.0), np.maximum(-amount, 0.0)])

        pq = make.columns(2 * m, parts)
        col = np.concatenate([column[g], column[h], pq[:m], pq[m:]])
        coef = np.repeat([up, -down, -1.0, 1.0], m)
        places.append(make.add(np.tile(j, 4), col, coef, np.zeros(m), np.zeros(m), m))
        make.add(np.zeros(m), pq[:m], 1.0, np.array([-np.inf]), np.array([most]), 1)
    return lambda duals: [(-duals[at] * total).tolist() for at in places]
