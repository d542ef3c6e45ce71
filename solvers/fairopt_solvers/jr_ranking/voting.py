"""Approval-based voting rules as baselines: sequential PAV, Phragmen, equal shares and others.

Selections are resolute, ties going to the lowest index; a note says whether another choice was
possible. Forced comments are selected first and count; forbidden ones do not exist.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.jr_ranking.answer import Feed
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.jr_ranking.outcomes import Completion, by_phragmen, resolute
from fairopt_solvers.jr_ranking.profile import Profile
from fairopt_solvers.jr_ranking.rules import (
    EqualShares,
    ExpandingApprovals,
    Phragmen,
    Ranked,
    Rule,
    SeqPav,
)


def seqpav(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Select by sequential proportional approval voting; in ranking mode in that order.

    Each step takes the largest gain in the PAV score. No guarantee of representation in general.
    Thiele 1895; as a ranking: Skowron, Lackner, Brill, Peters, Elkind, IJCAI 2017.
    """
    profile = Profile.of(problem)
    return _select(problem, SeqPav(profile, problem.k, allowed(problem)), run)


def phragmen(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Select by sequential Phragmen; satisfies PJR (Brill, Freeman, Janson, Lackner, AAAI 2017)."""
    profile = Profile.of(problem)
    return _select(problem, Phragmen(profile, problem.k, allowed(problem)), run)


def equal_shares(
    problem: JrRanking,
    run: Run,
    *,
    completion: Literal["phragmen", "score", "budget"] = "phragmen",
) -> Outcome[Feed]:
    """Select by the Method of Equal Shares; satisfies EJR+ (Peters, Skowron, EC 2020).

    ``completion`` says what fills the places that the budgets leave empty: sequential Phragmen
    with the unspent money as a head start, the best scores, or a larger budget (raised by one
    unit of 1/n a user until k comments are paid or nothing changes), then the best scores.
    """
    profile = Profile.of(problem)

    if completion == "budget":
        return _raised(problem, profile, run)
    fill: Completion = by_phragmen if completion == "phragmen" else _by_score(problem)
    return _select(problem, EqualShares(profile, problem.k, allowed(problem)), run, fill)


def expanding_approvals(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Select by expanding approvals, filled by score (Aziz, Lee, *Social Choice and Welfare* 2020).

    The quota is n/k, with ``droop`` the smallest t_l/l over l = 1..k.
    """
    profile = Profile.of(problem)
    quota = min(Fraction(problem.threshold_of(size), size) for size in range(1, problem.k + 1))
    if problem.quota == "hare":
        quota = Fraction(problem.n, problem.k)
    rule = ExpandingApprovals(profile, problem.k, allowed(problem), quota=quota)
    return _select(problem, rule, run, _by_score(problem))


def av(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Select the comments with most approvals; no guarantee of representation."""
    profile = Profile.of(problem)
    rule = Ranked(profile, problem.k, allowed(problem), figures=profile.sup)
    return _select(problem, rule, run)


def allowed(problem: JrRanking) -> NDArray[np.bool_]:
    """Return which comments are not forbidden."""
    mask = np.ones(problem.n_comments, bool)
    mask[list(problem.forbidden)] = False
    return mask


def _by_score(problem: JrRanking) -> Completion:
    """Return the completion by the score in force."""

    def fill(rule: Rule) -> Rule:
        figures = problem.scores.num.tolist()
        after = Ranked(rule.profile, rule.k, rule.open, figures=figures)
        after.selected = rule.selected
        return after

    return fill


def _select(
    problem: JrRanking, rule: Rule, run: Run, completion: Completion | None = None
) -> Outcome[Feed]:
    for comment in problem.forced:
        rule.take(comment)
    found = resolute(rule, run, completion)
    if not found.finished:
        return Outcome()
    return Outcome(feed(problem, found.selected), notes=tie_notes(found.ties))


def feed(problem: JrRanking, selected: list[int]) -> Feed:
    """Return the answer: in the order of selection as a ranking, by score as a set."""
    if problem.mode == "ranking":
        return Feed(tuple(selected))
    scores = problem.scores.num
    return Feed(tuple(sorted(selected, key=lambda c: (-scores[c], c))))


def tie_notes(ties: bool) -> tuple[Note, ...]:
    """Return the note that says that ties left a choice."""
    text = "ties left another choice; the lowest index was taken"
    return (Note("ties", text),) if ties else ()


def _raised(problem: JrRanking, profile: Profile, run: Run) -> Outcome[Feed]:
    """Raise everybody's budget while the result stays within k comments."""
    best: Rule | None = None
    ties = False
    money = problem.k
    while best is None or len(best.selected) < problem.k:
        if run.expired():
            return Outcome()
        start = Fraction(money, profile.n)
        # One place more than wanted shows that the budget has become too large.
        rule = EqualShares(profile, problem.k + 1, allowed(problem), start=start)
        for comment in problem.forced:
            rule.take(comment)
        found = resolute(rule, run)
        if not found.finished:
            return Outcome()
        if len(found.selected) > problem.k:
            break
        best, ties, money = rule, found.ties, money + 1
        if start >= problem.k:  # any user could pay all places alone: more money buys nothing
            break
    if best is None:
        best = Ranked(profile, problem.k, allowed(problem), figures=[0] * profile.m)
        for comment in problem.forced:
            best.take(comment)
    best.k = problem.k
    if len(best.selected) < problem.k:
        best = _by_score(problem)(best)
        filled = resolute(best, run)
        ties = ties or filled.ties
        if not filled.finished:
            return Outcome()
    return Outcome(feed(problem, best.selected), notes=tie_notes(ties))
