from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

import fairopt
from fairopt.cli import reading
from fairopt.errors import UsageError


def rows(text: str) -> Mapping[str, str]:
    """Return the two columns of a table of pairs."""
    return {k.strip(): v for k, _, v in (line.partition("  ") for line in text.splitlines())}


def test_table_names_question_status_value_bound_and_prover(run, toy):
    result = run("solve", toy())
    table = rows(result.stdout)
    assert result.exit_code == 0
    assert table["toy-pick"].strip() == "toy: 5 numbers"
    assert table["status"].strip() == "optimal to 1e-9, claimed by highs 9"
    assert table["bound"].strip() == "4, claimed by highs 9, to within 1e-9"
    assert table["share of the largest"].strip() == "4/5 = 0.8"
    assert "hidden" not in result.stdout, "only what the view lists"
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_proven_bound_ratio_and_notes(run, toy):
    result = run("solve", toy(), "--method", "greedy", "--set", "share=1/3")
    table = rows(result.stdout)
    assert table["bound"].strip() == "4, proven by a recomputable certificate (largest)"
    assert table["ratio"].strip().startswith("4.0000 (at most")
    assert table["method"].strip() == "greedy, share = 0.3333"
    assert table["note"].strip() == "looked once [hasty]"


def test_json_is_exactly_the_solution(run, toy, tmp_path):
    out = tmp_path / "solution.json.gz"
    result = run("solve", toy(), "--json", "-o", out, "--seed", 7, "--threads", 2)
    printed = json.loads(result.stdout)
    assert printed == json.loads(gzip.decompress(out.read_bytes()))
    assert (printed["seed"], printed["threads"], printed["value"]) == (7, 2, 4)
    assert "written to" in result.stderr
    assert fairopt.load_solution(out).value == 4


def test_file_gives_defaults_and_flags_override_them(run, toy):
    path = toy(method="greedy", seed=3, threads=2, time_limit=9, objective="share")
    assert _solved(run, path, "method", "seed", "threads") == ("greedy", 3, 2)
    flags = ("--method", "best", "--seed", 4, "--objective", "most")
    assert _solved(run, path, "method", "seed", "objective", flags=flags) == ("exact", 4, "most")


def _solved(run, path, *keys, flags=()):
    solution = json.loads(run("solve", path, "--json", *flags).stdout)
    return tuple(solution[key] for key in keys)


@pytest.mark.parametrize(
    ("setting", "stored"),
    [
        ("size=3", {"size": 3}),
        ("unit=0.1", {"unit": "1/10", "unit_float": 0.1}),
        ("unit=2/3", {"unit": "2/3", "unit_float": 2 / 3}),
        ("names=a,b", {"names": ["a", "b"]}),
        ('names=["x, y"]', {"names": ["x, y"]}),
        ("names=1,2", {"names": ["1", "2"]}),
        ("label=007", {"label": "007"}),
        ("label=true", {"label": "true"}),
        ("rule.kind=a_b", {"rule.kind": "a-b"}),
    ],
)
def test_set_takes_a_field_by_its_type(run, toy, setting, stored):
    result = run("solve", toy(), "--json", "--method", "nothing", "--set", setting)
    got = json.loads(result.stdout)["instance"]["set"]
    assert {k: v for k, v in got.items() if k in stored} == {
        k: v for k, v in stored.items() if k in got
    }
    assert got.keys() & stored.keys()


def test_set_takes_an_option_of_the_method(run, toy):
    args = ("--method", "greedy", "--json", "--set", "share=0.1", "--set", "remark=12")
    options = json.loads(run("solve", toy(), *args).stdout)["options"]
    assert options == {"share": "1/10", "share_float": 0.1, "remark": "12"}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--set", "colour=1"], ["--set colour", "size, unit", "options of auto: backend"]),
        (["--set", "size"], ["--set size: expected KEY=VALUE"]),
        (["--set", "=3"], ["expected KEY=VALUE"]),
        (["--set", "size=1", "--set", "size=2"], ["--set size is given twice"]),
        (["--set", "size=x"], ["--set size: expected int"]),
        (["--set", "size=1e400"], ["--set size: expected int"]),
        (["--set", "size=NaN"], ["--set size: expected int"]),
        (["--set", "size=" + "9" * 500], ["--set size"]),
        (["--set", "size=" + "[" * 5000], ["--set size", "nested too deeply"]),
        (["--set", 'names={"a":1,"a":2}'], ["--set names", "repeated"]),
        (["--set", "unit=1/0"], ["--set unit", "division by zero"]),
        (["--set", "rule.kind=z"], ["--set rule.kind", "choose from a-b, c"]),
        (["--set", "backend=abacus"], ["--set backend", "highs, cp-sat"]),
        (["--set", "size=-1"], ["size: must be at least 0"]),
        (["--set", "objective=most"], ["use the flag --objective most"]),
        (["--set", "time-limit=3"], ["use the flag --time-limit 3"]),
        (["--method", "exacct"], ["no method 'exacct'", "did you mean 'exact'"]),
        (["--method", "endless", "--objective", "share"], ["endless serves most"]),
        (["--objective", "least"], ["no objective 'least'", "most, share"]),
        (["--problem", "pick"], ["no problem 'pick'"]),
        (["--problem", "desk-rejection"], ["toy.json", "'toy-pick'"]),
        (["--time-limit", "-1"], ["--time-limit"]),
        (["--time-limit", "nan"], ["--time-limit"]),
        (["--threads", "0"], ["--threads"]),
        (["--seed", "one"], ["--seed"]),
        (["--max-bytes", "10"], ["toy.json", "larger than 10 bytes"]),
        (["--fold-case"], ["a JSON instance has no reader option 'fold_case'"]),
        (["--read", "shape=1"], ["no reader has an option 'shape'"]),
        (["--column", "a", "--read", "column=b"], ["column is given twice"]),
        (["--colour"], ["--colour"]),
        (["more.json"], ["more.json"]),
    ],
)
def test_wrong_use_is_named_in_one_or_two_lines(run, toy, args, words):
    result = run("solve", toy(), *args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) <= 2
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--method", "stumble"], 0),
        (["--set", "size=0"], 3),
        (["--method", "nothing"], 4),
        (["--method", "wrong"], 5),
        (["--method", "crash"], 5),
        (["--method", "endless", "--time-limit", "1e-6"], 0),
        (["--method", "endless", "--time-limit", "1e-6", "--set", "offers=false"], 4),
    ],
)
def test_exit_codes(run, toy, args, code):
    result = run("solve", toy(), *args)
    assert result.exit_code == code
    assert len(result.stderr.splitlines()) <= 1


def test_why_it_stopped_is_said(run, toy):
    result = run("solve", toy(), "--method", "endless", "--time-limit", "1e-6")
    assert "feasible, stopped by the time limit" in result.stdout


def test_debug_shows_the_traceback(run, toy, monkeypatch):
    monkeypatch.setenv("FAIROPT_DEBUG", "1")
    with pytest.raises(AssertionError, match="of all things"):
        run("solve", toy(), "--method", "crash")


@pytest.mark.parametrize("target", ["missing/solution.json", ".", "x" * 300])
def test_output_that_cannot_be_written_is_said_before_the_work(run, toy, tmp_path, target):
    result = run("solve", toy(), "--method", "crash", "-o", tmp_path / target)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "cannot be written" in result.stderr


def test_output_never_replaces_the_instance(run, toy):
    path = toy()
    before = path.read_text()
    result = run("solve", path, "-o", path)
    assert result.exit_code == 2
    assert "is the input file" in result.stderr
    assert path.read_text() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_output_without_permission(toy, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        reading.writable(str(tmp_path / "solution.json"))


def test_answer_is_shown_even_if_writing_fails(run, toy, monkeypatch, tmp_path):
    def full(*_):
        raise UsageError("solution.json: cannot be written (No space left on device)")

    monkeypatch.setattr("fairopt.files.write_bytes", full)
    result = run("solve", toy(), "-o", tmp_path / "solution.json")
    assert result.exit_code == 2
    assert "optimal" in result.stdout
    assert "No space left" in result.stderr


def test_recognised_format_is_named_on_stderr(run, toys, tmp_path):
    path = tmp_path / "numbers.toycsv"
    path.write_text("other,size\n3,8\n")
    result = run("solve", path, "--json")
    assert "read as toy CSV (toy-pick)" in result.stderr
    assert json.loads(result.stdout)["value"] == 7
    assert run("solve", path, "-q").stderr == ""


@pytest.mark.parametrize("args", [["--column", "other"], ["--read", "column=other"]])
def test_reader_options_are_flags_and_are_stored(run, toys, tmp_path, args):
    path = tmp_path / "numbers.toycsv"
    path.write_text("other,size\n3,8\n")
    more = ["--columns", "a,b", "--fold-case"]
    solution = json.loads(run("solve", path, "--json", *args, *more).stdout)
    assert solution["value"] == 2
    read = solution["instance"]["read"]
    assert (read["column"], read["columns"], read["fold_case"]) == ("other", ["a", "b"], True)


def test_hostile_names_cannot_write_to_the_terminal(run, toy):
    result = run("solve", toy(name="a\x1b[2Jb\nstatus  optimal"))
    assert "\x1b[2J" not in result.stdout
    assert Path("a").name in result.stdout
