"""Kernel of Algorithm 2: elements of a laminar family in a linked list of arrivals."""

from __future__ import annotations

from typing import Any

from fairopt_solvers.jit import INT, INTS, INTS_OUT, helper, kernel

NONE = -1


@helper
def least_absent(e: Any, a: Any, before: Any, after: Any, colour: Any, stamp: Any) -> Any:
    """Return the least colour that none of the a - 1 neighbours on either side of e has.

    ``stamp[0]`` is the mark last used, ``stamp[c]`` the mark of colour c. At most 2a - 2 colours
    are taken, so the result is at most 2a - 1.
    """
    stamp[0] += 1
    x, y = before[e], after[e]
    for _ in range(a - 1):
        if x != NONE:
            stamp[colour[x]] = stamp[0]
            x = before[x]
        if y != NONE:
            stamp[colour[y]] = stamp[0]
            y = after[y]
    c = 1
    while stamp[c] == stamp[0]:
        c += 1
    return c


@kernel(
    INT(
        INTS, INTS, INTS, INTS, INT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT,
        INTS_OUT,
    )
)  # fmt: skip
def insert(  # type: ignore[no-untyped-def]
    elements, leaf, parent, capacity, a, before, after, colour, last, seen, used, stamp
):
    """Let elements arrive: place each in the list and colour it, O(depth + a) an arrival.

    Parameters
    ----------
    elements
        The arrivals, in order.
    leaf, parent
        Deepest set of each element and of each set the next larger one; -1 for none.
    a
        At least the arboricity, or colours break a capacity and the element gets colour 0.
    before, after, colour
        The list and the colours, one cell an element. ``before`` and ``after`` have one cell
        more: there they hold the last and the first element of the list.
    last, seen
        For each set its last element in the list and how many have arrived.
    used
        Elements of each set by colour, shape (sets, 2a), or empty: then no capacity is looked at.
    stamp
        Marks of the colours, 2a cells.
    """
    n, width, failed = leaf.size, 2 * a, 0
    for e in elements:
        s = leaf[e]
        while s != NONE and seen[s] == 0:
            s = parent[s]
        place = before[n] if s == NONE else last[s]  # the end of the list, or after the last of s
        follower = after[n] if place == NONE else after[place]
        before[e], after[e] = place, follower
        if place == NONE:
            after[n] = e
        else:
            after[place] = e
        if follower == NONE:
            before[n] = e
        else:
            before[follower] = e
        t = leaf[e]
        while t != NONE:
            if seen[t] == 0 or last[t] == place:
                last[t] = e
            seen[t] += 1
            t = parent[t]
        c = least_absent(e, a, before, after, colour, stamp)
        t = leaf[e] if used.size else NONE
        while t != NONE:
            if used[t * width + c] >= capacity[t]:
                c = 0
                failed += 1
                break
            t = parent[t]
        t = leaf[e] if used.size and c > 0 else NONE
        while t != NONE:
            used[t * width + c] += 1
            t = parent[t]
        colour[e] = c
    return failed


@kernel(INT(INTS, INTS, INTS, INT, INTS_OUT, INTS_OUT))
def cycle(elements, block, capacity, a, colour, seen):  # type: ignore[no-untyped-def]
    """Colour the i-th arrival of a block (i = 0, 1, …) with ``i mod a + 1``.

    A colour has ``ceil(|block|/a)`` elements of a block; one too many gets colour 0. ``seen``
    counts the arrivals of each block. Returns how many got colour 0.
    """
    failed = 0
    for e in elements:
        b = block[e]
        if seen[b] // a < capacity[b]:
            colour[e] = seen[b] % a + 1
        else:
            colour[e] = 0
            failed += 1
        seen[b] += 1
    return failed
