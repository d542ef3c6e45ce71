"""The method ``offline``: the best lottery over independent sets, with a densest set as proof.

A lottery drawn before the first arrival needs no order, so its least acceptance probability t* is
the most that any algorithm reaches. In a matroid ``t* = 1/gamma``, gamma the largest ``|X|/r(X)``,
because ``(t, …, t)`` lies in the matroid polytope iff ``t |X| <= r(X)`` for all X [1]_.

References
----------
.. [1] J. Edmonds, Submodular functions, matroids, and certain polyhedra, 1970.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.solution import Bound, Note, Outcome
from fairopt_solvers.online_selection import lotteries
from fairopt_solvers.online_selection.density import Density, density
from fairopt_solvers.online_selection.lotteries import Lottery
from fairopt_solvers.online_selection.oracles import Oracle

Backend = Literal["highs", "cp-sat", "cbc"]


def offline(
    problem: OnlineSelection, run: Run, *, backend: Backend = "highs"
) -> Outcome[Selection]:
    """Return an optimal lottery, or the best one when the time is up or exact ones are too large.

    For matroids exact in rationals; gamma is found by closed forms, flows or partitions of copies,
    the lottery by partition (or by greedy packing, to about one part in a hundred, where the exact
    one would not fit into memory). For matchoids by column generation.

    Parameters
    ----------
    backend
        Who finds the heaviest sets of a matchoid.
    """
    usable = np.setdiff1d(np.arange(problem.n_elements), problem.loops)
    if not problem.n_elements:
        empty = Bound(None, "combinatorial", {"rule": "empty"})
        return Outcome(Selection.draws([((), Fraction(1))]), empty)
    if not usable.size:
        return Outcome(Selection.draws([((), Fraction(1))]), _loop(problem))
    matroid = problem.matroid.take(usable) if len(problem.loops) else problem.matroid
    if not isinstance(matroid, Matchoid):
        return _Search(problem, matroid, usable.tolist(), run).solve()
    from fairopt_solvers.online_selection.columns import solve_matchoid

    outcome = solve_matchoid(problem, matroid, usable.tolist(), run, backend)
    if len(problem.loops):
        return Outcome(outcome.answer, _loop(problem), notes=outcome.notes)
    return outcome


def _loop(problem: OnlineSelection) -> Bound:
    data = {"rule": "loop", "element": int(problem.loops[0])}
    return Bound(Fraction(0), "combinatorial", data)


class _Search:
    """The matroid without loops, and the best lottery so far."""

    def __init__(self, problem: OnlineSelection, matroid: Any, names: list[int], run: Run) -> None:
        self.problem, self.matroid, self.names, self.run = problem, matroid, names, run
        self.oracle = Oracle.of(matroid, run.seed)
        self.best = Lottery((), Fraction(-1))

    def solve(self) -> Outcome[Selection]:
        run = self.run
        self._offer(lotteries.first(self.oracle), None)
        found = density(self.matroid, run)
        run.report(bound=1 / found.gamma)
        self._offer(self.best, found)
        notes: tuple[Note, ...] = ()
        if self.best.least < 1 / found.gamma and not run.expired():
            lottery, proven = lotteries.exact(self.oracle, found.gamma, run)
            if lottery is not None:
                self._offer(lottery, found)
            if not proven and not run.expired():
                self._offer(lotteries.packed(self.oracle, found.gamma, run), found)
                why = "the exact lottery is too large; this one is packed greedily"
                notes = (Note("bounded", why),)
        return Outcome(self._answer(self.best, found), self._bound(found), notes=notes)

    def _offer(self, lottery: Lottery, found: Density | None) -> None:
        if lottery.least > self.best.least:
            self.best = lottery
            self.run.offer(self._answer(lottery, found), lottery.least)

    def _answer(self, lottery: Lottery, found: Density | None) -> Selection:
        densest = None if found is None else self._lifted(found.densest)
        return Selection.draws(lottery.lifted(self.names).draws, densest)

    def _bound(self, found: Density) -> Bound:
        if len(self.problem.loops):
            return _loop(self.problem)
        data = {"rule": "densest-set", "set": self._lifted(found.densest)}
        return Bound(1 / found.gamma, "combinatorial", data)

    def _lifted(self, elements: Iterable[int]) -> list[int]:
        return [self.names[e] for e in elements]
