"""``fairopt compare``: several methods on one instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairopt.cli import reading
from fairopt.cli.solve import INFEASIBLE, INTERRUPTED, NO_ANSWER, exit_code, run_flags
from fairopt.errors import UsageError

if TYPE_CHECKING:
    from fairopt.comparison import Comparison
    from fairopt.problem import Problem
    from fairopt.run import Run

INTERNAL = 5


@click.command(cls=reading.ReadingCommand)
@click.argument("file", type=reading.FILE)
@click.option("--methods", metavar="A,B,C", help="Default: all that serve the objective.")
@click.option("--objective", metavar="NAME", help="Default: that of the file or the problem.")
@click.option(
    "--time-limit",
    type=reading.SECONDS,
    metavar="SECONDS",
    help="For each method; default 60, 0 for none.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Default 0.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Default 1.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV.")
@reading.reading
def compare(
    file: str, methods: str | None, as_json: bool, as_csv: bool, quiet: bool, **given: Any
) -> int:
    """Solve with several methods, side by side: values, bounds, fairness figures, seconds.

    A method that breaks rules by design is marked and never called the best.

    \b
    fairopt compare instance.json --methods exact,greedy --objective average
    """  # fmt: skip
    from fairopt.cli.comparing import print_csv, print_table
    from fairopt.files import dump_json

    if as_json and as_csv:
        raise UsageError("choose one of --json and --csv")
    question = reading.read_question(file, {**given, "quiet": quiet}, given["objective"])
    problem = reading.only_fields(question)
    found = _compared(problem, methods, run_flags(problem, given), quiet)
    if as_json:
        click.echo(dump_json(found.to_json()), nl=False)
    elif as_csv:
        print_csv(found)
    else:
        print_table(found)
    return _exit_code(found)


def _compared(
    problem: Problem, methods: str | None, flags: dict[str, Any], quiet: bool
) -> Comparison:
    """Run the methods; Ctrl-C stops the one that runs and leaves out the rest."""
    from fairopt import api
    from fairopt.cli.live import Live, logging_to, stopping

    names = None if methods is None else [n.strip() for n in methods.split(",") if n.strip()]
    if names == []:
        raise UsageError("--methods names no method")
    running: list[Run] = []

    def begin(name: str, run: Run) -> None:
        running[:] = [run]
        live.title = name
        if live.active:
            run.on_progress = live.show

    def interrupt() -> None:
        for run in running:
            run.interrupt()

    with Live(quiet=quiet) as live, logging_to(live), stopping(interrupt, live):
        return api.compare(
            problem, names, time_limit=flags["time_limit"] or None, seed=flags["seed"],
            threads=flags["threads"], on_run=begin,
        )  # fmt: skip


def _exit_code(found: Comparison) -> int:
    """Return 0 if any method has an answer, else what the rows agree on."""
    codes = [
        row.exit_code if row.solution is None else exit_code(row.solution) for row in found.rows
    ]
    for code in (0, INFEASIBLE, INTERRUPTED, NO_ANSWER, 2):
        if code in codes:
            return code
    return INTERNAL if codes else 2
