import os
import subprocess
from fractions import Fraction

import numpy as np
import pytest

from backends.small_models import TickingClock, hard_model, hard_start, random_model
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, relax, rows, solve
from fairopt_solvers.backends import cbc as adapter
from fairopt_solvers.backends.raw import Task
from fairopt_solvers.backends.scaling import Scaling

pytestmark = pytest.mark.skipif(not adapter.executable(), reason="PuLP has no CBC here")


@pytest.mark.parametrize(
    ("first", "status", "has_point", "has_bound"),
    [
        ("Optimal - objective value 5.00000000", "optimal", True, True),
        ("Optimal (within gap tolerance) - objective value 5.0", "optimal", True, True),
        ("Stopped on time - objective value 5.00000000", "feasible", True, False),
        ("Stopped on time (no integer solution - continuous used) - objective value 4.3",
         "unknown", False, False),
        ("Stopped on iterations - objective value 1e+50", "unknown", False, False),
        ("Infeasible - objective value 0.00000000", "infeasible", False, False),
        ("Integer infeasible - objective value 0.0", "infeasible", False, False),
        ("Unbounded - objective value 0.0", "unbounded", False, False),
        ("Segmentation what", "failed", False, False),
    ],
)  # fmt: skip
def test_the_first_line_alone_says_what_the_numbers_are(first, status, has_point, has_bound):
    text = f"{first}\n      0 C0        1          3\n**    1 C1        2          0\n"
    reply = adapter.read_solution(text, LinearModel.build([3, 1], upper=2))
    assert reply.status == status
    assert (reply.x is not None, reply.bound is not None) == (has_point, has_bound)
    if has_point:
        assert reply.x.tolist() == [1, 2]


def test_a_process_that_overruns_its_limit_is_killed_with_its_children(monkeypatch):
    started, groups = [], []
    real, kill = subprocess.Popen, os.killpg

    def sleeper(command, **options):
        process = real(["sh", "-c", "sleep 1000 & sleep 1000"], **options)
        started.append(process)
        return process

    monkeypatch.setattr(adapter.subprocess, "Popen", sleeper)
    monkeypatch.setattr(adapter, "GRACE", 0.0)
    monkeypatch.setattr(adapter.os, "killpg", lambda g, s: (groups.append(g), kill(g, s)))
    model = hard_model()
    run = Run(time_limit=100.0, clock=TickingClock(6))
    result = solve(model, run, backend="cbc", start=hard_start(model))
    assert (result.status, result.stopped, run.stopped_by) == ("feasible", True, "time-limit")
    assert result.bound is None
    assert started[0].returncode == -9
    assert groups == [started[0].pid]


def test_stopped_by_its_own_limit_claims_no_optimum():
    model = hard_model()
    task = Task(model, Scaling.of(model))
    reply = adapter.run_cbc(task, Run(time_limit=0.05, clock=lambda: 0.0))
    assert reply.status in ("feasible", "unknown")
    assert reply.stopped
    assert reply.bound is None


def test_probing_that_takes_the_worst_point_is_off():
    model = LinearModel.build([-6, 25], rows([0, 0], [0, 1], [2, -2], lower=[0], upper=[1]))
    result = solve(model, Run(), backend="cbc")
    assert (result.status, result.value) == ("optimal", 0)
    model = LinearModel.build(
        [1, -15, 1], rows([0, 0], [1, 2], [-3, 2], lower=[-1], upper=[1]), maximize=True
    )
    assert solve(model, Run(), backend="cbc").value == 1


def test_a_crash_on_a_model_without_integer_points_is_decided_all_the_same():
    for seed in (1127, 1142, 1232, 1307):
        model = random_model(seed)
        assert solve(model, Run(), backend="cbc").status == "infeasible"
    asked = []

    def crash(command, folder, run):
        asked.append("off" in command[command.index("-probing") + 2 :])
        return False, -11

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adapter, "_run", crash)
        reply = adapter.run_cbc(Task(model, Scaling.of(model)), Run())
    assert (reply.status, asked) == ("failed", [True, False])
    assert "code -11" in reply.words


def test_every_kind_of_row_and_bound_survives_the_file():
    model = LinearModel.build(
        [1, Fraction(-1, 3), 2, Fraction(1, 7), 0],
        rows([0, 0, 1, 1, 2, 2, 3, 3, 4], [0, 1, 1, 2, 2, 3, 3, 0, 4], [1, 1, 2, -1, 1, 1, 1, 1, 1],
             lower=[1, -np.inf, -3, 2, -np.inf], upper=[1, 5, 4, np.inf, np.inf]),
        lower=[-np.inf, -2, -np.inf, -7, 3], upper=[4, np.inf, np.inf, -1, 3],
        integer=[True, False, True, True, False], maximize=False,
    )  # fmt: skip
    a, b = (solve(model, Run(), backend=name) for name in ("highs", "cbc"))
    assert a.status == b.status == "optimal"
    assert abs(a.value - b.value) <= a.slack
    assert "cbc (pulp 3" in b.backend


def test_continuous_columns_come_with_all_digits():
    model = LinearModel.build(
        [1, 1], rows([0, 0], [0, 1], [3, 1], lower=[Fraction(10)]), upper=[np.inf, 2],
        integer=[False, True],
    )  # fmt: skip
    result = solve(model, Run(), backend="cbc")
    assert result.status == "optimal"
    assert abs(float(result.value) - 10 / 3) < 1e-12


def test_no_columns_no_rows_lp():
    assert solve(LinearModel.build([]), Run(), backend="cbc").value == 0
    assert solve(LinearModel.build([1, -1]), Run(), backend="cbc").value == -1
    assert solve(LinearModel.build([0, 0]), Run(), backend="cbc").bound == 0
    lp = relax(LinearModel.build([1, -1]), Run(), backend="cbc")
    assert (lp.value, lp.duals) == (-1, None)


def test_nothing_on_stdout(capfd):
    solve(random_model(0), Run(), backend="cbc")
    assert capfd.readouterr() == ("", "")
