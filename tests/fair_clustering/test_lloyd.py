"""The unfair baseline ``kmeans``."""

import numpy as np
import pytest

import fairopt
from fair_clustering.test_assign import blobs
from fairopt.run import Run
from fairopt_solvers.fair_clustering.lloyd import lloyd, plus_plus


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_cost_equals_that_of_scikit_learn_from_the_same_start(seed, weighted):
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(500, 3)) + 3 * rng.integers(0, 3, (500, 1))
    w = rng.random(500) + 0.5 if weighted else np.ones(500)
    start = x[rng.choice(500, 6, replace=False)]
    start[-1] += 100.0 * (seed % 2)  # nobody is nearest to it
    cost, centers, labels = lloyd(x, w, start, Run())
    theirs = cluster.KMeans(6, init=start, n_init=1).fit(x, sample_weight=w)
    assert cost == pytest.approx(theirs.inertia_, rel=1e-9)
    assert centers == pytest.approx(theirs.cluster_centers_, abs=1e-9)
    assert labels.tolist() == theirs.labels_.tolist()


def test_starts_are_distinct_points_where_there_are_enough():
    x = np.repeat(np.arange(5.0), 20)[:, None]
    chosen = plus_plus(x, np.ones(100), 5, Run(seed=1))
    assert sorted(chosen[:, 0].tolist()) == [0, 1, 2, 3, 4]


def test_fewer_distinct_points_than_clusters():
    content = {**blobs("strict", n=10, k=3), "points": [[1.0, 1.0]] * 10}
    del content["centers"]
    solution = fairopt.solve(fairopt.load(content), "kmeans")
    assert solution.value == 0.0


def test_unfair_answers_are_marked():
    content = {**blobs("strict", n=40)}
    del content["centers"]
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "kmeans")
    assert solution.status == "feasible"
    assert fairopt.verify(problem, solution).ok


@pytest.mark.parametrize("choice", ["points", "candidates"])
def test_listed_centres_are_refused(choice):
    content = blobs("strict", n=40)
    listed = content.pop("centers")
    content.update({"centers": "points"} if choice == "points" else {"candidates": listed})
    with pytest.raises(fairopt.errors.UsageError, match="kmedoids"):
        fairopt.solve(fairopt.load(content), "kmeans")
