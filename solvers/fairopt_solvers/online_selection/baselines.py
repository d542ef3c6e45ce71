"""Simple rules to compare with: greedy ones, and one that activates elements at random."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import Decision, play
from fairopt.solution import Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.simulate import outcome_of
from fairopt_solvers.online_selection.trial import (
    Bools,
    Ints,
    Trial,
    order_of,
    stoppable,
)

Answer = Literal["estimate", "run"]


class Rule(Trial):
    """A rule known by its runs: ``coins`` is what the court needs to replay one."""

    rule: str

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        """Return the coins of this run, which accepted these elements, JSON-ready."""
        return {"rule": self.rule}

    def finish(self, order: Sequence[int], decisions: Sequence[Decision]) -> Outcome[Selection]:
        accepted = [e for e, d in zip(order, decisions, strict=True) if d]
        return Outcome(Selection.single(accepted, order, self.coins(accepted)))


# -- greedy --------------------------------------------------------------------------------


class Greedy(Rule):
    """Accept whatever keeps the accepted set independent."""

    rule = "greedy"

    def __init__(self, problem: OnlineSelection, run: Run) -> None:
        self.n_elements = problem.n_elements
        self.levels = placer(problem.matroid, 1)

    def toss(self, rng: np.random.Generator) -> None:
        self.levels.clear()

    def accept(self, elements: Ints) -> Bools:
        out: Bools = self.levels.extend(elements) == 1
        return out


class RandomOrder(Greedy):
    """Greedy; for sessions, whose arrivals come in random order."""

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        runs: int | None = None,
        answer: Answer = "estimate",
    ) -> None:
        super().__init__(problem, run)


def greedy(problem: OnlineSelection, run: Run) -> Outcome[Selection]:
    """Accept, in order of arrival, whatever keeps the accepted set independent.

    One run without coins: whoever comes late may have no chance at all.
    """
    return play(Greedy(problem, run), order_of(problem), run)


def random_order(
    problem: OnlineSelection, run: Run, *, runs: int | None = None, answer: Answer = "estimate"
) -> Outcome[Selection]:
    """Accept greedily in uniformly random order.

    Parameters
    ----------
    runs
        How many runs are counted.
    answer
        ``estimate``: counts over random orders; ``run``: one run on the order that the seed gives.
    """
    policy = RandomOrder(problem, run)
    return outcome_of(policy, problem, run, answer=answer, runs=runs, random=True)


# -- vertices in random order --------------------------------------------------------------


class RandomVertexOrder(Rule):
    """Rank the vertices at random; accept the first edge that comes for each later end.

    A vertex draws its place in [0, 1) when its first edge arrives.
    """

    rule = "vertex-order"

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        runs: int | None = None,
        answer: Answer = "estimate",
    ) -> None:
        if not isinstance(problem.matroid, Graphic):
            raise UsageError("random-vertex-order is for graphic matroids")
        self.n_elements = problem.n_elements
        self.tail, self.head = problem.matroid.tail, problem.matroid.head
        self.n_vertices = problem.matroid.n_vertices
        self.names = problem.matroid.vertices
        self.toss(run.rng)

    def toss(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.place = np.full(self.n_vertices, -1.0)
        self.taken = np.zeros(self.n_vertices, np.bool_)

    def accept(self, elements: Ints) -> Bools:
        u, v = self.tail[elements], self.head[elements]
        self._rank(np.stack([u, v], axis=1).reshape(-1))
        end = np.where(self.place[u] > self.place[v], u, v)
        out = np.zeros(len(elements), np.bool_)
        real = np.flatnonzero(u != v)
        first = real[np.unique(end[real], return_index=True)[1]]
        first = first[~self.taken[end[first]]]
        out[first] = True
        self.taken[end[first]] = True
        return out

    def _rank(self, vertices: Ints) -> None:
        """Draw the places of those that have none, in order of appearance."""
        fresh = vertices[self.place[vertices] < 0]
        fresh = fresh[np.sort(np.unique(fresh, return_index=True)[1])]
        self.place[fresh] = self.rng.random(len(fresh))

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        return {"rule": self.rule, "vertices": [self.names[v] for v in np.argsort(self.place)]}


def random_vertex_order(
    problem: OnlineSelection, run: Run, *, runs: int | None = None, answer: Answer = "estimate"
) -> Outcome[Selection]:
    """Accept the first edge for each later end in a random ranking of the vertices.

    The accepted edges are a forest whatever the ranking. An edge whose later end has w other
    neighbours by edges that came before is accepted there with probability 1/((w+1)(w+2)).
    Options as for random-order; orders are random only if the instance says so.
    """
    policy = RandomVertexOrder(problem, run)
    random = problem.arrival.model == "random"
    return outcome_of(policy, problem, run, answer=answer, runs=runs, random=random)


# -- online contention resolution ----------------------------------------------------------


class Ocrs(Rule):
    """Activate every element with probability b/gamma; accept active ones greedily."""

    rule = "active"

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        b: Fraction = Fraction(1, 2),
        runs: int | None = None,
        answer: Answer = "estimate",
    ) -> None:
        if not 0 < b <= 1:
            raise UsageError("b must lie in (0, 1]")
        self.n_elements = problem.n_elements
        known = knowledge.parameters(problem, run, rank=False)
        self.chance = b / max(Fraction(1), known.gamma)
        self.levels = placer(problem.matroid, 1)
        self.toss(run.rng)

    def toss(self, rng: np.random.Generator) -> None:
        self.levels.clear()
        self.active = rng.random(self.n_elements) < float(self.chance)

    def accept(self, elements: Ints) -> Bools:
        out = self.active[elements]
        out[out] = self.levels.extend(elements[out]) == 1
        return out

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        return {"rule": self.rule, "set": np.flatnonzero(self.active).tolist()}

    def state(self) -> dict[str, Any]:
        return {"chance": self.chance}


@stoppable
def ocrs(
    problem: OnlineSelection,
    run: Run,
    *,
    b: Fraction = Fraction(1, 2),
    runs: int | None = None,
    answer: Answer = "estimate",
) -> Outcome[Selection]:
    """Activate elements independently with probability b/gamma, then accept greedily.

    This is the greedy scheme, not the optimal one. In a uniform or partition matroid an element
    finds its block full with probability at most b (Markov), so it is accepted with probability
    at least ``b (1 - b)/gamma``; for other matroids nothing is proven for this scheme, and indeed
    an edge between two vertices with many common neighbours may have hardly a chance.

    Parameters
    ----------
    b
        Scale of the activation.
    runs, answer
        As for random-order; orders are random only if the instance says so.
    """
    policy = Ocrs(problem, run, b=b)
    random = problem.arrival.model == "random"
    return outcome_of(policy, problem, run, answer=answer, runs=runs, random=random)
