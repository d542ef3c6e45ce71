"""Smallest justifying sets: how few comments leave no large group without a voice."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np

import fairopt
from fairopt.problems.jr_ranking import JrRanking
from fairopt.rational import Exact
from fairopt.run import Run
from fairopt.solution import Claim
from fairopt_solvers.jr_ranking.heuristics import coverage
from fairopt_solvers.jr_ranking.question import Question

_WORK, _HEADS = 10**9, 1_000  # multiplications, sets of the court for a proof by enumeration
_BUDGET = 3 * 10**9  # words read in all


def smallest_justifying(question: Question, run: Run) -> tuple[int, ...] | None:
    """Return a smallest set with u_c < t_1 for every comment c; None if that takes too long.

    Forced and forbidden comments do not count. Sizes are tried from below by branching on who
    helps the comment with the most unrepresented approvers; the coverage greedy ends the search.
    """
    from fairopt_solvers.jr_ranking.kernels_justify import justifying_set

    nothing = Exact.of(np.zeros(question.profile.m, np.int64))
    greedy = coverage(replace(question, forced=(), forbidden=(), scores=nothing), ())
    if greedy is None:
        return None
    profile = question.profile
    bits, worth = profile.bits
    large = np.flatnonzero(profile.sup >= question.t)
    for size in range(len(greedy)):
        if run.expired():
            return None
        members = np.zeros(size + 1, np.int64)
        found = justifying_set(bits, worth, large, question.t, size, _BUDGET, members)
        if found >= 0:
            return tuple(sorted(members[:found].tolist()))
        if found == -2:
            return None
    return tuple(sorted(greedy.tolist()))


def justifying_claim(problem: JrRanking, question: Question, run: Run) -> Claim | None:
    """Return the claim ``min_justifying_size``; recomputable where the court has little to try."""
    if run.expired():
        return None
    members = smallest_justifying(question, run)
    if members is None:
        return None
    large = int((problem.sup >= question.t).sum())
    heads = comb(problem.n_comments, max(0, len(members) - 2))
    work = heads * large * problem.n_users * problem.n_comments
    if len(members) <= 1 or (work <= _WORK and heads <= _HEADS):
        data = {"rule": "enumeration", "set": list(members)}
        return Claim("min_justifying_size", len(members), "combinatorial", data)
    data = {"backend": f"fairopt {fairopt.__version__} branching", "set": list(members)}
    return Claim("min_justifying_size", len(members), "solver", data)
