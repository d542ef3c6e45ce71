"""Several methods on one instance, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairopt.problem import Problem
from fairopt.solution import Solution


@dataclass(frozen=True, slots=True)
class Row:
    """One method: its solution, or why there is none."""

    method: str
    solution: Solution[Any] | None
    error: str
    exit_code: int = 5  # of the error

    def to_json(self) -> dict[str, Any]:
        if self.solution is None:
            return {"method": self.method, "error": self.error}
        out = self.solution.to_json()
        del out["answer"]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The rows of ``compare``; ``best`` names the methods with the best value."""

    problem: Problem
    rows: tuple[Row, ...]

    @property
    def best(self) -> tuple[str, ...]:
        """Methods that reach the best value among answers that keep every rule."""
        lawful = [
            (row.method, row.solution.value)
            for row in self.rows
            if row.solution is not None
            and row.solution.value is not None
            and all(note.code != "relaxes" for note in row.solution.notes)
        ]
        better = self.problem.objective.better
        return tuple(m for m, v in lawful if not any(better(w, v) for _, w in lawful))

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON-ready data."""
        return {
            "problem": self.problem.problem,
            "instance": self.problem.name,
            "objective": self.problem.objective.name,
            "expected": dict(self.problem.meta.expected),
            "best": list(self.best),
            "rows": [row.to_json() for row in self.rows],
        }
