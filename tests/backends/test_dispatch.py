import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.small_models import TickingClock, brute_force, hard_model, hard_start, random_model
from fairopt.errors import MethodError, UsageError
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, dispatch, relax, rows, solve, version
from fairopt_solvers.backends.judge import cover_cuts
from fairopt_solvers.backends.raw import Reply

NAMES = ("highs", "cp-sat", "cbc")


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_all_backends_equal_brute_force(seed):
    model = random_model(seed)
    best = brute_force(model)
    for name in NAMES:
        result = solve(model, Run(), backend=name)
        if best is None:
            assert (result.status, result.x) == ("infeasible", None), name
        else:
            assert (result.status, result.value, result.bound) == ("optimal", best, best), name
            assert result.slack == 0
            assert model.value(result.x) == best
            assert not model.violations(result.x)
        assert not result.notes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [Fraction(1, 1000), Fraction(10**6), Fraction(3, 7 * 10**6)])
def test_scales_change_nothing_in_any_backend(name, scale):
    for seed in range(3):
        best = brute_force(random_model(seed))
        value = solve(random_model(seed, scale=scale), Run(), backend=name).value
        assert value == (None if best is None else best * scale)


# -- a backend that lies -------------------------------------------------------------------


def install(monkeypatch, *replies, name="liar", **flags):
    """Put a backend in place that answers these replies, the last one again and again."""
    tasks = []

    def function(task, run):
        tasks.append(task)
        reply = replies[min(len(tasks), len(replies)) - 1]
        return reply(task, run) if callable(reply) else reply

    entry = dispatch.Backend(name, function, "", mip=True, lp=True, **flags)
    monkeypatch.setitem(dispatch.BACKENDS, name, entry)
    return tasks


KNAPSACK = LinearModel.build(
    [3, 4, 5], rows([0, 0, 0], [0, 1, 2], [2, 3, 4], upper=[5]), maximize=True
)
TWO = np.array([1.0, 1.0, 0.0])  # value 7, the optimum
ONE = np.array([0.0, 0.0, 1.0])  # value 5
ALL = np.ones(3)


def claim(x, objective, status="optimal", bound=None):
    bound = objective if bound is None else bound
    return Reply(status, f"{status.upper()} {objective}", x, objective, bound)


@pytest.mark.parametrize(
    "lie",
    [
        claim(TWO, -8.0),  # another objective than its point has
        claim(ONE, -5.0),  # the start is better
        claim(None, -7.0),  # no point
        claim(TWO, -7.0, bound=-9.0),  # optimal, but the bound is elsewhere
        claim(np.array([np.nan] * 3), -7.0),
        claim(np.ones(2), -7.0),
        Reply("infeasible", "INFEASIBLE"),
        Reply("failed", "SEGFAULT"),
        claim(TWO, -7.0, "feasible", bound=-6.0),  # a bound below its own value
    ],
)
def test_a_lie_is_asked_again_and_another_backend_named(monkeypatch, lie):
    tasks = install(monkeypatch, lie)
    result = solve(KNAPSACK, Run(), backend="liar", start=TWO)
    assert (result.status, result.value, result.bound) == ("optimal", 7, 7)
    assert result.backend == version("highs")
    assert [n.code for n in result.notes] == ["fallback"]
    assert lie.words in result.notes[0].text
    assert [t.strict for t in tasks] == [False, True]


def test_a_lie_without_fallbacks_is_dropped_and_the_best_point_returned(monkeypatch):
    install(monkeypatch, claim(ONE, -8.0))
    result = solve(KNAPSACK, Run(), backend="liar", fallbacks=False)
    assert (result.status, result.value, result.bound) == ("feasible", 5, None)
    assert result.notes[0].code == "claim-refuted"
    assert "liar" in result.notes[0].text
    assert "OPTIMAL -8.0" in result.notes[0].text


def test_still_refuted_after_all_backends(monkeypatch):
    for name in ("highs", "cp-sat", "cbc"):
        install(monkeypatch, claim(ALL, -12.0), name=name)
    result = solve(KNAPSACK, Run(), start=ONE)
    assert (result.status, result.value, result.bound) == ("feasible", 5, None)
    assert {n.code for n in result.notes} == {"claim-refuted"}
    with pytest.raises(MethodError, match="OPTIMAL -12"):
        solve(KNAPSACK, Run())


def test_without_presolve_it_may_be_right(monkeypatch):
    install(monkeypatch, claim(TWO, -8.0), claim(TWO, -7.0))
    result = solve(KNAPSACK, Run(), backend="liar")
    assert (result.status, result.backend) == ("optimal", "liar ?")
    assert [n.code for n in result.notes] == ["fallback"]


def test_a_limit_on_binary_columns_is_cut_exactly(monkeypatch):
    tasks = install(monkeypatch, claim(ALL, -12.0), claim(TWO, -7.0))
    result = solve(KNAPSACK, Run(), backend="liar")
    assert (result.value, result.bound) == (7, 7)
    extra = tasks[1].model
    assert extra.n_rows == 2
    assert (extra.coefs[3:].tolist(), extra.row_upper[1]) == ([1, 1, 1], 2)
    assert not tasks[1].strict


@pytest.mark.parametrize("seed", range(10))
def test_cover_cuts_cut_the_point_and_nothing_feasible(seed):
    model = random_model(seed, "free-sign")
    n = model.n_columns
    points = [np.array([(k >> j) & 1 for j in range(n)], float) for k in range(2**n)]
    for x in points:
        broken = model.violations(x)
        if broken:
            cut = LinearModel.build([0] * n, cover_cuts(model, x, broken))
            assert cut.violations(x)
            assert not any(cut.violations(y) for y in points if not model.violations(y))


def test_no_cuts_where_a_column_is_not_binary():
    model = LinearModel.build([1, 1], rows([0, 0], [0, 1], upper=[1]), upper=[1, 3])
    x = np.array([1.0, 1.0])
    assert cover_cuts(model, x, model.violations(x)) is None


def test_a_relaxation_tolerance_decides_no_limit():
    # Sums that differ from the limit by one part in 10^9: below the row tolerance of a solver.
    a = [10**9 // 2 + 1, 10**9 // 2, 10**9 // 3]
    model = LinearModel.build([1, 1, 1], rows([0] * 3, range(3), a, upper=[10**9]), maximize=True)
    for name in NAMES:
        result = solve(model, Run(), backend=name)
        assert (result.status, result.value) == ("optimal", 2), name
        assert not model.violations(result.x)


# -- limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_expired_run_asks_nobody(monkeypatch, name):
    install(monkeypatch, lambda task, run: pytest.fail("asked"), name=name)
    run = Run(time_limit=1.0, clock=TickingClock(1))
    assert solve(KNAPSACK, run, backend=name).status == "unknown"
    result = solve(KNAPSACK, run, backend=name, start=ONE)
    assert (result.status, result.value, result.stopped) == ("feasible", 5, True)
    bad = solve(KNAPSACK, run, backend=name, start=ALL)
    assert (bad.status, bad.x) == ("unknown", None)


def test_a_limit_of_the_backend_is_recorded(monkeypatch):
    install(monkeypatch, Reply("unknown", "TIME", bound=-9.0, stopped=True))
    run = Run(time_limit=100.0, clock=lambda: 0.0)
    result = solve(KNAPSACK, run, backend="liar", start=ONE)
    assert (result.status, result.value, result.bound) == ("feasible", 5, 9)
    assert (result.stopped, run.stopped_by) == (True, "time-limit")
    assert not result.notes


def test_no_further_backend_is_asked_when_the_time_is_up(monkeypatch):
    run = Run()

    def late(task, run):
        run.interrupt()
        return claim(TWO, -8.0)

    tasks = install(monkeypatch, late)
    result = solve(KNAPSACK, run, backend="liar")
    assert len(tasks) == 1
    assert (result.status, result.value) == ("feasible", 7)
    assert result.notes[0].code == "claim-refuted"


@pytest.mark.parametrize("name", NAMES)
def test_the_result_is_never_worse_than_the_start(name):
    model = hard_model()
    start = hard_start(model)
    run = Run(time_limit=1000.0, clock=TickingClock(4))
    result = solve(model, run, backend=name, start=start)
    assert result.status == "feasible"
    assert result.value <= model.value(start)


# -- the rest -------------------------------------------------------------------------------


def test_continuous_columns_follow_the_rounded_integers():
    # Makespan: rounding 0.9999999 to 1 must lift the continuous column, so it is solved again.
    model = LinearModel.build(
        [0, 1], rows([0, 0, 1], [0, 1, 0], [-(10**6), 1, 1], lower=[0, 1]), upper=[1, np.inf],
        integer=[True, False], grid=1,
    )  # fmt: skip
    for name in ("highs", "cbc"):
        result = solve(model, Run(), backend=name)
        assert (result.status, result.value, result.bound, result.slack) == (
            "optimal", 10**6, 10**6, 0,
        )  # fmt: skip


def test_a_point_a_hair_off_is_polished(monkeypatch):
    model = LinearModel.build(
        [0, 1], rows([0, 0, 1], [0, 1, 0], [-1000, 1, 1], lower=[0, 1]), upper=[1, np.inf],
        integer=[True, False], grid=1,
    )  # fmt: skip
    install(monkeypatch, claim(np.array([0.999999, 999.999]), 1000.0))
    result = solve(model, Run(), backend="liar")
    assert (result.status, result.value, result.x.tolist()) == ("optimal", 1000, [1, 1000])
    assert result.backend == "liar ?"


def test_bounds_that_exclude_each_other_need_no_backend(monkeypatch):
    install(monkeypatch, lambda task, run: pytest.fail("asked"))
    for model in (
        LinearModel.build([1], lower=0.2, upper=0.8),
        LinearModel.build([1], rows([0], [0], lower=[2], upper=[1])),
    ):
        result = solve(model, Run(), backend="liar")
        assert (result.status, result.notes[0].code) == ("infeasible", "bounds")


def test_names():
    assert version("highs").split()[0] == "highs"
    assert version("cp-sat").split()[0] == "cp-sat"
    with pytest.raises(UsageError, match="choose from highs, cp-sat"):
        solve(KNAPSACK, Run(), backend="nobody")
    with pytest.raises(UsageError, match="no backend"):
        relax(KNAPSACK, Run(), backend="nobody")


def test_flags_match_what_comes_back():
    lp = random_model(1)
    for name, entry in dispatch.BACKENDS.items():
        if entry.lp:
            assert (relax(lp, Run(), backend=name).duals is not None) == entry.duals, name


def test_importing_the_package_loads_no_backend():
    script = (
        "import sys, fairopt_solvers.backends as b; b.version('highs');"
        "heavy = {'highspy', 'ortools', 'pulp', 'cvxpy', 'scipy', 'numba', 'networkx'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
