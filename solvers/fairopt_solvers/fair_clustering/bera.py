"""The method ``bera``: centres of an unfair clustering, a fair assignment by iterative rounding.

Bera, Chakrabarty, Flores, Negahbani, "Fair Algorithms for Clustering" (NeurIPS 2019): the optimal
shares for these centres, then linear programs in which every group count in every cluster is
between the floor and the ceiling of its share, and whose rows are dropped once they have few
fractional points left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Infeasible, Note, Outcome
from fairopt_solvers.backends import LinearModel, relax, rows
from fairopt_solvers.fair_clustering.forms import Form, form_of, to_json
from fairopt_solvers.fair_clustering.pieces import clustered, occupy
from fairopt_solvers.fair_clustering.priced import fair_vertex
from fairopt_solvers.fair_clustering.proven import centers_claim, unfair_cost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WHOLE = 1e-7
_SERVED = ("none", "proportional", "bounds", "balance")


def bera(
    problem: FairClustering, run: Run, *, starts: int = 10, iterations: int = 100
) -> Outcome[Clustering]:
    """Assign fairly, up to a few points in every cluster, to centres that ignore fairness.

    Parameters
    ----------
    starts, iterations
        Of the unfair clustering.

    With D attributes no bound on a group's share of a cluster (``bounds``, ``proportional``) is
    missed by more than 4 D + 3 points; the note ``violation`` says by how many. The cost is at
    most that of the best shares for these centres. No weights; raises ``UsageError`` for them and
    for conditions that are not one row for a group and a cluster.
    """
    if problem.weights is not None:
        raise UsageError("bera takes no weights")
    if problem.fairness.type not in _SERVED:
        raise UsageError(f"bera does not serve the condition {problem.fairness.type!r}")
    impossible = problem.impossible()
    if impossible is not None:
        return Outcome(infeasible=impossible)
    found = clustered(problem, run, starts=starts, iterations=iterations, offer=False)
    if found is None:
        return Outcome()
    distances = np.ascontiguousarray(found.places.distances(found.state))
    form = form_of(problem)
    vertex = fair_vertex(form, distances, problem.mass, run)
    if vertex.infeasible:
        words = f"not even shares satisfy the condition {problem.fairness.type!r}"
        return Outcome(infeasible=Infeasible(words, "solver", {"backend": vertex.backend}))
    if vertex.shares is None or vertex.y is None:
        return Outcome(found.answer())
    labels = rounded_by_rows(problem, distances, vertex.shares, run)
    if labels is None:
        return Outcome(found.answer())
    if not problem.allow_empty:
        occupy(distances, labels)
    every = found.places.answer(found.state, np.arange(distances.shape[1]))
    claims = centers_claim(problem, every, to_json(problem, form, vertex.y))
    answer = found.places.answer(found.state, labels)
    notes = _notes(problem, form, labels, distances.shape[1])
    return Outcome(answer, claims=(*claims, *unfair_cost(problem, every)), notes=notes)


def most_missed(problem: FairClustering) -> int:
    """Return the proven limit of the violation, in points."""
    return 4 * len(problem.attributes) + 3


def _notes(problem: FairClustering, form: Form, labels: Ints, k: int) -> tuple[Note, ...]:
    missed = violation(problem, form, labels, k)
    if missed <= 0.0:
        return ()
    out = [Note("violation", f"a group count misses its bound in a cluster by {missed:.4g} points")]
    if missed > most_missed(problem) and form.kind != "balance":
        out.append(Note("guarantee-violated", f"at most {most_missed(problem)} are proven"))
    return tuple(out)


def violation(problem: FairClustering, form: Form, labels: Ints, k: int) -> float:
    """Return the largest excess of a row of the condition over its bound, in points."""
    counts = np.zeros((len(form.mass), k))
    np.add.at(counts, (form.of, labels), 1.0)
    rest = form.matrix.T @ counts
    over = (rest if form.signed else np.abs(rest)) - form.charge
    if form.kind == "proportional":  # rows of the form are combinations of groups
        size = counts.sum(0)
        parts = [abs(m @ counts - (m @ form.mass)[:, None] / problem.n * size) for m in form.member]
        over = np.concatenate(parts) if parts else over
    worst = float(over.max(initial=0.0))
    return worst if worst > 1e-9 * problem.n else 0.0


# -- iterative rounding --------------------------------------------------------------------


def rounded_by_rows(
    problem: FairClustering, distances: Floats, shares: Floats, run: Run
) -> Ints | None:
    """Return labels that cost at most what the shares (n, k) cost; None if the time is up.

    Points that are whole stay. Rows (cluster sizes, group counts in clusters) keep whole bounds
    around the masses of the shares, until at most 2 (D + 1) fractional points are left in them.
    """
    k = shares.shape[1]
    x = shares.copy()
    kinds = _memberships(problem)
    floor, ceil = _whole_bounds(kinds, x)
    alive = np.ones(len(floor), bool)
    few = 2 * (len(problem.attributes) + 1)
    while True:
        _settle(x)
        split = np.flatnonzero((x > 0.0).sum(1) > 1)
        if not len(split):
            return np.asarray(x.argmax(1), np.int64)
        if run.expired():
            return None
        point, cluster = np.nonzero(x[split] > 0.0)
        point = split[point]
        left = _row_counts(kinds, point, cluster, k)
        dropped = alive & (left <= few)
        alive &= ~dropped
        if not _solve(distances, x, point, cluster, kinds, (floor, ceil, alive), run):
            if run.expired():
                return None
            alive[_fewest(left, alive)] = False  # rounding errors of the last program
        elif not dropped.any() and not _progress(x, point, cluster):
            alive[_fewest(left, alive)] = False  # not a vertex


def _memberships(problem: FairClustering) -> list[Ints]:
    """Return the numbers of the rows' groups: one for everybody, then one array an attribute."""
    out, first = [np.zeros(problem.n, np.int64)], 1
    for attribute in problem.attributes:
        out.append(first + attribute.codes)
        first += len(attribute.values)
    return out


def _whole_bounds(kinds: list[Ints], x: Floats) -> tuple[Floats, Floats]:
    """Return floor and ceiling of the masses of all groups in all clusters, group-major."""
    groups = max(int(of.max()) for of in kinds) + 1
    mass = np.zeros((groups, x.shape[1]))
    for of in kinds:
        for c, column in enumerate(x.T):
            mass[:, c] += np.bincount(of, column, groups)
    return np.floor(mass + 1e-6).ravel(), np.ceil(mass - 1e-6).ravel()


def _settle(x: Floats) -> None:
    """Make shares near 0 and 1 exact."""
    x[x < _WHOLE] = 0.0
    whole = x.max(1) > 1.0 - _WHOLE
    x[whole] = (x[whole] > 0.5).astype(np.float64)


def _row_counts(kinds: list[Ints], point: Ints, cluster: Ints, k: int) -> Ints:
    groups = max(int(of.max()) for of in kinds) + 1
    at = np.concatenate([of[point] * k + cluster for of in kinds])
    return np.bincount(at, minlength=groups * k).astype(np.int64)


def _fewest(left: Ints, alive: NDArray[np.bool_]) -> int:
    return int(np.where(alive & (left > 0), left, np.iinfo(np.int64).max).argmin())


def _progress(x: Floats, point: Ints, cluster: Ints) -> bool:
    here = x[point, cluster]
    return bool(np.any((here < _WHOLE) | (here > 1.0 - _WHOLE)))


def _solve(
    d: Floats,
    x: Floats,
    point: Ints,
    cluster: Ints,
    kinds: list[Ints],
    bounds: tuple[Floats, Floats, NDArray[np.bool_]],
    run: Run,
) -> bool:
    """Replace the fractional shares by those of the cheapest vertex within the rows."""
    floor, ceil, alive = bounds
    k, count = x.shape[1], len(point)
    rest = x.copy()
    rest[point] = 0.0
    fixed = np.zeros(len(floor))
    who, where = np.nonzero(rest)
    for of in kinds:
        fixed += np.bincount(of[who] * k + where, minlength=len(floor))
    number = np.unique(point, return_inverse=True)[1]
    ones = np.ones(int(number.max()) + 1)
    at = np.concatenate([of[point] * k + cluster for of in kinds])
    col = np.tile(np.arange(count), len(kinds))
    used = np.unique(at[alive[at]])
    blocks = [rows(number, np.arange(count), lower=ones, upper=ones)]
    if len(used):
        keep = alive[at]
        low, high = floor[used] - fixed[used], ceil[used] - fixed[used]
        blocks.append(
            rows(np.searchsorted(used, at[keep]), col[keep], lower=low, upper=high, count=len(used))
        )
    cost = d[point, cluster]
    model = LinearModel.build(cost / (float(cost.mean()) or 1.0), *blocks, integer=False)
    result = relax(model, run.child("rounding"))
    if result.x is None or result.status != "optimal":
        return False
    x[point, cluster] = np.clip(result.x, 0.0, 1.0)
    return True
