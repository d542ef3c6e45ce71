"""Kernel of `greedy`: multicover by cheapest ratio, then re-insertion.

The packing view is that of `kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import BOOLS_OUT, BYTES, FLOATS, INTS, helper, kernel


@helper
def _before(key: Any, j: int, k: int) -> bool:
    """Tell whether paper j is popped before paper k."""
    return key[j] < key[k] or (key[j] == key[k] and j < k)


@helper
def _sift(heap: Any, length: int, place: int, key: Any) -> None:
    """Move the entry at ``place`` down to where it belongs."""
    j = heap[place]
    while 2 * place + 1 < length:
        child = 2 * place + 1
        if child + 1 < length and _before(key, heap[child + 1], heap[child]):
            child += 1
        if not _before(key, heap[child], j):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = j


@helper
def _cover(
    j: int, col_ptr: Any, col_row: Any, col_cost: Any, row_unit: Any, need: Any
) -> float:  # fmt: skip
    """Return what the rejection of paper j contributes to the rows in need."""
    amount = 0.0
    for e in range(col_ptr[j], col_ptr[j + 1]):
        missing = need[col_row[e]]
        if missing > 0:
            part = col_cost[e] if col_cost[e] < missing else missing
            amount += part * row_unit[col_row[e]]
    return amount


@helper
def _heapify(heap: Any, length: int, key: Any) -> None:
    """Order the entries as a heap."""
    for place in range(length // 2 - 1, -1, -1):
        _sift(heap, length, place, key)


@helper
def _pop(heap: Any, length: int, key: Any) -> None:
    """Take the first entry off; the heap then has ``length - 1``."""
    heap[0] = heap[length - 1]
    if length > 1:
        _sift(heap, length - 1, 0, key)


@helper
def _reinsert(
    kept: Any, need: Any, heap: Any, key: Any,
    col_ptr: Any, col_row: Any, col_cost: Any, forced: Any, weight: Any, size: Any,
) -> None:  # fmt: skip
    """Keep rejected papers again in decreasing weight per author where all rows have room."""
    length = 0
    for j in range(kept.size):
        if not kept[j] and forced[j] == 0:
            key[j] = -weight[j] / size[j] if size[j] > 0 else -np.inf
            heap[length] = j
            length += 1
    _heapify(heap, length, key)
    for rest in range(length, 0, -1):
        j = heap[0]
        _pop(heap, rest, key)
        fits = True
        for e in range(col_ptr[j], col_ptr[j + 1]):
            if need[col_row[e]] + col_cost[e] > 0:
                fits = False
        kept[j] = fits
        if fits:
            for e in range(col_ptr[j], col_ptr[j + 1]):
                need[col_row[e]] += col_cost[e]


@kernel(BOOLS_OUT(INTS, INTS, INTS, INTS, BYTES, FLOATS, FLOATS, INTS))
def greedy_cover(
    col_ptr: Any, col_row: Any, col_cost: Any, budget: Any, forced: Any,
    row_unit: Any, weight: Any, size: Any,
) -> Any:  # fmt: skip
    """Reject papers of least ``weight / cover`` until all rows hold, then re-insert; maximal.

    ``cover`` of a paper is the sum over its rows of ``min(cost, excess of the row)`` in real units
    (``row_unit[i]`` is the value of one integer unit of row i; 1 for unit quota, where it counts
    the rows over their limit). Papers are kept again in decreasing ``weight / size`` (``size`` =
    number of all authors) where all rows have room. Ties go to the lower index in both orders.
    Papers that must be rejected go first and do not come back, those that must be kept stay.

    With unit quota, no role rows and no forced keeps the rejected weight is at most ``H(D)`` times
    the minimum, ``D`` the most rows of a paper [1]_, [2]_. A paper is looked at again only when it
    is popped with a key that its cover no longer supports: its key can only have grown, at most
    once per row for unit quota, so the time is O(nnz (D + log m)).

    References
    ----------
    .. [1] G. Dobson, Math. Oper. Res. 7 (1982) 515.
    .. [2] S. Rajagopalan, V. Vazirani, SIAM J. Comput. 28 (1998) 525.
    """
    m = forced.size
    kept = np.zeros(m, np.bool_)
    need = np.zeros(budget.size, np.int64)
    heap = np.zeros(m, np.int64)
    key = np.zeros(m)
    for i in range(budget.size):
        need[i] = -budget[i]
    for j in range(m):
        if forced[j] != -1:
            kept[j] = True
            for e in range(col_ptr[j], col_ptr[j + 1]):
                need[col_row[e]] += col_cost[e]
    length = 0
    for j in range(m):
        if forced[j] == 0:
            cover = _cover(j, col_ptr, col_row, col_cost, row_unit, need)
            if cover > 0.0:
                key[j] = weight[j] / cover
                heap[length] = j
                length += 1
    _heapify(heap, length, key)
    while length > 0:
        j = heap[0]
        cover = _cover(j, col_ptr, col_row, col_cost, row_unit, need)
        if cover > 0.0 and weight[j] / cover > key[j]:
            key[j] = weight[j] / cover
            _sift(heap, length, 0, key)
            continue
        _pop(heap, length, key)
        length -= 1
        if cover > 0.0:
            kept[j] = False
            for e in range(col_ptr[j], col_ptr[j + 1]):
                need[col_row[e]] -= col_cost[e]
    _reinsert(kept, need, heap, key, col_ptr, col_row, col_cost, forced, weight, size)
    return kept
