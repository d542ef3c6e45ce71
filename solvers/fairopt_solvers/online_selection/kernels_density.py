"""Kernel of the densest edge set of a graph: parametric orientations, one vertex at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import BOOLS_OUT, INT, INTS, INTS_OUT, helper, kernel


@helper
def _push(
    source: Any, amount: Any, p: Any, q: Any, tail: Any, head: Any, ptr: Any, adjacent: Any,
    gone: Any, share: Any, load: Any, queue: Any, via: Any, seen: Any, fixed: Any,
) -> Any:  # fmt: skip
    """Move load from a vertex to vertices with room, along shortest paths; return what is left.

    ``share[e]`` of the q units of edge e are with its tail, the others with its head; moving units
    along an edge is one step. ``fixed`` is a vertex that may not receive. If something is left,
    ``seen`` marks the vertices that could be reached.
    """
    while amount > 0:
        seen[:] = False
        seen[source] = True
        queue[0] = source
        at, end, found = 0, 1, -1
        while at < end and found < 0:
            u = queue[at]
            at += 1
            for k in range(ptr[u], ptr[u + 1]):
                e = adjacent[k]
                v = tail[e] + head[e] - u
                if gone[v] or seen[v] or v == fixed:
                    continue
                if (share[e] if tail[e] == u else q - share[e]) == 0:
                    continue
                seen[v] = True
                via[v] = e
                if load[v] < p:
                    found = v
                    break
                queue[end] = v
                end += 1
        if found < 0:
            return amount
        step, v = min(amount, p - load[found]), found
        while v != source:
            e = via[v]
            v = tail[e] + head[e] - v
            step = min(step, share[e] if tail[e] == v else q - share[e])
        v = found
        while v != source:
            e = via[v]
            v = tail[e] + head[e] - v
            share[e] += -step if tail[e] == v else step
        load[source] -= step
        load[found] += step
        amount -= step
    return 0


@kernel(
    INT(INT, INT, INTS, INTS, INTS, INTS, INTS, INT, INT, BOOLS_OUT, INTS_OUT, INTS_OUT, BOOLS_OUT)
)
def denser(
    p: Any, q: Any, tail: Any, head: Any, ptr: Any, adjacent: Any, order: Any, start: Any,
    stop: Any, gone: Any, share: Any, load: Any, seen: Any,
) -> Any:  # fmt: skip
    """Look for a set W of vertices with q |E(W)| > p (|W| - 1); drop vertices that are in none.

    Every edge of the graph (no self-loops; ``ptr, adjacent`` list the edges at each vertex) gives q
    units to its ends and every vertex takes at most p; no W with v violates the inequality iff that
    is possible with nothing for v [1]_. The vertices ``order[start:stop]`` are tried in turn, each
    from the orientation that the last one left. A vertex that passes is dropped (``gone``): it is
    in no violating set, and for larger p/q it will be in none. ``share`` and ``load`` start with
    any split of the edges that are left.

    Returns the position of a vertex that fails, with W in ``seen``, or ``stop``. A try costs a few
    breadth-first searches, O(edges) each.

    References
    ----------
    .. [1] W. Cunningham, Optimal attack and reinforcement of a network, JACM 32 (1985) 549.
    """
    n = load.size
    queue, via = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for at in range(start, stop):
        v = order[at]
        if gone[v]:
            continue
        if at == start:
            for u in range(n):
                if not gone[u] and load[u] > p:
                    left = _push(
                        u, load[u] - p, p, q, tail, head, ptr, adjacent,
                        gone, share, load, queue, via, seen, -1,
                    )  # fmt: skip
                    if left:
                        return at
        left = _push(
            v, load[v], p, q, tail, head, ptr, adjacent, gone, share, load, queue, via, seen, v
        )
        if left:
            return at
        gone[v] = True
        for k in range(ptr[v], ptr[v + 1]):
            e = adjacent[k]
            u = tail[e] + head[e] - v
            if not gone[u]:
                load[u] -= q - share[e] if tail[e] == v else share[e]
    return stop
