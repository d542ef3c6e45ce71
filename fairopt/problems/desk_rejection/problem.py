"""The question: which papers to keep when authors exceed their submission limits.

References
----------
Cao, Li, Liang, Sha, Shi, Song, Zhang, "Dissecting Submission Limit in Desk-Rejections",
ICML 2025 (arXiv 2502.00690).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Sense
from fairopt.problems.desk_rejection import validate
from fairopt.problems.desk_rejection.answer import KeptPapers, read_kept
from fairopt.problems.desk_rejection.derived import Incidences, LinearForm
from fairopt.problems.desk_rejection.quota import (
    AUTHOR_COSTS,
    QUOTA_RULES,
    Ints,
    Quota,
    pointers,
)
from fairopt.rational import Exact, Rational, whole
from fairopt.solution import Claim, encode

__all__ = ["DeskRejection", "KeptPapers", "LinearForm"]

_LEXICOGRAPHIC = ("worst-then-average", "leximin")


@dataclass(frozen=True, eq=False, init=False, repr=False)
class DeskRejection(Incidences):
    """Keep papers so that every author stays within the limit; harm little and fairly.

    Parameters
    ----------
    paper_ptr, paper_author
        The authors of paper ``j`` are ``paper_author[paper_ptr[j]:paper_ptr[j + 1]]``, positions
        in ``author_ids``; shapes (papers + 1,) and (incidences,).
    paper_ids, author_ids
        Distinct texts; without them ``p0`` …, ``a0`` …. People are best identified by profile
        id or e-mail: homonyms are one author, on whom the limit is then enforced.
    weight
        Exact weight of each paper, at least 0; default 1.
    order
        Policy order (ties by position); default the position.
    must_keep, must_reject, withdrawn
        Masks over papers. Withdrawn papers are dropped before everything, and authors without
        papers do not count.
    limit
        Common limit, None for none; ``preset`` names a venue's limit instead.
    author_limits
        Own limits by author id (None: no limit); they stand in for the common one.
    quota
        What a paper charges its authors.
    roles, role_names
        Role of each incidence as a position in ``role_names``, -1 for the default role.
    role_limits
        By role: an author keeps at most that many papers in it.
    drop_order
        By author id: own papers (ids) in the order in which the author would drop them.
    author_cost
        ``share``, x/d, papers lost over papers submitted; ``count``, x; ``excess-share``,
        (x - e)/d, where e is the loss that the limit makes unavoidable.
    allow_anonymous, dedupe
        Accept papers without authors; count an author repeated on a paper once.
    copy
        With false, C-contiguous int64 arrays are taken over and frozen instead of copied.
    """

    problem: ClassVar[str] = "desk-rejection"
    objectives: ClassVar[tuple[str, ...]] = (
        "max-accept",
        "average",
        "worst-then-average",
        "worst-case",
        "leximin",
        "wiped",
        "collateral",
        "regret-worst",
    )
    settings: ClassVar[Mapping[str, Any]] = {
        "limit": Fraction | None,
        "preset": str | None,
        "quota.rule": Literal["unit", "per-capita", "harmonic", "role"],
        "quota.role_cost": dict[str, Fraction],
        "quota.default_role": str,
        "role_limits": dict[str, int],
        "author_cost": Literal["share", "count", "excess-share"],
        "allow_anonymous": bool,
    }
    proofs: ClassVar[str] = "fairopt.problems.desk_rejection.proofs"
    family = "fairopt.problems.desk_rejection"

    def __init__(
        self,
        paper_ptr: ArrayLike,
        paper_author: ArrayLike,
        *,
        paper_ids: Iterable[str] | None = None,
        author_ids: Iterable[str] | None = None,
        weight: Exact | Sequence[Rational] | NDArray[Any] | None = None,
        order: ArrayLike | None = None,
        must_keep: ArrayLike | None = None,
        must_reject: ArrayLike | None = None,
        withdrawn: ArrayLike | None = None,
        limit: Rational | None = None,
        author_limits: Mapping[str, Rational | None] | None = None,
        quota: Quota | None = None,
        roles: ArrayLike | None = None,
        role_names: Sequence[str] = (),
        role_limits: Mapping[str, int] | None = None,
        drop_order: Mapping[str, Sequence[str]] | None = None,
        author_cost: str = "share",
        preset: str | None = None,
        allow_anonymous: bool = False,
        dedupe: bool = False,
        objective: str | None = None,
        meta: Meta | None = None,
        copy: bool = True,
    ) -> None:
        put = self.__dict__.__setitem__
        put("meta", meta or Meta())
        ptr, author = validate.incidence(paper_ptr, paper_author, copy=copy)
        m = len(ptr) - 1
        n = int(author.max()) + 1 if len(author) else 0
        if author_ids is None and n > 1000 + 10 * len(author):
            raise InstanceError("paper_author", f"position {n - 1} is far beyond the incidences")
        if author_ids is not None:
            author_ids = tuple(author_ids)
            if n > len(author_ids):
                raise InstanceError("paper_author", f"position {n - 1} has no id")
            n = len(author_ids)
        papers = validate.ids(paper_ids, m, "p", "papers")
        authors = validate.ids(author_ids, n, "a", "authors")
        put("paper_ids", papers)
        put("author_ids", authors)
        put("weight", validate.weights(weight, m))
        put("order", validate.orders(order, m))
        put("must_keep", validate.mask(must_keep, m, "must_keep"))
        put("must_reject", validate.mask(must_reject, m, "must_reject"))
        put("allow_anonymous", bool(allow_anonymous))
        put("role_names", tuple(role_names))
        self._set_incidence(ptr, author, roles, dedupe)
        self._set_quota(limit, preset, quota, role_limits, author_cost)
        self._drop(validate.mask(withdrawn, m, "withdrawn"))
        self._sort_roles()
        self._set_authors(authors, author_limits or {}, drop_order or {}, set(papers))
        self._check_roles()
        self._set_objective(objective)
        for array in (self.paper_ptr, self.paper_author, self.order, self.roles):
            array.setflags(write=False)
        for flags in (self.must_keep, self.must_reject):
            flags.setflags(write=False)

    # -- construction ------------------------------------------------------------------------

    def _set_incidence(
        self, ptr: Ints, author: Ints, roles: ArrayLike | None, dedupe: bool
    ) -> None:
        both = np.flatnonzero(self.must_keep & self.must_reject)
        if both.size:
            name = self.paper_ids[both[0]]
            raise InstanceError(
                f"papers[{both[0]}]", f"{name!r} has both must_keep and must_reject"
            )
        empty = np.flatnonzero(np.diff(ptr) == 0)
        if empty.size and not self.allow_anonymous:
            raise InstanceError(f"papers[{empty[0]}].authors", "must not be empty")
        role = (
            np.full(len(author), -1, np.int64)
            if roles is None
            else validate.integers(roles, "roles")
        )
        if len(role) != len(author):
            raise InstanceError("roles", f"expected {len(author)} entries, got {len(role)}")
        if len(role) and not -1 <= int(role.min()) <= int(role.max()) < len(self.role_names):
            raise InstanceError("roles", "expected -1 or a position in role_names")
        keep = validate.duplicates(ptr, author, self.paper_ids, self.author_ids, dedupe=dedupe)
        before = len(author)
        if keep is not None:
            ptr, author, role = validate.select(ptr, keep), author[keep], role[keep]
        put = self.__dict__.__setitem__
        put("n_deduped", before - len(author))
        put("paper_ptr", ptr)
        put("paper_author", author)
        put("roles", role)

    def _set_quota(
        self,
        limit: object,
        preset: str | None,
        quota: Quota | None,
        role_limits: Mapping[str, int] | None,
        author_cost: str,
    ) -> None:
        quota = quota or Quota()
        rule = validate.one_of(quota.rule, QUOTA_RULES, "quota.rule")
        costs = validate.role_costs(quota.role_cost)
        name, common = validate.preset_limit(preset, limit)
        put = self.__dict__.__setitem__
        put("quota", Quota(rule, costs, quota.default_role))
        put("preset", name)
        put("limit", validate.limit(common, rule, "limit"))
        put("role_limits", validate.role_limits(role_limits))
        put("author_cost", validate.one_of(author_cost, AUTHOR_COSTS, "author_cost"))

    def _drop(self, withdrawn: NDArray[np.bool_]) -> None:
        """Drop withdrawn papers and authors left without papers."""
        put = self.__dict__.__setitem__
        put("n_withdrawn", int(withdrawn.sum()))
        if withdrawn.any():
            keep = ~withdrawn
            size = np.diff(self.paper_ptr)
            here = np.repeat(keep, size)
            put("paper_ptr", pointers(size[keep]))
            put("paper_author", self.paper_author[here])
            put("roles", self.roles[here])
            put("paper_ids", tuple(p for p, k in zip(self.paper_ids, keep, strict=True) if k))
            put("weight", self.weight.take(keep))
            for name in ("order", "must_keep", "must_reject"):
                put(name, getattr(self, name)[keep])
        active = np.bincount(self.paper_author, minlength=len(self.author_ids)) > 0
        names = self.author_ids
        put("idle_authors", tuple(names[i] for i in np.flatnonzero(~active)))
        if not active.all():
            position = np.cumsum(active) - 1
            put("paper_author", position[self.paper_author])
            put("author_ids", tuple(names[i] for i in np.flatnonzero(active)))

    def _sort_roles(self) -> None:
        """Keep the names of roles that occur, sorted, so that one question has one form."""
        used = np.unique(self.roles[self.roles >= 0]).tolist()
        names = tuple(sorted({self.role_names[r] for r in used}))
        if names != self.role_names:
            place = np.full(len(self.role_names) + 1, -1, np.int64)  # the last stays -1
            for r in used:
                place[r] = names.index(self.role_names[r])
            self.__dict__["roles"] = place[self.roles]
            self.__dict__["role_names"] = names

    def _set_authors(
        self,
        listed: tuple[str, ...],
        limits: Mapping[str, Rational | None],
        drop_order: Mapping[str, Sequence[str]],
        papers: set[str],
    ) -> None:
        """Take over own limits and drop orders; ``papers`` also holds the withdrawn ones."""
        place = {name: k for k, name in enumerate(listed)} if limits or drop_order else {}
        active = set(self.author_ids) if place else set()
        own: dict[str, Rational | None] = {}
        for name, value in limits.items():
            if name not in place:
                raise InstanceError("author_limits", f"no author {name!r}")
            number = validate.limit(value, self.quota.rule, f"authors[{place[name]}].limit")
            if name in active:
                own[name] = number
        drops: dict[str, tuple[int, ...]] = {}
        position = {p: j for j, p in enumerate(self.paper_ids)} if drop_order else {}
        index = {name: i for i, name in enumerate(self.author_ids)} if drop_order else {}
        for name, ranked in drop_order.items():
            where = f"authors[{place.get(name, 0)}].drop_order"
            if name not in place:
                raise InstanceError("drop_order", f"no author {name!r}")
            if len(set(ranked)) != len(ranked):
                raise InstanceError(where, "names a paper twice")
            mine = set(self.papers_of(index[name]).tolist()) if name in index else set()
            for k, paper in enumerate(ranked):
                if paper not in papers or position.get(paper, -1) not in mine | {-1}:
                    raise InstanceError(f"{where}[{k}]", f"{paper!r} is no paper of {name!r}")
            if name in index:
                drops[name] = tuple(position[p] for p in ranked if p in position)
        self.__dict__["author_limits"] = own
        self.__dict__["drop_order"] = drops

    def _check_roles(self) -> None:
        """Refuse a role that is used but has no cost under the role rule."""
        if self.quota.rule != "role":
            return
        costs = self.quota.role_cost or {}
        for role in np.unique(self.effective_role).tolist():
            name = self.effective_role_names[role]
            if name in costs:
                continue
            known = ", ".join(costs) or "none are given"
            why = f"role {name!r} has no cost in quota.role_cost; roles with one: {known}"
            at = np.flatnonzero(self.roles == role)
            if not at.size:
                raise InstanceError("quota.default_role", why)
            paper = int(self.paper_of_incidence[at[0]])
            author = self.author_ids[self.paper_author[at[0]]]
            raise InstanceError(f"papers[{paper}].roles.{author}", why)

    def _set_objective(self, name: str | None) -> None:
        name = self.objective_name(name)
        if not self.has_excess:
            why = "is defined only for the unit quota without role_limits"
            if name in ("collateral", "regret-worst"):
                raise InstanceError("objective", f"{name} {why}")
            if self.author_cost == "excess-share":
                raise InstanceError("author_cost", f"excess-share {why}")
        kind, sense, unit = "rational", Sense.MINIMIZE, "of papers lost"
        if self.author_cost == "count":
            unit = "papers lost"
        if name == "max-accept":
            kind = "integer" if self.weight.den == 1 else "rational"
            sense, unit = Sense.MAXIMIZE, "papers" if self.unweighted else "weight"
        elif name in _LEXICOGRAPHIC:
            kind = "lexicographic"
        elif name in ("wiped", "collateral"):
            kind, unit = "integer", "authors" if name == "wiped" else "papers lost"
        grid = Fraction(1, self.weight.den) if name == "max-accept" else None
        self.__dict__["objective"] = Objective(name, sense, kind, unit, grid)

    # -- what every problem has --------------------------------------------------------------

    def check(
        self, answer: KeptPapers, claims: Sequence[Claim] = (), *, figures: str = "few"
    ) -> Check:
        """Return violations, exact value and figures; time linear in the incidences."""
        from fairopt.problems.desk_rejection.check import check

        return check(self, answer)

    def answer(self, kept: ArrayLike) -> KeptPapers:
        """Return the answer that keeps the papers of a mask."""
        return KeptPapers(validate.mask(kept, self.n_papers, "answer"), self.paper_ids)

    def answer_to_json(self, answer: KeptPapers) -> dict[str, Any]:
        return {"kept": list(answer.kept), "rejected": list(answer.rejected)}

    def answer_from_json(self, data: Any) -> KeptPapers:
        return KeptPapers(read_kept(data, self.paper_ids), self.paper_ids)

    def fields(self) -> dict[str, Any]:
        drops = {a: [self.paper_ids[j] for j in ranked] for a, ranked in self.drop_order.items()}
        return {
            "paper_ids": self.paper_ids,
            "author_ids": self.author_ids,
            "paper_ptr": self.paper_ptr,
            "paper_author": self.paper_author,
            "weight": self.weight,
            "order": self.order,
            "must_keep": self.must_keep,
            "must_reject": self.must_reject,
            "limit": self.limit,
            "author_limits": self.author_limits,
            "quota": {
                "rule": self.quota.rule,
                "role_cost": self.quota.role_cost,
                "default_role": self.quota.default_role,
            },
            "roles": [self.role_names, self.roles],
            "role_limits": self.role_limits,
            "drop_order": drops,
            "author_cost": self.author_cost,
        }

    def _typed(self, key: str, value: Any) -> Any:
        """Return a setting as JSON holds it, exact numbers as ints or texts."""
        typed = super()._typed(key, value)
        if isinstance(typed, Mapping):
            return {name: encode(whole(number)) for name, number in typed.items()}
        return encode(whole(typed)) if isinstance(typed, Fraction) else typed

    @classmethod
    def from_edges(cls, author: Iterable[object], paper: Iterable[object], **more: Any) -> Self:
        """Build the problem from pairs: ``author[k]`` is on ``paper[k]`` (ids, taken as text).

        Papers and authors are numbered as they first appear; ``more`` goes to the constructor.
        """
        from fairopt.problems.desk_rejection.schema import incidence_of_edges

        ptr, who, papers, authors = incidence_of_edges(map(str, author), map(str, paper))
        return cls(ptr, who, paper_ids=papers, author_ids=authors, copy=False, **more)

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], **read: Any) -> Self:
        """Read a CSV file of papers, an edge list or an export (``read``: reader options)."""
        from fairopt.files import load

        found = load(path, cls.problem, **read)
        assert isinstance(found, cls)
        return found

    def size(self) -> dict[str, int]:
        return {
            "papers": self.n_papers,
            "authors": self.n_authors,
            "incidences": len(self.paper_author),
            "over_limit": int(self.over_limit.sum()),
        }
