from __future__ import annotations

import json

import pytest


@pytest.fixture
def solved(run, toy, tmp_path):
    """Solve a toy; return its path and that of the solution."""

    def solve(*args):
        path, out = toy(), tmp_path / "solution.json"
        assert run("solve", path, "-o", out, *args).exit_code == 0
        return path, out

    return solve


def test_question_comes_first_and_claims_have_one_line_each(run, solved):
    result = run("verify", *solved("--set", "size=4"))
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0] == "question: problem toy-pick, objective most"
    assert lines[1] == "question: size = 4, set by the solution, not in the file"
    assert any(line.split() == ["value", "verified"] for line in lines)
    assert any(line.startswith("bound 3") and "claimed by highs 9" in line for line in lines)
    assert "verified, but 1 of 7 claims rests on a solver's word" in result.stdout.replace(
        "\n", " "
    )


def test_recomputed_bound_rests_on_nobody(run, solved):
    result = run("verify", *solved("--method", "greedy"))
    assert "recomputed from the instance (largest)" in result.stdout
    assert "none rests on a solver's word" in result.stdout


def test_changed_solution_is_refuted(run, solved):
    path, out = solved()
    content = json.loads(out.read_text())
    out.write_text(json.dumps({**content, "value": 3}))
    result = run("verify", path, out)
    assert result.exit_code == 1
    assert "REFUTED: it is 4" in result.stdout
    assert result.stdout.splitlines()[-1] == "REFUTED: 2 of 7 claims"
    report = run("verify", path, out, "--json")
    assert report.exit_code == 1
    assert json.loads(report.stdout)["ok"] is False


def test_other_instance_is_refuted(run, solved, toy):
    _, out = solved()
    other = toy("other.json", size=6)
    result = run("verify", other, out)
    assert result.exit_code == 1
    assert "REFUTED: its digest is" in result.stdout


def test_confirm_asks_another_backend(run, solved):
    result = run("verify", *solved(), "--confirm", "cp-sat")
    assert result.exit_code == 0
    assert "claimed by highs 9, to within 1e-9; confirmed by cp-sat 9" in result.stdout.replace(
        "1e-09", "1e-9"
    )
    assert "1 confirmed by cp-sat" in result.stdout.replace("\n", " ")


def test_setting_that_no_longer_exists_is_one_line(run, solved):
    path, out = solved("--set", "size=4")
    content = json.loads(out.read_text())
    content["instance"]["set"] = {"colour": 1}
    out.write_text(json.dumps(content))
    result = run("verify", path, out)
    assert result.exit_code == 2
    assert "no field 'colour'" in result.stderr
