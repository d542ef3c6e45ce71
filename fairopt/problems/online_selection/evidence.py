"""Evidence of upper bounds of gamma, alpha and beta, as ``proofs.py`` describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection.figures import Chances
from fairopt.problems.online_selection.independence import dependent
from fairopt.problems.online_selection.rank import closed_gamma

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection


def elements_of(values: Any, n: int, where: str) -> list[int]:
    """Return a list of distinct whole numbers below ``n``."""
    if not isinstance(values, list | tuple):
        raise InstanceError(f"proof.{where}", "expected a list")
    for k, e in enumerate(values):
        if isinstance(e, bool) or not isinstance(e, int) or not 0 <= e < n:
            raise InstanceError(f"proof.{where}[{k}]", f"expected 0 to {n - 1}, got {e!r}")
    if len(set(values)) != len(values):
        raise InstanceError(f"proof.{where}", "names something twice")
    return list(values)


def lottery_coverage(problem: OnlineSelection, rows: Any) -> Fraction:
    """Return the smallest coverage, by a lottery, of an element that is no loop."""
    if not isinstance(rows, list | tuple):
        raise InstanceError("proof.lottery", "expected a list of sets and probabilities")
    chances, sets = [], []
    for k, row in enumerate(rows):
        if not isinstance(row, Mapping) or set(row) != {"set", "probability"}:
            raise InstanceError(f"proof.lottery[{k}]", "expected set and probability")
        chance = Fraction(rational.parse(row["probability"], f"proof.lottery[{k}].probability"))
        if chance <= 0:
            raise InstanceError(f"proof.lottery[{k}].probability", "expected more than 0")
        chances.append(chance)
        sets.append(elements_of(row["set"], problem.n_elements, f"lottery[{k}].set"))
    if sum(chances, Fraction(0)) > 1:
        raise InstanceError("proof.lottery", "the probabilities add up to more than 1")
    element = np.array([e for s in sets for e in s], np.int64)
    group = np.repeat(np.arange(len(sets)), [len(s) for s in sets])
    if bad := dependent(problem.matroid, element, group):
        raise InstanceError(f"proof.lottery[{bad[0]}].set", "is not independent")
    cover = Chances.of_lottery(problem.n_elements, sets, chances)
    held = np.setdiff1d(np.arange(problem.n_elements), np.array(problem.loops, np.int64))
    least = cover.take(held).least() if len(held) else Fraction(0)
    if not least:
        raise InstanceError("proof.lottery", "leaves an element uncovered")
    return least


def _coloring(problem: OnlineSelection, values: Any) -> int:
    """Return the number of independent classes of a colouring that leaves out loops alone."""
    n = problem.n_elements
    if not isinstance(values, list | tuple) or len(values) != n:
        raise InstanceError("proof.coloring", f"expected {n} colors")
    for e, c in enumerate(values):
        if isinstance(c, bool) or not isinstance(c, int) or not 0 <= c <= n:
            raise InstanceError(f"proof.coloring[{e}]", f"expected a color, got {c!r}")
    colors = np.array(values, np.int64)
    bare = np.flatnonzero(colors == 0).tolist()
    if missing := sorted(set(bare) - set(problem.loops)):
        raise InstanceError(f"proof.coloring[{missing[0]}]", "has no color")
    used = np.flatnonzero(colors)
    if bad := dependent(problem.matroid, used, colors[used]):
        raise InstanceError("proof.coloring", f"class {bad[0]} is not independent")
    return len(set(colors[used].tolist()))


def gamma_at_most(problem: OnlineSelection, evidence: Any) -> Fraction:
    """Return a number that gamma is at most."""
    if not isinstance(evidence, Mapping):
        raise InstanceError("proof.gamma", "expected an object with the key by")
    by, known = evidence.get("by"), problem.information
    if by == "given":
        given = known.beta if known.beta is not None else known.alpha
        if given is None:
            raise InstanceError("proof.gamma", "the instance gives neither beta nor alpha")
        return Fraction(given)
    if by == "closed-form":
        found = closed_gamma(problem.matroid)
        if found is None:
            raise InstanceError("proof.gamma", f"no closed form for {problem.matroid.type}")
        return max(Fraction(1), found)
    if by == "lottery":
        return 1 / lottery_coverage(problem, evidence.get("lottery"))
    if by == "partition":
        return Fraction(max(1, _coloring(problem, evidence.get("coloring"))))
    raise InstanceError("proof.gamma.by", f"unknown evidence {by!r}")


def alpha_at_most(problem: OnlineSelection, evidence: Any) -> int:
    """Return a number that alpha is at most.

    For a matroid alpha is the ceiling of gamma, so all evidence of gamma serves; for a matchoid
    only a partition, or what the instance gives.
    """
    if isinstance(evidence, Mapping) and evidence.get("by") == "given":
        known = problem.information
        if known.alpha is not None:
            return known.alpha
    by = evidence.get("by") if isinstance(evidence, Mapping) else None
    if not problem.is_matroid and by != "partition":
        raise InstanceError("proof.alpha.by", "for a matchoid only a partition shows alpha")
    return math.ceil(gamma_at_most(problem, evidence))


def beta_at_most(problem: OnlineSelection, evidence: Any) -> Fraction:
    """Return a number that beta, and so the largest density, is at most."""
    return gamma_at_most(problem, evidence)
