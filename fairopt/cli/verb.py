"""Commands of single problems (``audit``, ``explain`` …), built from their views.

A verb may belong to several problems. Its options are the union of theirs; which function is
called, and which of the options it takes, is known once INSTANCE is read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fairopt import registry
from fairopt.cli import reading, show, values, views
from fairopt.errors import InstanceError, UsageError
from fairopt.options import Option, options_of, typed_options
from fairopt.verbs import Result, Table, Verb

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.solution import Solution

_PREFIX = "verb_"


def verb_names() -> list[str]:
    """Return the names of all verbs of all problems."""
    found = (v.name for e in registry.problem_entries() for v in views.verbs(e.name))
    return list(dict.fromkeys(found))


def verb_command(name: str) -> click.Command | None:
    """Return the command of a verb, or None if no problem has it."""
    canonical = name.replace("_", "-")
    owners = {
        entry.name: verb
        for entry in registry.problem_entries()
        for verb in views.verbs(entry.name)
        if verb.name == canonical
    }
    return _command(canonical, owners) if owners else None


def _command(name: str, owners: Mapping[str, Verb]) -> click.Command:
    functions = {problem: registry.resolve(verb.target) for problem, verb in owners.items()}
    takes = [_solution_argument(f) for f in functions.values()]

    @reading.reading
    def run(
        instance: str, solution: str | None = None, *, as_json: bool, quiet: bool, **given: Any
    ) -> int:
        asked = {**given, "quiet": quiet}
        return _run(name, instance, solution, asked, as_json)

    parameters: list[click.Parameter] = [click.Argument(["instance"], type=reading.FILE)]
    if any(takes):
        metavar = "SOLUTION" if all(t == "required" for t in takes) else "[SOLUTION]"
        argument = click.Argument(["solution"], type=reading.FILE, required=False, metavar=metavar)
        parameters.append(argument)  # whether it is needed is known once the instance is read
    parameters += _options(functions.values())
    json = click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON.")
    own = list(reversed(getattr(run, "__click_params__", [])))
    return reading.ReadingCommand(
        name, callback=run, params=[*parameters, json, *own], help=_help(name, owners, any(takes))
    )


def _help(name: str, owners: Mapping[str, Verb], solution: bool) -> str:
    texts: dict[str, list[str]] = {}
    for problem, verb in owners.items():
        texts.setdefault(verb.help, []).append(problem)
    parts = [f"{text.rstrip('.')} ({', '.join(problems)})." for text, problems in texts.items()]
    usual = f"instance.json{' solution.json' if solution else ''}"
    examples = dict.fromkeys(verb.example for verb in owners.values() if verb.example) or [usual]
    shown = "\n".join(f"fairopt {name} {example}" for example in examples)
    return "\n\n".join([*parts, f"\b\n{shown}"])


def _solution_argument(function: Callable[..., Any]) -> str:
    """Return if a verb takes a solution: ``required``, ``optional`` or an empty text."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    places = [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    if len(places) < 2:
        return ""
    return "required" if places[1].default is places[1].empty else "optional"


def _options(functions: Iterable[Callable[..., Any]]) -> list[click.Parameter]:
    found: dict[str, list[Option]] = {}
    for function in functions:
        for name, option in options_of(function).items():
            found.setdefault(name, []).append(option)
    return [_flag(name, options) for name, options in found.items()]


def _flag(name: str, options: list[Option]) -> click.Option:
    option = options[0]
    defaults = [o for o in options if not o.required and o.default not in (None, False)]
    words = dict.fromkeys(f"Default {o.describe().rpartition(' = ')[2]}." for o in defaults)
    if all(o.kind is bool for o in options):
        return reading.Switch(option.flag, _PREFIX + name, " ".join(words))
    metavar = reading.metavar(options)
    return click.Option([f"--{option.flag}", _PREFIX + name], metavar=metavar, help=" ".join(words))


# -- one use -------------------------------------------------------------------------------


def _run(
    name: str, instance: str, solution: str | None, given: Mapping[str, Any], as_json: bool
) -> int:
    problem, found = _read(instance, solution, given)
    mine = {verb.name: verb for verb in views.verbs(problem.problem)}
    if name not in mine:
        has = f"it has {', '.join(mine)}" if mine else "it has no commands of its own"
        raise UsageError(f"{problem.problem} has no command {name!r}; {has}")
    function = registry.resolve(mine[name].target)
    takes = _solution_argument(function)
    if found is None and takes == "required":
        raise UsageError(f"{name} of {problem.problem} needs a solution file after the instance")
    if found is not None and not takes:
        raise UsageError(f"{name} of {problem.problem} takes no solution")
    options = _typed(function, given, name)
    result = function(problem, found, **options) if takes else function(problem, **options)
    if not isinstance(result, Result):
        result = (
            Result(result.to_json(), (result,)) if isinstance(result, Table) else Result(result)
        )
    _print(result, as_json)
    return result.exit_code


def _read(
    instance: str, solution: str | None, given: Mapping[str, Any]
) -> tuple[Problem, Solution[Any] | None]:
    """Read the instance, as the solution says if there is one, and the solution."""
    from fairopt.solution_file import load_solution
    from fairopt.verification import as_asked

    if solution is None:
        return reading.only_fields(reading.read_question(instance, given)), None
    if given.get("settings"):
        raise UsageError("--set has no place beside a solution, which fixes the question")
    found = load_solution(solution)
    problem = as_asked(instance, found, max_bytes=given.get("max_bytes"))
    if problem.digest() != found.origin.digest:
        raise InstanceError("", f"is a solution of another instance than {instance}", file=solution)
    try:
        answer = None
        if found.answer_json is not None:
            answer = problem.answer_from_json(found.answer_json)
    except InstanceError as error:
        raise InstanceError(error.where, error.why, file=solution) from None
    return problem, replace(found, answer=answer, source=problem)


def _typed(function: Callable[..., Any], given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the options that were given, in the types of this problem's function."""
    known = options_of(function)
    out: dict[str, Any] = {}
    for key, value in given.items():
        if key.startswith(_PREFIX) and value is not None:
            option = known.get(key.removeprefix(_PREFIX))
            if option is not None and isinstance(value, str):
                value = values.typed(value, option.kind, where=f"--{option.flag}")
            out[key.removeprefix(_PREFIX)] = value
    return typed_options(function, out, what=f"command {name}")


def _print(result: Result, as_json: bool) -> None:
    from fairopt.files import dump_json

    if as_json:
        click.echo(dump_json(result.data), nl=False)
        return
    shown = result.show or _shown(result.data)
    for k, part in enumerate(shown):
        if k and isinstance(part, Table):
            show.say()
        if isinstance(part, Table):
            _print_table(part)
        else:
            for line in part.splitlines():
                show.say(show.one_line(line))


def _shown(data: Any) -> tuple[str | Table, ...]:
    """Return data of a verb that says nothing of how to show them."""
    from fairopt.cli import text

    if isinstance(data, str):
        return (data,)
    if isinstance(data, Mapping):
        return tuple(f"{key}: {text.both(value)}" for key, value in data.items())
    return tuple(text.both(value) for value in data)


def _print_table(table: Table) -> None:
    from fairopt.cli import text

    if table.title:
        show.say(show.one_line(table.title))
    right = [
        k for k in range(len(table.columns))
        if all(not isinstance(row[k], str) for row in table.rows)
    ]  # fmt: skip
    cells = [[text.short(value) for value in row] for row in table.rows]
    show.table(list(table.columns), cells, right=right)
