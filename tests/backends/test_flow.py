import itertools

import numpy as np
import pytest

from fairopt.errors import MethodError, UsageError
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, max_flow, min_cost_flow, rows, solve


@pytest.mark.parametrize("seed", range(8))
def test_an_assignment_costs_what_brute_force_and_the_lp_say(seed):
    rng = np.random.default_rng(seed)
    n = 4
    cost = rng.integers(-9, 20, (n, n))
    i, j = np.divmod(np.arange(n * n), n)
    supply = np.r_[np.ones(n, int), -np.ones(n, int)]
    result = min_cost_flow(i, n + j, np.ones(n * n, int), cost.ravel(), supply, Run())
    best = min(sum(int(cost[a, p[a]]) for a in range(n)) for p in itertools.permutations(range(n)))
    column = np.arange(n * n)
    one = np.ones(n)
    model = LinearModel.build(
        cost.ravel(), rows(i, column, lower=one, upper=one), rows(j, column, lower=one, upper=one)
    )
    assert (result.status, result.cost) == ("optimal", best)
    assert solve(model, Run()).value == best
    assert result.flow.sum() == n


def test_infeasible_and_unbalanced_are_statuses():
    assert min_cost_flow([0], [1], [1], [1], [2, -2], Run()).status == "infeasible"
    assert min_cost_flow([0], [1], [5], [1], [2, -1], Run()).status == "infeasible"
    assert min_cost_flow([], [], [], [], [1, -1], Run()).status == "infeasible"


def test_no_arcs_no_nodes():
    assert min_cost_flow([], [], [], [], [0, 0], Run()).cost == 0
    assert min_cost_flow([], [], [], [], [], Run()).cost == 0
    assert max_flow([], [], [], 0, 1, Run()).value == 0


def test_a_negative_cycle_is_used():
    result = min_cost_flow([0, 1], [1, 0], [3, 3], [-5, 1], [0, 0], Run())
    assert result.cost == -12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": [0.5]}, "cost must be integers"),
        ({"capacity": [1.0]}, "capacity must be integers"),
        ({"cost": [2**60]}, "overflow"),
        ({"capacity": [2**62]}, "2\\^62"),
        ({"capacity": [-1]}, "negative"),
        ({"head": [7]}, "nodes must lie in 0..1"),
        ({"cost": [1, 2]}, "cost has 2 entries"),
        ({"tail": [0, 0]}, "one entry an arc"),
        ({"supply": [2**61, -(2**61)], "capacity": [2**61], "cost": [3]}, "overflow"),
    ],
)
def test_floats_and_overflow_are_refused(change, message):
    arguments = {"tail": [0], "head": [1], "capacity": [1], "cost": [1], "supply": [1, -1]}
    with pytest.raises(UsageError, match=message):
        min_cost_flow(**{**arguments, **change}, run=Run())


def test_large_exact_costs():
    result = min_cost_flow([0, 0], [1, 1], [1, 1], [10**15, 10**15 + 1], [2, -2], Run())
    assert result.cost == 2 * 10**15 + 1


def test_the_cut_is_a_hall_violator():
    # Left 2, 3, 4 all want right 5 or 6 only; left 1 wants 7.
    source, sink = 0, 8
    tail = [0, 0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7]
    head = [1, 2, 3, 4, 7, 5, 6, 5, 6, 5, 6, 8, 8, 8]
    result = max_flow(tail, head, np.ones(14, int), source, sink, Run())
    assert result.value == 3
    assert np.flatnonzero(result.source_side[1:5]).tolist() == [1, 2, 3]
    assert result.source_side[5:8].tolist() == [True, True, False]


def test_max_flow_names_bad_nodes():
    with pytest.raises(UsageError, match="two nodes"):
        max_flow([0], [1], [1], 0, 0, Run())
    with pytest.raises(UsageError, match="two nodes"):
        max_flow([0], [1], [1], 0, 5, Run(), nodes=2)


def test_an_expired_run_returns_at_once():
    run = Run()
    run.interrupt()
    assert min_cost_flow([0], [1], [1], [1], [1, -1], run).stopped
    assert max_flow([0], [1], [1], 0, 1, run).status == "unknown"


def test_a_wrong_flow_is_a_method_error(monkeypatch):
    from fairopt_solvers.backends import flow as adapter

    class Liar:
        OPTIMAL, INFEASIBLE = "yes", "no"

        def __getattr__(self, name):
            return lambda *a: np.full(1, 7) if name == "flows" else "yes"

    from ortools.graph.python import min_cost_flow as library

    monkeypatch.setattr(library, "SimpleMinCostFlow", Liar)
    with pytest.raises(MethodError, match="or-tools min-cost-flow 9"):
        adapter.min_cost_flow([0], [1], [1], [1], [1, -1], Run())


def test_nothing_on_stdout(capfd):
    min_cost_flow([0], [1], [1], [1], [1, -1], Run())
    assert capfd.readouterr().out == ""
