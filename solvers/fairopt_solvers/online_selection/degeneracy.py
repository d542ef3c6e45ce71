"""Algorithm 3 of Banihashem, Hajiaghayi and Mittal (NeurIPS 2025): graphs, random order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.rational import text
from fairopt.run import Run
from fairopt.session import Decision
from fairopt.solution import Note, Outcome
from fairopt_solvers.online_selection import knowledge, peeling
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.simulate import outcome_of
from fairopt_solvers.online_selection.trial import Bools, Ints, Trial, default_runs

Answer = Literal["estimate", "run"]
Tune = Literal["paper", "grid"]
Estimator = Literal["counts", "shares"]

SAMPLED = 2  # positions in the pair of sample sizes, then what is decided on
TUNING_RUNS = 2_000  # samples for each q of the grid
TENTHS = range(2, 9)  # the grid of q
CHUNK_STEPS = 5_000_000  # edges between two looks at the clock


class Degeneracy(Trial):
    """Learn an order of the vertices from two samples; then at most one edge a later end.

    The first arrivals form two samples, of which nothing is accepted. Peeling the directed sample
    graph orders the vertices such that few edges share a later end. Of the other edges the first
    one at each later end is accepted, so that what is accepted is a forest.
    """

    rule = "degeneracy"

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        degeneracy: int | None = None,
        q: Fraction | None = None,
        tune: Tune = "paper",
        estimator: Estimator = "counts",
        runs: int | None = None,
        answer: Answer = "estimate",
    ) -> None:
        if not isinstance(problem.matroid, Graphic):
            raise UsageError("degeneracy is for graphic matroids")
        matroid = problem.matroid
        self.problem, self.n_elements = problem, problem.n_elements
        self.real = np.flatnonzero(matroid.tail != matroid.head)
        self.graph = peeling.Graph.of(
            matroid.n_vertices, matroid.tail[self.real], matroid.head[self.real]
        )
        self.place = np.full(self.n_elements, -1, np.int64)
        self.place[self.real] = np.arange(len(self.real))
        self.d, self.forest = self._degeneracy(degeneracy)
        if q is not None and not 0 < q < 1:
            raise UsageError("q must lie strictly between 0 and 1")
        self.tuned = q is None and tune == "grid"
        self.q = peeling.default_share(self.d) if q is None else q
        if self.tuned:
            self.q = self._best_q(run)
        self.toss(run.rng)

    def _degeneracy(self, given: int | None) -> tuple[int, bool]:
        """Return d and whether the graph is (believed to be) a forest."""
        if given is not None:
            if given < 1:
                raise UsageError("degeneracy must be at least 1")
            return given, False
        alpha = self.problem.information.alpha
        if alpha is not None:
            return max(1, 2 * alpha - 1), alpha == 1
        found = peeling.degeneracy(self.graph)
        return max(1, found), found <= 1

    def _best_q(self, run: Run) -> Fraction:
        """Return the q of the grid whose estimated least probability is largest."""
        from fairopt_solvers.jit import random_state

        rng = run.child("tune").rng
        runs = max(100, min(TUNING_RUNS, CHUNK_STEPS // max(1, len(self.real))))
        best = (-1.0, self.q)
        for tenths in TENTHS:
            if run.expired() or not len(self.real):
                break
            q = Fraction(tenths, 10)
            state = random_state(int(rng.integers(2**63)))
            least = float(peeling.shares(self.graph, self.d, q, runs, state)[0].min()) / runs
            best = max(best, (least, q), key=lambda pair: pair[0])
        return best[1]

    # -- one run ----------------------------------------------------------------------------

    def toss(self, rng: np.random.Generator) -> None:
        half = float(1 - self.q) / 2
        sizes = rng.multinomial(self.n_elements, [half, half, 1 - 2 * half])
        self.samples = int(sizes[0]), int(sizes[1])
        self.arrived = 0
        self.part = np.full(len(self.real), SAMPLED, np.int8)
        self.end: Ints | None = None
        self.taken = np.zeros(self.graph.n_vertices, np.bool_)
        self.levels = placer(self.problem.matroid, 1) if self.forest else None

    def accept(self, elements: Ints) -> Bools:
        if self.levels is not None:
            out: Bools = self.levels.extend(elements) == 1
            return out
        return np.array([self._decide(e) for e in elements.tolist()], np.bool_)

    def _decide(self, element: int) -> bool:
        when, edge = self.arrived, int(self.place[element])
        self.arrived += 1
        first, second = self.samples
        if when < first + second:
            if edge >= 0:
                self.part[edge] = 0 if when < first else 1
            return False
        if edge < 0:
            return False
        if self.end is None:
            self.end = self._later_ends()
        vertex = self.end[edge]
        free = not self.taken[vertex]
        self.taken[vertex] = True
        return bool(free)

    def _later_ends(self) -> Ints:
        from fairopt_solvers.online_selection.kernels_degeneracy import later_ends

        n = self.graph.n_vertices
        end = np.zeros(len(self.real), np.int64)
        out, work = np.zeros(n, np.int64), np.zeros(2 * n, np.int64)
        later_ends(*self.graph.arrays, self.part, self.d, out, work, end)
        return end

    # -- many runs --------------------------------------------------------------------------

    def counts(
        self, runs: int, rng: np.random.Generator, order: Ints | None, expired: Callable[[], bool]
    ) -> tuple[Ints, int]:
        if order is not None or self.forest:
            return super().counts(runs, rng, order, expired)
        from fairopt_solvers.jit import random_state

        out = np.zeros(self.n_elements, np.int64)
        chunk = max(1, CHUNK_STEPS // max(1, self.n_elements))
        state = random_state(int(rng.integers(2**63)))
        for begin in range(0, runs, chunk):
            if expired():
                return out, begin
            now = min(chunk, runs - begin)
            out[self.real] += peeling.counts(self.graph, self.d, self.q, now, state)
        return out, runs

    def sums(self, runs: int, run: Run) -> Outcome[Selection]:
        """Return the estimate by conditional chances; fewer runs if the time is up."""
        from fairopt_solvers.jit import random_state

        total, squares = np.zeros((2, self.n_elements))
        chunk = max(1, CHUNK_STEPS // max(1, self.n_elements))
        state = random_state(int(run.child("simulation").rng.integers(2**63)))
        done = 0
        while done < runs and not run.expired():
            now = min(chunk, runs - done)
            more = peeling.shares(self.graph, self.d, self.q, now, state)
            total[self.real] += more[0]
            squares[self.real] += more[1]
            done += now
        if not done:
            return Outcome()
        counts = np.zeros(self.n_elements, np.int64)
        rule = self.described()
        return Outcome(Selection.estimated(counts, done, sums=total, squares=squares, rule=rule))

    def described(self) -> dict[str, Any]:
        """Return the rule as the court reads it, to compute exact probabilities."""
        return {"name": self.rule, "degeneracy": self.d, "q": text(self.q)}

    def state(self) -> dict[str, Any]:
        first, second = self.samples
        return {"samples": [first, second], "degeneracy": self.d, "q": text(self.q)}

    def finish(self, order: Sequence[int], decisions: Sequence[Decision]) -> Outcome[Selection]:
        accepted = [e for e, d in zip(order, decisions, strict=True) if d]
        first, second = self.samples
        coins: dict[str, Any] = {"rule": "greedy"}
        if not self.forest:
            coins = {
                "rule": self.rule, "first": first, "second": second, "degeneracy": self.d
            }  # fmt: skip
        claims = (
            () if self.forest else knowledge.guarantee_of_degeneracy(self.problem, self.d, self.q)
        )
        return Outcome(Selection.single(accepted, order, coins), claims=claims)


def degeneracy(
    problem: OnlineSelection,
    run: Run,
    *,
    degeneracy: int | None = None,
    q: Fraction | None = None,
    tune: Tune = "paper",
    estimator: Estimator = "counts",
    runs: int | None = None,
    answer: Answer = "estimate",
) -> Outcome[Selection]:
    """Accept edges that arrive in random order, for graphs that are d-degenerate (Theorem 15).

    The answer counts acceptances over runs; for at most 12 edges the court adds the exact
    probabilities. What is guaranteed is the bound of Lemma 15 for this d and q, which is far below
    what is attained on small graphs. A forest is accepted whole.

    Parameters
    ----------
    degeneracy
        d; by default ``2 alpha - 1`` if the instance gives alpha, else the degeneracy computed.
    q
        Share of the edges that is decided on; by default about ``d^(-1/4)/3``.
    tune
        ``grid`` takes, among 0.2, 0.3, …, 0.8, the q with the largest estimated least probability
        on this very graph (which a method that does not know the graph could not do).
    estimator
        ``counts`` of acceptances, or ``shares``: the sum, over samples, of the chance to be
        accepted given the sample, which varies less.
    runs
        How many runs are counted.
    answer
        ``estimate``: counts over random orders; ``run``: one run.
    """
    policy = Degeneracy(
        problem, run, degeneracy=degeneracy, q=q, tune=tune, runs=runs, answer=answer
    )
    notes: tuple[Note, ...] = ()
    if policy.tuned:
        notes = (Note("tuned", f"q = {text(policy.q)} was chosen by simulation on this graph"),)
    if policy.forest and answer == "estimate" and problem.information.alpha is None:
        real = np.zeros(problem.n_elements, np.int64)
        real[policy.real] = 1
        return Outcome(Selection.colors(real, [Fraction(1)]), notes=notes)
    claims = () if policy.forest else knowledge.guarantee_of_degeneracy(problem, policy.d, policy.q)
    if answer == "estimate" and estimator == "shares" and not policy.forest:
        found = policy.sums(default_runs(problem) if runs is None else max(1, runs), run)
        return replace(found, claims=claims, notes=notes)
    return outcome_of(
        policy, problem, run, answer=answer, runs=runs, random=True, claims=claims, notes=notes,
        rule=None if policy.forest else policy.described(),
    )  # fmt: skip
