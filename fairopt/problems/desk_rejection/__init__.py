"""Fair desk rejection under submission limits, and its sibling, reviewer nomination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.lazy import late
from fairopt.registry import ProblemEntry

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.nomination import Nominees, ReviewerNomination
    from fairopt.problems.desk_rejection.problem import DeskRejection, KeptPapers

_HERE = "fairopt.problems.desk_rejection"

PROBLEMS = (
    ProblemEntry(
        "desk-rejection",
        f"{_HERE}.problem:DeskRejection",
        "which papers to keep when authors exceed their submission limits",
        formats=f"{_HERE}.files",
        generators=f"{_HERE}.generate",
        view=f"{_HERE}.view",
    ),
    ProblemEntry(
        "reviewer-nomination",
        f"{_HERE}.nomination:ReviewerNomination",
        "which author each paper nominates as its reviewer",
        formats=f"{_HERE}.files",
        generators=f"{_HERE}.generate",
        view=f"{_HERE}.view",
    ),
)

_LATE = {
    "DeskRejection": "problem",
    "KeptPapers": "problem",
    "ReviewerNomination": "nomination",
    "Nominees": "nomination",
}

__all__ = ["PROBLEMS", "DeskRejection", "KeptPapers", "Nominees", "ReviewerNomination"]

__getattr__ = late(_HERE, _LATE)
