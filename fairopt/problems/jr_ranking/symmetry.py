"""The same question with other ids, or with its users and comments in another order."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairopt.problem import Meta
from fairopt.problems.jr_ranking.schema import arguments
from fairopt.rational import Exact

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

P = TypeVar("P", bound="JrRanking")


def _again(problem: P, **changes: Any) -> P:
    known = arguments(problem) | changes
    return type(problem)(known.pop("indptr"), known.pop("indices"), **known)


def renamed(problem: P, rename: Callable[[str], str]) -> P | None:
    """Return the problem with other ids in the same order."""
    if problem.ids is None:
        return None
    return _again(problem, ids=[rename(name) for name in problem.ids])


def reordered(problem: P, rng: np.random.Generator) -> P:
    """Return the problem with users and comments listed in another order.

    Without utilities and other score vectors: the approvals and scores in force alone.
    """
    users, comments = rng.permutation(problem.n_users), rng.permutation(problem.n_comments)
    place = np.empty_like(comments)
    place[comments] = np.arange(len(comments))
    sizes = np.diff(problem.indptr)[users]
    rows = np.split(place[problem.indices], problem.indptr[1:-1])
    items = np.concatenate([np.sort(rows[i]) for i in users.tolist()])
    return _again(
        problem,
        indptr=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        indices=items.astype(np.int64),
        weights=problem.weights[users],
        ids=None if problem.ids is None else [problem.ids[c] for c in comments.tolist()],
        scores=Exact.of([Fraction(problem.scores[c]) for c in comments.tolist()]),
        score_sets=None,
        forced=[int(place[c]) for c in problem.forced],
        forbidden=[int(place[c]) for c in problem.forbidden],
        utilities=None,
        threshold=None,
        meta=Meta(name=problem.meta.name),
    )
