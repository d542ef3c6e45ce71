"""Rules that optimise a score of whole feeds: PAV, its local search, and coverage."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.jr_ranking.answer import Feed
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.run import Run
from fairopt.solution import Claim, Infeasible, Outcome
from fairopt_solvers.backends import LinearModel, LinearResult, Rows, rows, solve
from fairopt_solvers.jr_ranking.outcomes import resolute
from fairopt_solvers.jr_ranking.profile import Ints, Profile
from fairopt_solvers.jr_ranking.rules import MARGIN, SeqPav
from fairopt_solvers.jr_ranking.voting import allowed, feed, tie_notes

Backend = Literal["highs", "cp-sat", "cbc"]


def pav(problem: JrRanking, run: Run, *, backend: Backend = "highs") -> Outcome[Feed]:
    """Select a feed of largest PAV score, sum of w_i (1 + 1/2 + ... + 1/s_i); satisfies EJR.

    A mixed-integer program over merged ballots. Thiele 1895; Aziz, Brill, Conitzer, Elkind,
    Freeman, Walsh, *Social Choice and Welfare* 2017.
    """
    ballots = Profile.of(problem).merged
    levels = np.minimum(np.diff(ballots.ptr), problem.k)
    owner = np.repeat(np.arange(len(levels)), levels)
    level = np.arange(len(owner)) - np.repeat(np.cumsum(levels) - levels, levels) + 1
    gains = [Fraction(int(ballots.weight[r]), int(at)) for r, at in zip(owner, level, strict=True)]
    m = problem.n_comments
    link = rows(
        np.concatenate([ballots.user_of, owner]),
        np.concatenate([ballots.item, m + np.arange(len(owner))]),
        np.concatenate([np.ones(len(ballots.item)), -np.ones(len(owner))]),
        lower=np.zeros(len(levels)),
    )
    start = SeqPav(Profile.of(problem), problem.k, allowed(problem))
    return _optimum(problem, run, backend, gains, (link,), start, "max_pav_score")


def cc(problem: JrRanking, run: Run, *, backend: Backend = "highs") -> Outcome[Feed]:
    """Select a feed that represents most users, counting each once; no guarantee for groups.

    A 0/1 program over merged ballots. Chamberlin, Courant, *American Political Science Review*
    1983, on approval ballots.
    """
    ballots = Profile.of(problem).merged
    m, r = problem.n_comments, ballots.users
    cover = rows(
        np.concatenate([ballots.user_of, np.arange(r)]),
        np.concatenate([ballots.item, m + np.arange(r)]),
        np.concatenate([np.ones(len(ballots.item)), -np.ones(r)]),
        lower=np.zeros(r),
    )
    gains = [Fraction(int(b)) for b in ballots.weight]
    start = SeqPav(Profile.of(problem), problem.k, allowed(problem))
    return _optimum(problem, run, backend, gains, (cover,), start, "max_coverage")


def _optimum(
    problem: JrRanking, run: Run, backend: str, gains: list[Fraction], links: tuple[Rows, ...],
    start: SeqPav, claim: str,
) -> Outcome[Feed]:  # fmt: skip
    """Maximise the gains over feeds; ``gains`` are those of the columns behind the comments."""
    m, extra = problem.n_comments, len(gains)
    for comment in problem.forced:
        start.take(comment)
    if resolute(start, run).finished and len(start.selected) == problem.k:
        run.offer(feed(problem, start.selected))
    low, high = np.zeros(m + extra), np.ones(m + extra)
    low[list(problem.forced)] = 1
    high[list(problem.forbidden)] = 0
    size = rows(np.zeros(m, np.int64), np.arange(m), lower=[problem.k], upper=[problem.k])
    model = LinearModel.build(
        [Fraction(0)] * m + gains, size, *links, lower=low, upper=high, maximize=True,
        integer=(np.arange(m + extra) < m) | (backend == "cp-sat"),
    )  # fmt: skip
    result = solve(model, run, backend=backend)
    if result.status == "infeasible":
        data = {"backend": result.backend}
        return Outcome(infeasible=Infeasible("no feed of this size is allowed", "solver", data))
    if result.x is None:
        return Outcome(notes=result.notes)
    answer = feed(problem, np.flatnonzero(result.x[:m] > 0.5).tolist())
    run.offer(answer)  # or the start, whose comments may have the better scores, would be taken
    return Outcome(answer, claims=_claims(claim, result), notes=result.notes)


def _claims(name: str, result: LinearResult) -> tuple[Claim, ...]:
    if result.status != "optimal":
        return ()
    return (Claim(name, result.value, "solver", {"backend": result.backend}),)


def pav_local_search(problem: JrRanking, run: Run, *, steps: int = 100_000) -> Outcome[Feed]:
    """Swap comments while the PAV score gains at least n/k^2; satisfies EJR at the end.

    Starts from sequential PAV. Aziz, Elkind, Huang, Lackner, Sanchez-Fernandez, Skowron, AAAI
    2018. ``steps`` bounds the number of swaps; every swap gains at least n/k^2, so that at most
    k^2 (1 + ln k) of them exist.
    """
    ballots = Profile.of(problem)
    state = SeqPav(ballots, problem.k, allowed(problem))
    for comment in problem.forced:
        state.take(comment)
    found = resolute(state, run)
    if not found.finished:
        return Outcome()
    chosen = list(state.selected)
    run.offer(feed(problem, chosen))
    for _ in range(steps):
        if run.expired():
            break
        swap = _improving_swap(problem, ballots, chosen, state.satisfaction)
        if swap is None:
            break
        out, into = swap
        state.satisfaction[ballots.users_of(out)] -= 1
        state.satisfaction[ballots.users_of(into)] += 1
        chosen[chosen.index(out)] = into
        run.offer(feed(problem, chosen))
    return Outcome(feed(problem, chosen), notes=tie_notes(found.ties))


def _improving_swap(
    problem: JrRanking, ballots: Profile, chosen: list[int], satisfaction: Ints
) -> tuple[int, int] | None:
    """Return the swap of largest gain if that is at least n/k^2, else None; decided exactly."""
    goal = Fraction(problem.n, problem.k**2)
    width = MARGIN * max(1.0, float(ballots.n))
    outside = allowed(problem)
    outside[chosen] = False
    others = np.flatnonzero(outside)
    best: tuple[Fraction, int, int] | None = None
    for out in sorted(set(chosen) - set(problem.forced)):
        lowered = satisfaction.copy()
        lowered[ballots.users_of(out)] -= 1
        loss = _gain(ballots, out, lowered)
        per_edge = (ballots.weight / (lowered + 1.0))[ballots.user]
        gains = _sums(ballots, per_edge)
        floor = float(loss) + float(goal if best is None else max(goal, best[0])) - width
        for into in others[gains[others] >= floor].tolist():
            gain = _gain(ballots, into, lowered) - loss
            if gain >= goal and (best is None or gain > best[0]):
                best = (gain, out, into)
    return None if best is None else best[1:]


def _sums(ballots: Profile, per_edge: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over each comment's approvers."""
    owner = np.repeat(np.arange(ballots.m), np.diff(ballots.col))
    return np.bincount(owner, per_edge, ballots.m).astype(np.float64)


def _gain(ballots: Profile, comment: int, satisfaction: Ints) -> Fraction:
    """Return the exact sum of w_i / (s_i + 1) over a comment's approvers."""
    users = ballots.users_of(comment)
    mass = np.zeros(int(satisfaction[users].max(initial=0)) + 1, np.int64)
    np.add.at(mass, satisfaction[users], ballots.weight[users])
    parts = (Fraction(count, s + 1) for s, count in enumerate(mass.tolist()) if count)
    return sum(parts, Fraction(0))
