import signal
from fractions import Fraction

import numpy as np
import pytest

from backends.small_models import TickingClock, hard_model, hard_start, random_model
from fairopt.run import Run
from fairopt_solvers.backends import BackendRefusal, LinearModel, relax, rows, solve
from fairopt_solvers.backends import cpsat as adapter
from fairopt_solvers.backends.raw import Task
from fairopt_solvers.backends.scaling import Scaling


def ask(model, run, **changes):
    return adapter.run_cpsat(Task(model, Scaling.integers(model, "cp-sat"), **changes), run)


def test_after_unknown_no_objective_is_read():
    reply = ask(hard_model(), Run(time_limit=1e-9, clock=lambda: 0.0))
    assert (reply.status, reply.words, reply.stopped) == ("unknown", "UNKNOWN", True)
    assert reply.x is None
    assert reply.objective is None
    assert reply.bound is None or reply.bound <= 0  # a valid one: the optimum is not negative


def test_every_status_has_a_meaning():
    from ortools.sat.python import cp_model

    codes = {cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE, cp_model.UNKNOWN}
    assert set(adapter._STATUS) == codes | {cp_model.MODEL_INVALID}
    assert set(adapter._NAMES) == set(adapter._STATUS)


def test_an_invalid_model_is_a_failure_with_its_words(monkeypatch):
    from ortools.sat.python import cp_model

    class Fake:
        def solve_info(self):
            return "overflow"

    reply = adapter._read(Fake(), cp_model.MODEL_INVALID, Task(random_model(0), None), Run())
    assert (reply.status, reply.words) == ("failed", "MODEL_INVALID overflow")


def test_a_hint_is_given_and_taken():
    model = hard_model()
    start = hard_start(model)
    task = Task(model, Scaling.integers(model, "cp-sat"), start)
    hinted = adapter._build(task).proto.solution_hint
    assert list(hinted.values) == start.astype(int).tolist()
    seen = []
    run = Run()

    def stop(x):
        seen.append(model.value(x))
        run.interrupt()

    reply = ask(model, run, start=start, on_point=stop)
    assert reply.status == "feasible"
    assert seen[0] <= model.value(start)


def test_sigint_stays_with_the_caller():
    before = signal.getsignal(signal.SIGINT)
    result = solve(random_model(1), Run(), backend="cp-sat")
    assert result.status == "optimal"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_during_the_search_reaches_our_handler():
    run = Run()
    before = signal.signal(signal.SIGINT, lambda *_: run.interrupt())
    try:
        result = solve(
            hard_model(), run, backend="cp-sat", start=hard_start(hard_model()),
            on_point=lambda x: signal.raise_signal(signal.SIGINT),
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.status == "feasible"
    assert run.stopped_by == "interrupted"


@pytest.mark.parametrize("reads", [1, 3, 6])
def test_a_deadline_stops_the_search(reads):
    model = hard_model()
    run = Run(time_limit=1000.0, clock=TickingClock(reads))
    result = solve(model, run, backend="cp-sat", start=hard_start(model))
    assert (result.status, result.stopped, run.stopped_by) == ("feasible", True, "time-limit")
    assert not result.notes


def test_integers_or_refusal_with_the_reason():
    cases = [
        (LinearModel.build([1], integer=False), "column 0 is continuous"),
        (LinearModel.build([1], upper=np.inf), r"column 0 has bounds \[0.0, inf\]"),
        (LinearModel.build([Fraction(1, 10**21), 1]), "times 1000000000000000000000 is integral"),
        (LinearModel.build([1], rows([0], [0], [0.1], upper=[1])), r"row 0 times 2\^55"),
    ]
    for model, message in cases:
        with pytest.raises(BackendRefusal, match=message):
            solve(model, Run(), backend="cp-sat")


def test_binary_fractions_in_rows_are_scaled_exactly():
    model = LinearModel.build(
        [1, 1, 1], rows([0] * 3, range(3), [0.5, 0.25, 1.0], upper=[0.7]), maximize=True
    )
    assert solve(model, Run(), backend="cp-sat").value == 1


def test_one_worker_without_a_limit_is_deterministic():
    points = [solve(random_model(7), Run(seed=3), backend="cp-sat").x.tolist() for _ in range(2)]
    assert points[0] == points[1]


def test_no_costs_no_columns_no_rows_no_lp():
    assert solve(LinearModel.build([0, 0]), Run(), backend="cp-sat").bound == 0
    assert solve(LinearModel.build([]), Run(), backend="cp-sat").value == 0
    assert solve(LinearModel.build([1, -1]), Run(), backend="cp-sat").value == -1
    with pytest.raises(ValueError, match="no linear programs"):
        relax(LinearModel.build([1]), Run(), backend="cp-sat")


def test_nothing_on_stdout(capfd):
    solve(random_model(0), Run(), backend="cp-sat")
    assert capfd.readouterr() == ("", "")
