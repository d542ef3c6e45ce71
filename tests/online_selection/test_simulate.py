"""Simulation: counts, intervals, what verification says of them, and repeating them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import fairopt
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.confidence import DELTA, clopper_pearson
from fairopt.problems.online_selection.matroids import Graphic, Laminar, Transversal, Uniform
from fairopt.problems.online_selection.problem import Information
from fairopt.simulation import limits
from fairopt.testing import FakeClock
from fairopt_solvers.online_selection.simulate import intervals, simulate_counts

K4 = OnlineSelection(
    Graphic.of([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
    information=Information("parameters", 2, None, 3),
    weights=[1, 2, 3, 4, 5, 6],
)
FIVE = OnlineSelection(Uniform.of(5, 2))
STREAM = OnlineSelection(Laminar.of(6, [range(6), [0, 1, 2], [3, 4]], [3, 1, 1]))
MATCHED = OnlineSelection(Transversal.of([[0], [0], [0, 1], [1, 2], [2]]))
SAMPLED = (
    "degeneracy", "sample-half", "random-order", "random-vertex-order", "ocrs", "secretary",
    "k-secretary", "sample-and-price",
)  # fmt: skip


def inside(found, exact):
    """Whether every exact probability lies in its interval."""
    rows = zip(found["lower"], exact, found["upper"], strict=True)
    return all(low <= p <= high for low, p, high in rows)


# -- counts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "exact"),
    [
        (FIVE, ["2/5"] * 5),
        (K4, ["1/2"] * 6),
        (STREAM, ["1/3", "1/3", "1/3", "1/2", "1/2", "1"]),
        (MATCHED, ["9/20", "9/20", "7/10", "7/10", "7/10"]),
    ],
)
def test_random_order_comes_out_as_enumerated(problem, exact):
    found = simulate_counts(problem, "random-order", runs=2000, order_model="random")
    assert inside(found, map(Fraction, exact))
    assert found["runs"] == 2000
    assert found["frequency"] == [c / 2000 for c in found["counts"]]
    assert found["min_lower"] == min(found["lower"])


@pytest.mark.parametrize("order", ["fixed", "random", "adversarial"])
def test_first_fit_comes_out_at_one_over_m(order):
    found = simulate_counts(K4, "first-fit", runs=3000, order_model=order, seed=2)
    assert inside(found, [1 / 3] * 6)
    assert found["order_model"] == order


def test_vertex_order_on_a_fixed_order_of_edges():
    """An edge whose later end has w earlier neighbours is accepted with 1/((w+1)(w+2)) there."""
    exact = [1, 2 / 3, 7 / 12, 1 / 3, 1 / 4, 1 / 6]
    assert inside(simulate_counts(K4, "random-vertex-order", runs=3000), exact)


@pytest.mark.parametrize("d", [2, 3])
def test_sessions_of_degeneracy_follow_the_exact_law(d):
    """On random orders; the kernel that counts and the session are two programs."""
    q = Fraction(1, 2)
    solution = fairopt.solve(K4, "degeneracy", degeneracy=d, q=q, runs=2000)
    exact = solution.figure("exact_probabilities")
    counts, runs = np.zeros(6), 600
    for seed in range(runs):
        run = fairopt.solve(K4, "degeneracy", degeneracy=d, q=q, answer="run", seed=seed).answer.run
        counts[list(run.accepted)] += 1
    for found in (counts / runs, np.array(solution.answer.estimate.counts) / 2000):
        assert np.abs(found - np.array(exact, float)).max() < 0.08


def test_the_greedy_scheme_keeps_what_is_proven():
    """b (1 - b)/gamma in a uniform matroid, whatever the order."""
    found = simulate_counts(FIVE, "ocrs", runs=4000)
    assert found["min_lower"] > 0.8 * (1 / 4) / (5 / 2)
    assert max(found["lower"]) <= (1 / 2) / (5 / 2)


def test_the_secretary_is_unfair():
    found = simulate_counts(K4, "secretary", runs=2000, order_model="random")
    assert found["counts"][0] == 0
    assert found["lower"][5] > 1 / np.e
    assert sum(found["counts"]) <= 2000


def test_counts_are_those_of_the_seed():
    one, two = (simulate_counts(K4, "ocrs", runs=50, seed=s)["counts"] for s in (1, 1))
    assert one == two != simulate_counts(K4, "ocrs", runs=50, seed=2)["counts"]


@pytest.mark.parametrize(
    ("method", "more", "words"),
    [
        ("offline", {}, "nothing to simulate"),
        ("first-fit", {"runs": 0}, "at least 1"),
        ("first-fit", {"options": {"m": "many"}}, "cannot take"),
    ],
)
def test_what_cannot_be_simulated_says_so(method, more, words):
    with pytest.raises(fairopt.UsageError, match=words):
        simulate_counts(K4, method, **more)


# -- intervals -----------------------------------------------------------------------------


@given(st.integers(1, 400), st.data())
def test_limits_are_simultaneous_and_agree_with_the_court(runs, data):
    counts = np.array(data.draw(st.lists(st.integers(0, runs), min_size=1, max_size=5)))
    low, high = intervals(counts, runs)
    share = 0.01 / (2 * len(counts))
    for c, a, b in zip(counts.tolist(), low, high, strict=True):
        assert a <= c / runs <= b
        if c:
            assert binom.sf(c - 1, runs, a) == pytest.approx(share, rel=1e-6)
        if c < runs:
            assert binom.cdf(c, runs, b) == pytest.approx(share, rel=1e-6)
        court = clopper_pearson(c, runs, DELTA / (2 * len(counts)))
        assert a - 1e-6 <= float(court) + 2e-9 * runs
        assert float(court) <= a + 1e-12


@given(st.integers(1, 500), st.data())
def test_chernoff_limits_hold(runs, data):
    c = data.draw(st.integers(0, runs))
    low, high = limits(c / runs, runs, 1e-3)
    assert 0 <= low <= c / runs <= high <= 1
    if low > 0:
        assert binom.sf(c - 1, runs, low) <= 1e-3 * (1 + 1e-9)
    if high < 1:
        assert binom.cdf(c, runs, high) <= 1e-3 * (1 + 1e-9)


# -- estimates as answers ------------------------------------------------------------------


@pytest.mark.parametrize("method", SAMPLED)
def test_estimates_are_claimed_by_simulation_and_never_optimal(method):
    solution = fairopt.solve(K4, method, runs=300)
    assert solution.answer.kind == "estimate"
    assert solution.status == "feasible"
    assert solution.answer.estimate.runs == 300
    report = fairopt.verify(K4, fairopt.load_solution(solution.to_json()))
    assert report.ok
    assert dict(report.claims)["value"].startswith("claimed by simulation")


def test_a_simulation_is_confirmed_by_another():
    solution = fairopt.solve(K4, "random-order", runs=2000)
    report = fairopt.verify(K4, solution, confirm="simulation")
    assert "; confirmed by simulation with a fresh seed" in dict(report.claims)["value"]
    other = fairopt.verify(K4, solution, confirm="highs")
    assert "confirmed" not in dict(other.claims)["value"]


def test_made_up_counts_are_refuted_by_another_simulation():
    honest = fairopt.solve(K4, "ocrs", runs=2000).to_json()
    rich = fairopt.solve(K4, "random-order", runs=2000).to_json()
    forged = {**rich, "method": "ocrs", "options": honest["options"]}
    assert fairopt.verify(K4, fairopt.load_solution(forged)).ok
    report = fairopt.verify(K4, fairopt.load_solution(forged), confirm="simulation")
    assert dict(report.claims)["value"].startswith("REFUTED: item 0 comes out at")


def test_time_that_is_up_leaves_fewer_runs():
    from fairopt.api import solve_in
    from fairopt.run import Run

    for reads in (1, 3, 20):
        run = Run(1.0, clock=FakeClock(reads))
        solution = solve_in(run, K4, "random-order", {"runs": 500})
        assert solution.stopped_by == "time-limit"
        if solution.answer is not None:
            assert solution.answer.estimate.runs < 500
        assert fairopt.verify(K4, solution).ok


def test_nothing_to_select():
    empty = OnlineSelection(Graphic.of([]))
    for method in ("random-order", "degeneracy", "random-vertex-order"):
        solution = fairopt.solve(empty, method, runs=5)
        assert solution.value is None
        assert fairopt.verify(empty, solution).ok
