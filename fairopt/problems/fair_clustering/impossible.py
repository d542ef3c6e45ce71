"""Reasons why no clustering can be fair, found by counting heads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairopt.rational import text
from fairopt.solution import Infeasible

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering


def impossible(problem: FairClustering) -> Infeasible | None:
    """Return the first reason; None if counting heads shows none.

    Each group's share in the whole is the mean of its shares in the clusters, weighted by their
    masses, so that no share can be demanded of all clusters that the whole does not have.
    """
    for rule, words in _reasons(problem):
        return Infeasible(words, "combinatorial", {"rule": rule})
    return None


def rule(name: str) -> Any:
    """Return the function that says whether this reason holds, for the table of proofs."""

    def holds(problem: FairClustering, data: Mapping[str, Any]) -> bool:
        return any(found == name for found, _ in _reasons(problem))

    return holds


RULES = {
    name: rule(name)
    for name in (
        "lower-above-upper", "lower-sum", "upper-sum", "lower-above-share", "upper-below-share",
        "balance-above-max", "gcd",
    )
}  # fmt: skip


def _reasons(problem: FairClustering) -> Iterator[tuple[str, str]]:
    kind = problem.fairness.type
    if kind == "bounds":
        yield from _bounds(problem)
    elif kind == "balance":
        yield from _balance(problem)
    elif kind == "proportional" and problem.fairness.rounding == "strict":
        most = most_clusters(problem)
        if most is not None and problem.k > most and not problem.allow_empty:
            yield (
                "gcd",
                f"strict proportions admit at most {most} clusters that are not empty (the greatest"
                f" common divisor of the sizes of the groups), k is {problem.k}",
            )


def most_clusters(problem: FairClustering) -> int | None:
    """Return how many clusters strict proportions admit; None if weights are not whole.

    A cluster holds the same fraction q of every group. q times each size is whole, so q is a
    multiple of one by their greatest common divisor.
    """
    sizes = [int(m) for masses in problem.group_masses for m in masses.tolist()]
    return math.gcd(*sizes) if problem.whole and sizes else None


def _bounds(problem: FairClustering) -> Iterator[tuple[str, str]]:
    rows = problem.bounds()
    for a, attribute in enumerate(problem.attributes):
        low, high, shares = rows.lower[a], rows.upper[a], problem.shares(a)
        for value, least, most in zip(attribute.values, low, high, strict=True):
            if least > most:
                yield (
                    "lower-above-upper",
                    f"{attribute.name} {value!r}: lower {text(least)} is above upper {text(most)}",
                )
        if sum(low) > 1:
            words = f"{attribute.name}: the lower shares add up to {text(sum(low, Fraction(0)))}"
            yield "lower-sum", f"{words}, more than 1"
        if sum(high) < 1:
            words = f"{attribute.name}: the upper shares add up to {text(sum(high, Fraction(0)))}"
            yield "upper-sum", f"{words}, less than 1"
        for value, least, most, share in zip(attribute.values, low, high, shares, strict=True):
            of = f"its share in the whole, {_shown(share)}"
            if least > share:
                words = f"{attribute.name} {value!r}: lower {text(least)} is above {of}"
                yield "lower-above-share", words
            if most < share:
                words = f"{attribute.name} {value!r}: upper {text(most)} is below {of}"
                yield "upper-below-share", words


def _shown(share: Fraction) -> str:
    exact = text(share)
    return exact if len(exact) < 12 else f"{float(share):.6g}"


def _balance(problem: FairClustering) -> Iterator[tuple[str, str]]:
    least = problem.fairness.min_balance
    for attribute, masses in zip(problem.attributes, problem.group_masses, strict=True):
        sizes = [Fraction(m) for m in masses.tolist()]
        best = min(sizes) / max(sizes)
        if least > best:
            yield (
                "balance-above-max",
                f"{attribute.name}: min_balance {text(least)} is above the best balance that any "
                f"clustering can have, {_shown(best)}",
            )
