"""Multipliers of the fairness rows, and the prices of clusters that they make.

For every array in the domain ``sum_i w_i min_k (d_ik + theta_ik) + constant`` is below the cost of
every fair assignment, split points or not (weak duality). What lies outside the domain is moved
into it: rows of ``proportional`` by their mean, others to 0. The float error of the prices is
estimated and taken off by the caller, so that huge multipliers prove nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

Floats = NDArray[np.float64]

ERROR = 1e-13  # of a price, against the multipliers it is made of


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices of clusters for groups: point i pays ``sum of table[a][codes[a][i]]``, ``base``.

    ``tables`` holds (groups, k) for each attribute, ``base`` (k,) is paid by every point,
    ``constant`` is added to the sum, ``size`` estimates what the parts of a price add up to.
    """

    tables: tuple[Floats, ...]
    base: Floats
    constant: float
    size: float

    def of(self, problem: FairClustering, rows: slice) -> Floats:
        """Return (rows, k) prices."""
        out = np.broadcast_to(self.base, (rows.stop - rows.start, len(self.base))).copy()
        for attribute, table in zip(problem.attributes, self.tables, strict=True):
            out += table[attribute.codes[rows]]
        return out


def read_prices(problem: FairClustering, data: Any, k: int) -> Prices:
    """Return the prices of multipliers as they stand in a proof, for k clusters.

    Raises ``InstanceError`` if they are not about the condition in force.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("values"), Mapping):
        raise InstanceError("proof.multipliers", "expected an object with rows and values")
    kind, values = data.get("rows"), data["values"]
    empty = tuple(np.zeros((len(a.values), k)) for a in problem.attributes)
    if kind == "none":
        return Prices(empty, np.zeros(k), 0.0, 0.0)
    if kind not in _READ or kind not in _fitting(problem):
        raise InstanceError("proof.multipliers.rows", f"{kind!r} is not about this condition")
    tables: list[Floats] = []
    base, constant, size = np.zeros(k), 0.0, 0.0
    for a, attribute in enumerate(problem.attributes):
        given = values.get(attribute.name)
        table, more, extra = _READ[kind](problem, a, given, k)
        tables.append(table)
        base = base + more
        constant += extra
        size += float(np.abs(table).max(initial=0.0)) + float(np.abs(more).max(initial=0.0))
    return Prices(tuple(tables), base, constant, size)


def _fitting(problem: FairClustering) -> tuple[str, ...]:
    fairness = problem.fairness
    if fairness.type != "proportional":
        return (fairness.type,)
    if fairness.rounding == "floor-ceil":
        return ("floor-ceil",)
    return ("proportional", "floor-ceil") if problem.weights is None else ("proportional",)


def _array(given: Any, shape: tuple[int, ...]) -> Floats:
    array = np.array(given, np.float64)
    if array.shape != shape or not np.isfinite(array).all():
        raise InstanceError("proof.multipliers", f"expected finite numbers of shape {shape}")
    return array


Read = tuple[Floats, Floats, float]


def _proportional(problem: FairClustering, a: int, given: Any, k: int) -> Read:
    masses = problem.group_masses[a]
    lam = _array(given, (len(masses), k))
    lam = lam - lam.mean(0)
    return lam / masses[:, None], np.zeros(k), 0.0


def _sides(problem: FairClustering, a: int, given: Any, k: int) -> tuple[Floats, Floats]:
    if not isinstance(given, Mapping):
        raise InstanceError("proof.multipliers", "expected upper and lower")
    shape = (len(problem.attributes[a].values), k)
    upper, lower = _array(given.get("upper"), shape), _array(given.get("lower"), shape)
    return np.maximum(upper, 0.0), np.maximum(lower, 0.0)


def _bounds(problem: FairClustering, a: int, given: Any, k: int) -> Read:
    rho, sigma = _sides(problem, a, given, k)
    rows = problem.bounds()
    alpha = np.array([float(v) for v in rows.upper[a]])
    beta = np.array([float(v) for v in rows.lower[a]])
    return rho - sigma, beta @ sigma - alpha @ rho, 0.0


def _floor_ceil(problem: FairClustering, a: int, given: Any, k: int) -> Read:
    """Of ``|n n_gk - n_g n_k| <= n - 1``."""
    rho, sigma = _sides(problem, a, given, k)
    n, masses = problem.n, problem.group_masses[a]
    return n * (rho - sigma), masses @ (sigma - rho), -(n - 1) * float((rho + sigma).sum())


def _balance(problem: FairClustering, a: int, given: Any, k: int) -> Read:
    """Of ``m_gk >= b m_hk``, one multiplier for each ordered pair (g, h)."""
    count = len(problem.attributes[a].values)
    tau = np.maximum(_array(given, (count, count, k)), 0.0)
    tau[np.arange(count), np.arange(count)] = 0.0
    least = float(problem.fairness.min_balance)
    return least * tau.sum(0) - tau.sum(1), np.zeros(k), 0.0


def _gap(problem: FairClustering, a: int, given: Any, k: int) -> Read:
    """Of the total variation between each pair of groups (g < h)."""
    masses = problem.group_masses[a]
    pairs = list(itertools.combinations(range(len(masses)), 2))
    lam = _array(given, (len(pairs), k)) if pairs else np.zeros((0, k))
    table, constant = np.zeros((len(masses), k)), 0.0
    for (g, h), row in zip(pairs, lam, strict=True):
        table[g] += row / masses[g]
        table[h] -= row / masses[h]
        constant -= float(problem.fairness.epsilon) * float(row.max() - row.min())
    return table, np.zeros(k), constant


_READ = {
    "proportional": _proportional,
    "bounds": _bounds,
    "floor-ceil": _floor_ceil,
    "balance": _balance,
    "gap": _gap,
}
