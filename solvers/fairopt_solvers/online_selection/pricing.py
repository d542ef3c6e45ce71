"""Heaviest feasible sets of a matchoid by integer programming, and bounds on ranks by parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.run import Run
from fairopt_solvers.backends import LinearModel, Rows, rows, solve
from fairopt_solvers.online_selection.oracles import Oracle

Ints = NDArray[np.int64]
_ROUNDS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Heaviest:
    """A feasible set, its weight, and a bound on the weight of all; ``backend`` claims it."""

    chosen: Ints
    weight: int
    bound: int | None
    backend: str = ""


@dataclass(slots=True, eq=False)
class Pricing:
    """The feasible sets of a matchoid as rows over 0/1 columns, one for each element.

    Parts that count are rows from the start. Every other part is bounded by its rank, and where a
    solution is dependent in it, the closure X of a circuit C gives the row ``z(X) <= |C| - 1``.
    All rows stay for later weights.
    """

    matroid: Matchoid
    backend: str
    limits: list[tuple[Ints, int]] = field(default_factory=list)
    oracles: list[tuple[Ints, Oracle]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for part in self.matroid.parts:
            names, inner = part.elements, part.matroid
            own = _counting_rows(inner)
            if own is None:
                oracle = Oracle.of(inner)
                own = [(np.arange(inner.n), oracle.rank())]
                self.oracles.append((names, oracle))
            self.limits += [(names[local], most) for local, most in own if len(local) > most]

    def heaviest(self, weights: Sequence[int], run: Run, start: Ints | None = None) -> Heaviest:
        """Return a set of largest weight (whole numbers of at least 0), as far as time goes."""
        n = self.matroid.n
        best = np.zeros(0, np.int64) if start is None else start
        value = np.array(list(weights), object)
        for _ in range(_ROUNDS):
            model = LinearModel.build(list(weights), self._rows(), maximize=True)
            point = np.zeros(n)
            point[best] = 1
            result = solve(model, run, backend=self.backend, start=point)
            bound = None if result.bound is None else int(result.bound + result.slack)
            chosen = best if result.x is None else np.flatnonzero(result.x > 0.5)
            wrong = self._separate(chosen)
            if not wrong:
                return Heaviest(chosen, int(value[chosen].sum()), bound, result.backend)
            self.limits += wrong
            if result.status != "optimal" or run.expired():
                return Heaviest(best, int(value[best].sum()), bound, result.backend)
        return Heaviest(best, int(value[best].sum()), bound, result.backend)

    def _rows(self) -> Rows:
        sizes = [len(s) for s, _ in self.limits]
        col = np.concatenate([s for s, _ in self.limits]) if sizes else np.zeros(0, np.int64)
        most = np.array([m for _, m in self.limits], np.float64)
        return rows(np.repeat(np.arange(len(sizes)), sizes), col, upper=most, count=len(sizes))

    def _separate(self, chosen: Ints) -> list[tuple[Ints, int]]:
        """Return a row for each circuit that a maximal independent part of the set closes."""
        found = []
        for names, oracle in self.oracles:
            local = np.flatnonzero(np.isin(names, chosen))
            base = oracle.base(local)
            for e in np.setdiff1d(local, base).tolist():
                circuit = oracle.circuit(base, e)
                rank = len(circuit) - 1
                inside = [f for f in range(oracle.n) if oracle.rank([*circuit, f]) == rank]
                inside = sorted({*circuit.tolist(), *inside})
                found.append((names[np.array(inside)], rank))
        return found


def _counting_rows(inner: Any) -> list[tuple[Ints, int]] | None:
    if inner.type == "uniform":
        return [(np.arange(inner.n), inner.rank)]
    if inner.type == "partition":
        return [(np.flatnonzero(inner.block == b), c) for b, c in enumerate(inner.capacity)]
    if inner.type == "laminar":
        sets = inner.lists()
        return [(np.array(s, np.int64), c) for s, c in zip(sets, inner.capacity, strict=True)]
    return None


def cover_by_parts(matroid: Matchoid, chosen: Ints, run: Run) -> tuple[int, list[int]] | None:
    """Return an upper bound of r(S) by parts, and the parts that show it; None if out of time.

    Every element of S counts 1, or belongs to a part in the cover, which counts the rank of its
    share of S. The smallest such sum is a 0/1 program; for bipartite matchings it is r(S) (König).
    """
    inside = np.zeros(matroid.n, bool)
    inside[chosen] = True
    parts: list[int] = []
    costs: list[int] = []
    row: list[int] = []
    col: list[int] = []
    place = {e: k for k, e in enumerate(chosen.tolist())}
    for j, part in enumerate(matroid.parts):
        local = np.flatnonzero(inside[part.elements])
        if not local.size:
            continue
        for e in part.elements[local].tolist():
            row.append(place[e])
            col.append(len(parts))
        parts.append(j)
        costs.append(Oracle.of(part.matroid).rank(local))
    m, k = len(parts), len(chosen)
    cells = rows([*row, *range(k)], [*col, *range(m, m + k)], lower=1, count=k)
    result = solve(LinearModel.build([*costs, *([1] * k)], cells), run)
    if result.x is None or result.value is None:
        return None
    used = np.flatnonzero(result.x[:m] > 0.5).tolist()
    return int(Fraction(result.value)), [parts[j] for j in used]
