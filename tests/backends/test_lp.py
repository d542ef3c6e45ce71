import numpy as np
import pytest

from backends.small_models import random_model
from fairopt.errors import UsageError
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, relax, rows, solve
from fairopt_solvers.backends import lp as adapter
from fairopt_solvers.backends.raw import Task
from fairopt_solvers.backends.scaling import Scaling

BOTH = pytest.mark.parametrize("backend", ["glop", "pdlp"])


@BOTH
@pytest.mark.parametrize("seed", range(12))
def test_the_relaxation_has_the_value_that_highs_finds(backend, seed):
    model = random_model(seed)
    a, b = relax(model, Run()), relax(model, Run(), backend=backend)
    assert a.status == b.status
    if a.status == "optimal":
        assert abs(a.value - b.value) <= a.slack + b.slack
        assert b.backend.startswith(backend)


@BOTH
def test_unbounded_is_never_called_infeasible(backend):
    model = LinearModel.build(
        [-1, -1], rows([0, 0], [0, 1], [1, -1], lower=[0]), upper=np.inf, integer=False
    )
    raw = adapter._solve(backend, Task(model, None), Run(), np.array([-1.0, -1.0]))
    assert raw.status in ("infeasible", "failed", "unbounded")  # what it says by itself
    assert relax(model, Run(), backend=backend).status == "unbounded"


@BOTH
def test_infeasible(backend):
    model = LinearModel.build([1, 1], rows([0, 0], [0, 1], lower=[3]))
    assert relax(model, Run(), backend=backend).status == "infeasible"


def test_glop_duals_mean_what_ours_mean():
    model = random_model(2)
    a, b = relax(model, Run()), relax(model, Run(), backend="glop")
    dense = np.zeros((model.n_rows, model.n_columns))
    dense[model.row_of(), model.indices] = model.coefs
    costs = model.objective.floats()
    assert a.status == b.status == "optimal"
    for result in (a, b):
        assert np.allclose(dense.T @ result.duals + result.reduced_costs, costs)


def test_pdlp_is_accurate_to_a_millionth_and_says_so():
    result = relax(random_model(1), Run(), backend="pdlp")
    assert result.status == "optimal"
    assert float(result.slack) >= 0.99e-6 * abs(float(result.value))
    assert not random_model(1).relaxed().violations(result.x)


def test_an_inaccurate_point_is_refuted_and_highs_answers(monkeypatch):
    def sloppy(task, run):
        real = adapter.run_pdlp(task, run)
        return type(real)("optimal", "OPTIMAL", real.x - 0.5, real.objective, real.objective)

    from fairopt_solvers.backends import dispatch

    entry = dispatch.BACKENDS["pdlp"]
    monkeypatch.setitem(
        dispatch.BACKENDS, "pdlp", dispatch.Backend("pdlp", sloppy, entry.package, lp=True)
    )
    model = LinearModel.build([2, 3], rows([0, 0], [0, 1], [2, 3], lower=[3]))
    result = relax(model, Run(), backend="pdlp")
    assert result.status == "optimal"
    assert result.backend.startswith("highs")
    assert [n.code for n in result.notes] == ["fallback"]


@BOTH
def test_errors_come_back_as_words(backend):
    model = random_model(1)
    raw = adapter._solve(backend, Task(model, None), Run(), np.zeros(model.n_columns), "rubbish")
    assert raw.status == "failed"
    assert "INVALID_SOLVER_PARAMETERS" in raw.words


@BOTH
def test_time_is_up(backend):
    run = Run(time_limit=1.0, clock=lambda: 0.0)
    run.interrupt()
    result = relax(random_model(1), run, backend=backend)
    assert (result.status, result.stopped) == ("unknown", True)


@BOTH
def test_no_columns_no_rows_no_integers(backend):
    assert relax(LinearModel.build([]), Run(), backend=backend).value == 0
    assert abs(relax(LinearModel.build([1, -1]), Run(), backend=backend).value + 1) < 1e-5
    with pytest.raises(UsageError, match="use relax"):
        solve(LinearModel.build([1]), Run(), backend=backend)


def test_scaled_costs_reach_the_solver():
    model = LinearModel.build([1, 1])
    assert adapter.run_glop(Task(model, Scaling.of(model), lp=True), Run()).objective == 0


@BOTH
def test_nothing_on_stdout(backend, capfd):
    relax(random_model(0), Run(), backend=backend)
    assert capfd.readouterr().out == ""
