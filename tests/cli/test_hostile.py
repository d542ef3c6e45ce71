"""Files that no honest program wrote: one line on stderr, exit code 2."""

from __future__ import annotations

import gzip
import json

import pytest

GOOD = b'{"problem": "toy-pick", "size": 5}'

FILES = {
    "missing": (None, "no such file"),
    "empty": (b"", "is empty"),
    "blank": (b" \n\t\n", "is empty"),
    "binary": (bytes(range(256)) * 20, "fits no known format"),
    "not_utf8": (b'{"problem": "toy-pick", "name": "\xff\xfe"}', "is not UTF-8"),
    "nul": (b'{"problem": "toy\x00pick"}', "is not valid JSON"),
    "truncated": (GOOD[:-3], "line 1 column"),
    "two_documents": (GOOD + GOOD, "is not valid JSON"),
    "list": (b"[1, 2]", "expected a JSON object"),
    "truncated_gzip": (gzip.compress(GOOD)[:-9], "truncated gzip"),
    "damaged_gzip": (b"\x1f\x8b\x08rubbish", "damaged"),
    "deep": (b'{"problem": "toy-pick", "size": ' + b"[" * 100_000, "nested too deeply"),
    "deep_objects": (b'{"a":' * 50_000, "nested too deeply"),
    "nan": (b'{"problem": "toy-pick", "size": NaN}', "holds NaN"),
    "infinity": (b'{"problem": "toy-pick", "size": -Infinity}', "holds -Infinity"),
    "huge_int": (b'{"problem": "toy-pick", "size": ' + b"9" * 5000 + b"}", "400 digits"),
    "huge_exponent": (b'{"problem": "toy-pick", "size": 1, "unit": 1e9999999}', "unit"),
    "beyond_decimal": (
        b'{"problem": "toy-pick", "size": 1, "unit": 1e99999999999999999999}',
        "holds a number that is too long",
    ),
    "fraction_by_zero": (b'{"problem": "toy-pick", "size": 1, "unit": "1/0"}', "unit"),
    "repeated_key": (b'{"problem": "toy-pick", "size": 1, "size": 2}', "size: the key is repeated"),
    "unknown_key": (b'{"problem": "toy-pick", "size": 1, "sise": 2}', "sise: unknown key"),
    "wrong_type": (b'{"problem": "toy-pick", "size": "five"}', "size: expected int"),
    "float_for_int": (b'{"problem": "toy-pick", "size": 1.5}', "size: expected int"),
    "null_for_int": (b'{"problem": "toy-pick", "size": null}', "size: expected int"),
    "wrong_item": (b'{"problem": "toy-pick", "size": 1, "names": ["a", 1]}', "names[1]"),
    "missing_key": (b'{"problem": "toy-pick"}', "size"),
    "no_problem": (b'{"size": 5}', "does not name its problem"),
    "problem_number": (b'{"problem": 5}', "problem: expected a text"),
    "unknown_problem": (b'{"problem": "toy-pik"}', "did you mean 'toy-pick'"),
    "unknown_objective": (b'{"problem": "toy-pick", "size": 1, "objective": "x"}', "objective"),
    "bad_seed": (b'{"problem": "toy-pick", "size": 1, "seed": "x"}', "seed: expected"),
    "negative_seed": (b'{"problem": "toy-pick", "size": 1, "seed": -1}', "seed: expected"),
    "bad_limit": (b'{"problem": "toy-pick", "size": 1, "time_limit": -1}', "time_limit: expected"),
    "bad_threads": (b'{"problem": "toy-pick", "size": 1, "threads": 0}', "threads: expected"),
    "unknown_method": (b'{"problem": "toy-pick", "size": 1, "method": "x"}', "no method 'x'"),
    "lone_surrogate": (
        b'{"problem": "toy-pick", "size": 1, "names": ["a", "\\ud800"]}',
        "names[1]",
    ),
    "surrogate_key": (b'{"problem": "toy-pick", "size": 1, "\\udfff": 1}', "surrogate"),
    "escape_sequences": (b'{"problem": "toy-pick", "size": 1, "\\u001b[31m": 1}', "unknown key"),
}  # fmt: skip


@pytest.mark.parametrize("command", ["solve", "compare", "convert", "audit"])
@pytest.mark.parametrize("kind", FILES)
def test_hostile_instance_is_one_line(run, toys, tmp_path, kind, command):
    content, word = FILES[kind]
    path = tmp_path / "hostile.json"
    if content is not None:
        path.write_bytes(content)
    more = {"convert": [tmp_path / "out.json"], "compare": ["--methods", "exact"]}
    if kind == "unknown_method" and command != "solve":
        pytest.skip("only solving asks for a method")
    result = run(command, path, *more.get(command, []))
    assert (result.exit_code, result.stdout) == (2, "")
    _one_line(result.stderr, word)
    if kind not in ("unknown_method", "unknown_problem", "unknown_objective"):
        assert "hostile.json" in result.stderr


@pytest.mark.parametrize("kind", [k for k in FILES if k != "missing"])
def test_hostile_solution_is_one_line(run, toy, tmp_path, kind):
    path = tmp_path / "hostile.json"
    path.write_bytes(FILES[kind][0])
    result = run("verify", toy(), path)
    assert (result.exit_code, result.stdout) == (2, "")
    _one_line(result.stderr, "hostile.json")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"status": "perfect"}, "status"),
        ({"status": None}, "status"),
        ({"value": {}}, "value"),
        ({"value": "x"}, "value"),
        ({"bound": {"value": 4}}, "bound"),
        ({"bound": {"value": 4, "proof": "solver", "data": [], "slack": 0}}, "bound.data"),
        ({"figures": []}, "figures"),
        ({"claims": [{}]}, "claims[0]"),
        ({"instance": {"digest": 5}}, "instance.digest"),
        ({"instance": {"digest": "", "set": {"size": "x"}}}, "size"),
        ({"instance": {"digest": "", "read": {"columns": 3}}}, "columns"),
        ({"problem": "toy-pik"}, "toy-pik"),
        ({"surprise": 1}, "surprise: unknown key"),
    ],
)
def test_hostile_field_of_a_solution_is_named(run, toy, tmp_path, change, word):
    path, out = toy(), tmp_path / "solution.json"
    run("solve", path, "-o", out)
    out.write_text(json.dumps({**json.loads(out.read_text()), **change}))
    result = run("verify", path, out)
    assert (result.exit_code, result.stdout) == (2, "")
    _one_line(result.stderr, word)


@pytest.mark.parametrize("answer", [{}, [], 5, "x", {"pick": "x"}, {"pick": 10**30}, {"pick": -1}])
def test_hostile_answer_is_refuted(run, toy, tmp_path, answer):
    path, out = toy(), tmp_path / "solution.json"
    run("solve", path, "-o", out)
    out.write_text(json.dumps({**json.loads(out.read_text()), "answer": answer}))
    result = run("verify", path, out)
    assert result.exit_code == 1
    assert "REFUTED" in result.stdout


@pytest.mark.parametrize(
    "change",
    [
        {"value": [1, 2]},
        {"value": True},
        {"bound": {"value": None, "proof": "theorem"}},
        {"bound": {"value": [[1, 2]], "proof": "solver", "data": {"backend": "highs"}}},
        {"bound": {"value": 4, "proof": "solver", "data": {"backend": 5}}},
        {"bound": {"value": 4, "proof": "solver", "data": {}}},
        {"bound": {"value": 4, "proof": "magic"}},
        {"bound": {"value": 4, "proof": "combinatorial", "data": {"rule": ["largest"]}}},
        {"bound": {"value": 4, "proof": "solver", "data": {"backend": "h"}, "slack": "inf"}},
        {"bound": {"value": 4, "proof": "solver", "data": {"backend": "h"}, "slack": -1}},
        {"figures": {"pick": 4, "share": "4/5", "share_float": {"a": 1}, "hidden": 7}},
        {"claims": [{"name": "c", "value": 1, "proof": "combinatorial", "data": {"rule": 5}}]},
    ],
)
def test_hostile_value_or_proof_is_refuted(run, toy, tmp_path, change):
    path, out = toy(), tmp_path / "solution.json"
    run("solve", path, "-o", out)
    out.write_text(json.dumps({**json.loads(out.read_text()), **change}))
    result = run("verify", path, out)
    assert result.exit_code == 1, result.stderr
    assert "REFUTED" in result.stdout


def test_numbers_of_a_result_may_be_longer_than_those_of_an_instance(run, toy, tmp_path):
    path, out = toy(), tmp_path / "solution.json"
    args = ("--set", f"size={10**300}", "--set", f"unit={10**390}", "-o", out)
    assert run("solve", path, *args).exit_code == 0
    assert len(out.read_text()) > 690
    verified = run("verify", path, out)
    assert verified.exit_code == 0, verified.stderr


def test_directory_as_instance_and_as_solution(run, toy, tmp_path):
    for args in (["solve", tmp_path], ["verify", toy(), tmp_path], ["verify", tmp_path, toy()]):
        result = run(*args)
        assert result.exit_code == 2
        _one_line(result.stderr, "")


def test_instance_and_solution_exchanged(run, toy, tmp_path):
    path, out = toy(), tmp_path / "solution.json"
    run("solve", path, "-o", out)
    _one_line(run("solve", out).stderr, "solution.json: is a solution file, not an instance")
    _one_line(run("verify", out, path).stderr, "toy.json: is not a solution file")


def test_no_permission(run, toy, monkeypatch):
    path = toy()

    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    result = run("solve", path)
    assert result.exit_code == 2
    _one_line(result.stderr, "toy.json: no permission to read it")


@pytest.mark.parametrize("name", ["x\0y", "\udcff.json", "x" * 5000, ""])
def test_path_that_no_file_can_have(run, toys, name):
    result = run("solve", name)
    assert result.exit_code == 2
    assert result.stderr.count("\n") <= 2


def test_file_name_that_is_no_text(run, toys, tmp_path):
    path = tmp_path / "\udcff.json"
    path.write_bytes(GOOD)
    result = run("solve", path, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["value"] == 4


def _one_line(text: str, word: str) -> None:
    assert text.count("\n") == 1, text
    assert text.startswith("fairopt: ")
    assert text.rstrip("\n").isprintable()
    assert len(text) < 520
    assert word in text
