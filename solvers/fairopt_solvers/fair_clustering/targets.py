"""Whole counts of every kind of point in every cluster that keep the condition.

Near the masses of optimal shares; with such counts the assignment is a transport, hence integral.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, Rows, rows, solve
from fairopt_solvers.fair_clustering.forms import Form, broken
from fairopt_solvers.fair_clustering.rounding import largest_remainder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LARGE, _NUDGE = 1_000, 3  # points per cluster from which sizes may be so many points off
_EXACT = 30  # counts up to which the closest are sought; beyond, any near the masses
_WINDOWS = (1, 3, None)  # how far counts may be from the masses: first near, then anywhere


def whole_targets(
    problem: FairClustering,
    form: Form,
    masses: Floats,
    run: Run,
    *,
    distances: Floats,
    closest: bool = False,
) -> tuple[Ints | None, str]:
    """Return counts (kinds, k) near the masses that keep the condition, or None and what broke.

    Unit weights. ``closest`` asks for shares near the exact ones where the condition leaves room,
    instead of the cheapest. Rounding by largest remainders where that keeps the condition; else a
    small integer program over the counts. Where group sizes have no common divisor and clusters
    must be proportional, one cluster takes everything: the cheapest.
    """
    size = np.rint(form.mass).astype(np.int64)
    single = form.kind == "proportional" and unit(form) == 1
    if single:
        counts = np.zeros(masses.shape, np.int64)
        counts[:, int(distances.sum(0).argmin())] = size
    else:
        counts = _rounded(problem, form, masses, size, closest)
    words = _wrong(problem, form, counts)
    if words is None:
        return counts, ""
    for window in () if single else _WINDOWS:
        found = _program(problem, form, masses, size, window, run)
        if found is not None and _wrong(problem, form, found) is None:
            return found, ""
    return None, words


def _wrong(problem: FairClustering, form: Form, counts: Ints) -> str | None:
    words = broken(problem, form, counts)
    if words is None and not problem.allow_empty and np.any(counts.sum(0) == 0):
        return f"cluster {int((counts.sum(0) == 0).argmax())} is empty"
    return words


def unit(form: Form) -> int:
    """Return the gcd of all group sizes: how many equal proportional parts there are."""
    sizes = [round(v) for inside in form.member for v in (inside @ form.mass).tolist()]
    return math.gcd(*sizes) if sizes else round(float(form.mass.sum()))


def _rounded(
    problem: FairClustering, form: Form, masses: Floats, size: Ints, closest: bool
) -> Ints:
    """Round without looking back: every kind by itself, or clusters first where shares are set."""
    n = int(size.sum())
    if form.kind == "proportional" and len(form.member) == 1:
        parts_of = unit(form)
        parts = largest_remainder(masses.sum(0) * parts_of / n, parts_of)
        if not problem.allow_empty:
            _fill_empty(parts)
        return np.asarray((size // parts_of)[:, None] * parts, np.int64)
    if form.kind == "floor-ceil" and len(form.member) == 1 and len(size) == 2:
        return _two_groups(problem, masses, size, closest)
    return np.stack([largest_remainder(row, int(s)) for row, s in zip(masses, size, strict=True)])


def _two_groups(problem: FairClustering, masses: Floats, size: Ints, closest: bool) -> Ints:
    """Round for ``floor-ceil`` and two groups: cluster sizes first, then who is rounded up.

    Where clusters are large, a size that is a few points off costs nothing, and lets the exact
    share lie near a whole number (``closest``) or far from it on the side that the masses prefer.
    """
    n, zero = int(size.sum()), int(size[0])
    parts = largest_remainder(masses.sum(0), n)
    if not problem.allow_empty:
        _fill_empty(parts)
    if n >= _LARGE * len(parts) and int(parts.min()) > _NUDGE:
        tried = parts[:, None] + np.arange(-_NUDGE, _NUDGE + 1)
        rest = (zero * tried % n) / n  # what is above the floor of the exact share
        up = (masses[0] * n > zero * masses.sum(0))[:, None]
        poor = np.minimum(rest, 1 - rest) if closest else np.where(up, (rest - 1) % 1, 1 - rest)
        parts = tried[np.arange(len(parts)), poor.argmin(1)]
        parts[int(parts.argmax())] += n - int(parts.sum())
    first = zero * parts // n
    room = (zero * parts % n > 0).astype(np.int64)
    key = -(zero * parts % n) / n if closest else first - masses[0]
    order = np.argsort(np.where(room > 0, key, np.inf), kind="stable")
    first[order[: zero - int(first.sum())]] += 1
    return np.stack([first, parts - first])


def _fill_empty(parts: Ints) -> None:
    for c in np.flatnonzero(parts == 0).tolist():
        parts[c] += 1
        parts[int(parts.argmax())] -= 1


def _program(
    problem: FairClustering, form: Form, masses: Floats, size: Ints, window: int | None, run: Run
) -> Ints | None:
    """Return counts near the masses that keep the condition, the closest if they are few.

    Close is a small sum of differences. ``window``: how far each count may be from its mass.
    """
    kinds, k = masses.shape
    t = np.arange(kinds * k).reshape(kinds, k)
    far = t + kinds * k
    count = 2 * kinds * k
    blocks = [rows(np.repeat(np.arange(kinds), k), t.ravel(), lower=size, upper=size)]
    at, two = np.arange(kinds * k), np.tile(np.arange(kinds * k), 2)
    both = np.concatenate([t.ravel(), far.ravel()])
    ones = np.ones(kinds * k)
    blocks.append(rows(two, both, np.concatenate([ones, -ones]), upper=masses.ravel()))
    blocks.append(rows(two, both, 1, lower=masses.ravel()))
    if not problem.allow_empty:
        blocks.append(rows(np.tile(np.arange(k), kinds), t.ravel(), lower=np.ones(k)))
    extra = 0
    for a, inside in enumerate(form.member):
        for row in _condition_rows(problem, form, a, inside, t, count + extra):
            extra = max(extra, int(row.col.max(initial=0)) + 1 - count)
            blocks.append(row)
    low, high = np.zeros(kinds * k), np.repeat(size, k).astype(np.float64)
    if window is not None:
        low = np.maximum(low, np.floor(masses.ravel()) - window)
        high = np.minimum(high, np.ceil(masses.ravel()) + window)
    far_up, closest = float(size.sum()), float(window is None or len(at) <= _EXACT)
    model = LinearModel.build(
        np.concatenate([np.zeros(len(at)), np.full(len(at), closest), np.zeros(extra)]),
        *blocks,
        lower=np.concatenate([low, np.zeros(len(at) + extra)]),
        upper=np.concatenate([high, np.full(len(at), far_up), np.full(extra, far_up)]),
        integer=np.concatenate([np.ones(len(at), bool), np.zeros(len(at) + extra, bool)]),
    )
    found = solve(model, run.child("targets"))
    if found.x is None:
        return None
    return np.rint(found.x[: kinds * k]).astype(np.int64).reshape(kinds, k)


def _condition_rows(
    problem: FairClustering, form: Form, a: int, inside: Floats, t: Ints, first: int
) -> list[Rows]:
    """Return the rows of one attribute over the counts; ``gap`` brings columns from ``first``."""
    n, k = round(float(form.mass.sum())), t.shape[1]
    size = [round(v) for v in (inside @ form.mass).tolist()]
    out = []

    def add(coef: Floats, low: float, high: float) -> None:
        """Add ``low <= sum_t coef_t t_tc <= high`` for every cluster c."""
        out.append(_row(t, coef / max(1.0, float(np.abs(coef).max()) / 1e4), low, high))

    if form.kind in ("proportional", "floor-ceil"):
        room = (n - 1) / n if form.kind == "floor-ceil" else 0.0
        for g, own in enumerate(inside):
            add(own - size[g] / n, -room, room)
    elif form.kind == "bounds":
        limits = problem.bounds()
        for g, own in enumerate(inside):
            high, low = Fraction(limits.upper[a][g]), Fraction(limits.lower[a][g])
            add(high.denominator * own - high.numerator, -np.inf, 0.0)
            add(low.denominator * own - low.numerator, 0.0, np.inf)
    elif form.kind == "balance":
        least = Fraction(problem.fairness.min_balance)
        for g, h in itertools.permutations(range(len(inside)), 2):
            add(least.denominator * inside[g] - least.numerator * inside[h], 0.0, np.inf)
    elif form.kind == "gap":
        most = float(Fraction(problem.fairness.epsilon))
        for p, (g, h) in enumerate(itertools.combinations(range(len(inside)), 2)):
            out += _apart(t, inside[g] / size[g] * n, inside[h] / size[h] * n, 2 * most * n,
                          first + p * k)  # fmt: skip
    return out


def _row(t: Ints, coef: Floats, low: float, high: float) -> Rows:
    k = t.shape[1]
    row = np.tile(np.arange(k), len(t))
    lower, upper = np.full(k, low), np.full(k, high)
    return rows(row, t.ravel(), np.repeat(coef, k), lower=lower, upper=upper)


def _apart(t: Ints, one: Floats, two: Floats, most: float, first: int) -> list[Rows]:
    """Rows ``|sum_t (one - two)_t t_tc| <= s_c`` and ``sum_c s_c <= most``."""
    k = t.shape[1]
    row = np.concatenate([np.tile(np.arange(k), len(t)), np.arange(k)])
    col = np.concatenate([t.ravel(), first + np.arange(k)])
    coef = np.repeat(one - two, k)
    return [
        rows(row, col, np.concatenate([coef, -np.ones(k)]), upper=np.zeros(k)),
        rows(row, col, np.concatenate([coef, np.ones(k)]), lower=np.zeros(k)),
        rows(np.zeros(k, np.int64), first + np.arange(k), upper=np.array([most])),
    ]
