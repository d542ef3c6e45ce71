"""The same question with other names, or with its items in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairopt.problem import Meta
from fairopt.problems.selective_aggregation.schema import arguments

if TYPE_CHECKING:
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation

P = TypeVar("P", bound="SelectiveAggregation")


def renamed(problem: P, rename: Callable[[str], str]) -> P:
    """Return the problem with other names of the items in the same order."""
    known = arguments(problem) | {"items": [rename(name) for name in problem.items]}
    return type(problem)(known.pop("profile"), known.pop("items"), **known)


def reordered(problem: P, rng: np.random.Generator) -> P:
    """Return the problem with its items listed in another order."""
    order = rng.permutation(problem.n)
    place = np.empty_like(order)
    place[order] = np.arange(problem.n)
    said = problem.profile
    both = np.ix_(order, order)
    changes: dict[str, Any] = {
        "ranks": None if said.ranks is None else np.ascontiguousarray(said.ranks[:, order]),
        "support": None if said.support is None else said.support[both],
        "ties": None if said.ties is None else said.ties[both],
    }
    if said.votes is not None:
        changes["votes"] = replace(
            said.votes, first=place[said.votes.first], second=place[said.votes.second]
        )
    known = arguments(problem) | {"meta": Meta(name=problem.meta.name)}
    known["items"] = [problem.items[i] for i in order.tolist()]
    known["profile"] = replace(said, **changes)
    return type(problem)(known.pop("profile"), known.pop("items"), **known)
