"""Counting authors at or above a cost: ``wiped``, and ``leximin`` level by level.

``leximin`` compares the costs of all authors, worst first. With v1 > v2 > … the costs that
authors can have, and N_l the number of authors at v_l or above, it minimises N_1, then N_2 among
the answers with that N_1, and so on; the multiset of costs follows from the counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import KeptPapers
from fairopt.run import Run
from fairopt.solution import Bound, Claim, Note, Outcome
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, rows, solve
from fairopt_solvers.desk_rejection.bounds import cheap_bound
from fairopt_solvers.desk_rejection.losses import Counter, Losses
from fairopt_solvers.desk_rejection.packing import Packing, relaxation, solve_packing
from fairopt_solvers.desk_rejection.presolve import Open

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(eq=False)
class _Levels:
    """The model of counts: open papers, then the columns of each counter that is in it."""

    packing: Packing
    counters: list[Counter] = field(default_factory=list)
    most: list[int] = field(default_factory=list)

    def minimise(
        self, counter: Counter, run: Run, *, backend: str, start: Bools, packing: bool = False
    ) -> LinearResult:
        """Minimise one more counter (or maximise the packing) while the others stay in bounds."""
        counters = self.counters if packing else [*self.counters, counter]
        n = len(self.packing.part.paper)
        blocks: list[Rows] = [self.packing.row_block]
        offset, offsets = n, []
        for one in counters:
            blocks.append(one.link_rows(offset))
            offsets.append(offset)
            offset += len(one.need)
        for one, at, most in zip(self.counters, offsets, self.most, strict=False):
            blocks.append(_at_most(one, at, most))
        objective = np.zeros(offset, np.int64)
        if packing:
            model = LinearModel.build(_padded(self.packing, offset), *blocks, maximize=True)
        else:
            objective[:n] = -counter.single
            objective[offsets[-1] :] = counter.many
            model = LinearModel.build(objective, *blocks)
        begin = np.concatenate([start, *(c.on(start) for c in counters)]).astype(np.float64)
        return solve(model, run, backend=backend, start=begin)


def _padded(packing: Packing, size: int) -> list[int | Fraction]:
    zeros: list[int | Fraction] = [0] * (size - len(packing.coef))
    return packing.coef.to_list() + zeros


def _at_most(counter: Counter, offset: int, most: int) -> Rows:
    """``constant + sum single (1 - r) + sum many z <= most``."""
    col = np.concatenate([np.arange(len(counter.single)), offset + np.arange(len(counter.need))])
    coef = np.concatenate([-counter.single, counter.many]).astype(np.float64)
    room = most - counter.constant - int(counter.single.sum())
    return rows(np.zeros(len(col), np.int64), col, coef, upper=[float(room)], count=1)


def _prepared(part: Open, run: Run, start: Bools | None) -> tuple[Packing, Losses, Bools]:
    """Return the packing by average cost, the losses, and an answer to begin with.

    That is the better of the start and the papers that are best on average, with which few lose
    everything.
    """
    problem = part.problem
    coef = part.weights(problem.linear_form("average").coef)
    packing = Packing(part, coef, merging=False)
    losses = Losses.of(part, "average")
    if start is not None:
        run.offer(problem.answer(part.mask(start)))
    short = run.child("average", time_limit=run.remaining() / 4)
    relaxed = relaxation(packing, short)
    kept = relaxed.kept
    if not run.expired():
        packed = solve_packing(packing, short, backend="highs", start=kept, relaxed=relaxed)
        kept = packing.filled(packed.kept)
    if start is not None:
        mine, theirs = (problem.check(problem.answer(part.mask(k))).value for k in (kept, start))
        if problem.objective.better(theirs, mine):
            kept = start
    return packing, losses, kept


def wiped(part: Open, run: Run, *, backend: str, start: Bools | None = None) -> Outcome[KeptPapers]:
    """Minimise the number of authors who lose every paper."""
    problem = part.problem
    packing, losses, begin = _prepared(part, run, start)
    counter = losses.counter(None)
    cheap = cheap_bound(problem)
    answer = problem.answer(part.mask(begin))
    run.offer(answer, counter.count(begin))
    if counter.count(begin) == cheap.value:
        return Outcome(answer, cheap)
    result = _Levels(packing).minimise(counter, run, backend=backend, start=begin)
    if result.x is not None:
        answer = problem.answer(part.mask(packing.filled(result.x[: len(part.paper)] > 0.5)))
    bound = _count_bound(counter, result, backend)
    if bound is None or cheap.value >= bound.value:  # type: ignore[operator]
        bound = cheap
    return Outcome(answer, bound, notes=result.notes)


def _count_bound(counter: Counter, result: LinearResult, backend: str) -> Bound | None:
    if result.bound is None:
        return None
    value = counter.constant + int(counter.single.sum()) + result.bound
    return Bound(-(-value.numerator // value.denominator), "solver",
                 {"backend": result.backend or backend})  # fmt: skip


def leximin(
    part: Open, run: Run, *, backend: str, depth: int | None = None, start: Bools | None = None
) -> Outcome[KeptPapers]:
    """Minimise the sorted costs lexicographically, level by level, to ``depth`` levels."""
    problem = part.problem
    packing, losses, kept = _prepared(part, run, start)
    cheap = cheap_bound(problem)
    answer = problem.answer(part.mask(kept))
    run.offer(answer)
    if problem.check(answer).value == cheap.value:
        return Outcome(answer, cheap)
    levels = _Levels(packing)
    runs: list[tuple[Fraction, int]] = []
    claims: list[Claim] = []
    notes: list[Note] = []
    values = losses.values()
    before, done, backend_name = 0, 0, ""
    for level, value in enumerate(values):
        if run.expired() or (depth is not None and level >= depth):
            break
        counter = losses.counter(value)
        now = counter.count(kept)
        if now > max(before, counter.constant):
            result = levels.minimise(counter, run, backend=backend, start=kept)
            notes += result.notes
            if result.x is not None:
                kept = result.x[: len(part.paper)] > 0.5
                now = counter.count(kept)
                run.offer(problem.answer(part.mask(packing.filled(kept))))
            bound = _count_bound(counter, result, backend)
            if bound is None or bound.value != now:
                break
            backend_name = result.backend or backend_name
        if levels.most and levels.most[-1] == now:  # implied from now on by the lower level
            levels.counters[-1] = counter
        else:
            levels.counters.append(counter)
            levels.most.append(now)
        if now > before:
            runs.append((value, now - before))
        before, done = now, level + 1
        if backend_name:
            claims.append(_level_claim(value, now, backend_name))
    complete = done == len(values)
    if not complete:
        kept = _then_average(levels, packing, run, backend=backend, kept=kept)
        text = f"{done} of {len(values)} levels of cost are proven"
        notes.append(Note("bounded", text + ", then the least average"))
    answer = problem.answer(part.mask(packing.filled(kept)))
    bound = cheap
    if backend_name:
        bound = Bound(tuple(runs), "solver", {"backend": backend_name, "levels": done})
    shown = () if complete else tuple(claims)
    return Outcome(answer, bound, shown, notes=tuple(dict.fromkeys(notes)))


def _level_claim(value: Fraction, count: int, backend: str) -> Claim:
    name = f"at_least[{value}]"
    return Claim(name, count, "solver", {"backend": backend}, "given the levels above")


def _then_average(
    levels: _Levels, packing: Packing, run: Run, *, backend: str, kept: Bools
) -> Bools:
    """Return the answer of least average among those that keep the counts proven so far."""
    if run.expired() or not levels.counters:
        return kept
    result = levels.minimise(levels.counters[-1], run, backend=backend, start=kept, packing=True)
    return kept if result.x is None else result.x[: len(kept)] > 0.5
