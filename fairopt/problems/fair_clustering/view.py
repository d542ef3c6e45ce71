"""What to show to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairopt.rational import text
from fairopt.solution import Note

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.problems.fair_clustering.fairness import Fairness
    from fairopt.problems.fair_clustering.problem import FairClustering

VERBS: tuple[object, ...] = ()

FIGURES: tuple[tuple[str, ...], ...] = (
    ("cost", "cost", "min"),
    ("mean_cost", "mean cost", "min"),
    ("balance", "balance (worst cluster)", "max"),
    ("balance_max", "best possible balance"),
    ("price_of_fairness", "price of fairness (to unfair cost)", "min"),
    ("bound_for_centers", "least fair cost, these centers"),
    ("relative_balance", "worst share against the whole", "max"),
    ("tv", "total variation between groups", "min"),
    ("gap", "additive gap", "min"),
    ("max_gap", "largest gap in one cluster", "min"),
    ("max_additive_violation", "worst points too many or few", "min"),
    ("clusters", "clusters in use"),
    ("n_empty", "empty clusters"),
    ("soft", "points are split"),
    ("sizes", "sizes of the clusters"),
    ("group_mean_cost", "mean cost of the groups"),
    ("individual_alpha", "worst distance to that of n/k nearest", "min"),
    ("core_rho", "most that n/k points could gain", "min"),
)


def words_of(fairness: Fairness) -> str:
    """Return a condition in a few words."""
    numbers = {
        "balance": ("at least", fairness.min_balance),
        "gap": ("at most", fairness.epsilon),
        "individual": ("alpha", fairness.alpha),
        "core": ("rho", fairness.rho),
        "bounded-cost": ("at most", fairness.max_cost),
        "bounds": ("delta", fairness.delta),
    }
    kind = f"{fairness.type} {fairness.rounding}".strip()
    word, number = numbers.get(fairness.type, ("", None))
    return kind if number is None else f"{kind} {word} {text(number)}"


def describe(problem: Problem) -> str:
    """Return one line about an instance."""
    from fairopt.problems.fair_clustering.problem import FairClustering

    assert isinstance(problem, FairClustering)
    what = f"{problem.n:,} points" + (f" of {problem.d} coordinates" if problem.d else "")
    groups = "; ".join(
        f"{a.name}: "
        + ", ".join(f"{v} {m:,.10g}" for v, m in zip(a.values, masses.tolist(), strict=True))
        for a, masses in zip(problem.attributes, problem.group_masses, strict=True)
    )
    line = (
        f"{what} in at most {problem.k} clusters, centers {problem.mode}; "
        f"fairness {words_of(problem.fairness)}"
    )
    return f"{line}; {groups}" if groups else line


def notes_of(problem: FairClustering) -> tuple[Note, ...]:
    """Return remarks on the question itself."""
    out = []
    if "fairness" in problem.assumed:
        words = f"fairness not given, so: {words_of(problem.fairness)}"
        out.append(Note("defaults", words))
    about_groups = problem.fairness.type not in ("none", "individual", "core")
    if about_groups and not problem.attributes:
        out.append(Note("no-groups", "no groups are given, so every clustering is fair"))
    single = [a.name for a in problem.attributes if len(a.values) == 1]
    if single:
        words = f"everybody is of one group: {', '.join(single)}"
        out.append(Note("one-group", words))
    table = problem.distances if problem.mode == "points" else None
    if table is not None and not np.array_equal(table, table.T):
        words = "distances are not symmetric; rows are points, columns centers"
        out.append(Note("asymmetric", words))
    return tuple(out)
