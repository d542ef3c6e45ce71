"""The method ``exact``: proven optima for every objective.

Sums over kept papers (``max-accept``, ``average``, ``collateral``) are 0/1 programs with a
linear program in front; worst cases are found by searching the finitely many values that they
can take; ``wiped`` and ``leximin`` count authors at or above a cost, level by level.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.problem import Sense
from fairopt.problems.desk_rejection import DeskRejection, KeptPapers
from fairopt.run import Run
from fairopt.solution import Bound, Claim, Infeasible, Outcome
from fairopt_solvers.backends import BackendRefusal
from fairopt_solvers.desk_rejection import levels, thresholds
from fairopt_solvers.desk_rejection.packing import (
    Packed,
    Packing,
    Relaxed,
    multipliers_bound,
    multipliers_data,
    relaxation,
    rounded_up,
    solve_packing,
    upper_value,
)
from fairopt_solvers.desk_rejection.presolve import Open, presolve

Bools = NDArray[np.bool_]
_EASY = 0.1  # share of fractional papers up to which a 0/1 solver needs no start
Backend = Literal["highs", "cp-sat", "cbc"]
LINEAR = ("max-accept", "average", "collateral")


def exact(
    problem: DeskRejection, run: Run, *, backend: Backend = "highs", depth: int | None = None
) -> Outcome[KeptPapers]:
    """Return an optimal set of kept papers, or the best one when the time is up.

    Parameters
    ----------
    backend
        Who solves the 0/1 programs.
    depth
        For ``leximin``: stop after that many levels of cost (the bound then covers only them),
        with the least average among the answers that are best so far.
    """
    part = presolve(problem)
    if isinstance(part, Infeasible):
        return Outcome(infeasible=part)
    outcome = solve_open(part, run, backend=backend, depth=depth)
    claim = ideal_claim(part, run, backend=backend)
    return replace(outcome, claims=(*outcome.claims, *([claim] if claim else [])))


def solve_open(
    part: Open,
    run: Run,
    *,
    backend: str,
    depth: int | None = None,
    warm: Callable[[], Bools] | None = None,
) -> Outcome[KeptPapers]:
    """Solve what presolve leaves open; ``warm`` gives open papers to start from, if needed."""
    name = part.problem.objective.name
    if not len(part.paper):
        return decided(part)
    if name in LINEAR:
        return linear(part, run, backend=backend, warm=warm)
    begin = None if warm is None else warm()
    if name == "wiped":
        return levels.wiped(part, run, backend=backend, start=begin)
    if name == "leximin":
        return levels.leximin(part, run, backend=backend, depth=depth, start=begin)
    return thresholds.worst(part, run, backend=backend, start=begin)


def decided(part: Open) -> Outcome[KeptPapers]:
    """Return the answer of an instance in which nothing is left to choose."""
    problem = part.problem
    answer = problem.answer(part.mask(np.zeros(0, bool)))
    data = {"rule": "nothing-binds"}
    value = problem.recompute(data)
    return Outcome(answer, Bound(value, "combinatorial", data))


def linear(
    part: Open,
    run: Run,
    *,
    backend: str,
    warm: Callable[[], Bools] | None = None,
) -> Outcome[KeptPapers]:
    """Solve an objective that is a sum over kept papers.

    ``warm`` gives open papers to start from; it is asked only where the linear program leaves
    something to do.
    """
    problem = part.problem
    form = problem.linear_form()
    packing = Packing(part, part.weights(form.coef))
    relaxed = relaxation(packing, run.child("relaxation", time_limit=run.remaining() / 3))
    best = relaxed.kept
    answer = problem.answer(part.mask(best))
    run.offer(answer, form.value(answer.mask))
    bound = multipliers_bound(packing, relaxed.result)
    if bound is not None:
        run.report(bound=bound.value)
        if bound.value == form.value(answer.mask):
            return Outcome(answer, bound)
    if warm is not None and relaxed.fractional > _EASY:
        start = warm()
        best = max(best, start, key=packing.value)
    usable: Relaxed | None = relaxed if backend == "highs" else None
    packed = solve_packing(packing, run, backend=backend, start=best, relaxed=usable)
    claim = solver_bound(part, packed, problem.objective.name)
    if claim is not None and claim.slack >= 1 and packing.carried and not run.expired():
        packed = _in_integers(packing, run, packed)
        claim = solver_bound(part, packed, problem.objective.name)
    answer = problem.answer(part.mask(packing.filled(packed.kept)))
    return Outcome(answer, _better(problem, bound, claim), notes=packed.notes)


def _in_integers(packing: Packing, run: Run, packed: Packed) -> Packed:
    """Ask CP-SAT where weights are too far apart for a solver that computes in floats."""
    try:
        return solve_packing(packing, run, backend="cp-sat", start=packed.kept, relaxed=None)
    except BackendRefusal:
        return packed


def solver_bound(part: Open, packed: Packed, objective: str) -> Bound | None:
    """Return the solvers' bound on the weight of the open part as one on the objective."""
    if packed.bound is None or not packed.backends:
        return None
    value = upper_value(part, packed.bound, objective)
    slack = Fraction(packed.slack)
    if part.problem.linear_form(objective).coef.den == 1 and slack < 1:
        whole = math.floor if part.problem.objective.sense is Sense.MAXIMIZE else math.ceil
        value, slack = whole(value + slack if whole is math.floor else value - slack), Fraction(0)
    data = {"backend": " + ".join(packed.backends)}
    return Bound(value, "solver", data, rounded_up(slack))


def _better(problem: DeskRejection, one: Bound | None, two: Bound | None) -> Bound | None:
    """Return the stronger bound; what can be recomputed goes first at equal strength."""
    if one is None or two is None:
        return one or two
    return two if problem.objective.better(one.value, two.value) else one


def ideal_claim(part: Open, run: Run, *, backend: str) -> Claim | None:
    """Return what is proven about the least collateral; 0 is an ideal desk rejection.

    That is ``min_collateral``, or ``min_collateral_at_least`` with a positive bound where the
    linear program already shows that there is no ideal one.
    """
    problem = part.problem
    if not problem.has_excess or run.expired():
        return None
    packing = Packing(part, part.weights(problem.linear_form("collateral").coef))
    relaxed = relaxation(packing, run)
    if relaxed.result.duals is None:
        return None
    data = multipliers_data(packing, relaxed.result.duals, "collateral-multipliers")
    least = problem.recompute(data, "min_collateral_at_least")
    form = problem.linear_form("collateral")
    kept = part.mask(relaxed.kept)
    if form.value(kept) != least:
        if least > 0:
            return Claim("min_collateral_at_least", least, "multipliers", data)
        usable = relaxed if backend == "highs" else None
        packed = solve_packing(packing, run, backend=backend, start=relaxed.kept, relaxed=usable)
        kept = part.mask(packed.kept)
        claimed = solver_bound(part, packed, "collateral")
        if form.value(kept) != least:
            if claimed is None or claimed.value != form.value(kept):
                return None
            return Claim("min_collateral", claimed.value, "solver", claimed.data)
    rejected = problem.answer(kept).rejected
    data = {**data, "rule": "min-collateral", "rejected": list(rejected)}
    return Claim("min_collateral", least, "multipliers", data)
