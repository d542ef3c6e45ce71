"""Objectives that are sums over kept papers: linear program, rounding, 0/1 program.

Maximise ``coef · r`` over the open papers under the rows that can bind. The linear program
comes first: where its vertex is integral nothing else is needed, and its multipliers give a
bound that anybody can recompute. Only components with fractional papers go to a 0/1 solver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.rational import Exact, Rational
from fairopt.run import Run
from fairopt.solution import Bound, Note
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, relax, rows, solve
from fairopt_solvers.desk_rejection.duals import exact_multipliers
from fairopt_solvers.desk_rejection.insertion import insert
from fairopt_solvers.desk_rejection.presolve import Merged, Open, merge

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_INTEGRAL = 1e-6
_BATCH = 400  # columns; smaller components share a model
_EXACT_FLOAT = 2**53
_GRID = 2**40  # totals of rows whose integers floats cannot carry


@dataclass(frozen=True, eq=False)
class Packing:
    """Maximise an exact weight over the open papers of an instance."""

    part: Open
    coef: Exact  # of the columns
    merging: bool = True

    @cached_property
    def carried(self) -> bool:
        """Whether floats carry every row exactly."""
        total = np.zeros(len(self.part.row), self.part.cost.dtype)
        np.add.at(total, self.part.row_of, self.part.cost)
        return all(int(t) < _EXACT_FLOAT for t in total.tolist())

    @cached_property
    def merged(self) -> Merged:
        """Identical columns; not merged where rows are cut, since cuts need 0/1 columns."""
        return merge(self.part, self.coef, enabled=self.merging and self.carried)

    @cached_property
    def row_block(self) -> Rows:
        """The rows over merged columns; where floats fall short, rounded down (a relaxation)."""
        part, merged = self.part, self.merged
        first = np.zeros(len(part.paper), bool)
        first[merged.first] = True
        entry = first[part.col]
        cost, budget, row = part.cost[entry], part.budget, part.row_of[entry]
        if not self.carried:
            total = np.zeros(len(part.row), object)
            np.add.at(total, part.row_of, part.cost.astype(object))
            unit = np.array([max(1, int(t) // _GRID) for t in total.tolist()], object)
            cost, budget = cost // unit[row], budget // unit
        return rows(
            row,
            merged.group[part.col[entry]],
            cost.astype(np.float64),
            upper=budget.astype(np.float64),
            count=len(part.row),
        )

    @cached_property
    def model(self) -> LinearModel:
        """The 0/1 program (merged columns are integers up to their number)."""
        return LinearModel.build(
            self.coef.take(self.merged.first),
            self.row_block,
            upper=self.merged.many.astype(np.float64),
            maximize=True,
        )

    def kept(self, x: Floats) -> Bools:
        """Return the kept columns of a point over merged columns."""
        order = self.part.problem.order[self.part.paper]
        return self.merged.expand(np.rint(x).astype(np.int64), order)

    def point(self, kept: Bools) -> Floats:
        """Return the point over merged columns of a set of kept columns."""
        return self.merged.count(kept).astype(np.float64)

    def filled(self, kept: Bools) -> Bools:
        """Return kept columns with whatever still fits, heaviest first: no objective minds."""
        order = np.lexsort((-self.coef.floats(), ~kept))
        return insert(self.part, order)

    def value(self, kept: Bools) -> Rational:
        """Return the exact weight of kept columns."""
        return self.coef.total(kept)


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The linear program's vertex and its rounding."""

    result: LinearResult
    kept: Bools

    @property
    def fractional(self) -> float:
        """Share of the columns that the vertex keeps in part; 1 if there is no vertex."""
        x = self.result.x
        return 1.0 if x is None else float(np.mean(np.abs(x - np.rint(x)) > _INTEGRAL))

    def share(self, packing: Packing) -> Floats:
        """Return the fraction of each column that the vertex keeps."""
        x = self.result.x
        if x is None:
            return np.zeros(len(packing.part.paper))
        return np.asarray((x / packing.merged.many)[packing.merged.group])


def relaxation(packing: Packing, run: Run) -> Relaxed:
    """Solve the linear program and round its vertex."""
    if not len(packing.part.paper):  # decided by presolve: no solver has anything to say
        nothing = np.zeros(0)
        return Relaxed(LinearResult("optimal", nothing, 0, 0, 0, nothing), nothing > 0)
    result = relax(packing.model, run)
    return Relaxed(result, round_down(packing, result.x))


def round_down(packing: Packing, x: Floats | None) -> Bools:
    """Insert papers by falling share in the vertex; ties: fewer binding rows, policy order."""
    part = packing.part
    share = np.zeros(len(part.paper))
    if x is not None:
        share = np.round((x / packing.merged.many)[packing.merged.group], 9)
    binding = np.diff(part.by_column[0])
    order = np.lexsort((part.problem.order[part.paper], binding, -share))
    return insert(part, order)


def multipliers_bound(packing: Packing, result: LinearResult) -> Bound | None:
    """Return the bound on the objective that an LP's duals prove (weak duality)."""
    if result.duals is None:
        return None
    data = multipliers_data(packing, result.duals, "packing-multipliers")
    return Bound(packing.part.problem.recompute(data), "multipliers", data)


def multipliers_data(packing: Packing, duals: Floats, rule: str) -> dict[str, Any]:
    """Return exact multipliers from an LP's duals, by author (and role), as the proof wants."""
    part, problem = packing.part, packing.part.problem
    y = np.maximum(duals, 0.0)
    if packing.carried:
        multipliers = exact_multipliers(y, *part.by_column, packing.coef)
    else:
        multipliers = [Fraction(v).limit_denominator(10**9) for v in y.tolist()]
    all_rows = problem.rows
    data: dict[str, Any] = {"rule": rule, "y": {}}
    for k, value in zip(part.row.tolist(), multipliers, strict=True):
        if value == 0:
            continue
        author = problem.author_ids[int(all_rows.author[k])]
        role = int(all_rows.role[k])
        text = str(value * int(all_rows.scale[k]))
        if role < 0:
            data["y"][author] = text
        else:
            name = problem.effective_role_names[role]
            data.setdefault("role_y", {}).setdefault(name, {})[author] = text
    return data


@dataclass(frozen=True, eq=False)
class Packed:
    """The best columns found, and what the solvers claim to have proven about their weight.

    ``bound`` is an upper bound on the weight of any packing, None if a part has none.
    """

    kept: Bools
    bound: Rational | None
    slack: Rational
    backends: tuple[str, ...]
    notes: tuple[Note, ...] = ()


def solve_packing(
    packing: Packing, run: Run, *, backend: str, start: Bools, relaxed: Relaxed | None
) -> Packed:
    """Solve the 0/1 program, component by component where the relaxation is fractional.

    With a relaxation, components at whose vertex every column is integral are done: the
    vertex is their optimum. Without one the whole model goes to the backend.
    """
    n = len(packing.part.paper)
    if relaxed is None or relaxed.result.status != "optimal" or not packing.carried:
        return _solve_columns(packing, run, np.ones(n, bool), backend, start)
    share = relaxed.share(packing)
    x = relaxed.result.x
    assert x is not None
    component = packing.part.component
    fractional = np.abs(x - np.rint(x))[packing.merged.group] > _INTEGRAL
    hard = np.zeros(int(component.max(initial=-1)) + 1, bool)
    hard[component[fractional]] = True
    easy = ~hard[component]
    vertex = packing.kept(x)
    kept = np.where(easy, vertex, start)
    bound: Rational | None = packing.value(easy & vertex)
    done = Packed(kept, bound, relaxed.result.slack, (relaxed.result.backend,))
    if not easy.any():
        done = replace(done, backends=(), slack=0)
    for columns in _batches(component, hard):
        piece = _solve_columns(packing, run, columns, backend, start)
        if piece.bound is None:  # the part's share of the relaxation is a bound as well
            weight = packing.coef.floats()[columns]
            whole = Fraction(float((share[columns] * weight).sum()))
            slack = Fraction(float(weight.sum())) / 10**8
            who = (relaxed.result.backend,)
            piece = replace(piece, bound=whole, slack=slack, backends=who)
        done = _joined(done, piece, columns)
    return done


def upper_value(part: Open, weight: Rational, objective: str) -> Rational:
    """Return the value of an objective when the open papers kept have this weight."""
    form = part.problem.linear_form(objective)
    fixed = form.value(part.mask(np.zeros(len(part.paper), bool)))
    return fixed + form.sign * Fraction(weight)


def rounded_up(slack: Rational) -> float:
    """Return a slack as a float that is not smaller."""
    return math.nextafter(float(slack), 1) if slack else 0


def _joined(done: Packed, piece: Packed, columns: Bools) -> Packed:
    bound = None if done.bound is None or piece.bound is None else done.bound + piece.bound
    return Packed(
        np.where(columns, piece.kept, done.kept),
        bound,
        done.slack + piece.slack,
        tuple(dict.fromkeys((*done.backends, *piece.backends))),
        (*done.notes, *piece.notes),
    )


def _batches(component: Ints, hard: Bools) -> list[Bools]:
    """Return the columns of the fractional components, small ones put together."""
    size = np.bincount(component, minlength=len(hard))
    out: list[Bools] = []
    batch: list[int] = []
    room = _BATCH
    for c in np.flatnonzero(hard)[np.argsort(size[hard], kind="stable")].tolist():
        if batch and room < size[c]:
            out.append(np.isin(component, batch))
            batch, room = [], _BATCH
        batch.append(c)
        room -= int(size[c])
    if batch:
        out.append(np.isin(component, batch))
    return out


def _solve_columns(
    packing: Packing, run: Run, columns: Bools, backend: str, start: Bools
) -> Packed:
    """Hand the columns (whole components) to a backend; cut where its floats blurred a limit."""
    merged, part = packing.merged, packing.part
    groups = np.unique(merged.group[columns])
    model = _sub_model(packing.model, groups)
    begin = packing.point(start)[groups]
    notes: tuple[Note, ...] = ()
    while True:
        result = solve(model, run, backend=backend, start=begin)
        notes = (*notes, *result.notes)
        x = np.zeros(len(merged.first))
        if result.x is not None:
            x[groups] = result.x
        kept = np.where(columns, packing.kept(x), start)
        fits = part.fits(kept)
        if fits.all() or result.x is None:
            break
        broken = np.flatnonzero(~fits)
        entry = np.isin(part.row_of, broken) & kept[part.col]
        position = np.searchsorted(groups, merged.group[part.col[entry]])
        row = np.searchsorted(broken, part.row_of[entry])
        most = np.bincount(row, minlength=len(broken)) - 1.0
        model = model.with_rows(rows(row, position, 1, upper=most, count=len(broken)))
        if run.expired():
            kept = start
            break
    bound = result.bound
    if result.status == "optimal" and bound is None:
        bound = result.value
    return Packed(kept, bound, result.slack, (result.backend,) if result.backend else (), notes)


def _sub_model(model: LinearModel, groups: Ints) -> LinearModel:
    """Return the model restricted to some columns; rows without any of them are dropped."""
    if len(groups) == model.n_columns:
        return model
    position = np.full(model.n_columns, -1, np.int64)
    position[groups] = np.arange(len(groups))
    row = model.row_of()
    entry = position[model.indices] >= 0
    used = np.unique(row[entry])
    block = rows(
        np.searchsorted(used, row[entry]),
        position[model.indices[entry]],
        model.coefs[entry],
        lower=model.row_lower[used],
        upper=model.row_upper[used],
        count=len(used),
    )
    return LinearModel.build(
        model.objective.take(groups), block, upper=model.upper[groups], maximize=True
    )
