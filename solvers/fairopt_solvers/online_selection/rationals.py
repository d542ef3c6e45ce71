"""From the floats of a linear program to exact lotteries and weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.figures import Chances
from fairopt_solvers.online_selection.lotteries import Lottery

Floats = NDArray[np.float64]
_SUPPORT = 1e-9
_TIGHT = 1e-7
_SYSTEM = 200  # unknowns up to which the system is solved in fractions
_GRID = 10**9
_CLOSE = 1e-6


def solve_lottery(sets: Sequence[tuple[int, ...]], y: Floats, n: int) -> Lottery:
    """Return the lottery whose floats are y: exactly the vertex, or rounded to billionths.

    The vertex solves ``sum y = 1`` and ``cover(e) = t`` for the elements covered least. Where that
    leaves freedom the free probabilities are fractions near their floats. The solution is used if
    it is non-negative and covers no element less than the rounded lottery does.
    """
    used = np.flatnonzero(y > _SUPPORT)
    cover = np.zeros(n)
    for k in used.tolist():
        cover[list(sets[k])] += y[k]
    rounded = _rounded([sets[k] for k in used.tolist()], y[used], n)
    tight = np.flatnonzero(cover < cover.min() + _TIGHT)
    if len(used) >= _SYSTEM:
        return rounded
    chosen = [sets[k] for k in used.tolist()]
    solved = _solve(chosen, [float(v) for v in y[used]], float(cover.min()), tight.tolist())
    if min(solved) < 0 or sum(solved) != 1:
        return rounded
    exact = _lottery(chosen, solved, n)
    return exact if exact.least >= rounded.least else rounded


def _lottery(sets: Sequence[tuple[int, ...]], chances: Sequence[Fraction], n: int) -> Lottery:
    cover = Chances.of_lottery(n, sets, chances)
    draws = tuple((s, p) for s, p in zip(sets, chances, strict=True) if p)
    return Lottery(draws, cover.least() if n else Fraction(0))


def _rounded(sets: Sequence[tuple[int, ...]], y: Floats, n: int) -> Lottery:
    """Round to billionths; what is left over goes to the likeliest set."""
    whole = [int(v * _GRID / y.sum()) for v in y]
    whole[int(np.argmax(y))] += _GRID - sum(whole)
    return _lottery(sets, [Fraction(v, _GRID) for v in whole], n)


def _solve(
    sets: Sequence[tuple[int, ...]], y: Sequence[float], t: float, tight: Sequence[int]
) -> list[Fraction]:
    """Solve for probabilities and t by elimination in fractions, sparse rows."""
    m = len(sets)
    rows: list[dict[int, Fraction]] = [{k: Fraction(1) for k in range(m)} | {m + 1: Fraction(1)}]
    for e in tight:
        row = {k: Fraction(1) for k in range(m) if e in sets[k]}
        rows.append(row | {m: Fraction(-1)})
    pivots: dict[int, dict[int, Fraction]] = {}
    for row in rows:
        for k in sorted(set(row) & set(pivots)):
            if row.get(k):
                _subtract(row, pivots[k], row[k])
        lead = min((k for k, v in row.items() if v and k <= m), default=None)
        if lead is None:
            continue
        scale = row[lead]
        row = {k: v / scale for k, v in row.items() if v}
        for other in pivots.values():
            if other.get(lead):
                _subtract(other, row, other[lead])
        pivots[lead] = row
    values = [Fraction(v).limit_denominator(1000) for v in (*y, t)]
    out = []
    for k in range(m):
        row = pivots.get(k, {})
        rest = sum((v * values[i] for i, v in row.items() if i <= m and i != k), Fraction(0))
        out.append(row.get(m + 1, Fraction(0)) - rest if row else values[k])
    return out


def _subtract(row: dict[int, Fraction], other: dict[int, Fraction], factor: Fraction) -> None:
    for k, v in other.items():
        left = row.get(k, Fraction(0)) - factor * v
        if left:
            row[k] = left
        else:
            row.pop(k, None)


def small_weights(weights: Floats) -> list[int]:
    """Return whole weights in about the proportion of these, with small numbers where they fit."""
    top = float(weights.max())
    for limit in (1, 2, 3, 4, 6, 12, 60, 1000):
        parts = [Fraction(float(w) / top).limit_denominator(limit) for w in weights]
        if all(
            abs(float(p) - float(w) / top) < _CLOSE for p, w in zip(parts, weights, strict=True)
        ):
            scale = math.lcm(*(p.denominator for p in parts))
            if scale < _GRID:
                return [int(p * scale) for p in parts]
    return [round(float(w) / top * _GRID) for w in weights]
