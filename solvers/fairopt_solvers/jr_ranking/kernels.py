"""Kernels that audit a selection, and the coverage greedy.

Approvals come as CSR both ways: ``ptr, item`` lists the comments of a user (row of a profile),
``col, user`` the users of a comment; ``weight`` holds the users' weights, whose sum is below
``2**62``. A user is *covered* by a selection that holds one of its comments; the gain ``u[c]`` of
a comment is the weight of its uncovered approvers, and a selection represents everybody large
enough (JR) iff no gain reaches the threshold ``t``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import (
    BOOL,
    BOOLS,
    BOOLS_OUT,
    FLOATS,
    FLOATS_OUT,
    INT,
    INTS,
    INTS32,
    INTS32_OUT,
    INTS_OUT,
    helper,
    kernel,
    pair,
)

_BOTH = (INTS, INTS32, INTS, INTS32, INTS)


@kernel(pair(INTS_OUT, INTS32_OUT)(INTS, INTS32, INT))
def transposed(ptr: Any, item: Any, size: Any) -> Any:
    """Return the users of each comment, in increasing order; O(nnz)."""
    col = np.zeros(size + 1, np.int64)
    for e in range(item.size):
        col[item[e] + 1] += 1
    for c in range(size):
        col[c + 1] += col[c]
    place = col[:-1].copy()
    user = np.empty(item.size, np.int32)
    for i in range(ptr.size - 1):
        for e in range(ptr[i], ptr[i + 1]):
            c = item[e]
            user[place[c]] = i
            place[c] += 1
    return col, user


@kernel(INTS_OUT(INTS, INTS32, INT, INT))
def ballot_keys(ptr: Any, item: Any, salt: Any, size: Any) -> Any:
    """Return a hash of every ballot; equal ballots have equal ones (not the other way round)."""
    word = np.zeros(size, np.int64)
    mixed = np.uint64(salt)
    for c in range(size):  # one random word a comment, splitmix64
        mixed += np.uint64(0x9E3779B97F4A7C15)
        z = mixed
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word[c] = np.int64(z ^ (z >> np.uint64(31)))
    out = np.zeros(ptr.size - 1, np.int64)
    for i in range(out.size):
        for e in range(ptr[i], ptr[i + 1]):
            out[i] += word[item[e]]
    return out


@kernel(BOOLS_OUT(INTS, INTS32, INTS))
def same_ballots(ptr: Any, item: Any, other: Any) -> Any:
    """Return for each user whether its ballot equals that of user ``other[i]``."""
    out = np.ones(ptr.size - 1, np.bool_)
    for i in range(out.size):
        j = other[i]
        size = ptr[i + 1] - ptr[i]
        if ptr[j + 1] - ptr[j] != size:
            out[i] = False
            continue
        for e in range(size):
            if item[ptr[i] + e] != item[ptr[j] + e]:
                out[i] = False
                break
    return out


@kernel(INTS_OUT(*_BOTH, INTS))
def unrepresented(
    ptr: Any, item: Any, col: Any, user: Any, weight: Any, selected: Any
) -> Any:  # fmt: skip
    """Return the weight of each comment's approvers who approve nothing selected.

    Reads the users of the selected comments and the ballots of the uncovered users only.
    """
    covered = np.zeros(ptr.size - 1, np.bool_)
    for place in range(selected.size):
        c = selected[place]
        for e in range(col[c], col[c + 1]):
            covered[user[e]] = True
    out = np.zeros(col.size - 1, np.int64)
    for i in range(covered.size):
        if not covered[i]:
            w = weight[i]
            for e in range(ptr[i], ptr[i + 1]):
                out[item[e]] += w
    return out


@kernel(INTS_OUT(INTS, INTS32, INTS, INT))
def satisfaction(col: Any, user: Any, selected: Any, users: Any) -> Any:
    """Return how many selected comments each user approves."""
    out = np.zeros(users, np.int64)
    for place in range(selected.size):
        c = selected[place]
        for e in range(col[c], col[c + 1]):
            out[user[e]] += 1
    return out


@kernel(INTS_OUT(INTS, INTS32, INTS, INTS, INT))
def overlap(ptr: Any, item: Any, weight: Any, members: Any, size: Any) -> Any:
    """Return for each comment the weight of the listed users who approve it."""
    out = np.zeros(size, np.int64)
    for place in range(members.size):
        i = members[place]
        for e in range(ptr[i], ptr[i + 1]):
            out[item[e]] += weight[i]
    return out


@kernel(pair(FLOATS_OUT, FLOATS_OUT)(*_BOTH, FLOATS))
def uncovered_shares(ptr: Any, item: Any, col: Any, user: Any, weight: Any, x: Any) -> Any:
    """Return by how much each user is uncovered by a fractional selection, and sums by comment.

    The share of a user is ``max(0, 1 - sum of x over its ballot)``; a comment's sum is that of
    weight times share over its approvers. Only guides a search: floats.
    """
    share, sums = np.zeros(ptr.size - 1, np.float64), np.zeros(col.size - 1, np.float64)
    for i in range(share.size):
        covered = 0.0
        for e in range(ptr[i], ptr[i + 1]):
            covered += x[item[e]]
        if covered < 1.0:
            share[i] = 1.0 - covered
            for e in range(ptr[i], ptr[i + 1]):
                sums[item[e]] += weight[i] * share[i]
    return share, sums


@kernel(pair(INTS_OUT, INTS_OUT)(INTS, INTS32, INTS, INTS, BOOLS, INT))
def worst_levels(
    col: Any, user: Any, weight: Any, count: Any, inside: Any, k: Any
) -> Any:  # fmt: skip
    """Return for each comment outside the l that maximises g / l, and that g.

    g is the weight of its approvers with fewer than l selected comments (``count``), 1 <= l <= k;
    ties go to the smallest l. EJR+ fails at a comment iff g / l reaches the quota. Comments inside
    get l = 1, g = 0. Time O(nnz + m k). The caller keeps k times the weights below ``2**62``.
    """
    m = col.size - 1
    level, group = np.ones(m, np.int64), np.zeros(m, np.int64)
    at = np.zeros(k, np.int64)
    for c in range(m):
        if inside[c]:
            continue
        at[:] = 0
        for e in range(col[c], col[c + 1]):
            i = user[e]
            if count[i] < k:
                at[count[i]] += weight[i]
        g = 0
        for l in range(1, k + 1):  # noqa: E741  the level of the axiom
            g += at[l - 1]
            if g * level[c] > group[c] * l:
                level[c], group[c] = l, g
    return level, group


@helper
def cover(c: Any, ptr: Any, item: Any, col: Any, user: Any, weight: Any,
          covered: Any, gain: Any) -> int:  # fmt: skip
    """Cover the approvers of a comment and lower the gains; return the weight newly covered."""
    total = 0
    for e in range(col[c], col[c + 1]):
        i = user[e]
        if covered[i]:
            continue
        covered[i] = True
        w = weight[i]
        total += w
        for f in range(ptr[i], ptr[i + 1]):
            gain[item[f]] -= w
    return total


@helper
def best_gain(gain: Any, allowed: Any, rank: Any) -> int:
    """Return the allowed comment of largest gain, ties to the lowest rank; -1 if all are 0."""
    best = -1
    for c in range(gain.size):
        if not allowed[c] or gain[c] <= 0:
            continue
        if best < 0 or gain[c] > gain[best] or (gain[c] == gain[best] and rank[c] < rank[best]):
            best = c
    return best


@kernel(pair(INTS_OUT, BOOL)(*_BOTH, BOOLS_OUT, INTS_OUT, BOOLS, INTS, INT, INT))
def coverage_greedy(
    ptr: Any, item: Any, col: Any, user: Any, weight: Any,
    covered: Any, gain: Any, allowed: Any, rank: Any, t: Any, room: Any,
) -> Any:  # fmt: skip
    """Pick allowed comments of largest gain until every gain is below ``t``.

    ``covered`` and ``gain`` hold the state to begin with and are changed. Returns the picks and
    whether every gain fell below ``t`` within ``room`` picks. Time O(nnz + room m).
    """
    picks = np.empty(room, np.int64)
    made = 0
    while gain.max() >= t:
        if made == room:
            return picks[:made], False
        best = best_gain(gain, allowed, rank)
        if best < 0:
            return picks[:made], False
        picks[made] = best
        made += 1
        cover(best, ptr, item, col, user, weight, covered, gain)
    return picks[:made], True
