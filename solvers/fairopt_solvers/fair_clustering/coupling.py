"""The method ``fca-coupling``: the alternation of the paper with the coupling itself.

Kim, Lee, Park, Kim, "Fair Clustering via Alignment" (ICML 2025): points of two groups are coupled
at the cost of their distance (alignment) and of the aligned point's distance to its centre; then
the aligned points are clustered. Quadratic in the points: a reference for ``fca``, which solves
the same problem for given centres without the coupling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.backends import min_cost_flow
from fairopt_solvers.fair_clustering.assign import Assigned
from fairopt_solvers.fair_clustering.common import centroids, distances_to, soft_centroids
from fairopt_solvers.fair_clustering.fca import Alternation, Iterate, concluded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Plan = tuple[Ints, Ints, Floats]  # points of group 0, points of group 1, mass of each pair

MOST_PAIRS = 4_000_000
_BITS = 40  # of the integer costs of a flow


def fca_coupling(
    problem: FairClustering,
    run: Run,
    *,
    alignment_coefficient: float = 1.0,
    block: int = 0,
    starts: int = 1,
    iterations: int = 10,
    lloyd_steps: int = 5,
) -> Outcome[Clustering]:
    """Alternate an exact optimal coupling of two groups and steps of Lloyd's algorithm.

    Parameters
    ----------
    alignment_coefficient
        Factor of the alignment cost. With 1 the coupling is equivalent to the fair assignment;
        2 is what the published code uses.
    block
        If positive, groups are split at random into parts of about so many points (of the
        smaller group), coupled one by one and drawn anew in every iteration: no longer optimal.
        The paper takes 1024.
    starts, iterations, lloyd_steps
        Starts from unfair clusterings, rounds of each, steps with the coupling held fixed.

    Centres are the method's; the answer is the fair assignment to them. Raises ``UsageError``
    for anything but free ``kmeans`` with unit weights, one attribute of two groups and a
    proportional condition; and beyond 4 million pairs without ``block``.
    """
    impossible = problem.impossible()
    if impossible is not None:
        return Outcome(infeasible=impossible)
    codes = _groups(problem)
    sizes = np.bincount(codes)
    if block < 0 or (block == 0 and int(sizes[0] * sizes[1]) > MOST_PAIRS):
        raise UsageError(
            f"fca-coupling couples at most {MOST_PAIRS:,} pairs at once, this instance has "
            f"{int(sizes[0] * sizes[1]):,}; set block, for example to 1024, or use fca"
        )
    work = Alternation(problem, run, closest=True)
    x: Floats = work.places.x  # type: ignore[attr-defined]
    for number in range(max(1, starts)):
        child = run.child(f"coupling-{number}")
        centers = work.start(number)
        for _ in range(max(1, iterations)):
            plan = _couple(x, codes, centers, child, alignment_coefficient, block)
            if plan is None:
                break
            centers = _descend(x, sizes, plan, centers, lloyd_steps)
            if not _keep(work, x, centers):
                break
        if run.expired():
            break
    return concluded(work)


def _groups(problem: FairClustering) -> Ints:
    fairness = problem.fairness
    fits = (
        problem.objective.name == "kmeans"
        and problem.mode == "free"
        and fairness.type == "proportional"
        and problem.weights is None
        and len(problem.attributes) == 1
        and len(problem.attributes[0].values) == 2
    )
    if not fits:
        raise UsageError(
            "fca-coupling serves kmeans with free centres, unit weights, one attribute of two "
            "groups and a proportional condition; use fca"
        )
    return problem.attributes[0].codes


def _couple(
    x: Floats, codes: Ints, centers: Floats, run: Run, coefficient: float, block: int
) -> Plan | None:
    """Return a coupling of the groups' uniform distributions; None if the time is up."""
    who = [np.flatnonzero(codes == g) for g in (0, 1)]
    share = len(who[0]) / len(x)
    parts = 1 if block == 0 else max(1, min(map(len, who)) // block)
    if parts > 1:
        who = [run.rng.permutation(members) for members in who]
    pieces = []
    for one, two in zip(*(np.array_split(members, parts) for members in who), strict=True):
        if run.expired():
            return None
        a, b = x[one], x[two]
        cost = coefficient * share * (1 - share) * distances_to(a, b, "sqeuclidean")
        cost += _nearest_aligned(a, b, centers, share)
        found = _transport(cost, run)
        if found is None:
            return None
        pieces.append((one[found[0]], two[found[1]], found[2] * len(one)))
    i, j, q = (np.concatenate([p[c] for p in pieces]) for c in range(3))
    return i, j, q / q.sum()


def _nearest_aligned(a: Floats, b: Floats, centers: Floats, share: float) -> Floats:
    """Return (n0, n1): squared distance of ``share a + (1 - share) b`` to its nearest centre."""
    best: Floats = np.full((len(a), len(b)), np.inf)
    for center in centers:
        left, right = share * (a - center), (1 - share) * (b - center)
        square = (left**2).sum(1)[:, None] + (right**2).sum(1)[None, :] + 2 * left @ right.T
        np.minimum(best, square, out=best)
    return np.asarray(np.maximum(best, 0.0), np.float64)


def _transport(cost: Floats, run: Run) -> Plan | None:
    """Return an optimal transport between uniform distributions: rows, columns, masses."""
    n, m = cost.shape
    if n == m:
        from scipy.optimize import linear_sum_assignment

        i, j = linear_sum_assignment(cost)
        return i.astype(np.int64), j.astype(np.int64), np.full(n, 1.0 / n)
    common = int(np.gcd(n, m))
    top = float(cost.max()) or 1.0
    whole = np.floor(cost / top * 2.0 ** min(_BITS, 60 - (n * m).bit_length())).astype(np.int64)
    tail, head = (v.ravel() for v in np.indices((n, m)))
    supply = np.concatenate([np.full(n, m // common), np.full(m, -(n // common))])
    room = np.full(n * m, max(n, m) // common)
    result = min_cost_flow(tail, head + n, room, whole.ravel(), supply, run)
    if result.flow is None:
        return None
    used = np.flatnonzero(result.flow)
    mass = result.flow[used] / (n * m // common)
    return tail[used], head[used], mass.astype(np.float64)


def _descend(x: Floats, sizes: Ints, plan: Plan, centers: Floats, steps: int) -> Floats:
    """Return centres after some steps of Lloyd's algorithm on the aligned points."""
    i, j, q = plan
    share = float(sizes[0] / sizes.sum())
    aligned = share * x[i] + (1 - share) * x[j]
    for _ in range(max(1, steps)):
        labels = distances_to(aligned, centers, "sqeuclidean").argmin(1).astype(np.int64)
        centers = centroids(aligned, q, labels, centers)
    return centers


def _keep(work: Alternation, x: Floats, centers: Floats) -> bool:
    """Assign fairly to these centres and keep the result; return False if that ended the work."""
    d = work.places.distances(centers)
    found: Assigned | None = work.assign(d, None, work.run)
    if found is None:
        return False
    if found.labels is None or found.violation:
        work.violation = found.violation
        return False
    if found.shares is not None:
        moved = soft_centroids(x, work.problem.mass, found.shares, centers)
    else:
        moved = centroids(x, work.problem.mass, found.labels, centers)
    work.keep(Iterate(moved, found, work.value(work.places.distances(moved), found)))
    return True
