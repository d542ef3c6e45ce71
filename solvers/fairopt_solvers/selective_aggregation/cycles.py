"""A cycle through all items of a tier: why they cannot be told apart.

Draw an arc from v to w where w may not be put above v. Between two items there is an arc one way
at least, and within a tier of the optimum all items reach each other; such a graph has a
Hamiltonian cycle (Camion 1959). Built by inserting items, in O(n^2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


def cycles_of(level: Ints, limit: int, tier: Ints) -> list[list[int]]:
    """Return a cycle for each tier of two items or more."""
    out = []
    order = np.argsort(tier, kind="stable")
    for part in np.split(order, np.cumsum(np.bincount(tier))[:-1]):
        if len(part) > 1:
            arcs = limit < level[np.ix_(part, part)].T
            np.fill_diagonal(arcs, False)
            out.append(part[hamiltonian(arcs)].tolist())
    return out


def hamiltonian(arcs: Bools) -> Ints:
    """Return a cycle through all vertices of a strong graph with an arc for every pair."""
    n = len(arcs)
    cycle = _first(arcs)
    free = np.ones(n, bool)
    free[cycle] = False
    while free.any():
        cycle = _longer(arcs, cycle, free)
        free[cycle] = False
    return np.array(cycle, np.int64)


def _first(arcs: Bools) -> list[int]:
    """Return a cycle of two or three vertices through vertex 0."""
    after, before = arcs[0], arcs[:, 0]
    both = np.flatnonzero(after & before)
    if len(both):
        return [0, int(both[0])]
    out, into = np.flatnonzero(after), np.flatnonzero(before)
    a, b = divmod(int(arcs[np.ix_(out, into)].argmax()), len(into))
    return [0, int(out[a]), int(into[b])]


def _longer(arcs: Bools, cycle: list[int], free: Bools) -> list[int]:
    """Return the cycle with one free vertex more, or two."""
    ring = np.array(cycle, np.int64)
    follows = np.roll(ring, -1)
    others = np.flatnonzero(free)
    fits = arcs[ring][:, others] & arcs[others][:, follows].T  # between two that follow
    some = np.flatnonzero(fits.any(0))
    if len(some):
        spots = fits[:, some].argmax(0)
        at, v = int(spots[0]), int(others[some[0]])
        return [*cycle[: at + 1], v, *cycle[at + 1 :]]
    # The rest is entered from every vertex of the cycle, or enters every one; as the graph is
    # strong some arc leads from the former to the latter.
    entered = others[arcs[ring[0]][others]]
    enters = others[arcs[others][:, ring[0]]]
    a, b = divmod(int(arcs[np.ix_(entered, enters)].argmax()), len(enters))
    return [*cycle, int(entered[a]), int(enters[b])]
