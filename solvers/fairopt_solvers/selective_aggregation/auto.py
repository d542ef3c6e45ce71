"""The default method."""

from __future__ import annotations

from dataclasses import replace

from fairopt.problems.selective_aggregation import SelectiveAggregation, Tiering
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.selective_aggregation.spa import spa, spa_path


def auto(problem: SelectiveAggregation, run: Run) -> Outcome[Tiering]:
    """Take ``spa`` where there is a tau, else ``spa-path``."""
    name, method = ("spa", spa) if problem.asked is not None else ("spa-path", spa_path)
    found = method(problem, run)
    return replace(found, notes=(*found.notes, Note("chosen", f"auto took {name}")))
