"""Submission limits: what a paper charges its authors, and the rows that can bind.

Limits are compared in integers only. Incidences share few distinct costs, so each incidence
holds the number of a *cost class*, and only the classes hold exact rationals.

References
----------
The harmonic rule is that of Shah, "How Many Submissions May an Author Make? A Harmonic Quota"
(arXiv 2606.10293); the role rule that of Mumcu and Yilmaz, "Submission Responsibility Matters"
(arXiv 2606.30285); venue limits as published with Cao et al., "Dissecting Submission Limit in
Desk-Rejections" (ICML 2025).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.rational import Rational, whole

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.derived import Incidences

Ints = NDArray[np.int64]
INT64_SAFE = 2**62

QUOTA_RULES = ("unit", "per-capita", "harmonic", "role")
AUTHOR_COSTS = ("share", "count", "excess-share")
DEFAULT_ROLE = "coauthor"

_VENUES = {
    10: ("aaai-2023", "aaai-2024", "aaai-2025", "ijcai-2018", "ijcai-2019"),
    25: ("cvpr-2025", "iccv-2025"),
    8: tuple(f"ijcai-{year}" for year in range(2021, 2026)),
    7: ("kdd-2024", "kdd-2025"),
    6: ("ijcai-2020",),
}
PRESETS: Mapping[str, int] = dict(
    sorted(
        [(name, limit) for limit, names in _VENUES.items() for name in names]
        + [(f"wsdm-{year}", 10) for year in range(2021, 2026)]
    )
)


@dataclass(frozen=True, slots=True)
class Quota:
    """How much of an author's limit a paper uses up.

    Parameters
    ----------
    rule
        ``unit`` (1), ``per-capita`` (1/authors), ``harmonic`` (1/(1 + 1/2 + … + 1/authors)) or
        ``role`` (the cost of the author's role on the paper).
    role_cost
        Cost by role, for the role rule.
    default_role
        Role of an author for whom the paper names none.
    """

    rule: str = "unit"
    role_cost: Mapping[str, Rational] | None = None
    default_role: str = DEFAULT_ROLE


def cost_of_size(rule: str, size: int) -> Rational:
    """Return what a paper with ``size`` authors charges each of them (not the role rule)."""
    if rule == "unit":
        return 1
    if rule == "per-capita":
        return whole(Fraction(1, size))
    return whole(1 / sum((Fraction(1, k) for k in range(1, size + 1)), Fraction(0)))


def cost_classes(problem: Incidences) -> tuple[Ints, tuple[Rational, ...]]:
    """Return the cost class of each incidence, shape (incidences,), and the cost of each class."""
    rule, many = problem.quota.rule, len(problem.paper_author)
    if rule == "unit":
        return np.zeros(many, np.int64), (1,)
    if rule == "role":
        costs = problem.quota.role_cost or {}
        names = problem.effective_role_names
        return problem.effective_role, tuple(costs.get(name, 1) for name in names)
    size = problem.paper_size
    sizes, inverse = np.unique(size, return_inverse=True)
    classes = np.repeat(inverse.astype(np.int64), size)
    return classes, tuple(cost_of_size(rule, max(int(s), 1)) for s in sizes)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that can bind, each scaled to integers: ``sum(cost * kept) <= budget``.

    Row ``k`` says that author ``author[k]`` keeps at most ``budget[k]`` of its cost on the
    papers ``paper[ptr[k]:ptr[k + 1]]`` (ascending). ``role[k]`` is -1 for a row of the quota and
    otherwise the position in ``effective_role_names`` of the role that is limited. ``cost`` and
    ``budget`` are exact costs and the limit times ``scale[k]``, the limit rounded down, which
    excludes nothing. All four are int64 when every total is below 2^62, else Python ints.

    Rows of the quota come first, by author, then rows of roles by author and role.
    """

    author: Ints
    role: Ints
    ptr: Ints
    paper: Ints
    cost: NDArray[Any]
    budget: NDArray[Any]
    scale: NDArray[Any]
    n_papers: int

    def __len__(self) -> int:
        return len(self.author)

    @cached_property
    def row_of(self) -> Ints:
        """The row of each entry, shape (entries,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.ptr))

    @cached_property
    def by_paper(self) -> tuple[Ints, Ints, NDArray[Any]]:
        """The transpose: ``ptr`` over papers, row and cost of each entry, rows ascending."""
        order = np.argsort(self.paper, kind="stable")
        count = np.bincount(self.paper, minlength=self.n_papers)
        ptr = np.concatenate(([0], np.cumsum(count))).astype(np.int64)
        return ptr, self.row_of[order], self.cost[order]


def build_rows(problem: Incidences) -> Rows:
    """Return the rows of a problem that can bind (forced papers are counted like others)."""
    blocks = [_quota_rows(problem), _role_rows(problem)]
    author, role, many, slots, cost, budget, scale = (
        np.concatenate([block[part] for block in blocks]) for part in range(7)
    )
    rows = Rows(
        author,
        role,
        pointers(many),
        problem.paper_of_incidence[slots],
        cost,
        budget,
        scale,
        problem.n_papers,
    )
    for array in (rows.author, rows.role, rows.ptr, rows.paper, rows.cost, rows.budget, rows.scale):
        array.setflags(write=False)
    return rows


def pointers(lengths: NDArray[Any]) -> Ints:
    """Return the row pointers of a CSR structure with these row lengths."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


_Block = tuple[Ints, Ints, Ints, Ints, NDArray[Any], NDArray[Any], NDArray[Any]]


def _quota_rows(problem: Incidences) -> _Block:
    over = problem.total_cost > problem.capacity
    author = np.flatnonzero(over)
    role, many = np.full(len(author), -1, np.int64), problem.degree[author]
    slots = problem.author_slot[over[problem.author_of_slot]]
    if problem.quota.rule == "unit":
        ones = np.ones(len(slots), np.int64)
        return author, role, many, slots, ones, problem.capacity[author], ones[: len(author)]
    classes, exact = problem.cost_class[slots].tolist(), problem.class_cost
    cost: list[int] = []
    budget: list[int] = []
    scale: list[int] = []
    start = 0
    for i, length in zip(author.tolist(), many.tolist(), strict=True):
        used = classes[start : start + length]
        factor = math.lcm(*{Fraction(exact[c]).denominator for c in used})
        scaled = {c: int(exact[c] * factor) for c in set(used)}
        cost += [scaled[c] for c in used]
        budget.append(math.floor((problem.limit_of(i) or 0) * factor))
        scale.append(factor)
        start += length
    small = sum(cost) < INT64_SAFE and sum(scale) < INT64_SAFE
    kind: Any = np.int64 if small else object
    scaled_up = [np.array(values, dtype=kind) for values in (cost, budget, scale)]
    return author, role, many, slots, scaled_up[0], scaled_up[1], scaled_up[2]


def _role_rows(problem: Incidences) -> _Block:
    roles = max(len(problem.effective_role_names), 1)
    most = np.full(roles, len(problem.paper_author) + 1, np.int64)
    for role, limit in problem.limited_roles:
        most[role] = min(limit, len(problem.paper_author) + 1)
    slot = problem.author_slot
    here = problem.effective_role[slot]
    key = problem.author_of_slot * roles + here
    found, inverse, many = np.unique(key, return_inverse=True, return_counts=True)
    full = many > most[found % roles]
    order = np.argsort(inverse, kind="stable")
    slots = slot[order[full[inverse[order]]]]
    rows, ones = found[full], np.ones(len(slots), np.int64)
    budget = most[rows % roles]
    return rows // roles, rows % roles, many[full], slots, ones, budget, ones[: len(rows)]
