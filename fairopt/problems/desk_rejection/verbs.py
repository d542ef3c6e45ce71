"""Commands of desk rejection beside the common ones."""

from __future__ import annotations

from typing import Any, Literal

from fairopt.problems.desk_rejection.check import author_table
from fairopt.problems.desk_rejection.problem import DeskRejection, KeptPapers
from fairopt.solution import Solution
from fairopt.verbs import Table

COLUMNS = ("author", "submitted", "limit", "kept", "lost", "excess", "cost", "over_limit", "wiped")


def _belongs(row: dict[str, Any], who: str) -> bool:
    if who == "innocents-hit":
        return bool(row["lost"] > 0 and not row["over_limit"])
    key = {"lost": "lost", "over-limit": "over_limit", "wiped": "wiped", "all": "submitted"}[who]
    return bool(row[key])


def authors(
    problem: DeskRejection,
    solution: Solution[KeptPapers],
    *,
    who: Literal["lost", "over-limit", "innocents-hit", "wiped", "all"] = "lost",
    top: int | None = None,
) -> Table | str:
    """Return what every author submitted, lost and was owed, the worst off first."""
    if solution.answer is None:
        return f"the solution has no answer: it is {solution.status}"
    rows = [row for row in author_table(problem, solution.answer) if _belongs(row, who)]
    rows.sort(key=lambda row: (-row["cost"], -row["lost"]))
    shown = rows if top is None else rows[:top]
    title = f"{len(rows):,} of {problem.n_authors:,} authors"
    if len(shown) < len(rows):
        title += f", the first {len(shown):,}"
    return Table(COLUMNS, [[row[c] for c in COLUMNS] for row in shown], title)
