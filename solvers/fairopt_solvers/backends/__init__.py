"""Backends: outside programs behind one matrix form.

Formulations are written once as a ``LinearModel`` and handed to HiGHS, CP-SAT, CBC, GLOP or
PDLP by ``solve`` and ``relax``; flows go to ``min_cost_flow`` and ``max_flow``, cones to
``solve_cone``. Importing this package loads no backend.
"""

from fairopt_solvers.backends.cones import ConeResult, solve_cone
from fairopt_solvers.backends.dispatch import BACKENDS, Backend, relax, solve, version
from fairopt_solvers.backends.flow import FlowResult, MaxFlow, max_flow, min_cost_flow
from fairopt_solvers.backends.model import (
    BackendRefusal,
    LinearModel,
    LinearResult,
    Rows,
    Violations,
    rows,
)

__all__ = [
    "BACKENDS",
    "Backend",
    "BackendRefusal",
    "ConeResult",
    "FlowResult",
    "LinearModel",
    "LinearResult",
    "MaxFlow",
    "Rows",
    "Violations",
    "max_flow",
    "min_cost_flow",
    "relax",
    "rows",
    "solve",
    "solve_cone",
    "version",
]
