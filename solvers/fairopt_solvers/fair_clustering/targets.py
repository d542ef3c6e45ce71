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

_LARGE, _NUDGE = 1_000, 6  # points per cluster from which sizes may be so many points off
_SLIGHT = 1e-6  # of the loss: what a point off costs, to be off where it helps only
_MANY = 100  # points per cluster: of fewer, counts near the masses are better than cheap ones
_CLOSE = (1e3, 0.03)  # what a point off the masses costs, of the largest price: few points, many
_SECONDS = (2.0, 0.5)  # of one program over counts; between two moves of centres
_WINDOWS = (3, None)  # how far counts may be from the masses: first near, then anywhere


def whole_targets(
    problem: FairClustering,
    form: Form,
    masses: Floats,
    run: Run,
    *,
    theta: Floats,
    distances: Floats,
    closest: bool = False,
) -> tuple[Ints | None, str]:
    """Return counts (kinds, k) near the masses that keep the condition, or None and what broke.

    Unit weights. ``theta`` (kinds, k) are the prices behind the masses; counts are sought that are
    cheap at these. ``closest`` asks for shares near the exact ones instead, where the condition
    leaves room. Two groups in ``floor-ceil``: a program over clusters. Else rounding by largest
    remainders, and a small integer program over the counts where that breaks the condition or
    costs count; it ends after two seconds. Where group sizes have no common divisor and
    clusters must be proportional, one cluster takes everything: the cheapest.
    """
    size = np.rint(form.mass).astype(np.int64)
    single = form.kind == "proportional" and unit(form) == 1
    if single:
        counts = np.zeros(masses.shape, np.int64)
        counts[:, int(distances.sum(0).argmin())] = size
    else:
        counts = _rounded(problem, form, masses, theta, size, closest)
    words = _wrong(problem, form, counts)
    few = int(size.sum()) < _MANY * masses.shape[1]
    settled = single or closest or few or (form.kind == "floor-ceil" and len(size) == 2)
    if words is None and settled:
        return counts, ""
    for window in () if single else _WINDOWS:
        found = _program(
            problem, form, masses, theta * (not closest), size, window, run, _SECONDS[closest]
        )
        if found is not None and _wrong(problem, form, found) is None:
            return found, ""
    return (counts, "") if words is None else (None, words)


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
    problem: FairClustering,
    form: Form,
    masses: Floats,
    theta: Floats,
    size: Ints,
    closest: bool,
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
        return _two_groups(problem, masses, theta, size, closest)
    return np.stack([largest_remainder(row, int(s)) for row, s in zip(masses, size, strict=True)])


def _two_groups(
    problem: FairClustering, masses: Floats, theta: Floats, size: Ints, closest: bool
) -> Ints:
    """Choose sizes of the clusters and counts of the first group for ``floor-ceil``, two groups.

    Where clusters are large, a size that is a few points off costs next to nothing, and brings
    the exact share near a whole number (``closest``) or far from it on the side that the prices
    ask for. A program over the clusters, by what is used of all points and of the first group.
    """
    n, zero = int(size.sum()), int(size[0])
    parts = largest_remainder(masses.sum(0), n)
    if not problem.allow_empty:
        _fill_empty(parts)
    off = _NUDGE if n >= _LARGE * len(parts) and int(parts.min()) > _NUDGE else 0
    shift, up = (v.ravel() for v in np.meshgrid(np.arange(-off, off + 1), [0, 1], indexing="ij"))
    sizes = parts[:, None] + shift
    first = zero * sizes // n + up
    apart = first - zero * sizes / n
    if closest:
        loss = np.abs(apart)
    else:
        loss = -(theta[0][:, None] * first + theta[1][:, None] * (sizes - first))
    loss = loss + _SLIGHT * np.abs(loss).max(initial=1.0) * np.abs(shift)
    loss[(up == 1) & (zero * sizes % n == 0)] = np.inf  # the exact share is whole
    base = zero * parts // n
    pick = _cheapest_sum(loss, shift, first - base[:, None], zero - int(base.sum()), 2 * off)
    at = np.arange(len(parts)), pick
    return np.stack([first[at], sizes[at] - first[at]])


def _cheapest_sum(loss: Floats, shift: Ints, more: Ints, total: int, most: int) -> Ints:
    """Return a column for every row of ``loss`` so that shifts add up to 0, ``more`` to total.

    ``shift`` (columns,) is the same for all rows, ``more`` (rows, columns). Partial sums of shifts
    beyond ``most`` are not looked at.
    """
    wide = int(np.abs(more).max()) + abs(total) + len(loss)
    best = np.full((2 * most + 1, 2 * wide + 1), np.inf)
    best[most, wide] = 0.0
    came = np.zeros((len(loss), *best.shape), np.int16)
    for c, row in enumerate(loss):
        after = np.full(best.shape, np.inf)
        for j in np.flatnonzero(np.isfinite(row)).tolist():
            there, here = _moved(best.shape, int(shift[j]), int(more[c, j]))
            tried = best[here] + row[j]
            better = tried < after[there]
            after[there][better] = tried[better]
            came[c][there][better] = j
        best = after
    x, y = most, wide + total
    pick = np.zeros(len(loss), np.int64)
    for c in reversed(range(len(loss))):
        pick[c] = came[c, x, y]
        x, y = x - int(shift[pick[c]]), y - int(more[c, pick[c]])
    return pick


def _moved(
    shape: tuple[int, int], dx: int, dy: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the slices of a table where a step arrives, and where it comes from."""
    pairs = [
        (slice(max(0, d), m + min(0, d)), slice(max(0, -d), m - max(0, d)))
        for m, d in zip(shape, (dx, dy), strict=True)
    ]
    return (pairs[0][0], pairs[1][0]), (pairs[0][1], pairs[1][1])


def _fill_empty(parts: Ints) -> None:
    for c in np.flatnonzero(parts == 0).tolist():
        parts[c] += 1
        parts[int(parts.argmax())] -= 1


def _program(
    problem: FairClustering,
    form: Form,
    masses: Floats,
    theta: Floats,
    size: Ints,
    window: int | None,
    run: Run,
    limit: float,
) -> Ints | None:
    """Return counts near the masses that keep the condition and cost little at the prices.

    An assignment with counts m costs at least the dual plain sum less ``sum theta m``; far from the
    masses it costs more. ``window``: how far each count may be from its mass. ``limit``: seconds.
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
    far_up, price = float(size.sum()), -(theta - theta.mean(1, keepdims=True)).ravel()
    scale = float(np.abs(price).max()) or 1.0
    close = _CLOSE[int(far_up >= _MANY * k)]
    model = LinearModel.build(
        np.concatenate([price / scale, np.full(len(at), close), np.zeros(extra)]),
        *blocks,
        lower=np.concatenate([low, np.zeros(len(at) + extra)]),
        upper=np.concatenate([high, np.full(len(at), far_up), np.full(extra, far_up)]),
        integer=np.concatenate([np.ones(len(at), bool), np.zeros(len(at) + extra, bool)]),
    )
    found = solve(model, run.aside("targets", seconds=limit))
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
