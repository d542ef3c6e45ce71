"""The fair assignment to fixed centres: lawful, near its bound, the bound as good as a solver's."""

import numpy as np
import pytest
from hypothesis import given

import fairopt
from fair_clustering import brute
from fair_clustering.examples import EXAMPLES
from fairopt.run import Run
from fairopt_solvers.backends import relax
from fairopt_solvers.fair_clustering import dual as dual_module
from fairopt_solvers.fair_clustering.assign import fair_assignment, soft_assignment
from fairopt_solvers.fair_clustering.dual import maximise
from fairopt_solvers.fair_clustering.forms import form_of, to_json
from fairopt_solvers.fair_clustering.milp import linear_model
from fairopt_solvers.fair_clustering.proven import dual_bound
from fairopt_solvers.fair_clustering.sites import site_costs

CONDITIONS = {
    "strict": {"type": "proportional", "rounding": "strict"},
    "floor-ceil": {"type": "proportional", "rounding": "floor-ceil"},
    "soft": {"type": "proportional", "rounding": "soft"},
    "balance": {"type": "balance", "min_balance": "1/10"},
    "bounds": {"type": "bounds", "delta": "1/5"},
    "gap": {"type": "gap", "epsilon": "0.03"},
}


def blobs(condition, *, n=400, k=5, values=2, attributes=1, seed=0, weights=False):
    """Return the content of a random instance with fixed centres; groups lie apart."""
    rng = np.random.default_rng(seed)
    x, groups = rng.normal(size=(n, 2)), {}
    for a in range(attributes):
        code = rng.choice(values, n, p=rng.dirichlet(np.full(values, 20.0)))
        code[:values] = np.arange(values)
        x[:, 0] += 0.5 * code
        groups[f"a{a}"] = [str(v) for v in code]
    content = {
        "problem": "fair-clustering",
        "points": x.tolist(),
        "groups": groups,
        "k": k,
        "centers": x[rng.choice(n, k, replace=False)].tolist(),
        "fairness": CONDITIONS[condition],
    }
    if weights:
        content["weights"] = rng.integers(1, 9, n).tolist()
    return content


@pytest.mark.parametrize("values", [2, 3])
@pytest.mark.parametrize("attributes", [1, 2])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_dual_is_as_good_as_the_linear_program(condition, attributes, values):
    problem = fairopt.load(blobs(condition, values=values, attributes=attributes))
    d = site_costs(problem, None)
    form = form_of(problem)
    dual = maximise(form, d, problem.mass, Run())
    made = linear_model(problem, d, given=True)
    best = float(relax(made.model, Run()).bound) / made.scale
    assert dual.bound <= best * (1 + 1e-9)
    assert dual.bound >= best * (1 - 1e-6)
    proven = dual_bound(problem, to_json(problem, form, dual.y))
    assert proven.value == pytest.approx(dual.bound, rel=1e-9)


def test_warm_start_finds_the_same_bound():
    problem = fairopt.load(blobs("gap", values=3))
    d, form = site_costs(problem, None), form_of(problem)
    cold = maximise(form, d, problem.mass, Run())
    warm = maximise(form, d * 1.01, problem.mass, Run(), warm=cold.smooth)
    again = maximise(form, d * 1.01, problem.mass, Run())
    assert warm.bound == pytest.approx(again.bound, rel=1e-6)


@pytest.mark.parametrize("condition", ["strict", "gap"])
def test_a_sample_changes_only_where_the_climb_starts(condition, monkeypatch):
    problem = fairopt.load(blobs(condition, n=600, values=3))
    d, form = site_costs(problem, None), form_of(problem)
    plain = maximise(form, d, problem.mass, Run())
    monkeypatch.setattr(dual_module, "_SAMPLE", 100)
    sampled = maximise(form, d, problem.mass, Run())
    assert sampled.bound == pytest.approx(plain.bound, rel=1e-6)


@pytest.mark.parametrize("condition", ["strict", "floor-ceil", "balance", "bounds", "delta", "gap"])
def test_whole_points_are_fair_and_no_better_than_enumeration(condition):
    @given(brute.contents(condition, "fixed"))
    def holds(content):
        problem = fairopt.load(content)
        best = brute.best(content)
        solution = fairopt.solve(problem, "fair-dual")
        assert fairopt.verify(problem, solution).ok
        if solution.bound is not None and best is not None:
            assert float(solution.bound.value) <= best + 1e-9 * max(1.0, best)
        if solution.answer is None:  # weights with clusters that must not be empty, or none exists
            assert best is None or "weights" in content
            assert solution.status in ("unknown", "infeasible")
        elif solution.answer.shares is None:
            assert best is not None
            assert solution.value >= best - 1e-9 * max(1.0, best)

    holds()


@pytest.mark.parametrize("condition", ["soft", "balance", "bounds", "gap"])
@pytest.mark.parametrize("weights", [False, True])
def test_shares_keep_the_condition_and_meet_the_bound(condition, weights):
    problem = fairopt.load(blobs(condition, values=3, weights=weights))
    found = soft_assignment(problem, site_costs(problem, None), Run())
    assert found.violation is None
    assert found.shares.sum(1) == pytest.approx(1.0)
    assert found.bound * (1 - 1e-9) <= found.cost <= found.bound * (1 + 1e-6)


@pytest.mark.parametrize("condition", ["floor-ceil", "balance", "bounds", "gap"])
def test_rounding_costs_little(condition):
    problem = fairopt.load(blobs(condition, n=3_000))
    found = fair_assignment(problem, site_costs(problem, None), Run())
    assert found.violation is None
    assert found.bound <= found.cost <= found.bound * (1 + 1e-3)


def test_two_equal_groups_in_strict_proportion_are_optimal():
    content = blobs("strict", n=300)
    content["groups"] = {"a0": ["x", "y"] * 150}
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "fair-dual")
    assert solution.status == "optimal"
    assert solution.bound.proof == "multipliers"


@pytest.mark.parametrize("name", ["D", "D-gap", "E", "A1-unfair", "H"])
def test_worked_examples_of_given_centres(name):
    content, value = EXAMPLES[name]
    if not isinstance(content.get("centers", "free"), list):
        content = {**content, "centers": [[0.0, 0.0], [6.0, 2.0], [1.0, 1.0]][: content["k"]]}
        value = brute.best(content)
    solution = fairopt.solve(fairopt.load(content), "fair-dual")
    assert solution.value == pytest.approx(value)


def test_common_divisor_one_leaves_a_single_cluster_with_a_note():
    content = {**EXAMPLES["B4"][0], "centers": [[0], [13]]}
    solution = fairopt.solve(fairopt.load(content), "fair-dual")
    assert len(set(solution.answer.labels.tolist())) == 1
    assert [note.code for note in solution.notes] == ["single-cluster"]


def test_strict_with_weights_keeps_the_condition_or_says_so():
    problem = fairopt.load(blobs("strict", n=40, weights=True))
    solution = fairopt.solve(problem, "fair-dual")
    assert solution.status in ("feasible", "unknown")
    assert fairopt.verify(problem, solution).ok
