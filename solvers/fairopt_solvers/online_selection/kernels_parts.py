"""Independence tests of single parts: one level of one matroid, element by element.

A matchoid is compiled (see ``tables``) to a table of *parts*, a matroid to a table of one. Part j
is a row of ``parts``: its kind, where its numbers begin in ``data``, its cells in the state and its
words in ``pool``, its number of elements, up to two sizes, its number of cells, and whether it is
the first or second of two primes that stand for the rationals. The state holds, zero to begin with,
``cells`` times ``levels`` numbers, level-minor, so that a scan over the levels for one element
stays in one line of the cache. Each element is in at most one level of a state.

``work`` holds scratch: the stamp last used, whether two primes disagreed, where free scratch
begins; then stamps, then free scratch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import helper

KIND, DATA, CELL, POOL, SIZE, A, B, CELLS, TWIN = range(9)
LAMINAR, GRAPHIC, COGRAPHIC, TRANSVERSAL, GF2, GFP, BASES, CIRCUITS = range(8)
STAMP, DISAGREE, FREE, STAMPS = range(4)


@helper
def root(state: Any, cell: Any, levels: Any, level: Any, v: Any) -> Any:
    """Return the root of v in a level's union-find, halving the path.

    A cell is the parent plus one, or minus the number of further vertices of a root.
    """
    while True:
        p = state[(cell + v) * levels + level]
        if p <= 0:
            return v
        g = state[(cell + p - 1) * levels + level]
        if g <= 0:
            return p - 1
        state[(cell + v) * levels + level] = g
        v = g - 1


@helper
def inverse(a: Any, p: Any) -> Any:
    """Return the inverse of a modulo the prime p < 2^31 (Fermat)."""
    out, e = np.int64(1), p - 2
    while e > 0:
        if e & 1:
            out = out * a % p
        a = a * a % p
        e >>= 1
    return out


@helper
def low_bit(x: Any) -> Any:
    """Return the position of the lowest set bit of a non-zero word."""
    at = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if x & ((np.int64(1) << shift) - 1) == 0:
            x >>= shift
            at += shift
    return at


@helper
def connected(data: Any, d: Any, n: Any, size: Any, out: Any, e: Any, work: Any) -> Any:
    """Return whether e closes a cycle with edges that are not out; O(vertices + edges).

    ``out`` is a strided view: 0 where an edge is still there. On return the vertices reached from
    the first end of e are those with the newest stamp.
    """
    source, target = data[d + e], data[d + n + e]
    ptr, adjacent = d + 2 * n, d + 2 * n + size + 1
    work[STAMP] += 1
    stamp, queue = work[STAMP], work[FREE]
    work[queue] = source
    work[STAMPS + source] = stamp
    head, tail = 0, 1
    while head < tail:
        x = work[queue + head]
        head += 1
        for k in range(data[ptr + x], data[ptr + x + 1]):
            f = data[adjacent + k]
            y = data[d + f] + data[d + n + f] - x
            if f != e and out[f] == 0 and work[STAMPS + y] != stamp:
                work[STAMPS + y] = stamp
                work[queue + tail] = y
                tail += 1
    return work[STAMPS + target] == stamp or source == target


@helper
def alternate(data: Any, d: Any, n: Any, matched: Any, e: Any, work: Any) -> Any:
    """Search an alternating path from left vertex e to a free right one, breadth first.

    ``matched`` is a strided view: 0 for a free right vertex, else its left vertex plus one, with a
    minus where the vertex is dead. Returns the free right vertex, or minus the number of left
    vertices reached (e among them). Free scratch then holds the queue: left vertex, right vertex
    through which it was reached (-1 for e), and for each right vertex its place in the queue.
    """
    work[STAMP] += 1
    stamp, queue = work[STAMP], work[FREE]
    rights = matched.size
    via, origin = queue + rights + 1, queue + 2 * rights + 2
    work[queue], work[via] = e, -1
    head, tail = 0, 1
    while head < tail:
        x = work[queue + head]
        for k in range(data[d + x], data[d + x + 1]):
            y = data[d + n + 1 + k]
            held = matched[y]
            if held < 0 or work[STAMPS + y] == stamp:
                continue
            work[STAMPS + y] = stamp
            work[origin + y] = head
            if held == 0:
                return y
            work[queue + tail], work[via + tail] = held - 1, y
            tail += 1
        head += 1
    return -tail


@helper
def reduce_bits(data: Any, at: Any, words: Any, pivots: Any, pool: Any, base: Any, x: Any) -> Any:
    """Reduce a GF(2) column into x; return its pivot, -1 if it is dependent."""
    for w in range(words):
        x[w] = data[at + w]
    for w in range(words):
        while x[w] != 0:
            pivot = 64 * w + low_bit(x[w])
            held = pivots[pivot]
            if held == 0:
                return pivot
            row = base + (held - 1) * words
            for k in range(w, words):
                x[k] ^= pool[row + k]
    return -1


@helper
def reduce_mod(
    data: Any, at: Any, rows: Any, p: Any, pivots: Any, pool: Any, base: Any, x: Any
) -> Any:
    """Reduce a GF(p) column into x; return its pivot, -1 if it is dependent."""
    for i in range(rows):
        x[i] = data[at + i]
    for i in range(rows):
        if x[i] == 0:
            continue
        held = pivots[i]
        if held == 0:
            return i
        factor = p - x[i]
        row = base + (held - 1) * rows
        for k in range(i, rows):
            x[k] = (x[k] + factor * pool[row + k]) % p
    return -1


@helper
def within_base(data: Any, d: Any, count: Any, words: Any, held: Any, e: Any) -> Any:
    """Return whether the set ``held`` and e lie within one base."""
    for b in range(count):
        inside = True
        for w in range(words):
            bits = held[w]
            if w == e >> 6:
                bits |= np.int64(1) << (e & 63)
            if bits & ~data[d + b * words + w]:
                inside = False
                break
        if inside:
            return True
    return False


@helper
def closed_circuit(data: Any, d: Any, n: Any, words: Any, held: Any, e: Any) -> Any:
    """Return where a circuit begins that e closes with ``held``; -1 if there is none."""
    total = data[d + n]
    masks = d + n + 1 + total
    for k in range(data[d + e], data[d + e + 1]):
        at = masks + data[d + n + 1 + k] * words
        closed = True
        for w in range(words):
            bits = held[w]
            if w == e >> 6:
                bits |= np.int64(1) << (e & 63)
            if data[at + w] & ~bits:
                closed = False
                break
        if closed:
            return at
    return -1


@helper
def fits_part(
    part: Any, data: Any, state: Any, levels: Any, level: Any, pool: Any, work: Any, e: Any
) -> Any:
    """Return whether element e (local number) fits into a level of a part."""
    kind, d, n = part[KIND], part[DATA], part[SIZE]
    cell, size = part[CELL], part[A]
    if kind == LAMINAR:
        s = data[d + e]
        while s >= 0:
            if state[(cell + s) * levels + level] >= data[d + n + size + s]:
                return False
            s = data[d + n + s]
        return True
    if kind == GRAPHIC:
        u = root(state, cell, levels, level, data[d + e])
        return u != root(state, cell, levels, level, data[d + n + e])
    if kind == COGRAPHIC:
        out = state[cell * levels + level : (cell + n) * levels : levels]
        return connected(data, d, n, size, out, e, work)
    held = state[cell * levels + level : (cell + part[CELLS]) * levels : levels]
    if kind == TRANSVERSAL:
        found = alternate(data, d, n, held, e, work)
        if found >= 0:
            return True
        for k in range(1, -found):  # what was reached is tight for good
            y = work[work[FREE] + size + 1 + k]
            held[y] = -held[y]
        return False
    x = work[work[FREE] :]
    if kind == GF2:
        return reduce_bits(data, d + e * size, size, held, pool, part[POOL], x) >= 0
    if kind == GFP:
        return reduce_mod(data, d + e * size, size, part[B], held, pool, part[POOL], x) >= 0
    if kind == BASES:
        return within_base(data, d, size, part[B], held, e)
    return closed_circuit(data, d, n, part[B], held, e) < 0


@helper
def add_part(
    part: Any, data: Any, state: Any, levels: Any, level: Any, pool: Any, work: Any, e: Any
) -> None:
    """Put element e (local number), which fits, into a level of a part."""
    kind, d, n = part[KIND], part[DATA], part[SIZE]
    cell, size = part[CELL], part[A]
    if kind == LAMINAR:
        s = data[d + e]
        while s >= 0:
            state[(cell + s) * levels + level] += 1
            s = data[d + n + s]
        return
    if kind == GRAPHIC:
        u = root(state, cell, levels, level, data[d + e])
        v = root(state, cell, levels, level, data[d + n + e])
        at, to = (cell + u) * levels + level, (cell + v) * levels + level
        if state[at] < state[to]:
            at, to, v = to, at, u
        state[to] += state[at] - 1
        state[at] = v + 1
        return
    if kind == COGRAPHIC:
        state[(cell + e) * levels + level] = 1
        return
    held = state[cell * levels + level : (cell + part[CELLS]) * levels : levels]
    if kind == TRANSVERSAL:
        y = alternate(data, d, n, held, e, work)
        queue = work[FREE]
        via, origin = queue + size + 1, queue + 2 * size + 2
        while y >= 0:
            place = work[origin + y]
            held[y] = work[queue + place] + 1
            y = work[via + place]
        return
    x = work[work[FREE] :]
    row = part[POOL] + e * size
    if kind == GF2:
        pivot = reduce_bits(data, d + e * size, size, held, pool, part[POOL], x)
        for k in range(size):
            pool[row + k] = x[k]
        held[pivot] = e + 1
    elif kind == GFP:
        p = part[B]
        pivot = reduce_mod(data, d + e * size, size, p, held, pool, part[POOL], x)
        scale = inverse(x[pivot], p)
        for k in range(size):
            pool[row + k] = x[k] * scale % p
        held[pivot] = e + 1
    else:
        held[e >> 6] |= np.int64(1) << (e & 63)
