"""Cones through cvxpy: Nash welfare, semidefinite bounds."""

from __future__ import annotations

import logging
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairopt.errors import UsageError
from fairopt.run import NO_LIMIT, Run
from fairopt.solution import Note
from fairopt_solvers.backends.quiet import quietly
from fairopt_solvers.backends.raw import watch

_LOG = logging.getLogger("fairopt")
FEASIBILITY = 1e-6  # what a point may break, relative above 1
GAP = 1e-6  # relative slack of a value that an interior-point method calls optimal

# The time limit has another name in every solver; others have none here.
_TIME_OPTION = {"CLARABEL": "time_limit", "SCS": "time_limit_secs", "HIGHS": "time_limit"}
_CERTIFIED = ("CLARABEL", "SCS", "ECOS")  # call infeasible only what they have proven


@dataclass(frozen=True, slots=True, eq=False)
class ConeResult:
    """A checked reply: the variables of the problem hold the point when ``value`` is set.

    ``status`` is ``optimal``, ``feasible``, ``infeasible``, ``unbounded`` or ``unknown``.
    ``value`` is the objective recomputed at the point, ``bound`` lies on the far side of the
    optimum in the objective's own sense (a lower bound when minimising), up to ``slack``.
    """

    status: str
    value: float | None = None
    bound: float | None = None
    slack: float = 0.0
    backend: str = ""
    stopped: bool = False
    notes: tuple[Note, ...] = ()


def solve_cone(problem: Any, run: Run, solver: str = "CLARABEL", **options: Any) -> ConeResult:
    """Solve a cvxpy problem with the named solver and check what comes back.

    The bound of a problem called optimal is its recomputed value with a relative slack of
    1e-6. ``user_limit`` and ``*_inaccurate`` count as ``feasible`` only when the point passes
    its check, and carry no bound. A solver that cannot be interrupted is left behind when the
    run expires.
    """
    import cvxpy as library

    cvxpy: Any = library  # partly typed
    name = solver.upper()
    if name not in cvxpy.installed_solvers():
        raise UsageError(f"cvxpy has no solver {solver!r}")
    backend = f"{name.lower()} {_version(name)} (cvxpy {cvxpy.__version__})"
    if run.expired():
        return ConeResult("unknown", backend=backend, stopped=True)
    settings = dict(options)
    if name in _TIME_OPTION and run.remaining() < NO_LIMIT:
        settings.setdefault(_TIME_OPTION[name], run.remaining())

    def work() -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "inaccurate" is read from the status
            problem.solve(solver=name, **settings)
        return str(problem.status)

    if name == "HIGHS":
        import highspy

        quietly(highspy.Highs)  # it prints its banner at the first one
    try:
        status = watch(work, run, lambda: None)
    except cvxpy.error.SolverError as error:
        _LOG.info("%s: %s", backend, error)
        return ConeResult(
            "unknown", backend=backend, notes=(Note("backend-failed", f"{backend}: {error}"),)
        )
    if status is None:
        return ConeResult("unknown", backend=backend, stopped=True)
    return _judge(problem, status, backend, name, run)


def _judge(problem: Any, status: str, backend: str, name: str, run: Run) -> ConeResult:
    stopped = status == "user_limit"
    if stopped and run.time_limit is not None:
        run.cut()
    words = Note("backend-failed", f"{backend}: {status}")
    if status == "infeasible":
        return _infeasible(problem, backend, name)
    if status == "unbounded":
        return ConeResult("unbounded", backend=backend)
    if status not in ("optimal", "optimal_inaccurate", "user_limit"):
        return ConeResult("unknown", backend=backend, stopped=stopped, notes=(words,))
    value = _value_at_point(problem)
    if value is None:
        kind = Note("claim-refuted", f"{backend} said {status}; its point fails the check")
        notes = (kind,) if status == "optimal" else (words,)
        return ConeResult("unknown", backend=backend, stopped=stopped, notes=notes)
    if status != "optimal":
        return ConeResult("feasible", value, backend=backend, stopped=stopped, notes=(words,))
    claimed = problem.value
    slack = GAP * max(1.0, abs(value))
    if claimed is None or not abs(float(claimed) - value) <= slack:
        kind = Note("claim-refuted", f"{backend} said optimal with value {claimed}, not {value}")
        return ConeResult("feasible", value, backend=backend, notes=(kind,))
    return ConeResult("optimal", value, value, slack, backend)


def _infeasible(problem: Any, backend: str, name: str) -> ConeResult:
    """Believe certificates; a solver without one may have met an unbounded problem."""
    if name in _CERTIFIED:
        return ConeResult("infeasible", backend=backend)
    note = Note("backend-failed", f"{backend}: infeasible, or unbounded")
    return ConeResult("unknown", backend=backend, notes=(note,))


def _value_at_point(problem: Any) -> float | None:
    """Return the objective at the variables' values, None if they break a constraint.

    cvxpy's own ``problem.value`` is not read: after a limit without a point it is 0.0.
    """
    for variable in problem.variables():
        if variable.value is None or not np.isfinite(np.asarray(variable.value)).all():
            return None
        # Attributes such as nonneg or PSD are no constraints of the problem.
        off = np.abs(np.asarray(variable.value - variable.project(variable.value)))
        if np.max(off, initial=0.0) > FEASIBILITY * max(1.0, float(np.abs(variable.value).max())):
            return None
    for constraint in problem.constraints:
        size = max([1.0] + [float(np.max(np.abs(a.value), initial=0.0)) for a in constraint.args])
        off = float(np.max(np.asarray(constraint.violation(), dtype=float), initial=0.0))
        if not off <= FEASIBILITY * size:
            return None
    value = problem.objective.value
    if value is None or not math.isfinite(float(value)):
        return None
    return float(value)


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    package = {"HIGHS": "highspy", "GLOP": "ortools", "PDLP": "ortools"}.get(name, name.lower())
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
