"""Help, version, methods, generate, convert."""

from __future__ import annotations

import importlib
import json

import click
import pytest

import fairopt
from fairopt.cli.app import COMMANDS


def test_version(run):
    assert run("--version").stdout == f"fairopt {fairopt.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_with_an_example(run, toys, name):
    module, _, attribute = COMMANDS[name][0].partition(":")
    assert isinstance(getattr(importlib.import_module(module), attribute), click.Command)
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"\n  fairopt {name} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_short_help_in_the_table_begins_the_help_of_the_command(run, toys):
    for name, (_, words) in COMMANDS.items():
        shown = " ".join(run(name, "--help").stdout.split())
        assert words.rstrip(".").split(",")[0].split(";")[0] in shown, name


def test_reader_options_stand_in_the_help(run, toys):
    result = run("solve", "--help")
    options = result.stdout.partition("Options of readers:")[2]
    assert "--fold-case" in options
    assert "--columns LIST" in options


def test_no_command_is_a_usage_error(run):
    result = run()
    assert result.exit_code == 2
    assert "Commands:" in result.stderr


def test_unknown_command_has_a_hint(run, toys):
    assert "did you mean 'solve'?" in run("sovle").stderr
    assert "explain" in run("xyzzy").stderr


def test_problems_are_listed_with_their_titles(run, toys):
    assert "toy-pick pick a number" in " ".join(run("methods").stdout.split())
    rows = json.loads(run("methods", "--json").stdout)
    assert "greedy" in next(r for r in rows if r["problem"] == "toy-pick")["methods"]


def test_methods_of_a_problem_are_grouped_and_explained(run, toys):
    out = run("methods", "toy_pick").stdout
    assert out.index("\nexact\n") < out.index("\napproximation\n") < out.index("\nbaseline\n")
    assert "  exact (also best)" in out
    assert "reference: Folk" in out
    assert "options: backend: highs|cp-sat = highs" in out
    assert "breaks by design: positive" in out
    assert "fairopt audit" in out
    assert max(map(len, out.splitlines())) <= 80


def test_methods_as_json(run, toys):
    rows = {row["name"]: row for row in json.loads(run("methods", "toy-pick", "--json").stdout)}
    assert rows["endless"]["objectives"] == ["most"]
    assert rows["greedy"]["options"][0] == {
        "name": "share",
        "type": "number",
        "required": False,
        "default": "1/2",
    }


def test_unknown_problem(run, toys):
    result = run("methods", "toy-pik")
    assert result.exit_code == 2
    assert "did you mean 'toy-pick'?" in result.stderr


def test_generators_are_listed(run, toys):
    out = run("generate", "toy-pick").stdout
    assert out.splitlines()[0] == "numbers"
    assert "parameters: most: int = 10" in out


def test_generated_instance_can_be_solved(run, toys, tmp_path):
    path = tmp_path / "made.json"
    args = ("generate", "toy-pick", "numbers", "--seed", 5, "--set", "most=20")
    assert run(*args, "-o", path).exit_code == 0
    assert json.loads(path.read_text()) == json.loads(run(*args).stdout)
    assert json.loads(run("solve", path, "--json").stdout)["value"] == 5


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["toy-pik"], "did you mean"),
        (["toy-pick", "letters"], "choose from numbers"),
        (["toy-pick", "numbers", "--set", "least=1"], "no option 'least'"),
        (["toy-pick", "numbers", "--set", "most=x"], "--set most: expected int"),
        (["toy-pick", "numbers", "--set", "seed=1"], "--seed"),
        (["toy-pick", "numbers", "-o", "/nowhere/x.json"], "cannot be written"),
        (["toy-pick", "-o", "x.json"], "name a generator"),
    ],
)
def test_wrong_use_of_generate(run, toys, args, word):
    result = run("generate", *args)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert word in result.stderr


def test_convert_there_and_back(run, toy, tmp_path):
    path, table, back = toy(), tmp_path / "t.toycsv", tmp_path / "back.json"
    assert run("convert", path, table, "--set", "size=8").exit_code == 0
    assert table.read_text() == "size\n8\n"
    assert run("convert", table, back).exit_code == 0
    assert json.loads(back.read_text())["size"] == 8


def test_wrong_use_of_convert(run, toy, tmp_path):
    path = toy()
    for target, word in [
        (path, "is the input file"),
        (tmp_path / "x.odt", "can be written as .json"),
        (tmp_path / "no" / "x.json", "cannot be written"),
    ]:
        result = run("convert", path, target)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert word in result.stderr
