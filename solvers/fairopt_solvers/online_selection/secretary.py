"""Classical secretary rules: good at catching weight, poor at being fair. They need weights."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import insort
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.baselines import Answer, Rule
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.simulate import outcome_of
from fairopt_solvers.online_selection.trial import Bools, Ints, stoppable


class WeightRule(Rule):
    """A rule that watches some arrivals and then compares weights with what it saw.

    Attributes
    ----------
    weight
        Numerators of the weights over a common denominator.
    sample
        How many arrivals are only watched.
    """

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        runs: int | None = None,
        answer: Answer = "estimate",
    ) -> None:
        if problem.weights is None:
            raise UsageError("secretary rules need weights")
        self.n_elements = problem.n_elements
        self.weight: list[int] = problem.weights.num.tolist()
        self.levels = placer(problem.matroid, 1)
        self.sample = int(self.n_elements / math.e)
        self.prepare(problem, run)
        self.toss(run.rng)

    def prepare(self, problem: OnlineSelection, run: Run) -> None:
        """Set what is fixed for all runs."""

    def toss(self, rng: np.random.Generator) -> None:
        self.levels.clear()
        self.arrived = 0
        self.eligible: list[int] = []  # those heavy enough, whether or not they fit

    def accept(self, elements: Ints) -> Bools:
        out = np.zeros(len(elements), np.bool_)
        for k, e in enumerate(elements.tolist()):
            if self.heavy(e, self.arrived):
                self.eligible.append(e)
                out[k] = self.levels.extend(elements[k : k + 1])[0] == 1
            self.arrived += 1
        return out

    @abstractmethod
    def heavy(self, element: int, when: int) -> bool:
        """Return whether an arrival is heavy enough to be accepted if it fits."""

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        return {"rule": "active", "set": sorted(self.eligible), "sample": self.sample}


class Secretary(WeightRule):
    """Watch n/e arrivals, then accept the first one heavier than all of them."""

    def toss(self, rng: np.random.Generator) -> None:
        super().toss(rng)
        self.best, self.done = -1, False

    def accept(self, elements: Ints) -> Bools:
        out = np.zeros(len(elements), np.bool_)
        for k in range(len(elements)):
            if not self.done:
                out[k : k + 1] = super().accept(elements[k : k + 1])
                self.done = bool(out[k])
        return out

    def heavy(self, element: int, when: int) -> bool:
        weight = self.weight[element]
        if when < self.sample:
            self.best = max(self.best, weight)
            return False
        return weight > self.best

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        return {"rule": "secretary", "sample": self.sample}


class KSecretary(WeightRule):
    """Keep the k heaviest so far; accept who displaces one that was only watched."""

    def prepare(self, problem: OnlineSelection, run: Run) -> None:
        self.k = knowledge.parameters(problem, run, density=False).rank

    def toss(self, rng: np.random.Generator) -> None:
        super().toss(rng)
        self.top: list[tuple[int, int, bool]] = []  # (-weight, element, only watched), sorted

    def heavy(self, element: int, when: int) -> bool:
        watched = when < self.sample
        entry = (-self.weight[element], element, watched)
        full = len(self.top) >= self.k
        if self.k == 0 or (full and entry > self.top[-1]):
            return False
        free = self.top.pop()[2] if full else True
        insort(self.top, entry)
        return free and not watched


class SampleAndPrice(WeightRule):
    """Watch half of the elements; then accept greedily from a random power-of-two price on."""

    def prepare(self, problem: OnlineSelection, run: Run) -> None:
        k = knowledge.parameters(problem, run, density=False).rank
        self.steps = math.ceil(math.log2(k)) if k else 0

    def toss(self, rng: np.random.Generator) -> None:
        super().toss(rng)
        self.sample = int(rng.binomial(self.n_elements, 0.5))
        self.halvings = int(rng.integers(0, self.steps + 1))
        self.heaviest = 0

    def heavy(self, element: int, when: int) -> bool:
        weight = self.weight[element]
        if when < self.sample:
            self.heaviest = max(self.heaviest, weight)
            return False
        return (weight << self.halvings) >= self.heaviest

    def coins(self, accepted: Sequence[int]) -> dict[str, Any]:
        return {**super().coins(accepted), "halvings": self.halvings}


def secretary(
    problem: OnlineSelection, run: Run, *, runs: int | None = None, answer: Answer = "estimate"
) -> Outcome[Selection]:
    """Watch n/e random arrivals, then accept the first one heavier than all of them.

    Catches the heaviest element with probability about 1/e and accepts nothing else.

    Parameters
    ----------
    runs
        How many runs are counted.
    answer
        ``estimate``: counts over random orders; ``run``: one run on the order that the seed gives.
    """
    policy = Secretary(problem, run)
    return outcome_of(policy, problem, run, answer=answer, runs=runs, random=True)


@stoppable
def k_secretary(
    problem: OnlineSelection, run: Run, *, runs: int | None = None, answer: Answer = "estimate"
) -> Outcome[Selection]:
    """Accept who enters the k heaviest so far in the place of one that was only watched.

    The virtual algorithm with k the rank; beyond uniform matroids an element that fits no more is
    passed over, and nothing is proven. Options as for secretary.
    """
    policy = KSecretary(problem, run)
    return outcome_of(policy, problem, run, answer=answer, runs=runs, random=True)


@stoppable
def sample_and_price(
    problem: OnlineSelection, run: Run, *, runs: int | None = None, answer: Answer = "estimate"
) -> Outcome[Selection]:
    """Watch half of the arrivals; then accept greedily what is heavy enough.

    The price is the largest weight watched over ``2^j``, j uniform in ``0..ceil(log2 k)``; the
    weight caught is within O(log k) of the best in expectation. Options as for secretary.
    """
    policy = SampleAndPrice(problem, run)
    return outcome_of(policy, problem, run, answer=answer, runs=runs, random=True)
