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

from fairopt.errors import MethodError
from fairopt.problems.desk_rejection import KeptPapers
from fairopt.run import Run
from fairopt.solution import Bound, Note, Outcome
from fairopt_solvers.backends import LinearModel, solve
from fairopt_solvers.desk_rejection.bounds import cheap_bound
from fairopt_solvers.desk_rejection.losses import Losses
from fairopt_solvers.desk_rejection.packing import (
    Packed,
    Packing,
    Relaxed,
    multipliers_data,
    relaxation,
    rounded_up,
    solve_packing,
    upper_value,
)
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
    """Minimise the worst cost; for ``worst-then-average`` then the average cost.

    For ``worst-then-average`` the search begins at the papers that are best on average: where
    they also have the least worst cost, they are the answer.
    """
    problem = part.problem
    name = problem.objective.name
    losses = Losses.of(part, "regret-worst" if name == "regret-worst" else "average")
    coef = part.weights(problem.linear_form("average").coef)
    packing = Packing(part, coef, merging=False)
    relaxed = relaxation(packing, run)
    usable = relaxed if backend == "highs" else None
    packed = Packed(relaxed.kept, None, 0, ())
    if name == "worst-then-average" and not run.expired():
        packed = solve_packing(packing, run, backend=backend, start=relaxed.kept, relaxed=usable)
    average = packing.filled(packed.kept)
    begin = average
    if start is not None and losses.worst(start) < losses.worst(average):
        begin = start
    found = search(part, losses, packing, run, backend=backend, start=begin)
    if name != "worst-then-average":
        return Outcome(problem.answer(part.mask(found.kept)), found.bound, notes=found.notes)
    if found.kept is average and _proven(found) and packed.bound is not None:
        bound = _both(packing, relaxed, found, packed)
        return Outcome(problem.answer(part.mask(average)), bound, notes=found.notes)
    return _then_average(part, losses, packing, found, run, backend=backend)


def search(
    part: Open, losses: Losses, packing: Packing, run: Run, *, backend: str, start: Bools
) -> Worst:
    """Find the least worst cost by bisection over the values that it can have."""
    problem = part.problem
    best, top = start, losses.worst(start)
    run.offer(problem.answer(part.mask(best)))
    bound = cheap_bound(problem)
    proven = Fraction(bound.value[0] if isinstance(bound.value, tuple) else bound.value or 0)
    values = sorted({Fraction(0), losses.unavoidable(), *losses.values()})
    notes: tuple[Note, ...] = ()
    while proven < top and not run.expired():
        between = values[bisect_left(values, proven) : bisect_left(values, top)]
        block = losses.cap_rows(between[(len(between) - 1) // 2]) if between else None
        if block is None:
            break
        t = between[(len(between) - 1) // 2]
        nothing = np.zeros(packing.model.n_columns, np.int64)
        model = LinearModel.build(nothing, packing.row_block, block)
        result = solve(model, run, backend=backend)
        notes = (*notes, *result.notes)
        if result.x is not None:
            best = packing.filled(packing.kept(result.x))
            top = losses.worst(best)
            run.offer(problem.answer(part.mask(best)))
        elif result.status == "infeasible":
            proven = values[bisect_right(values, t)]
            shaped = (proven,) if problem.objective.name == "worst-then-average" else proven
            bound = Bound(shaped, "solver", {"backend": result.backend})
        else:
            break
    return Worst(best, top, bound, notes)


def _proven(found: Worst) -> bool:
    """Whether no answer has a smaller worst cost."""
    return isinstance(found.bound.value, tuple) and found.bound.value[0] == found.value


def _both(packing: Packing, relaxed: Relaxed, found: Worst, packed: Packed) -> Bound:
    """Return the bound of an answer that is best in both stages.

    Where certificates prove both, nobody has to be trusted.
    """
    part, problem = packing.part, packing.part.problem
    form = problem.linear_form("average")
    average = form.value(part.mask(packing.filled(packed.kept)))
    if found.bound.proof != "solver" and relaxed.result.duals is not None:
        data = {
            "rule": "worst-then-average",
            "worst": dict(found.bound.data),
            "average": multipliers_data(packing, relaxed.result.duals, "packing-multipliers"),
        }
        if problem.recompute(data) == (found.value, average):
            return Bound((found.value, average), "multipliers", data)
    assert packed.bound is not None
    value = upper_value(part, packed.bound, "average")
    data = {"backend": " + ".join(packed.backends), "worst": dict(found.bound.data)}
    return Bound((found.value, value), "solver", data, rounded_up(packed.slack))


def _then_average(
    part: Open, losses: Losses, packing: Packing, found: Worst, run: Run, *, backend: str
) -> Outcome[KeptPapers]:
    """Among the answers with that worst cost find the least average."""
    problem = part.problem
    block = losses.cap_rows(found.value)
    if block is None:
        raise MethodError("no answer has the worst cost of the answer at hand")
    model = packing.model.with_rows(block)

    def heard(x: Floats) -> None:
        run.offer(problem.answer(part.mask(packing.filled(packing.kept(x)))))

    begin = packing.point(found.kept)
    result = solve(model, run, backend=backend, start=begin, on_point=heard)
    kept = packing.filled(packing.kept(begin if result.x is None else result.x))
    answer = problem.answer(part.mask(kept))
    notes = (*found.notes, *result.notes)
    if not _proven(found) or result.bound is None:
        return Outcome(answer, found.bound, notes=notes)
    value = upper_value(part, result.bound, "average")
    data = {"backend": result.backend or backend, "worst": dict(found.bound.data)}
    bound = Bound((found.value, value), "solver", data, rounded_up(result.slack))
    return Outcome(answer, bound, notes=notes)
