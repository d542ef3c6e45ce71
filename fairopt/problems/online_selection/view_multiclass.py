"""What to show to people of multi-class selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairopt.problem import Problem

FIGURES: tuple[tuple[str, ...], ...] = (
    ("value", "expected value", "max"),
    ("expected_value", "expected value before the draw", "max"),
    ("units", "units given"),
    ("counts", "units by class"),
    ("gfq_slack", "units beyond the quota, by class"),
    ("gfq_prefix", "quotas kept at every time"),
    ("pf", "proportional fairness (1 is best)", "min"),
    ("attained_ratio", "best value without quotas / value", "min"),
    ("competitive_ratio", "what set-aside guarantees for it"),
    ("within_ratio", "within that guarantee"),
    ("optimum_free", "best value without quotas"),
    ("optimum_prefix", "best value with quotas at every time"),
    ("rounding_error", "error of acceptance probabilities"),
    ("most_units", "most units that a draw uses"),
)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def describe(problem: Problem) -> str:
    """Return one line about an instance."""
    from fairopt.problems.online_selection.multiclass import OnlineMulticlass

    assert isinstance(problem, OnlineMulticlass)
    low, high = problem.value_range
    text = (
        f"{_count(problem.capacity, 'unit', 'units')} for"
        f" {_count(problem.n_agents, 'agent', 'agents')} of value {low} to {high}"
    )
    if not problem.n_classes:
        return f"{text}, no quotas"
    quotas = ", ".join(map(str, problem.quotas[:8])) + (" …" if problem.n_classes > 8 else "")
    word = "quota" if problem.n_classes == 1 else "quotas"
    text += f", {word} {quotas}"
    return f"{text}, agents without a class may come" if problem.unclassified_agents else text
