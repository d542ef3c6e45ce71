"""The commands from end to end on the instances that are shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "instances" / "desk_rejection"
SMALL = sorted(path.stem for path in FOLDER.glob("w?.json"))


@pytest.mark.parametrize("name", SMALL)
def test_small_instance_is_solved_as_expected_and_verified(run, tmp_path, name):
    path, out = FOLDER / f"{name}.json", tmp_path / "solution.json"
    expected = json.loads(path.read_text()).get("expected", {})
    for objective in {"max-accept", "average", "wiped"} & expected.keys():
        solved = run("solve", path, "--objective", objective, "--json", "-o", out)
        assert solved.exit_code == 0, solved.stderr
        assert json.loads(solved.stdout)["value"] == expected[objective]
        verified = run("verify", path, out)
        assert verified.exit_code == 0, verified.stdout


def test_real_instance_in_csv(run, tmp_path):
    path, out = FOLDER / "coauth_cora.csv.gz", tmp_path / "solution.json"
    args = ("--set", "limit=5", "--method", "sequential", "--objective", "average", "-o", out)
    solved = run("solve", path, "--problem", "desk_rejection", *args)
    assert solved.exit_code == 0, solved.stderr
    assert "read as papers CSV (desk-rejection)" in solved.stderr
    assert max(map(len, solved.stdout.splitlines())) <= 80
    verified = run("verify", path, out)
    assert verified.exit_code == 0, verified.stdout
    assert "question: limit = 5, set by the solution, not in the file" in verified.stdout


def test_contradiction_in_the_rules_is_proven(run, tmp_path):
    path, out = tmp_path / "both.json", tmp_path / "solution.json"
    papers = [{"id": p, "authors": ["x"], "must_keep": True} for p in ("p1", "p2")]
    path.write_text(json.dumps({"problem": "desk-rejection", "limit": 1, "papers": papers}))
    solved = run("solve", path, "-o", out)
    assert solved.exit_code == 3
    assert "infeasible: author x must keep 2 papers" in " ".join(solved.stdout.split())
    assert run("verify", path, out).exit_code == 0


def test_comparison_fits_a_terminal(run):
    result = run("compare", FOLDER / "w6.json", "--methods", "sequential,rank-cut,greedy")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
