"""Degenerate and bad instances: each is accepted as documented, or refused naming the field."""

import math
from fractions import Fraction

import pytest

import fairopt
from fairopt.errors import InstanceError, UsageError
from fairopt.problems.online_selection.multiclass import OnlineMulticlass


def content(*agents, **more):
    rows = [{"value": v, "classes": c} for v, c in agents]
    base = {"problem": "online-multiclass", "capacity": 2, "value_range": [1, 4]}
    return {**base, "quotas": [1, 0], "agents": rows, **more}


BAD = {
    "quotas beyond the capacity": (content(quotas=[2, 1]), "quotas: 3 units are promised"),
    "negative quota": (content(quotas=[1, -1]), "quotas[1]: expected an integer from 0"),
    "value too large": (content((1, [0]), (5, [0])), "agents[1].value: 5 is outside value_range"),
    "value too small": (content(("1/2", [0])), "agents[0].value: 1/2 is outside"),
    "no number": (content((float("nan"), [0])), "agents[0].value"),
    "unknown class": (content((1, [0, 2])), "agents[0].classes: no class 2 (classes are 0 to 1)"),
    "negative class": (content((1, [-1])), "agents[0].classes: no class -1"),
    "classes without quotas": (
        content((1, [0]), quotas=[]),
        "agents[0].classes: no class 0 (no quotas are given)",
    ),
    "class twice": (content((1, [1, 1])), "agents[0].classes: names a class twice"),
    "L = 0": (content(value_range=[0, 4]), "value_range: expected 0 < L <= U, got 0 and 4"),
    "L above U": (content(value_range=[5, 4]), "value_range: expected 0 < L <= U"),
    "three limits": (content(value_range=[1, 2, 3]), "value_range: expected two numbers"),
    "enormous": (content(value_range=[1, "1e300"]), "value_range: expected values from"),
    "capacity 0": (content(capacity=0), "capacity: expected an integer from 1"),
    "half a unit": (content(capacity="1.5"), "capacity: expected int"),
    "trust": (content(trust=2), "trust: expected 0 to 1, got 2"),
    "threshold": (
        content(predictions={"threshold": -1}),
        "predictions.threshold: expected at least 0, got -1",
    ),
    "unclassified": (
        content((1, []), unclassified_agents=False),
        "agents[0].classes: must not be empty (unclassified_agents is false)",
    ),
    "unknown key": (content(units=3), "units: unknown key"),
    "no value": (content(agents=[{"classes": [0]}]), "agents[0].value: the key is missing"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_instance_names_the_field(name):
    bad, words = BAD[name]
    with pytest.raises(InstanceError) as error:
        fairopt.load(bad)
    assert words in str(error.value)


ANSWERS = {
    "kind": ({"kind": "lottery"}, "answer.kind"),
    "keys": ({"kind": "fractional", "fractional": [1]}, "answer: expected the keys"),
    "length": ({"fractional": [1]}, "answer.fractional: expected a list of 2"),
    "number": ({"fractional": [1, "x"]}, "answer.fractional[1]: expected a number"),
    "nothing": ({"fractional": [1, None]}, "answer.fractional[1]: expected a number"),
    "rounding": ({"rounding": "up"}, "answer.rounding: choose from"),
    "enforced": ({"enforced": "often"}, "answer.enforced: choose from"),
    "coins": ({"kind": "run", "coins": [1.0, 0.5], "accepted": []}, "answer.coins[0]"),
    "agent": ({"kind": "run", "coins": [0.5, 0.5], "accepted": [2]}, "answer.accepted[0]"),
    "order": ({"kind": "run", "coins": [0.5, 0.5], "accepted": [1, 0]}, "answer.accepted"),
    "no rule": (
        {"kind": "run", "coins": [0.5, 0.5], "accepted": [], "rounding": "none"},
        "answer.rounding",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_bad_answer_names_the_field(name):
    change, words = ANSWERS[name]
    fine = {"kind": "fractional", "fractional": [1, 0.5], "rounding": "lossless",
            "enforced": "prefix"}  # fmt: skip
    data = change if name == "keys" else {**fine, **change}
    problem = fairopt.load(content((1, [0]), (2, [1])))
    with pytest.raises(InstanceError) as error:
        problem.answer_from_json(data)
    assert words in str(error.value)


def test_broken_rules_are_named_with_their_amount():
    problem = fairopt.load(content((1, [0]), (2, [1]), (2, [0])))

    def broken(x, **more):
        check = problem.check(problem.answer(x, **more))
        return [(v.rule, v.where, v.by_how_much) for v in check.violations]

    assert broken([1, 0.5, 0.5]) == []
    assert broken([1, 1, 0.5]) == [("capacity", "fractional", 0.5)]
    assert broken([1.5, 0, 0]) == [("unit", "fractional[0]", 1.5)]
    assert broken([0.5, 0, 1]) == [("quota", "class 0, agent 0", 0.5)]
    assert broken([0.5, 0, 0.25], enforced="final") == [("quota", "class 0", 0.25)]
    assert broken([0.5, 0, 0.5], enforced="final") == []
    assert broken([0.5, 0, 0.5], enforced="none") == [("quota", "class 0, agent 0", 0.5)]
    assert broken([1]) == [("agents", "fractional", 2)]
    tiny = 2.0**-60  # beyond the capacity by less than a float can add
    assert broken([1, 1, tiny]) == [("capacity", "fractional", tiny)]


def test_equal_values():
    problem = OnlineMulticlass(
        [2, 2, 2], [[0], [0], [1]], capacity=3, value_range=(2, 2), quotas=[1, 2]
    )
    solution = fairopt.solve(problem, "set-aside")
    assert solution.figures["competitive_ratio"] == 3  # B / (B - m + mu) with m = B, mu = 1
    assert solution.answer.fractional == (1, 0, 1)


def test_all_units_promised_and_one_class_without_a_quota():
    problem = OnlineMulticlass(
        [4, 1, 4], [[0], [1], [1]], capacity=2, value_range=(1, 4), quotas=[0, 2]
    )
    solution = fairopt.solve(problem, "set-aside")
    assert math.isinf(solution.figures["competitive_ratio"])
    assert solution.claims == ()
    assert solution.answer.fractional == (0, 1, 1)
    assert solution.to_json()["figures"]["competitive_ratio"] == "inf"
    assert fairopt.verify(problem, solution).ok


def test_nobody_comes():
    problem = OnlineMulticlass([], [], capacity=2, value_range=(1, 4), quotas=[1])
    for method in ("auto", "offline", "proportional"):
        solution = fairopt.solve(problem, method)
        assert (solution.status, solution.value) == ("optimal", 0)
        assert solution.figures["pf"] is None


def test_unclassified_agents_are_declared():
    agents = ((1, [0]), (2, [1]))
    assert not fairopt.load(content(*agents)).unclassified_agents
    assert fairopt.load(content(*agents, (2, []))).unclassified_agents
    declared = fairopt.load(content(*agents, unclassified_agents=True, quotas=[1, 1]))
    assert declared.least_quota == 0
    assert declared.replace(unclassified_agents=False).least_quota == 1
    assert declared.digest() != declared.replace(unclassified_agents=False).digest()


def test_settings():
    problem = fairopt.load(content((1, [0]), (2, [1])))
    changed = problem.replace(
        capacity=5, quotas=[2, 2], trust="1/3", value_range=[1, "9/2"],
        **{"predictions.threshold": 3},
    )  # fmt: skip
    assert (changed.capacity, changed.quotas, changed.threshold) == (5, (2, 2), 3)
    assert (changed.trust, changed.theta) == (Fraction(1, 3), Fraction(9, 2))
    assert fairopt.load(changed.to_json()).digest() == changed.digest()
    with pytest.raises(InstanceError, match="quotas: 4 units"):
        problem.replace(quotas=[2, 2])


def test_a_table_of_agents(tmp_path):
    path = tmp_path / "agents.csv"
    path.write_text("# who came\nvalue,classes\n1.5,0;1\n2,\n4, 1\n")
    known = {"capacity": 2, "value_range": [1, 4], "quotas": [1, 1]}
    problem = fairopt.load(path, "online-multiclass", **known)
    assert problem.to_json()["agents"] == [
        {"value": "3/2", "classes": [0, 1]},
        {"value": 2, "classes": []},
        {"value": 4, "classes": [1]},
    ]
    solution = fairopt.solve(problem)
    fairopt.save(solution, tmp_path / "s.json")
    assert fairopt.verify(path, tmp_path / "s.json").ok
    with pytest.raises(UsageError, match="needs the option 'capacity'"):
        fairopt.load(path, "online-multiclass")
    for text, words in (
        ("value,classes\n1,0\n9,0\n", "line 3: value: 9 is outside"),
        ("value,classes\n1,7\n", "line 2: classes: no class 7"),
        ("value,classes\n1,x\n", "line 2: classes: expected a number"),
        ("value,classes\n1\n", "line 2: expected 2 cells, got 1"),
        ("value,classes,name\n1,0,x\n", "expected the columns value, classes"),
    ):
        path.write_text(text)
        with pytest.raises(InstanceError) as error:
            fairopt.load(path, "online-multiclass", **known)
        assert words in str(error.value)
