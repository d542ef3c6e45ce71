from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.small_models import random_model
from fairopt.errors import UsageError
from fairopt.rational import Exact
from fairopt_solvers.backends import LinearModel, rows
from fairopt_solvers.backends.model import exact_vector


def test_build_stacks_blocks_adds_repeats_and_drops_zeros():
    model = LinearModel.build(
        [1, 2, 3],
        rows([0, 0, 0], [2, 0, 2], [1, 5, 4], upper=7),
        rows([0, 1, 1], [1, 1, 1], [1, 2, -2], lower=[1, 0]),
    )
    assert model.indptr.tolist() == [0, 2, 3, 3]
    assert model.indices.tolist() == [0, 2, 1]
    assert model.coefs.tolist() == [5, 5, 1]
    assert model.row_upper.tolist() == [7, np.inf, np.inf]
    assert model.with_rows(rows([0], [0], upper=0)).n_rows == 4


def test_integer_bounds_are_tightened_and_arrays_read_only():
    model = LinearModel.build([1, 1], lower=-0.5, upper=[1.5, 1.5], integer=[True, False])
    assert model.lower.tolist() == [0, -0.5]
    assert model.upper.tolist() == [1, 1.5]
    with pytest.raises(ValueError, match="read-only"):
        model.lower[0] = 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rows([0], [0, 1]), "row has 1 entries"),
        (lambda: rows([3], [0], upper=[1, 1]), "row numbers"),
        (lambda: rows([0], [0.5]), "col must be integers"),
        (lambda: rows([0], [0], [2**60]), "beyond 2"),
        (lambda: LinearModel.build([1], rows([0], [1])), "column numbers"),
        (lambda: LinearModel.build([1], rows([0], [0], [np.inf])), "finite"),
        (lambda: LinearModel.build([1], lower=np.nan), "lower holds"),
        (lambda: LinearModel.build([1], upper=-np.inf), "upper holds"),
        (lambda: LinearModel.build(np.array([np.nan])), "finite"),
    ],
)
def test_bad_models_are_refused_with_the_reason(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_value_is_exact_also_beyond_the_floats():
    big = 10**30 + 1
    model = LinearModel.build([big, Fraction(1, 3), Fraction(1, 7)], upper=5)
    assert model.value(np.array([1.0, 2.0, 3.0])) == big + Fraction(2, 3) + Fraction(3, 7)
    assert LinearModel.build([1, 1]).value(np.array([0.1, 0.2])) == Fraction(0.1) + Fraction(0.2)
    assert LinearModel.build([]).value(np.zeros(0)) == 0


@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=5), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_value_equals_the_sum_of_fractions(x, seed):
    rng = np.random.default_rng(seed)
    costs = [Fraction(int(a), 7) for a in rng.integers(-99, 99, len(x))]
    model = LinearModel.build(costs, integer=False, lower=-np.inf, upper=np.inf)
    expected = sum((c * Fraction(v) for c, v in zip(costs, x, strict=True)), Fraction(0))
    assert model.value(np.array(x)) == expected


def test_float_objective_is_read_as_binary_fractions():
    assert exact_vector(np.array([0.1]))[0] == Fraction(0.1)
    assert exact_vector(np.array([3.0, 4.0])).den == 1
    kept = Exact.of([1])
    assert exact_vector(kept) is kept


def test_no_tolerance_decides_a_limit_in_integers():
    # One unit too many beside 10^15: relative 1e-15, far below every tolerance.
    heavy = 10**15
    model = LinearModel.build([1, 1], rows([0, 0], [0, 1], [heavy, 1], upper=[heavy]))
    assert not model.violations(np.array([1.0, 0.0]))
    assert model.violations(np.array([1.0, 1.0])).rows.tolist() == [0]


def test_sums_beyond_two_to_the_53_are_decided_in_python_integers():
    a = 2.0**52
    model = LinearModel.build([0] * 4, rows([0] * 4, range(4), [a, a, a, 1.0], upper=[3 * a]))
    assert not model.violations(np.array([1.0, 1, 1, 0]))
    assert model.violations(np.array([1.0, 1, 1, 1])).rows.tolist() == [0]


def test_small_binary_fractions_are_exact_and_rounded_decimals_are_forgiven():
    quarter = LinearModel.build([1, 1], rows([0, 0], [0, 1], [0.25, 0.5], upper=[0.7499999]))
    assert quarter.violations(np.ones(2))
    tenth = LinearModel.build([1, 1], rows([0, 0], [0, 1], [0.1, 0.2], upper=[0.3]))
    assert not tenth.violations(np.ones(2))  # 0.1 + 0.2 > 0.3 in floats


def test_continuous_columns_have_a_tolerance_integer_ones_none():
    model = LinearModel.build(
        [1, 1], rows([0, 1], [0, 1], upper=[1, 1]), upper=2, integer=[True, False]
    )
    assert not model.violations(np.array([1.0, 1 + 5e-7]))
    assert model.violations(np.array([1.0, 1 + 5e-6])).rows.tolist() == [1]
    assert model.violations(np.array([1 + 1e-9, 1.0])).columns.tolist() == [0]
    assert model.violations(np.array([np.nan, 1.0]))
    assert str(model.violations(np.array([2.0, 3.0]))) == "2 rows (0, 1) and 1 columns (1)"


def test_unit_divides_all_values():
    assert LinearModel.build([Fraction(1, 2), Fraction(1, 3)]).unit() == Fraction(1, 6)
    assert LinearModel.build([4, 6]).unit() == 2
    assert LinearModel.build([1, 1], integer=[True, False]).unit() is None
    assert LinearModel.build([1, 0], integer=[True, False]).unit() == 1
    assert LinearModel.build([1, 1], integer=[True, False], grid=4).unit() == Fraction(1, 4)
    assert LinearModel.build([0, 0]).unit() == 1


def test_relaxed_and_fixed():
    model = random_model(4)
    assert not model.relaxed().integer.any()
    mask = np.arange(model.n_columns) == 0
    assert model.fixed(mask, np.zeros(model.n_columns)).upper[0] == 0
