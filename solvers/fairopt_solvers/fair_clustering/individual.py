"""The methods ``individual-greedy`` and ``greedy-capture``: fairness without groups.

Jung, Kannan, Lutz, "A Center in Your Neighborhood" (2020): nobody is farther from a centre than
twice the radius of the ball around him with his fair share ``n / k`` of the points. Chen, Fain,
Lyu, Munagala, "Proportionally Fair Clustering" (ICML 2019): no ``n / k`` points would all be much
nearer to another centre. Both are about distances of a metric: for ``kmeans`` the Euclidean one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.fair_clustering.common import distances_to
from fairopt_solvers.fair_clustering.pieces import put
from fairopt_solvers.fair_clustering.proven import unfair_cost
from fairopt_solvers.fair_clustering.sites import among, site_costs, site_count

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = 4_000_000  # distances at a time
_BATCH = 32  # balls that are looked at again together
_TRIED = 500  # sites tried for the centres that are left over


def individual_greedy(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Open the uncovered point with the smallest radius, cover who is within twice his own.

    The radius of a point is the distance to its ceil(n/k)-th nearest point, itself included. At
    most k points are opened, and nobody is farther from them than twice his radius (a metric is
    assumed). A larger ``alpha`` of the instance is used instead of 2; a smaller one is tried and
    given up if it needs more than k. Centres that are left over go where they save most. Every
    point counts once. Quadratic in the points. Raises ``UsageError`` unless points may be centres.
    """
    if problem.mode not in ("free", "points"):
        raise UsageError(f"individual-greedy opens points; centers is {problem.mode!r}")
    radius = radii(problem, run)
    if radius is None:
        return Outcome()
    wanted = 2.0
    if problem.fairness.type == "individual" and problem.fairness.alpha is not None:
        wanted = float(problem.fairness.alpha)
    opened = _cover(problem, radius, wanted)
    if opened is None:
        opened = _cover(problem, radius, 2.0)
    if opened is None:  # distances that are no metric
        return Outcome()
    return _concluded(problem, opened, run)


def radii(problem: FairClustering, run: Run) -> Floats | None:
    """Return (n,) the distance of each point to its ceil(n/k)-th nearest; None: time is up."""
    need = -(-problem.n // problem.k)
    return _ball_times(problem, run, need, of_points=True)


def _cover(problem: FairClustering, radius: Floats, factor: float) -> Ints | None:
    """Return the opened points, None if k do not suffice."""
    bare = np.ones(problem.n, bool)
    opened: list[int] = []
    while bare.any():
        if len(opened) == problem.k:
            return None
        one = int(np.where(bare, radius, np.inf).argmin())
        opened.append(one)
        bare &= to_sites(problem, np.array([one]))[:, 0] > factor * radius
        bare[one] = False
    return np.array(opened, np.int64)


def to_sites(problem: FairClustering, sites: Ints) -> Floats:
    """Return (n, m) distances of the metric to sites; free centres: to points."""
    if problem.points is None:
        assert problem.distances is not None
        return np.asarray(problem.distances[:, sites], np.float64)
    places = problem.points
    if problem.mode == "candidates":
        assert problem.sites is not None
        places = problem.sites
    metric = "euclidean" if problem.metric == "sqeuclidean" else problem.metric
    return distances_to(problem.points, places[sites], metric)


def _ball_times(
    problem: FairClustering, run: Run, need: int, *, of_points: bool = False
) -> Floats | None:
    """Return the radius of the ball around each site (point) with ``need`` points in it."""
    count = site_count(problem)
    out = np.empty(count)
    each = max(1, _BLOCK // problem.n)
    for first in range(0, count, each):
        if run.expired():
            return None
        who = np.arange(first, min(first + each, count))
        if of_points and problem.distances is not None:
            part = problem.distances[who].T  # rows: from the points
        else:
            part = to_sites(problem, who)
        out[who] = np.partition(part, need - 1, axis=0)[need - 1]
    return out


# -- greedy capture --------------------------------------------------------------------------


@dataclass(eq=False)
class _Capture:
    """Balls around all sites that grow at one speed.

    ``bound`` is below the time when the ball of a site will hold ``need`` free points: exact if
    ``seen`` is the current ``version`` of the free points.
    """

    problem: FairClustering
    need: int
    bound: Floats

    def __post_init__(self) -> None:
        n = self.problem.n
        self.free, self.near = np.ones(n, bool), np.full(n, np.inf)
        self.seen, self.version = np.zeros(len(self.bound), np.int64), 0
        self.opened: list[int] = []

    def step(self) -> bool:
        """Go on to the next ball that might open; return False when there is none."""
        one = int(self.bound.argmin())
        time = float(self.bound[one])
        if not np.isfinite(time) or len(self.opened) == self.problem.k:
            return False
        self._remove(self.near <= time)  # by the balls that are open
        if self.seen[one] == self.version:
            far = to_sites(self.problem, np.array([one]))[:, 0]
            self._remove(far <= time)
            self.near = np.minimum(self.near, far)
            self.opened.append(one)
            self.bound[one] = np.inf
        else:
            self._look()
        return True

    def _remove(self, who: NDArray[np.bool_]) -> None:
        if np.any(self.free & who):
            self.free &= ~who
            self.version += 1

    def _look(self) -> None:
        """Look at the balls that would open first, with the points that are free now."""
        size = min(_BATCH, len(self.bound))
        who = np.argpartition(self.bound, size - 1)[:size]
        who = np.sort(who[(self.seen[who] < self.version) & np.isfinite(self.bound[who])])
        self.seen[who] = self.version
        if int(self.free.sum()) < self.need:
            self.bound[:] = np.inf
            return
        far = to_sites(self.problem, who)[self.free]
        self.bound[who] = np.partition(far, self.need - 1, axis=0)[self.need - 1]


def greedy_capture(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Grow balls around all sites; one with ceil(n/k) free points opens and takes them.

    Open balls go on growing and take the points that they meet. No ceil(n/k) points would all be
    nearer to another site by a factor above 1 + sqrt(2) (a metric is assumed). Centres that are
    left over go where they save most, and every point goes to its nearest centre. Every point
    counts once. Quadratic in the points. Raises ``UsageError`` for fixed centres.
    """
    if problem.mode == "fixed":
        raise UsageError("greedy-capture opens points or candidates; centers is 'fixed'")
    need = -(-problem.n // problem.k)
    times = _ball_times(problem, run, need)
    if times is None:
        return Outcome()
    work = _Capture(problem, need, times)
    while not run.expired() and work.step():
        pass
    if not work.opened:
        return Outcome()
    return _concluded(problem, np.array(work.opened, np.int64), run)


# -- what both end with ----------------------------------------------------------------------


def _concluded(problem: FairClustering, opened: Ints, run: Run) -> Outcome[Clustering]:
    sites = _filled(problem, opened, run)
    labels = put(problem, site_costs(problem, sites), None)
    if labels is None:
        return Outcome()
    answer = among(problem, sites, labels)
    return Outcome(answer, claims=unfair_cost(problem, answer))


def _filled(problem: FairClustering, opened: Ints, run: Run) -> Ints:
    """Return the opened sites and, up to k, those of a sample that save most, one by one."""
    chosen = np.sort(opened)
    count = site_count(problem)
    rest = np.setdiff1d(np.arange(count), chosen)
    missing = min(problem.k - len(chosen), len(rest))
    if missing <= 0:
        return chosen
    if len(rest) > _TRIED + missing:
        rest = np.sort(run.child("rest").rng.choice(rest, _TRIED + missing, replace=False))
    cost = site_costs(problem, rest)
    near = site_costs(problem, chosen).min(1)
    added: list[int] = []
    for _ in range(missing):
        if run.expired() and problem.allow_empty:
            break
        total = _totals(problem, np.minimum(near[:, None], cost))
        total[added] = np.inf
        best = int(total.argmin())
        saves = total[best] < _totals(problem, near[:, None])[0]
        if not saves and problem.allow_empty:
            break
        added.append(best)
        near = np.minimum(near, cost[:, best])
    return np.sort(np.concatenate([chosen, rest[added]]))


def _totals(problem: FairClustering, distances: Floats) -> Floats:
    if problem.objective.name == "kcenter":
        return np.asarray(distances.max(0), np.float64)
    return np.asarray(problem.mass @ distances, np.float64)
