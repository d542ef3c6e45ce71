"""GLOP and PDLP, the linear programming solvers of OR-Tools, whole arrays at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from ortools.linear_solver.python import model_builder_helper

from fairopt.run import NO_LIMIT, Run
from fairopt_solvers.backends.model import Floats, LinearModel
from fairopt_solvers.backends.raw import Reply, Task, watch

library: Any = model_builder_helper  # its stubs know one array type only
_STATUS = {
    "OPTIMAL": "optimal",
    "FEASIBLE": "feasible",
    "INFEASIBLE": "infeasible",
    "UNBOUNDED": "unbounded",
    "NOT_SOLVED": "unknown",
    "CANCELLED_BY_USER": "unknown",
    "UNKNOWN_STATUS": "failed",
    "ABNORMAL": "failed",
    "MODEL_INVALID": "failed",
    "MODEL_IS_VALID": "failed",
    "INVALID_SOLVER_PARAMETERS": "failed",
    "INCOMPATIBLE_OPTIONS": "failed",
    "SOLVER_TYPE_UNAVAILABLE": "failed",
}
_EPS = 1e-8  # PDLP's own default is 1e-6


def run_glop(task: Task, run: Run) -> Reply:
    """Solve an LP with GLOP.

    GLOP calls some unbounded problems infeasible; such a claim is asked again without costs.
    """
    reply = _solve("glop", task, run, task.scaling.costs)
    if reply.status == "infeasible" and np.any(task.scaling.costs != 0):
        bare = _solve("glop", task, run, np.zeros(task.model.n_columns))
        if bare.status == "optimal":
            return Reply("unbounded", f"{reply.words}; feasible without costs")
        return Reply(bare.status, bare.words, stopped=bare.stopped)
    return reply


def run_pdlp(task: Task, run: Run) -> Reply:
    """Solve an LP with PDLP, a first-order method: accurate to a few digits only."""
    text = (
        f"termination_criteria {{ simple_optimality_criteria {{ eps_optimal_absolute: {_EPS} "
        f"eps_optimal_relative: {_EPS} }} }} num_threads: {max(1, run.threads)}"
    )
    reply = _solve("pdlp", task, run, task.scaling.costs, text)
    if reply.status == "infeasible" and np.any(task.scaling.costs != 0):
        bare = _solve("pdlp", task, run, np.zeros(task.model.n_columns), text)
        if bare.status != "infeasible":
            return Reply("failed", f"{reply.words}, but {bare.words} without costs")
    return reply


def _solve(name: str, task: Task, run: Run, costs: Floats, parameters: str = "") -> Reply:
    model = task.model
    helper = library.ModelBuilderHelper()
    vectors = (model.lower, model.upper, costs, model.row_lower, model.row_upper)
    # It takes writable arrays only.
    helper.fill_model_from_sparse_data(*(np.array(v, np.float64) for v in vectors), _matrix(model))
    solver = library.ModelSolverHelper(name)
    if not solver.solver_is_supported():
        return Reply("failed", f"{name} is not part of this build")
    if run.remaining() < NO_LIMIT:
        solver.set_time_limit_in_seconds(run.remaining())
    if parameters:
        solver.set_solver_specific_parameters(parameters)

    def work() -> bool:
        solver.solve(helper)
        return True

    if watch(work, run, solver.interrupt_solve) is None:
        return Reply("unknown", "did not stop", stopped=True)
    return _read(solver, model, run)


def _matrix(model: LinearModel) -> Any:
    from scipy.sparse import csr_matrix

    shape = (model.n_rows, model.n_columns)
    return csr_matrix(
        (model.coefs.copy(), model.indices.astype(np.int32), model.indptr.astype(np.int32)), shape
    )


def _read(solver: Any, model: LinearModel, run: Run) -> Reply:
    """Read a reply; only after OPTIMAL or FEASIBLE do its numbers mean anything."""
    name = solver.status().name
    status = _STATUS.get(name, "failed")
    words = f"{name} {solver.status_string()}".strip()
    if status == "unknown":
        stopped = run.expired() or name == "CANCELLED_BY_USER"
        # NOT_SOLVED is also what a solver says that gave up by itself.
        return Reply("unknown" if stopped else "failed", words, stopped=stopped)
    if status not in ("optimal", "feasible") or not solver.has_solution():
        return Reply(status if status not in ("optimal", "feasible") else "failed", words)
    x = np.asarray(solver.variable_values(), np.float64)
    objective = float(solver.objective_value())
    if status == "feasible":
        return Reply("feasible", words, x, objective, stopped=run.expired())
    duals = np.asarray(solver.dual_values(), np.float64)
    reduced = np.asarray(solver.reduced_costs(), np.float64)
    if len(duals) != model.n_rows or len(reduced) != model.n_columns:
        return Reply("optimal", words, x, objective, objective)
    return Reply("optimal", words, x, objective, objective, duals, reduced)
