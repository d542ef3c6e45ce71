"""The method ``fair-lloyd``: the largest mean cost of a group as small as possible.

Ghadiri, Samadi, Vempala, "Socially Fair k-Means Clustering" (FAccT 2021). Nearest centres and best
centres in turn. For given clusters the best centres are means with weights on the groups that
make the costs of the expensive groups equal; the weights maximise a concave function, and are
found by exchanges between two groups at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.fair_clustering.common import distances_to
from fairopt_solvers.fair_clustering.kernels_social import transfer
from fairopt_solvers.fair_clustering.pieces import Given, put
from fairopt_solvers.fair_clustering.places import Free
from fairopt_solvers.fair_clustering.proven import unfair_cost
from fairopt_solvers.fair_clustering.sites import among, site_costs, site_count
from fairopt_solvers.fair_clustering.start import unfair_sites

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_ENTRIES = 20_000_000  # of the matrix of distances to sites
_EXCHANGES = (10, 300)  # between two groups, while clusters change and in the end
_EQUAL = 1e-12  # relative difference of costs that are equal


def fair_lloyd(
    problem: FairClustering,
    run: Run,
    *,
    starts: int = 10,
    iterations: int = 200,
    tolerance: float = 1e-9,
) -> Outcome[Clustering]:
    """Make the largest mean cost of a group small; every point goes to its nearest centre.

    Parameters
    ----------
    starts
        Independent starts; the best result counts.
    iterations, tolerance
        A start ends after so many rounds, or when one gains less than this (relative).

    Free centres of ``kmeans``: local optima. Fixed centres: optimal for every group. Elsewhere
    centres are sites (points), and no exchange of a single one is better; a sample of sites where
    they are very many. Raises ``UsageError`` for ``kcenter``.
    """
    if problem.objective.name == "kcenter":
        raise UsageError("fair-lloyd takes mean costs; the objective is 'kcenter'")
    groups = memberships(problem)
    if problem.mode == "fixed":
        labels = put(problem, Given(problem).d, None)
        return Outcome(None if labels is None else among(problem, np.arange(problem.k), labels))
    if problem.mode == "free" and problem.objective.name == "kmeans":
        found = _alternate(problem, groups, run, starts, iterations, tolerance)
    else:
        found = _exchange(problem, groups, run)
    return Outcome() if found is None else Outcome(found, claims=unfair_cost(problem, found))


def memberships(problem: FairClustering) -> Floats:
    """Return (G, n): the weight of each point in each group, relative to the group's; all groups
    of all attributes, or everybody."""
    blocks = [np.ones((1, problem.n))] if not problem.attributes else []
    for attribute in problem.attributes:
        values = np.arange(len(attribute.values))
        blocks.append((attribute.codes[None, :] == values[:, None]).astype(np.float64))
    out = np.concatenate(blocks) * problem.mass
    return np.ascontiguousarray(out / out.sum(1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Parts:
    """Group-cluster masses (G, k) and sums (G, k, d), and the costs (G,) at the own means."""

    mass: Floats
    sums: Floats
    least: Floats

    @classmethod
    def of(cls, x: Floats, groups: Floats, labels: Ints, k: int) -> Parts:
        """Return the parts of clusters; ``groups`` (G, n) with rows that add up to 1."""
        mass = np.stack([np.bincount(labels, row, k) for row in groups]).astype(np.float64)
        sums = np.stack(
            [
                np.stack([np.bincount(labels, row * column, k) for column in x.T], axis=1)
                for row in groups
            ]
        ).astype(np.float64)
        means = sums / np.where(mass > 0.0, mass, 1.0)[:, :, None]
        near = ((x[None, :, :] - means[:, labels, :]) ** 2).sum(2)
        return cls(mass, sums, (groups * near).sum(1))

    def centers(self, weights: Floats, old: Floats) -> Floats:
        """Return the best centres (..., k, d) for weights (..., G) of the groups; old ones where
        empty."""
        mass = weights @ self.mass
        plain = self.mass.sum(0)
        sums = np.tensordot(weights, self.sums, 1)
        only = (mass <= 0.0) & (plain > 0.0)  # clusters of groups without weight
        mass = np.where(only, plain, mass)
        sums = np.where(only[..., None], self.sums.sum(0), sums)
        used = mass > 0.0
        return np.where(used[..., None], sums / np.where(used, mass, 1.0)[..., None], old)

    def costs(self, centers: Floats) -> Floats:
        """Return the mean costs (..., G) of the groups at centres (..., k, d)."""
        means = self.sums / np.where(self.mass > 0.0, self.mass, 1.0)[:, :, None]
        apart = ((means - centers[..., None, :, :]) ** 2).sum(-1)
        return np.asarray(self.least + (self.mass * apart).sum(-1), np.float64)


def balanced_centers(
    parts: Parts, old: Floats, weights: Floats, exchanges: int
) -> tuple[Floats, Floats]:
    """Return (centres, weights of the groups) with the least largest cost of a group.

    The weights maximise ``sum_g weight_g cost_g(centers(weight))``, which is concave; by exchange
    between the dearest group and the cheapest that has weight, until these are equal.
    """
    best, least = old, float(parts.costs(old).max())
    for _ in range(exchanges):
        here = parts.centers(weights, old)
        costs = parts.costs(here)
        if costs.max() < least:
            best, least = here, float(costs.max())
        high = int(costs.argmax())
        low = int(np.where(weights > 0.0, costs, np.inf).argmin())
        if costs[high] - costs[low] <= _EQUAL * costs[high]:
            break
        weights = _transfer(parts, old, weights, low, high)
    return best, weights


def _transfer(parts: Parts, old: Floats, weights: Floats, low: int, high: int) -> Floats:
    """Return weights moved from one group to another until both cost the same."""
    step = transfer(parts.mass, parts.sums, parts.least, old, weights, low, high)
    moved = weights.copy()
    moved[high] += step
    moved[low] = max(0.0, moved[low] - step)
    return moved


def _alternate(
    problem: FairClustering,
    groups: Floats,
    run: Run,
    starts: int,
    iterations: int,
    tolerance: float,
) -> Clustering | None:
    places = Free(problem)
    best: tuple[float, Floats, Ints] | None = None
    for number in range(max(1, starts)):
        if best is not None and run.expired():
            break
        child = run.child(f"start-{number}")
        centers = places.start(child, number)
        weights = np.full(len(groups), 1.0 / len(groups))
        before, exchanges = np.inf, _EXCHANGES[0]
        for _ in range(max(1, iterations)):
            labels = put(problem, distances_to(places.x, centers, "sqeuclidean"), None)
            if labels is None:
                return None
            parts = Parts.of(places.x, groups, labels, problem.k)
            centers, weights = balanced_centers(parts, centers, weights, exchanges)
            worst = float(parts.costs(centers).max())
            if best is None or worst < best[0]:
                best = worst, centers, labels
                run.offer(places.answer(centers, labels), worst)
            settled = not worst < before * (1 - tolerance)
            if (settled and exchanges == _EXCHANGES[1]) or run.expired():
                break
            exchanges = _EXCHANGES[1] if settled else _EXCHANGES[0]
            before = worst
    if best is None:
        return None
    nearest = put(problem, distances_to(places.x, best[1], "sqeuclidean"), None)
    return places.answer(best[1], best[2] if nearest is None else nearest)


def _exchange(problem: FairClustering, groups: Floats, run: Run) -> Clustering | None:
    """Return the answer of sites such that no other site instead of one of them is better."""
    count = site_count(problem)
    most = max(problem.k, MOST_ENTRIES // max(1, problem.n))
    sites = np.arange(count)
    state = unfair_sites(problem, run)
    if count > most:
        drawn = run.child("sites").rng.choice(count, most, replace=False)
        sites = np.union1d(drawn, state)
    d = np.ascontiguousarray(site_costs(problem, sites))
    state = np.searchsorted(sites, state)

    def answer() -> Clustering | None:
        labels = put(problem, d[:, state], None)
        return None if labels is None else among(problem, sites[state], labels)

    found, worst, idle, c = answer(), float((groups @ d[:, state].min(1)).max()), 0, 0
    while found is not None and idle < len(state) and not run.expired():
        others = np.delete(state, c)
        near = d[:, others].min(1) if len(others) else np.full(len(d), np.inf)
        costs = (groups @ np.minimum(near[:, None], d)).max(0)
        new = int(costs.argmin())
        if costs[new] < worst * (1 - _EQUAL) and new not in others:
            state[c], worst, idle = new, float(costs[new]), 0
            found = answer()
            run.offer(found, worst)
        else:
            idle += 1
        c = (c + 1) % len(state)
    return found
