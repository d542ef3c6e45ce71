"""Representative ranking: choose and order comments by score, so that no group goes unheard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.lazy import late
from fairopt.registry import ProblemEntry

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.answer import Feed
    from fairopt.problems.jr_ranking.infer import infer_approvals
    from fairopt.problems.jr_ranking.problem import JrRanking

_HERE = "fairopt.problems.jr_ranking"

PROBLEMS = (
    ProblemEntry(
        "jr-ranking",
        f"{_HERE}.problem:JrRanking",
        "which comments to show, and in which order, so that every large group is represented",
        formats=f"{_HERE}.files",
        generators=f"{_HERE}.generate",
        view=f"{_HERE}.view",
    ),
)

_LATE = {"JrRanking": "problem", "Feed": "answer", "infer_approvals": "infer"}

__all__ = ["PROBLEMS", "Feed", "JrRanking", "infer_approvals"]

__getattr__ = late(_HERE, _LATE)
