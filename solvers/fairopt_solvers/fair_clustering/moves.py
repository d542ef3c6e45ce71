"""Exact transport of points to clusters with given counts, from labels that are nearly right.

Successive shortest paths on the graph of the clusters (``kernels_ssp``). From nearest centres
with good prices only a few points have to move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairopt.run import Run
from fairopt_solvers.fair_clustering.kernels_ssp import carry

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROOM = 16_000_000  # entries that the heaps may have to spare, 256 MB
_SLICE = 4_096  # units carried between two looks at the clock, at most about 0.1 s


def meet_counts(
    distances: Floats,
    labels: Ints,
    wanted: Ints,
    run: Run,
    *,
    members: Ints | None = None,
    signs: Ints | None = None,
) -> Floats | None:
    """Change labels at least cost until each cluster holds what is wanted.

    Parameters
    ----------
    distances
        (n, k), C-contiguous.
    labels
        (n,) in and out; of least cost for the counts that they have.
    wanted
        (k,) sum of the signs of the members in each cluster.
    members, signs
        Points that count, default all; +1 (default) or -1. With signs +1 and -1 for two groups
        and 0 wanted everywhere, the clusters hold as many of one as of the other.

    Returns
    -------
    Prices (k,): with ``distances + signs * price`` every member is in its cheapest cluster.
    None if the time is up or the counts cannot be met.
    """
    k = distances.shape[1]
    members = np.arange(len(labels)) if members is None else members
    signs = np.ones(len(members), np.int64) if signs is None else signs
    excess = np.zeros(k, np.int64)
    np.add.at(excess, labels[members], signs)
    excess -= wanted
    price = np.zeros(k)
    while True:
        units = max(1, min(_ROOM // (2 * k * k), int(excess[excess > 0].sum())))
        some = _movable(distances, labels, members, signs, 2 * units + 2)
        heaps = _heaps(distances, members[some], signs[some], units, labels)
        while units > 0:
            if run.expired():
                return None
            steps = min(units, _SLICE)
            if _carry(distances, members[some], signs[some], steps, heaps, labels, excess, price):
                return None
            if not excess.any():
                return price
            units -= steps


def _movable(d: Floats, labels: Ints, members: Ints, signs: Ints, keep: int) -> Ints:
    """Return the positions in ``members`` of the ``keep`` cheapest moves between any two clusters.

    Each path takes at most two moves from the heap of an arc, so no others can come to its top.
    """
    if len(members) <= 4 * keep:
        return np.arange(len(members))
    chosen = []
    for sign in np.unique(signs).tolist():
        here = labels[members]
        for a in range(d.shape[1]):
            at = np.flatnonzero((here == a) & (signs == sign))
            if len(at) <= keep:
                chosen.append(at)
                continue
            moves = np.ascontiguousarray(d[members[at]].T)
            moves -= moves[a].copy()
            limit = np.partition(moves, keep - 1, axis=1)[:, keep - 1]
            limit[a] = -np.inf
            chosen.append(at[(moves <= limit[:, None]).any(0)])
    return np.sort(np.concatenate(chosen))


def _heaps(
    d: Floats, members: Ints, signs: Ints, units: int, labels: Ints
) -> tuple[Ints, Ints, Ints, Floats]:
    """Return (base, size, who, cost) of the heaps of all arcs; sorted lists are heaps.

    With room for what ``units`` paths put in.
    """
    k = d.shape[1]
    here = labels[members]
    entries: list[list[Ints]] = [[] for _ in range(k * k)]
    costs: list[list[Floats]] = [[] for _ in range(k * k)]
    for sign in np.unique(signs).tolist():
        for a in range(k):
            at = np.flatnonzero((here == a) & (signs == sign))
            moves = np.ascontiguousarray(d[members[at]].T)
            moves -= moves[a].copy()
            for b in range(k):
                if b != a and len(at):
                    arc = a * k + b if sign > 0 else b * k + a
                    entries[arc].append(at)
                    costs[arc].append(moves[b])
    size = np.array([sum(map(len, part)) for part in entries], np.int64)
    base = np.concatenate([[0], np.cumsum(size + 2 * units)]).astype(np.int64)
    who, cost = np.empty(base[-1], np.int64), np.empty(base[-1])
    for arc in np.flatnonzero(size).tolist():
        pay = np.concatenate(costs[arc])
        order = np.argsort(pay, kind="stable")
        place = slice(base[arc], base[arc] + size[arc])
        who[place], cost[place] = np.concatenate(entries[arc])[order], pay[order]
    return base, size, who, cost


def _carry(
    d: Floats, members: Ints, signs: Ints, steps: int,
    heaps: tuple[Ints, Ints, Ints, Floats], labels: Ints, excess: Ints, price: Floats,
) -> bool:  # fmt: skip
    """Carry up to ``steps`` units; return whether there was no way to."""
    k = d.shape[1]
    length, trace = np.empty(k * k), np.empty(3 * k, np.int64)
    done = carry(d, members, signs, steps, *heaps, labels, excess, length, price, trace)
    return bool(done < 0)
