"""Local search by exchanges, for every objective, in slices that watch the clock."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import DeskRejection, KeptPapers
from fairopt.problems.desk_rejection.quota import pointers
from fairopt.run import Run
from fairopt.solution import Infeasible, Outcome
from fairopt_solvers.desk_rejection.bounds import cheap_bound
from fairopt_solvers.desk_rejection.exact import LINEAR, decided
from fairopt_solvers.desk_rejection.heuristics import cover
from fairopt_solvers.desk_rejection.insertion import View, insert
from fairopt_solvers.desk_rejection.presolve import REJECTED, Open, presolve

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SLICE = 5_000  # moves between two looks at the clock
TEMPERATURE, NOISE = 0.2, 1.0  # of acceptance (falls to 0) and of evictions, for mean weight 1
NARROW = 0.5  # chance to draw among papers that a single row blocks
MOST_STEPS, STEPS_PER_PAPER = 200_000, 500


def local_search(
    problem: DeskRejection, run: Run, *, steps: int | None = None
) -> Outcome[KeptPapers]:
    """Improve the greedy answer by exchanges: keep a rejected paper, evict, keep what then fits.

    Worse exchanges are accepted at times, less and less so (simulated annealing); the best
    answer is returned. Sums over papers are followed directly; for the other objectives the
    moves follow a potential of the losses and answers are compared exactly, cost by cost.

    Parameters
    ----------
    steps
        Exchanges to try; by default 200,000, and 500 a paper where few are open.
    """
    part = presolve(problem)
    if isinstance(part, Infeasible):
        return Outcome(infeasible=part)
    if not len(part.paper):
        return decided(part)
    kept = improve(part, run, steps=default_steps(part) if steps is None else steps)
    return Outcome(problem.answer(part.mask(kept)), cheap_bound(problem))


def default_steps(part: Open) -> int:
    """Return the step budget that goes with the size."""
    return min(MOST_STEPS, STEPS_PER_PAPER * len(part.paper))


def improve(part: Open, run: Run, *, steps: int, start: Bools | None = None) -> Bools:
    """Return the best open papers found in ``steps`` exchanges from a start (default: greedy)."""
    begin = cover(part) if start is None else start
    run.offer(part.problem.answer(part.mask(begin)))
    if steps <= 0 or run.expired():
        return begin
    search = _Sums(part, begin, run) if part.problem.objective.name in LINEAR else None
    moves: _Sums | _Losses = search or _Losses(part, begin, run)
    done = 0
    while done < steps and not run.expired():
        many = min(SLICE, steps - done)
        if moves.step(many, 1 - done / max(1, steps - SLICE)) < many:
            break
        done += many
    best = moves.best
    if not View.of_open(part).fits_int64:
        order = np.concatenate([np.flatnonzero(best), np.flatnonzero(~best)])
        best = insert(part, order)
    return best


class _Moves:
    """What both kernels keep between slices."""

    def __init__(self, part: Open, kept: Bools, run: Run) -> None:
        from fairopt_solvers.desk_rejection.kernels_start import search_start
        from fairopt_solvers.jit import random_state

        view = View.of_open(part)
        small = view.kernel_view()
        m, rows = len(part.paper), len(small.budget)
        if small is not view:  # the start may be too full for the rounded view
            from fairopt_solvers.desk_rejection.kernels import insert_in_order

            order = np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)])
            kept = insert_in_order(order, False, *small.columns)
        self.view = small.both
        self.state = (
            kept.copy(),
            np.zeros(rows, np.int64),
            np.zeros(m, np.int64),
            np.zeros(m, np.int64),
            np.zeros(3 * m, np.int64),
            np.zeros(3, np.int64),
            np.zeros(2 * m + 2, np.int64),
        )
        search_start(*self.view, *self.state)
        self.best = kept.copy()
        self.rng = random_state(int(run.rng.integers(2**63)))


class _Sums(_Moves):
    """Objectives that are sums of weights of kept papers."""

    def __init__(self, part: Open, kept: Bools, run: Run) -> None:
        super().__init__(part, kept, run)
        weight = part.weights(part.problem.linear_form().coef).floats()
        self.weight = weight / (weight.mean() or 1.0)  # of order 1
        self.total = np.full(2, self.weight[self.best].sum())

    def step(self, moves: int, heat: float) -> int:
        from fairopt_solvers.desk_rejection.kernels_search import local_search

        temperature = TEMPERATURE * max(0.0, heat)
        done: int = local_search(
            *self.view, *self.state, self.weight, self.best, self.total,
            temperature, NOISE, NARROW, moves, self.rng,
        )  # fmt: skip
        return done


@dataclass(frozen=True, eq=False)
class _Harm:
    """Levels and potentials of every loss of the touched authors, flattened.

    ``temperature`` and ``noise`` are in units of the potential.
    """

    offset: Ints
    level: Ints
    potential: Floats
    levels: int
    temperature: float
    noise: float


class _Losses(_Moves):
    """Objectives over the losses of all authors."""

    def __init__(self, part: Open, kept: Bools, run: Run) -> None:
        super().__init__(part, kept, run)
        problem = part.problem
        first, end = problem.paper_ptr[part.paper], problem.paper_ptr[part.paper + 1]
        self.pap_ptr = pointers(end - first)
        slots = np.repeat(first - self.pap_ptr[:-1], end - first) + np.arange(self.pap_ptr[-1])
        authors, self.pap_author = np.unique(problem.paper_author[slots], return_inverse=True)
        gone = part.state[problem.paper_of_incidence] == REJECTED
        lost = np.bincount(problem.paper_author[gone], minlength=problem.n_authors)
        harm = _harm(problem, authors)
        open_gone = np.repeat(~self.best, end - first)
        more = np.bincount(self.pap_author[open_gone], minlength=len(authors))
        self.loss = (lost[authors] + more).astype(np.int64)
        self.harm = (
            self.pap_ptr, self.pap_author.astype(np.int64), harm.offset, harm.level,
            harm.potential, self.loss, np.zeros(harm.levels, np.int64), np.array([-1]),
        )  # fmt: skip
        share = part.weights(problem.linear_form("average").coef).floats()
        self.share = share * problem.n_authors
        self.temperature, self.noise = harm.temperature, harm.noise
        self.mean = np.full(2, self.share[~self.best].sum())

    def step(self, moves: int, heat: float) -> int:
        from fairopt_solvers.desk_rejection.kernels_fair import local_search_fair

        temperature = self.temperature * max(0.0, heat)
        done: int = local_search_fair(
            *self.view, *self.state, *self.harm, self.share, self.best, self.mean,
            temperature, self.noise, NARROW, moves, self.rng,
        )  # fmt: skip
        return done


def _harm(problem: DeskRejection, authors: Ints) -> _Harm:
    """Give each possible loss a level (the exact cost's rank) and a potential to follow.

    ``wiped`` has two levels. The potential of a cost is its fourth power, so that large costs
    weigh most, and a little of the cost itself.
    """
    degree = problem.degree[authors]
    offset = pointers(degree + 1)[:-1]
    losses = np.concatenate([np.arange(d + 1) for d in degree.tolist()])
    who = np.repeat(np.arange(len(authors)), degree + 1)
    if problem.objective.name == "wiped":
        level = (losses == degree[who]).astype(np.int64)
        return _Harm(offset, level, losses / degree[who] + 10.0 * level, 2, 1.0, 6.0)
    shift, scale = problem.cost_form()
    above = np.maximum(losses - shift[authors][who], 0)
    pairs = np.stack([above, scale[authors][who]], axis=1)
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    costs = [Fraction(a, b) for a, b in distinct.tolist()]
    rank = {cost: k for k, cost in enumerate(sorted(set(costs)))}
    level = np.array([rank[cost] for cost in costs], np.int64)[place.ravel()]
    value = np.array([float(cost) for cost in costs])[place.ravel()]
    value /= value.max(initial=0.0) or 1.0
    return _Harm(offset, level, 3.0 * value**4 + 0.1 * value, len(rank), 0.1, 1.0)
