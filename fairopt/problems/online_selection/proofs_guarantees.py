"""Guarantees of the methods, recomputed from what the instance gives or the data show.

All values are about elements that are no loops. Data of each rule: ``gamma`` (or ``alpha``),
evidence as described in ``proofs.py``; ``rank`` may be ``"given"`` to use ``information.rank``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection.evidence import alpha_at_most, gamma_at_most
from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.guarantees import (
    degeneracy_chance,
    oblivious_chance,
    paper_levels,
    tight_levels,
    tight_levels_matchoid,
)
from fairopt.problems.online_selection.matroids import Laminar, Matchoid, Partition, Uniform
from fairopt.problems.online_selection.rank import rank

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection

Data = Mapping[str, Any]


def _rank(problem: OnlineSelection, data: Data) -> int:
    """Return the rank, given or computed; for a large matchoid an upper bound of it."""
    if data.get("rank") == "given":
        if problem.information.rank is None:
            raise InstanceError("proof.rank", "the instance gives no rank")
        return problem.information.rank
    found = rank(problem.matroid)
    if found is not None:
        return found
    matroid = problem.matroid
    assert isinstance(matroid, Matchoid)
    total = int((matroid.multiplicity() == 0).sum())
    for part in matroid.parts:
        held = rank(part.matroid)
        assert held is not None
        total += held
    return min(total, matroid.n - len(problem.loops))


def levels_of(problem: OnlineSelection, data: Data) -> int:
    """Return how many levels first-fit needs: ``levels`` is ``tight`` (default) or ``paper``.

    The paper's number is stated with alpha for matroids and with beta for matchoids.
    """
    which = data.get("levels", "tight")
    if which not in ("tight", "paper"):
        raise InstanceError("proof.levels", f"expected tight or paper, got {which!r}")
    k, evidence = _rank(problem, data), data.get("gamma")
    if isinstance(problem.matroid, Matchoid):
        parts = max(problem.matroid.p, 1)
        beta = gamma_at_most(problem, evidence)
        if which == "paper":
            return paper_levels(beta, k, parts)
        return tight_levels_matchoid(beta, k, parts)
    if which == "paper":
        return paper_levels(Fraction(alpha_at_most(problem, evidence)), k)
    return tight_levels(gamma_at_most(problem, evidence), k)


def first_fit(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 1/m for first-fit with m levels (Theorem 10)."""
    if not problem.is_matroid:
        raise InstanceError("proof", "first-fit is for matroids; the rule matchoid is for others")
    return Fraction(1, levels_of(problem, data))


def matchoid(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 1/m for first-fit on a matchoid (Theorem 17)."""
    return Fraction(1, levels_of(problem, data))


def oblivious(problem: OnlineSelection, data: Data) -> float:
    """Return the chance of the last level that first-fit can need (Theorem 8, Corollary 1)."""
    return oblivious_chance(levels_of(problem, data))


def laminar(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 1/(2 alpha - 1) for the laminar colouring (Theorem 11). Data: ``alpha``."""
    if not isinstance(problem.matroid, Laminar | Partition | Uniform):
        raise InstanceError("proof", "is for laminar matroids")
    return Fraction(1, max(1, 2 * alpha_at_most(problem, data.get("alpha")) - 1))


def laminar_cyclic(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 1/alpha for colours dealt out in turn within each block. Data: ``alpha``."""
    if not isinstance(problem.matroid, Partition | Uniform):
        raise InstanceError("proof", "is for uniform and partition matroids")
    return Fraction(1, max(1, alpha_at_most(problem, data.get("alpha"))))


def degeneracy(problem: OnlineSelection, data: Data) -> float:
    """Return the number of Lemma 15. Data: ``degeneracy`` d, ``q`` (default d^(-1/4)/3).

    The graph must be d-degenerate, or d must be 2 alpha - 1 for the alpha that is given.
    """
    graph = problem.matroid
    d = data.get("degeneracy")
    if not isinstance(graph, Graphic) or isinstance(d, bool) or not isinstance(d, int) or d < 1:
        raise InstanceError("proof.degeneracy", "expected a graph and a number of at least 1")
    given = problem.information.alpha
    if (given is None or d < 2 * given - 1) and d < degeneracy_of(graph):
        raise InstanceError("proof.degeneracy", f"the graph is not {d}-degenerate")
    q = None
    if data.get("q") is not None:
        q = Fraction(rational.parse(data["q"], "proof.q"))
    found = degeneracy_chance(d, q)
    if found is None:
        raise InstanceError("proof", "Lemma 15 says nothing for this degeneracy and q")
    return found


def degeneracy_of(graph: Graphic) -> int:
    """Return the degeneracy by peeling in rounds; self-loops do not count.

    Vertices of degree at most d are removed together; where there are none, d grows to the
    smallest degree left.
    """
    real = graph.tail != graph.head
    tail, head = graph.tail[real], graph.head[real]
    left = np.ones(graph.n_vertices, np.bool_)
    d = 0
    while left.any():
        degree = np.bincount(tail, minlength=len(left)) + np.bincount(head, minlength=len(left))
        gone = left & (degree <= d)
        if not gone.any():
            d = int(degree[left].min())
            gone = left & (degree <= d)
        left &= ~gone
        kept = left[tail] & left[head]
        tail, head = tail[kept], head[kept]
    return d
