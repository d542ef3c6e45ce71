"""Kernels of Algorithm 3: peeling a sampled graph, and what follows from its order."""

from __future__ import annotations

from typing import Any

from fairopt_solvers.jit import (
    BYTES,
    FLOATS_OUT,
    INT,
    INTS,
    INTS_OUT,
    STATE,
    helper,
    kernel,
    uniform_below,
    uniform_float,
)

UPWARD, DOWNWARD, DECIDED = range(3)  # the two samples, and the edges that are decided on
UNREACHED = 2**62  # level of a vertex that peeling leaves over


@helper
def peel(tail: Any, head: Any, ptr: Any, edge: Any, part: Any, d: Any, out: Any, work: Any) -> None:
    """Write each vertex's level into ``work[:n]``, by rounds of peeling, O(vertices + edges).

    An edge of the first sample is an arc from its smaller end to its larger, one of the second
    from its larger to its smaller. Round j removes together all vertices with at most d arcs to
    remaining vertices. ``out`` has n cells, ``work`` 2n.
    """
    n = ptr.size - 1
    for v in range(n):
        out[v] = 0
        work[v] = UNREACHED
    for e in range(tail.size):
        if part[e] != DECIDED:
            up = part[e] == UPWARD
            out[min(tail[e], head[e]) if up else max(tail[e], head[e])] += 1
    first, last = n, n  # the queue stands in work[n:]
    for v in range(n):
        if out[v] <= d:
            work[v] = 0
            work[last] = v
            last += 1
    while first < last:
        v = work[first]
        first += 1
        for k in range(ptr[v], ptr[v + 1]):
            e = edge[k]
            if part[e] == DECIDED:
                continue
            u = tail[e] + head[e] - v
            if (u < v) == (part[e] == UPWARD) and work[u] == UNREACHED:
                out[u] -= 1
                if out[u] == d:
                    work[u] = work[v] + 1
                    work[last] = u
                    last += 1


@helper
def later(u: Any, v: Any, level: Any) -> Any:
    """Return the end that comes later: levels descend, labels ascend."""
    if level[u] != level[v]:
        return u if level[u] < level[v] else v
    return max(u, v)


@kernel(INT(INTS, INTS, INTS, INTS, BYTES, INT, INTS_OUT, INTS_OUT, INTS_OUT))
def later_ends(tail, head, ptr, edge, part, d, out, work, end):  # type: ignore[no-untyped-def]
    """Write the later end of every edge for one assignment of the edges to the parts."""
    peel(tail, head, ptr, edge, part, d, out, work)
    for e in range(tail.size):
        end[e] = later(tail[e], head[e], work)
    return 0


@helper
def assign(n: Any, q: Any, part: Any, state: Any) -> None:
    """Draw the part of every edge: decided with probability q, else either sample."""
    for e in range(n):
        x = uniform_float(state)
        if x < q:
            part[e] = DECIDED
        else:
            part[e] = UPWARD if uniform_float(state) < 0.5 else DOWNWARD


@kernel(INT(INTS, INTS, INTS, INTS, INT, INTS, STATE, INTS_OUT, FLOATS_OUT, FLOATS_OUT))
def sample_shares(tail, head, ptr, edge, d, runs_q, state, scratch, share, square):  # type: ignore[no-untyped-def]
    """Add up, over ``runs_q[0]`` samples, the chance 1/g of every decided edge and its square.

    ``runs_q[1]`` is q in units of 2^-53. g is the number of decided edges with the same later end;
    in a uniformly random order each of them is the first with chance 1/g.
    """
    m, n = tail.size, ptr.size - 1
    part, out = scratch[:m], scratch[m : m + n]
    work, many = scratch[m + n : m + 3 * n], scratch[m + 3 * n :]
    q = runs_q[1] * 2.0**-53
    for _ in range(runs_q[0]):
        assign(m, q, part, state)
        peel(tail, head, ptr, edge, part, d, out, work)
        for v in range(n):
            many[v] = 0
        for e in range(m):
            if part[e] == DECIDED:
                many[later(tail[e], head[e], work)] += 1
        for e in range(m):
            if part[e] == DECIDED:
                chance = 1.0 / many[later(tail[e], head[e], work)]
                share[e] += chance
                square[e] += chance * chance
    return 0


@kernel(INT(INTS, INTS, INTS, INTS, INT, INTS, STATE, INTS_OUT, INTS_OUT))
def sample_counts(tail, head, ptr, edge, d, runs_q, state, scratch, count):  # type: ignore[no-untyped-def]
    """Run the algorithm ``runs_q[0]`` times on random orders and count acceptances.

    Random parts and, among the decided edges with one later end, a uniformly random first one
    are the law of the algorithm on a random order. ``runs_q[1]`` is q in units of 2^-53.
    """
    m, n = tail.size, ptr.size - 1
    part, out = scratch[:m], scratch[m : m + n]
    work, many = scratch[m + n : m + 3 * n], scratch[m + 3 * n : m + 4 * n]
    first = scratch[m + 4 * n :]
    q = runs_q[1] * 2.0**-53
    for _ in range(runs_q[0]):
        assign(m, q, part, state)
        peel(tail, head, ptr, edge, part, d, out, work)
        for v in range(n):
            many[v] = 0
        for e in range(m):
            if part[e] == DECIDED:
                v = later(tail[e], head[e], work)
                many[v] += 1
                if uniform_below(state, many[v]) == 0:
                    first[v] = e
        for v in range(n):
            if many[v] > 0:
                count[first[v]] += 1
    return 0


@kernel(INT(INTS, INTS, INTS, INTS, INT, INTS_OUT, INTS_OUT))
def enumerate_shares(tail, head, ptr, edge, d, scratch, tally):  # type: ignore[no-untyped-def]
    """Tally all 3^m assignments: ``tally[(e (m+1) + t) (m+1) + g]`` counts those with t decided
    edges, e among them, and g of these at e's later end.
    """
    m, n = tail.size, ptr.size - 1
    part, out = scratch[:m], scratch[m : m + n]
    work, many = scratch[m + n : m + 3 * n], scratch[m + 3 * n :]
    for e in range(m):
        part[e] = 0
    going = True
    while going:
        peel(tail, head, ptr, edge, part, d, out, work)
        for v in range(n):
            many[v] = 0
        decided = 0
        for e in range(m):
            if part[e] == DECIDED:
                decided += 1
                many[later(tail[e], head[e], work)] += 1
        for e in range(m):
            if part[e] == DECIDED:
                g = many[later(tail[e], head[e], work)]
                tally[(e * (m + 1) + decided) * (m + 1) + g] += 1
        going = False
        for e in range(m):  # the next number in base 3
            if part[e] < 2:
                part[e] += 1
                going = True
                break
            part[e] = 0
    return 0
