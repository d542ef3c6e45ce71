"""Recomputing proofs of selective aggregation from the instance and the proof's data alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fairopt.errors import InstanceError

if TYPE_CHECKING:
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation


def cycles(problem: SelectiveAggregation, data: Mapping[str, Any]) -> int:
    """Return how many comparisons there can be, from cycles of items that must share a tier.

    Along a cycle v0, v1, …, v0 no next item may be put above the one before (the dissent of that
    statement exceeds tau), so the tiers never fall along it, hence are all the same. Items in
    no cycle are taken to be alone.
    """
    given = data.get("cycles")
    if not isinstance(given, list | tuple):
        raise InstanceError("proof.cycles", "expected a list of cycles")
    seen: set[int] = set()
    level, limit = problem.dissent.level, problem.limit
    n = problem.n
    lost = 0
    for k, cycle in enumerate(given):
        if not isinstance(cycle, list | tuple) or len(cycle) < 2:
            raise InstanceError(f"proof.cycles[{k}]", "expected two items or more")
        for v, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            if type(v) is not int or not 0 <= v < n or v in seen:
                raise InstanceError(f"proof.cycles[{k}]", f"{v!r} is no item or is named twice")
            seen.add(v)
            if type(after) is not int or not 0 <= after < n:
                raise InstanceError(f"proof.cycles[{k}]", f"{after!r} is no item")
            if level[after, v] <= limit:
                names = f"{problem.items[after]!r} may be above {problem.items[v]!r}"
                raise InstanceError(f"proof.cycles[{k}]", names)
        lost += len(cycle) * (len(cycle) - 1) // 2
    return n * (n - 1) // 2 - lost


RULES = {"bound": {"cycles": cycles}}
