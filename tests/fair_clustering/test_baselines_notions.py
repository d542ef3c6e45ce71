"""Methods for notions beyond groups in clusters: what they promise, counted anew."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import fairopt
from fair_clustering import brute
from fair_clustering.examples import LINE, NONE
from fairopt.errors import UsageError
from fairopt.run import Run
from fairopt_solvers.fair_clustering.fair_lloyd import Parts, balanced_centers, memberships
from fairopt_solvers.fair_clustering.individual import radii

SEEDS = st.integers(0, 10**6)


def instance(points, k, fairness=NONE, groups=None, **more):
    """Return a problem."""
    content = {"problem": "fair-clustering", "points": np.asarray(points).tolist(), "k": k}
    extra = {} if groups is None else {"groups": groups}
    return fairopt.load({**content, **extra, "fairness": fairness, **more})


def distances(points, sites, metric="euclidean"):
    """Return (n, m) distances of a metric."""
    return brute.distances({"points": points, "metric": metric}, sites)


def cloud(seed, n, ties):
    """Return points, with many equal distances or without."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, (n, 2)) * 1.0 if ties else rng.normal(size=(n, 2))


# -- socially fair ----------------------------------------------------------------------------


def worst_mean(points, groups, centers, labels=None):
    """Return the largest mean squared distance of a group (to the own or nearest centres)."""
    table = ((points[:, None] - centers[None]) ** 2).sum(2)
    near = table.min(1) if labels is None else table[np.arange(len(points)), labels]
    return max(near[groups == g].mean() for g in np.unique(groups))


def best_centers(points, groups, labels, k):
    """Return the least worst mean for these clusters, by a general solver from the means."""
    d = points.shape[1]
    start = np.array(
        [points[labels == c].mean(0) if np.any(labels == c) else np.zeros(d) for c in range(k)]
    )

    def costs(z):
        table = ((points - z[:-1].reshape(k, d)[labels]) ** 2).sum(1)
        return np.array([z[-1] - table[groups == g].mean() for g in np.unique(groups)])

    z = np.append(start, worst_mean(points, groups, start, labels))
    found = minimize(lambda z: z[-1], z, method="SLSQP", constraints={"type": "ineq", "fun": costs},
                     options={"maxiter": 500, "ftol": 1e-13})  # fmt: skip
    return min(worst_mean(points, groups, found.x[:-1].reshape(k, d), labels), z[-1])


@pytest.mark.parametrize("kinds", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_centres_for_given_clusters_are_the_best(kinds, seed):
    rng = np.random.default_rng(seed)
    points, labels = rng.normal(size=(24, 2)), rng.integers(0, 3, 24)
    groups = rng.permutation(np.arange(24) % kinds)
    points += groups[:, None] * rng.normal(size=2)
    parts = Parts.of(points, memberships(instance(points, 3, NONE, groups.tolist())), labels, 3)
    weights = np.full(kinds, 1.0 / kinds)
    centers, _ = balanced_centers(parts, np.zeros((3, 2)), weights, 300)
    found = worst_mean(points, groups, centers, labels)
    assert found == pytest.approx(parts.costs(centers).max())
    assert found == pytest.approx(best_centers(points, groups, labels, 3), rel=1e-6)


def test_fair_lloyd_against_all_partitions():
    hits = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        points, groups = rng.normal(size=(6, 1)) * 3, np.array([0, 0, 0, 1, 1, 1])
        best = min(best_centers(points, groups, row, 2) for row in brute.labellings(6, 2)[:32])
        problem = instance(points, 2, {"type": "none"}, groups.tolist())
        solution = fairopt.solve(problem, "fair-lloyd", starts=20)
        found = worst_mean(points, groups, np.array(solution.answer.centers))
        assert found >= best * (1 - 1e-6)
        hits += found <= best * (1 + 1e-6)
    assert hits >= 7


@pytest.mark.parametrize("objective", ["kmeans", "kmedian"])
def test_no_exchange_of_a_site_helps(objective):
    points = cloud(1, 20, ties=False)
    groups = np.arange(20) % 3
    problem = instance(points, 3, NONE, groups.tolist(), objective=objective, centers="points")
    solution = fairopt.solve(problem, "fair-lloyd")
    table = distances(points, points, "sqeuclidean" if objective == "kmeans" else "euclidean")

    def worst(sites):
        near = table[:, sites].min(1)
        return max(near[groups == g].mean() for g in range(3))

    chosen = solution.answer.center_indices.tolist()
    for c, j in itertools.product(range(3), range(20)):
        assert worst([*chosen[:c], j, *chosen[c + 1 :]]) >= worst(chosen) - 1e-12


def test_fixed_centres_are_served_and_the_radius_is_not():
    problem = instance(LINE, 2, NONE, list("rrrbbb"), centers=[[1], [11]])
    assert fairopt.solve(problem, "fair-lloyd").answer.labels.tolist() == [0, 0, 0, 1, 1, 1]
    problem = instance(LINE, 2, NONE, list("rrrbbb"), objective="kcenter", centers="points")
    with pytest.raises(UsageError):
        fairopt.solve(problem, "fair-lloyd")


# -- individual fairness ----------------------------------------------------------------------


def alpha_of(points, centers, k, metric="euclidean"):
    """Return the largest ratio of the distance to a centre and the own radius, 0/0 = 0."""
    table = distances(points, points, metric)
    radius = np.sort(table, axis=1)[:, -(-len(points) // k) - 1]
    near = distances(points, centers, metric).min(1)
    ratio = [
        0.0 if far == 0 else np.inf if r == 0 else far / r
        for far, r in zip(near, radius, strict=True)
    ]
    return max(ratio)


def test_radii_of_the_line():
    assert radii(instance(LINE, 2), Run()).tolist() == [2, 1, 2, 2, 1, 2]
    assert alpha_of(LINE, [[1], [11]], 2) == 0.5


@given(SEEDS, st.integers(1, 25), st.integers(1, 8), st.booleans(), st.booleans())
def test_individual_greedy(seed, n, k, ties, free):
    points = cloud(seed, n, ties)
    where = {} if free else {"objective": "kmedian", "metric": "manhattan", "centers": "points"}
    problem = instance(points, k, NONE, **where)
    answer = fairopt.solve(problem, "individual-greedy").answer
    centers = answer.centers if free else points[answer.center_indices]
    assert len(centers) <= k
    assert alpha_of(points, centers, k, "euclidean" if free else "manhattan") <= 2 + 1e-9


# -- core -------------------------------------------------------------------------------------


def core_of(points, centers, k):
    """Return rho: the ceil(n/k)-th largest gain of the points, for the best other site."""
    need = -(-len(points) // k)
    table, near = distances(points, points), distances(points, centers).min(1)
    worst = 0.0
    for column in table.T:
        ratio = [
            0.0 if near[i] == 0 else np.inf if column[i] == 0 else near[i] / column[i]
            for i in range(len(points))
        ]
        worst = max(worst, sorted(ratio)[-need])
    return worst


def captured(points, k):
    """Return the opened sites, by looking at all sites at every distance in turn."""
    table, need = distances(points, points), -(-len(points) // k)
    free, opened = np.ones(len(points), bool), []
    for time in np.unique(table):
        for y in opened:
            free &= table[:, y] > time
        for y in range(len(points)):
            inside = free & (table[:, y] <= time)
            if inside.sum() >= need and y not in opened:
                opened.append(y)
                free &= ~inside
    return opened


@given(SEEDS, st.integers(1, 25), st.integers(1, 8), st.booleans())
def test_greedy_capture_is_in_the_core(seed, n, k, ties):
    points = cloud(seed, n, ties)
    problem = instance(points, k)
    centers = fairopt.solve(problem, "greedy-capture").answer.centers
    assert len(centers) <= k
    assert core_of(points, centers, k) <= 1 + np.sqrt(2) + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_capture_opens_what_the_definition_opens(seed):
    points = cloud(seed, 60, ties=False)
    opened = captured(points, 5)
    centers = fairopt.solve(instance(points, 5), "greedy-capture").answer.centers.tolist()
    assert all(points[y].tolist() in centers for y in opened)
    assert len(centers) >= len(opened)


@pytest.mark.parametrize("method", ["individual-greedy", "greedy-capture"])
def test_fixed_centres_are_refused(method):
    with pytest.raises(UsageError, match="fixed"):
        fairopt.solve(instance(LINE, 2, centers=[[1], [11]]), method)


# -- bounded cost -----------------------------------------------------------------------------


def budget(kind, most, **more):
    """Return a problem on the line: as fair as possible within a cost."""
    condition = {"type": "bounded-cost", "condition": kind, "max_cost": most}
    return instance(LINE, 2, condition, list("rrrbbb"), **more)


def level(labels, kind):
    """Return the least delta or epsilon that the labels keep."""
    red = np.array([np.sum(labels[:3] == c) for c in range(2)])
    blue = np.array([np.sum(labels[3:] == c) for c in range(2)])
    if kind == "gap":
        return Fraction(int(np.abs(red - blue).sum()), 6)
    worst = Fraction(0)
    for r, b in zip(red.tolist(), blue.tolist(), strict=True):
        for part in (r, b) if r + b else ():
            ratio = Fraction(2 * part, r + b)
            worst = max(worst, 1 - min(ratio, 1 / ratio if ratio else Fraction(0)))
    return worst


@pytest.mark.parametrize("kind", ["bounds", "gap"])
@pytest.mark.parametrize("most", [4, 100, 164, 300])
def test_bounded_cost_on_fixed_centres(kind, most):
    problem = budget(kind, most, centers=[[1], [11]])
    solution = fairopt.solve(problem, "bounded-cost")
    table = ((np.array(LINE) - np.array([1, 11])) ** 2).astype(float)
    every = [
        level(row, kind) for row in brute.labellings(6, 2) if table[np.arange(6), row].sum() <= most
    ]
    assert solution.value == pytest.approx(float(min(every)), abs=1e-8)
    assert table[np.arange(6), solution.answer.labels].sum() <= most
    assert fairopt.verify(problem, solution).ok


def test_bounded_cost_with_free_centres():
    loose = fairopt.solve(budget("gap", 1000), "bounded-cost")
    assert loose.value == 0
    tight = fairopt.solve(budget("gap", 5), "bounded-cost")
    assert tight.value == 1
    nothing = fairopt.solve(budget("gap", 3), "bounded-cost")
    assert nothing.answer is None
    assert any(note.code == "stuck" for note in nothing.notes)


def test_bounded_cost_needs_its_condition():
    with pytest.raises(UsageError, match="bounded-cost"):
        fairopt.solve(instance(LINE, 2), "bounded-cost")
