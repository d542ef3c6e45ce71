"""Exact acceptance probabilities of the degeneracy rule, by enumerating the two samples.

Every edge is in the first sample, the second, or the part that is decided, independently with
probabilities (1-q)/2, (1-q)/2 and q. Given the samples, an edge of the third part is accepted
iff it comes first among the g undecided edges with the same later end: with chance 1/g.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.kinds import Ints

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection

MOST = 12  # edges: 3^12 assignments


def exact_probabilities(
    problem: OnlineSelection, rule: Mapping[str, Any]
) -> tuple[Fraction, ...] | None:
    """Return the exact probability of every element; None where that is not to be had."""
    graph = problem.matroid
    if not isinstance(graph, Graphic) or rule.get("name") != "degeneracy":
        return None
    edges = np.flatnonzero(graph.tail != graph.head)
    d, share = rule.get("degeneracy"), rule.get("q")
    if len(edges) > MOST or not isinstance(d, int) or isinstance(d, bool):
        return None
    try:
        q = Fraction(rational.parse(share))
    except InstanceError:
        return None
    if not 0 < q < 1:
        return None
    low = np.minimum(graph.tail, graph.head)[edges]
    high = np.maximum(graph.tail, graph.head)[edges]
    times = tally(low, high, graph.n_vertices, d)
    out = [Fraction(0)] * problem.n_elements
    m = len(edges)
    for k, e in enumerate(edges.tolist()):
        for t, g in zip(*np.nonzero(times[k]), strict=True):
            many = int(times[k, t, g])
            out[e] += Fraction(many, int(g)) * q ** int(t) * ((1 - q) / 2) ** int(m - t)
    return tuple(out)


def tally(low: Ints, high: Ints, vertices: int, d: int) -> NDArray[np.int64]:
    """Return how many assignments decide edge k among t edges, g of them with its later end."""
    m = len(low)
    if not m:
        return np.zeros((0, 1, 1), np.int64)
    codes = np.arange(3**m)
    part = np.stack([codes // 3**k % 3 for k in range(m)]).astype(np.int8)
    level = _levels(part, low, high, vertices, d)
    # The end with the smaller level stands later; of equal levels that with the larger label.
    later = np.stack(
        [np.where(level[u] >= level[v], v, u) for u, v in zip(low, high, strict=True)]
    ).astype(np.int64)
    decided = part == 2
    total = decided.sum(axis=0)
    out = np.zeros((m, m + 1, m + 1), np.int64)
    for k in range(m):
        rivals = (decided & (later == later[k])).sum(axis=0)
        mine = decided[k]
        key = total[mine] * (m + 1) + rivals[mine]
        out[k] = np.bincount(key, minlength=(m + 1) ** 2).reshape(m + 1, m + 1)
    return out


def _levels(
    part: NDArray[np.int8], low: Ints, high: Ints, vertices: int, d: int
) -> NDArray[np.int16]:
    """Return the peeling level of every vertex in every assignment, large for what stays."""
    size = part.shape[1]
    level = np.full((vertices, size), vertices + 1, np.int16)
    left = np.ones((vertices, size), np.bool_)
    for j in range(vertices):
        out = np.zeros((vertices, size), np.int8)
        for k, (u, v) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            both = left[u] & left[v]
            out[u] += both & (part[k] == 0)
            out[v] += both & (part[k] == 1)
        gone = left & (out <= d)
        if not gone.any():
            break
        level[gone] = j
        left &= ~gone
    return level
