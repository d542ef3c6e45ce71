"""Worst cases: ``worst-case``, ``regret-worst`` and ``worst-then-average``.

The optimum is one of finitely many fractions. Asking whether every cost can stay at or below
one of them is a 0/1 program without objective, far easier than minimising the worst cost
directly, whose linear program is weak.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import KeptPapers
from fairopt.run import Run
from fairopt.solution import Bound, Note, Outcome
from fairopt_solvers.backends import LinearModel, solve
from fairopt_solvers.desk_rejection.bounds import cheap_bound
from fairopt_solvers.desk_rejection.losses import Losses
from fairopt_solvers.desk_rejection.packing import Packing, relaxation, upper_value
from fairopt_solvers.desk_rejection.presolve import Open

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Worst:
    """The least worst cost found, and the best bound on it."""

    kept: Bools
    value: Fraction
    bound: Bound
    notes: tuple[Note, ...]


def worst(part: Open, run: Run, *, backend: str, start: Bools | None = None) -> Outcome[KeptPapers]:
    """Minimise the worst cost; for ``worst-then-average`` then the average cost."""
    problem = part.problem
    name = problem.objective.name
    losses = Losses.of(part, "regret-worst" if name == "regret-worst" else "average")
    coef = part.weights(problem.linear_form("average").coef)
    packing = Packing(part, coef, merging=False)
    relaxed = relaxation(packing, run)
    begin = relaxed.kept
    if start is not None and losses.worst(start) < losses.worst(begin):
        begin = start
    found = search(part, losses, packing, run, backend=backend, start=begin)
    if name != "worst-then-average":
        return Outcome(problem.answer(part.mask(found.kept)), found.bound, notes=found.notes)
    return _then_average(part, losses, packing, found, run, backend=backend)


def search(
    part: Open, losses: Losses, packing: Packing, run: Run, *, backend: str, start: Bools
) -> Worst:
    """Find the least worst cost by bisection over the values that it can have."""
    problem = part.problem
    best, top = start, losses.worst(start)
    run.offer(problem.answer(part.mask(best)), _shaped(problem.objective.name, top))
    bound = cheap_bound(problem)
    proven = bound.value[0] if isinstance(bound.value, tuple) else Fraction(bound.value)
    values = sorted({Fraction(0), losses.unavoidable(), *losses.values()})
    notes: tuple[Note, ...] = ()
    while proven < top and not run.expired():
        between = values[bisect_left(values, proven) : bisect_left(values, top)]
        if not between:
            break
        t = between[(len(between) - 1) // 2]
        result = None
        block = losses.cap_rows(t) if t >= losses.unavoidable() else None
        if block is not None:
            upper = packing.merged.many.astype(np.float64)
            nothing = np.zeros(packing.model.n_columns, np.int64)
            model = LinearModel.build(nothing, packing.row_block, block, upper=upper)
            result = solve(model, run, backend=backend)
            notes = (*notes, *result.notes)
        if result is not None and result.x is not None:
            best = packing.filled(packing.kept(result.x))
            top = losses.worst(best)
            run.offer(problem.answer(part.mask(best)), _shaped(problem.objective.name, top))
        elif result is None or result.status == "infeasible":
            proven = values[bisect_right(values, t)]
            who = result.backend if result is not None else "presolve"
            bound = Bound(_shaped(problem.objective.name, proven), "solver", {"backend": who})
        else:
            break
    return Worst(best, top, bound, notes)


def _shaped(objective: str, value: Fraction) -> Fraction | tuple[Fraction, ...]:
    return (value,) if objective == "worst-then-average" else value


def _then_average(
    part: Open, losses: Losses, packing: Packing, found: Worst, run: Run, *, backend: str
) -> Outcome[KeptPapers]:
    """Among the answers with that worst cost find the least average."""
    problem = part.problem
    form = problem.linear_form("average")
    proven = isinstance(found.bound.value, tuple) and found.bound.value[0] == found.value
    block = losses.cap_rows(found.value)
    assert block is not None
    model = packing.model.with_rows(block)

    def offer(x: Floats) -> None:
        answer = problem.answer(part.mask(packing.filled(packing.kept(x))))
        run.offer(answer, (losses.worst(part.columns(answer.mask)), form.value(answer.mask)))

    begin = packing.point(found.kept)
    offer(begin)
    result = solve(model, run, backend=backend, start=begin, on_point=offer)
    if result.x is not None:
        offer(result.x)
    best: KeptPapers = run.offered
    notes = (*found.notes, *result.notes)
    if not proven or result.bound is None:
        return Outcome(best, found.bound, notes=notes)
    average = upper_value(part, result.bound, "average")
    first = found.bound.data.get("backend", f"rule {found.bound.data.get('rule')}")
    data = {"backend": result.backend or backend, "worst": dict(found.bound.data, by=first)}
    return Outcome(best, Bound((found.value, average), "solver", data, result.slack), notes=notes)
