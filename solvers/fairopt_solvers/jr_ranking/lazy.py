"""Selections by a 0/1 program over the comments alone, cuts added where an axiom is broken.

First a linear program with cuts of JR gives a bound, points to round, and exact multipliers that
decide most comments once a good selection is known. What is left goes to a 0/1 solver, again and
again with new cuts, until its optimum keeps the axiom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fairopt.run import Run
from fairopt.solution import Note
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, relax, rows, solve
from fairopt_solvers.jr_ranking import cuts as separation
from fairopt_solvers.jr_ranking.cuts import Cut, as_rows
from fairopt_solvers.jr_ranking.heuristics import Selected, coverage
from fairopt_solvers.jr_ranking.lagrange import Lagrange, grid, lagrange
from fairopt_solvers.jr_ranking.profile import Bools, Floats
from fairopt_solvers.jr_ranking.question import Question

_ROUNDS = 60  # of the linear program
_STALL, _PATIENCE = 1e-3, 6  # share of the gap that some rounds together must close


@dataclass(eq=False)
class Search:
    """The state of a search: what is known of the optimum, and the cuts found.

    ``bound`` is an upper bound on totals (scores times their denominator); ``low`` and ``high``
    are what may still lead to a better selection than ``best``.
    """

    question: Question
    run: Run
    backend: str = "highs"
    offer: Callable[[Selected, int], None] = lambda selected, total: None
    best: Selected | None = None
    total: int | None = None
    cuts: list[Cut] = field(default_factory=list)
    backends: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    infeasible: bool = False
    undecided: bool = False
    dual: tuple[Lagrange, list[Cut]] | None = None
    rounds: int = 0

    def __post_init__(self) -> None:
        self.low, self.high = self.question.fixed.copy(), self.question.allowed.copy()
        self.bound = self.question.total(self.question.top)

    # -- what is known ------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether the best selection is proven best, or that there is none."""
        return self.infeasible or (self.total is not None and self.total >= self.bound)

    def broken(self, selected: Sequence[int]) -> list[Cut] | None:
        """Return cuts that a selection breaks, none if it keeps the axiom, None if undecided."""
        question = self.question
        if question.axiom == "none":
            return []
        found = separation.jr_cuts(question, selected)
        if found or question.axiom == "jr":
            return found
        if question.axiom == "ejr+":
            return separation.ejr_plus_cuts(question, selected)
        if question.axiom == "pjr+":
            return separation.pjr_plus_cuts(question, selected, self.run)
        return separation.cohesive_cuts(question, selected, self.run)

    def take(self, selected: Sequence[int]) -> list[Cut] | None:
        """Keep a selection if it is valid and better; return the cuts that it breaks."""
        total = self.question.total(selected)
        found = self.broken(selected)
        if found == [] and (self.total is None or total > self.total):
            self.best, self.total = self.question.display(selected), total
            self.offer(self.best, total)
            self.tighten()
        return found

    def tighten(self) -> None:
        """Decide comments by the multipliers; only strictly better selections matter."""
        if self.dual is None or self.total is None:
            return
        out, must = self.dual[0].fixed(
            self.question, self.question.fixed, self.question.allowed, self.total
        )
        self.high &= ~out
        self.low |= must

    def add(self, cuts: Sequence[Cut]) -> int:
        """Add cuts that are not there yet; return how many."""
        known = {cut.key() for cut in self.cuts}
        fresh = [cut for cut in cuts if cut.key() not in known]
        self.cuts += fresh
        return len(fresh)

    def named(self, backend: str) -> None:
        """Note who answered."""
        if backend and backend not in self.backends:
            self.backends.append(backend)

    def model(self, cuts: Sequence[Cut], low: Bools, high: Bools) -> LinearModel:
        """Return the 0/1 program of the best selection under these cuts."""
        return LinearModel.build(
            self.question.scores, cardinality(self.question), as_rows(cuts),
            lower=low.astype(np.float64), upper=(low | high).astype(np.float64), maximize=True,
        )  # fmt: skip

    # -- the linear program -------------------------------------------------------------

    def root(self, run: Run) -> None:
        """Solve the linear program with cuts of JR, rounding its points on the way."""
        question, history = self.question, [float(self.bound)]
        low, high = question.fixed, question.allowed
        active = list(self.cuts)
        for _ in range(_ROUNDS):
            if self.done or run.expired():
                break
            result = relax(self.model(active, low, high), run)
            if result.x is None or result.duals is None:
                break
            self.named(result.backend)
            multipliers = (-result.duals[1:]).tolist()  # negative on lower bounds of a maximum
            dual = lagrange(question, active, multipliers, low, high)
            if self.dual is None or dual.bound <= self.dual[0].bound:
                self.dual = dual, active
                self.bound = min(self.bound, dual.floor(question))
                self.tighten()
                self.run.report(bound=self.bound / question.scores.den)
            self.rounded(result.x)
            found = separation.fractional_cuts(question, result.x)
            active = [cut for cut in active if cut.lacks(result.x) > -0.1] + found
            history.append(dual.bound / 2.0**30)
            if not found or self._stalled(history):
                break
        self.add(active)

    def _stalled(self, history: list[float]) -> bool:
        if len(history) <= _PATIENCE:
            return False
        floor = float(self.total if self.total is not None else min(history) - abs(min(history)))
        gap = max(history[-_PATIENCE - 1] - floor, 1e-9)
        return history[-_PATIENCE - 1] - history[-1] < _STALL * gap

    def rounded(self, x: Floats) -> None:
        """Pin comments by falling share in x while coverage can complete them; keep the result."""
        question = self.question
        pinned = list(question.forced)
        order = np.lexsort((question.rank, -np.round(x, 6)))
        for c in order[x[order] > 1e-6].tolist():
            if len(pinned) >= question.k or self.run.expired():
                break
            if c in pinned or not question.allowed[c]:
                continue
            if coverage(question, (*pinned, c)) is not None:
                pinned.append(c)
        picks = coverage(question, tuple(pinned))
        if picks is not None:
            self.take(question.filled([*pinned, *picks.tolist()]))

    # -- the 0/1 program ----------------------------------------------------------------

    def step(self, run: Run, *, free: Bools | None = None) -> bool:
        """Solve the 0/1 program once and add the cuts that its optimum breaks.

        With ``free`` only these comments may come in (a restricted search, no bound). Returns
        whether it is worth asking again.
        """
        high = self.high if free is None else self.high & free
        heard: list[Selected] = []

        def hear(x: Floats) -> None:
            heard.append(tuple(np.flatnonzero(x > 0.5).tolist()))

        model = self.model(self.cuts, self.low, high)
        result = solve(model, run, backend=self.backend, start=self._start(), on_point=hear)
        self.rounds += 1
        self.named(result.backend)
        self.notes += result.notes
        if result.status == "infeasible":
            if free is None:
                self.nothing_better()
            return False
        if free is None:
            self.bounded(result)
        points = [] if result.x is None else [tuple(np.flatnonzero(result.x > 0.5).tolist())]
        fresh = 0
        for selected in dict.fromkeys([*points, *reversed(heard[-5:])]):
            found = self.take(selected)
            self.undecided |= found is None
            fresh += self.add(found or [])
        return fresh > 0 and not result.stopped and not self.undecided

    def nothing_better(self) -> None:
        """Note that no selection beyond the best exists, or none at all."""
        self.infeasible = self.total is None
        self.bound = self.bound if self.total is None else self.total

    def bounded(self, result: LinearResult) -> None:
        """Take over a bound on what is better than the best."""
        if result.bound is None:
            return
        step, den = grid(self.question), self.question.scores.den
        top = int((Fraction(result.bound) + Fraction(result.slack)) * den // step) * step
        self.bound = min(self.bound, top if self.total is None else max(top, self.total))
        self.run.report(bound=self.bound / den)

    def _start(self) -> Floats | None:
        if self.best is None:
            return None
        x = np.zeros(self.question.profile.m)
        x[list(self.best)] = 1.0
        return x


def cardinality(question: Question) -> Rows:
    """Return the row that asks for exactly k comments."""
    m = question.profile.m
    return rows(np.zeros(m, np.int64), np.arange(m), lower=[question.k], upper=[question.k])
