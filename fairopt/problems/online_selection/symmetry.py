"""The same instance under other names, or with its elements listed in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairopt.problems.online_selection.problem import Arrival

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection

P = TypeVar("P", bound="OnlineSelection")


def renamed(problem: P, rename: Callable[[str], str]) -> P | None:
    """Return the instance with other labels, and other names of vertices where they are texts.

    Vertices keep their names if the new ones would sort differently, because ties between
    vertices go by label. None if nothing has a name.
    """
    content = problem.to_json()
    touched = False
    if problem.labels is not None and any(isinstance(v, str) for v in problem.labels):
        content["labels"] = [rename(v) if isinstance(v, str) else v for v in problem.labels]
        touched = True
    names = getattr(problem.matroid, "vertices", ())
    if names and isinstance(names[0], str):
        new = {name: rename(name) for name in names}
        if sorted(new.values()) == list(new.values()):
            edges = content["matroid"]["edges"]
            content["matroid"]["edges"] = [[new[u], new[v]] for u, v in edges]
            touched = True
    return type(problem).from_json(content) if touched else None


def reordered(problem: P, rng: np.random.Generator) -> P:
    """Return the instance with its elements listed in another order; they arrive as before."""
    index = rng.permutation(problem.n_elements)
    place = np.empty(problem.n_elements, np.int64)
    place[index] = np.arange(problem.n_elements)
    more: dict[str, Any] = {}
    if problem.labels is not None:
        more["labels"] = [problem.labels[e] for e in index.tolist()]
    if problem.weights is not None:
        more["weights"] = problem.weights.take(index)
    return type(problem)(
        problem.matroid.take(index),
        information=problem.information,
        arrival=Arrival(problem.arrival.model, place[problem.order]),
        **more,
    )
