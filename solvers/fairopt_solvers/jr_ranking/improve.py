"""Better selections by exchange, by rounding a linear program, and by small 0/1 programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt.run import Run
from fairopt_solvers.jr_ranking.heuristics import Selected
from fairopt_solvers.jr_ranking.lazy import Search
from fairopt_solvers.jr_ranking.profile import Bools, Ints
from fairopt_solvers.jr_ranking.question import LEVELLED, Question

_SLICE = 50_000_000  # words read between two looks at the clock
_LIMIT = 200_000_000  # of the same for one search of pairs
_ROUNDS = 8  # of small 0/1 programs
_PASSES = 1_000


def improve(search: Search, run: Run, *, near: int) -> None:
    """Improve the best selection of a search: exchanges, linear program, small 0/1 programs.

    ``near`` comments by score and as many by coverage may come in by the small programs.
    """
    question = search.question
    if search.best is None or search.done or question.axiom == "none":
        return
    if question.axiom == "jr":
        search.take(exchange(question, search.best, run))
        search.root(run)
    free = neighbourhood(search, near)
    for _ in range(_ROUNDS):
        if search.done or run.expired() or not search.step(run, free=free):
            break
    if question.axiom == "jr" and search.best is not None and not search.done:
        search.take(exchange(question, search.best, run))


def neighbourhood(search: Search, near: int) -> Bools:
    """Return the comments that a small program may choose from: by score, by coverage, the best."""
    question = search.question
    free = np.zeros(question.profile.m, bool)
    free[question.by_score[question.allowed[question.by_score]][:near]] = True
    left = question.profile.unrepresented(question.top) * question.allowed
    for gain in (left, question.profile.sup * question.allowed):
        free[np.argsort(-gain, kind="stable")[:near]] = True
    free[list(search.best or ())] = True
    for cut in search.cuts:
        if question.axiom in LEVELLED:
            free[cut.comments[np.argsort(-cut.coef, kind="stable")[:near]]] = True
    return free


def exchange(question: Question, start: Selected, run: Run) -> Selected:
    """Exchange one comment, then two, as long as the score gains and JR is kept."""
    from fairopt_solvers.jr_ranking.kernels_swap import swap_two

    profile = question.profile
    bits, worth = profile.bits
    selected = np.array(start, np.int64)
    large = np.flatnonzero(profile.sup >= question.t)
    order = question.by_score[question.allowed[question.by_score]]
    view = (bits, worth, large, question.t, order, question.guide)
    fixed = question.fixed.astype(np.int64)
    for _ in range(_PASSES):
        while _exchange_one(view, fixed, selected, run):
            pass
        at, read, made = 0, 0, False
        while at < len(selected) ** 2 and read < _LIMIT and not run.expired():
            at = swap_two(*view, fixed, selected, at, _SLICE)
            read += _SLICE
            if at < 0:
                at, made = -1 - at, True
                break
        if not made:
            break
    return question.display(selected.tolist())


def _exchange_one(view: tuple[Any, ...], fixed: Ints, selected: Ints, run: Run) -> bool:
    """Make the exchange of one comment that gains most; return whether there was one."""
    from fairopt_solvers.jr_ranking.kernels_swap import swap_one

    score, gain, where, into = view[5], 0, -1, -1
    for place in np.flatnonzero(fixed[selected] == 0).tolist():
        if run.expired():
            break
        found = swap_one(*view, selected, place, gain)
        if found >= 0:
            gain, where, into = int(score[found] - score[selected[place]]), place, found
    if where >= 0:
        selected[where] = into
    return where >= 0
