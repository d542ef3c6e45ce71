"""From a linear program's float duals to exact multipliers.

Any non-negative multipliers prove a bound (weak duality); exact ones prove the best one. At a
vertex the multipliers solve a square system: each column that is tight says that its weight
equals the sum of its rows' multipliers. That system is nearly triangular for incidence
matrices, so it is solved in fractions by peeling, and by elimination where peeling stops.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.rational import Exact

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TIGHT = 1e-7  # relative; only decides which equations are tried, never what is proven
_CORE = 400  # unknowns; larger cores are left in rounded floats
_DENOMINATOR = 10**6


def exact_multipliers(
    y: Floats, col_ptr: Ints, col_row: Ints, col_cost: NDArray[np.generic], weight: Exact
) -> list[Fraction]:
    """Return non-negative fractions near ``y``, exact where the tight columns determine them.

    Parameters
    ----------
    y
        Float multipliers, one a row.
    col_ptr, col_row, col_cost
        Columns: rows and integer costs.
    weight
        Weight of each column, in the units of ``y`` times cost.
    """
    floats = weight.floats()
    unit = float(np.median(floats[floats > 0])) if np.any(floats > 0) else 1.0
    support = y > _TIGHT * unit
    sums = np.zeros(len(weight))
    owner = np.repeat(np.arange(len(weight)), np.diff(col_ptr))
    np.add.at(sums, owner, y[col_row] * col_cost.astype(np.float64))
    tight = np.abs(sums - floats) <= _TIGHT * np.maximum(unit, floats)
    equations = []
    for j in np.flatnonzero(tight).tolist():
        part = slice(int(col_ptr[j]), int(col_ptr[j + 1]))
        pairs = zip(col_row[part].tolist(), col_cost[part].tolist(), strict=True)
        terms = {i: int(q) for i, q in pairs if support[i]}
        if terms:
            equations.append((terms, Fraction(weight[j])))
    known = _peel(equations)
    _eliminate(equations, known)
    return [
        max(Fraction(0), known[i])
        if i in known
        else (Fraction(v / unit).limit_denominator(_DENOMINATOR) * Fraction(unit))
        if support[i]
        else Fraction(0)
        for i, v in enumerate(y.tolist())
    ]


def _peel(equations: Sequence[tuple[dict[int, int], Fraction]]) -> dict[int, Fraction]:
    """Solve whatever follows one unknown at a time from equations with a single unknown."""
    where: dict[int, list[int]] = {}
    for e, (terms, _) in enumerate(equations):
        for i in terms:
            where.setdefault(i, []).append(e)
    left = [len(terms) for terms, _ in equations]
    known: dict[int, Fraction] = {}
    ready = deque(e for e, count in enumerate(left) if count == 1)
    while ready:
        terms, right = equations[ready.popleft()]
        unknown = [i for i in terms if i not in known]
        if len(unknown) != 1:
            continue
        (i,) = unknown
        known[i] = (right - sum(q * known[k] for k, q in terms.items() if k != i)) / terms[i]
        for e in where[i]:
            left[e] -= 1
            if left[e] == 1:
                ready.append(e)
    return known


def _eliminate(
    equations: Sequence[tuple[dict[int, int], Fraction]], known: dict[int, Fraction]
) -> None:
    """Solve the rest component by component by Gaussian elimination, where it is determined."""
    rest: list[tuple[dict[int, Fraction], Fraction]] = []
    for terms, right in equations:
        open_ = {i: Fraction(q) for i, q in terms.items() if i not in known}
        if open_:
            rest.append((open_, right - sum(q * known[i] for i, q in terms.items() if i in known)))
    unknowns = {i for terms, _ in rest for i in terms}
    if len(unknowns) > _CORE:
        return
    pivots: list[tuple[int, dict[int, Fraction], Fraction]] = []
    for given, right in sorted(rest, key=lambda item: len(item[0])):
        row, value = dict(given), right
        for pivot, other, other_value in pivots:
            if factor := row.get(pivot):
                value -= factor * other_value
                for i, q in other.items():
                    row[i] = row.get(i, Fraction(0)) - factor * q
                row = {i: q for i, q in row.items() if q}
        if not row:
            continue  # a redundant equation, or one that was tight only to within the tolerance
        pivot = min(row)
        lead = row[pivot]
        pivots.append((pivot, {i: q / lead for i, q in row.items()}, value / lead))
    free = unknowns - {p for p, _, _ in pivots}
    for pivot, row, value in reversed(pivots):
        others = [i for i in row if i != pivot]
        if any(i in free or i not in known for i in others):
            free.add(pivot)
            continue
        known[pivot] = value - sum(row[i] * known[i] for i in others)
