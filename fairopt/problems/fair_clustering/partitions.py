"""Few points: all ways to cut them into clusters, looked at one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError
from fairopt.problems.fair_clustering.masses import is_kept

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

Ints = NDArray[np.int64]

MOST = 60_000  # label vectors
_SAFE = 2**20  # weight up to which products of masses fit into 64 bits with every threshold


def _labellings(problem: FairClustering) -> Ints:
    """Return every way (r, n) to label the points that keeps the condition."""
    if not problem.fairness.labelled:
        raise InstanceError("proof", "the condition is not one on labels")
    if problem.k**problem.n > MOST:
        raise InstanceError("proof", f"more than {MOST:,} labellings are too many to try them all")
    labels = np.indices((problem.k,) * problem.n).reshape(problem.n, -1).T
    member = labels[:, :, None] == np.arange(problem.k)
    good = np.ones(len(labels), np.bool_)
    if problem.attributes:
        masses = []
        for attribute in problem.attributes:
            groups = attribute.codes[:, None] == np.arange(len(attribute.values))
            weight = problem.mass[:, None] * groups
            table = np.einsum("lic,ig->lgc", member.astype(np.float64), weight)
            masses.append(_exact(problem, table))
        good = is_kept(problem, tuple(masses))
    if not problem.allow_empty:
        good = good & member.any(1).all(1)
    return labels[good]


def _exact(problem: FairClustering, table: NDArray[np.float64]) -> NDArray[Any]:
    if not problem.whole:
        return table
    whole = np.rint(table).astype(np.int64)
    return whole if problem.total < _SAFE and _small(problem) else whole.astype(object)


def _small(problem: FairClustering) -> bool:
    """Return whether the thresholds have so few digits that int64 products cannot overflow."""
    fairness = problem.fairness
    parts = [fairness.min_balance, fairness.epsilon]
    if fairness.type == "bounds":
        rows = problem.bounds()
        parts += [v for side in (rows.lower, rows.upper) for row in side for v in row]
    return all(part.denominator < _SAFE for part in parts)


def best_partition(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the least cost of a fair clustering that splits no point, by trying them all.

    For ``kmeans`` with free centres.
    """
    if problem.objective.name != "kmeans" or problem.mode != "free":
        raise InstanceError("proof", "partitions are for kmeans with free centres")
    labels = _labellings(problem)
    if not len(labels):
        raise InstanceError("proof", "no partition is fair")
    assert problem.points is not None
    x = problem.points - problem.points[0]
    x = x - np.average(x, axis=0, weights=problem.mass)
    weight = problem.mass
    cost = np.zeros(len(labels))
    for c in range(problem.k):
        inside = (labels == c) * weight
        mass = inside.sum(1)
        center = (inside @ x) / np.where(mass > 0, mass, 1.0)[:, None]
        for axis in range(x.shape[1]):
            cost += (inside * (x[:, axis] - center[:, axis, None]) ** 2).sum(1)
    return float(cost.min())


def none_fair(problem: FairClustering, data: Mapping[str, Any]) -> bool:
    """Return whether no labelling keeps the condition, by trying them all.

    Where points may be split that shows nothing.
    """
    if problem.fairness.splits and problem.fairness.type != "none":
        raise InstanceError("proof", "points may be split, which labellings do not show")
    return not len(_labellings(problem))
