"""Kernel of the transport of points to clusters by shortest paths on the clusters.

Nodes are the clusters, and arc a -> b is as long as the cheapest single move that carries one
unit of excess from a to b. Moving one point along each arc of a shortest path from a cluster with
too much to one with too little keeps the assignment of least cost among those with its counts
(successive shortest paths), if it was so at the start: labels that are the least of the distances
plus prices of the clusters are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import FLOATS_2D, FLOATS_OUT, INT, INTS, INTS_OUT, helper, kernel


@helper
def _down(cost: Any, who: Any, base: Any, size: Any, c: Any, e: Any) -> None:
    """Replace the top of the heap at ``base`` by an entry, and let it sink to its place."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and cost[base + child + 1] < cost[base + child]:
            child += 1
        if c <= cost[base + child]:
            break
        cost[base + at] = cost[base + child]
        who[base + at] = who[base + child]
        at = child
    cost[base + at] = c
    who[base + at] = e


@helper
def _push(cost: Any, who: Any, base: Any, at: Any, c: Any, e: Any) -> None:
    """Put an entry into the heap at ``base`` that has ``at`` entries."""
    while at > 0:
        above = (at - 1) // 2
        if c >= cost[base + above]:
            break
        cost[base + at] = cost[base + above]
        who[base + at] = who[base + above]
        at = above
    cost[base + at] = c
    who[base + at] = e


@kernel(
    INT(
        FLOATS_2D, INTS, INTS, INT, INTS, INTS_OUT, INTS_OUT, FLOATS_OUT, INTS_OUT, INTS_OUT,
        FLOATS_OUT, FLOATS_OUT, INTS_OUT,
    )
)  # fmt: skip
def carry(
    d: Any, members: Any, signs: Any, steps: Any, base: Any, size: Any, who: Any, cost: Any,
    labels: Any, excess: Any, length: Any, price: Any, trace: Any,
) -> Any:  # fmt: skip
    """Move points at least cost until no cluster has an excess, ``steps`` units at most.

    Parameters
    ----------
    d
        (n, k) costs.
    members, signs
        Points that may move. A point of sign +1 in cluster a that goes to b carries a unit of
        excess from a to b; one of sign -1 in b that goes to a does so too.
    base, size, who, cost
        A heap of moves for every arc a * k + b, with room for ``2 * steps`` more: entry j is at
        ``base[arc] + j`` and moves member ``who`` at this cost.
    labels
        (n,) in and out; must cost least for its excess (no negative cycle).
    excess
        (k,) sum of signs in each cluster less what is wanted; adds up to 0; in and out.
    length, price, trace
        (k * k,), (k,), (3 * k,) scratch. In the end ``-price`` are the shortest distances to
        every cluster from all clusters: with ``d + sign * price`` no member has a cheaper one.

    Returns
    -------
    How many units were carried, -1 if there is no way left to carry one.
    """
    k = d.shape[1]
    done = 0
    while True:
        scale, over = 0.0, 0
        for a in range(k):
            if excess[a] > 0:
                over = 1
            for b in range(k):
                ab = a * k + b
                while size[ab] > 0:  # drop moves of points that have gone elsewhere
                    e = who[base[ab]]
                    if labels[members[e]] == (a if signs[e] > 0 else b):
                        break
                    size[ab] -= 1
                    last = base[ab] + size[ab]
                    _down(cost, who, base[ab], size[ab], cost[last], who[last])
                length[ab] = np.inf
                if size[ab] > 0:
                    length[ab] = cost[base[ab]]
                    if length[ab] > scale:
                        scale = length[ab]
                    elif -length[ab] > scale:
                        scale = -length[ab]
        if done == steps:
            over = 0
        for a in range(k):
            trace[a] = -1
            price[a] = 0.0 if over == 0 or excess[a] > 0 else -np.inf
        changed = k
        while changed > 0:  # Bellman and Ford; gains within rounding could go round for ever
            changed -= 1
            quiet = True
            for a in range(k):
                for b in range(k):
                    new = price[a] - length[a * k + b]
                    if new > price[b] + 1e-15 * scale:
                        price[b] = new
                        trace[b] = a
                        quiet = False
            if quiet:
                changed = 0
        if over == 0:
            return done
        end = -1
        for b in range(k):
            if excess[b] < 0 and price[b] > -np.inf and (end < 0 or price[b] > price[end]):
                end = b
        if end < 0:
            return -1
        hops = 0
        while trace[end] >= 0 and hops < k:
            trace[k + hops] = end
            trace[2 * k + hops] = who[base[trace[end] * k + end]]
            end = trace[end]
            hops += 1
        for hop in range(hops):
            b, e = trace[k + hop], trace[2 * k + hop]
            a, i = trace[b], members[e]
            here = b if signs[e] > 0 else a
            labels[i] = here
            excess[a] -= 1
            excess[b] += 1
            for other in range(k):
                if other != here:
                    ab = here * k + other if signs[e] > 0 else other * k + here
                    _push(cost, who, base[ab], size[ab], d[i, other] - d[i, here], e)
                    size[ab] += 1
        done += 1
