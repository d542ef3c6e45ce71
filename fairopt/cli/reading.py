"""What every command that reads an instance has: its options, and the reading itself.

Reader options stand beside the other options under their own names (``--dedupe``). They are
collected from the keyword-only arguments of the ``read`` functions of all formats, and only
when a command that reads is parsed.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairopt.cli import values
from fairopt.errors import InstanceError, UsageError

if TYPE_CHECKING:
    from fairopt.options import Option
    from fairopt.problem import Problem

F = TypeVar("F", bound=Callable[..., Any])
_PREFIX = "reader_"
_SHOWN = 2  # formats named in the help of an option


class FileName(click.Path):
    """A path for completion's sake; what is wrong with it is for the reader to say."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)


class Seconds(click.FloatRange):
    """A time limit: a finite number, at least 0."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value} is not a number of seconds (0 for no limit).", param, ctx)
        return seconds


SECONDS = Seconds(min=0)
FILE = FileName()


class ReadingCommand(click.Command):
    """A command whose parameters include the options of all readers."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        taken = {flag for parameter in own for flag in parameter.opts}
        return [*own, *(p for p in reader_flags() if not taken & set(p.opts))]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], "Options of readers": []}
        for parameter in self.get_params(ctx):
            if not isinstance(parameter, click.Option):
                continue
            record = parameter.get_help_record(ctx)
            of_reader = (parameter.name or "").startswith(_PREFIX)
            if record is not None:
                groups["Options of readers" if of_reader else "Options"].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Switch(click.Option):
    """A flag that has a ``--no-`` form too, which the help does not repeat."""

    def __init__(self, flag: str, name: str, help: str) -> None:
        super().__init__([f"--{flag}/--no-{flag}", name], default=None, help=help)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        return self.opts[0], self.help or ""


@functools.cache
def reader_flags() -> tuple[click.Option, ...]:
    """Return one flag for each option name of any reader."""
    return tuple(_flag(name, found) for name, found in sorted(_reader_options().items()))


def _reader_options() -> dict[str, list[tuple[str, Option]]]:
    """Return for each option name the formats that have it."""
    from fairopt import registry
    from fairopt.options import options_of

    out: dict[str, list[tuple[str, Option]]] = {}
    for form in registry.formats():
        for name, option in options_of(form.read).items():
            out.setdefault(name, []).append((form.name, option))
    return out


def _flag(name: str, found: list[tuple[str, Option]]) -> click.Option:
    option = found[0][1]
    formats = list(dict.fromkeys(form for form, _ in found))
    more = f" and {len(formats) - _SHOWN} more" if len(formats) > _SHOWN else ""
    words = ", ".join(formats[:_SHOWN]) + more
    if all(o.kind is bool for _, o in found):
        return Switch(option.flag, _PREFIX + name, words)
    shown = metavar([o for _, o in found])
    return click.Option([f"--{option.flag}", _PREFIX + name], metavar=shown, help=words)


def metavar(options: Iterable[Option]) -> str:
    """Return what to type after a flag: ``TEXT``, or the names to choose from as they are."""
    from fairopt.options import type_name

    names = dict.fromkeys(type_name(o.kind) for o in options)
    return "|".join(name.upper() if name.isalpha() else name for name in names)


def reading(function: F) -> F:
    """Add the options of reading to a command (``--problem``, ``--read``, ``--max-bytes``)."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
        click.option("--max-bytes", type=click.IntRange(min=1), metavar="N",
                     help="Refuse larger files."),
        click.option("--set", "settings", multiple=True, metavar="KEY=VALUE",
                     help="Set a field of the instance."),
        click.option("--read", multiple=True, metavar="KEY=VALUE",
                     help="An option of the reader, as with its own flag."),
        click.option("--problem", metavar="NAME", help="What the file holds, if it does not say."),
    ):  # fmt: skip
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class Question:
    """A problem as asked on the command line, and how long its file took to read."""

    problem: Problem
    seconds: float
    others: Mapping[str, str]  # what --set names and the instance has not


def read_question(file: str, given: Mapping[str, Any], objective: str | None = None) -> Question:
    """Read the instance that a command's parameters describe, with its fields set.

    ``given`` are the parameters of the command. Keys of ``--set`` that are no field are handed
    back in ``others``.
    """
    from fairopt.files import MAX_BYTES, load

    begun = time.perf_counter()
    settings = values.split(given.get("settings", ()), "--set")
    values.no_flags(settings)
    limit = given.get("max_bytes") or MAX_BYTES
    known = _reader_options()
    asked = {
        name: _listed(text, known[name]) if name in known else text
        for name, text in _named(settings)
    }
    options = _read_options(given)
    problem = load(file, given.get("problem"), max_bytes=limit, settings=asked, **options)
    seconds = time.perf_counter() - begun
    form = problem.meta.origin.read.get("format")
    if form and not given.get("quiet"):
        click.echo(f"{file}: read as {form} ({problem.problem})", err=True)
    changes, others = split_settings(problem, settings)
    if objective is not None:
        changes["objective"] = problem.objective_name(objective)
    return Question(changed(problem, changes), seconds, others)


def _named(settings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(values.canonical(key), text) for key, text in settings.items()]


def _read_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reader options, from their flags and from ``--read``."""
    known = _reader_options()
    out: dict[str, Any] = {}
    for key, text in values.split(given.get("read", ()), "--read").items():
        name = values.canonical(key)
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UsageError(f"no reader has an option {key!r}; reader options are {names}")
        out[name] = _listed(text, known[name])
    for key, value in given.items():
        if key.startswith(_PREFIX) and value is not None:
            name = key.removeprefix(_PREFIX)
            if name in out:
                raise UsageError(f"the reader option {name} is given twice")
            out[name] = _listed(value, known[name])
    return out


def _listed(value: Any, found: list[tuple[str, Option]]) -> Any:
    """Return ``a,b`` as a list where readers take lists; the rest is left to the reader."""
    if isinstance(value, str) and all(values.is_list(option.kind) for _, option in found):
        option = found[0][1]
        return values.typed(value, option.kind, where=option.name)
    return value


def split_settings(
    problem: Problem, settings: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the fields among the settings, typed, and the rest as it was given."""
    fields = {values.canonical(key): key for key in problem.settings}
    changes: dict[str, Any] = {}
    others: dict[str, str] = {}
    for key, text in settings.items():
        field = fields.get(values.canonical(key))
        if field is None:
            others[key] = text
        else:
            where = f"--set {key}"
            changes[field] = values.typed(text, problem.settings[field], where=where)
    return changes, others


def changed(problem: Problem, changes: Mapping[str, Any]) -> Problem:
    """Return the problem with these changes; what it refuses is a matter of ``--set``."""
    if not changes:
        return problem
    try:
        return problem.replace(**changes)
    except InstanceError as error:
        raise UsageError(f"with these settings the instance is wrong: {error}") from None


def only_fields(question: Question) -> Problem:
    """Return the problem; what ``--set`` names must be a field here."""
    for key in question.others:
        known = ", ".join(question.problem.settings) or "none"
        raise UsageError(f"{question.problem.problem} has no field {key!r}; fields are {known}")
    return question.problem


def writable(path: str | None, *inputs: str) -> None:
    """Refuse a file that cannot be written, or that is one of the inputs, before the work."""
    import os

    if path is None:
        return
    for name in inputs:
        if os.path.exists(path) and os.path.exists(name) and os.path.samefile(path, name):
            raise UsageError(f"{path}: is the input file; choose another name for the output")
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            if os.path.isdir(path):
                raise UsageError(f"{path}: cannot be written (it is a directory)")
            return  # a device or a pipe
        draft = f"{path}.{os.getpid()}.tmp"
        with open(draft, "wb"):
            pass
        os.unlink(draft)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path}: cannot be written ({why})") from None
