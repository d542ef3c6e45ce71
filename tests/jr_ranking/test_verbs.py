"""The command ``audit``, and what is said to people."""

import json

import pytest
from click.testing import CliRunner

import fairopt
from fairopt.cli.app import cli
from fairopt.errors import UsageError
from fairopt.problems.jr_ranking import view
from fairopt.problems.jr_ranking.verbs import audit
from jr_ranking.examples import E2


@pytest.fixture
def folder(request):
    return request.config.rootpath / "instances" / "jr_ranking"


def run(*words):
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_audit_on_the_command_line(folder):
    done = run("audit", folder / "e2.json", "--selected", "2,3,4", "--axioms", "jr,pjr+,ejr+,core")
    assert done.exit_code == 1
    assert "weight 4 deserves 2" in done.output
    done = run("audit", folder / "e2.json", "--selected", "0, 1,2", "--axioms", "jr,ejr+", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert [(f["axiom"], f["verdict"]) for f in found["findings"]] == [
        ("jr", "holds"), ("ejr+", "holds"),
    ]  # fmt: skip


def test_audit_of_ids(folder):
    done = run("audit", folder / "named.json", "--selected", "bikes,trees", "--json")
    assert json.loads(done.stdout)["selected"] == ["bikes", "trees"]
    assert run("audit", folder / "named.json", "--selected", "3,nobody").exit_code == 2
    assert run("audit", folder / "named.json", "--selected", "3,trees").exit_code == 2
    assert run("audit", folder / "named.json").exit_code == 2


def test_audit_of_a_solution(tmp_path):
    problem = fairopt.load({"problem": "jr-ranking", **E2})
    solution = {
        "fairopt": "0.1.0", "problem": "jr-ranking", "objective": "score", "method": "top-k",
        "instance": {"name": None, "digest": problem.digest(), "read": {}, "set": {}},
        "status": "feasible", "stopped_by": "completed", "bound": None, "ratio": None,
        "options": {}, "seed": 0, "threads": 1, "figures": {}, "claims": [], "notes": [],
        "seconds": {},        "versions": {}, "value": "10", "answer": {"selected": [4, 5, 0]},
    }  # fmt: skip
    fairopt.save(problem, tmp_path / "e2.json")
    (tmp_path / "solution.json").write_text(json.dumps(solution))
    done = run("audit", tmp_path / "e2.json", tmp_path / "solution.json", "--axioms", "jr,pjr")
    assert done.exit_code == 1, done.output
    assert "comments 4, 5, 0" in done.output


def test_undecided_is_an_exit_code_of_its_own(monkeypatch):
    from fairopt.problems.jr_ranking import audit as audits

    class Limit:
        holds, witness, decided_by, note = None, None, "highs 1.16.0", ""

    problem = fairopt.load({"problem": "jr-ranking", **E2})
    monkeypatch.setattr(audits, "resolve", lambda target: lambda *args, **more: Limit)
    found = audit(problem, selected="0,1,2", axioms="jr,core")
    assert found.exit_code == 4
    assert found.data["findings"][1]["verdict"] == "unknown"


@pytest.mark.parametrize("axiom", ["ejr", "pjr", "fjr", "core", "utility-jr"])
def test_a_group_that_does_not_go_without_is_not_believed(monkeypatch, axiom):
    from fairopt.problems.jr_ranking import audit as audits
    from fairopt.problems.jr_ranking import cohesive

    class Wrong:
        holds, decided_by, note = False, "highs 1.16.0", ""
        witness = {"comments": [4], "level": 1, "users": [4, 5]}  # noqa: RUF012

    problem = fairopt.load({"problem": "jr-ranking", **E2})
    monkeypatch.setattr(audits, "resolve", lambda target: lambda *args, **more: Wrong)
    monkeypatch.setattr(cohesive, "STEPS", 0)
    finding = fairopt.audit(problem, (2, 4, 5), [axiom])[axiom]
    if finding.decided_by == "highs 1.16.0":
        assert (finding.verdict, finding.witness) == ("unknown", None)


def test_solution_without_an_answer():
    problem = fairopt.load({"problem": "jr-ranking", **E2})
    with pytest.raises(UsageError, match="either a solution file or --selected"):
        audit(problem)


def test_description_and_notes():
    problem = fairopt.load({"problem": "jr-ranking", **E2})
    assert view.describe(problem) == (
        "3 of 6 comments for 6 users, 14 approvals; jr with the hare quota, scores list"
    )
    assert [n.text for n in problem.notes()] == ["not given, so: axiom jr; quota hare"]
    ranked = problem.replace(mode="ranking", axiom="jr", quota="droop")
    assert "ranking, cutoffs 3" in view.describe(ranked)
    assert "position_weights dcg" in ranked.notes()[0].text
    figures = problem.check(problem.feed((0, 4, 5))).figures
    assert {row[0] for row in view.FIGURES} == set(figures)


def test_a_table_is_told_by_a_setting_how_many_to_show(folder, tmp_path):
    votes, out = folder / "polis_policing_participants-votes.csv", tmp_path / "solution.json"
    assert run("solve", votes, "--set", "k=5", "-o", out).exit_code == 0
    assert len(json.loads(out.read_text())["answer"]["selected"]) == 5
    assert run("verify", votes, out).exit_code == 0  # from the two files alone
    missing = run("solve", votes)
    assert missing.exit_code == 2
    assert "--set k=8" in missing.output
