"""The worked examples of multi-class selection, to the digits given."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pytest

import fairopt
from fairopt.problems.online_selection.check_multiclass import accept_chance, rounding_law
from fairopt.rational import Exact
from online_selection import multiclass_brute as brute

FILES = Path(__file__).parents[2] / "instances" / "online_selection"
NAMES = ("w8", "w9", "w10", "triangle", "rising")
F = Fraction


def load(name):
    return fairopt.load(FILES / f"multiclass_{name}.json")


@pytest.mark.parametrize("name", NAMES)
def test_the_offline_optimum(name):
    problem = load(name)
    solution = fairopt.solve(problem, "offline")
    assert solution.status == "optimal"
    assert solution.bound.proof in ("multipliers", "combinatorial")
    assert solution.value == problem.meta.expected["value"]
    if name != "rising":
        whole = brute.best_selection(problem)
        assert whole == problem.meta.expected.get("best whole selection", solution.value)


@pytest.mark.parametrize("name", ["w8", "w9", "rising"])
def test_set_aside(name):
    problem = load(name)
    expected = problem.meta.expected
    solution = fairopt.solve(problem, "set-aside")
    assert solution.value == pytest.approx(float(expected["set-aside"]), abs=6e-10)
    ratio = solution.figures["competitive_ratio"]
    assert ratio == pytest.approx(float(expected["competitive_ratio"]), abs=6e-9)
    assert brute.worst_ratio(problem, solution.answer.fractional) <= ratio * brute.SLACK
    if "x of set-aside" in expected:
        x = [float(v) for v in solution.answer.fractional]
        assert x == pytest.approx([float(v) for v in expected["x of set-aside"]], abs=6e-10)


def test_example_8():
    problem = load("w8")
    solution = fairopt.solve(problem, "set-aside")
    assert solution.figures["pf"] == pytest.approx(1.98156, abs=6e-6)
    assert solution.figures["counts"] == [2, 1]
    assert solution.figures["gfq_slack"] == [1, 0]
    assert solution.figures["optimum_prefix"] == 7
    assert solution.figures["optimum_free"] == solution.bound.value == 12
    assert float(solution.ratio) == pytest.approx(12 / 6.153162043, abs=1e-8)
    exact = brute.pf_by_enumeration(problem, solution.answer.fractional)
    assert solution.figures["pf"] == pytest.approx(float(exact), rel=1e-12)


def test_example_10():
    content = json.loads((FILES / "multiclass_w10.json").read_text())
    x = Exact.of([F(v) for v in content["expected"]["x"]])
    law = {}
    for word in itertools.product((0, 1), repeat=5):
        chance, total, accepted = F(1), 0, 0
        for share, won in zip(x.num.tolist(), word, strict=True):
            yes = F(0)
            if chance:  # states that cannot be reached have no rule
                yes = F(*accept_chance(total, accepted, share, x.den))
            chance *= yes if won else 1 - yes
            total, accepted = total + share, accepted + won
        if chance:
            law["".join(map(str, word))] = str(chance)
    assert law == content["expected"]["law"]
    for rule in ("lossless", "systematic"):
        assert rounding_law(x, rule) == (x.num.tolist(), 3)


def test_a_fractional_optimum():
    problem = load("triangle")
    for backend in (None, "highs", "cbc"):
        solution = fairopt.solve(problem, "offline", backend=backend)
        assert solution.value == 21
        assert solution.answer.fractional == (F(1, 2), F(1, 2), F(1, 2), F(1, 2), 1) or (
            backend == "cbc"
        )
    exact = fairopt.solve(problem, "exact")
    assert exact.bound.data["quota_prices"] == ["2", "3", "4"]
    with pytest.raises(fairopt.UsageError, match="optima can be fractional"):
        fairopt.solve(problem, "offline", backend="cp-sat")
