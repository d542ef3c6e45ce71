"""Parts of the two local searches: lists of rejected papers and the flips that keep them right.

Nothing here is compiled at import; the kernels that use these parts compile them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fairopt_solvers.jit import (
    BOOLS_OUT,
    BYTES,
    INTS,
    INTS_OUT,
    helper,
    uniform_below,
    uniform_float,
)

EQUAL = 1e-12  # weights and potentials are of order 1
VIEW_TYPES = (INTS, INTS, INTS, INTS, INTS, INTS, INTS, BYTES)
STATE_TYPES = (BOOLS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT, INTS_OUT)


class View(NamedTuple):
    """The packing view both ways, as described in `kernels`."""

    col_ptr: Any
    col_row: Any
    col_cost: Any
    row_ptr: Any
    row_col: Any
    row_cost: Any
    budget: Any
    forced: Any


class State(NamedTuple):
    """What a move changes.

    ``blocked[j]`` counts the rows in which ``j`` does not fit, its own cost added to the load.
    Rejected papers that may be kept stand in one of three lists, by blocked = 0, 1, 2 or more,
    all in ``lists`` (3 m); ``where[j]`` is the place there or -1; ``count`` has the lengths.
    """

    kept: Any
    load: Any
    blocked: Any
    where: Any
    lists: Any
    count: Any
    log: Any


@helper
def _leave(state: Any, j: int) -> None:
    """Take paper j out of its list."""
    m = state.kept.size
    place = state.where[j]
    bucket = place // m
    state.count[bucket] -= 1
    last = state.lists[bucket * m + state.count[bucket]]
    state.lists[place] = last
    state.where[last] = place
    state.where[j] = -1


@helper
def _bucket(state: Any, j: int) -> int:
    """Return the list to which the rejected paper j belongs."""
    return state.blocked[j] if state.blocked[j] < 2 else 2


@helper
def enter(state: Any, j: int) -> None:
    """Put the rejected paper j into the list of its blocked count."""
    bucket = _bucket(state, j)
    place = bucket * state.kept.size + state.count[bucket]
    state.lists[place] = j
    state.where[j] = place
    state.count[bucket] += 1


@helper
def _shift(view: Any, state: Any, i: int, change: int) -> None:
    """Add to the load of row i and move the papers that this blocks or frees."""
    m = state.kept.size
    room = view.budget[i] - state.load[i]
    left = room - change
    state.load[i] += change
    small, large, step = (left, room, 1) if change > 0 else (room, left, -1)
    for e in range(view.row_ptr[i], view.row_ptr[i + 1]):
        if small < view.row_cost[e] <= large:
            k = view.row_col[e]
            state.blocked[k] += step
            place = state.where[k]
            if place >= 0 and place // m != _bucket(state, k):
                _leave(state, k)
                enter(state, k)


@helper
def flip(view: Any, state: Any, j: int) -> int:
    """Keep the rejected paper j (1), or reject the kept one (-1)."""
    sign = -1 if state.kept[j] else 1
    if sign > 0:
        _leave(state, j)
        state.kept[j] = True
    for e in range(view.col_ptr[j], view.col_ptr[j + 1]):
        _shift(view, state, view.col_row[e], sign * view.col_cost[e])
    if sign < 0:
        state.kept[j] = False
        enter(state, j)
    return sign


@helper
def violated(view: Any, state: Any, c: int) -> int:
    """Count the rows of paper c that are over budget."""
    rows = 0
    for e in range(view.col_ptr[c], view.col_ptr[c + 1]):
        i = view.col_row[e]
        if state.load[i] > view.budget[i]:
            rows += 1
    return rows


@helper
def pick(state: Any, narrow: float, rng: Any) -> Any:
    """Draw a rejected paper; with probability `narrow` among those that a single row blocks."""
    once, more = state.count[1], state.count[2]
    m = state.kept.size
    if once > 0 and (more == 0 or uniform_float(rng) < narrow):
        return state.lists[m + uniform_below(rng, once)]
    place = uniform_below(rng, once + more)
    return state.lists[m + place] if place < once else state.lists[2 * m + place - once]


@helper
def save(state: Any, length: int, best: Any) -> None:
    """Copy the kept papers as they were before the logged flips."""
    for j in range(best.size):
        best[j] = state.kept[j]
    for place in range(length):
        best[state.log[place]] = not best[state.log[place]]
