"""EJR and PJR: groups that agree on l comments, found by growing sets of common comments."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.jr_ranking.axioms import Verdict, View, Witness, grouped
from fairopt.problems.jr_ranking.counting import rows_of

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

Bools = NDArray[np.bool_]

STEPS = 20_000  # sets of common comments looked at before EJR or PJR is left undecided
_CELLS = 400_000_000  # users times comments times sets looked at, likewise


class _Exhausted(Exception):
    """The budget is spent."""


class _Search:
    """Sets of comments whose common approvers are many enough, level by level."""

    def __init__(self, view: View, axiom: str) -> None:
        self.view, self.axiom = view, axiom
        self.left = min(STEPS, max(1, _CELLS // max(1, len(view.problem.indices))))

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _Exhausted

    def level(self, level: int) -> Witness | None:
        """Return a group that agrees on ``level`` comments and has too few; None if none does."""
        view, problem = self.view, self.view.problem
        poor = view.approved < level
        self.due = view.due(level)
        self.depth = level
        table, self.comments = _table(problem, poor, self.due, level)
        self.users = np.flatnonzero(poor & (table.any(axis=0)))
        self.table = table[:, self.users].astype(np.float64)
        self.weight = problem.weights[self.users].astype(np.float64)
        return self.grow([], np.ones(len(self.users), np.bool_), 0)

    def grow(self, chosen: list[int], inside: Bools, start: int) -> Witness | None:
        """Extend a set of comments by later ones, keeping the common approvers many enough."""
        if len(chosen) == self.depth:
            return self.leaf(chosen, inside)
        self.spend(1)
        mass = self.table[start:] @ (self.weight * inside)
        for j in (start + np.flatnonzero(mass >= self.due)).tolist():
            found = self.grow([*chosen, j], inside & (self.table[j] > 0), j + 1)
            if found is not None:
                return found
        return None

    def leaf(self, chosen: list[int], inside: Bools) -> Witness | None:
        users = self.users[inside]
        if self.axiom == "pjr":
            users = self.narrow(users)
        if not len(users):
            return None
        weight = int(self.view.problem.weights[users].sum())
        comments = tuple(int(self.comments[j]) for j in chosen)
        return Witness(comments, self.depth, tuple(users.tolist()), weight - self.due + 1)

    def narrow(self, users: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return members who together approve fewer than ``level`` comments shown, if enough."""
        patterns = grouped(self.view, users)
        used = sorted(frozenset[int]().union(*patterns))
        size = min(self.depth - 1, len(used))
        for few in combinations(used, size):
            self.spend(1)
            room = frozenset(few)
            fitting = [(w, rows) for need, (w, rows) in patterns.items() if need <= room]
            if sum(w for w, _ in fitting) >= self.due:
                return np.array(sorted(i for _, rows in fitting for i in rows), np.int64)
        return np.zeros(0, np.int64)


def _table(
    problem: JrRanking, poor: Bools, due: int, level: int
) -> tuple[Bools, NDArray[np.int64]]:
    """Return who approves which comment, for comments that enough poor users approve."""
    rows = rows_of(problem)
    here = poor[rows]
    mass = np.zeros(problem.n_comments, np.int64)
    np.add.at(mass, problem.indices[here], problem.weights[rows[here]])
    comments = np.flatnonzero(mass >= due)
    place = np.full(problem.n_comments, -1, np.int64)
    place[comments] = np.arange(len(comments))
    here &= place[problem.indices] >= 0
    table = np.zeros((len(comments), problem.n_users), np.bool_)
    table[place[problem.indices[here]], rows[here]] = True
    table[:, table.sum(axis=0) < level] = False
    return table, comments


def cohesive(view: View, axiom: str) -> Verdict:
    """Return whether ``ejr`` or ``pjr`` holds; undecided when the budget of steps is spent."""
    search = _Search(view, axiom)
    try:
        for level in range(1, view.k + 1):
            found = search.level(level)
            if found is not None:
                return Verdict(False, found, "enumeration")
    except _Exhausted:
        return Verdict(None, None, "enumeration")
    return Verdict(True, None, "enumeration")
