"""Random small models and their brute force, shared by the tests of the backends."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from fairopt_solvers.backends import LinearModel, rows

KINDS = ("packing", "covering", "equality", "general", "free-sign")


def random_model(seed: int, kind: str | None = None, scale: Fraction = Fraction(1)) -> LinearModel:
    """Return a pure integer model with at most 6 columns; it may be infeasible."""
    rng = np.random.default_rng(seed)
    kind = kind or KINDS[seed % len(KINDS)]
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    a = rng.integers(0, 5, (m, n))
    low, high = np.zeros(n), np.ones(n)
    sides = {"upper": a.sum(1) // 2}
    if kind == "covering":
        sides = {"lower": (a.sum(1) + 1) // 2}
    elif kind == "equality":
        sides = {"lower": a.sum(1) // 2, "upper": a.sum(1) // 2}
    elif kind == "general":
        n = min(n, 4)
        a = rng.integers(-3, 4, (m, n))
        low, high = np.full(n, -2.0), np.full(n, 3.0)
        sides = {"lower": np.full(m, -3), "upper": rng.integers(-1, 6, m)}
    elif kind == "free-sign":
        a = rng.integers(-3, 4, (m, n))
        sides = {"lower": rng.integers(-2, 1, m), "upper": rng.integers(1, 3, m)}
    costs = [
        scale * Fraction(int(p), int(q))
        for p, q in zip(rng.integers(-9, 20, n), rng.integers(1, 7, n), strict=True)
    ]
    r, c = np.nonzero(a)
    block = rows(r, c, a[r, c], count=m, **sides)
    return LinearModel.build(
        costs, block, lower=low[:n], upper=high[:n], maximize=bool(rng.integers(2))
    )


def brute_force(model: LinearModel) -> Fraction | None:
    """Return the best value by trying every point, None if there is none; all exact."""
    n, m = model.n_columns, model.n_rows
    matrix = [[0] * n for _ in range(m)]
    for i in range(m):
        for k in range(model.indptr[i], model.indptr[i + 1]):
            matrix[i][model.indices[k]] += int(model.coefs[k])
    costs = model.objective.to_list()
    best = None
    ranges = [range(int(a), int(b) + 1) for a, b in zip(model.lower, model.upper, strict=True)]
    for x in itertools.product(*ranges):
        sums = [sum(a * v for a, v in zip(row, x, strict=True)) for row in matrix]
        if all(
            lo <= s <= hi for lo, s, hi in zip(model.row_lower, sums, model.row_upper, strict=True)
        ):
            value = sum((Fraction(c) * v for c, v in zip(costs, x, strict=True)), Fraction(0))
            if best is None or (value > best if model.maximize else value < best):
                best = value
    return best


class TickingClock:
    """A clock that stands still for some reads, then is far beyond every limit."""

    def __init__(self, reads: int) -> None:
        self.left = reads

    def __call__(self) -> float:
        self.left -= 1
        return 0.0 if self.left >= 0 else 1e6


def hard_model() -> LinearModel:
    """Return a market-split model: small, and far beyond every backend within a second."""
    rng = np.random.default_rng(3)
    m, n = 6, 50
    a = rng.integers(1, 100, (m, n))
    r, c = np.nonzero(a)
    half = a.sum(1) // 2
    # Minimise the sum of deviations from half of each row.
    index = np.arange(m)
    over, under = n + index, n + m + index
    block = rows(
        np.concatenate([r, index, index]),
        np.concatenate([c, over, under]),
        np.concatenate([a[r, c], -np.ones(m, int), np.ones(m, int)]),
        lower=half,
        upper=half,
    )
    costs = np.concatenate([np.zeros(n, int), np.ones(2 * m, int)])
    upper = np.concatenate([np.ones(n), np.full(2 * m, 5000.0)])
    return LinearModel.build(costs, block, upper=upper)


def hard_start(model: LinearModel) -> np.ndarray:
    """Return the feasible point of ``hard_model`` that takes no column."""
    x = np.zeros(model.n_columns)
    x[56:62] = model.row_lower
    return x
