"""What a problem's view says about it, with defaults where it is silent.

A view module may have ``describe(problem) -> str``, ``FIGURES`` (rows ``(name, label)`` or
``(name, label, "min" | "max")``, in the order of showing) and ``VERBS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairopt import registry

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.verbs import Verb


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as people see it; ``better`` is ``min``, ``max`` or empty."""

    name: str
    label: str
    better: str = ""


def describe(problem: Problem) -> str:
    """Return one line about the instance."""
    view = registry.view(problem.problem)
    if view is not None and hasattr(view, "describe"):
        return str(view.describe(problem))
    return ", ".join(f"{count:,} {name}" for name, count in problem.size().items())


def figures(problem: str, present: Mapping[str, Any]) -> list[Figure]:
    """Return the figures to show among those present: the view's, or all that are numbers."""
    view = registry.view(problem)
    listed = getattr(view, "FIGURES", None)
    if listed is not None:
        return [Figure(*row) for row in listed if row[0] in present]
    return [Figure(k, k.replace("_", " ")) for k, v in present.items() if not bulky(v)]


def bulky(value: Any) -> bool:
    """Return whether a figure is a list or a mapping, too long for a table."""
    return isinstance(value, Mapping | list | tuple)


def verbs(problem: str) -> tuple[Verb, ...]:
    """Return the verbs that a problem has."""
    view = registry.view(problem)
    every: tuple[Verb, ...] = getattr(view, "VERBS", ())
    return tuple(verb for verb in every if not verb.problems or problem in verb.problems)
