"""The rows of a comparison as a table for people, and as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairopt import judge
from fairopt.cli import show, text, views
from fairopt.problem import Sense
from fairopt.solution import encode_mapping

if TYPE_CHECKING:
    from fairopt.comparison import Comparison
    from fairopt.solution import Solution

BEST, RELAXES = "*", "!"
Solutions = Sequence["Solution[Any]"]


@dataclass(frozen=True, slots=True)
class _Column:
    """A heading and its cells; ``right`` if they are numbers."""

    head: str
    cells: Sequence[str]
    right: bool = True


def print_table(found: Comparison) -> None:
    """Print the question, what is known of it, one row per method, and the remarks."""
    problem = found.problem
    name = f"{problem.name}: " if problem.name else ""
    rows = [
        (problem.problem, f"{name}{views.describe(problem)}"),
        ("objective", f"{problem.objective.name} ({problem.objective.sense})"),
    ]
    rows += [("expected", f"{k} {text.both(v)}") for k, v in problem.meta.expected.items()]
    rows += [("note", f"{note.text} [{note.code}]") for note in problem.notes()]
    show.pairs(rows)
    show.say()
    solutions = [row.solution for row in found.rows if row.solution is not None]
    if solutions:
        columns = list(_columns(found, solutions))
        show.table(
            [column.head for column in columns],
            list(zip(*(column.cells for column in columns), strict=True)),
            right=[k for k, column in enumerate(columns) if column.right],
        )
        show.say()
    show.pairs(_remarks(found, solutions))


def relaxes(solution: Solution[Any]) -> bool:
    """Return whether the answer breaks a rule that its method relaxes."""
    return any(note.code == "relaxes" for note in solution.notes)


def _columns(found: Comparison, solutions: Solutions) -> Iterator[_Column]:
    objective = found.problem.objective
    lower = objective.sense is Sense.MINIMIZE
    names = [s.method + (f" {RELAXES}" if relaxes(s) else "") for s in solutions]
    yield _Column("method", names, right=False)
    yield _Column("status", [str(s.status) for s in solutions], right=False)
    lawful = [None if relaxes(s) else s.value for s in solutions]
    yield _marked("value", [s.value for s in solutions], lawful, lower, text.short)
    bounds = [None if s.bound is None else s.bound.value for s in solutions]
    if any(b is not None for b in bounds):
        yield _marked("bound", bounds, bounds, not lower, text.short)
        provers = ["" if s.bound is None else judge.prover(s.bound.proof, s.bound.data)
                   for s in solutions]  # fmt: skip
        yield _Column("bound by", provers, right=False)
        ratios = [s.ratio for s in solutions]
        yield _marked("ratio", ratios, ratios, True, text.ratio_words)
    times = [round(s.seconds.get("method", 0.0), 2) for s in solutions]
    fastest = True if times.count(min(times)) == 1 else None  # 0.00 for all says nothing
    yield _marked("seconds", times, times, fastest, lambda t: f"{t:.2f}")
    present = {name: value for s in solutions for name, value in s.figures.items()}
    for figure in views.figures(found.problem.problem, present):
        if not views.bulky(present[figure.name]):
            every = [s.figures.get(figure.name) for s in solutions]
            fair = [None if relaxes(s) else v for s, v in zip(solutions, every, strict=True)]
            lower_is_better = {"min": True, "max": False}.get(figure.better)
            yield _marked(figure.name, every, fair, lower_is_better, text.short)


def _marked(
    head: str,
    values: Sequence[Any],
    fair: Sequence[Any],
    lower: bool | None,
    shown: Callable[[Any], str],
) -> _Column:
    """Return a column with the best of the ``fair`` values marked, each of them on a tie."""
    best = None
    keys = [None if v is None else _key(v) for v in fair]
    known = [k for k in keys if k is not None]
    if lower is not None and len(known) > 1:
        best = min(known) if lower else max(known)
    marks = [BEST if best is not None and k == best else " " for k in keys]
    pad = any(m == BEST for m in marks)
    cells = [shown(v) + (m if pad else "") for v, m in zip(values, marks, strict=True)]
    return _Column(head + (" " if pad else ""), cells)


def _key(value: Any) -> tuple[Any, ...]:
    """Return what orders values: exact, and tuples of any length."""
    if isinstance(value, tuple | list):
        return tuple(_key(v) if isinstance(v, tuple | list) else (v,) for v in value)
    return (Fraction(value) if isinstance(value, int | Fraction) else value,)


def _remarks(found: Comparison, solutions: Solutions) -> Iterator[tuple[str, str]]:
    """Yield what the marks mean, the notes of single methods, and why rows are missing."""
    common = set(found.problem.notes())
    for row in found.rows:
        if row.solution is None:
            yield row.method, row.error
            continue
        for note in row.solution.notes:
            if note not in common:
                mark = f"{RELAXES} " if note.code == "relaxes" else ""
                yield row.method, f"{mark}{note.text} [{note.code}]"
        if row.solution.infeasible is not None:
            yield row.method, text.status_words(row.solution)
        elif row.solution.stopped_by != "completed":
            yield row.method, text.STOPPED[row.solution.stopped_by]
    if len(solutions) > 1:
        yield BEST, "best in its column (several on a tie)"
    if any(map(relaxes, solutions)):
        yield RELAXES, "breaks a rule by design: neither marked as best nor given a ratio"


# -- CSV -----------------------------------------------------------------------------------


def print_csv(found: Comparison) -> None:
    """Print one line per method: exact values, their floats beside, every scalar figure."""
    rows = [_csv_row(found, row.method, row.solution, row.error) for row in found.rows]
    heads = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(sys.stdout, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _csv_row(
    found: Comparison, method: str, solution: Solution[Any] | None, error: str
) -> dict[str, Any]:
    problem = found.problem
    row: dict[str, Any] = {
        "instance": problem.name,
        "problem": problem.problem,
        "objective": problem.objective.name,
        "method": method,
        "error": error,
    }
    if solution is None:
        return row
    bound = solution.bound
    row |= {"status": str(solution.status), "stopped_by": solution.stopped_by}
    row |= encode_mapping(
        {"value": solution.value, "bound": None if bound is None else bound.value}
    )
    row |= {
        "bound_by": "" if bound is None else judge.prover(bound.proof, bound.data),
        "ratio": None if solution.ratio is None else float(solution.ratio),
        "relaxes": relaxes(solution),
        "seconds": round(solution.seconds.get("method", 0.0), 6),
    }
    figures = {k: v for k, v in solution.figures.items() if not views.bulky(v)}
    return row | encode_mapping({f"figure_{k}": v for k, v in figures.items()})
