"""Whether a set of comments keeps an axiom: integer tests that are the definitions themselves.

JR and EJR+ are sums over the approvals. PJR+ is a minimum cut for each comment at which EJR+
fails (where it holds, so does PJR+). EJR and PJR are decided by EJR+, PJR+ and JR where these
decide, else by enumerating the sets of common comments of large enough groups, within a budget of
steps that does not depend on time.

References
----------
Brill, Peters, "Robust and Verifiable Proportionality Axioms for Multiwinner Voting", EC 2023.
Sanchez-Fernandez et al., "Proportional Justified Representation", AAAI 2017.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fairopt.problems.jr_ranking import counting
from fairopt.problems.jr_ranking.counting import Bools, Ints

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

Pattern = tuple[int, list[int]]  # weight and rows of users alike

IMPLIED: dict[str, tuple[str, ...]] = {
    "none": (),
    "jr": ("jr",),
    "pjr": ("jr", "pjr"),
    "pjr+": ("jr", "pjr", "pjr+"),
    "ejr": ("jr", "pjr", "ejr"),
    "ejr+": ("jr", "pjr", "pjr+", "ejr", "ejr+"),
}  # what a set that keeps an axiom keeps as well


@dataclass(frozen=True, slots=True)
class Witness:
    """A group that deserves ``level`` comments and does not have them.

    ``comments`` are what its members agree on: one comment (JR, PJR+, EJR+) or ``level`` of them.
    ``excess`` is how much weight it has beyond what would be tolerated.
    """

    comments: tuple[int, ...]
    level: int
    users: tuple[int, ...]
    excess: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an axiom holds: true, false (with a witness), or None where it is undecided.

    ``by`` is how it was decided: ``counting``, ``minimum cuts`` or ``enumeration``.
    """

    holds: bool | None
    witness: Witness | None = None
    by: str = "counting"


@dataclass(frozen=True, slots=True)
class View:
    """A set of comments and what users have of it; ``k`` is the size it is judged for."""

    problem: JrRanking
    k: int
    shown: Bools
    approved: Ints

    @staticmethod
    def of(problem: JrRanking, comments: Iterable[int], k: int | None = None) -> View:
        """Return the view of a set, judged for size ``k`` (default: the instance's)."""
        shown = counting.mask_of(problem, comments)
        size = problem.k if k is None else k
        return View(problem, size, shown, counting.satisfaction(problem, shown))

    def due(self, level: int) -> int:
        """Return the smallest weight of a group that deserves ``level`` comments."""
        return self.problem.threshold_of(level, self.k)

    def members(self, comment: int, level: int) -> Ints:
        """Return the approvers of a comment with fewer than ``level`` approved comments."""
        ptr, users = self.problem.supporters
        who = users[ptr[comment] : ptr[comment + 1]]
        return who[self.approved[who] < level].astype(np.int64)


def decide(view: View, axiom: str) -> Verdict:
    """Return whether a set keeps ``jr``, ``pjr+``, ``ejr+``, ``pjr`` or ``ejr``."""
    if axiom == "none":
        return Verdict(True)
    first = jr(view)
    if not first.holds or axiom == "jr":
        return first
    failing = ejr_plus_failures(view)
    if not failing:
        return Verdict(True)  # EJR+ implies all others
    if axiom == "ejr+":
        return Verdict(False, _witness(view, failing[0]))
    if axiom == "pjr+":
        return pjr_plus(view, failing)
    if axiom == "pjr" and (stronger := pjr_plus(view, failing)).holds:
        return stronger
    from fairopt.problems.jr_ranking.cohesive import cohesive

    return cohesive(view, axiom)


# -- JR and EJR+ ---------------------------------------------------------------------------


def jr(view: View) -> Verdict:
    """Return whether no large group of approvers of one comment is left without any."""
    left = counting.unrepresented(view.problem, view.approved)
    worst = int(np.argmax(left))
    if int(left[worst]) < view.due(1):
        return Verdict(True)
    return Verdict(False, _witness(view, counting.Group(worst, 1, int(left[worst]))))


def _witness(view: View, group: counting.Group) -> Witness:
    users = tuple(view.members(group.comment, group.level).tolist())
    excess = group.weight - view.due(group.level) + 1
    return Witness((group.comment,), group.level, users, excess)


def ejr_plus_failures(view: View) -> list[counting.Group]:
    """Return for each comment not shown at which EJR+ fails one group, the first by level."""
    out = []
    for block, weight in counting.group_weights(view.problem, view.shown, view.approved):
        levels = weight.shape[1]
        due = np.array([view.due(level) for level in range(1, levels + 1)])
        fails = weight >= due
        for j in np.flatnonzero(fails.any(axis=1)).tolist():
            level = int(np.argmax(fails[j])) + 1
            out.append(counting.Group(int(block[j]), level, int(weight[j, level - 1])))
    return out


def levels(view: View) -> tuple[Fraction, counting.Group | None]:
    """Return the EJR+ level and the worst group, ties to the smallest comment, then level."""
    best, found = Fraction(0), None
    for block, weight in counting.group_weights(view.problem, view.shown, view.approved):
        for level in range(1, weight.shape[1] + 1):
            j = int(np.argmax(weight[:, level - 1]))
            share = Fraction(int(weight[j, level - 1]), level)
            group = counting.Group(int(block[j]), level, int(weight[j, level - 1]))
            tie = share == best and found is not None and group[:2] < found[:2]
            if share > best or tie:
                best, found = share, group
    return quota_factor(view) * best / view.problem.n, found


def quota_factor(view: View) -> int:
    """Return what a group's share is multiplied by: k (Hare) or k + 1 (Droop)."""
    return view.k + (view.problem.quota == "droop")


# -- PJR+ ----------------------------------------------------------------------------------


def pjr_plus(view: View, suspects: list[counting.Group]) -> Verdict:
    """Return whether no group around one comment shares too few comments among its members.

    For a comment c a group S of its approvers fails if and only if w(S) is at least t_l for
    l = |W & union of A_i| + 1, that is, if factor w(S) - n |W & union| >= n (Hare; > n, Droop).
    The largest left side is a maximum closure, found as a minimum cut.
    """
    from fairopt.problems.jr_ranking.flow import best_closure

    problem = view.problem
    factor, n = quota_factor(view), problem.n
    most = n if problem.quota == "hare" else n + 1
    for suspect in suspects:
        patterns = grouped(view, view.members(suspect.comment, view.k + 1))
        gains = [factor * weight for weight, _ in patterns.values()]
        value, chosen = best_closure(gains, list(patterns), n)
        if value >= most:
            return Verdict(False, _sharing(view, suspect.comment, patterns, chosen), "minimum cuts")
    return Verdict(True, None, "minimum cuts")


def _sharing(
    view: View, comment: int, patterns: Mapping[frozenset[int], Pattern], chosen: Sequence[bool]
) -> Witness:
    """Return the witness that consists of the chosen patterns."""
    mine = [p for p, c in zip(patterns, chosen, strict=True) if c]
    level = len(frozenset[int]().union(*mine)) + 1
    mass = sum(patterns[p][0] for p in mine)
    users = tuple(sorted(i for p in mine for i in patterns[p][1]))
    return Witness((comment,), level, users, mass - view.due(level) + 1)


def grouped(view: View, users: Ints) -> dict[frozenset[int], Pattern]:
    """Return users by which of the comments shown they approve, with weights."""
    problem = view.problem
    out: dict[frozenset[int], Pattern] = {}
    for i in users.tolist():
        ballot = problem.indices[problem.indptr[i] : problem.indptr[i + 1]]
        key = frozenset(ballot[view.shown[ballot]].tolist())
        weight, rows = out.get(key, (0, []))
        rows.append(i)
        out[key] = (weight + int(problem.weights[i]), rows)
    return out
