"""Audits: which axioms of representation a set of comments keeps, with the group where one fails.

JR, EJR+ and PJR+ are decided by the court's own integer tests, EJR and PJR as far as its budget
goes. The rest is asked of an outside solver, which is named; a group that it finds is checked here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairopt.errors import UsageError
from fairopt.problem import Problem
from fairopt.problems.jr_ranking import axioms as court
from fairopt.problems.jr_ranking.answer import Feed, read_comments
from fairopt.problems.jr_ranking.axioms import View
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.registry import resolve
from fairopt.run import Run
from fairopt.solution import Solution

AXIOMS = ("jr", "pjr+", "ejr+", "pjr", "ejr", "fjr", "core", "priceable", "utility-jr")
USUAL = ("jr", "pjr+", "ejr+", "pjr", "ejr")
_OUTSIDE = "fairopt_solvers.jr_ranking.audits:audit"


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit says of one axiom.

    Attributes
    ----------
    axiom
        Its name.
    verdict
        ``holds``, ``fails`` or ``unknown``.
    witness
        Where it fails: ``comments`` that the group agrees on (or would rather have), the ``level``
        of comments that it deserves, its ``users`` (rows) and their ``weight``. None if there is
        no such group to show, as for prices.
    decided_by
        ``counting``, ``minimum cuts``, ``enumeration``, or name and version of a solver.
    note
        What else there is to say.
    """

    axiom: str
    verdict: str
    witness: Mapping[str, Any] | None = None
    decided_by: str = "counting"
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON-ready data."""
        out: dict[str, Any] = {"axiom": self.axiom, "verdict": self.verdict}
        out |= {"decided_by": self.decided_by, "witness": self.witness}
        return out | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings, by axiom in the order asked; ``selected`` are positions of comments."""

    selected: tuple[int, ...]
    findings: Mapping[str, Finding] = field(default_factory=dict)

    def __getitem__(self, axiom: str) -> Finding:
        return self.findings[axiom.replace("_", "-")]

    @property
    def ok(self) -> bool:
        """Whether every axiom asked for holds."""
        return all(f.verdict == "holds" for f in self.findings.values())

    @property
    def exit_code(self) -> int:
        """1 if an axiom fails, 4 if one is undecided, else 0."""
        verdicts = {f.verdict for f in self.findings.values()}
        return 1 if "fails" in verdicts else 4 if "unknown" in verdicts else 0


def audit(
    problem: JrRanking | Problem | str | os.PathLike[str] | Mapping[str, Any],
    answer: Feed | Solution[Any] | Sequence[int | str],
    axioms: Sequence[str] = USUAL,
    *,
    time_limit: float | None = None,
    threads: int = 1,
    backend: str = "highs",
) -> Audit:
    """Say which axioms a set of comments keeps on an instance.

    Parameters
    ----------
    problem
        A jr-ranking instance, or what ``load`` takes. Its k and quota count, also where the set
        is smaller or larger.
    answer
        A feed, a solution with one, or comments by position or id.
    axioms
        Of ``jr``, ``pjr+``, ``ejr+``, ``pjr``, ``ejr``, ``fjr``, ``core``, ``priceable``,
        ``utility-jr`` (which needs utilities).
    time_limit, threads, backend
        For the solver that is asked about the axioms that are hard to decide.

    Raises
    ------
    UsageError
        For an axiom that there is not, or a problem of another kind.
    InstanceError
        For a comment that there is not, or one named twice.
    """
    from fairopt.files import load

    loaded = problem if isinstance(problem, Problem) else load(problem)
    if not isinstance(loaded, JrRanking):
        raise UsageError(f"{loaded.problem} has no axioms to audit; jr-ranking has")
    if isinstance(answer, Solution):
        if answer.answer is None:
            raise UsageError(f"the solution has no answer: it is {answer.status}")
        answer = answer.answer
    named: Any = answer.selected if isinstance(answer, Feed) else answer
    selected = read_comments(list(named), loaded.place, loaded.n_comments, "selected")
    names = [axiom.strip().lower().replace("_", "-") for axiom in axioms]
    for name in names:
        if name not in AXIOMS:
            raise UsageError(f"no axiom {name!r}; choose from {', '.join(AXIOMS)}")
    run = Run(time_limit or None, 0, threads)
    view = View.of(loaded, selected)
    found = {name: _finding(loaded, selected, view, name, run, backend) for name in names}
    return Audit(selected, found)


def _finding(
    problem: JrRanking, selected: tuple[int, ...], view: View, axiom: str, run: Run, backend: str
) -> Finding:
    if axiom in USUAL:
        verdict = court.decide(view, axiom)
        if verdict.holds:
            return Finding(axiom, "holds", None, verdict.by)
        if (found := verdict.witness) is not None:
            group = _group(problem, found.comments, found.level, found.users)
            return Finding(axiom, "fails", group, verdict.by)
    outside = resolve(_OUTSIDE)(problem, selected, axiom, run, backend=backend)
    if outside.holds is None:
        return Finding(axiom, "unknown", None, outside.decided_by, "stopped by the time limit")
    if outside.holds:
        return Finding(axiom, "holds", None, outside.decided_by, outside.note)
    shown = outside.witness
    if shown is None:
        return Finding(axiom, "fails", None, outside.decided_by, outside.note)
    group = _group(problem, shown["comments"], shown["level"], shown["users"])
    if not _goes_without(view, axiom, group):
        why = f"the group found by {outside.decided_by} does not go without"
        return Finding(axiom, "unknown", None, outside.decided_by, why)
    return Finding(axiom, "fails", group, outside.decided_by, outside.note)


def _group(
    problem: JrRanking, comments: Sequence[int], level: int, users: Sequence[int]
) -> dict[str, Any]:
    rows = [int(i) for i in users]
    weight = int(problem.weights[rows].sum())
    return {"comments": list(comments), "level": level, "weight": weight, "users": rows}


def _goes_without(view: View, axiom: str, group: Mapping[str, Any]) -> bool:
    """Return whether a group shows, by the definition, that an axiom fails."""
    problem, wanted, level = view.problem, set(group["comments"]), int(group["level"])
    if axiom == "utility-jr":
        return _prefers(view, group)
    if not group["users"] or group["weight"] < view.due(level) or len(wanted) != level:
        return False
    ballots = [
        set(problem.indices[problem.indptr[i] : problem.indptr[i + 1]].tolist())
        for i in group["users"]
    ]
    has = [int(view.approved[i]) for i in group["users"]]
    gets = [len(ballot & wanted) for ballot in ballots]
    if axiom == "fjr":
        return bool(min(gets) > max(has))
    if axiom == "core":
        return all(new > old for new, old in zip(gets, has, strict=True))
    if any(new < level for new in gets):
        return False
    if axiom == "ejr":
        return max(has) < level
    reached = {c for ballot in ballots for c in ballot if view.shown[c]}
    return len(reached) < level


def _prefers(view: View, group: Mapping[str, Any]) -> bool:
    """Return whether some theta parts the comment from all shown, for every member."""
    table = view.problem.utilities
    if table is None or group["weight"] < view.due(1):
        return False
    rows, (comment,) = group["users"], group["comments"]
    if not view.shown.any():
        return True
    return bool(table[rows][:, view.shown].max() < table[rows, comment].min())
