"""Check a backend's reply against the model, exactly; nothing here believes a backend."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fairopt.rational import Rational
from fairopt.run import Run
from fairopt_solvers.backends.model import Floats, LinearModel, Rows, Violations, rows
from fairopt_solvers.backends.raw import Reply, Task
from fairopt_solvers.backends.scaling import Scaling


@dataclass(slots=True, eq=False)
class Best:
    """The best point so far that passes its exact check."""

    model: LinearModel
    x: Floats | None = None
    value: Rational | None = None

    def offer(self, x: Floats) -> bool:
        """Take a point if it is feasible once rounded, and better; return whether it was."""
        if x.shape != (self.model.n_columns,) or not np.isfinite(x).all():
            return False
        point = self.model.rounded(x)
        if self.model.violations(point):
            return False
        value = self.model.value(point)
        if self.value is not None and not self._better(value, self.value):
            return False
        self.x, self.value = point, value
        return True

    def _better(self, a: Rational, b: Rational) -> bool:
        return a > b if self.model.maximize else a < b


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands of a reply: ``wrong`` says why its claim is refuted, or is empty."""

    reply: Reply
    wrong: str = ""
    bound: Rational | None = None
    broken: tuple[Floats, Violations] | None = field(default=None)


def judge(
    model: LinearModel, scaling: Scaling, reply: Reply, best: Best, run: Run, rough: bool = False
) -> Verdict:
    """Check a reply; its point, rounded, is offered to ``best`` if it passes.

    ``rough`` says that the continuous columns come with a few digits only.
    """
    if reply.status == "failed":
        return Verdict(reply, "no answer")
    if reply.status == "infeasible" and best.x is not None:
        return Verdict(reply, f"but a point of value {best.value} is feasible")
    value = None
    if reply.x is not None:
        point = _point(model, scaling, reply.x, run, rough)
        broken = model.violations(point)
        if broken:
            if reply.status == "optimal":
                return Verdict(reply, f"but its point breaks {broken}", broken=(point, broken))
        else:
            value = scaling.snap(model.value(point))
            best.offer(point)
    if reply.status == "optimal":
        return _judge_optimal(scaling, reply, value, best)
    bound = scaling.bound(reply.bound)
    if bound is not None and best.value is not None and _beyond(scaling, bound, best.value):
        return Verdict(reply, f"but a point of value {best.value} lies beyond its bound {bound}")
    return Verdict(reply, bound=bound)


def _judge_optimal(scaling: Scaling, reply: Reply, value: Rational | None, best: Best) -> Verdict:
    if value is None or best.value is None:
        return Verdict(reply, "but it gave no point")
    if reply.objective is None or not scaling.close(reply.objective, value):
        return Verdict(reply, f"but its point has value {value}")
    if reply.bound is not None and not scaling.close(float(reply.bound), value):
        return Verdict(reply, f"but its bound is not the value {value}")
    if _beyond(scaling, value, best.value):
        return Verdict(reply, f"but a point of value {best.value} is better")
    return Verdict(reply, bound=value)


def _beyond(scaling: Scaling, bound: Rational, value: Rational) -> bool:
    """Return whether a feasible value lies beyond a bound by more than its slack."""
    gap = Fraction(value) - Fraction(bound)
    if scaling.maximize:
        gap = -gap
    return gap < -(Fraction(scaling.slack(bound)) if scaling.unit is None else _noise(scaling))


def _noise(scaling: Scaling) -> Fraction:
    """Continuous columns leave grid values a hair off the grid."""
    return Fraction(1, 10**6) / scaling.factor


def _point(model: LinearModel, scaling: Scaling, x: Floats, run: Run, rough: bool) -> Floats:
    """Return the point rounded; if rounding broke rows, the continuous part is made to fit.

    With its integer columns fixed the model is an LP in the others.
    """
    point = model.rounded(x) if x.shape == (model.n_columns,) else np.full(model.n_columns, np.nan)
    if model.integer.all() or not np.isfinite(point).all():
        return point
    kept = not rough and np.array_equal(point[model.integer], x[model.integer])
    if kept and not model.violations(point):
        return point
    if np.any((point < model.lower) | (point > model.upper)) or run.expired():
        return point
    from fairopt_solvers.backends.highs import run_highs

    lp = model.fixed(model.integer, point).relaxed()
    reply = run_highs(Task(lp, scaling, lp=True), run)
    return point if reply.status != "optimal" or reply.x is None else model.rounded(reply.x)


def cover_cuts(model: LinearModel, point: Floats, broken: Violations) -> Rows | None:
    """Return one exact cut for each broken row, None unless all their columns are binary.

    A row sum a[j] x[j] <= u that the 0-1 point breaks is broken by every point with the same
    ones among its positive and the same zeros among its negative coefficients. So one of them
    has to change: sum over the ones of x - sum over those zeros of x <= (number of ones) - 1.
    """
    if broken.columns.size or not broken.rows.size:
        return None
    binary = model.integer & (model.lower >= 0) & (model.upper <= 1)
    row: list[int] = []
    col: list[int] = []
    coef: list[float] = []
    upper: list[float] = []
    for i in broken.rows.tolist():
        part = slice(int(model.indptr[i]), int(model.indptr[i + 1]))
        index, weight = model.indices[part], model.coefs[part].copy()
        if not binary[index].all():
            return None
        total = sum(Fraction(w) for w in weight[point[index] > 0.5].tolist())
        if total < model.row_lower[i]:
            weight = -weight
        ones = index[(weight > 0) & (point[index] > 0.5)]
        zeros = index[(weight < 0) & (point[index] < 0.5)]
        row += [len(upper)] * (len(ones) + len(zeros))
        col += [*ones.tolist(), *zeros.tolist()]
        coef += [1.0] * len(ones) + [-1.0] * len(zeros)
        upper.append(float(len(ones) - 1))
    return rows(
        np.array(row, np.int64), np.array(col, np.int64), np.array(coef),
        upper=np.array(upper), count=len(upper),
    )  # fmt: skip


def farkas_gap(model: LinearModel, ray: Floats) -> Fraction:
    """Return, exactly, by how much the multipliers show the LP infeasible (positive: they do).

    The rows, each multiplied by its entry and on the side its sign allows, add up to
    ``ray'A x >= total``; the gap is the total minus the maximum of the left over the box.
    """
    total = Fraction(0)
    for y, low, high in zip(
        ray.tolist(), model.row_lower.tolist(), model.row_upper.tolist(), strict=True
    ):
        side = low if y > 0 else high
        if y:
            if not np.isfinite(side):
                return Fraction(-1)
            total += Fraction(y) * Fraction(side)
    column = [Fraction(0)] * model.n_columns
    for i, j, a in zip(
        model.row_of().tolist(), model.indices.tolist(), model.coefs.tolist(), strict=True
    ):
        if ray[i]:
            column[j] += Fraction(float(ray[i])) * Fraction(a)
    for c, low, high in zip(column, model.lower.tolist(), model.upper.tolist(), strict=True):
        side = high if c > 0 else low
        if c:
            if not np.isfinite(side):
                return Fraction(-1)
            total -= c * Fraction(side)
    return total


def farkas_oriented(model: LinearModel, ray: Floats) -> Floats | None:
    """Return the ray, or its negative, if it proves infeasibility exactly; else None."""
    if ray.shape != (model.n_rows,) or not np.isfinite(ray).all():
        return None
    top = float(np.abs(ray).max(initial=0.0))
    clean = np.where(np.abs(ray) < 1e-12 * top, 0.0, ray)
    for candidate in (ray, -ray, clean, -clean):
        if farkas_gap(model, candidate) > 0:
            return np.asarray(candidate + 0.0)
    return None
