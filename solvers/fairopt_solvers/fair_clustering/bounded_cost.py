"""The method ``bounded-cost``: as fair as a budget allows, by bisection.

Esmaeili, Brubach, Srinivasan, Dickerson, "Fair Clustering Under a Bounded Cost" (NeurIPS 2021):
the least delta (``bounds``) or epsilon (``gap``) for which the fair clustering costs no more than
``max_cost``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.fair_clustering.assign import Assigned, fair_assignment
from fairopt_solvers.fair_clustering.pieces import clustered, value
from fairopt_solvers.fair_clustering.places import Places
from fairopt_solvers.fair_clustering.proven import unfair_cost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_GRID = 10**9  # levels that are tried are fractions of this
_HIGHEST = Fraction(_GRID - 1, _GRID)  # of delta


@dataclass(frozen=True, eq=False)
class _Found:
    """Labels within the budget, the centres, and the level that the labels keep."""

    level: float
    state: NDArray[np.generic]
    labels: Ints


def bounded_cost(
    problem: FairClustering,
    run: Run,
    *,
    starts: int = 10,
    iterations: int = 20,
    steps: int = 25,
) -> Outcome[Clustering]:
    """Find the fairest clustering within the budget, by bisection over delta or epsilon.

    Parameters
    ----------
    starts
        Of the unfair clustering whose centres it starts from.
    iterations
        Rounds of fair assignment and centres at each level.
    steps
        Levels that are tried.

    A heuristic: nothing is proven about levels at which it finds nothing. Points are not split.
    Raises ``UsageError`` unless the condition is ``bounded-cost``, and for ``kcenter``.
    """
    fairness = problem.fairness
    if fairness.type != "bounded-cost":
        raise UsageError("bounded-cost takes instances with the condition 'bounded-cost'")
    if problem.objective.name == "kcenter":
        raise UsageError("bounded-cost takes sums of distances; the objective is 'kcenter'")
    budget = float(fairness.max_cost)
    unfair = clustered(problem, run, starts=starts, offer=False)
    if unfair is None:
        return Outcome()
    if unfair.cost > budget:
        words = f"the best unfair clustering found costs {unfair.cost:.6g}, the budget is less"
        return Outcome(notes=(Note("stuck", words),))
    places = unfair.places
    best = _Found(level_of(problem, unfair.labels), unfair.state, unfair.labels)
    run.offer(unfair.answer(), best.level)
    low, step = 0.0, 0
    while step < steps and low < best.level and not run.expired():
        # Proportional first: where that is cheap enough, nothing is left to do.
        middle = 0.0 if step == 0 else (low + best.level) / 2
        found = _within(problem, places, best.state, middle, budget, run, iterations)
        if found is not None and found.level < best.level:
            best = found
            run.offer(places.answer(best.state, best.labels), best.level)
        else:
            low = middle
            if step > 0 and best.level - low <= 1e-9:
                break
        step += 1
    answer = places.answer(best.state, best.labels)
    return Outcome(answer, claims=unfair_cost(problem, answer))


def _within(
    problem: FairClustering,
    places: Places,
    state: NDArray[np.generic],
    level: float,
    budget: float,
    run: Run,
    iterations: int,
) -> _Found | None:
    """Return fair labels at this level that cost no more than the budget."""
    at = at_level(problem, level)
    warm: Assigned | None = None
    before = np.inf
    for _ in range(max(1, iterations)):
        distances = np.ascontiguousarray(places.distances(state))
        warm = fair_assignment(at, distances, run, warm=warm)
        if warm is None or warm.labels is None or warm.violation:
            return None
        state = places.update(state, warm.labels, None, run)
        cost = value(problem, places.distances(state), warm.labels)
        if cost <= budget:
            return _Found(level_of(problem, warm.labels), state, warm.labels)
        if not cost < before * (1 - 1e-5):
            return None
        before = cost
    return None


def at_level(problem: FairClustering, level: float) -> FairClustering:
    """Return the instance with the condition at this delta or epsilon instead of the budget."""
    exact = min(Fraction(int(level * _GRID), _GRID), _HIGHEST)
    condition = problem.fairness.condition
    name = "delta" if condition == "bounds" else "epsilon"
    return problem.replace(fairness={"type": condition, name: exact})


def level_of(problem: FairClustering, labels: Ints) -> float:
    """Return the least delta or epsilon that the labels keep."""
    worst = 0.0
    for attribute in problem.attributes:
        groups = len(attribute.values)
        mass = np.zeros((groups, int(labels.max()) + 1))
        np.add.at(mass, (attribute.codes, labels), problem.mass)
        mass = mass[:, mass.sum(0) > 0.0]
        size = mass.sum(1, keepdims=True)
        if problem.fairness.condition == "bounds":
            ratio = mass / mass.sum(0) / (size / size.sum())
            least = np.minimum(ratio, 1.0 / np.maximum(ratio, 1e-300))
            worst = max(worst, 1.0 - float(least.min()))
        else:
            part = mass / size
            apart = np.abs(part[:, None, :] - part[None, :, :]).sum(2)
            worst = max(worst, float(apart.max()) / 2)
    return worst
