"""``fairopt convert``: an instance in another format."""

from __future__ import annotations

from typing import Any

import click

from fairopt.cli import reading


@click.command(cls=reading.ReadingCommand)
@click.argument("source", metavar="IN", type=reading.FILE)
@click.argument("target", metavar="OUT", type=reading.FILE)
@click.option("--objective", metavar="NAME", help="Write this objective into the instance.")
@reading.reading
def convert(source: str, target: str, quiet: bool, **given: Any) -> int:
    """Write an instance in another format: that of OUT's suffix (.json or one of its problem's).

    \b
    fairopt convert papers.csv instance.json.gz --problem desk-rejection --set limit=10
    """
    from fairopt.files import save

    reading.writable(target, source)
    question = reading.read_question(source, {**given, "quiet": quiet}, given["objective"])
    problem = reading.only_fields(question)
    save(problem, target)
    if not quiet:
        click.echo(f"{problem.problem} instance written to {target}", err=True)
    return 0
