"""What a family's view hands to the command line: further verbs, and tables as data.

A view module may have ``VERBS``, a tuple of ``Verb``. The command line builds one command per
name; nothing is imported until the command is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that only some problems have: ``fairopt explain INSTANCE [SOLUTION]``.

    Parameters
    ----------
    name
        With hyphens, as typed.
    target
        ``module:function``. Called as ``function(problem, *, options)`` or
        ``function(problem, solution, *, options)``: a second positional argument makes the verb
        take SOLUTION (optional if it has the default None), read from its file with
        ``solution.answer`` filled in. Keyword-only arguments are the options of the verb.
        Returns text, a ``Table``, JSON-ready data, or a ``Result``.
    help
        One line for people.
    problems
        The problems of the family that have it; empty for all that share the view.
    example
        The arguments after the name, for the help text: ``instance.json --axioms jr``.
    """

    name: str
    target: str
    help: str
    problems: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows as data; the command line aligns, wraps and encodes them."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""

    def to_json(self) -> list[dict[str, Any]]:
        """Return one object per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Result:
    """What a verb found: data for programs, what to show people, and the exit code.

    ``exit_code`` is 0, 1 (something audited fails) or 4 (undecided in time). Without ``show``
    the data are shown.
    """

    data: Mapping[str, Any] | Sequence[Any] | str
    show: Sequence[str | Table] = field(default=())
    exit_code: int = 0
