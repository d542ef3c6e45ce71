"""The offline optimum of multi-class selection, quotas demanded of the whole sequence.

A linear program with one row for the units and one a class. Where no agent has two classes it is
a matroid problem and a greedy selection solves it; elsewhere optima can be fractional. Backends
answer in floats: which agents are whole and which prices are tight is read off, the rest is solved
exactly, and the court recomputes the bound from the prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.online_selection.allocation_multiclass import Allocation
from fairopt.problems.online_selection.multiclass import OnlineMulticlass
from fairopt.rational import Exact, Rational
from fairopt.run import Run
from fairopt.solution import Bound, Outcome, as_float
from fairopt_solvers.backends import LinearModel, relax, rows, solve
from fairopt_solvers.online_selection.multiclass_policy import top_values

Backend = Literal["greedy", "highs", "cp-sat", "cbc"]
_NEAR = 1e-7  # what a float of a backend is taken to be


def offline(
    problem: OnlineMulticlass, run: Run, *, backend: Backend | None = None
) -> Outcome[Allocation]:
    """Return the best allocation for somebody who knows the whole sequence.

    Quotas are demanded at the end, not of every beginning of the sequence.

    Parameters
    ----------
    backend
        Without one, ``greedy`` where no agent has two classes, else ``highs``. ``cp-sat`` takes
        integers only and serves only where no agent has two classes.
    """
    disjoint = not problem.n_agents or int(np.diff(problem.class_ptr).max()) <= 1
    if backend in ("greedy", "cp-sat") and not disjoint:
        raise UsageError(
            f"{backend}: an agent has two classes, so that optima can be fractional; use highs"
        )
    if run.expired():
        return Outcome(bound=top_values(problem))
    if disjoint:
        chosen, prices = greedy(problem)
        bound = prices_bound(problem, *prices)
        if backend in (None, "greedy"):
            return Outcome(_answer([int(c) for c in chosen]), bound)
        result = solve(_model(problem, whole=True), run, backend=backend)
        x = None if result.x is None else [int(v > 0.5) for v in result.x]
        return Outcome(None if x is None else _answer(x), bound)
    return _program(problem, run, backend or "highs")


def _answer(x: Sequence[Rational]) -> Allocation:
    return Allocation(Exact.of(x), "lossless", "final")


def need(problem: OnlineMulticlass) -> list[int]:
    """Return what each class must get at the end."""
    return [int(q) for q in np.minimum(problem.quotas, problem.arrivals)]


# -- disjoint classes ------------------------------------------------------------------------

Prices = tuple[Rational, list[Rational]]


def greedy(problem: OnlineMulticlass) -> tuple[NDArray[np.bool_], Prices]:
    """Return a best selection for disjoint classes, and prices that prove it.

    The best ``q_j`` agents of each class are in, the other units go to the best agents left. A
    unit costs what the best agent left out is worth; a quota is worth what it costs beyond its
    least agent.
    """
    value = problem.value.num.tolist()
    order = sorted(range(problem.n_agents), key=lambda t: (-value[t], t))
    left = need(problem)
    owner = [-1] * problem.n_agents
    for t, j in zip(problem.agent_of.tolist(), problem.class_of.tolist(), strict=True):
        owner[t] = j
    chosen = np.zeros(problem.n_agents, np.bool_)
    least: dict[int, int] = {}
    for t in order:
        j = owner[t]
        if j >= 0 and left[j]:
            left[j] -= 1
            chosen[t] = True
            least[j] = value[t]
    room = problem.capacity - int(chosen.sum())
    rest = [t for t in order if not chosen[t]]
    chosen[rest[:room]] = True
    price = value[rest[room]] if room < len(rest) else 0
    quota = [max(0, price - least.get(j, price)) for j in range(problem.n_classes)]
    den = problem.value.den
    return chosen, (Fraction(price, den), [Fraction(q, den) for q in quota])


def prices_bound(problem: OnlineMulticlass, price: Rational, quota: Sequence[Rational]) -> Bound:
    """Return the bound of these prices."""
    data = {
        "rule": "quota-prices",
        "capacity_price": str(Fraction(price)),
        "quota_prices": [str(Fraction(q)) for q in quota],
    }
    return Bound(problem.recompute(data), "multipliers", data)


# -- the linear program ----------------------------------------------------------------------


def _model(problem: OnlineMulticlass, *, whole: bool) -> LinearModel:
    n = problem.n_agents
    units = rows(np.zeros(n, np.int64), np.arange(n), 1, upper=problem.capacity, count=1)
    least = np.array(need(problem), np.float64)
    quotas = rows(problem.class_of, problem.agent_of, 1, lower=least, count=problem.n_classes)
    return LinearModel.build(problem.value, units, quotas, integer=whole, maximize=True)


def kept(problem: OnlineMulticlass) -> tuple[list[int], list[int]]:
    """Return the best agents, one for each unit, and all that an optimum or its prices need.

    Besides the best agents these are, for each set J of classes, the best agents of just these
    classes, one more than the largest quota of J. Whoever gets a unit beyond that leaves a better
    agent without one, and no quota misses them; hence their prices are right, too.
    """
    value = problem.value.num.tolist()
    order = sorted(range(problem.n_agents), key=lambda t: (-value[t], t))
    ptr, of, least = problem.class_ptr.tolist(), problem.class_of.tolist(), need(problem)
    best, room = order[: problem.capacity], dict[tuple[int, ...], int]()
    out = set(best)
    for t in order[problem.capacity :]:
        classes = tuple(of[ptr[t] : ptr[t + 1]])
        left = room.setdefault(classes, 1 + max((least[j] for j in classes), default=0))
        if left:
            room[classes] = left - 1
            out.add(t)
    return best, sorted(out)


def _program(problem: OnlineMulticlass, run: Run, backend: str) -> Outcome[Allocation]:
    plain = top_values(problem)
    best, some = kept(problem)
    answer = _spread(problem, best, [1] * len(best))
    if not problem.check(answer).violations:
        return Outcome(answer, plain)
    part = OnlineMulticlass(
        problem.value.take(np.array(some)),
        [problem.classes_of(t).tolist() for t in some],
        capacity=problem.capacity,
        value_range=problem.value_range,
        quotas=need(problem),
    )
    result = relax(_model(part, whole=False), run, backend=backend)
    if result.x is None:
        return Outcome(bound=plain)
    bound = plain
    if result.duals is not None:
        better = prices_bound(problem, *_Prices(part, result.duals.tolist()).exact())
        bound = better if better.value < bound.value else bound  # type: ignore[operator]
    x = _Point(part, result.x).exact()
    if x is None:  # a point that is no vertex: the best whole selection instead
        result = solve(_model(part, whole=True), run)
        x = None if result.x is None else [int(v > 0.5) for v in result.x]
        return Outcome(None if x is None else _spread(problem, some, x), bound)
    answer = _spread(problem, some, x)
    value = problem.check(answer).value
    if value != bound.value and result.status == "optimal" and result.bound is not None:
        claimed = as_float(result.bound)
        slack = max(as_float(result.slack), 1e-9 * claimed)
        bound = Bound(claimed, "solver", {"backend": result.backend}, slack)
    return Outcome(answer, bound)


def _spread(problem: OnlineMulticlass, agents: list[int], x: Sequence[Rational]) -> Allocation:
    """Return the allocation that gives ``x`` to these agents and nothing to the others."""
    out: list[Rational] = [0] * problem.n_agents
    for t, share in zip(agents, x, strict=True):
        out[t] = share
    return _answer(out)


@dataclass(slots=True)
class _Prices:
    """From float duals of the program to exact ones: those at which the same rows are tight."""

    problem: OnlineMulticlass
    duals: Sequence[float]

    def exact(self) -> Prices:
        """Return exact prices, not negative; a basic dual solution comes out exactly."""
        problem = self.problem
        value = problem.value.floats()
        near = np.array([self.duals[0], *(-d for d in self.duals[1:])])
        bonus = np.bincount(problem.agent_of, near[1:][problem.class_of], problem.n_agents)
        cost = near[0] - bonus
        scale = max(1.0, float(value.max()))
        many = problem.n_classes + 1
        off: list[tuple[float, int, int]] = [(abs(p) / scale, 0, k) for k, p in enumerate(near)]
        off += [(r, 1, t) for t, r in enumerate((np.abs(value - cost) / scale).tolist())]
        found = solve_exactly((self._row(kind, k) for _, kind, k in sorted(off)), many)
        exact = found if found is not None else [Fraction(p) for p in near.tolist()]
        return max(exact[0], Fraction(0)), [max(p, Fraction(0)) for p in exact[1:]]

    def _row(self, kind: int, k: int) -> tuple[dict[int, int], Rational]:
        if kind == 0:
            return {k: 1}, 0
        classes = self.problem.classes_of(k).tolist()
        return {0: 1, **{j + 1: -1 for j in classes}}, self.problem.value[k]


@dataclass(slots=True)
class _Point:
    """From a float point to an exact one: whole where it is nearly so, else from tight rows."""

    problem: OnlineMulticlass
    x: NDArray[np.float64]

    def exact(self) -> list[Rational] | None:
        """Return the exact point, or None if it breaks a limit."""
        problem = self.problem
        near = np.rint(self.x)
        split = np.flatnonzero(np.abs(self.x - near) > _NEAR).tolist()
        out: list[Rational] = [int(v) for v in near]
        if split:
            column = {t: k for k, t in enumerate(split)}
            solved = solve_exactly(self._tight(column), len(split))
            if solved is None:
                return None
            for t, v in zip(split, solved, strict=True):
                out[t] = v
        check = problem.check(_answer(out))
        return None if check.violations else out

    def _tight(self, column: dict[int, int]) -> Iterable[tuple[dict[int, int], Rational]]:
        """Yield the rows, the tightest first, in terms of the agents that are split."""
        problem = self.problem
        members = [np.arange(problem.n_agents), *map(problem.members, range(problem.n_classes))]
        limits = [problem.capacity, *need(problem)]
        slack = [abs(float(self.x[m].sum()) - q) for m, q in zip(members, limits, strict=True)]
        for k in np.argsort(slack, kind="stable").tolist():
            mine = members[k].tolist()
            whole = sum(round(self.x[t]) for t in mine if t not in column)
            yield {column[t]: 1 for t in mine if t in column}, limits[k] - whole


def solve_exactly(
    equations: Iterable[tuple[dict[int, int], Rational]], unknowns: int
) -> list[Fraction] | None:
    """Return the solution of the first independent equations, in order; None if too few.

    Gauss-Jordan elimination in fractions; an equation that depends on earlier ones is passed over.
    """
    pivots: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
    for coefs, right in equations:
        row = {k: Fraction(c) for k, c in coefs.items()}
        side = Fraction(right)
        for k in [k for k in row if k in pivots]:
            factor = row[k]
            row, side = _minus(row, side, factor, pivots[k])
        if not row:
            continue
        pivot = min(row)
        factor = 1 / row[pivot]
        row, side = {k: c * factor for k, c in row.items()}, side * factor
        for k, other in list(pivots.items()):
            if pivot in other[0]:
                pivots[k] = _minus(other[0], other[1], other[0][pivot], (row, side))
        pivots[pivot] = (row, side)
        if len(pivots) == unknowns:
            return [pivots[k][1] for k in range(unknowns)]
    return None


def _minus(
    row: dict[int, Fraction],
    side: Fraction,
    factor: Fraction,
    other: tuple[dict[int, Fraction], Fraction],
) -> tuple[dict[int, Fraction], Fraction]:
    """Return row - factor * other."""
    out = dict(row)
    for k, c in other[0].items():
        left = out.get(k, Fraction(0)) - factor * c
        if left:
            out[k] = left
        else:
            out.pop(k, None)
    return out, side - factor * other[1]
