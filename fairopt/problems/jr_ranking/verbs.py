"""Commands of representative ranking beside the common ones."""

from __future__ import annotations

from typing import Any, Literal

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking.answer import Feed
from fairopt.problems.jr_ranking.audit import USUAL
from fairopt.problems.jr_ranking.audit import audit as audited
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.solution import Solution
from fairopt.verbs import Result, Table

_SHOWN = 8  # users of a group named on the terminal


def audit(
    problem: JrRanking,
    solution: Solution[Feed] | None = None,
    *,
    selected: str | None = None,
    axioms: str = ",".join(USUAL),
    time_limit: float | None = 60.0,
    backend: Literal["highs", "cp-sat", "cbc"] = "highs",
) -> Result:
    """Say which axioms a solution's comments, or the ``selected`` ones, keep.

    ``selected`` are ids or positions, separated by commas. The exit code is 1 if an axiom fails,
    4 if one is undecided.
    """
    if (solution is None) == (selected is None):
        raise UsageError("audit needs either a solution file or --selected 3,17,4")
    answer: Any = solution if selected is None else _named(problem, selected)
    names = [name for name in axioms.split(",") if name.strip()]
    found = audited(problem, answer, names, time_limit=time_limit, backend=backend)
    rows = []
    for finding in found.findings.values():
        group = finding.witness
        where = "" if group is None else _words(problem, group)
        rows.append((finding.axiom, finding.verdict, finding.decided_by, where or finding.note))
    shown = ", ".join(problem.name_of(c) for c in found.selected)
    table = Table(("axiom", "verdict", "decided_by", "where"), rows, f"comments {shown}")
    data = {
        "selected": [c if problem.ids is None else problem.ids[c] for c in found.selected],
        "findings": [finding.to_json() for finding in found.findings.values()],
    }
    return Result(data, (table,), found.exit_code)


def _named(problem: JrRanking, selected: str) -> list[int | str]:
    """Return what a list typed by hand names: ids where there are such, else positions."""
    out: list[int | str] = []
    for word in (part.strip() for part in selected.split(",")):
        position = word.isascii() and word.isdecimal() and word not in problem.place
        if word:
            out.append(int(word) if position else word)
    return out


def _words(problem: JrRanking, group: Any) -> str:
    names = ", ".join(problem.name_of(c) for c in group["comments"])
    users = ", ".join(map(str, group["users"][:_SHOWN]))
    more = " …" if len(group["users"]) > _SHOWN else ""
    return (
        f"weight {group['weight']} deserves {group['level']}: comments {names} (rows {users}{more})"
    )
