"""Fast methods for objectives that are sums over kept papers: rounding and greedy multicover."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import DeskRejection, KeptPapers
from fairopt.run import Run
from fairopt.solution import Infeasible, Outcome
from fairopt_solvers.desk_rejection.bounds import cheap_bound
from fairopt_solvers.desk_rejection.exact import decided
from fairopt_solvers.desk_rejection.insertion import View, insert
from fairopt_solvers.desk_rejection.packing import Packing, multipliers_bound, relaxation
from fairopt_solvers.desk_rejection.presolve import Open, presolve

Bools = NDArray[np.bool_]


def lp_rounding(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep papers by falling share in the linear program's optimum while all limits hold.

    Ties go to fewer over-limit authors, then to policy order; the result is maximal. The bound
    is the linear program's, recomputed exactly from its multipliers: it belongs to the
    relaxation in which papers can be kept in part. Li, Song and Zhang (2025) round the same
    program; their rounding step is not published, this one is ours.
    """
    part = presolve(problem)
    if isinstance(part, Infeasible):
        return Outcome(infeasible=part)
    if not len(part.paper):
        return decided(part)
    packing = Packing(part, part.weights(problem.linear_form().coef))
    relaxed = relaxation(packing, run)
    answer = problem.answer(part.mask(relaxed.kept))
    bound = multipliers_bound(packing, relaxed.result)
    return Outcome(answer, bound or cheap_bound(problem))


def greedy(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Reject the papers that relieve most over-limit authors for their weight.

    Greedy set multicover, then papers are kept again where all authors have room. Under the
    unit quota without forced keeps and role limits the weight rejected is at most H(Δ) times
    the minimum, Δ the most over-limit authors on one paper (Dobson 1982; Rajagopalan and
    Vazirani 1998). Time O(incidences · log papers).
    """
    part = presolve(problem)
    if isinstance(part, Infeasible):
        return Outcome(infeasible=part)
    if not len(part.paper):
        return decided(part)
    kept = cover(part)
    return Outcome(problem.answer(part.mask(kept)), cheap_bound(problem))


def cover(part: Open) -> Bools:
    """Return the open papers that greedy multicover keeps."""
    from fairopt_solvers.desk_rejection.kernels_greedy import greedy_cover

    problem = part.problem
    weight = part.weights(problem.linear_form(_linear(problem)).coef).floats()
    view = View.of_open(part)
    small = view.kernel_view()
    size = problem.paper_size[part.paper]
    kept: Bools = greedy_cover(*small.columns, small.row_unit, weight, size)
    if view.fits_int64:
        return kept
    order = np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)])
    return insert(part, order)


def _linear(problem: DeskRejection) -> str:
    """Return the objective in force if it is a sum over papers, else ``average``."""
    name = problem.objective.name
    return name if name in ("max-accept", "collateral") else "average"
