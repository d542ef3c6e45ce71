"""``fairopt methods``: what can be solved, and how."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fairopt.cli import show

if TYPE_CHECKING:
    from fairopt.method import Method


@click.command()
@click.argument("problem", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def methods(problem: str | None, as_json: bool) -> int:
    """List problems; with PROBLEM its methods with their options, and its own commands.

    \b
    fairopt methods desk-rejection
    """
    from fairopt import registry
    from fairopt.files import dump_json

    if problem is None:
        entries = registry.problem_entries()
        if as_json:
            data = [
                {"problem": e.name, "title": e.title, "methods": _names(e.name)} for e in entries
            ]
            click.echo(dump_json(data), nl=False)
        else:
            show.pairs((entry.name, entry.title) for entry in entries)
            show.say()
            show.paragraph("'fairopt methods PROBLEM' lists the methods of a problem.")
        return 0
    entry = registry.problem_entry(problem)
    rows = registry.all_methods(entry.name)
    if as_json:
        click.echo(dump_json([_json(row) for row in rows]), nl=False)
    else:
        _show(entry.name, entry.title, rows)
    return 0


def _names(problem: str) -> list[str]:
    from fairopt import registry

    return [row.name for row in registry.all_methods(problem)]


def _json(row: Method) -> dict[str, Any]:
    from fairopt.options import type_name

    return {
        "name": row.name,
        "kind": row.kind,
        "problem": row.problem,
        "objectives": list(_objectives(row)),
        "guarantee": row.guarantee,
        "reference": row.reference,
        "relaxes": list(row.relaxes),
        "aliases": list(row.aliases),
        "online": bool(row.session),
        "options": [
            {"name": o.name, "type": type_name(o.kind), "required": o.required}
            | ({} if o.required else {"default": _plain(o.default)})
            for o in row.options().values()
        ],
    }


def _plain(value: Any) -> Any:
    from fairopt.solution import encode

    plain = encode(value)
    return plain if isinstance(plain, bool | int | float | str | list | dict | None) else str(plain)


def _objectives(row: Method) -> tuple[str, ...]:
    from fairopt import registry

    every = registry.problem_class(row.problem).objectives
    return tuple(name for name in every if row.serves(name))


def _show(problem: str, title: str, rows: Sequence[Method]) -> None:
    """Print the methods by kind, then fields, generators and verbs of the problem."""
    from fairopt import registry
    from fairopt.cli import views
    from fairopt.method import KINDS

    found = registry.problem_class(problem)
    show.pairs([
        (problem, title),
        ("objectives", ", ".join(found.objectives)),
        ("fields to set", ", ".join(found.settings) or "none"),
        ("generators", ", ".join(registry.generators(problem)) or "none"),
        *((f"fairopt {verb.name}", verb.help) for verb in views.verbs(problem)),
    ])  # fmt: skip
    if not rows:
        show.say("\nno methods are installed for it")
    for kind in dict.fromkeys([*KINDS, *(row.kind for row in rows)]):
        chosen = [row for row in rows if row.kind == kind]
        if chosen:
            show.say(f"\n{kind}")
        for row in chosen:
            _method(row)


def _method(row: Method) -> None:
    """Print one method, each remark in lines of its own."""
    aliases = f" (also {', '.join(row.aliases)})" if row.aliases else ""
    show.say(f"  {row.name}{aliases}")
    remarks = [
        row.guarantee,
        f"objectives: {', '.join(row.objectives)}" if row.objectives else "",
        f"breaks by design: {', '.join(row.relaxes)}" if row.relaxes else "",
        f"reference: {row.reference}" if row.reference else "",
    ]
    options = [option.describe() for option in row.options().values()]
    remarks.append(f"options: {'; '.join(options)}" if options else "")
    for remark in filter(None, remarks):
        for line in textwrap.wrap(remark, show.width() - 6, subsequent_indent="  "):
            show.say(f"      {line}")
