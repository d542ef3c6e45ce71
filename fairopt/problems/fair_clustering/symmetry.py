"""The same question with other labels, or with its points in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fairopt.problem import Meta
from fairopt.problems.fair_clustering.schema import arguments

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

P = TypeVar("P", bound="FairClustering")


def renamed(problem: P, rename: Callable[[str], str]) -> P | None:
    """Return None: groups are named in figures, points have no ids."""
    return None


def reordered(problem: P, rng: np.random.Generator) -> P:
    """Return the problem with its points (and with them the columns of ``points``) permuted."""
    order = rng.permutation(problem.n)
    known = arguments(problem)
    for name in ("points", "distances", "weights"):
        if known[name] is not None:
            known[name] = known[name][order]
    if problem.distances is not None and problem.mode == "points":
        known["distances"] = known["distances"][:, order]
    if problem.attributes:
        known["groups"] = {
            a.name: [a.values[c] for c in a.codes[order].tolist()] for a in problem.attributes
        }
    known["meta"] = Meta(name=problem.meta.name)
    return type(problem)(**known)
