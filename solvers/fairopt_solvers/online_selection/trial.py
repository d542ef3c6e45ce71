"""What the online methods share: coins, colours, single runs, and counting over many runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.session import Decision, Policy
from fairopt.solution import Outcome
from fairopt_solvers.online_selection.partition import Stopped

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

STEPS = 2_000_000  # arrivals that a simulation spends unless told how many runs
FEWEST, MOST = 100, 4_000  # runs


P = ParamSpec("P")


def stoppable(function: Callable[P, Outcome[Any]]) -> Callable[P, Outcome[Any]]:
    """Make a method return no answer when the time is up while it prepares."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Outcome[Any]:
        try:
            return function(*args, **kwargs)
        except Stopped:
            return Outcome()

    return wrapped


class Trial(Policy):
    """A policy that can be tried again with fresh coins.

    Subclasses prepare in ``__init__`` what the information model lets them know, and toss all
    coins of a run in ``toss``; ``accept`` decides on arrivals in turn. Randomness inside
    ``accept`` is drawn from the generator that ``toss`` was given.
    """

    n_elements: int

    @abstractmethod
    def toss(self, rng: np.random.Generator) -> None:
        """Forget all arrivals and toss the coins of a new run."""

    @abstractmethod
    def accept(self, elements: Ints) -> Bools:
        """Decide on arrivals in turn; returns whether each is accepted."""

    def arrive(self, element: int) -> Decision:
        return bool(self.accept(np.array([element], np.int64))[0])

    def arrive_all(self, elements: Sequence[int]) -> list[Decision]:
        out: list[Decision] = self.accept(np.asarray(elements, np.int64)).tolist()
        return out

    def counts(
        self, runs: int, rng: np.random.Generator, order: Ints | None, expired: Callable[[], bool]
    ) -> tuple[Ints, int]:
        """Count acceptances over runs, on this order or (None) on a fresh random one each time.

        Returns the counts and the number of runs made, fewer than asked if the time is up.
        """
        out = np.zeros(self.n_elements, np.int64)
        for done in range(runs):
            if expired():
                return out, done
            self.toss(rng)
            arrivals = rng.permutation(self.n_elements) if order is None else order
            try:
                out[arrivals[self.accept(arrivals)]] += 1
            except Stopped:
                return out, done
        return out, runs


def order_of(problem: OnlineSelection) -> Sequence[int]:
    """Return the order of arrival of the instance, an array that kernels take as it is."""
    return cast(Sequence[int], problem.order)


def default_runs(problem: OnlineSelection) -> int:
    """Return how many runs a simulation makes unless told."""
    return max(FEWEST, min(MOST, STEPS // max(1, problem.n_elements)))
