"""The mathematics of Algorithm 3: its parameter, exact probabilities, samples."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNIT = 2**53  # probabilities of coins in kernels are multiples of 1/UNIT


def default_share(d: int) -> Fraction:
    """Return a rational close to ``q = d^(-1/4) / 3``, which Theorem 15 takes."""
    return Fraction(d**-0.25 / 3).limit_denominator(10**4)


@dataclass(frozen=True, slots=True)
class Graph:
    """The edges that are no loops, with their incidences, as the kernels take them."""

    n_vertices: int
    tail: Ints
    head: Ints
    ptr: Ints
    edge: Ints

    @staticmethod
    def of(n_vertices: int, tail: Ints, head: Ints) -> Graph:
        """Build the incidences; vertex numbers must be in the order of the labels."""
        m = len(tail)
        ends = np.concatenate([tail, head])
        order = np.argsort(ends, kind="stable")
        ptr = np.zeros(n_vertices + 1, np.int64)
        np.cumsum(np.bincount(ends, minlength=n_vertices), out=ptr[1:])
        edge = np.ascontiguousarray(order % m if m else order, np.int64)
        return Graph(
            n_vertices,
            np.ascontiguousarray(tail, np.int64),
            np.ascontiguousarray(head, np.int64),
            ptr,
            edge,
        )

    @property
    def arrays(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.tail, self.head, self.ptr, self.edge

    def scratch(self) -> Ints:
        """Return working space for any of the kernels."""
        return np.zeros(len(self.tail) + 5 * self.n_vertices + 1, np.int64)


def degeneracy(graph: Graph) -> int:
    """Return the least d such that every subgraph has a vertex of degree at most d; O(m log n)."""
    import heapq

    degree = np.diff(graph.ptr).tolist()
    ptr, edge = graph.ptr.tolist(), graph.edge.tolist()
    ends = (graph.tail + graph.head).tolist()
    heap = [(k, v) for v, k in enumerate(degree)]
    heapq.heapify(heap)
    gone = [False] * graph.n_vertices
    most = 0
    while heap:
        k, v = heapq.heappop(heap)
        if gone[v] or k != degree[v]:
            continue
        gone[v] = True
        most = max(most, k)
        for e in edge[ptr[v] : ptr[v + 1]]:
            u = ends[e] - v
            if not gone[u]:
                degree[u] -= 1
                heapq.heappush(heap, (degree[u], u))
    return most


def exact_probabilities(graph: Graph, d: int, q: Fraction) -> list[Fraction]:
    """Return the exact acceptance probability of every edge, by all 3^m assignments.

    An edge is decided with probability q and else in either sample with (1-q)/2; given that, it is
    accepted if it comes first among the g decided edges with its later end: with chance 1/g.
    """
    from fairopt_solvers.online_selection.kernels_degeneracy import enumerate_shares

    m = len(graph.tail)
    tally = np.zeros(m * (m + 1) * (m + 1), np.int64)
    enumerate_shares(*graph.arrays, d, graph.scratch(), tally)
    rest = (1 - q) / 2
    weight = [
        [q**t * rest ** (m - t) / g if g else Fraction(0) for g in range(m + 1)]
        for t in range(m + 1)
    ]
    return [
        sum(
            (
                int(many) * weight[t][g]
                for t, row in enumerate(table)
                for g, many in enumerate(row)
                if many
            ),
            Fraction(0),
        )
        for table in tally.reshape(m, m + 1, m + 1)
    ]


def shares(graph: Graph, d: int, q: Fraction, runs: int, state: Any) -> tuple[Floats, Floats]:
    """Sum, over samples, the chance 1/g of every edge and its square (Rao-Blackwell).

    The mean of the chances estimates the acceptance probabilities with less variance than counts.
    """
    from fairopt_solvers.online_selection.kernels_degeneracy import sample_shares

    total, squares = np.zeros(len(graph.tail)), np.zeros(len(graph.tail))
    pair = np.array([runs, round(q * UNIT)], np.int64)
    sample_shares(*graph.arrays, d, pair, state, graph.scratch(), total, squares)
    return total, squares


def counts(graph: Graph, d: int, q: Fraction, runs: int, state: Any) -> Ints:
    """Run the algorithm on random orders; return how often each edge is accepted."""
    from fairopt_solvers.online_selection.kernels_degeneracy import sample_counts

    out = np.zeros(len(graph.tail), np.int64)
    pair = np.array([runs, round(q * UNIT)], np.int64)
    sample_counts(*graph.arrays, d, pair, state, graph.scratch(), out)
    return out
