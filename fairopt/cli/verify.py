"""``fairopt verify``: every claim of a solution, checked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairopt.cli import show
from fairopt.cli.reading import FILE, SECONDS

if TYPE_CHECKING:
    from fairopt.verification import Report

REFUTED = 1


@click.command()
@click.argument("instance", type=FILE)
@click.argument("solution", type=FILE)
@click.option("--confirm", metavar="BACKEND", help="Solve again what only a solver claims.")
@click.option(
    "--time-limit",
    type=SECONDS,
    default=60.0,
    metavar="SECONDS",
    help="For --confirm; default 60, 0 for none.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, metavar="N", help="For --confirm."
)
@click.option("--max-bytes", type=click.IntRange(min=1), metavar="N", help="Refuse larger files.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def verify(
    instance: str,
    solution: str,
    confirm: str | None,
    time_limit: float,
    threads: int,
    max_bytes: int | None,
    as_json: bool,
) -> int:
    """Check every claim of a solution again, exactly, from the two files alone.

    No solver takes part unless --confirm asks one. Exit code 1 if a claim is refuted.

    \b
    fairopt verify papers.csv.gz solution.json --confirm cbc
    """  # fmt: skip
    from fairopt.cli.live import Live, logging_to
    from fairopt.files import MAX_BYTES, dump_json
    from fairopt.verification import verify as check

    with Live("confirming", quiet=confirm is None) as live, logging_to(live):
        report = check(
            instance, solution, confirm,
            time_limit=time_limit or None, threads=threads, max_bytes=max_bytes or MAX_BYTES,
        )  # fmt: skip
    if as_json:
        click.echo(dump_json(report.to_json()), nl=False)
    else:
        _show(report, confirm)
    return 0 if report.ok else REFUTED


def _show(report: Report, confirm: str | None) -> None:
    """Print the question, one line per claim, and the sum."""
    from fairopt.cli.text import shorten

    for line in report.question:
        show.paragraph(f"question: {line}")
    show.say()
    show.pairs((shorten(claim), shorten(verdict)) for claim, verdict in report.claims)
    show.say()
    show.paragraph(_summary(report, confirm))


def _summary(report: Report, confirm: str | None) -> str:
    verdicts = [verdict for _, verdict in report.claims]
    refuted = [v for v in verdicts if v.startswith("REFUTED")]
    if refuted:
        return f"REFUTED: {len(refuted)} of {len(verdicts)} claims"
    claimed = [v for v in verdicts if v.startswith("claimed by")]
    if not claimed:
        return f"verified: all {len(verdicts)} claims, and none rests on a solver's word"
    rest = "rests" if len(claimed) == 1 else "rest"
    simulated = all(v.startswith("claimed by simulation") for v in claimed)
    whose = "a simulation" if simulated else "a solver's word"
    text = f"verified, but {len(claimed)} of {len(verdicts)} claims {rest} on {whose}"
    if confirm is None and simulated:
        return f"{text} (--confirm simulation repeats it)"
    if confirm is None:
        return f"{text} (--confirm BACKEND asks another)"
    return f"{text}, {sum('; confirmed by' in v for v in claimed)} confirmed by {confirm}"
