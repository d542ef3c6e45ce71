"""What a set of comments means for the users: plain sums over the approvals, in integers.

The court's own code: NumPy on the ballots of the instance, nothing shared with a method.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_BLOCK = 8_000_000  # cells of a table of comments by levels
_APPROVALS = 2_000_000  # looked at together: all at once would need memory for nothing


def rows_of(problem: JrRanking) -> NDArray[np.int32]:
    """Return the user of each approval, in the order of ``indices``."""
    cached = problem.__dict__.get("_rows")
    if cached is None:
        users = np.arange(problem.n_users, dtype=np.int32)
        cached = problem.__dict__["_rows"] = np.repeat(users, np.diff(problem.indptr))
    found: NDArray[np.int32] = cached
    return found


def sums(problem: JrRanking, index: NDArray[Any], users: NDArray[Any], size: int) -> Ints:
    """Return for each index the weight of the users beside it (below 2^53: floats are exact)."""
    if problem.n == problem.n_users:
        return np.bincount(index, minlength=size).astype(np.int64)
    weight = problem.weights[users].astype(np.float64)
    return np.bincount(index, weights=weight, minlength=size).astype(np.int64)


def ballots_of(problem: JrRanking, users: NDArray[Any]) -> tuple[NDArray[np.int32], Ints]:
    """Return the approvals of some users: the comments, and beside each the user."""
    first = problem.indptr[users]
    size = problem.indptr[users + 1] - first
    before = np.concatenate(([0], np.cumsum(size)))
    at = np.repeat(first - before[:-1], size) + np.arange(int(before[-1]))
    return problem.indices[at], np.repeat(users, size).astype(np.int64)


def mask_of(problem: JrRanking, comments: Iterable[int]) -> Bools:
    """Return which comments are in a set."""
    out = np.zeros(problem.n_comments, np.bool_)
    out[list(comments)] = True
    return out


def satisfaction(problem: JrRanking, shown: Bools) -> Ints:
    """Return how many of the comments shown each user approves."""
    ptr, users = problem.supporters
    fans = [users[ptr[c] : ptr[c + 1]] for c in np.flatnonzero(shown).tolist()]
    found = np.concatenate([np.zeros(0, np.int32), *fans])
    return np.bincount(found, minlength=problem.n_users).astype(np.int64)


def unrepresented(problem: JrRanking, approved: Ints) -> Ints:
    """Return u_c: the weight of each comment's approvers who approve nothing shown."""
    rows = rows_of(problem)
    here = (approved == 0)[rows]
    return sums(problem, problem.indices[here], rows[here], problem.n_comments)


class Group(NamedTuple):
    """The approvers of a comment who have fewer than ``level`` approved comments."""

    comment: int
    level: int
    weight: int


def group_weights(problem: JrRanking, shown: Bools, approved: Ints) -> list[tuple[Ints, Ints]]:
    """Return for blocks of comments not shown: the comments and the weights of their groups.

    Entry (j, l - 1) of the weights is w{i in N_c : |A_i & W| < l} for the j-th comment c of the
    block. Levels beyond the largest satisfaction plus one add nothing: the group no longer grows.
    """
    most = min(problem.k, int(approved.max()) + 1)
    ptr, users = problem.supporters
    low = np.minimum(approved, most)
    out = []
    first = 0
    while first < problem.n_comments:
        last = min(problem.n_comments, first + max(1, _BLOCK // (most + 1)))
        enough = int(np.searchsorted(ptr, ptr[first] + _APPROVALS))
        last = min(last, max(first + 1, enough))
        who = users[ptr[first] : ptr[last]]
        cell = np.repeat(np.arange(last - first) * (most + 1), np.diff(ptr[first : last + 1]))
        cell += low[who]
        size = (last - first, most + 1)
        outside = np.flatnonzero(~shown[first:last])
        table = sums(problem, cell, who, size[0] * size[1]).reshape(size)[outside, :most]
        if outside.size:
            out.append((first + outside, np.cumsum(table, axis=1)))
        first = last
    return out
