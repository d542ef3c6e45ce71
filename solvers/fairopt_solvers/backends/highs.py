"""HiGHS through highspy, whole arrays at once: MILP and LP, duals, Farkas rays, warm start."""

from __future__ import annotations

import math
from typing import Any

import highspy
import numpy as np

from fairopt.run import NO_LIMIT, Run
from fairopt_solvers.backends.model import Floats
from fairopt_solvers.backends.quiet import quietly
from fairopt_solvers.backends.raw import Reply, Task, watch

# Presolve searches dependent equations for up to a hundredth of the time limit: hours
# without one, and mostly longer than the LP itself takes. So that search is off.
_NO_DEPENDENT_EQUATIONS = 1 << 10
_SEEDS = 2**31
_SPARE_ITERATIONS = 1000
# What an LP is tried with when the dual simplex method runs into its iteration limit: the interior
# point method (whose clean-up is dual simplex again, under the same limit), then primal simplex.
_OTHER_WAYS: tuple[dict[str, Any], ...] = (
    {"solver": "ipm"},
    {"solver": "simplex", "simplex_strategy": 4, "simplex_iteration_limit": 2**31 - 1},
)
_Highs: Any = highspy.Highs  # partly typed

_STATUS = {
    "kOptimal": "optimal",
    "kModelEmpty": "optimal",
    "kInfeasible": "infeasible",
    "kUnbounded": "unbounded",
    "kTimeLimit": "unknown",
    "kInterrupt": "unknown",
    "kHighsInterrupt": "unknown",
    "kIterationLimit": "unknown",
    "kSolutionLimit": "unknown",
    "kObjectiveBound": "unknown",
    "kObjectiveTarget": "unknown",
    "kMemoryLimit": "failed",
    "kUnknown": "failed",
    "kUnboundedOrInfeasible": "failed",  # asked again until it decides
    "kModelError": "failed",
    "kLoadError": "failed",
    "kPresolveError": "failed",
    "kSolveError": "failed",
    "kPostsolveError": "failed",
    "kNotset": "failed",
}
_CUT = {"kTimeLimit", "kInterrupt", "kHighsInterrupt"}


def run_highs(task: Task, run: Run) -> Reply:
    """Solve with HiGHS; an undecided "unbounded or infeasible" is asked again without costs."""
    reply, status = _solve(task, run, presolve=not task.strict)
    if status == "kUnboundedOrInfeasible":
        reply, status = _solve(task, run, presolve=False)
    if status == "kUnboundedOrInfeasible":
        bare, _ = _solve(task, run, presolve=True, costs=np.zeros(task.model.n_columns))
        if bare.status == "infeasible":
            return bare
        if bare.status == "optimal":
            return Reply("unbounded", f"{reply.words}; feasible without costs")
    return reply


def _solve(
    task: Task, run: Run, *, presolve: bool, costs: Floats | None = None
) -> tuple[Reply, str]:
    highs = quietly(_Highs)
    _options(highs, task, run, presolve)
    if highs.passModel(_lp(task, costs)) == highspy.HighsStatus.kError:
        return Reply("failed", "passModel: error"), "kModelError"
    if task.start is not None and not task.lp:
        solution = highspy.HighsSolution()
        solution.col_value = np.asarray(task.start, np.float64)
        highs.setSolution(solution)
    listener = _Listener(highs, task, run)

    def work() -> Any:
        code = highs.run()
        if code == highspy.HighsStatus.kError:
            # Another number of threads than before in this thread ends in an error at once.
            highspy.Highs.resetGlobalScheduler(True)
            code = highs.run()
        for options in _OTHER_WAYS:
            if highs.getModelStatus() != highspy.HighsModelStatus.kIterationLimit:
                break
            for key, value in options.items():
                highs.setOptionValue(key, value)
            code = highs.run()
        ray = None
        if task.lp and highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            _, found, values = highs.getDualRay()  # may solve once more, so in this thread
            ray = np.array(values) if found else None
        return code, ray

    done = watch(work, run, listener.stop, listener.tick)
    if done is None:
        point = listener.point
        status = "unknown" if point is None else "feasible"
        return Reply(status, "did not stop", point, stopped=True), "kInterrupt"
    listener.tick()
    code, ray = done
    name = highs.getModelStatus().name
    if code == highspy.HighsStatus.kError and _STATUS.get(name) == "optimal":
        name = "kSolveError"
    return _read(highs, task, name, ray), name


def _options(highs: Any, task: Task, run: Run, presolve: bool) -> None:
    options: dict[str, Any] = {
        "output_flag": False,
        "time_limit": min(run.remaining(), NO_LIMIT),
        "threads": max(1, run.threads),
        "random_seed": run.seed % _SEEDS,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "presolve": "choose" if presolve else "off",
        "presolve_rule_off": _NO_DEPENDENT_EQUATIONS,
    }
    if task.lp:
        # On degenerate packings the simplex method can take a hundred times as long as an
        # interior point with crossover; most models need fewer iterations than this.
        size = task.model.n_rows + task.model.n_columns
        options["simplex_iteration_limit"] = max(0, _SPARE_ITERATIONS + size)
    coefs = np.abs(task.model.coefs)
    if coefs.size and coefs.min() <= 1e-9:
        options["small_matrix_value"] = 1e-12  # coefficients below are dropped
    if task.strict:
        options["primal_feasibility_tolerance"] = 1e-9
        options["mip_feasibility_tolerance"] = 1e-9
    for key, value in options.items():
        highs.setOptionValue(key, value)


def _lp(task: Task, costs: Floats | None) -> Any:
    model = task.model
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.n_columns, model.n_rows
    lp.col_cost_ = np.asarray(task.scaling.costs if costs is None else costs, np.float64)
    lp.col_lower_, lp.col_upper_ = model.lower, model.upper
    lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = model.n_columns, model.n_rows
    lp.a_matrix_.start_ = model.indptr.astype(np.int32)
    lp.a_matrix_.index_ = model.indices.astype(np.int32)
    lp.a_matrix_.value_ = model.coefs
    if not task.lp and model.integer.any():
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[i] for i in model.integer.tolist()]
    return lp


class _Listener:
    """Hears the solver's callbacks in its thread, passes on in ours: progress, points, stop."""

    def __init__(self, highs: Any, task: Task, run: Run) -> None:
        self._task, self._run = task, run
        self._stop = False
        self._bounds: tuple[float, float] | None = None
        self._told: tuple[float, float] | None = None
        self._given: Floats | None = None
        self.point: Floats | None = None
        highs.cbSimplexInterrupt.subscribe(self._look)
        highs.cbIpmInterrupt.subscribe(self._look)
        if not task.lp and task.model.integer.any():
            highs.cbMipInterrupt.subscribe(self._look_mip)
            highs.cbMipImprovingSolution.subscribe(self._improve)

    def stop(self) -> None:
        self._stop = True

    def _look(self, event: Any) -> None:
        if self._stop:
            event.interrupt()

    def _look_mip(self, event: Any) -> None:
        self._bounds = (event.data_out.mip_primal_bound, event.data_out.mip_dual_bound)
        if self._stop:
            event.interrupt()

    def _improve(self, event: Any) -> None:
        self.point = np.array(event.data_out.mip_solution, np.float64)

    def tick(self) -> None:
        """Pass on what is new; called in the thread of the method."""
        point = self.point
        if point is not None and point is not self._given:
            self._given = point
            if self._task.on_point is not None:
                self._task.on_point(point)
        bounds = self._bounds
        if bounds is not None and bounds != self._told:
            self._told = bounds
            shown = [self._task.scaling.back_float(b) if math.isfinite(b) else None for b in bounds]
            if shown != [None, None]:
                self._run.report(value=shown[0], bound=shown[1])


def _read(highs: Any, task: Task, name: str, ray: Floats | None) -> Reply:
    info, solution = highs.getInfo(), highs.getSolution()
    status = _STATUS.get(name, "failed")
    mip = not task.lp and bool(task.model.integer.any())
    words = highs.modelStatusToString(highs.getModelStatus())
    x = objective = bound = duals = reduced = None
    has_point = (
        name == "kModelEmpty" or info.primal_solution_status == highspy.kSolutionStatusFeasible
    )
    if has_point and solution.value_valid and status in ("optimal", "unknown"):
        x = np.array(solution.col_value, np.float64)
        objective = float(info.objective_function_value)
        if status == "unknown":
            status = "feasible"
    if name == "kModelEmpty" and x is None:
        x, objective = np.zeros(task.model.n_columns), 0.0
    if mip and status in ("optimal", "feasible", "unknown"):
        bound = float(info.mip_dual_bound)
    elif not mip and status == "optimal":  # an LP has no mip_dual_bound: it says 0
        bound = objective
    if not mip and status == "optimal" and solution.dual_valid:
        duals = np.array(solution.row_dual, np.float64)
        reduced = np.array(solution.col_dual, np.float64)
    if objective is not None:
        words = f"{words}, objective {objective!r}, bound {bound!r}"
    return Reply(status, words, x, objective, bound, duals, reduced, ray, stopped=name in _CUT)
