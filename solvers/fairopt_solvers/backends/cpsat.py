"""CP-SAT: integers only, so everything is scaled to integers exactly, or refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from fairopt.run import Run
from fairopt_solvers.backends.model import BackendRefusal, LinearModel
from fairopt_solvers.backends.raw import Reply, Task, watch

_LIMIT = 2**62
_MAX_SHIFT = 52
_SEEDS = 2**31
_STATUS = {
    cp_model.OPTIMAL: "optimal",
    cp_model.FEASIBLE: "feasible",
    cp_model.INFEASIBLE: "infeasible",
    cp_model.UNKNOWN: "unknown",
    cp_model.MODEL_INVALID: "failed",
}
_NAMES = {
    cp_model.OPTIMAL: "OPTIMAL",
    cp_model.FEASIBLE: "FEASIBLE",
    cp_model.INFEASIBLE: "INFEASIBLE",
    cp_model.UNKNOWN: "UNKNOWN",
    cp_model.MODEL_INVALID: "MODEL_INVALID",
}


def run_cpsat(task: Task, run: Run) -> Reply:
    """Solve with CP-SAT; deterministic with one thread unless a limit cuts it."""
    model = _build(task)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.max_time_in_seconds = run.remaining()
    parameters.num_workers = max(1, run.threads)
    parameters.random_seed = run.seed % _SEEDS
    parameters.catch_sigint_signal = False  # it would take Ctrl-C from the caller for good
    parameters.relative_gap_limit = 0.0
    parameters.absolute_gap_limit = 0.0
    if task.strict:
        parameters.cp_model_presolve = False
    listener = _listener(task, run)
    code = watch(lambda: solver.solve(model, listener), run, solver.stop_search, listener.tick)
    if code is None:
        return Reply("unknown", "did not stop", listener.point, stopped=True)
    listener.tick()
    return _read(solver, code, task, run)


def _read(solver: Any, code: Any, task: Task, run: Run) -> Reply:
    status = _STATUS.get(code, "failed")
    words = _NAMES.get(code, str(code))
    if status == "failed":
        return Reply("failed", f"{words} {solver.solve_info()}".strip())
    x = objective = bound = None
    if status in ("optimal", "feasible"):  # after UNKNOWN the objective is no solution's
        response = solver.response_proto
        x = np.array(list(response.solution), np.float64)[: task.model.n_columns]
        objective = float(solver.objective_value)
    if status != "infeasible" and np.any(task.scaling.costs != 0):
        claimed = float(solver.best_objective_bound)
        bound = claimed if abs(claimed) < 2.0**62 else None
    elif status == "optimal":
        bound = objective = 0.0
    stopped = status in ("feasible", "unknown")
    if objective is not None:
        words = f"{words}, objective {objective!r}, bound {bound!r}"
    return Reply(status, words, x, objective, bound, stopped=stopped)


def _listener(task: Task, run: Run) -> Any:
    class Listener(cp_model.CpSolverSolutionCallback):
        """Keeps the newest point and bound; they are passed on in the method's thread."""

        def __init__(self) -> None:
            super().__init__()
            self.point: Any = None
            self._given: Any = None
            self._bounds: tuple[float, float] | None = None
            self._told: tuple[float, float] | None = None

        def on_solution_callback(self) -> None:
            self._bounds = (self.objective_value, self.best_objective_bound)
            if task.on_point is not None:
                response: Any = self.response_proto
                solution = list(response.solution)
                self.point = np.array(solution, np.float64)[: task.model.n_columns]

        def tick(self) -> None:
            if self.point is not None and self.point is not self._given:
                self._given = self.point
                if task.on_point is not None:
                    task.on_point(self._given)
            if self._bounds is not None and self._bounds != self._told:
                self._told = self._bounds
                value, bound = map(task.scaling.back_float, self._bounds)
                run.report(value=value, bound=bound)

    return Listener()


def _build(task: Task) -> Any:
    model = task.model
    out = cp_model.CpModel()
    columns = [
        out.new_int_var(int(low), int(high), "")
        for low, high in zip(model.lower.tolist(), model.upper.tolist(), strict=True)
    ]
    shift, coefs = _row_scales(model)
    ptr, index = model.indptr.tolist(), model.indices.tolist()
    for i in range(model.n_rows):
        part = slice(ptr[i], ptr[i + 1])
        weights = coefs[part].tolist()
        low = _bound(model.row_lower[i], shift[i], math.ceil)
        high = _bound(model.row_upper[i], shift[i], math.floor)
        total = cp_model.LinearExpr.weighted_sum([columns[j] for j in index[part]], weights)
        out.add_linear_constraint(total, low, high)
    costs = task.scaling.costs
    used = np.flatnonzero(costs).tolist()
    if used:
        weights = costs[used].tolist()
        out.minimize(cp_model.LinearExpr.weighted_sum([columns[j] for j in used], weights))
    if task.start is not None:
        for column, value in zip(columns, np.rint(task.start).tolist(), strict=True):
            out.add_hint(column, int(value))
    return out


def _row_scales(model: LinearModel) -> tuple[list[int], Any]:
    """Return for each row the power of two that makes it integral, and the int64 weights."""
    row = model.row_of()
    shift = np.zeros(model.n_rows, np.int64)
    coefs = model.coefs
    rough = coefs != np.rint(coefs)
    if rough.any():
        for k in np.flatnonzero(rough).tolist():
            bits = Fraction(coefs[k]).denominator.bit_length() - 1
            shift[row[k]] = max(int(shift[row[k]]), bits)
    reach = np.maximum(np.abs(model.lower), np.abs(model.upper))
    terms = np.abs(coefs) * reach[model.indices]
    size = np.bincount(row, terms, model.n_rows).astype(np.float64)
    size = np.ldexp(size, np.minimum(shift, 1000).astype(np.int32))
    bad = (size >= float(_LIMIT)) | (shift > _MAX_SHIFT)
    if bad.any():
        i = int(np.argmax(bad))
        raise BackendRefusal(
            f"cp-sat: row {i} times 2^{int(shift[i])} is integral, but too large for 62 bits"
        )
    scaled = np.ldexp(coefs, shift[row].astype(np.int32))
    return shift.tolist(), np.rint(scaled).astype(np.int64)


def _bound(bound: float, shift: int, towards: Any) -> int:
    """Return a row's bound in its integer scale, rounded inwards; far bounds are open."""
    if math.isinf(bound):
        return -_LIMIT if bound < 0 else _LIMIT
    value = int(towards(Fraction(bound) * 2**shift))
    return max(-_LIMIT, min(_LIMIT, value))
