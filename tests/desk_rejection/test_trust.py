"""Nothing false is called optimal, verified or confirmed."""

from pathlib import Path

import pytest

import fairopt
from desk_rejection import brute
from fairopt import judge
from fairopt.files import parse_json
from fairopt.solution import Bound

ROOT = Path(__file__).parent.parent
DATA = ROOT / "data"
W9 = ROOT.parent / "instances" / "desk_rejection" / "w9.json"


def verdicts(problem, content, **more):
    report = fairopt.verify(problem, fairopt.load_solution(content), **more)
    return report.ok, dict(report.claims)


@pytest.fixture
def w9():
    problem = fairopt.load(W9)
    return problem.replace(objective="average")


def test_one_weight_that_dwarfs_the_rest_hides_no_difference():
    path = DATA / "one_weight_dwarfs_the_rest.json"
    best = brute.best(parse_json(path.read_bytes()), "max-accept")
    for method in ("auto", "exact", "greedy", "local-search"):
        solution = fairopt.solve(path, method)
        assert solution.status != "optimal" or solution.value == best
    assert fairopt.solve(path).value == best


@pytest.mark.parametrize("exponent", [10, 12, 15, 30])
def test_wide_weights_are_never_falsely_optimal(exponent):
    papers = [
        {"id": f"p{j}", "authors": [f"a{j % 4}", f"a{j * j % 3}x"], "weight": w}
        for j, w in enumerate([10**exponent, 5, 3, 2, 1, 4, 1, 2])
    ]
    content = {"problem": "desk-rejection", "limit": 1, "papers": papers}
    best = brute.best(content, "max-accept")
    for backend in ("highs", "cbc"):
        solution = fairopt.solve(content, "exact", backend=backend)
        assert solution.status != "optimal" or solution.value == best


def test_chances_beyond_64_bits_are_not_rounded_into_an_optimum():
    path = DATA / "chances_beyond_64_bits.json"
    best = brute.best_nomination(parse_json(path.read_bytes()))
    for method in ("auto", "exact", "cheapest"):
        solution = fairopt.solve(path, method)
        assert solution.status != "optimal" or solution.value == best


def test_a_wide_slack_proves_nothing(w9):
    content = fairopt.solve(w9, "sequential").to_json()
    content["bound"] = {
        "value": "1/100", "slack": 1e9, "proof": "solver", "data": {"backend": "z 1"},
    }  # fmt: skip
    content["status"], content["ratio"] = "optimal", 1.0
    ok, said = verdicts(w9, content)
    assert not ok
    assert said["status optimal"].startswith("REFUTED")


def test_a_better_answer_refutes_the_bound(w9):
    content = fairopt.solve(w9, "sequential").to_json()
    content["bound"] = {
        "value": content["value"], "slack": 0, "proof": "solver", "data": {"backend": "z 1"},
    }  # fmt: skip
    content["status"], content["ratio"] = "optimal", 1.0
    assert verdicts(w9, content)[0]  # a claim, and so it says
    ok, said = verdicts(w9, content, confirm="cbc")
    assert not ok
    assert any("finds an answer of value 8/25" in v for v in said.values())


def test_a_solver_does_not_confirm_itself():
    problem = fairopt.load(W9.with_name("w4.json"))
    content = fairopt.solve(problem, "exact", backend="cbc").to_json()
    assert content["bound"]["proof"] == "solver"
    assert "same solver" in str(verdicts(problem, content, confirm="cbc")[1])
    assert "confirmed by highs" in str(verdicts(problem, content, confirm="highs")[1])
    with pytest.raises(fairopt.UsageError, match="backend"):
        verdicts(problem, content, confirm="nosuch")


def test_infeasible_on_a_word_is_said_to_be_so(w9):
    content = fairopt.solve(w9, "sequential").to_json()
    content |= {"status": "infeasible", "answer": None, "value": None, "bound": None}
    content |= {"ratio": None, "figures": {}, "claims": []}
    content.pop("value_float", None)
    content["infeasible"] = {"reason": "so", "proof": "solver", "data": {"backend": "z"}}
    ok, said = verdicts(w9, content)
    assert ok
    assert said["status infeasible"] == "verified, given what z claims"
    ok, said = verdicts(w9, content, confirm="highs")
    assert not ok


@pytest.mark.parametrize("name", ["bound", "bound[the optimum is]", "min_collateral[of x]"])
def test_a_claim_says_no_more_than_its_proof(w9, name):
    content = fairopt.solve(w9).to_json()
    assert verdicts(w9, content)[0]
    content["claims"][0]["name"] = name
    assert not verdicts(w9, content)[0]


@pytest.mark.parametrize(
    ("where", "value"),
    [("set", {"objective": "wiped"}), ("set", {"self": 3}), ("read", {"source": "x"})],
)
def test_a_solution_cannot_smuggle_in_another_question(w9, where, value):
    content = fairopt.solve(w9).to_json()
    content["instance"][where] = value
    with pytest.raises((fairopt.InstanceError, fairopt.UsageError)):
        fairopt.verify(W9, fairopt.load_solution(content))


def test_true_is_not_one(w9):
    content = fairopt.solve(w9, "exact").to_json()
    content["figures"]["ideal"] = 0
    assert not verdicts(w9, content)[0]


def test_methods_nobody_has_are_refuted(w9):
    content = fairopt.solve(w9).to_json()
    content["method"] = "teapot"
    assert not verdicts(w9, content)[0]


def test_a_ratio_beyond_floats_survives_its_file(tmp_path):
    path = DATA / "ratio_beyond_floats.json"
    solution = fairopt.solve(path, "sequential")
    fairopt.save(solution, tmp_path / "s.json")
    assert fairopt.verify(path, tmp_path / "s.json").ok


def test_a_misspelt_role_is_noted():
    solution = fairopt.solve(DATA / "misspelt_role.json")
    assert any(note.code == "unused-role" for note in solution.notes)


def test_a_slack_too_wide_neither_proves_nor_refutes_a_tuple():
    problem = fairopt.load(W9).replace(objective="worst-then-average")
    value = fairopt.solve(problem).value
    wide = Bound((value[0], value[1] * 2), "solver", {"backend": "z 1"}, 1000)
    assert judge.status_of(value, wide, problem.objective) == "feasible"
    tight = Bound((value[0], value[1] * 2), "solver", {"backend": "z 1"})
    assert judge.status_of(value, tight, problem.objective) is None
