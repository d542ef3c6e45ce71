"""Kernels that take comments by score and keep room for those that representation needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import (
    BOOL,
    BOOLS,
    BOOLS_OUT,
    INT,
    INTS,
    INTS32,
    INTS_OUT,
    helper,
    kernel,
    pair,
)
from fairopt_solvers.jr_ranking.kernels import best_gain, cover

_BOTH = (INTS, INTS32, INTS, INTS32, INTS)


@helper
def _cover_logged(c: Any, ptr: Any, item: Any, col: Any, user: Any, weight: Any,
                  covered: Any, gain: Any, log: Any, made: Any) -> Any:  # fmt: skip
    """Cover a comment's approvers, note them in ``log`` from ``made`` on; return the new end."""
    for e in range(col[c], col[c + 1]):
        i = user[e]
        if covered[i]:
            continue
        covered[i] = True
        log[made] = i
        made += 1
        w = weight[i]
        for f in range(ptr[i], ptr[i + 1]):
            gain[item[f]] -= w
    return made


@helper
def _next_pick(gain: Any, allowed: Any, taken: Any, must: Any, rank: Any,
               open_must: Any, room: Any) -> int:  # fmt: skip
    """Return the comment of largest gain; only those that must be shown once room is short."""
    best = -1
    for c in range(gain.size):
        if taken[c] or not allowed[c] or (open_must >= room and not must[c]):
            continue
        if best < 0 or gain[c] > gain[best] or (gain[c] == gain[best] and rank[c] < rank[best]):
            best = c
    return best


@kernel(
    INT(*_BOTH, INTS, INT, INT, BOOLS, INTS, INT, INT, BOOLS_OUT, INTS_OUT, BOOLS_OUT, INTS_OUT)
)
def reserve_pass(
    ptr: Any, item: Any, col: Any, user: Any, weight: Any,
    order: Any, first: Any, budget: Any, allowed: Any, rank: Any, t: Any, room: Any,
    covered: Any, gain: Any, taken: Any, state: Any,
) -> Any:  # fmt: skip
    """Take comments in order while the coverage greedy can still complete what is taken.

    Tries ``order[first:]`` until about ``budget`` approvals were read or ``room`` comments are
    taken, and returns the position to go on from. ``covered``, ``gain``, ``taken`` describe what
    is taken so far and are changed; ``state`` is (uncovered weight, number taken). A comment is
    taken at once if the uncovered weight is below (slots left + 1) t, since picks of gain t or
    more can then run out only after everybody has been represented; this shortcut is used where
    all comments are allowed (``state[2]`` = 1).
    """
    trial, undo = gain.copy(), np.empty(covered.size, np.int64)
    ballot = item.size // max(1, covered.size) + 1  # approvals of a user, on average
    work = 0
    for place in range(first, order.size):
        if state[1] >= room or work >= budget:
            return place
        c = order[place]
        if taken[c] or not allowed[c]:
            continue
        left = room - state[1] - 1
        fresh = 0
        for e in range(col[c], col[c + 1]):
            if not covered[user[e]]:
                fresh += weight[user[e]]
        work += col[c + 1] - col[c] + gain.size
        ok = state[2] == 1 and state[0] - fresh < (left + 1) * t
        if not ok:
            trial[:] = gain
            changed = _cover_logged(c, ptr, item, col, user, weight, covered, trial, undo, 0)
            made = 0
            ok = True
            while trial.max() >= t:
                best = best_gain(trial, allowed, rank) if made < left else -1
                if best < 0:
                    ok = False
                    break
                before = changed
                changed = _cover_logged(
                    best, ptr, item, col, user, weight, covered, trial, undo, changed
                )
                work += ballot * (changed - before) + 2 * gain.size
                made += 1
            work += ballot * changed
            for e in range(changed):
                covered[undo[e]] = False
        if ok:
            state[0] -= cover(c, ptr, item, col, user, weight, covered, gain)
            state[1] += 1
            taken[c] = True
    return order.size


@kernel(pair(INTS_OUT, BOOL)(*_BOTH, INTS, INTS_OUT, BOOLS_OUT, BOOLS, INTS, INT))
def levels_greedy(
    ptr: Any, item: Any, col: Any, user: Any, weight: Any, threshold: Any,
    count: Any, taken: Any, allowed: Any, rank: Any, room: Any,
) -> Any:  # fmt: skip
    """Greedy justified candidate rule (Brill, Peters 2023) from a start.

    For l = k..1: while a comment outside has approvers of weight ``threshold[l]`` or more with
    fewer than l taken comments, take the one with the largest such weight, ties to the lowest
    rank. ``count`` (taken comments a user approves) and ``taken`` are changed. Returns the picks
    and whether they stayed within ``room`` and ``allowed`` comments. Time O(k nnz).
    """
    m, k = col.size - 1, threshold.size - 1
    picks = np.empty(room, np.int64)
    made = 0
    group = np.empty(m, np.int64)
    for l in range(k, 0, -1):  # noqa: E741
        group[:] = 0
        for i in range(count.size):
            if count[i] < l:
                for e in range(ptr[i], ptr[i + 1]):
                    group[item[e]] += weight[i]
        while True:
            best = -1
            for c in range(m):
                if not taken[c] and group[c] >= threshold[l]:
                    if not allowed[c]:
                        return picks[:made], False
                    if (
                        best < 0
                        or group[c] > group[best]
                        or (group[c] == group[best] and rank[c] < rank[best])
                    ):
                        best = c
            if best < 0:
                break
            if made == room:
                return picks[:made], False
            picks[made] = best
            made += 1
            taken[best] = True
            for e in range(col[best], col[best + 1]):
                i = user[e]
                count[i] += 1
                if count[i] == l:
                    for f in range(ptr[i], ptr[i + 1]):
                        group[item[f]] -= weight[i]
    return picks[:made], True


@kernel(INTS_OUT(*_BOTH, INTS, BOOLS, INTS, INTS, INT, INTS))
def safe_prefixes(
    ptr: Any, item: Any, col: Any, user: Any, weight: Any,
    begin: Any, allowed: Any, rank: Any, threshold: Any, k: Any, by_rank: Any,
) -> Any:  # fmt: skip
    """Return a display order: at each place the first comment by rank that keeps the order safe.

    ``begin`` must all be shown somewhere; ``threshold[r]`` is what no gain may reach after r
    places (0: no cutoff there). An order is safe if the coverage greedy can complete it so that
    all later cutoffs hold, with room for what must be shown. Where nothing is safe the best
    comment by rank is taken, so that the order always has ``min(k, number allowed)`` places.
    """
    users, m = ptr.size - 1, col.size - 1
    covered, gain = np.zeros(users, np.bool_), np.zeros(m, np.int64)
    for c in range(m):
        for e in range(col[c], col[c + 1]):
            gain[c] += weight[user[e]]
    must = np.zeros(m, np.bool_)
    for place in range(begin.size):
        must[begin[place]] = True
    open_must = begin.size
    taken = np.zeros(m, np.bool_)
    out = np.empty(k, np.int64)
    trial, undo = gain.copy(), np.empty(users, np.int64)
    trial_taken = taken.copy()
    made = 0
    while made < k:
        choice, fallback = -1, -1
        for place in range(by_rank.size):
            c = by_rank[place]
            if taken[c] or not allowed[c]:
                continue
            if open_must - (1 if must[c] else 0) > k - made - 1:
                continue
            if fallback < 0:
                fallback = c
            trial[:] = gain
            trial_taken[:] = taken
            trial_taken[c] = True
            changed = _cover_logged(c, ptr, item, col, user, weight, covered, trial, undo, 0)
            safe, left, used = True, open_must - (1 if must[c] else 0), made + 1
            while safe:
                if threshold[used] > 0 and trial.max() >= threshold[used]:
                    safe = False
                    break
                if used == k:
                    break
                best = _next_pick(trial, allowed, trial_taken, must, rank, left, k - used)
                if best < 0:
                    break
                trial_taken[best] = True
                if must[best]:
                    left -= 1
                used += 1
                changed = _cover_logged(
                    best, ptr, item, col, user, weight, covered, trial, undo, changed
                )
            for e in range(changed):
                covered[undo[e]] = False
            if safe:
                choice = c
                break
        if choice < 0:
            choice = fallback
        if choice < 0:
            break
        out[made] = choice
        made += 1
        taken[choice] = True
        if must[choice]:
            open_must -= 1
        cover(choice, ptr, item, col, user, weight, covered, gain)
    return out[:made]
