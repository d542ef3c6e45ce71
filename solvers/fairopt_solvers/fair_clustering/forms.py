"""The fairness conditions seen from the dual: prices of clusters that few numbers make.

Points of the same groups are of one *kind*. Whatever the condition, the price of cluster k for
kind t is ``(B y_k)[t]`` with one matrix B for all clusters and multipliers y (rows, k); a constant
is added to the dual. Multipliers are in units of distances, so that they have one scale.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import FairClustering
from fairopt_solvers.fair_clustering.rows import condition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LINEAR = ("none", "proportional", "balance", "bounds", "gap")


@dataclass(frozen=True, eq=False)
class Form:
    """A condition in force.

    Attributes
    ----------
    kind
        Row of the table of multipliers: ``none``, ``proportional``, ``bounds``, ``floor-ceil``,
        ``balance`` or ``gap``.
    of
        (n,) kind of each point.
    member
        Per attribute (groups, kinds): which kinds a group consists of.
    matrix
        (kinds, rows) B.
    signed
        Whether multipliers must not be negative.
    charge
        Per row and cluster, how much a unit of the multiplier costs (``floor-ceil``).
    spread
        Per row, what a unit of the multipliers' range over the clusters costs (``gap``).
    """

    kind: str
    of: Ints
    mass: Floats  # (kinds,)
    member: tuple[Floats, ...]
    matrix: Floats
    signed: bool
    charge: float
    spread: float

    @property
    def rows(self) -> int:
        """Return the number of multipliers of each cluster."""
        return int(self.matrix.shape[1])

    def groups(self, masses: Floats) -> list[Floats]:
        """Return the masses of the groups, per attribute (groups, k), from those of the kinds."""
        return [member @ masses for member in self.member]


def form_of(problem: FairClustering, *, tighter: float = 0.0) -> Form:
    """Return the form of the problem's condition.

    ``tighter`` in [0, 1] moves the thresholds towards those that only proportional clusters
    keep.
    """
    kind = condition(problem)
    codes = [a.codes for a in problem.attributes] or [np.zeros(problem.n, np.int64)]
    key = np.zeros(problem.n, np.int64)
    for part in codes:
        _, key = np.unique(key * (int(part.max()) + 1) + part, return_inverse=True)
    of = np.ascontiguousarray(key, np.int64)
    kinds = int(of.max()) + 1
    mass = np.bincount(of, problem.mass, kinds).astype(np.float64)
    member = []
    for attribute in problem.attributes:
        inside = np.zeros((len(attribute.values), kinds))
        inside[attribute.codes, of] = 1.0
        member.append(inside)
    n, least = problem.n, _loosest(problem, tighter)
    blocks = [np.zeros((kinds, 0))]
    for a, inside in enumerate(member):
        blocks.append(_block(problem, kind, a, inside, inside @ mass, tighter))
    spread = least * float(mass.sum()) if kind == "gap" else 0.0
    return Form(
        kind,
        of,
        mass,
        tuple(member),
        np.ascontiguousarray(np.concatenate(blocks, axis=1)),
        kind in ("bounds", "floor-ceil", "balance"),
        (n - 1) / n if kind == "floor-ceil" else 0.0,
        spread,
    )


def _loosest(problem: FairClustering, tighter: float) -> float:
    if problem.fairness.type != "gap":
        return 0.0
    return float(Fraction(problem.fairness.epsilon)) * (1 - tighter)


def _block(
    problem: FairClustering, kind: str, a: int, inside: Floats, size: Floats, tighter: float
) -> Floats:
    """Return the columns of B that one attribute brings."""
    groups, share = len(inside), size / size.sum()
    if kind == "proportional":
        return inside.T @ _basis(share)
    if kind == "gap":
        pairs = list(itertools.combinations(range(groups), 2))
        parts = [inside[g] / share[g] - inside[h] / share[h] for g, h in pairs]
        return np.array(parts).reshape(len(pairs), inside.shape[1]).T
    if kind == "balance":
        least = float(Fraction(problem.fairness.min_balance))
        most = share[:, None] / share[None, :]  # of m_g / m_h, if all clusters are alike
        ratio = least + tighter * np.maximum(most - least, 0.0)
        parts = [
            ratio[g, h] * inside[h] - inside[g] for g, h in itertools.permutations(range(groups), 2)
        ]
        return np.array(parts).reshape(len(parts), inside.shape[1]).T
    if kind in ("bounds", "floor-ceil"):
        low, high = share, share
        if kind == "bounds":
            rows = problem.bounds()
            low = np.array([float(v) for v in rows.lower[a]])
            high = np.array([float(v) for v in rows.upper[a]])
            low, high = low + tighter * (share - low), high + tighter * (share - high)
        return np.concatenate([inside.T - high, low - inside.T], axis=1)
    return np.zeros((inside.shape[1], 0))


def _basis(share: Floats) -> Floats:
    """Return (groups, groups - 1): columns c with sum share_g c_g = 0, of one size."""
    root = np.sqrt(share)
    full = np.concatenate([root[:, None], np.eye(len(share))[:, :-1]], axis=1)
    return np.asarray(np.linalg.qr(full)[0][:, 1:] / root[:, None], np.float64)


# -- multipliers as the court reads them ---------------------------------------------------


def to_json(problem: FairClustering, form: Form, y: Floats) -> dict[str, Any]:
    """Return multipliers (rows, k) in the form of the certificate."""
    values: dict[str, Any] = {}
    if form.kind == "none":
        return {"rows": "none", "values": values}
    first, k = 0, y.shape[1]
    total = float(form.mass.sum())
    for attribute, inside in zip(problem.attributes, form.member, strict=True):
        groups = len(inside)
        size = inside @ form.mass
        if form.kind == "proportional":
            count = groups - 1
            part = (_basis(size / total) @ y[first : first + count]) * size[:, None]
            values[attribute.name] = part.tolist()
        elif form.kind == "gap":
            count = groups * (groups - 1) // 2
            values[attribute.name] = (y[first : first + count] * total).tolist()
        elif form.kind == "balance":
            count = groups * (groups - 1)
            tau = np.zeros((groups, groups, k))
            for j, (g, h) in enumerate(itertools.permutations(range(groups), 2)):
                tau[g, h] = y[first + j]
            values[attribute.name] = tau.tolist()
        else:
            count, scale = 2 * groups, problem.n if form.kind == "floor-ceil" else 1
            upper, lower = y[first : first + groups], y[first + groups : first + count]
            values[attribute.name] = {
                "upper": (upper / scale).tolist(),
                "lower": (lower / scale).tolist(),
            }
        first += count
    return {"rows": form.kind, "values": values}


# -- the condition itself ------------------------------------------------------------------


def broken(problem: FairClustering, form: Form, masses: Any) -> str | None:
    """Return in words how masses (kinds, k) break the condition, None if they keep it.

    Whole masses (unit weights) are compared exactly, others within 1e-9 of the total.
    """
    whole = np.issubdtype(np.asarray(masses).dtype, np.integer)
    total = float(form.mass.sum())
    slack = 0 if whole else 1e-9 * total
    for a, inside in enumerate(form.member):
        counts = (inside.astype(masses.dtype) @ masses).tolist()
        if whole:
            counts = [[int(v) for v in row] for row in counts]
        words = _breach(problem, form.kind, a, counts, slack, whole)
        if words is not None:
            return f"{problem.attributes[a].name}: {words}"
    return None


def _breach(
    problem: FairClustering, kind: str, a: int, m: list[list[Any]], slack: Any, whole: bool
) -> str | None:
    groups, k = range(len(m)), range(len(m[0]))
    names = problem.attributes[a].values
    each = [sum(m[g][c] for g in groups) for c in k]
    size = [sum(row) for row in m]
    n = sum(size)
    number: Any = Fraction if whole else float
    if kind in ("proportional", "floor-ceil"):
        room = n - 1 if kind == "floor-ceil" else slack * n
        for g, c in itertools.product(groups, k):
            if abs(n * m[g][c] - size[g] * each[c]) > room:
                off = float(m[g][c] - size[g] * each[c] / n)
                return f"{names[g]!r} in cluster {c} is off by {off:.4g}"
    elif kind == "bounds":
        rows = problem.bounds()
        for g, c in itertools.product(groups, k):
            low, high = number(rows.lower[a][g]), number(rows.upper[a][g])
            if m[g][c] < low * each[c] - slack or m[g][c] > high * each[c] + slack:
                return f"the share of {names[g]!r} in cluster {c} is {float(m[g][c] / each[c]):.6g}"
    elif kind == "balance":
        least = number(Fraction(problem.fairness.min_balance))
        for g, h, c in itertools.product(groups, groups, k):
            if m[g][c] < least * m[h][c] - slack:
                return f"balance in cluster {c} is {float(m[g][c] / m[h][c]):.6g}"
    elif kind == "gap":
        most = number(Fraction(problem.fairness.epsilon))
        for g, h in itertools.combinations(groups, 2):
            twice = sum(abs(m[g][c] * size[h] - m[h][c] * size[g]) for c in k)
            if twice > 2 * most * size[g] * size[h] + slack * n:
                far = float(twice / (2 * size[g] * size[h]))
                return f"{names[g]!r} and {names[h]!r} are {far:.6g} apart in total variation"
    return None
