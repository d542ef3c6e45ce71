"""The fractional arboricity: the largest |X|/r(X), exactly, with a set that attains it.

References
----------
.. [1] W. Cunningham, Optimal attack and reinforcement of a network, JACM 32 (1985) 549.
.. [2] J. Edmonds, Minimum partition of a matroid into independent subsets, 1965.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.rank import rank
from fairopt.run import Run
from fairopt_solvers.online_selection.oracles import Oracle
from fairopt_solvers.online_selection.partition import Stopped, partition

Ints = NDArray[np.int64]
_SLICE = 32  # vertices between two looks at the clock


@dataclass(frozen=True, slots=True)
class Density:
    """A set S of elements and |S|/r(S); ``exact`` if no set is denser."""

    gamma: Fraction
    densest: tuple[int, ...]
    exact: bool = True


def density(matroid: Any, run: Run) -> Density:
    """Return the densest set of a matroid without loops, or the densest one found in time.

    Closed forms for uniform, partition and laminar matroids; one parametric flow a round for
    transversal ones; a sweep over the vertices for graphs [1]_; for all others partitions of
    parallel copies [2]_. Rounds are those of Newton's method on the density (Dinkelbach), which
    ends after few.
    """
    if not matroid.n:
        return Density(Fraction(0), ())
    if matroid.type in ("uniform", "partition", "laminar"):
        return _counting(matroid)
    if matroid.type == "transversal":
        return _transversal(matroid, run)
    if matroid.type == "graphic":
        return _graphic(matroid, run)
    return _by_copies(matroid, run)


def denser(matroid: Any, chosen: Ints, best: Density) -> Density:
    """Return the densest of a set, and of what is known."""
    held = rank(matroid, chosen.tolist())
    value = Fraction(len(chosen), held) if held else Fraction(0)
    if value <= best.gamma:
        return best
    return Density(value, tuple(chosen.tolist()), best.exact)


_SINGLE = Density(Fraction(1), (0,))


def _counting(matroid: Any) -> Density:
    """Compare the sets whose capacity may bind; a single element has density 1."""
    best = _SINGLE
    if matroid.type == "uniform":
        return denser(matroid, np.arange(matroid.n), best)
    if matroid.type == "partition":
        part, element = matroid.block, np.arange(matroid.n)
    else:
        part, element = matroid.chain, np.repeat(np.arange(matroid.n), np.diff(matroid.chain_ptr))
    times = np.bincount(part, minlength=len(matroid.capacity)).tolist()
    quotients = [
        (Fraction(t, c), -s)
        for s, (t, c) in enumerate(zip(times, matroid.capacity.tolist(), strict=True))
        if t and c
    ]
    if quotients:
        _, s = max(quotients)
        best = denser(matroid, np.sort(element[part == -s]), best)
    return best


def _transversal(matroid: Any, run: Run) -> Density:
    """Find Y with the largest |Y|/|N(Y)|: elements send q, right vertices take p."""
    from fairopt_solvers.backends import max_flow

    n, rights = matroid.n, matroid.n_right
    element = np.repeat(np.arange(n), np.diff(matroid.ptr))
    tail = np.concatenate([np.full(n, n + rights), element, n + np.arange(rights)])
    head = np.concatenate([np.arange(n), n + matroid.right, np.full(rights, n + rights + 1)])
    best = denser(matroid, np.arange(n), _SINGLE)
    while True:
        p, q = best.gamma.numerator, best.gamma.denominator
        sizes = (np.full(n, q), np.full(len(element), q), np.full(rights, p))
        flow = max_flow(tail, head, np.concatenate(sizes), n + rights, n + rights + 1, run)
        if flow.value is None:
            return Density(best.gamma, best.densest, exact=False)
        if flow.value == q * n or flow.source_side is None:
            return best
        best = denser(matroid, np.flatnonzero(flow.source_side[:n]), best)


def _graphic(matroid: Any, run: Run) -> Density:
    """Sweep over the vertices; each new density is that of a set found at the last vertex."""
    from fairopt_solvers.online_selection import kernels_density

    tail, head, size = matroid.tail, matroid.head, matroid.n_vertices
    ends = np.concatenate([tail, head])
    ptr = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=size), out=ptr[1:])
    adjacent = np.argsort(ends, kind="stable") % matroid.n
    order = np.argsort(np.diff(ptr), kind="stable")
    best = denser(matroid, np.arange(matroid.n), _SINGLE)
    gone, seen, at = np.zeros(size, bool), np.zeros(size, bool), 0
    while at < size:
        p, q = best.gamma.numerator, best.gamma.denominator
        share, load = _split(tail, head, gone, q)
        while at < size:
            stop = min(size, at + _SLICE)
            graph = (tail, head, ptr, adjacent, order)
            at = int(kernels_density.denser(p, q, *graph, at, stop, gone, share, load, seen))
            if at < stop:
                break
            if run.expired():
                return Density(best.gamma, best.densest, exact=False)
        if at < size:
            inside = seen & ~gone
            best = denser(matroid, np.flatnonzero(inside[tail] & inside[head]), best)
    return best


def _split(tail: Ints, head: Ints, gone: NDArray[np.bool_], q: int) -> tuple[Ints, Ints]:
    """Split the units of every edge that is left between its ends, about equally."""
    share = np.full(len(tail), q // 2, np.int64)
    share[1::2] = q - q // 2
    left = ~(gone[tail] | gone[head])
    load = np.zeros(len(gone), np.int64)
    np.add.at(load, tail[left], share[left])
    np.add.at(load, head[left], q - share[left])
    return share, load


def _by_copies(matroid: Any, run: Run) -> Density:
    """Cover q copies by p classes; an obstacle is denser than p/q."""
    oracle = Oracle.of(matroid, run.seed)
    best = denser(matroid, np.arange(matroid.n), _SINGLE)
    while True:
        try:
            cover = partition(
                oracle, best.gamma.numerator, best.gamma.denominator, expired=run.expired
            )
        except Stopped:
            return Density(best.gamma, best.densest, exact=False)
        if cover.obstacle is None:
            return best
        best = _after(matroid, cover.obstacle, best, oracle)


def _after(matroid: Any, obstacle: Ints, best: Density, oracle: Oracle) -> Density:
    """Return the density of an obstacle; where its exact rank is larger, other primes are due."""
    found = denser(matroid, obstacle, best)
    if found is best:
        oracle.other_primes()
    return found
