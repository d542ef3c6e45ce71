"""Kernel of `local-search` for objectives that add up over papers."""

from __future__ import annotations

from math import exp
from typing import Any

from fairopt_solvers.desk_rejection.kernels_moves import (
    EQUAL,
    STATE_TYPES,
    VIEW_TYPES,
    State,
    View,
    flip,
    pick,
    save,
    violated,
)
from fairopt_solvers.jit import (
    BOOLS_OUT,
    FLOAT,
    FLOATS,
    FLOATS_OUT,
    INT,
    STATE,
    helper,
    kernel,
    uniform_below,
    uniform_float,
)


@helper
def _eviction(
    view: Any, state: Any, weight: Any, i: int, new: int, noise: float, rng: Any
) -> int:  # fmt: skip
    """Return the kept paper of the violated row i with the least score, -1 if there is none."""
    chosen, least = -1, 0.0
    for e in range(view.row_ptr[i], view.row_ptr[i + 1]):
        c = view.row_col[e]
        if c != new and state.kept[c] and view.forced[c] != 1:
            others = violated(view, state, c) - 1
            score = weight[c] - others * (weight[c] + 0.5) + noise * uniform_float(rng)
            if chosen < 0 or score < least:
                chosen, least = c, score
    return chosen


@helper
def _refill(state: Any, weight: Any, rng: Any) -> Any:
    """Return the heaviest rejected paper that fits, ties at random; -1 if none fits."""
    if state.count[0] == 0:
        return -1
    chosen, ties = state.lists[0], 1
    for place in range(1, state.count[0]):
        k = state.lists[place]
        if weight[k] > weight[chosen]:
            chosen, ties = k, 1
        elif weight[k] == weight[chosen]:
            ties += 1
            if uniform_below(rng, ties) == 0:
                chosen = k
    return chosen


@helper
def _exchange(view: Any, state: Any, weight: Any, new: int, noise: float, rng: Any) -> Any:
    """Keep `new` (-1: nothing), evict until its rows hold, refill; return log length and gain.

    The length is negative where a row cannot be made to hold.
    """
    gain = 0.0
    length = 0
    e, end = 0, 0
    j = new
    if new < 0:
        j = _refill(state, weight, rng)
    else:
        e, end = view.col_ptr[new], view.col_ptr[new + 1]
    while j >= 0:
        gain += flip(view, state, j) * weight[j]
        state.log[length] = j
        length += 1
        while e < end and state.load[view.col_row[e]] <= view.budget[view.col_row[e]]:
            e += 1
        if e < end:
            j = _eviction(view, state, weight, view.col_row[e], new, noise, rng)
            if j < 0:
                return -length, gain
        else:
            j = _refill(state, weight, rng)
    return length, gain


@kernel(
    INT(*VIEW_TYPES, *STATE_TYPES, FLOATS, BOOLS_OUT, FLOATS_OUT, FLOAT, FLOAT, FLOAT, INT, STATE)
)
def local_search(
    col_ptr: Any, col_row: Any, col_cost: Any, row_ptr: Any, row_col: Any, row_cost: Any,
    budget: Any, forced: Any,
    kept: Any, load: Any, blocked: Any, where: Any, lists: Any, count: Any, log: Any,
    weight: Any, best: Any, total: Any,
    temperature: float, noise: float, narrow: float, moves: int, rng: Any,
) -> int:  # fmt: skip
    """Run one slice of moves for the largest sum of weights of kept papers.

    A move keeps a rejected paper, evicts by ``w - others (w + 1/2) + noise u`` (others = further
    violated rows of the paper, u uniform) until all rows hold, keeps what then fits, heaviest
    first, and is undone if the sum falls, unless by chance ``exp(change / temperature)``.
    Limits are compared in integers only. Source: the exchange neighbourhood of the specification,
    with acceptance of simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983).

    Parameters
    ----------
    col_ptr, col_row, col_cost, row_ptr, row_col, row_cost, budget, forced
        The packing view (see `kernels_moves.View`).
    kept, load, blocked, where, lists, count, log
        The state (see `kernels_moves.State`), filled by `search_start`.
    weight : float64 (m)
        Weights, of order 1.
    best : bool (m), in and out
        Best papers seen; before the first slice a copy of ``kept``.
    total : float64 (2), in and out
        Weight of ``kept`` and of ``best``; both the weight of ``kept`` before the first slice.
    temperature, noise
        In units of weight; 0 and 0 are strict acceptance and eviction by score, lower index first.
    narrow
        Probability to draw among papers that only one row blocks, if there are some.
    moves : int
        Moves of this slice.
    rng : uint64 (1), in and out

    Returns
    -------
    int
        Moves made: fewer than asked only if no rejected paper may be kept.

    Notes
    -----
    A move takes time in the papers of the touched rows; nothing is allocated. The slices of a
    run give the same result as one call if all arguments but ``moves`` stay.
    """
    view = View(col_ptr, col_row, col_cost, row_ptr, row_col, row_cost, budget, forced)
    state = State(kept, load, blocked, where, lists, count, log)
    fresh = False  # kept is better than best
    for move in range(-1, moves):
        if move >= 0 and count[1] + count[2] == 0:
            moves = move
            break
        new = pick(state, narrow, rng) if move >= 0 else -1
        length, gain = _exchange(view, state, weight, new, noise, rng)
        if length < 0 or not (
            gain > -EQUAL or (temperature > 0.0 and uniform_float(rng) < exp(gain / temperature))
        ):
            for place in range(abs(length) - 1, -1, -1):
                flip(view, state, log[place])
            continue
        total[0] += gain
        if total[0] > total[1] + EQUAL:
            total[1] = total[0]
            fresh = True
        elif fresh and length > 0:
            save(state, length, best)
            fresh = False
    if fresh:
        save(state, 0, best)
    return moves
