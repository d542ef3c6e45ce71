"""Kernel of ``tree-fairlet``: who leaves a cell for the one above, and the pieces made there."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import INT, INTS, INTS_OUT, helper, kernel


@helper
def _make(who: Any, count: Any, few: Any, many: Any, out: Any, piece: Any) -> Any:
    """Divide points in balance into pieces of at most ``few + many``; return the next number.

    ``who[g, :count[g]]`` are the points of group g. Pieces of ``few`` and ``many``, then one that
    takes up the rest of the difference, then pairs.
    """
    a = 0 if count[0] <= count[1] else 1
    b = 1 - a
    low, high = count[a], count[b]
    at_a, at_b = 0, 0
    while at_a < low:
        rest_a, rest_b = low - at_a, high - at_b
        more = rest_b - rest_a
        if few < many and more >= many - few:
            take_a, take_b = few, many
        elif more > 0:
            take_a = (more * few + many - few - 1) // (many - few)
            take_b = take_a + more
        else:
            take_a, take_b = 1, 1
        for _ in range(take_a):
            out[who[a, at_a]] = piece
            at_a += 1
        for _ in range(take_b):
            out[who[b, at_b]] = piece
            at_b += 1
        piece += 1
    return piece


@helper
def _need(have: Any, other: Any, few: Any, many: Any) -> Any:
    """Return how many of a group are missing beside ``other`` points of the other group."""
    return max(0, (other * few + many - 1) // many - have)


@helper
def _borrow(
    a: Any, first: Any, end: Any, few: Any, many: Any, count: Any, left: Any, take: Any
) -> None:
    """Take points of group a (and of the other) from the parts until ``count`` is in balance.

    First those that a part can spare; then what does not fill whole pieces: taken from all
    parts that leaves them no slack, so that all of it is in ``count``.
    """
    b = 1 - a
    for c in range(first, end):
        want = _need(count[a], count[b], few, many)
        spare = left[2 * c + a] - (left[2 * c + b] * few + many - 1) // many
        amount = min(want, max(0, spare))
        left[2 * c + a] -= amount
        take[2 * c + a] += amount
        count[a] += amount
    for c in range(first, end):
        if _need(count[a], count[b], few, many) == 0:
            break
        whole = min(left[2 * c + a] // few, left[2 * c + b] // many)
        for g, keep in ((a, whole * few), (b, whole * many)):
            amount = left[2 * c + g] - keep
            left[2 * c + g] = keep
            take[2 * c + g] += amount
            count[g] += amount


@helper
def _collect(
    group: Any, start: Any, first: Any, end: Any, take: Any, level: Any, tally: Any, out: Any,
    who: Any,
) -> None:  # fmt: skip
    """Put the points that each part gives into ``who`` by groups: those of the highest levels."""
    at = np.zeros(2, np.int64)
    for c in range(first, end):
        for g in range(2):
            if take[2 * c + g] == 0:
                continue
            tally[:] = 0
            for i in range(start[c], start[c + 1]):
                if group[i] == g and out[i] == -1:
                    tally[level[i]] += 1
            last, before = 0, 0
            while before + tally[last] < take[2 * c + g]:
                before += tally[last]
                last += 1
            rest = take[2 * c + g] - before  # of level ``last``
            for i in range(start[c], start[c + 1]):
                if group[i] != g or out[i] != -1 or level[i] > last:
                    continue
                if level[i] == last:
                    if rest == 0:
                        continue
                    rest -= 1
                who[g, at[g]] = i
                at[g] += 1
                out[i] = -2  # spoken for


@kernel(INT(INTS, INTS, INT, INT, INT, INTS_OUT))
def settle(group: Any, start: Any, few: Any, many: Any, here: Any, level: Any) -> Any:
    """Let all cells of one level use the points that are in balance, from the leaves upwards.

    ``level`` (n,) is -1 for points that are not used yet and becomes ``here`` for those that are;
    what exceeds the balance of its cell stays for the cell above. Returns how many are used.
    """
    used = 0
    keep = np.zeros(2, np.int64)
    have = np.zeros(2, np.int64)
    for c in range(len(start) - 1):
        have[:] = 0
        for i in range(start[c], start[c + 1]):
            if level[i] < 0:
                have[group[i]] += 1
        for g in range(2):
            keep[g] = max(0, have[g] - have[1 - g] * many // few)
        for i in range(start[c], start[c + 1]):
            if level[i] < 0:
                if keep[group[i]] > 0:
                    keep[group[i]] -= 1
                else:
                    level[i] = here
                    used += 1
    return used


@kernel(
    INT(INTS, INTS, INTS, INT, INT, INTS, INT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT)
)
def divide(
    group: Any,
    start: Any,
    child: Any,
    few: Any,
    many: Any,
    level: Any,
    piece: Any,
    out: Any,
    scratch: Any,
    left: Any,
    take: Any,
    tally: Any,
) -> Any:
    """Make pieces, for all cells of one level, of the points that their parts cannot use.

    Parameters
    ----------
    group
        (n,) 0 or 1, points in the order of the tree.
    start
        Where the parts (cells of the next level) begin, and n at the end; without parts (last
        level) equal to the cells themselves.
    child
        Which parts are of a cell: ``child[v]..child[v + 1]``. Empty at the last level: every cell
        ``start[v]..start[v + 1]`` uses up its own points.
    few, many
        Coprime; a set is in balance if ``few * larger <= many * smaller``. The points of each
        cell that are not in pieces yet are in balance, and so are those of its parts afterwards.
    level
        (n,) where ``settle`` would use the point; the smallest numbers leave first.
    piece, out
        Next number of a piece; (n,) the piece of a point, -1 before.
    scratch, left, take, tally
        (2 * n,), (2 * parts,), (2 * parts,), (levels,).

    Returns
    -------
    The next number.
    """
    n = len(group)
    who = scratch.reshape(2, n)
    count = np.zeros(2, np.int64)
    last = len(child) == 0
    cells = len(start) - 1 if last else len(child) - 1
    for v in range(cells):
        first, end = (v, v + 1) if last else (child[v], child[v + 1])
        if not last and end - first == 1:
            continue
        count[:] = 0
        for c in range(first, end):
            left[2 * c] = left[2 * c + 1] = 0
            for i in range(start[c], start[c + 1]):
                if out[i] < 0:
                    left[2 * c + group[i]] += 1
            for g in range(2):
                extra = left[2 * c + g] - left[2 * c + 1 - g] * many // few
                take[2 * c + g] = left[2 * c + g] if last else max(0, extra)
            for g in range(2):
                left[2 * c + g] -= take[2 * c + g]
                count[g] += take[2 * c + g]
        if not last:
            a = 0 if _need(count[0], count[1], few, many) > 0 else 1
            _borrow(a, first, end, few, many, count, left, take)
        _collect(group, start, first, end, take, level, tally, out, who)
        piece = _make(who, count, few, many, out, piece)
    return piece
