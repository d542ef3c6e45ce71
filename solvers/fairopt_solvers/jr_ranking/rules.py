"""Sequential voting rules, one comment at a time, with every tie known.

A rule is an object with ``best()`` (the comments that tie for the next place) and ``take(c)``.
Figures are screened in floats by kernels; whatever lies within ``MARGIN`` of the best is compared
again in exact fractions, so that a tie is a tie and a difference is a difference. Users fall into
few classes (same satisfaction, same load, same budget): exact figures are sums over classes.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import lcm
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fairopt_solvers.jr_ranking.profile import Ints, Profile

MARGIN = 1e-9
Floats = NDArray[np.float64]


class Rule(ABC):
    """The state of a rule after some comments were selected.

    Parameters
    ----------
    profile
        Who approves what.
    k
        How many comments the rule will select.
    open_
        ``(n_comments,)``, which may still be selected.
    """

    def __init__(self, profile: Profile, k: int, open_: NDArray[np.bool_] | None = None) -> None:
        self.profile = profile
        self.k = k
        m = profile.m
        self.open = np.ones(m, bool) if open_ is None else np.array(open_, bool)
        self.selected: list[int] = []

    @abstractmethod
    def best(self) -> list[int]:
        """Return the comments that tie for the next place, ascending; empty if the rule stops."""

    @abstractmethod
    def _take(self, comment: int) -> None:
        """Update the state by a comment that is now selected."""

    def take(self, comment: int) -> None:
        """Select a comment (open or forced)."""
        self.open[comment] = False
        self.selected.append(comment)
        self._take(comment)

    def copy(self) -> Self:
        """Return an independent copy."""
        other = copy.copy(self)
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray | list):
                setattr(other, name, value.copy())
        return other

    def classes_of(self, comment: int, classes: Ints) -> dict[int, int]:
        """Return how much weight of a comment's approvers is in each class."""
        users = self.profile.users_of(comment)
        there = classes[users]
        mass = np.zeros(int(there.max(initial=-1)) + 1, np.int64)
        np.add.at(mass, there, self.profile.weight[users])
        names = np.flatnonzero(mass)
        return dict(zip(names.tolist(), mass[names].tolist(), strict=True))


def near(values: Floats, best: float, candidates: NDArray[np.bool_]) -> list[int]:
    """Return the candidates whose value is not clearly different from the best."""
    width = MARGIN * max(abs(best), 1e-300)
    found: list[int] = np.flatnonzero(candidates & (np.abs(values - best) <= width)).tolist()
    return found


def tied(candidates: Iterable[int], figure: Callable[[int], Fraction], sign: int) -> list[int]:
    """Return those with exactly the largest (sign 1) or smallest (sign -1) figure."""
    exact = {c: sign * figure(c) for c in candidates}
    top = max(exact.values())
    return [c for c, value in exact.items() if value == top]


class SeqPav(Rule):
    """Sequential proportional approval voting (Thiele 1895).

    The next comment has the largest sum of w_i / (s_i + 1) over its approvers, s_i being how many
    selected comments user i approves.
    """

    def __init__(self, profile: Profile, k: int, open_: NDArray[np.bool_] | None = None) -> None:
        super().__init__(profile, k, open_)
        self.satisfaction: Ints = np.zeros(profile.users, np.int64)
        self.gains: Floats = profile.sup.astype(np.float64)
        self.marginal: Floats = 1.0 / np.arange(1, profile.m + 2)

    def best(self) -> list[int]:
        if not self.open.any():
            return []
        top = float(self.gains[self.open].max())
        candidates = near(self.gains, top, self.open)
        if top <= MARGIN:  # nobody gains: exact zeros, up to what rounding left of them
            candidates = np.flatnonzero(self.open & (self.gains <= MARGIN)).tolist()
        return candidates if len(candidates) == 1 else tied(candidates, self.gain, 1)

    def gain(self, comment: int) -> Fraction:
        """Return the exact gain of a comment."""
        classes = self.classes_of(comment, self.satisfaction)
        return sum((Fraction(mass, s + 1) for s, mass in classes.items()), Fraction(0))

    def _take(self, comment: int) -> None:
        from fairopt_solvers.jr_ranking.kernels_rules import add_satisfaction

        b = self.profile
        add_satisfaction(
            b.users_of(comment), b.weight, b.ptr, b.item,
            self.satisfaction, self.gains, self.marginal,
        )  # fmt: skip


class Phragmen(Rule):
    """Sequential Phragmen (Phragmen 1894; Brill, Freeman, Janson, Lackner 2017).

    A selected comment is a load of 1 that its approvers share; afterwards all of them carry the
    same load, (1 + sum w_i load_i) / support. The smallest such load is next; comments without
    approvers come last.

    Parameters
    ----------
    classes, loads
        Loads to start from: each user's class, and the load of each class. By default none.
    """

    def __init__(
        self, profile: Profile, k: int, open_: NDArray[np.bool_] | None = None,
        *, classes: Ints | None = None, loads: list[Fraction] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(profile, k, open_)
        self.loads = [Fraction(0)] if loads is None else list(loads)
        n = profile.users
        self.classes: Ints = np.zeros(n, np.int64) if classes is None else classes.copy()
        carried = profile.weight * np.array([float(v) for v in self.loads])[self.classes]
        per_edge = carried[profile.user]
        owner = np.repeat(np.arange(profile.m), np.diff(profile.col))
        self.sums: Floats = np.bincount(owner, per_edge, profile.m).astype(np.float64)

    def best(self) -> list[int]:
        approved = self.open & (self.profile.sup > 0)
        if not approved.any():
            return list(map(int, np.flatnonzero(self.open)))
        with np.errstate(divide="ignore", invalid="ignore"):
            loads = (1.0 + self.sums) / self.profile.sup
        low = float(loads[approved].min())
        # Loads may start negative and cancel: what is near is measured against the terms, not
        # against their sum.
        width = MARGIN * max(abs(low), 1.0 / max(1, self.profile.n))
        candidates = np.flatnonzero(approved & (loads <= low + width)).tolist()
        return candidates if len(candidates) == 1 else tied(candidates, self.load, -1)

    def load(self, comment: int) -> Fraction:
        """Return the exact load that the comment's approvers would carry."""
        classes = self.classes_of(comment, self.classes)
        carried = sum((mass * self.loads[at] for at, mass in classes.items()), Fraction(0))
        return (1 + carried) / int(self.profile.sup[comment])

    def _take(self, comment: int) -> None:
        from fairopt_solvers.jr_ranking.kernels_rules import set_class

        b = self.profile
        if not b.sup[comment]:
            return
        self.loads.append(self.load(comment))
        loads = np.array([float(v) for v in self.loads])
        new = len(self.loads) - 1
        set_class(b.users_of(comment), b.weight, b.ptr, b.item, loads, new, self.classes, self.sums)


class EqualShares(Rule):
    """Method of Equal Shares (Peters, Skowron 2020): budget k/n a user, price 1 a comment.

    The next comment is the one that its approvers can pay with the smallest highest payment rho,
    sum of w_i min(budget_i, rho) = 1. Ends when nothing can be paid, often before k comments.
    Users with equal budgets that came about alike are a class; class 0 has nothing left. Budgets
    are integers over one denominator, ``purses[class] / den``.
    """

    def __init__(
        self, profile: Profile, k: int, open_: NDArray[np.bool_] | None = None,
        *, start: Fraction | None = None,
    ) -> None:  # fmt: skip
        super().__init__(profile, k, open_)
        share = Fraction(k, profile.n) if start is None else start
        self.classes: Ints = np.ones(profile.users, np.int64)
        self.purses, self.den = [0, share.numerator], share.denominator
        self.coins: Floats = np.array([0.0, float(share)])  # the purses as floats
        self.exact: dict[int, Fraction | None] = {}
        with np.errstate(divide="ignore"):
            self.lowest: Floats = 1.0 / profile.sup.astype(np.float64)
        self.lowest[profile.sup == 0] = 1e300

    @property
    def budgets(self) -> list[Fraction]:
        """The budget of each class."""
        return [Fraction(purse, self.den) for purse in self.purses]

    def best(self) -> list[int]:
        from fairopt_solvers.jr_ranking.kernels_rules import cheapest_share

        b, budget = self.profile, self.coins[self.classes]
        while True:
            order = np.argsort(self.lowest, kind="stable")
            low = cheapest_share(
                b.col, b.user, b.weight, budget, self.open, order, MARGIN, self.lowest
            )
            if low >= 1e300:
                return []
            self.exact = {c: self.rho(c) for c in near(self.lowest, low, self.open)}
            broke = [c for c, rho in self.exact.items() if rho is None]
            self.lowest[broke] = 1e300
            paid = {c: rho for c, rho in self.exact.items() if rho is not None}
            if paid:
                top = min(paid.values())
                return [c for c, rho in paid.items() if rho == top]

    def rho(self, comment: int) -> Fraction | None:
        """Return the exact rho of a comment; None if its approvers cannot pay."""
        if comment in self.exact:
            return self.exact[comment]
        classes = self.classes_of(comment, self.classes)
        wealth = sorted((self.purses[at], mass) for at, mass in classes.items())
        missing, payers = self.den, sum(mass for _, mass in wealth)
        if sum(purse * mass for purse, mass in wealth) < missing:
            return None
        for purse, mass in wealth:  # who has less than rho pays all
            if missing <= purse * payers:
                break
            missing -= purse * mass
            payers -= mass
        return Fraction(missing, payers * self.den)

    def _take(self, comment: int) -> None:
        rho = self.rho(comment)  # a forced comment may be more than they have: then all they have
        self.exact = {}
        price = max(self.purses)
        if rho is not None:
            common = lcm(self.den, rho.denominator)
            self.purses = [purse * (common // self.den) for purse in self.purses]
            self.den, price = common, rho.numerator * (common // rho.denominator)
        users = self.profile.users_of(comment)
        here = self.classes[users]
        after = np.arange(len(self.purses))  # which class follows on each
        for at in np.flatnonzero(np.bincount(here)).tolist():
            left = self.purses[at] - price
            after[at] = len(self.purses) if left > 0 else 0
            if left > 0:
                self.purses.append(left)
        new = [purse / self.den for purse in self.purses[len(self.coins) :]]
        self.coins = np.append(self.coins, new)
        self.classes[users] = after[here]
        self._forget()

    def _forget(self) -> None:
        """Drop the classes in which nobody is."""
        there = np.bincount(self.classes, minlength=len(self.purses)) > 0
        there[0] = True
        self.purses = [self.purses[at] for at in np.flatnonzero(there).tolist()]
        self.coins = self.coins[there]
        self.classes = (np.cumsum(there) - 1)[self.classes]


class ExpandingApprovals(Rule):
    """Expanding approvals on approval ballots (Aziz, Lee 2020): everybody has one vote.

    While the approvers of some comment have at least the quota together, the comment whose
    approvers have most is selected and they give up the quota in proportion. Users whose votes
    shrank alike are a class with one exact budget.
    """

    def __init__(
        self, profile: Profile, k: int, open_: NDArray[np.bool_] | None = None,
        *, quota: Fraction,
    ) -> None:  # fmt: skip
        super().__init__(profile, k, open_)
        self.quota = quota
        self.classes: Ints = np.zeros(profile.users, np.int64)
        self.budgets: list[Fraction] = [Fraction(1)]
        self.budget: Floats = np.ones(profile.users)

    def best(self) -> list[int]:
        from fairopt_solvers.jr_ranking.kernels_rules import money_of

        b = self.profile
        money = np.empty(b.m)
        money_of(b.col, b.user, b.weight, self.budget, money)
        if not self.open.any():
            return []
        top = float(money[self.open].max())
        if top < float(self.quota) * (1.0 - MARGIN):
            return []
        exact = {c: self.money(c) for c in near(money, top, self.open)}
        most = max(exact.values())
        return [c for c, value in exact.items() if value == most] if most >= self.quota else []

    def money(self, comment: int) -> Fraction:
        """Return what the approvers have together."""
        classes = self.classes_of(comment, self.classes)
        return sum((mass * self.budgets[at] for at, mass in classes.items()), Fraction(0))

    def _take(self, comment: int) -> None:
        total = self.money(comment)
        keep = max(Fraction(0), 1 - self.quota / total) if total else Fraction(0)
        users = self.profile.users_of(comment)
        here = self.classes[users]
        after = np.zeros(len(self.budgets), np.int64)
        for at in np.flatnonzero(np.bincount(here)).tolist():
            after[at] = len(self.budgets)
            self.budgets.append(self.budgets[at] * keep)
        self.classes[users] = after[here]
        self.budget[users] = np.array([float(b) for b in self.budgets])[self.classes[users]]


class Ranked(Rule):
    """Take comments by a fixed exact figure, largest first: approvals, or scores."""

    def __init__(
        self, profile: Profile, k: int, open_: NDArray[np.bool_] | None = None,
        *, figures: NDArray[Any] | list[int],
    ) -> None:  # fmt: skip
        super().__init__(profile, k, open_)
        self.figures: list[int] = list(map(int, figures))

    def best(self) -> list[int]:
        there = np.flatnonzero(self.open).tolist()
        if not there:
            return []
        top = max(self.figures[c] for c in there)
        return [c for c in there if self.figures[c] == top]

    def _take(self, comment: int) -> None:
        pass
