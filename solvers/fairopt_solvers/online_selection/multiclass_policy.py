"""What the online methods of multi-class selection share: units, reserve, rounding, answers.

Fractions are multiples of 2^-52 and sums of them integers, so that the capacity and the quotas
are kept exactly. Set-aside and its rounding are reconstructions of the paper's; the bounds proven
for them are in ``fairopt.problems.online_selection.ratio_multiclass``.

References
----------
Zargari, Nekouyan, Hallett, Sun, Tan, "Online Multi-Class Selection with Group Fairness
Guarantee", NeurIPS 2025 (arXiv 2510.21055).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import Any, Literal

from fairopt.errors import UsageError
from fairopt.problems.online_selection.allocation_multiclass import Allocation
from fairopt.problems.online_selection.multiclass import OnlineMulticlass
from fairopt.rational import Exact
from fairopt.run import Run
from fairopt.session import Decision, Policy
from fairopt.solution import Bound, Claim, Note, Outcome
from fairopt_solvers.online_selection.multiclass_curve import Curve, log_of

Rounding = Literal["lossless", "systematic", "none"]

BITS = 52
ONE = 1 << BITS  # a whole unit
_PART = ONE - 1
_COIN = 1 << 53  # coins are multiples of 2^-53


class Agents:
    """Look-up of arrived agents: exact values as logarithms, and classes."""

    def __init__(self, problem: OnlineMulticlass) -> None:
        low = Fraction(problem.value_range[0])
        self._top = low.denominator
        self._bottom = low.numerator * problem.value.den
        self._num: list[int] = problem.value.num.tolist()
        self._ptr: list[int] = problem.class_ptr.tolist()
        self._of: list[int] = problem.class_of.tolist()

    def value(self, t: int) -> Fraction:
        """Return value / L."""
        return Fraction(self._num[t] * self._top, self._bottom)

    def log(self, t: int) -> float:
        """Return ln(value / L), exactly 0 for L."""
        try:
            return log(self._num[t] * self._top / self._bottom)
        except OverflowError:
            return log_of(self.value(t))

    def classes(self, t: int) -> list[int]:
        """Return the classes of an agent."""
        return self._of[self._ptr[t] : self._ptr[t + 1]]


class Reserve:
    """Units kept back: for class j, its quota less its arrivals so far."""

    def __init__(self, quotas: Sequence[int]) -> None:
        self._left = list(quotas)
        self.total = sum(quotas)

    def arrive(self, classes: Sequence[int]) -> bool:
        """Count an arrival; return whether a quota claims the agent (who then gets a unit)."""
        forced = False
        for j in classes:
            if self._left[j] > 0:
                self._left[j] -= 1
                self.total -= 1
                forced = True
        return forced


class SetAside:
    """Set-aside with dynamic release: forced units from the reserve, others along a curve.

    An agent that fills several quotas at once frees units; use ``w`` of the free units then
    falls, perhaps below 0, and what lies below 0 costs nothing.
    """

    def __init__(self, units: int, quotas: Sequence[int], curve: Curve) -> None:
        self.units, self.curve = units, curve
        self.reserve = Reserve(quotas)
        self._promised = self.reserve.total
        self.used = 0

    def take(self, classes: Sequence[int], log_value: float) -> int:
        """Return what the agent gets, in multiples of 2^-52."""
        if self.reserve.arrive(classes):
            share = ONE
        else:
            kept = self.reserve.total
            use = (self.used + (kept - self._promised) * ONE) / ONE
            want = max(0.0, self.curve.level(log_value) - use)
            share = min(ONE, (self.units - kept) * ONE - self.used, int(want * ONE))
        self.used += share
        return share


class Coins:
    """Lossless rounding: each agent is accepted with its fraction as probability.

    ``lossless`` keeps the number N of accepted agents at floor(S) or ceil(S), S the sum of the
    fractions, with N = ceil(S) of probability frac(S). ``systematic`` accepts an agent when a
    point ``integer + coin`` falls into its part (S, S'] of the line; one coin decides all.
    """

    def __init__(self, rule: Rounding, run: Run, units: int) -> None:
        self._rule, self._run, self._units = rule, run, units
        self.sum = 0
        self.accepted: list[int] = []
        self.drawn: list[float] = []
        if rule == "systematic":
            self.drawn.append(run.rng.random())

    def decide(self, t: int, share: int) -> bool:
        """Return whether the agent with this fraction is accepted."""
        before, after = self.sum, self.sum + share
        self.sum = after
        if self._rule == "systematic":
            point = int(self.drawn[0] * _COIN)
            won = (2 * after - point) // _COIN > (2 * before - point) // _COIN
        else:
            self.drawn.append(self._run.rng.random())
            top, bottom = self._chance(before, after)
            won = int(self.drawn[-1] * _COIN) * bottom < top * _COIN
        if won and len(self.accepted) < self._units:
            self.accepted.append(t)
            return True
        return False

    def _chance(self, before: int, after: int) -> tuple[int, int]:
        low, rest = before >> BITS, before & _PART
        ahead = len(self.accepted) > low
        if after >> BITS == low:
            return (0, 1) if ahead else (after - before, ONE - rest)
        return (after & _PART, rest) if ahead else (1, 1)


class Fractional(Policy):
    """An online method: agents arrive in the order of the instance.

    Parameters
    ----------
    rounding
        Which rule is to make decisions of the fractions.
    draw
        Toss the coins and decide; otherwise the fractions are the answer.
    """

    enforced = "prefix"

    def __init__(
        self,
        problem: OnlineMulticlass,
        run: Run,
        *,
        rounding: Rounding = "lossless",
        draw: bool = False,
    ) -> None:
        if draw and rounding == "none":
            raise UsageError("rounding none makes no decisions; choose lossless or systematic")
        self.n_elements = problem.n_agents
        self.problem = problem
        self.agents = Agents(problem)
        self.shares: list[int] = []
        self._rounding = rounding
        self._coins = Coins(rounding, run, problem.capacity) if draw and self.n_elements else None
        self._draw = draw
        self.prepare(problem)

    def prepare(self, problem: OnlineMulticlass) -> None:
        """Set up what is known before the first arrival: all but the agents."""

    @abstractmethod
    def take(self, t: int) -> int:
        """Return what agent ``t`` gets, in multiples of 2^-52."""

    def arrive(self, element: int) -> Decision:
        if element != len(self.shares):
            raise UsageError(f"agents arrive as they are listed; the next is {len(self.shares)}")
        share = self.take(element)
        self.shares.append(share)
        return share / ONE if self._coins is None else self._coins.decide(element, share)

    def state(self) -> dict[str, Any]:
        return {"units": sum(self.shares) / ONE}

    def claims(self) -> tuple[Claim, ...]:
        """Return what is guaranteed."""
        return ()

    def notes(self) -> tuple[Note, ...]:
        """Return remarks."""
        return ()

    def finish(self, order: Sequence[int], decisions: Sequence[Decision]) -> Outcome[Any]:
        x = Exact.of([Fraction(share, ONE) for share in self.shares])
        coins, accepted = None, None
        if self._draw:
            found = self._coins
            coins = () if found is None else tuple(found.drawn)
            accepted = () if found is None else tuple(found.accepted)
        answer = Allocation(x, self._rounding, self.enforced, coins, accepted)
        return Outcome(answer, top_values(self.problem), self.claims(), notes=self.notes())

    def guarantee(self, name: str, rule: str, scope: str) -> tuple[Claim, ...]:
        """Return the claim of a theorem, as the court computes it; none if it is infinite."""
        value = self.problem.recompute({"rule": rule}, name)
        if value == float("inf"):
            return ()
        return (Claim(name, value, "theorem", {"rule": rule}, scope),)


def top_values(problem: OnlineMulticlass) -> Bound:
    """Return the bound of the best selection without quotas."""
    data = {"rule": "top-values"}
    return Bound(problem.recompute(data), "combinatorial", data)
