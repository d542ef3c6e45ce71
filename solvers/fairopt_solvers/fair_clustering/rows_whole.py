"""The fairness conditions as rows of integer programs.

Coefficients are whole and columns integer where the weights are whole, so that a backend's point
is decided exactly, without a tolerance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import FairClustering
from fairopt_solvers.fair_clustering.rows import Builder, Fair, condition
from fairopt_solvers.fair_clustering.subsets import whole_weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_SIGNS = 10  # clusters for which every subset may get a row of its own


def integer_rows(problem: FairClustering, m: int, first: int) -> Fair:
    """Return the condition for x in {0, 1}, decided exactly where the weights are whole.

    Strict proportions of whole weights mean that the masses of all groups are one whole multiple
    ``u_j`` of their sizes divided by the greatest common divisor: a column that branching can
    use, since the rest is a flow. Other weights get rows with a tolerance of 5e-10 W.
    Raises ``UsageError`` for a gap of such weights over more than 10 clusters.
    """
    make = Builder(problem, m, first)
    kind = condition(problem)
    if kind == "none":
        return make.done(_no_duals)
    whole = whole_weights(problem)
    limits = problem.bounds() if kind == "bounds" else None
    for a, attribute in enumerate(problem.attributes):
        if len(attribute.values) < 2 and kind != "bounds":
            continue
        pair = None if limits is None else (limits.lower[a], limits.upper[a])
        if whole is None:
            _rough(make, kind, attribute.codes, len(attribute.values), pair)
        else:
            _whole(make, kind, attribute.codes, len(attribute.values), whole, pair)
    return make.done(_no_duals)


def _no_duals(_: Floats) -> dict[str, Any]:
    raise UsageError("duals of an integer program are no multipliers")


def _whole(make: Builder, kind: str, codes: Ints, groups: int, weights: Ints, pair: Any) -> None:
    m = make.m
    size = np.zeros(groups, np.int64)
    np.add.at(size, codes, weights)
    masses = make.masses(codes, groups, weights)
    if kind == "proportional":
        common = math.gcd(*size.tolist())
        unit = size // common
        u = make.columns(
            m, lambda x: masses(x)[:m] / float(unit[0]), most=float(common), integer=True
        )
        make.mass_rows(codes, np.tile(u, groups), weights, factor=np.repeat(unit, m))
        return
    column = make.columns(groups * m, masses, most=np.repeat(size, m), integer=True)
    column = column.reshape(groups, m)
    make.mass_rows(codes, column.ravel(), weights)
    total = int(size.sum())
    if kind == "floor-ceil":
        g, h, j = (v.ravel() for v in np.indices((groups, groups, m)))
        coef = np.where(g == h, total, 0) - size[g]
        limit = np.full(groups * m, float(total - 1))
        make.add(g * m + j, column[h, j], coef, -limit, limit, groups * m)
    elif kind == "bounds":
        for g, (low, high) in enumerate(zip(*pair, strict=True)):
            _ratio_rows(make, column[g], column, enclosing(Fraction(low), total)[1], up=True)
            _ratio_rows(make, column[g], column, enclosing(Fraction(high), total)[0], up=False)
    elif kind == "balance":
        least = enclosing(Fraction(make.problem.fairness.min_balance), total)[1]
        for g, h in itertools.permutations(range(groups), 2):
            _ratio_rows(make, column[g], column[h : h + 1], least, up=True)
    else:
        _whole_gap(make, column, size, masses)


def _ratio_rows(make: Builder, one: Ints, of: Ints, ratio: Fraction, *, up: bool) -> None:
    """Add ``one_j >= ratio * sum of of_j`` (``up``) or ``<=``, in whole numbers, for each j."""
    num, den = ratio.numerator, ratio.denominator
    m, parts = len(one), len(of)
    row = np.tile(np.arange(m), parts + 1)
    col = np.concatenate([one, of.ravel()])
    coef = np.concatenate([np.full(m, float(den)), np.full(m * parts, -float(num))])
    none, far = np.zeros(m), np.full(m, np.inf)
    make.add(row, col, coef, none if up else -far, far if up else none, m)


def _whole_gap(make: Builder, column: Ints, size: Ints, masses: Callable[[Floats], Floats]) -> None:
    """``t_j >= |n_h m_gj - n_g m_hj|``, and their sum at most 2 epsilon n_g n_h, for each pair."""
    groups, m = column.shape
    epsilon = Fraction(make.problem.fairness.epsilon)
    j = np.arange(m)
    for g, h in itertools.combinations(range(groups), 2):
        common = math.gcd(int(size[g]), int(size[h]))
        a, b = int(size[h]) // common, int(size[g]) // common
        most = math.floor(2 * epsilon * int(size[g]) * int(size[h]) / common)

        def spread(x: Floats, g: int = g, h: int = h, a: int = a, b: int = b) -> Floats:
            here = masses(x).reshape(groups, m)
            return np.asarray(np.abs(a * here[g] - b * here[h]), np.float64)

        t = make.columns(m, spread, most=float(a * int(size[g])), integer=True)
        zero, far = np.zeros(m), np.full(m, np.inf)
        for sign in (1.0, -1.0):
            coef = np.repeat([1.0, -sign * a, sign * b], m)
            col = np.concatenate([t, column[g], column[h]])
            make.add(np.tile(j, 3), col, coef, zero, far, m)
        make.add(np.zeros(m), t, 1.0, np.array([-np.inf]), np.array([float(most)]), 1)


def enclosing(value: Fraction, most: int) -> tuple[Fraction, Fraction]:
    """Return the nearest fractions below and above with denominators up to ``most``.

    Both are the value itself if its denominator is small enough: whole numbers up to ``most``
    compare with it as with the value (Farey neighbours, from the continued fraction).
    """
    if value.denominator <= most:
        return value, value
    p0, q0, p1, q1 = 0, 1, 1, 0
    num, den = value.numerator, value.denominator
    while True:
        digit = num // den
        if q0 + digit * q1 > most:
            break
        p0, q0, p1, q1 = p1, q1, p0 + digit * p1, q0 + digit * q1
        num, den = den, num - digit * den
    steps = (most - q0) // q1
    low, high = sorted((Fraction(p0 + steps * p1, q0 + steps * q1), Fraction(p1, q1)))
    return low, high


def _rough(make: Builder, kind: str, codes: Ints, groups: int, pair: Any) -> None:
    """Add rows in x itself for weights that are not whole."""
    mass, n, m = make.problem.mass, make.n, make.m
    total = float(mass.sum())
    room = 0.5e-9 * total
    member = codes[None, :] == np.arange(groups)[:, None]

    def each(weight: Floats, low: float, high: float) -> None:
        """Add ``low - room <= sum_i weight_i x_ij <= high + room`` for each cluster."""
        i, j = (v.ravel() for v in np.indices((n, m)))
        make.add(j, i * m + j, weight[i], np.full(m, low - room), np.full(m, high + room), m)

    if kind == "proportional":
        for g in range(groups):
            share = float(mass[member[g]].sum()) / total
            each(mass * (member[g] - share), 0.0, 0.0)
    elif kind == "bounds":
        for g, (low, high) in enumerate(zip(*pair, strict=True)):
            each(mass * (member[g] - float(low)), 0.0, np.inf)
            each(mass * (member[g] - float(high)), -np.inf, 0.0)
    elif kind == "balance":
        least = float(Fraction(make.problem.fairness.min_balance))
        for g, h in itertools.permutations(range(groups), 2):
            each(mass * (member[g] - least * member[h]), 0.0, np.inf)
    else:
        _rough_gap(make, member)


def _rough_gap(make: Builder, member: NDArray[np.bool_]) -> None:
    """For each pair of groups and each set of clusters: what one has more there than the other."""
    mass, n, m = make.problem.mass, make.n, make.m
    if m > _MOST_SIGNS:
        raise UsageError(
            f"weights that are not whole, with a gap over more than {_MOST_SIGNS} clusters, are "
            "beyond the exact method; use auto"
        )
    most = float(Fraction(make.problem.fairness.epsilon)) + 0.5e-9
    inside = (np.arange(1, 2**m - 1)[:, None] >> np.arange(m)[None, :]) & 1
    sets, j = np.nonzero(inside)
    for g, h in itertools.combinations(range(len(member)), 2):
        weight = mass * (member[g] / mass[member[g]].sum() - member[h] / mass[member[h]].sum())
        row = np.repeat(sets, n)
        col = (np.arange(n)[None, :] * m + j[:, None]).ravel()
        coef = np.tile(weight, len(j))
        high = np.full(len(inside), most)
        make.add(row, col, coef, np.full(len(inside), -np.inf), high, len(inside))
