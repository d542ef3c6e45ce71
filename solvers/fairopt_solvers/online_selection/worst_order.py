"""The order of arrival on which first fit needs most colours: all orders, or hill climbing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.trial import Ints

ALL = 8  # elements up to which every order is tried
STEPS = 2_000  # orders tried beyond, by default
STALE = 200  # steps without progress after which the search starts again

Score = tuple[int, int]  # colours, sum of the colours of all elements


def worst_order(problem: OnlineSelection, *, steps: int = STEPS, seed: int = 0) -> dict[str, Any]:
    """Search an order of arrival on which first fit uses many colours.

    Parameters
    ----------
    problem
        A matroid or matchoid.
    steps
        Orders tried where there are more than 8 elements.
    seed
        Fixes the search. It starts from the order of the instance and, when it is stuck, from
        random orders; a step swaps two elements or moves one.

    Returns
    -------
    dict
        JSON-ready: ``order``, ``colors``, ``tried``, ``exhaustive`` (then no order is worse).
    """
    if steps < 1:
        raise UsageError("steps must be at least 1")
    n = problem.n_elements
    search = _Search(problem)
    if n <= ALL:
        for order in permutations(range(n)):
            search.try_order(np.array(order, np.int64))
    else:
        rng = np.random.default_rng(np.random.SeedSequence(seed))
        for _ in _climb(search, problem.order.copy(), rng):
            if search.tried >= steps:
                break
    return {
        "order": search.best_order.tolist(),
        "colors": search.best[0],
        "tried": search.tried,
        "exhaustive": n <= ALL,
    }


class _Search:
    """Counts colours and remembers the worst order; a longer sum of colours breaks ties."""

    def __init__(self, problem: OnlineSelection) -> None:
        self.levels = placer(problem.matroid, None)
        self.best: Score = (-1, -1)
        self.best_order: Ints = problem.order
        self.tried = 0

    def try_order(self, order: Ints) -> Score:
        """Return the score of an order."""
        self.tried += 1
        self.levels.clear()
        colour = self.levels.extend(order)
        score = int(colour.max(initial=0)), int(colour.sum())
        if score > self.best:
            self.best, self.best_order = score, order.copy()
        return score


def _climb(search: _Search, start: Ints, rng: np.random.Generator) -> Iterator[None]:
    """Climb for ever, one order a step; sideways steps are taken."""
    order, score, stale = start, search.try_order(start), 0
    while True:
        yield
        if stale > STALE:
            order, stale = rng.permutation(len(order)), 0
            score = search.try_order(order)
            continue
        near = _neighbour(order, rng)
        found = search.try_order(near)
        stale = 0 if found > score else stale + 1
        if found >= score:
            order, score = near, found


def _neighbour(order: Ints, rng: np.random.Generator) -> Ints:
    """Return the order with two elements swapped, or with one moved elsewhere."""
    i, j = rng.integers(0, len(order), 2).tolist()
    if rng.random() < 0.5:
        near = order.copy()
        near[i], near[j] = order[j], order[i]
        return near
    rest = np.delete(order, i)
    return np.insert(rest, j, order[i])
