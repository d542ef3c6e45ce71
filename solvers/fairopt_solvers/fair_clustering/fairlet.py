"""The method ``fairlet``: small fair pieces by a flow of least cost, then clusters of pieces.

Chierichetti, Kumar, Lattanzi, Vassilvitskii, "Fair Clustering Through Fairlets" (2017). Two groups
of equal size: a perfect matching of least cost. Otherwise every piece is one point of one group
and up to t of the other: an edge cover of least cost in which no point has more than t edges is a
union of such stars, and it is a flow.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.backends import min_cost_flow
from fairopt_solvers.fair_clustering.pieces import Pieces, clustered
from fairopt_solvers.fair_clustering.proven import unfair_cost
from fairopt_solvers.fair_clustering.sites import pairwise

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_PAIRS = 4_000_000  # of points of different groups, about 20 s


def fairlet(
    problem: FairClustering,
    run: Run,
    *,
    most: int | None = None,
    starts: int = 10,
    iterations: int = 100,
) -> Outcome[Clustering]:
    """Make fair pieces of least total distance, and cluster the pieces as wholes.

    Parameters
    ----------
    most
        Points of one group beside a single one of the other in a piece. Default: what the
        condition ``balance`` admits, elsewhere the least that is possible. Every cluster then has
        a balance of at least ``1 / most``.
    starts, iterations
        Of the clustering of the pieces.

    Two groups, no weights, at most 4,000,000 pairs of points of different groups. Raises
    ``UsageError`` for anything else.
    """
    codes = two_groups(problem, "fairlet")
    size = np.bincount(codes)
    if int(size[0]) * int(size[1]) > MOST_PAIRS:
        raise UsageError(
            f"fairlet takes at most {MOST_PAIRS:,} pairs of points of different groups, this "
            f"instance has {int(size[0]) * int(size[1]):,}; use tree-fairlet"
        )
    least = -(-int(size.max()) // int(size.min()))
    limit = _limit(problem, least) if most is None else most
    if limit < least:
        raise UsageError(f"most: expected at least {least} for groups of {size.tolist()} points")
    of = stars(cross_distances(problem, codes), codes, limit, run)
    if of is None:
        return Outcome()
    return concluded(problem, of, run, starts=starts, iterations=iterations)


def concluded(
    problem: FairClustering, of: Ints, run: Run, *, starts: int, iterations: int
) -> Outcome[Clustering]:
    """Return the clustering of fair pieces."""
    found: Pieces | None = clustered(problem, run, of=of, starts=starts, iterations=iterations)
    pieces = int(of.max()) + 1
    if found is None:
        words = f"{pieces} pieces do not fill {problem.k} clusters"
        return Outcome(notes=() if run.expired() else (Note("stuck", words),))
    made = found.answer()
    return Outcome(made, claims=unfair_cost(problem, made))


def two_groups(problem: FairClustering, name: str) -> Ints:
    """Return the codes 0 and 1 of the only attribute.

    Raises ``UsageError`` if there are weights, several attributes or not two groups.
    """
    if problem.weights is not None:
        raise UsageError(f"{name} takes no weights")
    if len(problem.attributes) != 1 or len(problem.attributes[0].values) != 2:
        raise UsageError(f"{name} takes one attribute with two values")
    return np.asarray(problem.attributes[0].codes, np.int64)


def _limit(problem: FairClustering, least: int) -> int:
    fairness = problem.fairness
    if fairness.type != "balance" or not fairness.min_balance:
        return least
    return max(least, math.floor(1 / Fraction(fairness.min_balance)))


def cross_distances(problem: FairClustering, codes: Ints) -> Floats:
    """Return (n0, n1): distances of the points of group 0 to those of group 1.

    Where only distances to candidates are known: through the candidate that is nearest to both.
    """
    first, second = np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)
    if problem.points is not None:
        return pairwise(problem.points[first], problem.points[second], problem.metric)
    assert problem.distances is not None
    if problem.mode == "points":
        return np.ascontiguousarray(problem.distances[np.ix_(first, second)])
    out = np.full((len(first), len(second)), np.inf)
    for column in problem.distances.T:
        np.minimum(out, column[first][:, None] + column[second][None, :], out=out)
    return out


def stars(distances: Floats, codes: Ints, most: int, run: Run) -> Ints | None:
    """Return the piece (n,) of every point: stars of at most 1 + ``most`` points, least in sum.

    ``distances`` (n0, n1) between the groups. Costs are rounded down to integers, at most 2^-40
    or so of the largest distance. None if the time is up.
    """
    rows, columns = distances.shape
    i, j = (index.ravel() for index in np.indices((rows, columns)))
    source, sink = rows + columns, rows + columns + 1
    tail = np.concatenate([i, np.full(rows, source), rows + np.arange(columns), [source]])
    head = np.concatenate([rows + j, np.arange(rows), np.full(columns, sink), [sink]])
    spare = (most - 1) * max(rows, columns)  # at least the partners beyond the first, of a group
    room = np.concatenate([np.ones(len(i), int), np.full(rows + columns, most - 1), [spare]])
    # Every edge costs something, so that an edge between two points with others is left out.
    price = np.concatenate([_integers(distances).ravel() + 1, np.zeros(rows + columns + 1, int)])
    supply = np.zeros(sink + 1, np.int64)
    supply[:rows], supply[rows:source] = 1, -1
    supply[source], supply[sink] = spare, columns - rows - spare
    flow = min_cost_flow(tail, head, room, price, supply, run).flow
    if flow is None:
        return None
    used = np.flatnonzero(flow[: len(i)])
    return _components(i[used], j[used], codes)


def _integers(distances: Floats) -> Ints:
    """Return whole costs, rounded down at a power of two such that no total overflows."""
    top = float(distances.max(initial=0.0))
    bits = 54 - (distances.size + 1).bit_length()
    if top <= 0.0 or (np.all(distances == np.rint(distances)) and top < 2.0**bits):
        return distances.astype(np.int64)
    scale = 2.0 ** (bits - math.frexp(top)[1])
    return np.floor(distances * scale).astype(np.int64)


def _components(i: Ints, j: Ints, codes: Ints) -> Ints:
    """Return the piece of every point from the edges (i of group 0, j of group 1) of stars."""
    first, second = np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)
    one, two = first[i], second[j]
    degree = np.bincount(np.concatenate([one, two]), minlength=len(codes))
    middle = np.where(degree[two] > 1, two, one)
    out = np.empty(len(codes), np.int64)
    out[one] = out[two] = middle
    return np.unique(out, return_inverse=True)[1].astype(np.int64)
