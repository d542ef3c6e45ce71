"""Sets that grow element by element, for replays of long runs in near-linear time.

Counters for uniform, partition and laminar matroids, merged components for graphs; every other
kind asks for the independence of the whole set each time.
"""

from __future__ import annotations

from fairopt.problems.online_selection.independence import independent
from fairopt.problems.online_selection.kinds import Matroid
from fairopt.problems.online_selection.matroids import Graphic, Laminar, Partition, Uniform


class Growing:
    """An independent set to which elements are added as long as it stays independent."""

    def __init__(self, matroid: Matroid) -> None:
        self.matroid = matroid
        self.elements: list[int] = []

    def take(self, e: int) -> bool:
        """Add an element if the set stays independent; return whether it was added."""
        if not self._fits(e):
            return False
        self.elements.append(e)
        return True

    def _fits(self, e: int) -> bool:
        return independent(self.matroid, [*self.elements, e])


class _Counted(Growing):
    """Every element counts in some groups with capacities."""

    def __init__(self, matroid: Uniform | Partition | Laminar) -> None:
        super().__init__(matroid)
        self.held: dict[int, int] = {}
        if isinstance(matroid, Uniform):
            self.capacity = [matroid.rank]
        else:
            self.capacity = matroid.capacity.tolist()

    def _groups(self, e: int) -> list[int]:
        matroid = self.matroid
        if isinstance(matroid, Laminar):
            found: list[int] = matroid.chain[
                matroid.chain_ptr[e] : matroid.chain_ptr[e + 1]
            ].tolist()
            return found
        return [int(matroid.block[e])] if isinstance(matroid, Partition) else [0]

    def _fits(self, e: int) -> bool:
        groups = self._groups(e)
        if any(self.held.get(g, 0) >= self.capacity[g] for g in groups):
            return False
        for g in groups:
            self.held[g] = self.held.get(g, 0) + 1
        return True


class _Forest(Growing):
    """Components of the vertices that have an edge."""

    def __init__(self, matroid: Graphic) -> None:
        super().__init__(matroid)
        self.above: dict[int, int] = {}
        self.tail, self.head = matroid.tail, matroid.head

    def _root(self, v: int) -> int:
        above = self.above
        while (u := above.get(v, v)) != v:
            above[v] = v = above.get(u, u)
        return v

    def _fits(self, e: int) -> bool:
        a, b = self._root(int(self.tail[e])), self._root(int(self.head[e]))
        if a == b:
            return False
        self.above[max(a, b)] = min(a, b)
        return True


def growing(matroid: Matroid) -> Growing:
    """Return the empty set of a matroid or matchoid."""
    if isinstance(matroid, Uniform | Partition | Laminar):
        return _Counted(matroid)
    return _Forest(matroid) if isinstance(matroid, Graphic) else Growing(matroid)
