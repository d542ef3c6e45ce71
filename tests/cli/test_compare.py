from __future__ import annotations

import csv
import io
import json

METHODS = "exact,greedy,crash,wrong,below,nothing"


def test_table_marks_the_best_and_those_that_break_rules(run, toy):
    result = run("compare", toy(expected={"optimum": 4}), "--methods", METHODS)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert any(line.split() == ["expected", "optimum", "4"] for line in lines)
    exact = next(line for line in lines if line.startswith("exact"))
    assert exact.split()[:5] == ["exact", "optimal", "4*", "4*", "highs"]
    assert next(line for line in lines if line.startswith("greedy")).split()[2] == "2"
    assert next(line for line in lines if line.startswith("below !")).split()[3] == "-3"
    assert any(line.startswith("below") and "breaks positive" in line for line in lines)
    assert any(line.startswith("crash") and "ZeroDivisionError" in line for line in lines)
    assert any(line.startswith("wrong") and "breaks size" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_all_of_a_tie_are_marked(run, toy):
    result = run("compare", toy(size=1), "--methods", "exact,greedy")
    marked = [line.split()[2] for line in result.stdout.splitlines() if " 0* " in line]
    assert marked == ["0*", "0*"]


def test_without_methods_those_that_serve_the_objective_run(run, toy):
    result = run("compare", toy(objective="share"), "--json")
    methods = [row["method"] for row in json.loads(result.stdout)["rows"]]
    assert methods == ["exact", "greedy", "crash", "stumble", "wrong", "below", "nothing"]


def test_csv_has_one_line_per_method(run, toy):
    result = run("compare", toy(), "--methods", "exact,wrong", "--csv")
    exact, wrong = csv.DictReader(io.StringIO(result.stdout))
    assert (exact["value"], exact["figure_share"], exact["bound_by"]) == ("4", "4/5", "highs 9")
    assert wrong["error"] == "wrong: the answer breaks size at pick by 1"


def test_exit_code_is_that_of_the_best_row(run, toy):
    path = toy()
    assert run("compare", path, "--methods", "nothing").exit_code == 4
    assert run("compare", path, "--methods", "nothing,crash").exit_code == 4
    assert run("compare", path, "--methods", "crash").exit_code == 5
    infeasible = run("compare", path, "--methods", "exact", "--set", "size=0")
    assert infeasible.exit_code == 3
    assert "no number is below 0" in infeasible.stdout


def test_wrong_use(run, toy):
    path = toy()
    for args, word in [
        (["--methods", ","], "names no method"),
        (["--methods", "exact,nope"], "no method 'nope'"),
        (["--json", "--csv"], "choose one"),
        (["--set", "backend=highs"], "no field 'backend'"),
    ]:
        result = run("compare", path, *args)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert word in result.stderr
