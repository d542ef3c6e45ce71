"""``fairopt solve``: one method on one instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from fairopt.cli import reading, show, values
from fairopt.errors import FairoptError, UsageError

if TYPE_CHECKING:
    from fairopt.cli.reading import Question
    from fairopt.problem import Problem
    from fairopt.solution import Solution

TIME_LIMIT = 60.0
INFEASIBLE, NO_ANSWER, INTERRUPTED = 3, 4, 130
_CLAIMS = 5  # claims shown


@click.command(cls=reading.ReadingCommand)
@click.argument("file", type=reading.FILE)
@click.option("--method", metavar="NAME", help="Default: auto, which chooses by size.")
@click.option("--objective", metavar="NAME", help="Default: that of the file or the problem.")
@click.option(
    "--time-limit",
    type=reading.SECONDS,
    metavar="SECONDS",
    help="For the method; default 60, 0 for none.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Default 0.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Default 1.")
@click.option("-o", "--output", metavar="FILE", help="Write the solution (JSON, also .gz).")
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON.")
@reading.reading
def solve(file: str, output: str | None, as_json: bool, quiet: bool, **given: Any) -> int:
    """Solve an instance and show a checked solution.

    --set KEY=VALUE sets a field of the instance (limit=10) or an option of the method.

    \b
    fairopt solve papers.csv.gz --problem desk-rejection --set limit=10 -o solution.json
    """  # fmt: skip
    from fairopt.files import dump_json, save

    reading.writable(output, file)
    asked = {**given, "quiet": quiet}
    question = reading.read_question(file, asked, given["objective"])
    solution = _solved(question, run_flags(question.problem, given), quiet)
    failed: FairoptError | None = None
    if output is not None:
        try:
            save(solution, output)
        except FairoptError as error:  # the answer is shown all the same
            failed = error
    if as_json:
        click.echo(dump_json(solution.to_json()), nl=False)
    else:
        show.pairs(solution_rows(question.problem, solution))
    if failed is not None:
        raise failed
    if output is not None and not quiet:
        click.echo(f"solution written to {output}", err=True)
    return exit_code(solution)


def run_flags(problem: Problem, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return method, seed, threads and time limit: from the flags, else the file, else ours."""
    defaults = {"method": "auto", "seed": 0, "threads": 1, "time_limit": TIME_LIMIT}
    flags = {**defaults, **problem.meta.flags}
    return {**flags, **{k: given[k] for k in flags if given.get(k) is not None}}


def _solved(question: Question, flags: Mapping[str, Any], quiet: bool) -> Solution[Any]:
    """Run the method within a run that Ctrl-C can stop."""
    from fairopt.api import solve_in
    from fairopt.cli.live import watched
    from fairopt.run import Run

    problem, method = question.problem, flags["method"]
    options = _method_options(question, method)
    run = Run(flags["time_limit"] or None, flags["seed"], flags["threads"])
    with watched(run, method, quiet=quiet):
        return solve_in(run, problem, method, options, seconds_read=question.seconds)


def _method_options(question: Question, method: str) -> dict[str, Any]:
    """Return what ``--set`` names and is no field as options of the method, typed."""
    from fairopt import registry

    if not question.others:
        return {}
    problem = question.problem
    row = registry.find_method(problem.problem, method)
    known = row.options()
    out = {}
    for key, text in question.others.items():
        option = known.get(values.canonical(key))
        if option is None:
            fields = ", ".join(problem.settings) or "none"
            options = ", ".join(known) or "none"
            raise UsageError(
                f"--set {key}: no such field or option; fields of {problem.problem}: {fields};"
                f" options of {row.name}: {options}"
            )
        out[option.name] = values.typed(text, option.kind, where=f"--set {key}")
    return out


def exit_code(solution: Solution[Any]) -> int:
    """Return the exit code that a solution stands for."""
    if solution.answer is not None:
        return 0
    if solution.infeasible is not None:
        return INFEASIBLE
    return INTERRUPTED if solution.stopped_by == "interrupted" else NO_ANSWER


def solution_rows(problem: Problem, solution: Solution[Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of the table for people."""
    from fairopt.cli import text, views
    from fairopt.solution import encode

    objective = problem.objective
    name = f"{problem.name}: " if problem.name else ""
    yield problem.problem, f"{name}{views.describe(problem)}"
    for key, value in solution.origin.set.items():
        yield "set", f"{key} = {text.short(encode(value))}"
    yield "objective", f"{objective.name} ({objective.sense})"
    options = [f"{k} = {text.short(v)}" for k, v in solution.options.items()]
    yield "method", ", ".join([solution.method, *options])
    yield "status", text.status_words(solution)
    if solution.value is not None:
        yield "value", text.with_unit(solution.value, objective)
    if solution.bound is not None:
        yield "bound", text.bound_words(solution.bound)
    if solution.ratio is not None:
        more = "" if solution.ratio == 1 else " (at most this many times worse than the bound)"
        yield "ratio", text.ratio_words(solution.ratio) + more
    for figure in views.figures(problem.problem, solution.figures):
        value = solution.figures[figure.name]
        if value is not None:  # nothing is known of it here; ``--json`` says so
            yield figure.label, text.both(value)
    for claim in solution.claims[:_CLAIMS]:
        who = text.prover(claim.proof, claim.data)
        scope = f" ({claim.scope})" if claim.scope else ""
        yield "claim", f"{claim.name}{scope} = {text.both(claim.value)}, {who}"
    if len(solution.claims) > _CLAIMS:
        yield "", f"and {len(solution.claims) - _CLAIMS} more claims, see --json"
    for note in solution.notes:
        yield "note", f"{note.text} [{note.code}]"
    yield "seconds", text.seconds_words(solution.seconds)
