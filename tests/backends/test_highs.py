import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from backends.small_models import TickingClock, hard_model, hard_start, random_model
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, relax, rows, solve
from fairopt_solvers.backends import highs as adapter
from fairopt_solvers.backends.judge import farkas_gap
from fairopt_solvers.backends.raw import Task
from fairopt_solvers.backends.scaling import Scaling


class Spy:
    """Stands before ``Highs`` and remembers the options."""

    def __init__(self):
        self.options = {}

    def __call__(self):
        made = adapter.highspy.Highs()
        real = made.setOptionValue
        spy = self

        class Proxy:
            def __getattr__(self, name):
                return getattr(made, name)

            def setOptionValue(self, key, value):
                spy.options[key] = value
                status = real(key, value)
                assert status == adapter.highspy.HighsStatus.kOk, key
                return status

        return Proxy()


def knapsack(**changes):
    model = LinearModel.build(
        [3, 4, 5], rows([0, 0, 0], [0, 1, 2], [2, 3, 4], upper=[5]), maximize=True
    )
    return replace(model, **changes)


@pytest.mark.parametrize("limit", [None, 7.0])
def test_options_a_time_limit_always_both_gaps_zero_no_dependent_equations(monkeypatch, limit):
    spy = Spy()
    monkeypatch.setattr(adapter, "_Highs", spy)
    result = solve(knapsack(), Run(time_limit=limit, seed=2**40 + 5, clock=lambda: 0.0))
    assert result.value == 7
    assert spy.options["time_limit"] == (1e6 if limit is None else 7.0)
    assert spy.options["mip_rel_gap"] == spy.options["mip_abs_gap"] == 0
    assert spy.options["presolve_rule_off"] == 1024
    assert spy.options["random_seed"] == 5


def test_dependent_equations_are_not_searched_for():
    # The LP of an assignment has one; with a large limit the search took most of the time.
    agents, items = 5, 40
    i, j = np.divmod(np.arange(agents * items), items)
    column = np.arange(agents * items)
    model = LinearModel.build(
        np.random.default_rng(0).integers(1, 99, agents * items),
        rows(i, column, lower=np.full(agents, 8.0), upper=np.full(agents, 8.0)),
        rows(j, column, lower=np.ones(items), upper=np.ones(items)),
    )
    integral, fractional = solve(model, Run()), relax(model, Run())
    assert integral.status == fractional.status == "optimal"
    assert abs(float(fractional.value) - float(integral.value)) < 1e-6


def test_nothing_found_is_inf_there_and_none_here():
    task = Task(hard_model(), Scaling.of(hard_model()))
    reply = adapter.run_highs(task, Run(time_limit=1e-9, clock=lambda: 0.0))
    assert reply.stopped
    assert reply.objective is None or np.isfinite(reply.objective)
    result = solve(
        LinearModel.build([1], rows([0, 1], [0, 0], [2, 2], lower=[1, 1], upper=[1, 1])), Run()
    )
    assert (result.status, result.x, result.value, result.bound) == ("infeasible", None, None, None)


def test_an_lp_has_a_bound_although_its_mip_dual_bound_is_zero():
    model = LinearModel.build([2, 3], rows([0, 0], [0, 1], lower=[1]), integer=False)
    result = relax(model, Run())
    assert (result.value, result.bound) == (2, 2)


@pytest.mark.parametrize("scale", [Fraction(1, 1000), Fraction(1), Fraction(10**6)])
def test_one_model_at_three_scales_has_one_exact_value(scale):
    for seed in range(4):
        plain, scaled = random_model(seed), random_model(seed, scale=scale)
        a, b = solve(plain, Run()), solve(scaled, Run())
        assert a.status == b.status
        if a.value is not None:
            assert a.value * scale == b.value == b.bound
            assert b.slack == 0


def test_millionths_decide():
    # Two points differ by 3e-7: below what HiGHS itself distinguishes.
    tiny = [Fraction(10**6 + 3, 10**13), Fraction(10**6, 10**13)]
    model = LinearModel.build(tiny, rows([0, 0], [0, 1], upper=[1]), maximize=True)
    result = solve(model, Run())
    assert result.value == result.bound == tiny[0]
    floats = np.array([1e-6 + 3e-13, 1e-6])
    result = solve(LinearModel.build(floats, rows([0, 0], [0, 1], upper=[1]), maximize=True), Run())
    assert result.x.tolist() == [1, 0]


def test_another_number_of_threads_is_no_error():
    for threads in (1, 2, 1):
        result = solve(random_model(1), Run(threads=threads))
        assert result.status == "optimal"
        assert not result.notes


def test_the_scheduler_is_reset_after_an_error(monkeypatch):
    calls = []

    class Stubborn(Spy):
        def __call__(self):
            inner = super().__call__()

            class Proxy(type(inner)):
                def run(self):
                    calls.append("run")
                    return adapter.highspy.HighsStatus.kError if len(calls) == 1 else inner.run()

            return Proxy()

    monkeypatch.setattr(adapter, "_Highs", Stubborn())
    assert solve(knapsack(), Run()).value == 7
    assert calls == ["run", "run"]


@pytest.mark.parametrize("reads", [1, 2, 3, 5, 8])
def test_a_deadline_interrupts_and_the_start_comes_back(reads):
    model = hard_model()
    start = hard_start(model)
    run = Run(time_limit=1000.0, clock=TickingClock(reads))
    result = solve(model, run, start=start)
    assert result.status == "feasible"
    assert result.stopped
    assert result.value <= model.value(start)
    assert not model.violations(result.x)
    assert result.bound is None or result.bound <= result.value
    assert run.stopped_by == "time-limit"
    assert not result.notes


def test_an_interrupt_stops_it_too():
    run = Run()
    result = solve(hard_model(), run, on_point=lambda x: run.interrupt())
    assert result.status == "feasible"
    assert run.stopped_by == "interrupted"


def test_points_and_progress_arrive_on_the_way():
    seen, points = [], []
    run = Run(on_progress=seen.append)

    def stop(x):
        points.append(x)
        if len(points) == 2:
            run.interrupt()

    model = hard_model()
    result = solve(model, run, on_point=stop)
    values = [model.value(x) for x in points]
    assert values == sorted(values, reverse=True)
    assert result.value <= values[-1]
    assert any(p.bound is not None for p in seen)


def test_duals_and_reduced_costs_of_both_senses():
    for maximize in (False, True):
        side = {"upper": [5.0, 4.0]} if maximize else {"lower": [5.0, 4.0]}
        a = np.array([[1.0, 2.0, 1.0], [3.0, 1.0, 1.0]])
        r, c = np.nonzero(a)
        model = LinearModel.build(
            [Fraction(1, 3), Fraction(1, 2), 2], rows(r, c, a[r, c], **side),
            upper=np.inf, integer=False, maximize=maximize,
        )  # fmt: skip
        result = relax(model, Run())
        costs = model.objective.floats()
        assert np.allclose(a.T @ result.duals + result.reduced_costs, costs)
        assert np.all(result.duals >= -1e-9)  # maximising on upper, minimising on lower sides
        assert np.all(result.reduced_costs * (-1 if maximize else 1) >= -1e-9)
        assert abs(float(result.value) - result.duals @ [5.0, 4.0]) < 1e-9


def test_a_farkas_ray_proves_infeasibility_exactly():
    model = LinearModel.build(
        [1, 1, 0],
        rows([0, 0, 1, 1, 2], [0, 1, 1, 2, 0], [1, 1, 1, -1, 1], lower=[2, 0, -np.inf],
             upper=[np.inf, np.inf, 0.5]),
        integer=False,
    )  # fmt: skip
    result = relax(model, Run())
    assert result.status == "infeasible"
    assert farkas_gap(model, result.ray) > 0
    assert farkas_gap(model, -result.ray) <= 0


def test_unbounded_is_decided():
    for integer in (True, False):
        model = LinearModel.build(
            [1, 1], rows([0, 0], [0, 1], [1, -1], lower=[0]), upper=np.inf, maximize=True,
            integer=integer,
        )  # fmt: skip
        assert (solve if integer else relax)(model, Run()).status == "unbounded"
    both = LinearModel.build(
        [1, 0], rows([0, 0], [0, 1], [0, 2], lower=[1], upper=[1]), upper=[np.inf, 1],
        maximize=True,
    )  # fmt: skip
    assert solve(both, Run()).status == "infeasible"


def test_no_columns_no_rows():
    nothing = LinearModel.build([])
    assert solve(nothing, Run()).status == relax(nothing, Run()).status == "optimal"
    contradiction = LinearModel.build([], rows([], [], lower=[1], upper=[2]))
    assert solve(contradiction, Run()).status == "infeasible"
    free = LinearModel.build([1, -1])
    assert solve(free, Run()).x.tolist() == [0, 1]
    assert relax(free, Run()).value == -1


_SCRIPT = """
import os, sys
{close}
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, relax, solve, rows
model = LinearModel.build([1, 2], rows([0, 0], [0, 1], lower=[1]))
for _ in range(2):
    assert solve(model, Run()).value == 1
assert relax(model, Run()).value == 1
if "{close}":
    os.write(2, b"done")
else:
    print("done")
"""


@pytest.mark.parametrize("close", ["", "os.close(1)"])
def test_nothing_on_stdout_also_when_it_is_closed(close):
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(close=close)],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (("", "done") if close else ("done\n", ""))


def test_nothing_on_stdout_here(capfd):
    solve(random_model(0), Run())
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("spare", [-10_000, -60, 1000])
def test_an_lp_that_hits_its_iteration_limit_is_solved_another_way(monkeypatch, spare):

    monkeypatch.setattr(adapter, "_SPARE_ITERATIONS", spare)
    rng = np.random.default_rng(4)
    col = np.concatenate([rng.choice(60, 4, replace=False) for _ in range(25)])
    block = rows(np.repeat(np.arange(25), 4), col, 1, upper=np.full(25, 2.0))
    model = LinearModel.build(rng.integers(1, 9, 60), block, maximize=True)
    result = relax(model, Run())
    monkeypatch.undo()
    assert result.status == "optimal"
    assert result.duals is not None
    assert abs(result.value - relax(model, Run()).value) < 1e-6
