"""What is promised of the methods of multi-class selection, on random instances."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt import registry
from fairopt.errors import InstanceError, UsageError
from fairopt.problems.online_selection.check_multiclass import rounding_law
from fairopt.problems.online_selection.multiclass import OnlineMulticlass
from fairopt.problems.online_selection.ratio_multiclass import competitive_ratio
from fairopt.rational import Exact
from fairopt.testing import check_method
from fairopt_solvers.online_selection.multiclass_curve import lambert, set_aside_curve
from online_selection import multiclass_brute as brute

seeds = st.integers(0, 2**32 - 1)
ONLINE = [m for m in registry.methods("online-multiclass") if m.session]


def instance(seed, **more):
    return brute.random_instance(np.random.default_rng(seed), **more)


@given(seeds)
def test_set_aside_keeps_quotas_and_its_ratio_at_every_time(seed):
    brute.check_set_aside(instance(seed))


@given(seeds)
def test_proportional_keeps_its_bound(seed):
    brute.check_proportional(instance(seed))


def test_the_bound_on_pf_counts_the_classes_that_come():
    """The form (2 - 1/K)(1 + ln theta) holds only if all K classes come: here PF is 2."""
    problem = OnlineMulticlass([1, 1], [[0], [0]], capacity=2, value_range=(1, 1), quotas=[0, 0])
    solution = fairopt.solve(problem, "proportional")
    assert solution.figures["pf"] == 2
    assert [(c.name, c.value) for c in solution.claims] == [("pf_guarantee", 2)]


@given(seeds)
def test_predictions_help_or_cost_as_proven(seed):
    brute.check_predicted(instance(seed))


@given(seeds)
def test_offline_is_best(seed):
    problem = instance(seed, agents=9)
    solution = fairopt.solve(problem, "offline")
    assert solution.status == "optimal"
    assert solution.bound.proof != "solver"
    whole = float(brute.best_selection(problem))
    if np.diff(problem.class_ptr).max(initial=0) <= 1:
        assert solution.value == whole
    else:
        assert solution.value >= whole
    free = float(brute.best_selection(problem, quotas=False))
    assert solution.figures["optimum_free"] == free
    assert solution.figures["optimum_prefix"] <= solution.value <= free


@pytest.mark.parametrize("backend", ["greedy", "highs", "cp-sat", "cbc"])
def test_backends_agree(backend):
    for seed in range(4):
        problem = fairopt.generate(
            "online-multiclass", "uniform", agents=25, capacity=8, classes=3, quota=2, seed=seed
        )
        solution = fairopt.solve(problem, "offline", backend=backend)
        assert solution.status == "optimal"
        assert solution.value == fairopt.solve(problem, "offline").value


def test_prices_hold_for_agents_left_out_of_the_program():
    for seed in range(6):
        problem = fairopt.generate(
            "online-multiclass", "overlapping", agents=120, capacity=9, classes=3, quota=3,
            chance=0.2, theta=3.0, seed=seed,
        )  # fmt: skip
        solution = fairopt.solve(problem, "offline")
        assert solution.status == "optimal"
        assert solution.bound.proof != "solver"
        assert fairopt.verify(problem, solution, confirm="cbc").ok


# -- rounding --------------------------------------------------------------------------------


@given(st.lists(st.fractions(0, 1, max_denominator=30), max_size=12))
def test_acceptance_probabilities_are_exact(x):
    exact = Exact.of(x)
    for rule in ("lossless", "systematic"):
        marginals, most = rounding_law(exact, rule)
        assert marginals == exact.num.tolist()
        assert most <= math.ceil(sum(x))


@given(seeds, st.sampled_from(["lossless", "systematic"]))
def test_a_draw_keeps_units_and_quotas(seed, rule):
    problem = instance(seed)
    for method in ("set-aside", "set-aside-predicted"):
        drawn = fairopt.solve(problem, method, draw=True, rounding=rule, seed=seed % 97)
        plain = fairopt.solve(problem, method, rounding=rule)
        answer = drawn.answer
        assert answer.fractional == plain.answer.fractional
        assert len(answer.accepted) <= problem.capacity
        x = [int(t in answer.accepted) for t in range(problem.n_agents)]
        assert brute.quota_shortfall(problem, x) <= 0
        assert drawn.figures["expected_value"] == plain.value
        assert drawn.figure("rounding_error") == 0
        assert drawn.figure("most_units") <= problem.capacity


def test_draws_come_as_often_as_they_should():
    problem = OnlineMulticlass(
        [1, 1, 2, 2, 4, 4, 4], [[0], [0], [0], [1], [0], [1], [0]],
        capacity=3, value_range=(1, 4), quotas=[1, 1],
    )  # fmt: skip
    runs = 400
    for rule in ("lossless", "systematic"):
        often = np.zeros(7)
        for seed in range(runs):
            session = fairopt.OnlineSession(problem, "set-aside", seed, draw=True, rounding=rule)
            session.start()
            often += [session.arrive(t) for t in range(7)]
        x = np.array([float(v) for v in fairopt.solve(problem, "set-aside").answer.fractional])
        assert (np.abs(often / runs - x) <= 4 * np.sqrt(x * (1 - x) / runs)).all()


def test_a_run_that_was_not_drawn_so_is_refuted():
    problem = instance(5)
    solution = fairopt.solve(problem, "set-aside", draw=True, seed=1)
    content = solution.to_json()
    split = [t for t, v in enumerate(solution.answer.fractional) if 0 < v < 1]
    assert split
    accepted = set(content["answer"]["accepted"]) ^ {split[0]}
    content["answer"]["accepted"] = sorted(accepted)
    report = fairopt.verify(problem, fairopt.load_solution(content))
    assert any("replay" in verdict for _, verdict in report.claims)


# -- sessions --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ONLINE, ids=lambda row: row.name)
@pytest.mark.parametrize("draw", [False, True])
def test_a_saved_session_goes_on_as_the_batch(row, draw):
    problem = instance(7)
    assert problem.n_agents > 5
    batch = fairopt.solve(problem, row.name, seed=4, draw=draw)
    session = fairopt.OnlineSession(problem, row.name, 4, draw=draw).start()
    for t in range(problem.n_agents):
        session.arrive(t)
        if t in (0, 4):
            session = fairopt.OnlineSession.from_json(problem, session.to_json())
    solution = session.finish()
    assert solution.answer == batch.answer
    assert solution.value == batch.value
    assert fairopt.verify(problem, solution).ok


def test_agents_arrive_as_listed():
    problem = instance(7)
    session = fairopt.OnlineSession(problem, "set-aside").start()
    with pytest.raises(UsageError, match="the next is 0"):
        session.arrive(1)
    with pytest.raises(UsageError, match="makes no decisions"):
        fairopt.solve(problem, "set-aside", rounding="none", draw=True)


# -- the ratio -------------------------------------------------------------------------------


@given(seeds)
def test_the_curve_and_the_court_have_the_same_ratio(seed):
    problem = instance(seed)
    ratio, curve = competitive_ratio(problem), set_aside_curve(problem)
    if math.isinf(ratio):
        assert math.isinf(curve.ratio)
        return
    assert curve.ratio == pytest.approx(ratio, rel=1e-13)
    if curve.free:
        top = math.log(problem.theta)
        assert curve.level(top) == pytest.approx(curve.free, rel=1e-12)


def test_lambert():
    for log in (-700.0, -30.0, -1.0, 0.0, 1.0, 30.0, 1e4):
        w = lambert(log)
        assert w + math.log(w) == pytest.approx(log, abs=1e-13 * max(1, abs(log)))


def test_a_figure_that_is_exact_is_not_rounded_up():
    problem = OnlineMulticlass([], [], capacity=3, value_range=(1, 1), quotas=[1, 1])
    assert competitive_ratio(problem) == 1.5
    third = OnlineMulticlass([], [], capacity=4, value_range=(1, 1), quotas=[1, 1])
    shown = competitive_ratio(third)
    assert Fraction(4, 3) <= Fraction(shown) <= Fraction(4, 3) * (1 + Fraction(1, 10**14))


def test_rising_values_attain_the_ratio():
    steps, theta = 4000, 4.0
    unit = 10**9
    values = [Fraction(round(unit * theta ** (k / (steps - 1))), unit) for k in range(steps)]
    values += [Fraction(4)] * 5
    problem = OnlineMulticlass(
        values, [[0]] * len(values), capacity=3, value_range=(1, 4), quotas=[1, 1]
    )
    reached = brute.check_set_aside(problem)
    assert 1 - 5e-4 < reached <= brute.SLACK


# -- the frame -------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ONLINE, ids=lambda row: row.name)
def test_runs_keep_the_contract(row):
    for rule, seed in (("lossless", 3), ("systematic", 7)):
        options = {"draw": True, "rounding": rule}
        check_method(
            "online-multiclass", row.name, [instance(seed, agents=10)], options=options, seed=2
        )


def test_a_method_that_ignores_quotas_says_so():
    problem = fairopt.generate("online-multiclass", "low-then-high", capacity=4, quota=2)
    late = problem.replace(quotas=[0, 4])
    solution = fairopt.solve(late, "fcfs")
    assert solution.ratio is None
    assert [n.code for n in solution.notes] == ["relaxes"]
    assert solution.figures["gfq_slack"][1] < 0
    assert not solution.figures["gfq_prefix"]


def test_without_a_prediction_set_aside_predicted_is_set_aside():
    problem = instance(7).replace(**{"predictions.threshold": None})
    solution = fairopt.solve(problem, "set-aside-predicted")
    assert [n.code for n in solution.notes] == ["defaults"]
    assert solution.answer == fairopt.solve(problem, "auto").answer


def test_claims_of_the_wrong_rule_are_refuted():
    problem = fairopt.load({
        "problem": "online-multiclass", "capacity": 2, "value_range": [1, 2], "quotas": [1],
        "agents": [{"value": 1, "classes": [0]}, {"value": 2, "classes": [0]}],
    })  # fmt: skip
    prices = {"rule": "quota-prices", "capacity_price": "1", "quota_prices": ["0"]}
    assert problem.recompute(prices) == 3
    for change in ({"capacity_price": "-1"}, {"quota_prices": []}, {"quota_prices": ["-1"]}):
        with pytest.raises(InstanceError, match="price"):
            problem.recompute({**prices, **change})
    with pytest.raises(InstanceError, match="no rule"):
        problem.recompute({"rule": "price-only"})


@pytest.mark.parametrize("name", ["uniform", "rising", "low-then-high", "overlapping"])
def test_generators(name):
    one = fairopt.generate("online-multiclass", name, seed=3)
    assert one.digest() == fairopt.generate("online-multiclass", name, seed=3).digest()
    assert fairopt.load(one.to_json()).digest() == one.digest()
    solution = fairopt.solve(one)
    assert solution.figures["gfq_prefix"]
    assert solution.figures["within_ratio"]
    with pytest.raises(UsageError, match="exceed the capacity"):
        fairopt.generate("online-multiclass", name, capacity=3, quota=2, classes=2)
