"""What follows from the incidences and limits of desk rejection: degrees, loads, excess, rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError
from fairopt.problem import Meta, Objective, Problem
from fairopt.problems.desk_rejection.quota import (
    Ints,
    Quota,
    Rows,
    build_rows,
    cost_classes,
    pointers,
)
from fairopt.rational import Exact, Rational, add_by


@dataclass(frozen=True, slots=True)
class LinearForm:
    """An objective that is linear in the papers kept: ``constant + sign * coef · kept``."""

    coef: Exact
    constant: Rational
    sign: int

    def value(self, kept: NDArray[np.bool_]) -> Rational:
        """Return the exact value of a kept set (a mask over papers)."""
        return self.constant + self.sign * self.coef.total(kept)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Incidences(Problem):
    """The data of ``DeskRejection`` and what is derived from them, each computed at first use.

    ``n`` authors and ``m`` papers are those that are active; all arrays are read-only.
    """

    paper_ids: tuple[str, ...]
    author_ids: tuple[str, ...]
    paper_ptr: Ints
    paper_author: Ints
    weight: Exact
    order: Ints
    must_keep: NDArray[np.bool_]
    must_reject: NDArray[np.bool_]
    limit: Rational | None
    author_limits: Mapping[str, Rational | None]
    quota: Quota
    roles: Ints
    role_names: tuple[str, ...]
    role_limits: Mapping[str, int]
    drop_order: Mapping[str, tuple[int, ...]]
    author_cost: str
    preset: str | None
    allow_anonymous: bool
    n_withdrawn: int
    n_deduped: int
    idle_authors: tuple[str, ...]
    objective: Objective
    meta: Meta

    def __repr__(self) -> str:
        sizes = f"{self.n_papers} papers, {self.n_authors} authors"
        return f"<{type(self).__name__} {self.name or ''}: {sizes}, {self.objective.name}>"

    # -- sizes and incidences ----------------------------------------------------------------

    @property
    def n_papers(self) -> int:
        """Number of active papers."""
        return len(self.paper_ids)

    @property
    def n_authors(self) -> int:
        """Number of authors with at least one active paper."""
        return len(self.author_ids)

    @cached_property
    def paper_size(self) -> Ints:
        """Authors of each paper, shape (papers,)."""
        return np.diff(self.paper_ptr)

    @cached_property
    def paper_of_incidence(self) -> Ints:
        """The paper of each incidence, shape (incidences,)."""
        return np.repeat(np.arange(self.n_papers, dtype=np.int64), self.paper_size)

    @cached_property
    def degree(self) -> Ints:
        """Papers of each author (d), shape (authors,)."""
        return np.bincount(self.paper_author, minlength=self.n_authors).astype(np.int64)

    @cached_property
    def author_ptr(self) -> Ints:
        """Pointers of the author -> papers CSR, shape (authors + 1,)."""
        return pointers(self.degree)

    @cached_property
    def author_slot(self) -> Ints:
        """Incidences (positions in ``paper_author``) by author, papers ascending."""
        return np.argsort(self.paper_author, kind="stable").astype(np.int64)

    @cached_property
    def author_paper(self) -> Ints:
        """Papers by author, ascending; author ``i`` has ``author_ptr[i]:author_ptr[i + 1]``."""
        return self.paper_of_incidence[self.author_slot]

    @cached_property
    def author_of_slot(self) -> Ints:
        """The author of each entry of ``author_slot`` and ``author_paper``."""
        return self.paper_author[self.author_slot]

    @cached_property
    def policy_order(self) -> Ints:
        """Papers in policy order: by ``order``, ties by position."""
        return np.argsort(self.order, kind="stable").astype(np.int64)

    def authors_of(self, paper: int) -> Ints:
        """Return the authors of a paper."""
        return self.paper_author[self.paper_ptr[paper] : self.paper_ptr[paper + 1]]

    def papers_of(self, author: int) -> Ints:
        """Return the papers of an author, ascending."""
        return self.author_paper[self.author_ptr[author] : self.author_ptr[author + 1]]

    @cached_property
    def unweighted(self) -> bool:
        """Whether every paper weighs 1."""
        return self.weight.den == 1 and bool((self.weight.num == 1).all())

    # -- roles, quota costs, limits ----------------------------------------------------------

    @cached_property
    def effective_role_names(self) -> tuple[str, ...]:
        """Names of roles, the default one included."""
        default = self.quota.default_role
        return self.role_names if default in self.role_names else (*self.role_names, default)

    @cached_property
    def effective_role(self) -> Ints:
        """Role of each incidence, a position in ``effective_role_names``."""
        default = self.effective_role_names.index(self.quota.default_role)
        return np.where(self.roles < 0, np.int64(default), self.roles)

    @cached_property
    def limited_roles(self) -> tuple[tuple[int, int], ...]:
        """(position of the role, limit) for each limited role that can occur."""
        names = self.effective_role_names
        return tuple((names.index(r), most) for r, most in self.role_limits.items() if r in names)

    @cached_property
    def _classes(self) -> tuple[Ints, tuple[Rational, ...]]:
        return cost_classes(self)

    @property
    def cost_class(self) -> Ints:
        """Class of the quota cost of each incidence, shape (incidences,)."""
        return self._classes[0]

    @property
    def class_cost(self) -> tuple[Rational, ...]:
        """Exact quota cost of each class."""
        return self._classes[1]

    @cached_property
    def cost(self) -> Exact:
        """Exact quota cost q of each incidence, shape (incidences,)."""
        if self.quota.rule == "unit":
            return Exact.of(np.ones(len(self.paper_author), np.int64))
        return Exact.of(self.class_cost).take(self.cost_class)

    @cached_property
    def total_cost(self) -> NDArray[Any]:
        """What all papers of each author cost, in units of 1/``cost.den``."""
        return add_by(self.paper_author, self.cost.num, self.n_authors)

    @cached_property
    def capacity(self) -> NDArray[Any]:
        """The limit of each author in units of 1/``cost.den``, never above ``total_cost``.

        Rounded down, which changes no comparison with a load; authors without a limit have
        their total.
        """
        total, den = self.total_cost, self.cost.den
        out = total.copy()
        if self.limit is not None and len(out):
            out = np.minimum(total, min(math.floor(self.limit * den), int(total.max())))
        index = {name: i for i, name in enumerate(self.author_ids)} if self.author_limits else {}
        for name, own in self.author_limits.items():
            i = index[name]
            out[i] = total[i] if own is None else min(math.floor(own * den), int(total[i]))
        return out

    def limit_of(self, author: int) -> Rational | None:
        """Return the limit b of an author, None for no limit."""
        return self.author_limits.get(self.author_ids[author], self.limit)

    @cached_property
    def over_limit(self) -> NDArray[np.bool_]:
        """Mask of over-limit authors: the quota or a limited role can bind."""
        over: NDArray[np.bool_] = np.asarray(self.total_cost > self.capacity, np.bool_)
        for role, most in self.limited_roles:
            mine = self.paper_author[self.effective_role == role]
            over |= np.bincount(mine, minlength=self.n_authors) > most
        return over

    @cached_property
    def never_keepable(self) -> NDArray[np.bool_]:
        """Mask of papers that alone exceed a limit of one of their authors."""
        over = np.asarray(self.cost.num > self.capacity[self.paper_author], np.bool_)
        for role, most in self.limited_roles:
            if most == 0:
                over |= self.effective_role == role
        return np.bincount(self.paper_of_incidence[over], minlength=self.n_papers) > 0

    @property
    def has_excess(self) -> bool:
        """Whether the unavoidable excess is defined: unit quota without ``role_limits``."""
        return self.quota.rule == "unit" and not self.role_limits

    @cached_property
    def excess(self) -> Ints:
        """Unavoidable excess e = max(0, d - b) of each author, where ``has_excess``."""
        if not self.has_excess:
            raise InstanceError(
                "quota.rule", "no excess but for the unit quota without role_limits"
            )
        excess: Ints = (self.degree - self.capacity).astype(np.int64)
        return excess

    @cached_property
    def rows(self) -> Rows:
        """The rows that can bind, for methods; the court has its own loads."""
        return build_rows(self)

    # -- objectives --------------------------------------------------------------------------

    def cost_form(self, objective: str | None = None) -> tuple[Ints, Ints]:
        """Return ``shift`` and ``scale`` of the costs ``max(0, x - shift) / scale`` of authors.

        x counts the papers that an author loses. For ``regret-worst`` the cost is the loss
        beyond the unavoidable one over max(1, min(d, b)); for the other objectives it is the
        cost that ``author_cost`` names.
        """
        zero, one = np.zeros(self.n_authors, np.int64), np.ones(self.n_authors, np.int64)
        if (objective or self.objective.name) == "regret-worst":
            return self.excess, np.maximum(1, self.degree - self.excess)
        if self.author_cost == "count":
            return zero, one
        return (zero if self.author_cost == "share" else self.excess), self.degree

    def linear_form(self, objective: str | None = None) -> LinearForm:
        """Return the objective as a linear form of the papers kept, exactly.

        Exists for ``max-accept``, ``average`` and ``collateral``; for ``average`` on every
        answer within the limits.
        """
        name = objective or self.objective.name
        if name == "max-accept":
            return LinearForm(self.weight, 0, 1)
        if name == "collateral":
            lost = len(self.paper_author) - int(self.excess.sum())
            return LinearForm(Exact.of(self.paper_size), lost, -1)
        if name != "average":
            raise InstanceError("objective", f"{name} is not linear in the papers kept")
        shift, scale = self.cost_form("average")
        den = math.lcm(*set(scale.tolist()))
        share = np.array([den // s for s in scale.tolist()], dtype=object)
        coef = add_by(self.paper_of_incidence, share[self.paper_author], self.n_papers)
        total = int((share * (self.degree - shift).astype(object)).sum()) if len(share) else 0
        whole = den * max(self.n_authors, 1)
        every = np.ones(self.n_papers, np.bool_)  # narrows to int64 where the sum fits
        return LinearForm(Exact(coef, whole).take(every), Fraction(total, whole), -1)
