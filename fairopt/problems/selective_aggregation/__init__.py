"""Selective preference aggregation: compare only what nearly all judges agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.lazy import late
from fairopt.registry import ProblemEntry

if TYPE_CHECKING:
    from fairopt.problems.selective_aggregation.answer import Path, Tiering
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation
    from fairopt.problems.selective_aggregation.profile import Profile

_HERE = "fairopt.problems.selective_aggregation"

PROBLEMS = (
    ProblemEntry(
        "selective-aggregation",
        f"{_HERE}.problem:SelectiveAggregation",
        "which items stand above which, where nearly all judges agree, and where to abstain",
        formats=f"{_HERE}.files",
        generators=f"{_HERE}.generate",
        view=f"{_HERE}.view",
    ),
)

_LATE = {
    "SelectiveAggregation": "problem",
    "Tiering": "answer",
    "Path": "answer",
    "Profile": "profile",
}

__all__ = ["PROBLEMS", "Path", "Profile", "SelectiveAggregation", "Tiering"]

__getattr__ = late(_HERE, _LATE)
