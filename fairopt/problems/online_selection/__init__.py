"""Fair online selection under matroid constraints, and its sibling with quotas for classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.lazy import late
from fairopt.registry import ProblemEntry

if TYPE_CHECKING:
    from fairopt.problems.online_selection.answer import Selection
    from fairopt.problems.online_selection.multiclass import OnlineMulticlass
    from fairopt.problems.online_selection.problem import OnlineSelection

_HERE = "fairopt.problems.online_selection"

PROBLEMS = (
    ProblemEntry(
        "online-selection",
        f"{_HERE}.problem:OnlineSelection",
        "which arriving elements to accept so that everyone's chance is as large as can be",
        formats=f"{_HERE}.files",
        generators=f"{_HERE}.generate",
        view=f"{_HERE}.view",
    ),
    ProblemEntry(
        "online-multiclass",
        f"{_HERE}.multiclass:OnlineMulticlass",
        "which arriving agents get one of few units, with a quota for every class",
        formats=f"{_HERE}.files_multiclass",
        generators=f"{_HERE}.generate_multiclass",
        view=f"{_HERE}.view_multiclass",
    ),
)

_LATE = {
    "OnlineSelection": "problem",
    "Selection": "answer",
    "OnlineMulticlass": "multiclass",
}

__all__ = ["PROBLEMS", "OnlineMulticlass", "OnlineSelection", "Selection"]

__getattr__ = late(_HERE, _LATE)
