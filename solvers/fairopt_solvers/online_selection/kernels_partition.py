"""The kernel of matroid partition: shortest augmenting paths over elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import BOOLS_OUT, INT, INTS, INTS_OUT, helper, kernel
from fairopt_solvers.online_selection.kernels_circuits import (
    DEPTH,
    EDGE,
    PARENT,
    ROOT,
    circuit,
    exchange,
    open_class,
    settle,
)
from fairopt_solvers.online_selection.kernels_parts import DATA, GRAPHIC, KIND, SIZE, A


@kernel(INT(INTS, INTS, INT, INT, INT, INTS_OUT, INTS_OUT, INTS, INTS_OUT))
def settle_classes(
    part: Any, data: Any, rank: Any, classes: Any, width: Any,
    inner: Any, held: Any, size: Any, work: Any,
) -> Any:  # fmt: skip
    """Fill ``inner``, zeros so far, for classes that hold their first members."""
    for j in range(classes):
        mine = inner[j * width : (j + 1) * width]
        open_class(part, data, mine)
        settle(part, data, mine, held[j * rank : (j + 1) * rank], size[j], work)
    return classes


@helper
def _room(
    part: Any, data: Any, e: Any, rank: Any, short: Any, shorts: Any, width: Any,
    inner: Any, held: Any, size: Any, member: Any, work: Any, out: Any,
) -> Any:  # fmt: skip
    """Return a class among the ``short`` ones into which e fits as it is; -1 if there is none."""
    n = part[SIZE]
    for k in range(shorts):
        j = short[k]
        if member[j * n + e]:
            continue
        mine = inner[j * width : (j + 1) * width]
        if part[KIND] == GRAPHIC:
            u, v = data[part[DATA] + e], data[part[DATA] + n + e]
            if mine[4 * u + ROOT] != mine[4 * v + ROOT]:
                return j
        elif circuit(part, data, mine, held[j * rank :], size[j], e, work, out) < 0:
            return j
    return -1


@helper
def _top(jump: Any, base: Any, mark: Any, v: Any) -> Any:
    """Return the end of the jumps from a vertex in this search, halving them."""
    while True:
        up = jump[base + v] - mark
        if up < 0:
            return v
        further = jump[base + up] - mark
        if further < 0:
            return up
        jump[base + v] = further + mark
        v = further


@helper
def _new_on_path(
    mine: Any, u: Any, v: Any, seen: Any, jump: Any, base: Any, mark: Any, out: Any
) -> Any:
    """Write the edges between two vertices of a rooted tree that were not seen; return how many.

    Edges once passed are jumped over for the rest of the search, so that all calls for one tree
    take little more than its size [1]_.
    """
    found = 0
    u, v = _top(jump, base, mark, u), _top(jump, base, mark, v)
    while u != v:
        if mine[4 * u + DEPTH] < mine[4 * v + DEPTH]:
            u, v = v, u
        e = mine[4 * u + EDGE]
        if not seen[e]:
            out[found] = e
            found += 1
        jump[base + u] = mine[4 * u + PARENT] + mark
        u = _top(jump, base, mark, u)
    return found


@helper
def _shift(
    part: Any, data: Any, rank: Any, width: Any, inner: Any, held: Any, size: Any, member: Any,
    work: Any, s: Any, last: Any, to: Any, before: Any, through: Any,
) -> None:  # fmt: skip
    """Put the last element of a path into a class, and each earlier one where the next one was."""
    n, gone = part[SIZE], -1
    while True:
        mine, own = inner[to * width : (to + 1) * width], held[to * rank : (to + 1) * rank]
        size[to] = exchange(part, data, mine, own, size[to], last, gone, work)
        member[to * n + last] = True
        if gone >= 0:
            member[to * n + gone] = False
        if last == s:
            return
        to, gone, last = through[last], last, before[last]


@kernel(
    INT(
        INTS, INTS, INT, INT, INT,
        INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, BOOLS_OUT, BOOLS_OUT, INTS_OUT,
    )
)  # fmt: skip
def augment(
    part: Any, data: Any, rank: Any, width: Any, budget: Any,
    inner: Any, held: Any, size: Any, lack: Any, member: Any, seen: Any, work: Any,
) -> Any:  # fmt: skip
    """Cover element e ``lack[e]`` more times by the classes, one augmenting path a time.

    Class j holds ``held[j * rank:][:size[j]]``, ``member[j * n + e]`` says whether e is in it,
    ``inner[j * width:]`` is described in ``kernels_circuits``. The search goes layer by layer over
    elements: from e it reaches all members of the circuit that e closes with a class that lacks it,
    and ends where an element fits into a class as it is. The path found is a shortest one, hence
    its exchanges, done from the end, keep every class independent. All copies of an element reach
    the same, so one visit each is enough. Within a layer the classes come one after the other,
    which keeps a class in the cache.

    Returns 0 when all is covered, 1 when ``budget`` steps are spent (call again, with more where
    not even one path was found; the search for it begins anew), 2 when an element cannot be
    covered; ``seen`` is then a set R of which every class holds a base, and which they cover too
    little: copies times |R| > classes times r(R).

    References
    ----------
    .. [1] J. Roskind, R. Tarjan, A note on finding minimum-cost edge-disjoint spanning trees,
       Math. Oper. Res. 10 (1985) 701.
    """
    n, classes, graphic = part[SIZE], size.size, part[KIND] == GRAPHIC
    queue, before, through = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    out, spare = np.zeros(rank, np.int64), np.zeros(rank, np.int64)
    short = np.zeros(classes, np.int64)
    jump = np.zeros(classes * part[A] if graphic else 0, np.int64)
    steps, mark = 0, 0
    for s in range(n):
        while lack[s] > 0:
            mark += part[A]
            seen[:] = False
            seen[s] = True
            queue[0], head, tail, last, shorts = s, 0, 1, s, 0
            for j in range(classes):
                if size[j] < rank:
                    short[shorts] = j
                    shorts += 1
            to = _room(
                part, data, s, rank, short, shorts, width, inner, held, size, member, work, spare
            )
            while to < 0:
                stop = tail
                for j in range(classes):
                    mine, own = inner[j * width : (j + 1) * width], held[j * rank :]
                    for at in range(head, stop):
                        e = queue[at]
                        if member[j * n + e]:
                            continue
                        if graphic:
                            u, v = data[part[DATA] + e], data[part[DATA] + n + e]
                            found = _new_on_path(
                                mine, u, v, seen, jump, j * part[A], mark, out
                            )  # fmt: skip
                        else:
                            found = circuit(part, data, mine, own, size[j], e, work, out)
                        steps += 1 + found
                        for k in range(found):
                            f = out[k]
                            if seen[f]:
                                continue
                            seen[f] = True
                            queue[tail] = f
                            tail += 1
                            before[f], through[f], last = e, j, f
                            to = _room(
                                part, data, f, rank, short, shorts, width,
                                inner, held, size, member, work, spare,
                            )  # fmt: skip
                            if to >= 0:
                                break
                        if to >= 0:
                            break
                    if to >= 0 or tail == n:
                        break
                    if steps > budget:
                        return 1
                if to < 0 and tail in (stop, n):
                    return 2
                head = stop
            _shift(
                part,
                data,
                rank,
                width,
                inner,
                held,
                size,
                member,
                work,
                s,
                last,
                to,
                before,
                through,
            )
            lack[s] -= 1
    return 0
