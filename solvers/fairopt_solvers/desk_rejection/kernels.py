"""Kernels of insertion in a given order and of the baseline policies.

All kernels of this family share one packing view. Columns are the papers; rows are the limits
that can bind (over-limit authors, and roles). ``col_ptr``, ``col_row``, ``col_cost`` list the rows
of a paper and what it costs there, ``row_ptr``, ``row_col``, ``row_cost`` the papers of a row.
Costs are positive integers, scaled row by row, and ``budget`` is in the same unit; the caller
bounds the sum of the costs of a row below ``2**62``. ``forced`` is 1 for papers that must be kept
(together they fit: the caller has checked), -1 for those that must be rejected, else 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import (
    BOOL,
    BOOLS_OUT,
    BYTES,
    INT,
    INTS,
    INTS_OUT,
    STATE,
    kernel,
    uniform_below,
)

_COLUMNS = (INTS, INTS, INTS, INTS, BYTES)


@kernel(BOOLS_OUT(INTS, BOOL, *_COLUMNS))
def insert_in_order(
    order: Any, charge_rejected: bool,
    col_ptr: Any, col_row: Any, col_cost: Any, budget: Any, forced: Any,
) -> Any:  # fmt: skip
    """Return the papers kept by first come, first kept; O(nnz).

    Papers that must be kept come first. Then each paper of ``order`` (distinct indices, not
    necessarily all) is kept if all its rows have room. With ``charge_rejected`` it is charged in
    either case: `rank-cut`; without, the policy `sequential` and its relatives, and the result
    cannot be extended within ``order``. Papers that must be rejected are never placed nor charged.
    """
    kept = np.zeros(forced.size, np.bool_)
    load = np.zeros(budget.size, np.int64)
    for j in range(kept.size):
        if forced[j] == 1:
            kept[j] = True
            for e in range(col_ptr[j], col_ptr[j + 1]):
                load[col_row[e]] += col_cost[e]
    for place in range(order.size):
        j = order[place]
        if forced[j] != 0:
            continue
        fits = True
        for e in range(col_ptr[j], col_ptr[j + 1]):
            if load[col_row[e]] + col_cost[e] > budget[col_row[e]]:
                fits = False
        kept[j] = fits
        if fits or charge_rejected:
            for e in range(col_ptr[j], col_ptr[j + 1]):
                load[col_row[e]] += col_cost[e]
    return kept


@kernel(INT(INTS, INTS, INTS, BOOL, *_COLUMNS, BOOLS_OUT, INTS_OUT, STATE))
def drop_by_author(
    row_order: Any, pick_ptr: Any, pick_col: Any, uniform: bool,
    col_ptr: Any, col_row: Any, col_cost: Any, budget: Any, forced: Any,
    kept: Any, scratch: Any, rng: Any,
) -> Any:  # fmt: skip
    """Let each row in turn drop papers of its list until its limit holds; change ``kept``.

    Row i chooses among ``pick_col[pick_ptr[i]:pick_ptr[i + 1]]``, its papers in the order in which
    it drops them (`self-nominate`), or uniformly among those still kept (`random-per-author`: pass
    ``row_ptr, row_col``). Papers that must be kept are passed over; ``kept`` on entry holds all
    papers except those that must be rejected; ``scratch`` has m places. Returns -1, or the first
    row that stays over its limit. Time O(nnz + total length of the lists).
    """
    load = np.zeros(budget.size, np.int64)
    for j in range(kept.size):
        if kept[j]:
            for e in range(col_ptr[j], col_ptr[j + 1]):
                load[col_row[e]] += col_cost[e]
    for place in range(row_order.size):
        i = row_order[place]
        if load[i] <= budget[i]:
            continue
        choices = 0
        for e in range(pick_ptr[i], pick_ptr[i + 1]):
            j = pick_col[e]
            if kept[j] and forced[j] != 1:
                scratch[choices] = j
                choices += 1
        used = 0
        while load[i] > budget[i]:
            if used == choices:
                return i
            if uniform:
                other = used + uniform_below(rng, choices - used)
                scratch[used], scratch[other] = scratch[other], scratch[used]
            j = scratch[used]
            used += 1
            kept[j] = False
            for e in range(col_ptr[j], col_ptr[j + 1]):
                load[col_row[e]] -= col_cost[e]
    return -1
