"""The search for a smallest justifying set, on bitsets (see ``kernels_swap``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import INT, INTS, INTS_OUT, WORDS_2D, helper, kernel
from fairopt_solvers.jr_ranking.kernels_swap import weight_of


@helper
def _open_node(
    bits: Any, worth: Any, large: Any, t: Any, free: Any, left: Any, banned: Any, list_: Any,
    helps: Any, group: Any,
) -> int:  # fmt: skip
    """List who can help the worst comment enough, most first; -1 if nobody has to be helped.

    One of ``left`` further comments has to cover at least its share of the excess.
    """
    worst, most = -1, t - 1
    for k in range(large.size):
        missing = weight_of(bits[large[k]], free, worth)
        if missing > most:
            worst, most = large[k], missing
    if worst < 0:
        return -1
    if left == 0:
        return 0
    for w in range(worth.size):
        group[w] = bits[worst, w] & free[w]
    need = (most - t + 1 + left - 1) // left
    count = 0
    for c in range(bits.shape[0]):
        if banned[c] > 0:
            continue
        help_ = weight_of(bits[c], group, worth)
        if help_ >= need:
            at = count
            while at > 0 and helps[at - 1] < help_:
                helps[at], list_[at] = helps[at - 1], list_[at - 1]
                at -= 1
            helps[at], list_[at] = help_, c
            count += 1
    return count


@kernel(INT(WORDS_2D, INTS, INTS, INT, INT, INT, INTS_OUT))
def justifying_set(
    bits: Any, worth: Any, large: Any, t: Any, size: Any, budget: Any, members: Any
) -> Any:  # fmt: skip
    """Look for at most ``size`` comments after which no gain reaches ``t``.

    Branches on who helps the comment with the most unrepresented approvers; what was tried before
    at a node is not tried again below its later branches. Returns the number of comments written
    to ``members``, -1 if there is no such set, -2 if about ``budget`` words were read first.
    """
    m, words = bits.shape
    free = np.zeros((size + 1, words), np.uint64)
    group, helps = np.empty(words, np.uint64), np.empty(m, np.int64)
    lists, count = np.empty((size + 1, m), np.int64), np.zeros(size + 1, np.int64)
    place, banned = np.zeros(size + 1, np.int64), np.zeros(m, np.int64)
    for w in range(words):
        free[0, w] = ~free[0, w]
    depth, work, entered = 0, 0, True
    while depth >= 0:
        if entered:
            work += words * (m + large.size)
            if work > budget:
                return -2
            count[depth] = _open_node(
                bits, worth, large, t, free[depth], size - depth, banned, lists[depth], helps, group
            )
            if count[depth] < 0:
                return depth
            place[depth] = 0
        if place[depth] == count[depth]:
            for k in range(count[depth]):
                banned[lists[depth, k]] -= 1
            depth -= 1
            entered = False
            continue
        c = lists[depth, place[depth]]
        place[depth] += 1
        banned[c] += 1
        members[depth] = c
        for w in range(words):
            free[depth + 1, w] = free[depth, w] & ~bits[c, w]
        depth += 1
        entered = True
    return -1
