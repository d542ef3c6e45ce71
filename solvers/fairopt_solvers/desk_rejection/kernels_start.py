"""Kernel that prepares the state of the local searches."""

from __future__ import annotations

from typing import Any

from fairopt_solvers.desk_rejection.kernels_moves import STATE_TYPES, VIEW_TYPES, State, enter
from fairopt_solvers.jit import INT, kernel


@kernel(INT(*VIEW_TYPES, *STATE_TYPES))
def search_start(
    col_ptr: Any, col_row: Any, col_cost: Any, row_ptr: Any, row_col: Any, row_cost: Any,
    budget: Any, forced: Any,
    kept: Any, load: Any, blocked: Any, where: Any, lists: Any, count: Any, log: Any,
) -> int:  # fmt: skip
    """Fill the state of a local search from ``kept``; return -1, or a row over its budget.

    Papers with ``forced`` -1 must not be in ``kept`` and those with 1 must. All arrays after
    ``kept`` are overwritten. Time O(nnz).
    """
    for i in range(budget.size):
        load[i] = 0
    for j in range(kept.size):
        blocked[j] = 0
        where[j] = -1
        if kept[j]:
            for e in range(col_ptr[j], col_ptr[j + 1]):
                load[col_row[e]] += col_cost[e]
    for i in range(budget.size):
        if load[i] > budget[i]:
            return i
    for bucket in range(3):
        count[bucket] = 0
    state = State(kept, load, blocked, where, lists, count, log)
    for j in range(kept.size):
        for e in range(col_ptr[j], col_ptr[j + 1]):
            if load[col_row[e]] + col_cost[e] > budget[col_row[e]]:
                blocked[j] += 1
        if not kept[j] and forced[j] != -1:
            enter(state, j)
    return -1
