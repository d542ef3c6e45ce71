"""The court by hand: figures of worked examples, and answers that are refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import fairopt
from fair_clustering import brute
from fair_clustering.examples import FLOOR, LINE, NONE, SOFT, STRICT, content
from fairopt.problems.fair_clustering import Clustering, Shares


def clustering(labels, centers=None, **more):
    return Clustering(
        np.array(labels), None if centers is None else np.array(centers, float), **more
    )


def test_figures_of_counts():
    """Two groups of 4 and 6 with counts (1, 3) and (2, 4) in two clusters."""
    problem = fairopt.load(content([[0]] * 10, "rrrrbbbbbb", NONE))
    check = problem.check(clustering([0, 1, 1, 1, 0, 0, 1, 1, 1, 1], [[0], [0]]))
    figures = {name: check.figures[name]["group"] for name in (
        "balance", "balance_max", "relative_balance", "gap", "tv", "max_gap",
        "max_additive_violation",
    )}  # fmt: skip
    assert figures == {
        "balance": Fraction(1, 2),
        "balance_max": Fraction(2, 3),
        "relative_balance": Fraction(5, 6),
        "gap": Fraction(1, 6),
        "tv": Fraction(1, 12),
        "max_gap": Fraction(1, 12),
        "max_additive_violation": Fraction(1, 5),
    }


def test_balance_of_a_tiny_cluster_is_no_gap():
    """1000 + 1000 points, one of them alone: the gap is tiny, the balance 0."""
    problem = fairopt.load(content([[0]] * 2000, ["a"] * 1000 + ["b"] * 1000, NONE))
    check = problem.check(clustering([1] + [0] * 1999, [[0], [0]]))
    assert check.figures["gap"]["group"] == Fraction(2, 1000)
    assert check.figures["balance"]["group"] == 0


def test_empty_clusters_are_skipped_and_counted():
    problem = fairopt.load(content(LINE, "rrbbbb", STRICT, k=3))
    check = problem.check(clustering([0] * 6, [[6], [0]]))
    assert not check.violations
    assert (check.figures["clusters"], check.figures["n_empty"]) == (1, 2)
    strict = problem.replace(allow_empty=False)
    assert [v.rule for v in strict.check(clustering([0] * 6, [[6], [0]])).violations] == ["empty"]


def test_individual_fairness():
    problem = fairopt.load(
        content(LINE, "rrbbbb", {"type": "individual"}, objective="kmedian", centers="points")
    )
    answer = Clustering(np.array([0, 0, 0, 1, 1, 1]), center_indices=np.array([1, 4]))
    check = problem.check(answer)
    assert check.figures["individual_alpha"] == 0.5
    assert not check.violations
    tight = problem.replace(**{"fairness.alpha": "0.4"})
    assert [v.rule for v in tight.check(answer).violations] == ["fairness"]


def test_core_against_its_definition():
    rng = np.random.default_rng(3)
    for _ in range(20):
        x = rng.integers(0, 6, (7, 2)).astype(float)
        problem = fairopt.load(
            content(x.tolist(), "rrrbbbb", {"type": "core", "rho": 100}, k=3, objective="kmedian",
                    centers="points")
        )  # fmt: skip
        chosen = np.array([0, 3])
        far = np.sqrt(((x[:, None] - x[None]) ** 2).sum(2))
        near = far[:, chosen].min(1)
        worst = 0.0
        for y in range(7):
            gains = [
                0.0 if near[i] == 0 else np.inf if far[i, y] == 0 else near[i] / far[i, y]
                for i in range(7)
            ]
            worst = max(worst, sorted(gains)[-3])  # ceil(7 / 3) = 3 of them
        answer = Clustering(far[:, chosen].argmin(1), center_indices=chosen)
        found = problem.check(answer).figures["core_rho"]
        assert found == (None if np.isinf(worst) else pytest.approx(worst))


def test_social_fairness_values_the_worst_group():
    problem = fairopt.load(content(LINE, "rrbbbr", {"type": "socially-fair"}))
    check = problem.check(clustering([0, 0, 0, 1, 1, 1], [[0], [11]]))
    means = check.figures["group_mean_cost"]["group"]
    assert means == {"r": pytest.approx(2 / 3), "b": pytest.approx(5 / 3)}
    assert check.value == means["b"]


WRONG = [
    (clustering([0, 0, 0, 1, 1], [[1], [11]]), "clustering"),
    (clustering([0, 0, 0, 1, 1, 2], [[1], [11]]), "clustering"),
    (clustering([0, 0, 0, 1, 1, -1], [[1], [11]]), "clustering"),
    (clustering([0, 0, 0, 1, 1, 1], [[1], [11], [12]]), "centers"),
    (clustering([0, 0, 0, 1, 1, 1], [[1, 1], [11, 1]]), "centers"),
    (clustering([0, 0, 0, 1, 1, 1], [[1], [np.inf]]), "centers"),
    (clustering([0, 0, 0, 1, 1, 1]), "centers"),
    (clustering([0, 0, 0, 1, 1, 1], center_indices=np.array([0, 1])), "centers"),
    (clustering([0, 0, 0, 1, 1, 1], [[1], [11]]), "fairness"),
]


@pytest.mark.parametrize(("answer", "rule"), WRONG)
def test_wrong_answers(answer, rule):
    problem = fairopt.load(content(LINE, "rrbbbb"))
    assert [v.rule for v in problem.check(answer).violations] == [rule]


def split(rows):
    """Return shares of rows ``[(cluster, share), ...]``."""
    sizes = np.cumsum([0, *map(len, rows)])
    flat = [pair for row in rows for pair in row]
    return Shares(sizes, np.array([c for c, _ in flat]), np.array([x for _, x in flat], float))


def test_shares():
    data = content([[0], [4]], "ab", SOFT, centers=[[0], [4]])
    problem = fairopt.load(data)
    halves = split([[(0, 0.5), (1, 0.5)], [(0, 0.5), (1, 0.5)]])
    check = problem.check(clustering([0, 0], shares=halves))
    assert not check.violations
    assert check.value == 16.0
    assert check.figures["soft"] is True
    for rows in (
        [[(0, 0.5), (1, 0.4)], [(0, 0.5), (1, 0.5)]],
        [[(0, 1.5), (1, -0.5)], [(0, 0.5), (1, 0.5)]],
        [[(0, 0.5), (0, 0.5)], [(0, 0.5), (1, 0.5)]],
        [[(0, 0.5), (2, 0.5)], [(0, 0.5), (1, 0.5)]],
    ):
        bad = problem.check(clustering([0, 0], shares=split(rows)))
        assert [v.rule for v in bad.violations] == ["clustering"]
    hard = fairopt.load({**data, "fairness": STRICT})
    refused = hard.check(clustering([0, 0], shares=halves)).violations
    assert "may not be split" in str(refused[0])


def test_thresholds_are_exact():
    """A third of three is one, whatever 1/3 is in floats; a little more is not met."""
    for share, kept in (
        ("1/3", True),
        ("0.33333333333333333", True),
        ("0.3333333333333334", False),
    ):
        fairness = {"type": "bounds", "lower": {"group": {"r": share}}}
        problem = fairopt.load(content(LINE, "rrbbbb", fairness))
        violations = problem.check(clustering([0, 1, 0, 0, 1, 1], [[4], [8]])).violations
        assert (not violations) is kept


@given(brute.contents(objective="kmeans", choice="free", n=(1, 5)))
def test_the_court_and_enumeration_agree_on_what_is_fair(data):
    problem = fairopt.load(data)
    labels = brute.labellings(problem.n, problem.k)
    fair = brute.fair(data, labels, problem.k)
    centers = np.zeros((problem.k, problem.d))
    for row, good in list(zip(labels, fair, strict=True))[:: max(1, len(labels) // 20)]:
        assert (not problem.check(Clustering(row, centers)).violations) is bool(good)


@given(brute.contents(n=(1, 6)))
def test_instances_survive_their_files(data):
    problem = fairopt.load(data)
    again = type(problem).from_json(problem.to_json())
    assert again.digest() == problem.digest()
    other = problem.reordered(np.random.default_rng(0))
    assert other.n == problem.n
    assert sorted(map(sum, other.points.tolist())) == sorted(map(sum, problem.points.tolist()))


def test_preprocessing():
    data = content([[1, 7], [3, 7], [5, 7]], "aab", FLOOR, preprocess=["zscore"])
    points = fairopt.load(data).points
    assert points[:, 1].tolist() == [0, 0, 0]
    assert points[:, 0].std() == pytest.approx(1)
    assert points[:, 0].mean() == pytest.approx(0)
    rows = fairopt.load(content([[3, 4], [0, 0]], "ab", FLOOR, preprocess=["l2"])).points
    assert rows.tolist() == [[0.6, 0.8], [0, 0]]
