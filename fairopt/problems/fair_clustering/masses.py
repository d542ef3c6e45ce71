"""Masses of groups in clusters, and how far they break a condition.

Masses are arrays (…, groups, clusters): Python integers where all weights are whole and no point
is split (then every comparison is exact), else floats, compared within 1e-9 of the total weight.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.answer import Clustering
    from fairopt.problems.fair_clustering.problem import FairClustering

Array = NDArray[Any]

ROOM = 1e-9


def whole_masses(problem: FairClustering, masses: Array) -> Array:
    """Return sums of whole weights as Python integers, so that no product overflows."""
    if not problem.whole:
        return masses
    return np.rint(masses).astype(np.int64).astype(object)


def masses_of(problem: FairClustering, answer: Clustering, r: int) -> tuple[Array, ...]:
    """Return (groups, r) masses, one array for each attribute."""
    out = []
    for attribute in problem.attributes:
        count = len(attribute.values)
        if answer.shares is None:
            key, weight = attribute.codes * r + answer.labels, problem.mass
        else:
            rows = answer.shares.rows
            key = attribute.codes[rows] * r + answer.shares.clusters
            weight = problem.mass[rows] * answer.shares.values
        table = np.bincount(key, weight, count * r).reshape(count, r)
        out.append(table if answer.shares is not None else whole_masses(problem, table))
    return tuple(out)


def sizes_of(problem: FairClustering, answer: Clustering, r: int) -> Array:
    """Return (r,) masses of the clusters."""
    if answer.shares is None:
        return whole_masses(problem, np.bincount(answer.labels, problem.mass, r))
    rows = answer.shares.rows
    weight = problem.mass[rows] * answer.shares.values
    return np.bincount(answer.shares.clusters, weight, r)


@dataclass(frozen=True, slots=True)
class Breach:
    """The worst place where a condition is broken: in words, and by how much."""

    where: str
    amount: Any


def is_kept(problem: FairClustering, masses: tuple[Array, ...]) -> NDArray[np.bool_]:
    """Return which of many clusterings, masses (batch, groups, clusters), keep the condition."""
    good = np.ones(len(masses[0]) if masses else 1, np.bool_)
    for a, m in enumerate(masses):
        for over, _ in _overs(problem, a, m):
            good &= np.asarray(over.max(-1) <= _room(problem, m), np.bool_)
    return good


def worst_breach(problem: FairClustering, masses: tuple[Array, ...]) -> Breach | None:
    """Return the first broken row of the condition; None if it is kept."""
    for a, m in enumerate(masses):
        room = _room(problem, m)
        for over, words in _overs(problem, a, m):
            worst = max(range(over.shape[-1]), key=lambda c: over[c])
            if over[worst] > room:
                cluster = "" if over.shape[-1] == 1 else f" in cluster {worst}"
                return Breach(
                    f"{problem.attributes[a].name}: {words}{cluster}", _plain(over[worst])
                )
    return None


def _plain(amount: Any) -> Any:
    return Fraction(amount) if isinstance(amount, int | Fraction) else float(amount)


def _room(problem: FairClustering, m: Array) -> Any:
    exact = m.dtype == object or m.dtype.kind == "i"
    return 0 if exact else ROOM * problem.total


def _overs(problem: FairClustering, a: int, m: Array) -> list[tuple[Array, str]]:
    """Return what is to be at most 0: arrays (…, clusters) and words.

    All are scaled so that integers stay integers; scaled back they would be masses.
    """
    fairness, values = problem.fairness, problem.attributes[a].values
    exact = m.dtype == object or m.dtype.kind == "i"
    groups = range(len(values))
    each = m.sum(-2)
    sizes = m.sum(-1)  # of the groups
    out: list[tuple[Array, str]] = []

    def times(number: Fraction, table: Array, base: Array) -> Array:
        """Return ``number * base - table``, in integers times the denominator."""
        if exact:
            return np.asarray(number.numerator * base - number.denominator * table)
        return np.asarray(float(number) * base - table)

    if fairness.type == "proportional":
        total = sizes.sum(-1, keepdims=True)
        for g in groups:
            off = abs(total * m[..., g, :] - sizes[..., g, None] * each)
            if fairness.rounding == "floor-ceil":
                off = off - (total - 1)
            elif not exact:
                off = off / problem.total
            out.append((off, f"the share of {values[g]!r}"))
    elif fairness.type == "balance":
        for g, h in itertools.permutations(groups, 2):
            over = times(fairness.min_balance, m[..., g, :], m[..., h, :])
            out.append((over, f"{values[g]!r} against {values[h]!r}"))
    elif fairness.type == "bounds":
        rows = problem.bounds()
        for g in groups:
            out.append((times(rows.lower[a][g], m[..., g, :], each), f"too few of {values[g]!r}"))
            over = -times(rows.upper[a][g], m[..., g, :], each)
            out.append((over, f"too many of {values[g]!r}"))
    elif fairness.type == "gap":
        out += _gaps(problem, a, m, sizes, exact)
    return out


def _gaps(
    problem: FairClustering, a: int, m: Array, sizes: Array, exact: bool
) -> list[tuple[Array, str]]:
    epsilon, values = problem.fairness.epsilon, problem.attributes[a].values
    out: list[tuple[Array, str]] = []
    for g, h in itertools.combinations(range(len(values)), 2):
        one, two = sizes[..., g, None], sizes[..., h, None]
        twice = abs(m[..., g, :] * two - m[..., h, :] * one).sum(-1, keepdims=True)
        if exact:
            over = epsilon.denominator * twice - 2 * epsilon.numerator * one * two
        else:
            over = (twice / (2 * one * two) - float(epsilon)) * problem.total
        out.append((over, f"total variation between {values[g]!r} and {values[h]!r}"))
    return out
