import math
import sys

import cvxpy as cp
import numpy as np
import pytest

from fairopt.errors import UsageError
from fairopt.run import Run
from fairopt_solvers.backends import solve_cone


def nash():
    """Two agents share one unit of a good; agent 0 is twice as quick to be pleased."""
    x = cp.Variable(2, nonneg=True)
    return x, cp.Problem(cp.Maximize(cp.log(2 * x[0]) + cp.log(x[1])), [cp.sum(x) <= 1])


@pytest.mark.parametrize("solver", ["CLARABEL", "SCS"])
def test_nash_welfare_has_its_known_value_and_a_bound_of_the_right_sign(solver):
    x, problem = nash()
    options = {"eps": 1e-9} if solver == "SCS" else {}
    result = solve_cone(problem, Run(), solver, **options)
    assert result.status == "optimal"
    assert abs(result.value - math.log(0.5)) < 1e-5
    assert np.allclose(x.value, 0.5, atol=1e-4)
    # Maximising: the bound is not negated and lies, up to the slack, above the value.
    assert result.bound + result.slack >= math.log(0.5) - 1e-9
    assert result.backend.startswith(solver.lower())


def test_a_semidefinite_bound():
    m = np.array([[2.0, 1.0], [1.0, 3.0]])
    t = cp.Variable()
    result = solve_cone(cp.Problem(cp.Maximize(t), [m - t * np.eye(2) >> 0]), Run())
    assert abs(result.value - np.linalg.eigvalsh(m)[0]) < 1e-5


def test_infeasible_and_unbounded():
    x = cp.Variable()
    assert solve_cone(cp.Problem(cp.Minimize(x), [x >= 1, x <= 0]), Run()).status == "infeasible"
    assert solve_cone(cp.Problem(cp.Minimize(x), [x <= 0]), Run()).status == "unbounded"


def test_infeasible_without_a_certificate_stays_unknown(monkeypatch):
    x = cp.Variable()
    problem = cp.Problem(cp.Minimize(x), [x <= 0])
    fake(monkeypatch, problem, "infeasible", None)
    result = solve_cone(problem, Run(), "HIGHS")
    assert result.status == "unknown"
    assert "or unbounded" in result.notes[0].text


def fake(monkeypatch, problem, status, values, claimed=0.0):
    def solve(self, **options):
        for variable in self.variables():
            variable.save_value(values)  # as a solver does: unchecked
        self._status, self._value = status, claimed

    monkeypatch.setattr(type(problem), "solve", solve)


@pytest.mark.parametrize("status", ["user_limit", "optimal_inaccurate"])
def test_a_limit_or_inaccuracy_is_feasible_only_after_the_check(monkeypatch, status):
    problem = nash()[1]
    fake(monkeypatch, problem, status, np.array([0.5, 0.4]))
    result = solve_cone(problem, Run())
    assert result.status == "feasible"
    assert abs(result.value - math.log(0.4)) < 1e-12  # not what the solver claims
    assert result.bound is None
    assert result.stopped == (status == "user_limit")
    for bad in (np.array([0.9, 0.4]), np.array([np.nan, 0.4]), np.array([-0.5, -0.5])):
        fake(monkeypatch, problem, status, bad)
        assert solve_cone(problem, Run()).status == "unknown"


def test_a_limit_without_a_point_has_no_value(monkeypatch):
    problem = nash()[1]
    fake(monkeypatch, problem, "user_limit", None, claimed=0.0)
    run = Run(time_limit=5.0, clock=lambda: 0.0)
    result = solve_cone(problem, run)
    assert (result.status, result.value, result.stopped) == ("unknown", None, True)
    assert run.stopped_by == "time-limit"


def test_an_optimum_that_its_point_contradicts_is_refuted(monkeypatch):
    problem = nash()[1]
    fake(monkeypatch, problem, "optimal", np.array([0.5, 0.4]), claimed=-0.1)
    result = solve_cone(problem, Run())
    assert (result.status, result.bound) == ("feasible", None)
    assert result.notes[0].code == "claim-refuted"
    fake(monkeypatch, problem, "optimal", np.array([2.0, 2.0]))
    result = solve_cone(problem, Run())
    assert (result.status, result.notes[0].code) == ("unknown", "claim-refuted")


def test_a_solver_error_is_words_not_an_exception(monkeypatch):
    problem = nash()[1]

    def solve(self, **options):
        raise cp.error.SolverError("gave up")

    monkeypatch.setattr(type(problem), "solve", solve)
    result = solve_cone(problem, Run())
    assert result.status == "unknown"
    assert "gave up" in result.notes[0].text


def test_the_solver_is_named_and_gets_the_time_limit(monkeypatch):
    problem = nash()[1]
    seen = {}
    monkeypatch.setattr(type(problem), "solve", lambda self, **options: seen.update(options))
    solve_cone(problem, Run(time_limit=9.0, clock=lambda: 0.0))
    assert seen == {"solver": "CLARABEL", "time_limit": 9.0}
    with pytest.raises(UsageError, match="no solver"):
        solve_cone(problem, Run(), "NOBODY")


def test_an_expired_run_returns_at_once():
    run = Run()
    run.interrupt()
    assert solve_cone(nash()[1], run).stopped


def test_highs_under_cvxpy_prints_nothing_on_stdout(capfd):
    x = cp.Variable()
    result = solve_cone(cp.Problem(cp.Minimize(x), [x >= 1]), Run(), "HIGHS")
    assert result.status == "optimal"
    assert capfd.readouterr().out == ""
    assert sys.stdout is not None
