"""Selections without a search: by score, by coverage, and by score with room for coverage.

All of them work on a ``Question`` and return a selection of size k, or None where the forced and
forbidden comments leave the greedy completion no way (which proves nothing).
"""

from __future__ import annotations

import numpy as np

from fairopt.run import Run
from fairopt_solvers.jr_ranking.profile import Bools, Ints
from fairopt_solvers.jr_ranking.question import LEVELLED, Question

Selected = tuple[int, ...]
_SLICE = 50_000_000  # approvals read between two looks at the clock


def coverage(question: Question, start: Selected | Ints) -> Ints | None:
    """Return the picks of the coverage greedy that make a start represent everybody (d2).

    The comment with the most uncovered approvers comes next, ties to the better score, while
    some comment has ``t`` or more of them. None if the size k is used up first.
    """
    from fairopt_solvers.jr_ranking.kernels import coverage_greedy

    covered, gain, inside = _state(question, start)
    room = question.k - int(inside.sum())
    picks, done = coverage_greedy(
        *question.profile.arrays, covered, gain, question.allowed & ~inside, question.rank,
        question.t, room,
    )  # fmt: skip
    return picks if done else None


def justified(question: Question, start: Selected | Ints) -> Ints | None:
    """Return the picks of the greedy justified candidate rule that complete a start to EJR+."""
    from fairopt_solvers.jr_ranking.kernels_reserve import levels_greedy

    _, _, inside = _state(question, start)
    room = question.k - int(inside.sum())
    count = question.profile.satisfaction(np.asarray(start, np.int64))
    picks, done = levels_greedy(
        *question.profile.arrays, question.thresholds, count, inside, question.allowed,
        question.rank, room,
    )  # fmt: skip
    return picks if done else None


def greedy_cc(question: Question) -> tuple[Selected, Selected] | None:
    """Return coverage picks with forced comments in front, and the selection filled by score."""
    picks = coverage(question, question.forced)
    if picks is None:
        return None
    core = (*question.forced, *picks.tolist())
    return core, question.filled(core)


def gjcr(question: Question) -> tuple[Selected, Selected] | None:
    """Return a start that keeps EJR+ and the selection filled by score.

    Where forbidden or forced comments stop the rule, whoever covers most of the worst group that
    is left comes next; None if k comments are not enough for that.
    """
    picks = justified(question, question.forced)
    core = [*question.forced] if picks is None else [*question.forced, *picks.tolist()]
    if picks is None:
        mended = _mended(question, core)
        if mended is None:
            return None
        core = mended
    selected = question.filled(core)
    return tuple(core), selected


def _mended(question: Question, core: list[int]) -> list[int] | None:
    """Add allowed comments that help the worst group of EJR+ most, until no group is left."""
    profile = question.profile
    while len(core) <= question.k:
        wrong = question.strongly(core)
        if not wrong.size:
            return core
        level, group = profile.worst_levels(core, question.k)
        worst = int(wrong[np.argmax(group[wrong] / level[wrong])])
        count = profile.satisfaction(core)
        inside = np.zeros(profile.m, bool)
        inside[core] = True
        members = profile.user[profile.col[worst] : profile.col[worst + 1]]
        members = members[count[members] < level[worst]]
        helps = np.where(question.allowed & ~inside, overlaps(question, members), 0)
        if not helps.any():
            return None
        core.append(int(np.argmax(helps)))
    return None


def overlaps(question: Question, members: Ints) -> Ints:
    """Return for each comment the weight of the given users who approve it."""
    from fairopt_solvers.jr_ranking.kernels import overlap

    profile = question.profile
    out: Ints = overlap(
        profile.ptr, profile.item, profile.weight, np.asarray(members, np.int64), profile.m
    )
    return out


def reserve_greedy(question: Question, run: Run) -> Selected | None:
    """Return comments by falling score as long as the rest can still be completed (d4).

    Completion is by coverage for JR, by the greedy justified candidate rule for the stronger
    axioms. The better of this and the plain completion filled by score is returned; None if not
    even the forced comments can be completed.
    """
    if question.axiom == "none":
        return question.top
    levelled = question.axiom in LEVELLED
    plain = gjcr(question) if levelled else greedy_cc(question)
    if plain is None:
        return None
    if levelled:
        if justified(question, question.forced) is None:
            return plain[1]
        found = _reserve_levels(question, run)
    else:
        found = _reserve_coverage(question, run)
    return max(found, plain[1], key=question.total)


def _reserve_coverage(question: Question, run: Run) -> Selected:
    from fairopt_solvers.jr_ranking.kernels_reserve import reserve_pass

    covered, gain, taken = _state(question, question.forced)
    uncovered = int(question.profile.weight[~covered].sum())
    empty = question.profile.n - int(question.profile.weight.sum())
    state = np.array([uncovered + empty, taken.sum(), not question.forbidden], np.int64)
    order = question.by_score
    before = -1
    while state[1] < question.k and state[1] > before and not run.expired():
        before, first = int(state[1]), 0
        while first < len(order) and state[1] < question.k and not run.expired():
            first = reserve_pass(
                *question.profile.arrays, order, first, _SLICE, question.allowed, question.rank,
                question.t, question.k, covered, gain, taken, state,
            )  # fmt: skip
    return _completed(question, np.flatnonzero(taken), coverage)


def _reserve_levels(question: Question, run: Run) -> Selected:
    taken = list(question.forced)
    before = -1
    while len(taken) < question.k and len(taken) > before:
        before = len(taken)
        for c in question.by_score.tolist():
            if len(taken) == question.k or run.expired():
                break
            if c in taken or not question.allowed[c]:
                continue
            if justified(question, (*taken, c)) is not None:
                taken.append(c)
    return _completed(question, np.array(taken, np.int64), justified)


def _completed(question: Question, taken: Ints, complete: object) -> Selected:
    """Complete what was taken when time ran out or nothing more could be."""
    picks = complete(question, taken)  # type: ignore[operator]
    return question.filled([*taken.tolist(), *([] if picks is None else picks.tolist())])


def safe_prefixes(question: Question, cutoffs: dict[int, int]) -> Selected:
    """Return a display order that takes the best comment whenever it keeps the order safe (d11).

    ``cutoffs`` maps a size r to the weight from which a group deserves one of r comments.
    """
    from fairopt_solvers.jr_ranking.kernels_reserve import safe_prefixes as kernel

    threshold = np.zeros(question.k + 1, np.int64)
    for size, least in cutoffs.items():
        threshold[size] = least
    order: Ints = kernel(
        *question.profile.arrays, np.array(question.forced, np.int64), question.allowed,
        question.rank, threshold, question.k, question.by_score,
    )  # fmt: skip
    return tuple(order.tolist())


def _state(question: Question, start: Selected | Ints) -> tuple[Bools, Ints, Bools]:
    """Return who is covered by a start, the gains left, and the start as a mask."""
    chosen = np.asarray(start, np.int64)
    inside = np.zeros(question.profile.m, bool)
    inside[chosen] = True
    covered = question.profile.satisfaction(chosen) > 0
    return covered, question.profile.unrepresented(chosen), inside
