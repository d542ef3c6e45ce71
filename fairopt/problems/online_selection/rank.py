"""The court's rank of sets, the weight of a heaviest independent set, and closed forms of gamma.

Ranks are computed by other means than independence wherever there are any (components,
capacities of nested sets, largest intersection with a base), so that the two check each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from fairopt.problems.online_selection.independence import (
    column_rank,
    components,
    dependent,
    independent,
    matching,
)
from fairopt.problems.online_selection.kinds import Ints, Matroid, bits
from fairopt.problems.online_selection.matroids import (
    Bases,
    Circuits,
    Cographic,
    Graphic,
    Laminar,
    Linear,
    Matchoid,
    Partition,
    Transversal,
    Uniform,
)

SMALL = 20  # matchoids of so many elements are searched exhaustively


def rank(matroid: Matroid, elements: Iterable[int] | None = None) -> int | None:
    """Return the size of a largest independent subset of distinct elements (default: all).

    None for a set of more than ``SMALL`` elements of a matchoid that is not itself feasible:
    no short computation proves it.
    """
    chosen = np.arange(matroid.n) if elements is None else np.fromiter(elements, np.int64)
    if isinstance(matroid, Matchoid):
        return _matchoid_rank(matroid, chosen)
    return _matroid_rank(matroid, chosen)


def _matroid_rank(m: Matroid, chosen: Ints) -> int:
    if isinstance(m, Uniform):
        return min(len(chosen), m.rank)
    if isinstance(m, Partition):
        times = np.bincount(m.block[chosen], minlength=len(m.capacity))
        return int(np.minimum(times, m.capacity).sum())
    if isinstance(m, Laminar):
        return _laminar_rank(m, chosen)
    if isinstance(m, Graphic):
        return _forest(m, chosen)
    if isinstance(m, Cographic):
        left = np.ones(m.n, np.bool_)
        left[chosen] = False
        everything = _forest(m, np.arange(m.n))
        return len(chosen) - everything + _forest(m, np.flatnonzero(left))
    if isinstance(m, Transversal):
        return matching(m, chosen.tolist())
    if isinstance(m, Linear):
        return column_rank(m, chosen)
    if isinstance(m, Bases):
        mask = bits(chosen.tolist())
        return max((mask & base).bit_count() for base in m.masks)
    assert isinstance(m, Circuits)
    taken: list[int] = []
    for e in chosen.tolist():
        if independent(m, [*taken, e]):
            taken.append(e)
    return len(taken)


def _forest(m: Graphic | Cographic, chosen: Ints) -> int:
    label = components(m.tail[chosen], m.head[chosen], m.n_vertices)
    return m.n_vertices - int((label == np.arange(m.n_vertices)).sum())


def depths(m: Laminar) -> list[int]:
    """Return around how many sets each set lies, itself included."""
    depth = [0] * len(m.names)
    for s in range(len(m.names)):
        t, path = s, []
        while t >= 0 and not depth[t]:
            path.append(t)
            t = int(m.parent[t])
        above = depth[t] if t >= 0 else 0
        for k, inner in enumerate(reversed(path)):
            depth[inner] = above + k + 1
    return depth


def _laminar_rank(m: Laminar, chosen: Ints) -> int:
    """Add up from the inside: a set holds what its parts hold, at most its capacity."""
    leaf = m.leaf[chosen]
    held = np.bincount(leaf[leaf >= 0], minlength=len(m.names)).tolist()
    free = int((leaf < 0).sum())
    depth = depths(m)
    for s in sorted(range(len(m.names)), key=lambda s: -depth[s]):
        most = min(held[s], int(m.capacity[s]))
        if m.parent[s] >= 0:
            held[m.parent[s]] += most
        else:
            free += most
    return free


def _matchoid_rank(m: Matchoid, chosen: Ints) -> int | None:
    if independent(m, chosen.tolist()):
        return len(chosen)
    if len(m.parts) == 1 and len(m.parts[0].elements) == m.n:
        place = np.argsort(m.parts[0].elements)
        return rank(m.parts[0].matroid, place[chosen].tolist())
    if len(chosen) > SMALL:
        return None
    heaviest = _search(m, chosen.tolist(), [Fraction(1)] * len(chosen))
    return int(heaviest)


def _search(m: Matchoid, elements: Sequence[int], weights: Sequence[Fraction]) -> Fraction:
    """Return the weight of a heaviest feasible subset, by branch and bound."""
    order = sorted(range(len(elements)), key=lambda k: -weights[k])
    items = [(elements[k], weights[k]) for k in order if weights[k] > 0]
    rest = [Fraction(0)]
    for _, weight in reversed(items):
        rest.append(rest[-1] + weight)
    rest.reverse()
    fits = _Memory(m)
    best = Fraction(0)

    def explore(k: int, taken: tuple[int, ...], weight: Fraction) -> None:
        nonlocal best
        best = max(best, weight)
        if k == len(items) or weight + rest[k] <= best:
            return
        e, w = items[k]
        if fits((*taken, e)):
            explore(k + 1, (*taken, e), weight + w)
        explore(k + 1, taken, weight)

    explore(0, (), Fraction(0))
    return best


class _Memory:
    """Feasibility of sets whose subset without the last element is feasible, part by part."""

    def __init__(self, m: Matchoid) -> None:
        self.parts: dict[int, list[tuple[dict[int, int], Matroid, dict[int, bool]]]] = {}
        for part in m.parts:
            place = {e: k for k, e in enumerate(part.elements.tolist())}
            row = (place, part.matroid, dict[int, bool]())
            for e in place:
                self.parts.setdefault(e, []).append(row)

    def __call__(self, chosen: tuple[int, ...]) -> bool:
        for place, matroid, known in self.parts.get(chosen[-1], ()):
            local = [place[e] for e in chosen if e in place]
            key = bits(local)
            if key not in known:
                known[key] = independent(matroid, local)
            if not known[key]:
                return False
        return True


def heaviest(matroid: Matroid, weights: Sequence[Fraction | int]) -> Fraction | None:
    """Return the weight of a heaviest independent set; None for a large matchoid.

    For a matroid it is the sum over distinct weights w > w' > … of (w - w') times the rank of
    the elements of weight at least w, which is what the greedy algorithm collects.
    """
    exact = [Fraction(w) for w in weights]
    if isinstance(matroid, Matchoid):
        positive = [e for e, w in enumerate(exact) if w > 0]
        if len(positive) > SMALL:
            return None
        return _search(matroid, positive, [exact[e] for e in positive])
    levels = sorted({w for w in exact if w > 0}, reverse=True)
    order = sorted(range(len(exact)), key=lambda e: -exact[e])
    total, stop = Fraction(0), 0
    for k, weight in enumerate(levels):
        while stop < len(order) and exact[order[stop]] >= weight:
            stop += 1
        below = levels[k + 1] if k + 1 < len(levels) else Fraction(0)
        held = rank(matroid, order[:stop])
        assert held is not None
        total += (weight - below) * held
    return total


def closed_gamma(matroid: Matroid) -> Fraction | None:
    """Return gamma of the loopless restriction where a formula gives it, else None.

    Uniform max(1, n/rank), partition max(1, |block|/capacity), laminar max(1, |set|/capacity).
    The rank of a set X in a laminar matroid is the sum of the capacities of disjoint tight sets
    plus the elements of X outside them, so |X|/r(X) is at most the largest of the quotients
    and 1 (mediant inequality). 0 for no elements.
    """
    if isinstance(matroid, Uniform):
        if not matroid.n or not matroid.rank:
            return Fraction(0)
        return max(Fraction(1), Fraction(matroid.n, matroid.rank))
    if isinstance(matroid, Partition):
        part, capacity = matroid.block, matroid.capacity
    elif isinstance(matroid, Laminar):
        part, capacity = matroid.chain, matroid.capacity
        looped = dependent(matroid, np.arange(matroid.n), np.arange(matroid.n))
        if looped:
            kept = np.setdiff1d(np.arange(matroid.n), looped)
            return closed_gamma(matroid.take(kept))
    else:
        return None
    times = np.bincount(part, minlength=len(capacity)).tolist()
    pairs = [(t, c) for t, c in zip(times, capacity.tolist(), strict=True) if t and c]
    loose = isinstance(matroid, Laminar) and bool(matroid.n)
    if not pairs:
        return Fraction(1 if loose else 0)
    return max(Fraction(1), *(Fraction(t, c) for t, c in pairs))
