"""Commands of selective aggregation beside the common ones."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import median
from typing import Any

from fairopt.problems.selective_aggregation.problem import SelectiveAggregation
from fairopt.rational import text
from fairopt.registry import resolve
from fairopt.solution import encode
from fairopt.verbs import Result, Table

_PERTURBED = "fairopt_solvers.selective_aggregation.robust:perturbed"  # found by name


def robustness(
    problem: SelectiveAggregation, *, trials: int = 100, share: float = 0.1, seed: int = 0
) -> Result:
    """Return how the ranking at tau changes when opinions are missing or different.

    ``trials`` times a random ``share`` of all opinions is dropped, and as often changed to one of
    the other two values; ``seed`` fixes the draws. Under ``strict`` also what is proven: how many
    judges must change, or join, before a comparison can be inverted.
    """
    found = resolve(_PERTURBED)(problem, trials=trials, share=share, seed=seed)
    rows = [
        (kind, name, median(found[kind][name]), max(found[kind][name]))
        for kind in ("missing", "changed")
        for name in ("inversions", "added", "lost")
    ]
    proven = bounds(problem)
    tau = text(problem.asked or Fraction(0))
    words: list[str | Table] = [
        f"at tau = {tau}: {trials} times {share:.0%} of the opinions",
        Table(("opinions", "comparisons", "median", "most"), rows),
    ]
    if proven:
        words.append(_proven(proven))
    return Result({**found, **encode(proven)}, tuple(words))


def bounds(problem: SelectiveAggregation) -> dict[str, Any]:
    """Return what is proven under ``strict``; empty for other conventions.

    To invert a published comparison at least (1 - 2 tau) W of the judges must change their
    opinion, or (1 - 2 tau) W / tau must join; missing opinions that are filled in invert nothing.
    """
    tau = problem.asked
    if problem.convention != "strict" or tau is None:
        return {}
    change = math.ceil((1 - 2 * tau) * problem.total)
    join = None if tau == 0 else math.ceil((1 - 2 * tau) * problem.total / tau)
    return {"judges_to_change": change, "judges_to_join": join}


def _proven(proven: dict[str, Any]) -> str:
    join = proven["judges_to_join"]
    few = "any number of" if join is None else f"fewer than {join:,}"
    return (
        f"proven: to invert a comparison {proven['judges_to_change']:,} judges (by weight) must "
        f"change their opinion, fewer cannot; {few} new judges cannot. Opinions that are now "
        "missing invert nothing, whatever they turn out to be."
    )
