"""The worked examples: values by enumeration, the court's values, and the files' own."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from desk_rejection import brute
from fairopt.files import load
from fairopt.problems.desk_rejection import DeskRejection, ReviewerNomination
from fairopt.solution import encode

FILES = Path(__file__).parents[2] / "instances" / "desk_rejection"
NAMES = [f"w{k}" for k in range(1, 10)]
F = Fraction


def content_of(name):
    return json.loads((FILES / f"{name}.json").read_text())


def best_by_check(problem, objective, kept_sets):
    """Return the optimum over kept sets as the court values them."""
    named = problem.replace(objective=objective)
    values = [named.check(named.answer(list(kept))).value for kept in kept_sets]
    return max(values) if objective == "max-accept" else min(values)


@pytest.mark.parametrize("name", NAMES)
def test_the_court_agrees_with_enumeration_on_every_objective(name):
    content = content_of(name)
    problem = DeskRejection.from_json(content)
    answers = brute.Plain(content).answers()
    for objective in brute.objectives_of(content):
        value = best_by_check(problem, objective, answers)
        assert value == brute.best(content, objective), objective


@pytest.mark.parametrize("name", [*NAMES, "odd_cycle", "projective_plane"])
def test_expected_values_in_the_files(name):
    content = content_of(name)
    expected = content["expected"]
    known = [o for o in brute.objectives_of(content) if o in expected]
    assert known
    for objective in known:
        assert encode(brute.best(content, objective)) == expected[objective], objective
    if "answers" in expected:
        assert len(brute.Plain(content).answers()) == expected["answers"]


def ideal_exists(name):
    plain = brute.Plain(content_of(name))
    return any(plain.figures(kept)[0]["ideal"] for kept in plain.answers())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("w1", {"max-accept": 1, "average": F(2, 3), "worst-case": 1, "collateral": 1}),
        ("w2", {"max-accept": 1, "average": F(1, 2), "worst-case": 1, "wiped": 1}),
        ("w3", {"max-accept": 1, "average": F(1, 2), "worst-case": F(1, 2), "collateral": 1}),
        ("w4", {"max-accept": 1, "average": F(6, 7), "wiped": 4}),
        ("w5", {"max-accept": 5, "average": F(1, 3), "worst-case": F(1, 2)}),
        ("w6", {"max-accept": 15, "average": F(7, 18)}),
        ("w7", {"max-accept": 12, "average": F(7, 18)}),
        ("w8", {"max-accept": 2, "average": F(2, 3), "worst-case": F(2, 3)}),
        ("w9", {"average": F(8, 25), "worst-case": F(2, 3), "max-accept": 2, "collateral": 2}),
    ],
)
def test_values_of_the_specification(name, values):
    content = content_of(name)
    for objective, value in values.items():
        assert brute.best(content, objective) == value, objective


@pytest.mark.parametrize(
    ("name", "costs"),
    [
        ("w1", ((F(1), 1), (F(1, 2), 2))),
        ("w2", ((F(1), 1), (F(1, 2), 1))),
        ("w4", ((F(1), 4), (F(2, 3), 3))),
        ("w5", ((F(1, 2), 2), (F(1, 3), 1))),
        ("w6", ((F(1, 2), 1), (F(1, 3), 2))),
    ],
)
def test_leximin_of_the_specification(name, costs):
    assert brute.best(content_of(name), "leximin") == costs


def test_worst_then_average_of_w9():
    assert brute.best(content_of("w9"), "worst-then-average") == (F(2, 3), F(53, 150))


@pytest.mark.parametrize(
    ("name", "count"), [("w1", 4), ("w5", 68), ("w6", 20), ("w7", 5), ("w8", 9)]
)
def test_number_of_feasible_sets(name, count):
    assert len(brute.Plain(content_of(name)).answers()) == count


@pytest.mark.parametrize("name", ["w6", "w7"])
def test_without_weights_three_papers_are_kept(name):
    content = content_of(name)
    for paper in content["papers"]:
        paper.pop("weight")
    assert brute.best(content, "max-accept") == 3


def test_where_an_ideal_desk_rejection_exists():
    found = {name for name in NAMES if name != "w8" and ideal_exists(name)}
    assert found == {"w5", "w6", "w7"}


def test_x3c_has_a_planted_ideal():
    problem = load(FILES / "x3c.json")
    full = [set(problem.authors_of(j).tolist()) for j in range(problem.n_papers)]

    def cover(left, used):
        if not left:
            return used
        first = min(left)
        for j, who in enumerate(full):
            if first in who and who <= left and (found := cover(left - who, [*used, j])):
                return found
        return None

    kept = cover(set(range(problem.n_authors)), [])
    mask = [j in kept for j in range(problem.n_papers)]
    check = problem.check(problem.answer(mask))
    assert not check.violations
    assert check.value == 6
    assert check.figures["ideal"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("n1", F(3, 5)), ("n1-hard2", F(11, 10)), ("n1-hard1", None), ("n1-soft2", F(17, 20)),
     ("n1-soft1", F(3, 4))],
)  # fmt: skip
def test_nomination(name, value):
    content = content_of(name)
    assert brute.best_nomination(content) == value
    assert ReviewerNomination.from_json(content).n_papers == 5
    assert content["expected"] == (
        {"status": "infeasible"} if value is None else {"expected-rejections": str(value)}
    )


def test_value_of_a_nomination():
    problem = load(FILES / "n1-soft2.json")
    answer = problem.answer_from_json(
        {"nominee": {"p1": "a", "p2": "a", "p3": "b", "p4": "b", "p5": "a"}}
    )
    check = problem.check(answer)
    assert check.value == F(17, 20)
    assert check.figures["load_max"] == 3
    assert check.figures["over_limit"] == 1
    assert check.figures["penalty"] == F(3, 20)
    hard = problem.replace(soft_penalty=None)
    assert [v.rule for v in hard.check(hard.answer(answer.author)).violations] == ["limit"]
