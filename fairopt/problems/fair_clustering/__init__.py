"""Fair clustering: clusters that are mixed like the whole, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.lazy import late
from fairopt.registry import ProblemEntry

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.answer import Clustering, Shares
    from fairopt.problems.fair_clustering.fairness import Fairness
    from fairopt.problems.fair_clustering.groups import Attribute
    from fairopt.problems.fair_clustering.problem import FairClustering

_HERE = "fairopt.problems.fair_clustering"

PROBLEMS = (
    ProblemEntry(
        "fair-clustering",
        f"{_HERE}.problem:FairClustering",
        "how to cluster people so that every cluster is mixed like the whole",
        formats=f"{_HERE}.files",
        generators=f"{_HERE}.generate",
        view=f"{_HERE}.view",
    ),
)

_LATE = {
    "FairClustering": "problem",
    "Clustering": "answer",
    "Shares": "answer",
    "Fairness": "fairness",
    "Attribute": "groups",
}

__all__ = ["PROBLEMS", "Attribute", "Clustering", "FairClustering", "Fairness", "Shares"]

__getattr__ = late(_HERE, _LATE)
