"""Inequalities that every selection with an axiom keeps and a given one breaks.

A group S of weight w(S) that deserves l comments and has too few: at least weight
r = w(S) - t_l + 1 of it has to be helped by comments that are not selected yet. Coefficients
beyond r are cut down to r, which keeps 0/1 points and cuts off more fractional ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairopt.run import Run
from fairopt_solvers.backends import Rows, rows
from fairopt_solvers.jr_ranking.heuristics import overlaps
from fairopt_solvers.jr_ranking.profile import Floats, Ints
from fairopt_solvers.jr_ranking.question import Question

_WORST = 10  # cuts of one axiom for one selection
_FRACTIONAL = 30  # comments looked at for one fractional point
_DEEP = 1e-4  # least violation, as a share of the right-hand side


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """``sum coef x >= need`` over the listed comments, all numbers positive integers.

    ``about`` are the keys from which a court rebuilds it (``proofs_cuts`` of the problem), and
    ``members`` the rows of the group where those keys do not say it.
    """

    comments: Ints
    coef: Ints
    need: int
    about: Mapping[str, Any] = field(default_factory=dict)
    members: Ints | None = None

    def lacks(self, x: Floats) -> float:
        """Return by which share of its right-hand side a point misses it."""
        return 1.0 - float(np.dot(self.coef, x[self.comments])) / self.need

    def key(self) -> tuple[int, bytes, bytes]:
        """Return what two equal cuts have in common."""
        return self.need, self.comments.tobytes(), self.coef.tobytes()


def as_rows(cuts: Sequence[Cut]) -> Rows:
    """Return the cuts as a block of rows over the comments."""
    return rows(
        np.repeat(np.arange(len(cuts)), [len(cut.comments) for cut in cuts]),
        np.concatenate([np.zeros(0, np.int64), *(cut.comments for cut in cuts)]),
        np.concatenate([np.zeros(0, np.int64), *(cut.coef for cut in cuts)]),
        lower=np.array([cut.need for cut in cuts], np.float64),
        count=len(cuts),
    )


def group_cut(
    question: Question, members: Ints, level: int, about: Mapping[str, Any], *,
    selected: Sequence[int] = (), own: int | None = None, listed: bool = False,
) -> Cut:  # fmt: skip
    """Return the cut of a group that deserves ``level`` and has fewer of ``selected`` each.

    ``own`` is a comment that settles the matter when selected, as in EJR+. ``about`` is what a
    court needs to rebuild it; ``listed`` says that it needs the members too.
    """
    need = int(question.profile.weight[members].sum()) - int(question.thresholds[level]) + 1
    coef = np.minimum(overlaps(question, members), need)
    coef[np.asarray(selected, np.int64)] = 0
    if own is not None:
        coef[own] = need
    comments = np.flatnonzero(coef)
    return Cut(comments, coef[comments], need, about, members if listed else None)


def jr_cuts(question: Question, selected: Sequence[int], most: int = _WORST) -> list[Cut]:
    """Return cuts for the comments with the most unrepresented approvers; none if JR holds."""
    profile = question.profile
    left = profile.unrepresented(selected)
    worst = np.argsort(-left, kind="stable")
    worst = worst[left[worst] >= question.t][:most]
    if not worst.size:
        return []
    free = profile.satisfaction(selected) == 0
    shown = sorted(map(int, selected))
    out = []
    for c in worst.tolist():
        users = profile.users_of(c)
        about = {"axiom": "jr", "comment": c, "selected": shown}
        out.append(group_cut(question, users[free[users]].astype(np.int64), 1, about))
    return distinct(out)


def ejr_plus_cuts(question: Question, selected: Sequence[int], most: int = _WORST) -> list[Cut]:
    """Return cuts for the comments at which EJR+ fails by most; none if it holds."""
    profile = question.profile
    level, group = profile.worst_levels(selected, question.k)
    excess = group - question.thresholds[level]
    worst = np.argsort(-(group / question.thresholds[level]), kind="stable")
    worst = worst[excess[worst] >= 0][:most]
    count = profile.satisfaction(selected)
    shown = sorted(map(int, selected))
    out = []
    for c in worst.tolist():
        users = profile.users_of(c).astype(np.int64)
        users = users[count[users] < level[c]]
        about = {"axiom": "ejr+", "comment": c, "level": int(level[c]), "selected": shown}
        out.append(group_cut(question, users, int(level[c]), about, selected=selected, own=c))
    return distinct(out)


def pjr_plus_cuts(
    question: Question, selected: Sequence[int], run: Run, most: int = _WORST
) -> list[Cut] | None:
    """Return cuts for groups at which PJR+ fails; none if it holds, None if time is up first.

    PJR+ can fail only where EJR+ does, so one minimum cut for each such comment decides.
    """
    from fairopt_solvers.jr_ranking.audits import pjr_plus_group

    level, group = question.profile.worst_levels(selected, question.k)
    suspects = np.flatnonzero(group >= question.thresholds[level])
    out: list[Cut] = []
    for c in suspects.tolist():
        found = pjr_plus_group(question, selected, c, run)
        if found is None:
            if run.expired():
                return distinct(out) or None
            continue
        members, deserved = found
        union = np.flatnonzero(overlaps(question, members))
        coef = np.where(union == c, deserved, 1)
        out.append(Cut(union, coef, deserved))
        if len(out) == most:
            break
    return distinct(out)


def cohesive_cuts(question: Question, selected: Sequence[int], run: Run) -> list[Cut] | None:
    """Return a cut for a group at which EJR or PJR (the axiom in force) fails; None if undecided.

    Nothing is asked of a solver where EJR+ holds, which implies both.
    """
    from fairopt_solvers.jr_ranking.audits import cohesive_group

    if not question.strongly(selected).size:
        return []
    finding = cohesive_group(question, selected, question.axiom, run)
    if finding.holds is None:
        return None
    if finding.holds:
        return []
    members, level = finding.members, finding.level
    if question.axiom == "ejr":
        about = {"axiom": "ejr", "common": list(finding.comments), "selected": sorted(selected)}
        return [group_cut(question, members, level, about, selected=selected)]
    union = np.flatnonzero(overlaps(question, members))
    return [Cut(union, np.ones(len(union), np.int64), level)]


def fractional_cuts(question: Question, x: Floats, most: int = _WORST) -> list[Cut]:
    """Return cuts of JR that a fractional point breaks, the deepest first.

    For each comment two groups are tried: all its approvers, and those not yet covered by x.
    """
    from fairopt_solvers.jr_ranking.kernels import uncovered_shares

    profile = question.profile
    share, sums = uncovered_shares(*profile.arrays, np.ascontiguousarray(x))
    order = np.argsort(-sums, kind="stable")[:_FRACTIONAL]
    out = []
    for c in order[(profile.sup[order] >= question.t) & (sums[order] > 0)].tolist():
        users = profile.users_of(c).astype(np.int64)
        about = {"axiom": "jr", "comment": c}
        for members, listed in ((users, False), (users[share[users] > 1e-9], True)):
            if int(profile.weight[members].sum()) >= question.t:
                out.append(group_cut(question, members, 1, about, listed=listed))
    deep = [(cut.lacks(x), cut) for cut in distinct(out)]
    deep.sort(key=lambda item: -item[0])
    return [cut for lack, cut in deep if lack > _DEEP][:most]


def distinct(cuts: Sequence[Cut]) -> list[Cut]:
    """Return the cuts without repetitions."""
    return list({cut.key(): cut for cut in cuts}.values())
