"""Figures of a clustering; empty clusters are skipped in every one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.solution import Claim

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.answer import Clustering
    from fairopt.problems.fair_clustering.problem import FairClustering

Array = NDArray[Any]


def group_figures(
    problem: FairClustering, masses: tuple[Array, ...], sizes: Array
) -> dict[str, dict[str, Any]]:
    """Return the figures that are one number for each attribute."""
    names = (
        "balance", "balance_max", "relative_balance", "gap", "tv", "max_gap",
        "max_additive_violation",
    )  # fmt: skip
    out: dict[str, dict[str, Any]] = {name: {} for name in names}
    kept = [c for c in range(len(sizes)) if sizes[c] > 0]
    for a, attribute in enumerate(problem.attributes):
        table = [[_number(v) for v in row] for row in masses[a][:, kept].tolist()]
        row = _figures(problem, a, table)
        for name, value in zip(names, row, strict=True):
            out[name][attribute.name] = value
    return out


def _number(value: Any) -> Any:
    return Fraction(value) if isinstance(value, int) else value


def _figures(problem: FairClustering, a: int, m: list[list[Any]]) -> tuple[Any, ...]:
    """Return the figures of one attribute from its masses (groups, clusters not empty)."""
    groups = range(len(m))
    clusters = range(len(m[0]))
    each = [sum(m[g][c] for g in groups) for c in clusters]
    size = [sum(row) for row in m]
    total = sum(size)
    balance = min(min(m[g][c] for g in groups) / max(m[g][c] for g in groups) for c in clusters)
    relative = _relative(m, each, size, total)
    apart = gap = 0 * total
    for g in groups:
        for h in range(g):
            off = [abs(m[g][c] / size[g] - m[h][c] / size[h]) for c in clusters]
            gap, apart = max(gap, sum(off)), max(apart, *off)
    return (
        balance,
        min(size) / max(size),
        relative,
        gap,
        gap / 2,
        apart,
        _additive(problem, a, m, each, size, total),
    )


def _relative(m: list[list[Any]], each: list[Any], size: list[Any], total: Any) -> Any:
    """Return the least of r and 1/r, r the share of a group in a cluster against the whole."""
    worst = total / total
    for g, row in enumerate(m):
        for c, mass in enumerate(row):
            ratio = mass * total / (each[c] * size[g])
            worst = min(worst, ratio, 1 / ratio if ratio > 0 else 0 * total)
    return worst


def _additive(
    problem: FairClustering,
    a: int,
    m: list[list[Any]],
    each: list[Any],
    size: list[Any],
    total: Any,
) -> Any:
    """Return the largest mass too many or too few of a group in a cluster."""
    low: list[Any] = [part / total for part in size]
    high = low
    if problem.fairness.type == "bounds":
        rows = problem.bounds()
        low, high = list(rows.lower[a]), list(rows.upper[a])
    if not isinstance(total, Fraction):
        low, high = [float(v) for v in low], [float(v) for v in high]
    worst = 0 * total
    for g, row in enumerate(m):
        for c, mass in enumerate(row):
            worst = max(worst, mass - high[g] * each[c], low[g] * each[c] - mass)
    return worst


def price(problem: FairClustering, cost: float, claims: Sequence[Claim]) -> float | None:
    """Return the cost against that of the best unfair clustering that a claim shows."""
    known = [float(c.value) for c in claims if c.name == "unfair_cost"]
    if not known:
        return None
    best = min(known)
    if best > 0:
        return cost / best
    return 1.0 if cost <= 0 else None


def bound_for_centers(
    problem: FairClustering, answer: Clustering, claims: Sequence[Claim]
) -> float | None:
    """Return the largest bound claimed for these centres, or for these and more."""
    known = [
        float(c.value) for c in claims if c.name == "bound_for_centers" and _covers(answer, c.data)
    ]
    return max(known, default=None)


def _covers(answer: Clustering, data: Any) -> bool:
    if answer.center_indices is not None:
        said = data.get("center_indices")
        return said is not None and set(answer.center_indices.tolist()) <= set(said)
    if answer.centers is not None:
        said = data.get("centers")
        rows = {tuple(row) for row in answer.centers.tolist()}
        return said is not None and rows <= {tuple(float(v) for v in row) for row in said}
    return data.get("centers") is None and data.get("center_indices") is None


def mean_costs(problem: FairClustering, each: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    """Return the mean cost of each group from the weighted costs of the points."""
    out: dict[str, dict[str, float]] = {}
    for attribute, masses in zip(problem.attributes, problem.group_masses, strict=True):
        sums = np.bincount(attribute.codes, each, len(attribute.values))
        out[attribute.name] = dict(zip(attribute.values, (sums / masses).tolist(), strict=True))
    return out
