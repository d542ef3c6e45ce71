"""What the scripts share that make tables of rows: Markdown, and whether a target is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

NEAR = 1.5  # times the budget


def table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def verdict(measured: float, target: float) -> str:
    """Return met, near (up to 1.5 times the budget) or not met."""
    if measured <= target:
        return "met"
    return "near" if measured <= NEAR * target else "**not met**"


def reached(measured: float, target: float) -> str:
    """Return met or not met, for figures that are to be large."""
    return "met" if measured >= target else "**not met**"
