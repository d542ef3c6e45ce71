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
    start = _first(arcs)
    ring = _Ring(arcs, start)
    while True:
        while ring.open.any():
            ring.place(int(ring.open.argmax()))
        if not ring.entered.any() and not ring.enters.any():
            return ring.listed(start[0])
        ring.bridge()


class _Ring:
    """A cycle that grows: which vertex follows which, and how the others stand to it.

    ``entered``: the cycle leads to them, and no arc back; ``enters``: they lead to the cycle, and
    no arc to them; ``open``: to be looked at.
    """

    def __init__(self, arcs: Bools, start: list[int]) -> None:
        n = len(arcs)
        self.arcs, self.into = arcs, np.ascontiguousarray(arcs.T)
        self.next = np.full(n, -1, np.int64)
        self.next[start] = [*start[1:], start[0]]
        self.inside = self.next >= 0
        self.open = ~self.inside
        self.entered, self.enters = np.zeros(n, bool), np.zeros(n, bool)

    def place(self, v: int) -> None:
        """Insert an open vertex between two that follow, or say on which side it stands."""
        self.open[v] = False
        ring = np.flatnonzero(self.inside)
        fits = self.into[v][ring] & self.arcs[v][self.next[ring]]
        if fits.any():
            self.insert(int(ring[fits.argmax()]), v)
        elif self.into[v][ring[0]]:
            self.entered[v] = True
        else:
            self.enters[v] = True

    def insert(self, after: int, v: int) -> None:
        """Put a vertex behind another; those that it changes the standing of are open again."""
        self.next[after], self.next[v] = v, self.next[after]
        self._joined(v)

    def _joined(self, v: int) -> None:
        self.inside[v] = True
        again = (self.entered & self.into[v]) | (self.enters & self.arcs[v])
        self.entered &= ~again
        self.enters &= ~again
        self.open |= again

    def bridge(self) -> None:
        """Insert two: from the cycle to one that it enters, on to one that enters it, and back.

        Some arc leads from the former to the latter, since the graph is strong.
        """
        for s in np.flatnonzero(self.entered).tolist():
            found = self.arcs[s] & self.enters
            if found.any():
                t, after = int(found.argmax()), int(self.inside.argmax())
                self.entered[s] = self.enters[t] = False
                self.next[after], self.next[s], self.next[t] = s, t, self.next[after]
                self._joined(s)
                self._joined(t)
                return
        raise AssertionError("the graph is not strong")

    def listed(self, start: int) -> Ints:
        """Return the vertices in the order of the cycle."""
        out = [start]
        while (v := int(self.next[out[-1]])) != start:
            out.append(v)
        return np.array(out, np.int64)


def _first(arcs: Bools) -> list[int]:
    """Return a cycle of two or three vertices through vertex 0."""
    after, before = arcs[0], arcs[:, 0]
    both = np.flatnonzero(after & before)
    if len(both):
        return [0, int(both[0])]
    out, into = np.flatnonzero(after), np.flatnonzero(before)
    a, b = divmod(int(arcs[np.ix_(out, into)].argmax()), len(into))
    return [0, int(out[a]), int(into[b])]
