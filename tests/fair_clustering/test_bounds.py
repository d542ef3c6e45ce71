"""Bounds on the whole problem lie below every fair answer, and are what they are said to be."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linear_sum_assignment

import fairopt
from fair_clustering import brute
from fair_clustering.examples import EXAMPLES, content
from fairopt.run import Run
from fairopt_solvers.fair_clustering import bounds, transport
from fairopt_solvers.fair_clustering.proven import discrete_bound

STRICT = {"type": "proportional", "rounding": "strict"}


@pytest.mark.parametrize("choice", brute.CHOICES)
@pytest.mark.parametrize("condition", brute.CONDITIONS)
def test_whole_bound_lies_below_enumeration(condition, choice):
    @given(brute.contents(condition, choice))
    def holds(content):
        best = brute.best(content)
        if best is not None:
            below(content, best)

    holds()


@pytest.mark.parametrize("choice", ["points", "candidates", "fixed"])
@pytest.mark.parametrize("objective", ["kmedian", "kcenter"])
def test_other_objectives_too(objective, choice):
    @given(brute.contents(choice=choice, objective=objective))
    def holds(content):
        best = brute.best(content)
        if best is not None:
            below(content, best)

    holds()


def below(content, best):
    """Assert that every bound that is offered lies below the optimum."""
    problem = fairopt.load(content)
    for bound in bounds._bounds(problem, Run()):
        if bound is not None:
            assert float(bound.value) <= best + 1e-9 * max(1.0, best), bound.data["rule"]


@pytest.mark.parametrize("name", [n for n in EXAMPLES if EXAMPLES[n][1] is not None])
def test_few_points_with_free_centres_are_settled(name):
    instance, value = EXAMPLES[name]
    problem = fairopt.load(instance)
    bound = bounds.whole_bound(problem, Run())
    if problem.mode == "free":
        assert float(bound.value) == pytest.approx(value)


def two_groups(n, seed, shift=1.0):
    """Return a strict instance of two groups of normal points, one of them shifted."""
    points = np.random.default_rng(seed).normal(size=(n, 2))
    points[n // 2 :] += shift
    return content(points.tolist(), "a" * (n // 2) + "b" * (n - n // 2), STRICT, k=4)


@pytest.mark.parametrize(("n", "error"), [(40, 1e-9), (400, 1e-2)])
def test_transport_is_the_assignment_of_equal_groups(n, error):
    """Small ones by a linear program, larger ones smoothed."""
    problem = fairopt.load(two_groups(n, n))
    u, v = transport.potentials(problem, problem.attributes[0].codes, Run())
    x, y = problem.points[: n // 2], problem.points[n // 2 :]
    cost = ((x[:, None] - y[None]) ** 2).sum(2)
    assert np.all(u[:, None] + v[None] <= cost + 1e-9)
    exact = cost[linear_sum_assignment(cost)].mean()
    assert exact * (1 - error) <= u.mean() + v.mean() <= exact * (1 + 1e-9)


def test_too_many_pairs_leave_the_means(monkeypatch):
    """By convexity the transport costs no less than the squared distance of the means."""
    problem = fairopt.load(two_groups(30, 1, shift=4.0))
    apart = problem.points[:15].mean(0) - problem.points[15:].mean(0)
    means = bounds._group_means(problem)
    assert float(means.value) == pytest.approx(30 / 4 * float(apart @ apart))
    assert float(means.value) <= float(bounds._alignment(problem, Run()).value)
    monkeypatch.setattr(transport, "MOST_PAIRS", 10)
    assert bounds._alignment(problem, Run()) is None


@pytest.mark.parametrize("seed", range(3))
def test_prices_come_near_the_linear_program(seed):
    """Without fairness; the linear program is the best that prices can do."""
    instance = two_groups(40, seed) | {"fairness": {"type": "none"}, "centers": "points"}
    problem = fairopt.load(instance | {"objective": "kmedian"})
    linear = bounds._listed(problem, Run())
    found = bounds.prices(problem, bounds.site_costs(problem, None), Run())
    quick = discrete_bound(problem, found)
    assert 0.98 * float(linear.value) <= float(quick.value) <= float(linear.value) * (1 + 1e-9)


def test_fair_prices_beat_unfair_ones():
    instance = two_groups(30, 7, shift=3.0) | {"centers": "points", "objective": "kmedian"}
    fair = bounds._listed(fairopt.load(instance), Run())
    unfair = bounds._listed(fairopt.load(instance | {"fairness": {"type": "none"}}), Run())
    assert float(fair.value) > 1.2 * float(unfair.value)
