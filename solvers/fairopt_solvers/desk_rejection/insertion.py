"""The limits as plain arrays for kernels, and insertion of papers while everything fits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import DeskRejection
from fairopt_solvers.desk_rejection.presolve import Open

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_ROOM = 2**50  # what the largest total of a row is scaled to where int64 is too small


@dataclass(frozen=True, eq=False)
class View:
    """The packing view of ``kernels``: rows that can bind over papers, both ways.

    ``cost`` arrays and ``budget`` are exact integers of any size; ``kernel_view`` makes them int64.
    ``row_unit`` is what one unit of a row's costs is worth.
    """

    col_ptr: Ints
    col_row: Ints
    col_cost: NDArray[Any]
    row_ptr: Ints
    row_col: Ints
    row_cost: NDArray[Any]
    budget: NDArray[Any]
    forced: NDArray[np.int8]
    row_unit: NDArray[np.float64]

    @staticmethod
    def of_problem(problem: DeskRejection) -> View:
        """Return the view of all papers, forced ones marked."""
        rows = problem.rows
        forced = problem.must_keep.astype(np.int8) - problem.must_reject.astype(np.int8)
        unit = np.array([1 / int(s) for s in rows.scale.tolist()], np.float64)
        return View(*rows.by_paper, rows.ptr, rows.paper, rows.cost, rows.budget, forced, unit)

    @staticmethod
    def of_open(part: Open) -> View:
        """Return the view of the open papers, none of them forced."""
        scale = part.problem.rows.scale[part.row].tolist()
        return View(
            *part.by_column,
            part.ptr,
            part.col,
            part.cost,
            part.budget,
            np.zeros(len(part.paper), np.int8),
            np.array([1 / int(s) for s in scale], np.float64),
        )

    @property
    def fits_int64(self) -> bool:
        """Whether kernels can take the view as it is."""
        return self.col_cost.dtype != object and self.budget.dtype != object

    def kernel_view(self) -> View:
        """Return an int64 view whose answers are answers of this one.

        Where the exact integers are too large, costs are rounded up and budgets down, so that a
        few papers that fit may be refused; ``insert`` on the exact view adds them.
        """
        if self.fits_int64:
            return self
        total = np.zeros(len(self.budget), object)
        np.add.at(total, self.col_row, self.col_cost.astype(object))
        unit = np.array([max(1, int(t) // _ROOM) for t in total.tolist()], object)
        row_of = np.repeat(np.arange(len(self.budget)), np.diff(self.row_ptr))
        return replace(
            self,
            col_cost=_up(self.col_cost, unit[self.col_row]),
            row_cost=_up(self.row_cost, unit[row_of]),
            budget=(self.budget // unit).astype(np.int64),
            row_unit=self.row_unit * unit.astype(np.float64),
        )

    @property
    def columns(self) -> tuple[Any, ...]:
        """``col_ptr, col_row, col_cost, budget, forced``, as kernels of insertion take them."""
        return self.col_ptr, self.col_row, self.col_cost, self.budget, self.forced

    @property
    def both(self) -> tuple[Any, ...]:
        """All arrays of the packing view in the order of the search kernels."""
        return (
            self.col_ptr, self.col_row, self.col_cost, self.row_ptr, self.row_col, self.row_cost,
            self.budget, self.forced,
        )  # fmt: skip


def _up(cost: NDArray[Any], unit: NDArray[Any]) -> Ints:
    return np.asarray(-(-cost.astype(object) // unit), dtype=np.int64)


def insert_in(view: View, order: Ints, *, charge_rejected: bool = False) -> Bools:
    """Return the papers kept when each of ``order`` is kept if all its rows have room.

    Papers that must be kept come first, those that must be rejected never. With
    ``charge_rejected`` a paper counts against its authors in either case.
    """
    if view.fits_int64:
        from fairopt_solvers.desk_rejection.kernels import insert_in_order

        kept: Bools = insert_in_order(order, charge_rejected, *view.columns)
        return kept
    return _insert_exactly(view, order.tolist(), charge_rejected)


def _insert_exactly(view: View, order: Iterable[int], charge_rejected: bool) -> Bools:
    """The same with integers of any size."""
    ptr, row, cost = view.col_ptr.tolist(), view.col_row.tolist(), view.col_cost.tolist()
    left, forced = view.budget.tolist(), view.forced.tolist()
    kept = view.forced == 1
    for j in np.flatnonzero(kept).tolist():
        for e in range(ptr[j], ptr[j + 1]):
            left[row[e]] -= cost[e]
    for j in order:
        if forced[j]:
            continue
        entries = range(ptr[j], ptr[j + 1])
        fits = all(cost[e] <= left[row[e]] for e in entries)
        kept[j] = fits
        if fits or charge_rejected:
            for e in entries:
                left[row[e]] -= cost[e]
    return np.asarray(kept, bool)


def insert(part: Open, order: Ints) -> Bools:
    """Insert open papers in an order; what it returns cannot be extended within the order."""
    return insert_in(View.of_open(part), order)
