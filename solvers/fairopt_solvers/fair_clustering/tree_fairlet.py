"""The method ``tree-fairlet``: fair pieces along a randomly shifted quadtree, in O(d n log n).

Backurs, Indyk, Onak, Schieber, Vakilian, Wagner, "Scalable Fair Clustering" (2019). A cell passes
up the fewest points that its parts cannot put into fair pieces; the distance in the tree between
two points is the side of the smallest cell with both.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.fair_clustering.fairlet import concluded, two_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEVELS = 50  # bits of a coordinate


def tree_fairlet(
    problem: FairClustering,
    run: Run,
    *,
    trees: int = 3,
    starts: int = 10,
    iterations: int = 100,
) -> Outcome[Clustering]:
    """Make fair pieces along a quadtree, and cluster the pieces as wholes.

    Parameters
    ----------
    trees
        Random shifts; the pieces with the least spread count.
    starts, iterations
        Of the clustering of the pieces.

    A piece has at most r + b points and a balance of at least r/b, where r/b is ``min_balance``,
    for proportional conditions but ``floor-ceil`` the ratio of the groups (pieces in exact
    proportion), elsewhere one over the least whole number that is possible. Two groups, no
    weights, points; raises ``UsageError`` for anything else.
    """
    codes = two_groups(problem, "tree-fairlet")
    if problem.points is None:
        raise UsageError("tree-fairlet needs points, not distances")
    few, many = ratio(problem, codes)
    best: tuple[float, Ints] | None = None
    for number in range(max(1, trees)):
        of = pieces(problem.points, codes, few, many, run.child(f"tree-{number}"))
        if of is None:
            break
        spread = _spread(problem.points, of)
        if best is None or spread < best[0]:
            best = spread, of
        if run.expired():
            break
    if best is None:
        return Outcome()
    return concluded(problem, best[1], run, starts=starts, iterations=iterations)


def ratio(problem: FairClustering, codes: Ints) -> tuple[int, int]:
    """Return (r, b), coprime and r <= b, that every piece has to keep at least."""
    low, high = sorted(np.bincount(codes).tolist())
    fairness = problem.fairness
    exact = Fraction(low, high)
    if fairness.type == "balance" and fairness.min_balance:
        wanted = min(exact, Fraction(fairness.min_balance))
    elif fairness.type == "proportional" and fairness.rounding != "floor-ceil":
        wanted = exact
    else:
        wanted = Fraction(1, -(-high // low))
    return wanted.numerator, wanted.denominator


def pieces(points: Floats, codes: Ints, few: int, many: int, run: Run) -> Ints | None:
    """Return the piece (n,) of every point; None if the time is up.

    The whole must be in balance: ``few * larger <= many * smaller``.
    """
    from fairopt_solvers.fair_clustering.kernels_tree import divide, settle

    order, levels = quadtree(points, run)
    if run.expired():
        return None
    n = len(points)
    group = np.ascontiguousarray(codes[order])
    level = np.full(n, -1, np.int64)
    for here in range(len(levels) - 1, 0, -1):
        settle(group, levels[here], few, many, here, level)
    level[level < 0] = 0
    out, piece = np.full(n, -1, np.int64), 0
    scratch, one, two = (np.empty(2 * n, np.int64) for _ in range(3))
    tally = np.empty(len(levels), np.int64)
    rest = (out, scratch, one, two, tally)
    for above, below in itertools.pairwise(levels):
        child = np.searchsorted(below, above).astype(np.int64)
        piece = divide(group, below, child, few, many, level, piece, *rest)
        if run.expired():
            return None
    none = np.zeros(0, np.int64)
    divide(group, levels[-1], none, few, many, level, piece, *rest)
    of = np.empty(n, np.int64)
    of[order] = out
    return of


def quadtree(points: Floats, run: Run) -> tuple[Ints, list[Ints]]:
    """Return the points in the order of a tree, and where the cells of each level begin.

    The first level is one cell with a random shift, twice as wide as the points; each next one
    halves the sides. The last has one place a cell, or cells of the least side. Each list of
    starts ends with n.
    """
    n, d = points.shape
    low = points.min(0)
    width = float((points.max(0) - low).max()) or 1.0
    unit = (points - low) / (2 * width) + run.rng.random(d) / 2
    bits = np.minimum(np.floor(unit * 2.0**_LEVELS), 2.0**_LEVELS - 1).astype(np.int64)
    mix = run.rng.integers(-(2**62), 2**62, d) | 1  # a cell among its siblings, as one number
    order = np.arange(n)
    cell = np.zeros(n, np.int64)
    levels = [np.array([0, n], np.int64)]
    for level in range(_LEVELS - 1, -1, -1):
        key = ((bits[order] >> level) & 1) @ mix
        place = np.lexsort((key, cell))
        order, key, cell = order[place], key[place], cell[place]
        new = np.ones(n, bool)
        new[1:] = (cell[1:] != cell[:-1]) | (key[1:] != key[:-1])
        cell = np.cumsum(new) - 1
        if int(cell[-1]) + 2 > len(levels[-1]):
            levels.append(np.append(np.flatnonzero(new), n).astype(np.int64))
        if int(cell[-1]) == n - 1 or run.expired() or _settled(bits, order, cell):
            break
    return order, levels


def _settled(bits: Ints, order: Ints, cell: Ints) -> bool:
    """Return whether all points of every cell are at one place."""
    sorted_bits = bits[order]
    same = cell[1:] == cell[:-1]
    return not bool(np.any(sorted_bits[1:][same] != sorted_bits[:-1][same]))


def _spread(points: Floats, of: Ints) -> float:
    """Return the sum of squared distances to the means of the pieces."""
    size = np.bincount(of)
    total = 0.0
    for column in (points - points.mean(0)).T:
        mean = np.bincount(of, column) / size
        total += math.fsum(((column - mean[of]) ** 2).tolist())
    return total
