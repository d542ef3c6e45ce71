"""Exchange kernels on bitsets: ``bits[c]`` holds the approvers of comment c, 64 to a word.

Users are sorted by weight and every word holds users of one weight, ``worth[word]``, so that the
weight of a set is a sum of popcounts. Selections are arrays of comments; ``large`` lists the
comments whose approvers weigh at least ``t``, the only ones that a selection can leave
unrepresented.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import INT, INTS, INTS32, INTS_OUT, WORDS_2D, WORDS_2D_OUT, helper, kernel

_ONE = np.uint64(1)
_M1, _M2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_M4, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = (np.uint64(shift) for shift in (1, 2, 4, 56))


@helper
def popcount(word: Any) -> Any:
    """Return the number of bits set."""
    x = word - ((word >> _S1) & _M1)
    x = (x & _M2) + ((x >> _S2) & _M2)
    x = (x + (x >> _S4)) & _M4
    return np.int64((x * _SUM) >> _S56)


@kernel(WORDS_2D_OUT(INTS, INTS32, INTS, INT))
def bitsets(col: Any, user: Any, slot: Any, words: Any) -> Any:
    """Return the approvers of each comment as bits; user i has the bit ``slot[i]``."""
    out = np.zeros((col.size - 1, words), np.uint64)
    for c in range(col.size - 1):
        for e in range(col[c], col[c + 1]):
            at = slot[user[e]]
            out[c, at >> 6] |= _ONE << np.uint64(at & 63)
    return out


@helper
def weight_of(one: Any, other: Any, worth: Any) -> int:
    """Return the weight of the intersection of two bitsets."""
    total = 0
    for w in range(worth.size):
        both = one[w] & other[w]
        if both != 0:
            total += worth[w] * popcount(both)
    return total


@helper
def weight_left(one: Any, other: Any, without: Any, worth: Any) -> int:
    """Return the weight of the intersection of two bitsets outside a third one."""
    total = 0
    for w in range(worth.size):
        both = one[w] & other[w] & ~without[w]
        if both != 0:
            total += worth[w] * popcount(both)
    return total


@kernel(INTS_OUT(WORDS_2D, INTS, INTS))
def unrepresented_bits(bits: Any, worth: Any, selected: Any) -> Any:
    """Return the weight of each comment's approvers who approve nothing selected; dense data."""
    free = np.zeros(worth.size, np.uint64)
    for place in range(selected.size):
        for w in range(worth.size):
            free[w] |= bits[selected[place], w]
    for w in range(worth.size):
        free[w] = ~free[w]
    out = np.empty(bits.shape[0], np.int64)
    for c in range(out.size):
        out[c] = weight_of(bits[c], free, worth)
    return out


@helper
def _broken_without(bits: Any, worth: Any, large: Any, t: Any, selected: Any, a: Any, b: Any,
                    free: Any, broken: Any) -> int:  # fmt: skip
    """Write who is uncovered without places a and b, and the comments broken then, worst first."""
    for w in range(free.size):
        word = np.uint64(0)
        for place in range(selected.size):
            if place != a and place != b:
                word |= bits[selected[place], w]
        free[w] = ~word
    count, worst = 0, 0
    for k in range(large.size):
        missing = weight_of(bits[large[k]], free, worth)
        if missing >= t:
            broken[count] = large[k]
            if missing > worst:
                worst = missing
                broken[count] = broken[0]
                broken[0] = large[k]
            count += 1
    return count


@helper
def _mends(bits: Any, worth: Any, t: Any, free: Any, broken: Any, count: Any, c: Any) -> bool:
    """Return whether a comment covers enough of every broken one."""
    for b in range(count):
        if weight_left(bits[broken[b]], free, bits[c], worth) >= t:
            if b > 0:  # the one that fails is likely to fail the next candidate too
                broken[b], broken[0] = broken[0], broken[b]
            return False
    return True


@kernel(INT(WORDS_2D, INTS, INTS, INT, INTS, INTS, INTS, INT, INT))
def swap_one(
    bits: Any, worth: Any, large: Any, t: Any, order: Any, score: Any, selected: Any,
    place: Any, least: Any,
) -> Any:  # fmt: skip
    """Return the best comment for a place of the selection if it gains more than ``least``, or -1.

    ``order`` lists the comments that may come in, by falling score.
    """
    free, broken = np.empty(worth.size, np.uint64), np.empty(large.size, np.int64)
    inside = np.zeros(bits.shape[0], np.bool_)
    for at in range(selected.size):
        inside[selected[at]] = True
    old = score[selected[place]]
    if order.size == 0 or score[order[0]] - old <= least:
        return -1
    count = _broken_without(bits, worth, large, t, selected, place, -1, free, broken)
    for k in range(order.size):
        c = order[k]
        if score[c] - old <= least:
            break
        if not inside[c] and _mends(bits, worth, t, free, broken, count, c):
            return c
    return -1


@kernel(INT(WORDS_2D, INTS, INTS, INT, INTS, INTS, INTS, INTS_OUT, INT, INT))
def swap_two(
    bits: Any, worth: Any, large: Any, t: Any, order: Any, score: Any, fixed: Any, selected: Any,
    first: Any, budget: Any,
) -> Any:  # fmt: skip
    """Exchange two comments for two where that gains, over the pairs of places from ``first`` on.

    Stops after about ``budget`` words were read. Returns the pair to go on from, or -1 - pair
    if the best exchange at that pair was made; pair (a, b) has the number a k + b.
    """
    k = selected.size
    free, rest = np.empty(worth.size, np.uint64), np.empty(worth.size, np.uint64)
    broken = np.empty(large.size, np.int64)
    inside = np.zeros(bits.shape[0], np.bool_)
    for place in range(k):
        inside[selected[place]] = True
    work = 0
    for pair in range(first, k * k):
        if work >= budget:
            return pair
        a, b = pair // k, pair % k
        if b <= a or fixed[selected[a]] == 1 or fixed[selected[b]] == 1:
            continue
        old = score[selected[a]] + score[selected[b]]
        count = _broken_without(bits, worth, large, t, selected, a, b, free, broken)
        work += worth.size * (k + large.size)
        gain, one, two = 0, -1, -1
        for p in range(order.size):
            c = order[p]
            if 2 * score[c] - old <= gain:
                break
            if inside[c]:
                continue
            for w in range(worth.size):
                rest[w] = free[w] & ~bits[c, w]
            for q in range(p + 1, order.size):
                d = order[q]
                if score[c] + score[d] - old <= gain:
                    break
                if inside[d]:
                    continue
                work += 2 * worth.size
                if _mends(bits, worth, t, rest, broken, count, d):
                    gain, one, two = score[c] + score[d] - old, c, d
                    break
        if one >= 0:
            selected[a], selected[b] = one, two
            return -1 - pair
    return k * k
