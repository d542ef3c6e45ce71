"""Random order, arboricity unknown: learn it from half of the elements (Theorem 12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.baselines import Answer, Rule
from fairopt_solvers.online_selection.levels import paper_colours, tight_colours
from fairopt_solvers.online_selection.oracles import Oracle
from fairopt_solvers.online_selection.partition import arboricity
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.simulate import outcome_of
from fairopt_solvers.online_selection.trial import Bools, Ints, stoppable

HowMany = Literal["tight", "paper"]

STEPS = 100_000  # elements whose arboricity is computed in a simulation unless told how many runs
FEWEST, MOST = 100, 1_000  # runs
REMEMBERED = 4_096  # samples whose arboricity is kept: of few elements there are few


class SampleHalf(Rule):
    """Watch a Binomial(n, 1/2) number of arrivals, then run first fit for what they show.

    With alpha' the arboricity of the sample, first fit for arboricity ``2 alpha' + 1`` serves the
    rest; the rank is known or computed.
    """

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        m: HowMany = "tight",
        runs: int | None = None,
        answer: Answer = "estimate",
    ) -> None:
        if not problem.is_matroid:
            raise UsageError("sample-half is for matroids")
        self.matroid, self.n_elements = problem.matroid, problem.n_elements
        self.loops = set(problem.loops)
        self.known = knowledge.parameters(problem, run, density=False)
        self.count = tight_colours if m == "tight" else paper_colours
        self.expired = run.expired
        self.levels = placer(problem.matroid, None)  # colours do not depend on how many there are
        self._arboricity: dict[tuple[int, ...], int] = {}
        self.toss(run.rng)

    def toss(self, rng: np.random.Generator) -> None:
        self.size = int(rng.binomial(self.n_elements, 0.5))
        self.coin = float(rng.random())
        self.sample: list[int] = []
        self.levels.clear()
        self.arrived = self.m = self.drawn = 0

    def accept(self, elements: Ints) -> Bools:
        watched = min(len(elements), max(0, self.size - self.arrived))
        self.sample += elements[:watched].tolist()
        self.arrived += len(elements)
        out = np.zeros(len(elements), np.bool_)
        if watched < len(elements):
            if not self.m:
                self._learn()
            out[watched:] = self.levels.extend(elements[watched:]) == self.drawn
        return out

    def _learn(self) -> None:
        """Compute the arboricity of the sample and draw a colour; time: one partition."""
        inside = tuple(sorted(e for e in self.sample if e not in self.loops))
        alpha = self._arboricity.get(inside)
        if alpha is None:
            part = self.matroid.take(inside)
            alpha, _ = arboricity(Oracle.of(part), expired=self.expired)
            if len(self._arboricity) < REMEMBERED:
                self._arboricity[inside] = alpha
        self.m = self.count(2 * alpha + 1, self.known.rank)
        self.drawn = 1 + int(self.coin * self.m)

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        """Return the sample size and the colour, and the set that they give."""
        own = {"sample": self.size, "colors": self.m, "color": self.drawn}
        return {"rule": "set", "set": sorted(map(int, accepted)), **own}

    def state(self) -> dict[str, Any]:
        return {"sample": self.size, "colors": self.m, "color": self.drawn}


@stoppable
def sample_half(
    problem: OnlineSelection,
    run: Run,
    *,
    m: HowMany = "tight",
    runs: int | None = None,
    answer: Answer = "estimate",
) -> Outcome[Selection]:
    """Learn the arboricity from half of the elements, then accept a first-fit colour (Theorem 12).

    If first fit for arboricity l is f(l)-fair, this is ``4 f(2 alpha + 1)``-fair in random order,
    without knowing alpha.

    Parameters
    ----------
    m
        Number of colours for an arboricity: ``tight`` or ``paper``, as for first-fit.
    runs
        How many runs are counted.
    answer
        ``estimate``: counts over random orders; ``run``: one run on the order that the seed gives.
    """
    policy = SampleHalf(problem, run, m=m)
    many = max(FEWEST, min(MOST, STEPS // max(1, problem.n_elements)))
    return outcome_of(
        policy, problem, run, answer=answer, runs=many if runs is None else runs, random=True
    )
