"""Kernel of `local-search` for objectives over the losses of all authors."""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

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
    INTS,
    INTS_OUT,
    STATE,
    helper,
    kernel,
    uniform_float,
)


class Harm(NamedTuple):
    """Losses of all authors and what they cost.

    ``pap_ptr, pap_author`` list the authors of a paper. An author a who loses x papers has level
    ``level[offset[a] + x]`` (0 is the best) and potential ``potential[offset[a] + x]``, for x from
    0 to the number of papers. ``loss`` are the present losses, ``change[l]`` is the number of
    authors at level l less that at the best answer, ``top`` bounds the levels where it is not 0.
    """

    pap_ptr: Any
    pap_author: Any
    offset: Any
    level: Any
    potential: Any
    loss: Any
    change: Any
    top: Any


@helper
def _marginal(harm: Any, j: int, step: int) -> float:
    """Return the growth of the potential if the authors of j lose `step` papers more."""
    growth = 0.0
    for e in range(harm.pap_ptr[j], harm.pap_ptr[j + 1]):
        a = harm.pap_author[e]
        at = harm.offset[a] + harm.loss[a]
        growth += harm.potential[at + step] - harm.potential[at]
    return growth


@helper
def _count_loss(harm: Any, j: int, step: int) -> None:
    """Change the losses of the authors of paper j, and the numbers per level."""
    for e in range(harm.pap_ptr[j], harm.pap_ptr[j + 1]):
        a = harm.pap_author[e]
        old = harm.level[harm.offset[a] + harm.loss[a]]
        harm.loss[a] += step
        new = harm.level[harm.offset[a] + harm.loss[a]]
        harm.change[old] -= 1
        harm.change[new] += 1
        high = old if old > new else new
        if old != new and high > harm.top[0]:
            harm.top[0] = high


@helper
def _next(
    view: Any, state: Any, harm: Any, i: int, new: int, noise: float, rng: Any
) -> int:  # fmt: skip
    """Return the paper of the violated row i to evict, or (i < 0) one to keep; -1 if none."""
    chosen, least = -1, 0.0
    first, end = (0, state.count[0]) if i < 0 else (view.row_ptr[i], view.row_ptr[i + 1])
    for place in range(first, end):
        c = state.lists[place] if i < 0 else view.row_col[place]
        if i >= 0 and (c == new or not state.kept[c] or view.forced[c] == 1):
            continue
        score = _marginal(harm, c, -1 if i < 0 else 1)
        if i >= 0:
            score -= (violated(view, state, c) - 1) * (score + 0.5)
            score += noise * uniform_float(rng)
        if chosen < 0 or score < least:
            chosen, least = c, score
    return chosen


@helper
def _exchange(
    view: Any, state: Any, harm: Any, share: Any, new: int, noise: float, rng: Any
) -> Any:  # fmt: skip
    """Keep `new`, evict until its rows hold, refill.

    Return the length of the log (negative: a row cannot be made to hold) and the growth of the
    potential and of the mean.
    """
    growth, shift = 0.0, 0.0
    length = 0
    e, end = 0, 0
    j = new
    if new < 0:
        j = _next(view, state, harm, -1, new, noise, rng)
    else:
        e, end = view.col_ptr[new], view.col_ptr[new + 1]
    while j >= 0:
        step = 1 if state.kept[j] else -1
        growth += _marginal(harm, j, step)
        shift += step * share[j]
        _count_loss(harm, j, step)
        flip(view, state, j)
        state.log[length] = j
        length += 1
        while e < end and state.load[view.col_row[e]] <= view.budget[view.col_row[e]]:
            e += 1
        j = _next(view, state, harm, view.col_row[e] if e < end else -1, new, noise, rng)
        if j < 0 and e < end:
            return -length, growth, shift
    return length, growth, shift


@helper
def _better(harm: Any, mean: Any) -> Any:
    """Compare with the best answer exactly, level by level; then by mean cost."""
    while harm.top[0] >= 0 and harm.change[harm.top[0]] == 0:
        harm.top[0] -= 1
    if harm.top[0] >= 0:
        return harm.change[harm.top[0]] < 0
    return mean[0] < mean[1] - EQUAL


_HARM_TYPES = (INTS, INTS, INTS, INTS, FLOATS, INTS_OUT, INTS_OUT, INTS_OUT)


@kernel(
    INT(
        *VIEW_TYPES, *STATE_TYPES, *_HARM_TYPES, FLOATS, BOOLS_OUT, FLOATS_OUT,
        FLOAT, FLOAT, FLOAT, INT, STATE,
    )
)  # fmt: skip
def local_search_fair(
    col_ptr: Any, col_row: Any, col_cost: Any, row_ptr: Any, row_col: Any, row_cost: Any,
    budget: Any, forced: Any,
    kept: Any, load: Any, blocked: Any, where: Any, lists: Any, count: Any, log: Any,
    pap_ptr: Any, pap_author: Any, offset: Any, level: Any, potential: Any,
    loss: Any, change: Any, top: Any,
    share: Any, best: Any, mean: Any,
    temperature: float, noise: float, narrow: float, moves: int, rng: Any,
) -> int:  # fmt: skip
    """Run one slice of moves for a fairness objective.

    The moves are those of `local_search`, led by the sum of the authors' potentials. The best
    answer has the lexicographically least numbers of authors per level, the highest level first
    (integers, no tolerance), then the least sum of ``share`` over rejected papers. Two levels make
    `wiped`, or the number of authors above a threshold; one level per value makes leximin.

    Parameters
    ----------
    col_ptr, ..., log
        Packing view and state as in `local_search`.
    pap_ptr, ..., top
        See `Harm`. Before the first slice: ``loss`` of ``kept``, ``change`` 0, ``top`` (1) -1.
        ``change`` has one place per level.
    share : float64 (m)
        The part of a paper in the tie-break: ``n g_j`` for the average.
    best : bool (m), in and out
        Best papers seen; before the first slice a copy of ``kept``.
    mean : float64 (2), in and out
        Sum of ``share`` over papers rejected by ``kept`` and by ``best``.
    temperature, noise, narrow, moves, rng
        As in `local_search`, in units of the potential.

    Returns
    -------
    int
        Moves made.
    """
    view = View(col_ptr, col_row, col_cost, row_ptr, row_col, row_cost, budget, forced)
    state = State(kept, load, blocked, where, lists, count, log)
    harm = Harm(pap_ptr, pap_author, offset, level, potential, loss, change, top)
    fresh = False  # kept is better than best
    for move in range(-1, moves):
        if move >= 0 and count[1] + count[2] == 0:
            moves = move
            break
        new = pick(state, narrow, rng) if move >= 0 else -1
        length, growth, shift = _exchange(view, state, harm, share, new, noise, rng)
        if length < 0 or not (
            growth < EQUAL
            or (temperature > 0.0 and uniform_float(rng) < exp(-growth / temperature))
        ):
            for place in range(abs(length) - 1, -1, -1):
                _count_loss(harm, log[place], 1 if kept[log[place]] else -1)
                flip(view, state, log[place])
            continue
        mean[0] += shift
        if _better(harm, mean):
            for place in range(top[0] + 1):
                change[place] = 0
            top[0] = -1
            mean[1] = mean[0]
            fresh = True
        elif fresh and length > 0:
            save(state, length, best)
            fresh = False
    if fresh:
        save(state, 0, best)
    return moves
