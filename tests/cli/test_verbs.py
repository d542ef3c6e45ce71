from __future__ import annotations

import json

import pytest


@pytest.fixture
def solved(run, toy, tmp_path):
    path, out = toy(), tmp_path / "solution.json"
    assert run("solve", path, "-o", out, "--set", "size=4").exit_code == 0
    return path, out


def test_verb_gets_the_problem_as_asked_and_the_answer(run, solved):
    result = run("explain", *solved, "--times", 2, "--words", "x,y")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "because of the size",
        "",
        "word  pick",
        "x        6",
        "y        6",
    ]
    assert json.loads(run("explain", *solved, "--json").stdout) == {"pick": 3}


def test_verb_decides_the_exit_code(run, toy):
    result = run("audit", toy(), "--set", "size=9")
    assert (result.exit_code, result.stdout) == (0, "holds: yes\nsolved: no\n")
    assert run("audit", toy(), "--strict").exit_code == 1


def test_help_of_a_verb(run, toys):
    result = run("audit", "--help")
    assert "Audit a toy (toy-pick)." in result.stdout
    assert "fairopt audit toy.json --strict" in result.stdout


def test_problem_without_the_verb_names_those_it_has(run, toys, toy, monkeypatch):
    import toy_family

    path = toy()
    monkeypatch.setattr(toy_family, "VERBS", toy_family.VERBS)
    from fairopt.cli import verb

    owners = {"other-toy": toy_family.VERBS[2]}
    command = verb._command("hide", owners)
    monkeypatch.setattr("fairopt.cli.verb.verb_command", lambda name: command)
    result = run("hide", path)
    assert result.exit_code == 2
    assert "toy-pick has no command 'hide'; it has explain, audit" in result.stderr


def test_wrong_use_of_verbs(run, solved, toy):
    path, out = solved
    content = json.loads(out.read_text())
    foreign = out.with_name("foreign.json")
    foreign.write_text(json.dumps({**content, "instance": {"digest": "sha256:0"}}))
    broken = out.with_name("broken.json")
    broken.write_text(json.dumps({**content, "answer": {"pick": "three"}}))
    for args, word in [
        (["explain", path], "explain of toy-pick needs a solution file after the instance"),
        (["explain", path, out, "--times", "x"], "--times: expected int"),
        (["explain", path, out, "--set", "size=3"], "--set"),
        (["explain", path, path], "is not a solution file"),
        (["explain", path, foreign], "solution of another instance"),
        (["explain", path, broken], "answer"),
        (["explain", out, out], "is a solution file, not an instance"),
    ]:
        result = run(*args)
        assert result.exit_code == 2, args
        assert result.stderr.count("\n") <= 2
        assert word in result.stderr
