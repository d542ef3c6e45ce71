"""The axioms as rows of a 0/1 program, all at once: JR and EJR+.

JR: a column for every ballot that meets a comment with enough approvers says whether it goes
unrepresented. EJR+ (Boehmer, Glessen, Peters 2025, appendix A.4): columns ``y[i, l]`` say that
user i has l selected comments; they must be integral from l = 2 on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, Rows, rows, solve
from fairopt_solvers.jr_ranking.cuts import as_rows
from fairopt_solvers.jr_ranking.heuristics import Selected
from fairopt_solvers.jr_ranking.lazy import Search, cardinality
from fairopt_solvers.jr_ranking.profile import Floats, Ints, Profile
from fairopt_solvers.jr_ranking.question import Question


@dataclass(frozen=True, eq=False)
class Block:
    """Rows over the comments and some further columns behind them, between 0 and 1.

    The further columns say that user ``owner`` is unrepresented (``level`` 0), or has at least
    ``level`` selected comments.
    """

    rows: tuple[Rows, ...]
    owner: Ints
    level: Ints

    @property
    def extra(self) -> int:
        """Number of further columns."""
        return len(self.owner)

    @property
    def integer(self) -> bool:
        """Whether the further columns must be integral."""
        return bool((self.level > 0).any())

    def point(self, profile: Profile, selected: Selected) -> Floats:
        """Return comments and further columns of a selection."""
        count = profile.satisfaction(selected)[self.owner]
        further = np.where(self.level > 0, count >= self.level, count == 0)
        return np.concatenate([np.bincount(selected, minlength=profile.m), further]).astype(float)


def representation(
    profile: Profile, t: int, *, columns: int, first: int = 0, behind: int | None = None
) -> Block:
    """Return the rows of JR for a threshold; the comments are columns from ``first`` on.

    The further columns begin at ``behind`` (default: after ``columns``).
    """
    begin = columns if behind is None else behind
    large = np.flatnonzero(profile.sup >= t)
    wanted = np.zeros(profile.m, bool)
    wanted[large] = True
    meets = np.zeros(profile.users, bool)
    meets[profile.user_of[wanted[profile.item]]] = True
    ballot = np.flatnonzero(meets)
    place = np.full(profile.users, -1, np.int64)
    place[ballot] = np.arange(len(ballot))
    entry = meets[profile.user_of]
    row, item = place[profile.user_of[entry]], profile.item[entry].astype(np.int64)
    cover = rows(
        np.concatenate([row, np.arange(len(ballot))]),
        np.concatenate([first + item, begin + np.arange(len(ballot))]),
        lower=np.ones(len(ballot)),
    )
    number = np.full(profile.m, -1, np.int64)
    number[large] = np.arange(len(large))
    heavy = wanted[item]
    weight = profile.weight[profile.user_of[entry]][heavy]
    limit = rows(
        number[item[heavy]], begin + row[heavy], weight, upper=np.full(len(large), t - 1.0)
    )
    return Block((cover, limit), ballot, np.zeros(len(ballot), np.int64))


def levels(question: Question) -> Block:
    """Return the rows of EJR+."""
    profile, m = question.profile, question.profile.m
    deserved = np.searchsorted(question.thresholds[1:], profile.sup, side="right")
    most = np.zeros(profile.users, np.int64)
    np.maximum.at(most, profile.user_of, deserved[profile.item])
    start = np.concatenate([[0], np.cumsum(most)])[:-1]  # of the columns y[i, 1..most[i]]
    owner = np.repeat(np.arange(profile.users), most)
    level = np.arange(len(owner)) - start[owner] + 1
    count = np.diff(profile.ptr)[owner]
    ballot = np.repeat(np.arange(len(owner)), count)
    shift = profile.ptr[owner] - (np.cumsum(count) - count)
    item = profile.item[np.arange(len(ballot)) + np.repeat(shift, count)].astype(np.int64)
    has = rows(
        np.concatenate([ballot, np.arange(len(owner))]),
        np.concatenate([item, m + np.arange(len(owner))]),
        np.concatenate([np.ones(len(ballot)), -level.astype(np.float64)]),
        lower=np.zeros(len(owner)),
    )
    top = int(deserved.max(initial=0))
    limits = [_deserved(question, deserved, start, at) for at in range(1, top + 1)]
    return Block((has, *limits), owner, level)


def _deserved(question: Question, deserved: Ints, start: Ints, level: int) -> Rows:
    """Return, for comments whose approvers deserve a level, that few have less or it is shown."""
    profile, t = question.profile, int(question.thresholds[level])
    comments = np.flatnonzero(deserved >= level)
    number = np.full(profile.m, -1, np.int64)
    number[comments] = np.arange(len(comments))
    entry = number[profile.item] >= 0
    item, user = profile.item[entry].astype(np.int64), profile.user_of[entry]
    weight, sup = profile.weight[user], profile.sup[comments]
    return rows(
        np.concatenate([number[item], np.arange(len(comments))]),
        np.concatenate([profile.m + start[user] + level - 1, comments]),
        np.concatenate([weight, sup - t + 1]),
        lower=(sup - t + 1).astype(np.float64),
    )


def solve_compact(search: Search, run: Run, *, backend: str) -> None:
    """Solve the program with all rows of the axiom (JR or EJR+); the search gets what comes out.

    Points are checked in integers; one that the solver's tolerance let through is cut off and
    the program solved again.
    """
    question = search.question
    m = question.profile.m
    if question.axiom == "jr":
        block = representation(question.profile, question.t, columns=m)
    else:
        block = levels(question)
    while not search.done and not run.expired():
        model = _model(search, block, backend)
        start = None if search.best is None else block.point(question.profile, search.best)
        result = solve(model, run, backend=backend, start=start)
        search.rounds += 1
        search.named(result.backend)
        search.notes += result.notes
        if result.status == "infeasible":
            search.nothing_better()
            return
        search.bounded(result)
        found = None
        if result.x is not None:
            found = search.take(tuple(np.flatnonzero(result.x[:m] > 0.5).tolist()))
        if not found or result.stopped:
            return
        search.add(found)


def _model(search: Search, block: Block, backend: str) -> LinearModel:
    """Return the program; CP-SAT takes integers only, elsewhere the columns of JR may vary."""
    question, m = search.question, search.question.profile.m
    low, high = search.low, search.low | search.high
    nothing = np.zeros(block.extra)
    whole = block.integer or backend == "cp-sat"
    integer = np.concatenate([np.ones(m, bool), np.full(block.extra, whole)])
    return LinearModel.build(
        [*question.scores.to_list(), *([0] * block.extra)],
        cardinality(question), *block.rows, as_rows(search.cuts),
        lower=np.concatenate([low.astype(np.float64), nothing]),
        upper=np.concatenate([high.astype(np.float64), nothing + 1.0]),
        integer=integer, maximize=True, grid=question.scores.den,
    )  # fmt: skip
