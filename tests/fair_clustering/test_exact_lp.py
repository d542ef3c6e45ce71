"""The linear program of fixed centres: optimal shares, multipliers that prove them, rounding."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

import fairopt
from fair_clustering import brute
from fair_clustering.examples import EXAMPLES, LINEAR

SOFT = ("none", "soft", "balance", "bounds", "delta", "gap")


@pytest.mark.parametrize("name", LINEAR)
def test_worked_example(name):
    content, value = LINEAR[name]
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "fair-lp")
    assert solution.value == pytest.approx(value, rel=1e-9)
    assert solution.status == "optimal"
    assert solution.bound.proof == "multipliers"
    assert fairopt.verify(problem, solution).ok


def dense_optimum(content):
    """Return the optimum over shares by a program written out row by row, None if there is none."""
    d = brute.distances(content, content["centers"])
    n, k = d.shape
    w = np.array([float(v) for v in brute.weights(content)])
    rule, less, right, equal, value = content["fairness"], [], [], [], []
    extra = 0
    pairs = []
    for values in brute.attributes(content).values():
        kinds = sorted(set(values))
        of = {g: w * (np.array(values) == g) for g in kinds}
        pairs.append((kinds, of))
        extra += len(kinds) * (len(kinds) - 1) // 2 * k if rule["type"] == "gap" else 0

    def row(weights, cluster):
        out = np.zeros(n * k + extra)
        out[np.arange(n) * k + cluster] = weights
        return out

    for i in range(n):
        out = np.zeros(n * k + extra)
        out[i * k : i * k + k] = 1
        equal.append(out)
        value.append(1.0)
    column = n * k
    for name, (kinds, of) in zip(brute.attributes(content), pairs, strict=True):
        total = {g: of[g].sum() for g in kinds}
        for g in kinds:
            for c in range(k):
                if rule["type"] == "proportional":
                    equal.append(row(of[g] - total[g] / w.sum() * w, c))
                    value.append(0.0)
                elif rule["type"] == "balance":
                    least = float(brute.Fraction(rule["min_balance"]))
                    less += [row(least * of[h] - of[g], c) for h in kinds]
                    right += [0.0] * len(kinds)
                elif rule["type"] == "bounds":
                    low, high = limits(rule, name, g, total[g] / w.sum())
                    less += [row(low * w - of[g], c), row(of[g] - high * w, c)]
                    right += [0.0, 0.0]
        if rule["type"] == "gap":
            for a, g in enumerate(kinds):
                for h in kinds[a + 1 :]:
                    spread = np.zeros(n * k + extra)
                    for c in range(k):
                        for sign in (1, -1):
                            out = row(sign * (of[g] / total[g] - of[h] / total[h]), c)
                            out[column] = -1
                            less.append(out)
                            right.append(0.0)
                        spread[column] = 0.5
                        column += 1
                    less.append(spread)
                    right.append(float(brute.Fraction(rule["epsilon"])))
    cost = np.concatenate([(w[:, None] * d).ravel(), np.zeros(extra)])
    found = linprog(
        cost, A_ub=np.array(less) if less else None, b_ub=right or None, A_eq=np.array(equal),
        b_eq=value,
    )  # fmt: skip
    return found.fun if found.status == 0 else None


def limits(rule, name, group, share):
    """Return (lower, upper) share of a group."""
    if "delta" in rule:
        delta = float(brute.Fraction(str(rule["delta"])))
        return (1 - delta) * share, min(1.0, share / (1 - delta))
    low = rule["lower"].get(name, {}).get(group, 0)
    return float(brute.Fraction(low)), float(brute.Fraction(rule["upper"][name].get(group, 1)))


@pytest.mark.parametrize("condition", SOFT)
def test_linear_program_and_multipliers_equal_a_dense_one(condition):
    @given(brute.contents("strict" if condition == "soft" else condition, "fixed"))
    def holds(content):
        content = {**content, "allow_empty": True}
        if condition == "soft":
            content["fairness"] = {"type": "proportional", "rounding": "soft"}
        best = dense_optimum(content)
        problem = fairopt.load(content)
        solution = fairopt.solve(problem, "fair-lp")
        assert fairopt.verify(problem, solution).ok
        if best is None:
            assert solution.status == "infeasible"
            return
        assert solution.value == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert float(solution.bound.value) == pytest.approx(best, rel=1e-6, abs=1e-6)

    holds()


@pytest.mark.parametrize("condition", ["strict", "floor-ceil"])
def test_rounding_keeps_conditions_that_admit_no_shares(condition):
    @given(brute.contents(condition, "fixed"))
    def holds(content):
        problem = fairopt.load({**content, "allow_empty": True})
        solution = fairopt.solve(problem, "fair-lp")
        if solution.answer is None:  # weights or several attributes: no flow
            assert "weights" in content or len(brute.attributes(content)) > 1
            return
        assert solution.answer.shares is None
        best = brute.best({**content, "allow_empty": True})
        assert best is not None
        assert solution.value >= best - 1e-9 * max(1.0, best)
        assert float(solution.bound.value) <= best + 1e-9 * max(1.0, best)

    holds()


def test_floor_ceil_is_not_bounded_by_the_soft_optimum():
    content, value = EXAMPLES["E"]
    solution = fairopt.solve(fairopt.load(content), "fair-lp")
    soft = fairopt.solve(fairopt.load(EXAMPLES["E-soft"][0]), "fair-lp")
    assert float(solution.bound.value) <= value < soft.value


@pytest.mark.parametrize("choice", ["points", "candidates"])
@pytest.mark.parametrize("objective", ["kmedian", "kcenter"])
def test_other_centres_are_those_of_an_unfair_clustering(choice, objective):
    @given(brute.contents("gap", choice, objective))
    def holds(content):
        problem = fairopt.load({**content, "allow_empty": True})
        solution = fairopt.solve(problem, "fair-lp")
        assert solution.bound is None or solution.answer is None
        assert fairopt.verify(problem, solution).ok

    holds()
