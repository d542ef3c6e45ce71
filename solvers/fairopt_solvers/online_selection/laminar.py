"""Laminar colouring: Algorithm 2 of Banihashem, Hajiaghayi and Mittal (NeurIPS 2025)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.counting import Laminar, Partition, Uniform
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import play
from fairopt.solution import Claim, Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.colouring import Answer, UniformColouring
from fairopt_solvers.online_selection.trial import Ints, order_of, stoppable

Rule = Literal["auto", "list", "cyclic"]


class LaminarColouring(UniformColouring):
    """Keep the arrivals in a list in which every set is contiguous; colour by neighbours.

    Any ``a`` consecutive elements of the list have distinct colours, so a set of the family has
    at most ``ceil(|S|/a)`` elements of each colour: no more than its capacity if ``a`` is at
    least the arboricity. For a uniform or partition matroid the i-th arrival of a block may simply
    have colour ``i mod a``, which needs only ``a`` colours (rule ``cyclic``).
    """

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        rule: Rule = "auto",
        answer: Answer = "coloring",
    ) -> None:
        self.family = _family(problem)
        simple = not isinstance(problem.matroid, Laminar)
        if rule == "cyclic" and not simple:
            raise UsageError("rule = cyclic is for uniform and partition matroids")
        self.cyclic = simple and rule != "list"
        self.rule = "laminar-cyclic" if self.cyclic else "laminar"
        self.known = knowledge.parameters(problem, run, rank=False)
        self.a = max(1, self.known.alpha)
        self.m = self.a if self.cyclic else 2 * self.a - 1
        self._loop = np.zeros(problem.n_elements, np.bool_)
        self._loop[self.family.loops] = True
        super().__init__(problem, run, answer)

    def clear(self) -> None:
        n, sets = len(self.family.leaf), len(self.family.capacity)
        self._before = np.full(n + 1, -1, np.int64)
        self._after = np.full(n + 1, -1, np.int64)
        self._own = np.zeros(n, np.int64)
        self._last = np.full(sets, -1, np.int64)
        self._seen = np.zeros(sets, np.int64)
        watched = sets * 2 * self.a if self.known.given else 0
        self._used = np.zeros(watched, np.int64)
        self._stamp = np.zeros(2 * self.a, np.int64)

    def paint(self, elements: Ints) -> Ints:
        arrivals = np.ascontiguousarray(elements[~self._loop[elements]])
        family = self.family
        if self.cyclic:
            from fairopt_solvers.online_selection.kernels_laminar import cycle

            cycle(arrivals, family.leaf, family.capacity, self.a, self._own, self._seen)
        else:
            from fairopt_solvers.online_selection.kernels_laminar import insert

            insert(
                arrivals, family.leaf, family.parent, family.capacity, self.a, self._before,
                self._after, self._own, self._last, self._seen, self._used, self._stamp,
            )  # fmt: skip
        return self._own[elements]

    def claims(self) -> tuple[Claim, ...]:
        return knowledge.guarantee_of_laminar(self.problem, self.known, self.m, cyclic=self.cyclic)


class _Family:
    """A laminar family as the kernels take it: deepest sets, parents, capacities; the loops."""

    def __init__(self, leaf: Ints, parent: Ints, capacity: Ints) -> None:
        self.leaf, self.parent, self.capacity = leaf, parent, capacity
        blocked = np.zeros(len(capacity) + 1, np.bool_)  # the last cell stands for "no set"
        blocked[:-1] = capacity == 0
        for s in _outermost_first(parent):
            blocked[s] |= blocked[parent[s]]
        self.loops = np.flatnonzero(blocked[leaf])


def _outermost_first(parent: Ints) -> list[int]:
    """Return the sets such that each stands behind the set around it."""
    children: list[list[int]] = [[] for _ in range(len(parent) + 1)]
    for s, around in enumerate(parent.tolist()):
        children[around].append(s)
    out, stack = [], list(children[-1])
    while stack:
        s = stack.pop()
        out.append(s)
        stack += children[s]
    return out


def _family(problem: OnlineSelection) -> _Family:
    matroid = problem.matroid
    if isinstance(matroid, Laminar):
        return _Family(matroid.leaf, matroid.parent, matroid.capacity)
    if isinstance(matroid, Partition):
        alone = np.full(len(matroid.capacity), -1, np.int64)
        return _Family(matroid.block, alone, matroid.capacity)
    if isinstance(matroid, Uniform):
        leaf, capacity = np.zeros(matroid.n, np.int64), np.array([matroid.rank], np.int64)
        return _Family(leaf, np.array([-1], np.int64), capacity)
    raise UsageError("laminar is for uniform, partition and laminar matroids")


def applies(problem: OnlineSelection) -> bool:
    """Return whether the method serves this matroid."""
    return isinstance(problem.matroid, Laminar | Partition | Uniform)


@stoppable
def laminar(
    problem: OnlineSelection, run: Run, *, rule: Rule = "auto", answer: Answer = "coloring"
) -> Outcome[Selection]:
    """Colour a laminar, partition or uniform matroid and accept one of the colours (Theorem 11).

    With ``a`` at least the arboricity each element is accepted with probability ``1/(2a - 1)``;
    with the cyclic rule ``1/a``, which is best possible up to rounding.

    Parameters
    ----------
    rule
        ``list`` is Algorithm 2; ``cyclic`` (uniform and partition matroids) colours the i-th
        arrival of a block ``i mod a``; ``auto`` is ``cyclic`` where it applies.
    answer
        ``coloring`` or ``run``, as for first-fit.
    """
    return play(LaminarColouring(problem, run, rule=rule, answer=answer), order_of(problem), run)
