"""The online methods of multi-class selection; each is a loop over its session."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from fairopt.problems.online_selection.allocation_multiclass import Allocation
from fairopt.problems.online_selection.multiclass import OnlineMulticlass
from fairopt.run import Run
from fairopt.session import play
from fairopt.solution import Claim, Note, Outcome
from fairopt_solvers.online_selection.multiclass_curve import (
    log_of,
    plain_curve,
    set_aside_curve,
)
from fairopt_solvers.online_selection.multiclass_policy import (
    ONE,
    Fractional,
    Reserve,
    Rounding,
    SetAside,
)


class SetAsideSession(Fractional):
    """Reserve the quotas, release what is no longer needed, sell the rest along a curve."""

    def prepare(self, problem: OnlineMulticlass) -> None:
        self._track = SetAside(problem.capacity, problem.quotas, set_aside_curve(problem))

    def take(self, t: int) -> int:
        return self._track.take(self.agents.classes(t), self.agents.log(t))

    def state(self) -> dict[str, object]:
        return {**super().state(), "reserved": self._track.reserve.total}

    def claims(self) -> tuple[Claim, ...]:
        return self.guarantee("competitive_ratio", "set-aside", "set-aside")


class PredictedSession(Fractional):
    """Mix set-aside with what a predicted cut-off says, ``trust`` to ``1 - trust``.

    Each of the two keeps its own account, and both give forced agents a whole unit. Without a
    prediction this is set-aside.
    """

    def prepare(self, problem: OnlineMulticlass) -> None:
        self._track = SetAside(problem.capacity, problem.quotas, set_aside_curve(problem))
        self._reserve = Reserve(problem.quotas)
        self._left = problem.capacity
        trust = Fraction(problem.trust if problem.threshold is not None else 0)
        self._trust, self._parts = trust.numerator, trust.denominator
        self._cut = Fraction(problem.threshold or 0) / Fraction(problem.value_range[0])

    def take(self, t: int) -> int:
        classes = self.agents.classes(t)
        own = self._track.take(classes, self.agents.log(t))
        forced = self._reserve.arrive(classes)
        room = self._left > self._reserve.total
        won = forced or (room and self.agents.value(t) >= self._cut)
        self._left -= won
        return (self._trust * won * ONE + (self._parts - self._trust) * own) // self._parts

    def claims(self) -> tuple[Claim, ...]:
        scope = "set-aside-predicted"
        out = self.guarantee("competitive_ratio", "predicted-robustness", scope)
        if self.problem.threshold is not None:
            right = f"{scope}, where following the prediction is optimal"
            out += self.guarantee("consistency", "predicted-consistency", right)
        return out

    def notes(self) -> tuple[Note, ...]:
        if self.problem.threshold is not None:
            return ()
        return (Note("defaults", "no predictions.threshold is given: the same as set-aside"),)


class ProportionalSession(Fractional):
    """Give each class an equal share of the units and sell it along a curve of its own."""

    enforced = "none"

    def prepare(self, problem: OnlineMulticlass) -> None:
        many = max(problem.n_classes, 1)
        self._curve = plain_curve(problem.capacity / many, log_of(problem.theta))
        self._room = problem.capacity * ONE // many
        self._used = [0] * problem.n_classes

    def take(self, t: int) -> int:
        classes = self.agents.classes(t)
        if not classes:
            return 0
        j = min(classes, key=lambda c: (self._used[c], c))
        used = self._used[j]
        want = max(0.0, self._curve.level(self.agents.log(t)) - used / ONE)
        share = min(ONE, self._room - used, int(want * ONE))
        self._used[j] += share
        return share

    def claims(self) -> tuple[Claim, ...]:
        if np.diff(self.problem.class_ptr).max(initial=0) > 1:
            return ()
        return self.guarantee("pf_guarantee", "equal-split", "proportional")


class PriceSession(Fractional):
    """Sell all units along the curve without quotas."""

    enforced = "none"

    def prepare(self, problem: OnlineMulticlass) -> None:
        curve = plain_curve(problem.capacity, log_of(problem.theta))
        self._track = SetAside(problem.capacity, (), curve)

    def take(self, t: int) -> int:
        return self._track.take((), self.agents.log(t))

    def claims(self) -> tuple[Claim, ...]:
        return self.guarantee("competitive_ratio", "price-only", "price-only, quotas apart")


class FirstSession(Fractional):
    """Accept whoever comes while units are left."""

    enforced = "none"

    def take(self, t: int) -> int:
        return ONE if t < self.problem.capacity else 0


class QuotaSession(Fractional):
    """Accept the agents that a quota claims, and nobody else."""

    def prepare(self, problem: OnlineMulticlass) -> None:
        self._reserve = Reserve(problem.quotas)

    def take(self, t: int) -> int:
        return ONE if self._reserve.arrive(self.agents.classes(t)) else 0


def _batch(policy: Fractional, problem: OnlineMulticlass, run: Run) -> Outcome[Allocation]:
    return play(policy, range(problem.n_agents), run)


def set_aside(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return fractions that keep the quotas at every time and lose least for it.

    Parameters
    ----------
    rounding
        How fractions become decisions: ``lossless`` (two states), ``systematic`` (one coin; can
        give an alternating class all or nothing), ``none``.
    draw
        Toss the coins and return the agents accepted.
    """
    return _batch(SetAsideSession(problem, run, rounding=rounding, draw=draw), problem, run)


def set_aside_predicted(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return set-aside mixed with a predicted cut-off (``predictions.threshold``, ``trust``)."""
    return _batch(PredictedSession(problem, run, rounding=rounding, draw=draw), problem, run)


def proportional(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return an equal split of the units among classes; agents without a class get nothing."""
    return _batch(ProportionalSession(problem, run, rounding=rounding, draw=draw), problem, run)


def price_only(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return what a price curve gives that knows no quotas."""
    return _batch(PriceSession(problem, run, rounding=rounding, draw=draw), problem, run)


def fcfs(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return first come, first served."""
    return _batch(FirstSession(problem, run, rounding=rounding, draw=draw), problem, run)


def quota_only(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return the agents that a quota claims."""
    return _batch(QuotaSession(problem, run, rounding=rounding, draw=draw), problem, run)


def auto(
    problem: OnlineMulticlass,
    run: Run,
    *,
    rounding: Rounding = "lossless",
    draw: bool = False,
) -> Outcome[Allocation]:
    """Return set-aside, with predictions where there are any."""
    made = SetAsideSession if problem.threshold is None else PredictedSession
    return _batch(made(problem, run, rounding=rounding, draw=draw), problem, run)
