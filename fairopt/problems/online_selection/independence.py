"""The court's own test of independence, by definition, for many sets at once.

Sets are given as pairs (element, group): group g is the set of all elements paired with g. So
the classes of a colouring and the outcomes of a lottery are tested in one pass. Plain NumPy;
shares no code with a method.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def dependent(matroid: Matroid, element: ArrayLike, group: ArrayLike) -> list[int]:
    """Return the groups that are not independent, ascending.

    Parameters
    ----------
    matroid
        Matroid or matchoid.
    element, group
        Pairs; an element occurs at most once in a group. Groups are whole numbers.
    """
    elements = np.asarray(element, np.int64).reshape(-1)
    if not elements.size:
        return []
    names, groups = np.unique(np.asarray(group, np.int64).reshape(-1), return_inverse=True)
    bad = _TESTS[type(matroid)](matroid, elements, groups.reshape(-1), len(names))
    return [int(names[g]) for g in np.flatnonzero(bad)]


def independent(matroid: Matroid, elements: Iterable[int]) -> bool:
    """Return whether a set of distinct elements is independent."""
    chosen = np.fromiter(elements, np.int64)
    return not dependent(matroid, chosen, np.zeros(len(chosen), np.int64))


def loops(matroid: Matroid) -> tuple[int, ...]:
    """Return the elements that are in no independent set, ascending."""
    each = np.arange(matroid.n)
    if isinstance(matroid, Linear):
        return tuple(np.flatnonzero(~(matroid.matrix != 0).any(axis=0)).tolist())
    if isinstance(matroid, Bases):
        return tuple(sorted(set(range(matroid.n)) - {e for s in matroid.sets for e in s}))
    if isinstance(matroid, Circuits):
        return tuple(sorted(s[0] for s in matroid.sets if len(s) == 1))
    if isinstance(matroid, Cographic):
        return _bridges(matroid)
    if isinstance(matroid, Matchoid):
        found: set[int] = set()
        for part in matroid.parts:
            found.update(part.elements[list(loops(part.matroid))].tolist())
        return tuple(sorted(found))
    return tuple(dependent(matroid, each, each))


# -- one test a kind: a boolean per group ----------------------------------------------------

Flags = NDArray[np.bool_]


def _uniform(m: Uniform, element: Ints, group: Ints, groups: int) -> Flags:
    return np.asarray(np.bincount(group, minlength=groups) > m.rank)


def _over(key: Ints, group: Ints, part: Ints, capacity: Ints, groups: int) -> Flags:
    """Return the groups with more than ``capacity[part]`` entries of some part."""
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    over = times > capacity[part[first]]
    bad = np.zeros(groups, np.bool_)
    bad[group[first[over]]] = True
    return bad


def _partition(m: Partition, element: Ints, group: Ints, groups: int) -> Flags:
    block = m.block[element]
    return _over(group * len(m.capacity) + block, group, block, m.capacity, groups)


def _laminar(m: Laminar, element: Ints, group: Ints, groups: int) -> Flags:
    start, size = m.chain_ptr[element], np.diff(m.chain_ptr)[element]
    offset = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    part = m.chain[np.repeat(start, size) + offset]
    if not part.size:
        return np.zeros(groups, np.bool_)
    who = np.repeat(group, size)
    return _over(who * len(m.capacity) + part, who, part, m.capacity, groups)


def components(tail: Ints, head: Ints, vertices: int) -> Ints:
    """Return the smallest vertex of the component of every vertex.

    Every root hooks onto its smallest neighbouring root, then all pointers are followed to
    their ends; edges inside a component drop out. Few rounds, each linear.
    """
    label: Ints = np.arange(vertices, dtype=np.int64)
    while tail.size:
        a, b = label[tail], label[head]
        low, high = np.minimum(a, b), np.maximum(a, b)
        open_ = low < high
        tail, head, low, high = tail[open_], head[open_], low[open_], high[open_]
        np.minimum.at(label, high, low)
        while True:
            further = label[label]
            if np.array_equal(further, label):
                break
            label = further
    return label


def _graphic(m: Graphic, element: Ints, group: Ints, groups: int) -> Flags:
    """A set of edges is a forest iff it has (its vertices) - (its components) edges."""
    width = max(m.n_vertices, 1)
    tail, head = group * width + m.tail[element], group * width + m.head[element]
    nodes, place = np.unique(np.concatenate((tail, head)), return_inverse=True)
    ends = place.reshape(2, -1)
    label = components(ends[0], ends[1], len(nodes))
    roots = label == np.arange(len(nodes))
    of_node = nodes // width
    forest = np.bincount(of_node, minlength=groups) - np.bincount(of_node[roots], minlength=groups)
    return np.asarray(np.bincount(group, minlength=groups) > forest)


def _cographic(m: Cographic, element: Ints, group: Ints, groups: int) -> Flags:
    whole = _count(components(m.tail, m.head, m.n_vertices))
    bad = np.zeros(groups, np.bool_)
    for g, mine in _each(element, group, groups):
        kept = np.ones(m.n, np.bool_)
        kept[mine] = False
        rest = components(m.tail[kept], m.head[kept], m.n_vertices)
        bad[g] = _count(rest) > whole
    return bad


def _count(label: Ints) -> int:
    return int((label == np.arange(len(label))).sum())


def _each(element: Ints, group: Ints, groups: int) -> Iterator[tuple[int, Ints]]:
    """Yield each group with its elements."""
    order = np.argsort(group, kind="stable")
    stops = np.cumsum(np.bincount(group, minlength=groups))
    start = 0
    for g, stop in enumerate(stops.tolist()):
        yield g, element[order[start:stop]]
        start = stop


def matching(m: Transversal, elements: Iterable[int]) -> int:
    """Return how many of these elements can be matched, by breadth-first augmentation."""
    owner: dict[int, int] = {}
    matched = 0
    for root in elements:
        came: dict[int, int] = {}  # right vertex -> the element that it was reached from
        held: dict[int, int] = {}  # element -> the right vertex that it holds
        queue, end = deque([int(root)]), -1
        while queue and end < 0:
            e = queue.popleft()
            for right in m.neighbors(e).tolist():
                if right in came:
                    continue
                came[right] = e
                if right not in owner:
                    end = right
                    break
                held[owner[right]] = right
                queue.append(owner[right])
        if end < 0:
            continue
        matched += 1
        while True:
            e = came[end]
            before = held.get(e, -1) if e != root else -1
            owner[end] = e
            if e == root:
                break
            end = before
    return matched


def _transversal(m: Transversal, element: Ints, group: Ints, groups: int) -> Flags:
    bad = np.zeros(groups, np.bool_)
    for g, mine in _each(element, group, groups):
        bad[g] = matching(m, mine.tolist()) < len(mine)
    return bad


def column_rank(m: Linear, elements: Ints) -> int:
    """Return the rank of these columns, exactly: elimination mod p, or without fractions."""
    table = m.matrix[:, elements]
    return _rank_mod(table, m.prime) if m.prime is not None else _rank_exact(table)


def _rank_mod(table: NDArray[Any], prime: int) -> int:
    left = np.array(table, np.int64)
    rank = 0
    for column in range(left.shape[1]):
        pivots = np.flatnonzero(left[rank:, column])
        if not pivots.size:
            continue
        pivot = rank + int(pivots[0])
        left[[rank, pivot]] = left[[pivot, rank]]
        inverse = pow(int(left[rank, column]), -1, prime)
        left[rank] = left[rank] * inverse % prime
        below = left[rank + 1 :]
        below -= below[:, column : column + 1] * left[rank] % prime
        below %= prime
        rank += 1
        if rank == left.shape[0]:
            break
    return rank


def _rank_exact(table: NDArray[Any]) -> int:
    """Return the rank over the rationals by Bareiss's elimination in whole numbers."""
    left = np.array(table, object)
    rank, divisor = 0, 1
    for column in range(left.shape[1]):
        if rank == left.shape[0]:
            break
        pivots = [k for k in range(rank, left.shape[0]) if left[k, column] != 0]
        if not pivots:
            continue
        left[[rank, pivots[0]]] = left[[pivots[0], rank]]
        lead = left[rank, column]
        below = left[rank + 1 :]
        left[rank + 1 :] = (below * lead - np.outer(below[:, column], left[rank])) // divisor
        rank, divisor = rank + 1, lead
    return rank


def _linear(m: Linear, element: Ints, group: Ints, groups: int) -> Flags:
    bad = np.zeros(groups, np.bool_)
    for g, mine in _each(element, group, groups):
        bad[g] = len(mine) > m.matrix.shape[0] or column_rank(m, mine) < len(mine)
    return bad


def _bases(m: Bases, element: Ints, group: Ints, groups: int) -> Flags:
    masks, bad = m.masks, np.zeros(groups, np.bool_)
    for g, mine in _each(element, group, groups):
        mask = bits(mine.tolist())
        bad[g] = all(mask & ~base for base in masks)
    return bad


def _circuits(m: Circuits, element: Ints, group: Ints, groups: int) -> Flags:
    masks, bad = m.masks, np.zeros(groups, np.bool_)
    for g, mine in _each(element, group, groups):
        mask = bits(mine.tolist())
        bad[g] = any(not circuit & ~mask for circuit in masks)
    return bad


def _matchoid(m: Matchoid, element: Ints, group: Ints, groups: int) -> Flags:
    bad = np.zeros(groups, np.bool_)
    for part in m.parts:
        place = np.full(m.n, -1, np.int64)
        place[part.elements] = np.arange(len(part.elements))
        local = place[element]
        inside = local >= 0
        if inside.any():
            bad[dependent(part.matroid, local[inside], group[inside])] = True
    return bad


_TESTS: dict[type[Matroid], Callable[[Any, Ints, Ints, int], Flags]] = {
    Uniform: _uniform,
    Partition: _partition,
    Laminar: _laminar,
    Graphic: _graphic,
    Cographic: _cographic,
    Transversal: _transversal,
    Linear: _linear,
    Bases: _bases,
    Circuits: _circuits,
    Matchoid: _matchoid,
}


def _bridges(m: Cographic) -> tuple[int, ...]:
    """Return the edges whose removal disconnects, by depth-first search with low points."""
    around: list[list[tuple[int, int]]] = [[] for _ in range(m.n_vertices)]
    for e, (u, v) in enumerate(zip(m.tail.tolist(), m.head.tolist(), strict=True)):
        if u != v:
            around[u].append((v, e))
            around[v].append((u, e))
    seen = [-1] * m.n_vertices
    low = [0] * m.n_vertices
    found, clock = [], 0
    for start in range(m.n_vertices):
        if seen[start] >= 0:
            continue
        seen[start] = low[start] = clock
        clock += 1
        stack = [(start, -1, iter(around[start]))]
        while stack:
            u, via, edges = stack[-1]
            step = next(((v, e) for v, e in edges if e != via), None)
            if step is None:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[u])
                    if low[u] > seen[parent]:
                        found.append(via)
                continue
            v, e = step
            if seen[v] >= 0:
                low[u] = min(low[u], seen[v])
            else:
                seen[v] = low[v] = clock
                clock += 1
                stack.append((v, e, iter(around[v])))
    return tuple(sorted(found))
