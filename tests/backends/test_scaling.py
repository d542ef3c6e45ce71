from fractions import Fraction

import numpy as np
import pytest

from fairopt_solvers.backends import BackendRefusal, LinearModel
from fairopt_solvers.backends.scaling import TOLERANCE, Scaling

F = Fraction


def test_rationals_become_coprime_integers():
    scaling = Scaling.of(LinearModel.build([F(1, 2), F(1, 3)]))
    assert (scaling.factor, scaling.costs.tolist(), scaling.unit) == (6, [3, 2], 1)
    assert scaling.back(scaling.given(F(5, 6))) == F(5, 6)


def test_maximising_is_minimising_the_negative():
    scaling = Scaling.of(LinearModel.build([2, 4], maximize=True))
    assert scaling.costs.tolist() == [-1, -2]
    assert scaling.back(scaling.given(6)) == 6
    assert scaling.duals(np.array([-3.0])).tolist() == [6.0]


@pytest.mark.parametrize("scale", [F(1, 10**6), F(1, 1000), 1, 10**6, F(1, 10**300)])
def test_scaling_does_not_depend_on_the_unit_of_the_objective(scale):
    costs = [scale * c for c in (F(3, 7), 2, F(5, 3))]
    scaling = Scaling.of(LinearModel.build(costs))
    assert scaling.costs.tolist() == [9, 42, 35]
    assert scaling.slack(costs[0]) == 0


def test_large_integers_are_halved_exactly_and_keep_their_grid():
    costs = [2**39 + 1, 2]
    scaling = Scaling.of(LinearModel.build(costs))
    assert scaling.costs.max() <= 2**30 + 1
    assert [F(c) / scaling.factor for c in scaling.costs] == costs
    assert scaling.unit == F(1, 2**10)
    assert scaling.slack(1) == 0


def test_totals_beyond_two_to_the_53_take_a_power_of_two():
    costs = [F(1, 3), F(1, 10**20 + 39), 5]
    scaling = Scaling.of(LinearModel.build(costs))
    assert scaling.costs.max() <= 2**30  # the largest comes first: slack says what is lost
    assert scaling.factor == F(2) ** 27
    assert scaling.slack(5) >= TOLERANCE / scaling.factor
    fine = Scaling.of(LinearModel.build([F(1, 10**9 + 7), F(1, 10**9 + 9), F(1, 998244353)]))
    assert fine.costs.min() >= 1


def test_coefficients_that_floats_cannot_hold_are_in_the_loss():
    costs = [F(1, 3), F(2, 10**20 + 39), F(1, 7**30)]
    scaling = Scaling.of(LinearModel.build(costs, upper=10**6))
    error = sum(abs(F(c) / scaling.factor - x) for c, x in zip(scaling.costs, costs, strict=True))
    assert 0 < error * 10**6 <= scaling.loss
    assert scaling.slack(1) > scaling.loss


def test_exponents_far_out_do_not_overflow():
    scaling = Scaling.of(LinearModel.build([F(1, 10**400), F(7, 3 * 10**400 + 1)]))
    assert np.isfinite(scaling.costs).all()
    assert scaling.costs.min() >= 1


def test_bounds_are_rounded_to_the_grid_the_safe_way():
    low = Scaling.of(LinearModel.build([1, 1]))
    assert low.bound(2.0 + 5e-7) == 2  # within the tolerance of 2: not 3
    assert low.bound(2.1) == 3
    high = Scaling.of(LinearModel.build([1, 1], maximize=True))
    assert high.bound(-2.9) == 2
    assert high.bound(-3.0 + 5e-7) == 3
    half = Scaling.of(LinearModel.build([F(1, 2), F(1, 2)]))
    assert half.bound(2.1) == F(3, 2)
    assert low.bound(float("inf")) is None
    assert low.bound(float("nan")) is None
    assert low.bound(None) is None


def test_without_a_grid_the_slack_follows_the_value():
    scaling = Scaling.of(LinearModel.build([1, 1], integer=False))
    assert scaling.slack(0) == F(1, 10**6)
    assert scaling.slack(10**6) == F(1, 1000)
    grid = Scaling.of(LinearModel.build([1, 1], integer=False, grid=2))
    assert grid.slack(10**6) == 0
    assert grid.snap(F(3, 2) + F(1, 10**8)) == F(3, 2)
    assert grid.snap(F(8, 5)) == F(8, 5)


def test_close_allows_a_millionth_in_the_given_scale():
    scaling = Scaling.of(LinearModel.build([F(1, 1000), F(1, 1000)]))
    assert scaling.close(1.0 + 1e-7, F(1, 1000))
    assert not scaling.close(1.00001, F(1, 1000))
    assert not scaling.close(float("inf"), F(1, 1000))


def test_integers_or_refusal_that_names_the_scale():
    scaling = Scaling.integers(LinearModel.build([F(1, 2), F(1, 3)]), "cp-sat")
    assert scaling.costs.dtype == np.int64
    assert scaling.costs.tolist() == [3, 2]
    with pytest.raises(BackendRefusal, match=r"times 1000000000000000000000 .*62 bits"):
        Scaling.integers(LinearModel.build([F(1, 10**21), 1]), "cp-sat")


def test_no_costs_at_all():
    scaling = Scaling.of(LinearModel.build([0, 0]))
    assert (scaling.factor, scaling.unit, scaling.bound(0.0)) == (1, 1, 0)
