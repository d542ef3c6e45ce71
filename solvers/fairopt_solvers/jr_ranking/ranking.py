"""Rankings: a 0/1 program that gives comments to positions, JR at every cutoff."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np

from fairopt.problems.jr_ranking import Feed, JrRanking
from fairopt.run import Run
from fairopt.solution import Bound, Note, Outcome
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, rows, solve
from fairopt_solvers.jr_ranking import bounds, cuts
from fairopt_solvers.jr_ranking.compact import representation
from fairopt_solvers.jr_ranking.cuts import Cut
from fairopt_solvers.jr_ranking.heuristics import Selected, safe_prefixes
from fairopt_solvers.jr_ranking.justifying import justifying_claim
from fairopt_solvers.jr_ranking.profile import Bools, Floats, Ints
from fairopt_solvers.jr_ranking.question import Question


@dataclass(eq=False)
class Slots:
    """The assignment of comments to blocks of positions of one weight, cut at the prefixes.

    Column ``b * m + c`` says that comment c stands in block b; ``ends[b]`` is the position behind
    the block. Within a block the order does not matter.
    """

    problem: JrRanking
    free: Bools | None = None  # if given, only these comments may be shown
    question: Question = field(init=False)
    ends: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.question = Question.of(self.problem)
        factors = self.problem.position_factors.num
        k, cutoffs = self.problem.k, set(self.cutoffs)
        changes = [p for p in range(1, k) if p in cutoffs or factors[p] != factors[p - 1]]
        self.ends = np.array([*changes, k], np.int64)

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """Sizes at which JR must hold; k alone in set mode, for any axiom."""
        if self.problem.axiom == "none":
            return ()
        return (self.problem.k,) if self.problem.mode == "set" else self.problem.prefixes

    def at(self, size: int) -> Question:
        """Return the question of JR for the first ``size`` comments."""
        q = self.question
        return Question(q.profile, size, q.scores, "jr", q.rule)

    @property
    def weights(self) -> list[Fraction]:
        """Return the exact value of every column."""
        scores, factors = self.question.scores, self.problem.position_factors
        den = scores.den * factors.den
        heads = [int(factors.num[end - 1]) for end in self.ends.tolist()]
        return [Fraction(head * int(s), den) for head in heads for s in scores.num.tolist()]

    def assignment(self) -> tuple[Rows, Rows]:
        """Return the rows that fill each block and show each comment at most once."""
        m, b = self.question.profile.m, len(self.ends)
        size = np.diff(np.concatenate([[0], self.ends])).astype(np.float64)
        block, comment = np.repeat(np.arange(b), m), np.tile(np.arange(m), b)
        column = np.arange(b * m)
        must = self.question.fixed.astype(np.float64)
        return (
            rows(block, column, lower=size, upper=size),
            rows(comment, column, lower=must, upper=np.ones(m)),
        )

    def upper(self) -> Floats:
        """Return the upper bounds of the columns."""
        allowed = self.question.allowed if self.free is None else self.question.allowed & self.free
        return np.tile(allowed.astype(np.float64), len(self.ends))

    def rows_of(self, found: list[tuple[int, Cut]]) -> Rows:
        """Return cuts of prefixes as rows over the columns."""
        m = self.question.profile.m
        row, col, coef = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for k, (size, cut) in enumerate(found):
            blocks = int(np.searchsorted(self.ends, size)) + 1
            for b in range(blocks):
                row.append(np.full(len(cut.comments), k))
                col.append(b * m + cut.comments)
                coef.append(cut.coef)
        need = np.array([cut.need for _, cut in found], np.float64)
        return rows(
            np.concatenate(row), np.concatenate(col), np.concatenate(coef),
            lower=need, count=len(found),
        )  # fmt: skip

    def order(self, x: Floats) -> Selected:
        """Return the display order of a point: by score within a block."""
        m = self.question.profile.m
        out: list[int] = []
        for b in range(len(self.ends)):
            out += self.question.display(np.flatnonzero(x[b * m : (b + 1) * m] > 0.5))
        return tuple(out)

    def point(self, order: Selected) -> Floats:
        """Return the point of a display order."""
        x = np.zeros(len(self.ends) * self.question.profile.m)
        block = np.searchsorted(self.ends, np.arange(len(order)), side="right")
        x[block * self.question.profile.m + np.asarray(order)] = 1.0
        return x

    def broken(self, order: Selected) -> list[tuple[int, Cut]]:
        """Return cuts that an order breaks, each with the size of its prefix."""
        found = []
        for size in self.cutoffs:
            found += [(size, cut) for cut in cuts.jr_cuts(self.at(size), order[:size], 5)]
        return found

    def start(self) -> Selected:
        """Return the order of the safe prefixes."""
        least = {size: self.at(size).t for size in self.cutoffs}
        order = safe_prefixes(self.question, least)
        factors = self.problem.position_factors.num.tolist()
        falling = all(a >= b for a, b in pairwise(factors))
        return self._sorted(order) if falling else order

    def _sorted(self, order: Selected) -> Selected:
        """Sort by score between the cutoffs, where position weights do not rise."""
        out: list[int] = []
        for end in sorted({*self.cutoffs, self.problem.k}):
            out += self.question.display(order[len(out) : end])
        return tuple(out)


def exact_ranking(
    problem: JrRanking, run: Run, *, backend: str, form: str, justifying: bool = False
) -> Outcome[Feed]:
    """Return a best ranking, or the best one found when the time is up, with a bound."""
    slots = Slots(problem)
    search = RankSearch(slots, run, backend, compact=form == "compact")
    search.take(slots.start())
    if not search.top_reached():
        search.loop()
    notes = tuple(dict.fromkeys(search.notes))
    if search.infeasible and search.best is None:
        return Outcome(infeasible=bounds.infeasibility(problem, search.backends), notes=notes)
    answer = None if search.best is None else problem.feed(search.best)
    bound = search.bound
    if search.finished and bound.proof == "solver" and bounds.enumerable(problem):
        bound = bounds.enumeration_bound(problem)
    claim = justifying_claim(problem, slots.question, run) if justifying else None
    return Outcome(answer, bound, (claim,) if claim else (), notes=notes)


@dataclass(eq=False)
class RankSearch:
    """A search for the best ranking: the program is solved again with the cuts that it broke."""

    slots: Slots
    run: Run
    backend: str = "highs"
    compact: bool = False
    best: Selected | None = None
    found: list[tuple[int, Cut]] = field(default_factory=list)
    backends: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    infeasible: bool = False
    finished: bool = False

    def __post_init__(self) -> None:
        self.bound: Bound = bounds.top_bound(self.slots.problem)

    def take(self, order: Selected) -> list[tuple[int, Cut]]:
        """Keep an order if it is lawful and better; return the cuts that it breaks."""
        problem = self.slots.problem
        if len(order) < problem.k:
            return []
        fresh = self.slots.broken(order)
        if not fresh and (self.best is None or self.value(order) > self.value(self.best)):
            self.best = order
            self.run.offer(problem.feed(order), float(self.value(order)))
        return fresh

    def value(self, order: Selected) -> Fraction:
        """Return the exact value of an order."""
        factors, scores = self.slots.problem.position_factors, self.slots.question.points
        total = sum(int(f) * scores[c] for f, c in zip(factors.num.tolist(), order, strict=True))
        return Fraction(total, self.slots.question.scores.den * factors.den)

    def top_reached(self) -> bool:
        """Return whether the best order is as good as one without the axiom."""
        kind = float if self.slots.problem.objective.kind == "float" else Fraction
        return self.best is not None and kind(self.value(self.best)) >= self.bound.value  # type: ignore[operator]

    def loop(self) -> None:
        """Solve until the optimum breaks no cut, or the time is up."""
        while not self.run.expired():
            model = _model(self.slots, self.found, self.backend, compact=self.compact)
            start = None
            if self.best is not None:
                start = _extended(self.slots, model, self.slots.point(self.best), self.compact)
            result = solve(model, self.run, backend=self.backend, start=start)
            self.notes += result.notes
            if result.backend and result.backend not in self.backends:
                self.backends.append(result.backend)
            if result.status == "infeasible":
                self.infeasible = True
                return
            self._bounded(result)
            fresh = [] if result.x is None else self.take(self.slots.order(result.x))
            self.finished = result.status == "optimal" and not fresh
            if not fresh or result.stopped:
                return
            self.found += fresh

    def _bounded(self, result: LinearResult) -> None:
        if self.slots.free is not None:  # says nothing about other comments
            return
        value, known = result.bound, self.bound.value
        if value is None:
            return
        shown: Fraction | float = Fraction(value)
        if self.slots.problem.objective.kind == "float":
            shown = float(shown)
        if shown < known:  # type: ignore[operator]
            data = {"backend": " + ".join(self.backends)}
            self.bound = Bound(shown, "solver", data, result.slack)


def _model(
    slots: Slots, found: list[tuple[int, Cut]], backend: str, *, compact: bool
) -> LinearModel:
    m, blocks = slots.question.profile.m, len(slots.ends)
    columns = m * blocks
    parts, extra = [*slots.assignment(), slots.rows_of(found)], 0
    weights: list[Fraction | int] = list(slots.weights)
    upper = slots.upper()
    if compact:
        for size in slots.cutoffs:
            block = representation(slots.question.profile, slots.at(size).t, columns=m)
            shown = int(np.searchsorted(slots.ends, size)) + 1
            parts += [_spread(part, m, shown, columns + extra) for part in block.rows]
            extra += block.extra
    total = columns + extra
    whole = np.arange(total) < columns if backend != "cp-sat" else np.ones(total, bool)
    return LinearModel.build(
        [*weights, *([0] * extra)], *parts, upper=np.concatenate([upper, np.ones(extra)]),
        integer=whole, maximize=True, grid=_grid(slots) if extra else None,
    )  # fmt: skip


def _grid(slots: Slots) -> int:
    return int(slots.question.scores.den * slots.problem.position_factors.den)


def _spread(part: Rows, m: int, blocks: int, behind: int) -> Rows:
    """Return rows over comments as rows over the first blocks; further columns move behind."""
    comment = part.col < m
    row = np.concatenate([np.tile(part.row[comment], blocks), part.row[~comment]])
    shift = np.repeat(np.arange(blocks) * m, int(comment.sum()))
    col = np.concatenate(
        [np.tile(part.col[comment], blocks) + shift, part.col[~comment] - m + behind]
    )
    coef = np.concatenate([np.tile(part.coef[comment], blocks), part.coef[~comment]])
    return Rows(row, col, coef, part.lower, part.upper)


def _extended(slots: Slots, model: LinearModel, x: Floats, compact: bool) -> Floats | None:
    """Return a point with the further columns of the compact form filled in."""
    if not compact:
        return x
    order, out = slots.order(x), [x]
    for size in slots.cutoffs:
        block = representation(slots.question.profile, slots.at(size).t, columns=0)
        out.append(block.point(slots.question.profile, order[:size])[slots.question.profile.m :])
    point = np.concatenate(out)
    return None if model.violations(point) else point
