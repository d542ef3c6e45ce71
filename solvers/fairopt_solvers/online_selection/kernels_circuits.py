"""Fundamental circuits of sets that change by exchanges, for every kind of matroid.

A *class* is an independent set: its members ``held``, and ``inner``, numbers that depend on the
kind and make circuits cheap:

========================  =========================================================================
counting kinds            members in each set
graphic                   for each vertex its parent, the edge to it, depth, root
cographic                 which edges are out
transversal               left vertex plus one at each right vertex
linear over GF(p)         which column is the unit vector of a row (plus one), then the tableau
bases, circuits           the set as a bit mask
========================  =========================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import helper
from fairopt_solvers.online_selection.kernels_parts import (
    BASES,
    COGRAPHIC,
    DATA,
    FREE,
    GFP,
    GRAPHIC,
    KIND,
    LAMINAR,
    SIZE,
    STAMP,
    STAMPS,
    TRANSVERSAL,
    A,
    B,
    alternate,
    closed_circuit,
    connected,
    inverse,
    within_base,
)

PARENT, EDGE, DEPTH, ROOT = range(4)


@helper
def open_class(part: Any, data: Any, inner: Any) -> None:
    """Make an empty class out of zeros."""
    if part[KIND] == GRAPHIC:
        for v in range(part[A]):
            inner[4 * v + PARENT], inner[4 * v + ROOT] = -1, v
    elif part[KIND] == GFP:
        n, rows = part[SIZE], part[A]
        for e in range(n):
            for i in range(rows):
                inner[rows + i * n + e] = data[part[DATA] + e * rows + i]


@helper
def circuit(
    part: Any, data: Any, inner: Any, held: Any, size: Any, e: Any, work: Any, out: Any
) -> Any:
    """Write the members that e closes a circuit with; return how many, -1 if it closes none."""
    kind, d, n, a = part[KIND], part[DATA], part[SIZE], part[A]
    if kind == GRAPHIC:
        return _tree_path(inner, data[d + e], data[d + n + e], out)
    found = 0
    if kind == LAMINAR:
        s = data[d + e]
        while s >= 0 and inner[s] < data[d + n + a + s]:
            s = data[d + n + s]
        if s < 0:
            return -1
        for k in range(size):
            t = data[d + held[k]]
            while t >= 0 and t != s:
                t = data[d + n + t]
            if t == s:
                out[found] = held[k]
                found += 1
        return found
    if kind == COGRAPHIC:
        if connected(data, d, n, a, inner, e, work):
            return -1
        for k in range(size):
            f = held[k]
            near = work[STAMPS + data[d + f]] == work[STAMP]
            if near != (work[STAMPS + data[d + n + f]] == work[STAMP]):
                out[found] = f
                found += 1
        return found
    if kind == TRANSVERSAL:
        reached = alternate(data, d, n, inner, e, work)
        if reached >= 0:
            return -1
        for k in range(1, -reached):
            out[k - 1] = work[work[FREE] + k]
        return -reached - 1
    if kind == GFP:
        for i in range(a):
            if inner[a + i * n + e] != 0:
                if inner[i] == 0:
                    return -1
                out[found] = inner[i] - 1
                found += 1
        return found
    words = part[B]
    if kind == BASES:
        if within_base(data, d, a, words, inner, e):
            return -1
        for k in range(size):
            f = held[k]
            inner[f >> 6] ^= np.int64(1) << (f & 63)
            if within_base(data, d, a, words, inner, e):
                out[found] = f
                found += 1
            inner[f >> 6] ^= np.int64(1) << (f & 63)
        return found
    at = closed_circuit(data, d, n, words, inner, e)
    if at < 0:
        return -1
    for k in range(size):
        f = held[k]
        if data[at + (f >> 6)] >> (f & 63) & 1:
            out[found] = f
            found += 1
    return found


@helper
def _tree_path(inner: Any, u: Any, v: Any, out: Any) -> Any:
    """Write the edges between two vertices of a rooted forest; -1 if in different trees."""
    if inner[4 * u + ROOT] != inner[4 * v + ROOT]:
        return -1
    found = 0
    while u != v:
        if inner[4 * u + DEPTH] < inner[4 * v + DEPTH]:
            u, v = v, u
        out[found] = inner[4 * u + EDGE]
        found += 1
        u = inner[4 * u + PARENT]
    return found


@helper
def exchange(
    part: Any, data: Any, inner: Any, held: Any, size: Any, e: Any, f: Any, work: Any
) -> Any:
    """Put e in, and take f out unless it is -1; return the new size.

    Without f the class plus e, with f the class minus f plus e must be independent.
    """
    place = size
    if f >= 0:
        place = 0
        while held[place] != f:
            place += 1
    held[place] = e
    size = max(size, place + 1)
    kind, d, n, a = part[KIND], part[DATA], part[SIZE], part[A]
    if kind == GRAPHIC:
        top = inner[4 * data[d + e] + ROOT]
        other = inner[4 * data[d + n + e] + ROOT]
        _link(part, data, inner, held, size, top, other, work)
        _root_at(data, d, n, a, inner, held, top, work)
    elif kind == LAMINAR:
        s = data[d + e]
        while s >= 0:
            inner[s] += 1
            s = data[d + n + s]
        s = data[d + f] if f >= 0 else -1
        while s >= 0:
            inner[s] -= 1
            s = data[d + n + s]
    elif kind == COGRAPHIC:
        inner[e] = 1
        if f >= 0:
            inner[f] = 0
    elif kind == TRANSVERSAL:
        for y in range(a):
            if f >= 0 and inner[y] == f + 1:
                inner[y] = 0
        y = alternate(data, d, n, inner, e, work)
        queue = work[FREE]
        while y >= 0:
            at = work[queue + 2 * a + 2 + y]
            inner[y] = work[queue + at] + 1
            y = work[queue + a + 1 + at]
    elif kind == GFP:
        _pivot(inner, a, n, part[B], e, f)
    else:
        inner[e >> 6] |= np.int64(1) << (e & 63)
        if f >= 0:
            inner[f >> 6] &= ~(np.int64(1) << (f & 63))
    return size


@helper
def _link(
    part: Any, data: Any, inner: Any, held: Any, size: Any, top: Any, other: Any, work: Any
) -> None:
    """List for each vertex its edges among those that begin in the trees of two roots."""
    d, n, a = part[DATA], part[SIZE], part[A]
    first, links = work[FREE], work[FREE] + 2 * a
    for v in range(a):
        work[first + v] = -1
    for k in range(size):
        x = held[k]
        at = inner[4 * data[d + x] + ROOT]
        if at in (top, other):
            for side in range(2):
                v = data[d + side * n + x]
                work[links + 2 * k + side] = work[first + v]
                work[first + v] = 2 * k + side


@helper
def _root_at(data: Any, d: Any, n: Any, a: Any, inner: Any, held: Any, top: Any, work: Any) -> None:
    """Set parent, edge, depth and root of what is linked to a vertex, breadth first."""
    first, queue, links = work[FREE], work[FREE] + a, work[FREE] + 2 * a
    inner[4 * top + PARENT], inner[4 * top + DEPTH], inner[4 * top + ROOT] = -1, 0, top
    work[queue] = top
    head, tail = 0, 1
    while head < tail:
        v = work[queue + head]
        head += 1
        link = work[first + v]
        while link >= 0:
            x = held[link >> 1]
            w = data[d + x] + data[d + n + x] - v
            if x != inner[4 * v + EDGE] or v == top:
                inner[4 * w + PARENT], inner[4 * w + EDGE] = v, x
                inner[4 * w + DEPTH], inner[4 * w + ROOT] = inner[4 * v + DEPTH] + 1, top
                work[queue + tail] = w
                tail += 1
            link = work[links + link]


@helper
def settle(part: Any, data: Any, inner: Any, held: Any, size: Any, work: Any) -> None:
    """Make the class of these members out of an empty one."""
    if part[KIND] != GRAPHIC:
        for k in range(size):
            exchange(part, data, inner, held, k, held[k], -1, work)
        return
    d, n, a = part[DATA], part[SIZE], part[A]
    for v in range(a):
        inner[4 * v + ROOT] = 0
    _link(part, data, inner, held, size, 0, 0, work)
    for v in range(a):
        inner[4 * v + ROOT] = -1
    for v in range(a):
        if inner[4 * v + ROOT] < 0:
            _root_at(data, d, n, a, inner, held, v, work)


@helper
def _pivot(inner: Any, rows: Any, n: Any, p: Any, e: Any, f: Any) -> None:
    """Make column e the unit vector of a free row, or of the row of f."""
    row = 0
    while inner[row] != f + 1 or inner[rows + row * n + e] == 0:
        row += 1
    inner[row] = e + 1
    base = rows + row * n
    scale = inverse(inner[base + e], p)
    for k in range(n):
        inner[base + k] = inner[base + k] * scale % p
    for i in range(rows):
        factor = p - inner[rows + i * n + e]
        if i != row and factor != p:
            at = rows + i * n
            for k in range(n):
                if inner[base + k] != 0:
                    inner[at + k] = (inner[at + k] + factor * inner[base + k]) % p
