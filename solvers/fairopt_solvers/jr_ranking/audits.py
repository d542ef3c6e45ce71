"""Audits of a selection: which axioms of representation it keeps, with a witness where it fails.

JR and EJR+ are decided by counting and PJR+ by minimum cuts; EJR, PJR, FJR and the core need a
0/1 program for each level, priceability one linear program. The latter are as good as the solver
that answers, which is named; a group that is found is checked here in integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking import JrRanking
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, Rows, max_flow, relax, rows, solve
from fairopt_solvers.jr_ranking.profile import Ints, Profile
from fairopt_solvers.jr_ranking.question import Question

AXIOMS = ("jr", "ejr+", "pjr+", "ejr", "pjr", "fjr", "core", "priceable", "utility-jr")
_NOBODY = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What an audit found.

    Attributes
    ----------
    axiom, holds
        The axiom, and whether it holds; None if a limit came first.
    members, comments, level
        The rows of a group that goes without, the comments that it agrees on (or would rather
        have), and how many it deserves; empty where the axiom holds.
    decided_by
        ``counting``, ``minimum cuts``, or name and version of the solver.
    note
        What else there is to say.
    """

    axiom: str
    holds: bool | None
    members: Ints = field(default_factory=lambda: _NOBODY)
    comments: tuple[int, ...] = ()
    level: int = 0
    decided_by: str = "counting"
    note: str = ""

    @property
    def witness(self) -> dict[str, Any] | None:
        """The group that goes without, ready for JSON; None if the axiom was not refuted."""
        if self.holds is not False or not self.level:
            return None
        users = self.members.tolist()
        return {"comments": list(self.comments), "level": self.level, "users": users}


def audit(
    problem: JrRanking, selected: Sequence[int], axiom: str, run: Run, *, backend: str = "highs"
) -> Finding:
    """Say whether a selection keeps an axiom on an instance; k is the instance's.

    Raises ``UsageError`` for an unknown axiom, or ``utility-jr`` without utilities.
    """
    if axiom == "utility-jr":
        from fairopt_solvers.jr_ranking.utilities import utility_jr

        return utility_jr(problem, selected)
    raw = Profile.of(problem)
    merged = raw.merged
    question = Question(merged, problem.k, problem.scores, axiom, problem.quota)
    found = examine(question, selected, axiom, run, backend=backend)
    assert merged.origin is not None
    members = np.flatnonzero(np.isin(merged.origin, found.members) & (merged.origin >= 0))
    return replace(found, members=members)


def examine(
    question: Question, selected: Sequence[int], axiom: str, run: Run, *, backend: str = "highs"
) -> Finding:
    """Say whether a selection keeps an axiom on a profile."""
    chosen = np.asarray(selected, np.int64)
    if axiom in ("jr", "ejr+"):
        return _by_counting(question, chosen, axiom)
    if axiom == "pjr+":
        return _by_cuts(question, chosen, run)
    if axiom in ("ejr", "pjr"):
        if not question.strongly(chosen).size:
            return Finding(axiom, True, decided_by="counting", note="EJR+ holds and implies it")
        return cohesive_group(question, chosen, axiom, run, backend=backend)
    if axiom in ("fjr", "core"):
        return _blocking_group(question, chosen, axiom, run, backend)
    if axiom == "priceable":
        return _priceable(question, chosen, run, backend)
    raise UsageError(f"no audit of {axiom!r}; choose from {', '.join(AXIOMS)}")


def _by_counting(question: Question, chosen: Ints, axiom: str) -> Finding:
    if axiom == "jr":
        group = question.profile.unrepresented(chosen)
        level = np.ones(len(group), np.int64)
    else:
        level, group = question.profile.worst_levels(chosen, question.k)
    wrong = np.flatnonzero(group >= question.thresholds[level])
    if not wrong.size:
        return Finding(axiom, True)
    worst = max(wrong.tolist(), key=lambda c: (Fraction(int(group[c]), int(level[c])), -c))
    users = question.profile.users_of(worst).astype(np.int64)
    users = users[question.profile.satisfaction(chosen)[users] < level[worst]]
    return Finding(axiom, False, users, (worst,), int(level[worst]))


# -- PJR+ ----------------------------------------------------------------------------------


def _by_cuts(question: Question, chosen: Ints, run: Run) -> Finding:
    by = "minimum cuts"
    for c in question.strongly(chosen).tolist():
        found = pjr_plus_group(question, chosen, c, run)
        if found is not None:
            return Finding("pjr+", False, found[0], (c,), found[1], by)
        if run.expired():
            return Finding("pjr+", None, decided_by=by)
    return Finding("pjr+", True, decided_by=by)


def pjr_plus_group(
    question: Question, selected: Sequence[int] | Ints, comment: int, run: Run
) -> tuple[Ints, int] | None:
    """Return approvers of a comment who deserve l and have fewer in common reach, and l; or None.

    The group maximises (its share of the quota) minus (selected comments that any of it
    approves): a maximum closure, hence a minimum cut. Users with equal ballots among the selected
    comments are one node.
    """
    profile, chosen = question.profile, np.asarray(selected, np.int64)
    users = profile.users_of(comment).astype(np.int64)
    if not users.size or run.expired():
        return None
    has = np.zeros((profile.users, len(chosen)), bool)
    for place, d in enumerate(chosen.tolist()):
        has[profile.users_of(d), place] = True
    ballots, node = np.unique(has[users], axis=0, return_inverse=True)
    node = node.ravel()
    seats = question.k if question.rule == "hare" else question.k + 1
    worth = np.zeros(len(ballots), np.int64)
    np.add.at(worth, node, profile.weight[users] * seats)
    groups, size = len(ballots), len(chosen)
    owner, seat = np.nonzero(ballots)
    tail = np.concatenate([np.zeros(groups, np.int64), 1 + owner, 1 + groups + np.arange(size)])
    sink = 1 + groups + size
    head = np.concatenate([1 + np.arange(groups), 1 + groups + seat, np.full(size, sink)])
    capacity = np.concatenate([worth, worth[owner], np.full(size, profile.n)])
    flow = max_flow(tail, head, capacity, 0, sink, run, nodes=sink + 1)
    if flow.status != "optimal" or flow.value is None or flow.source_side is None:
        return None
    gain = int(worth.sum()) - flow.value
    if gain < profile.n + (question.rule != "hare"):
        return None
    members = flow.source_side[1 : 1 + groups]
    level = int(ballots[members].any(axis=0).sum()) + 1
    return users[members[node]], level


# -- EJR and PJR ---------------------------------------------------------------------------


def cohesive_group(
    question: Question, selected: Sequence[int] | Ints, axiom: str, run: Run,
    *, backend: str = "highs",
) -> Finding:  # fmt: skip
    """Look, level by level, for a group that agrees on l comments, deserves l, and has fewer."""
    chosen = np.asarray(selected, np.int64)
    by, stopped = "counting", False
    for level in range(1, question.k + 1):
        if int(question.thresholds[level]) > int(question.profile.weight.sum()):
            break
        found = _cohesive(question, chosen, axiom, level, run, backend)
        by = found.decided_by if found.decided_by != "counting" else by
        if found.holds is False:
            return found
        stopped |= found.holds is None
    return Finding(axiom, None if stopped else True, decided_by=by)


def _cohesive(
    question: Question, chosen: Ints, axiom: str, level: int, run: Run, backend: str
) -> Finding:
    """Maximise the weight of a group that agrees on ``level`` comments and has fewer."""
    profile, least = question.profile, int(question.thresholds[level])
    users, comments = _agreeable(question, chosen, level, least)
    if len(comments) < level or int(profile.weight[users].sum()) < least:
        return Finding(axiom, True)
    approves = _table(profile, users, comments)
    m, v = len(comments), len(users)
    common = _approving(approves, np.full(v, level))
    size = rows(np.zeros(m, np.int64), np.arange(m), lower=[level], upper=[level])
    blocks, extra = [common, size], 0
    if axiom == "pjr":
        blocks += _reach(_table(profile, users, chosen), m, v, level)
        extra = len(chosen)
    weight = np.concatenate(
        [np.zeros(m, np.int64), profile.weight[users], np.zeros(extra, np.int64)]
    )
    enough = rows(np.zeros(v, np.int64), m + np.arange(v), profile.weight[users], lower=[least])
    result = solve(LinearModel.build(weight, *blocks, enough, maximize=True), run, backend=backend)
    if result.x is None:
        holds = True if result.status == "infeasible" else None
        return Finding(axiom, holds, decided_by=result.backend)
    members = users[result.x[m : m + v] > 0.5]
    agreed = comments[result.x[:m] > 0.5]
    return Finding(axiom, False, members, tuple(agreed.tolist()), level, result.backend)


def _approving(approves: NDArray[np.bool_], needs: Ints) -> Rows:
    """Return the rows by which a member (columns behind the comments) approves so many chosen."""
    (users, comments), (row, col) = approves.shape, np.nonzero(approves)
    return rows(
        np.concatenate([row, np.arange(users)]),
        np.concatenate([col, comments + np.arange(users)]),
        np.concatenate([np.ones(len(row)), -needs.astype(np.float64)]),
        lower=np.zeros(users),
    )


def _agreeable(question: Question, chosen: Ints, level: int, least: int) -> tuple[Ints, Ints]:
    """Return the users and comments that such a group can consist of."""
    profile = question.profile
    users = profile.satisfaction(chosen) < level
    comments = np.ones(profile.m, bool)
    while True:
        entry = users[profile.user_of] & comments[profile.item]
        fans = np.zeros(profile.m, np.int64)
        np.add.at(fans, profile.item[entry], profile.weight[profile.user_of[entry]])
        fewer = comments & (fans >= least)
        many = np.bincount(profile.user_of[entry & fewer[profile.item]], minlength=profile.users)
        still = users & (many >= level)
        if fewer.sum() == comments.sum() and still.sum() == users.sum():
            return np.flatnonzero(users), np.flatnonzero(comments)
        users, comments = still, fewer


def _reach(has: NDArray[np.bool_], m: int, v: int, level: int) -> list[Rows]:
    """Return the rows that let a group reach fewer than ``level`` selected comments together."""
    size = has.shape[1]
    member, seat = np.nonzero(has)
    place = np.arange(len(member))
    reached = rows(
        np.concatenate([place, place]),
        np.concatenate([m + v + seat, m + member]),
        np.concatenate([np.ones(len(member)), -np.ones(len(member))]),
        lower=np.zeros(len(member)),
    )
    few = rows(np.zeros(size, np.int64), m + v + np.arange(size), upper=[level - 1.0])
    return [reached, few]


# -- FJR and the core ----------------------------------------------------------------------


def _blocking_group(
    question: Question, chosen: Ints, axiom: str, run: Run, backend: str
) -> Finding:
    """Look for comments T and a group that deserves them and whose members all gain by them."""
    profile = question.profile
    count = profile.satisfaction(chosen)
    by, stopped = "counting", False
    wants = [np.full(profile.users, b) for b in range(1, question.k + 1)]
    for beta in wants if axiom == "fjr" else [count + 1]:
        users = np.flatnonzero((count < beta) & (np.diff(profile.ptr) >= beta))
        if not users.size:
            continue
        found = _blocking(question, users, beta[users], axiom, run, backend)
        by = found.decided_by
        if found.holds is False:
            return found
        stopped |= found.holds is None
    return Finding(axiom, None if stopped else True, decided_by=by)


def _blocking(
    question: Question, users: Ints, needs: Ints, axiom: str, run: Run, backend: str
) -> Finding:
    profile = question.profile
    comments = np.unique(profile.item[np.isin(profile.user_of, users)]).astype(np.int64)
    approves = _table(profile, users, comments)
    m, v = len(comments), len(users)
    gain = _approving(approves, needs)
    hare = question.rule == "hare"
    seats = question.k if hare else question.k + 1
    deserve = rows(
        np.zeros(m + v, np.int64), np.arange(m + v),
        np.concatenate([np.full(m, -profile.n), seats * profile.weight[users]]),
        lower=[0.0 if hare else 1.0],
    )  # fmt: skip
    some = rows(np.zeros(m, np.int64), np.arange(m), lower=[1.0])
    goal = np.concatenate([np.zeros(m, np.int64), profile.weight[users]])
    model = LinearModel.build(goal, gain, deserve, some, maximize=True)
    result = solve(model, run, backend=backend)
    if result.x is None:
        holds = True if result.status == "infeasible" else None
        return Finding(axiom, holds, decided_by=result.backend)
    wanted = comments[result.x[:m] > 0.5]
    members = users[result.x[m:] > 0.5]
    return Finding(axiom, False, members, tuple(wanted.tolist()), len(wanted), result.backend)


# -- prices --------------------------------------------------------------------------------


def _priceable(question: Question, chosen: Ints, run: Run, backend: str) -> Finding:
    """Decide whether a price system exists: a linear program. Equal ballots may pay equally."""
    profile = question.profile
    approved = np.flatnonzero(profile.sup)
    if len(approved) < len(chosen):
        holds = bool(np.isin(approved, chosen).all())
        note = "fewer approved comments than places: priceable iff all of them are selected"
        return Finding("priceable", holds, note=note)
    if not profile.users:
        return Finding("priceable", not len(chosen))
    has = _table(profile, np.arange(profile.users), chosen)
    payer, seat = np.nonzero(has)
    pays, outside = len(payer), np.setdiff1d(np.arange(profile.m), chosen)
    column = 1 + np.arange(pays)
    within = rows(  # what a user pays is at most the budget, column 0
        np.concatenate([payer, np.arange(profile.users)]),
        np.concatenate([column, np.zeros(profile.users, np.int64)]),
        np.concatenate([np.ones(pays), -np.ones(profile.users)]),
        upper=np.zeros(profile.users),
    )
    paid = rows(seat, column, profile.weight[payer], lower=np.ones(len(chosen)),
                upper=np.ones(len(chosen)), count=len(chosen))  # fmt: skip
    fans = _table(profile, np.arange(profile.users), outside)
    left = _unspent(profile, fans, payer, column)
    model = LinearModel.build(
        np.zeros(1 + pays, np.int64), within, paid, left, lower=0.0, upper=np.inf, integer=False
    )
    result = relax(model, run, backend=backend)
    decided = {"optimal": True, "infeasible": False}.get(result.status)
    return Finding("priceable", decided, decided_by=result.backend)


def _unspent(profile: Profile, fans: NDArray[np.bool_], payer: Ints, column: Ints) -> Rows:
    """Return the rows that leave supporters of an unselected comment at most its price."""
    outside, many = fans.shape[1], profile.weight @ fans
    by_payer, comment = np.nonzero(fans[payer])
    return rows(
        np.concatenate([np.arange(outside), comment]),
        np.concatenate([np.zeros(outside, np.int64), column[by_payer]]),
        np.concatenate([many, -profile.weight[payer[by_payer]]]),
        upper=np.ones(outside),
        count=outside,
    )


def _table(profile: Profile, users: Ints, comments: Ints) -> NDArray[np.bool_]:
    """Return who of some users approves which of some comments."""
    out = np.zeros((profile.users, len(comments)), bool)
    for place, c in enumerate(comments.tolist()):
        out[profile.users_of(c), place] = True
    return out[users]
