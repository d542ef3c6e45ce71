"""What is decided before any method starts: forced papers, free papers, rows that cannot bind.

Every objective gets no worse when a paper is kept in addition, so a paper without a row that
can bind is kept, and a paper that does not fit alone is rejected. What is left is the open
part; it falls into components that share no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import DeskRejection
from fairopt.problems.desk_rejection.quota import pointers
from fairopt.rational import Exact, add_by
from fairopt.solution import Infeasible

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

OPEN, KEPT, REJECTED = -1, 1, 0


@dataclass(frozen=True, eq=False)
class Open:
    """The open part of an instance, as a packing: open papers are its columns.

    Attributes
    ----------
    state
        Per paper of the instance: ``OPEN``, ``KEPT`` or ``REJECTED``.
    paper
        The open papers, ascending, shape (columns,).
    row
        Position in ``problem.rows`` of each row that can still bind, shape (rows,).
    ptr, col, cost
        CSR rows over the columns with integer costs.
    budget
        What is left of each row's limit after the kept papers.
    """

    problem: DeskRejection
    state: NDArray[np.int8]
    paper: Ints
    row: Ints
    ptr: Ints
    col: Ints
    cost: NDArray[Any]
    budget: NDArray[Any]

    @cached_property
    def row_of(self) -> Ints:
        """The row of each entry, shape (entries,)."""
        return np.repeat(np.arange(len(self.row)), np.diff(self.ptr))

    @cached_property
    def by_column(self) -> tuple[Ints, Ints, NDArray[Any]]:
        """The transpose: pointers over columns, row and cost of each entry, rows ascending."""
        order = np.argsort(self.col, kind="stable")
        count = np.bincount(self.col, minlength=len(self.paper))
        return pointers(count), self.row_of[order], self.cost[order]

    @cached_property
    def component(self) -> Ints:
        """Component of each column, numbered by their first columns, shape (columns,)."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n, m = len(self.paper), len(self.row)
        shape = (n + m, n + m)
        links = coo_array((np.ones(len(self.col)), (self.col, self.row_of + n)), shape=shape)
        label = connected_components(links, directed=False)[1][:n]
        return np.asarray(np.unique(label, return_inverse=True)[1], np.int64)

    def mask(self, kept_columns: Bools) -> Bools:
        """Return the kept papers of the whole instance."""
        out = np.asarray(self.state == KEPT, dtype=bool)
        out[self.paper[kept_columns]] = True
        return out

    def columns(self, mask: Bools) -> Bools:
        """Return the open part of a set of kept papers."""
        return np.asarray(mask[self.paper], dtype=bool)

    def weights(self, weight: Exact) -> Exact:
        """Return the weights of the columns."""
        return weight.take(self.paper)

    def fits(self, kept_columns: Bools) -> Bools:
        """Return which rows these columns keep, decided in integers."""
        used = add_by(self.row_of, np.where(kept_columns[self.col], self.cost, 0), len(self.row))
        return np.asarray(used <= self.budget, dtype=bool)


def presolve(problem: DeskRejection) -> Open | Infeasible:
    """Decide what can be decided without search.

    Returns the open part, or the reason why the papers that must be kept exceed a limit.
    Time: O(incidences) a round; a round decides papers or is the last.
    """
    rows = problem.rows
    state = np.full(problem.n_papers, OPEN, np.int8)
    state[problem.must_keep] = KEPT
    state[problem.must_reject] = REJECTED
    row_of = rows.row_of
    while True:
        here = state[rows.paper]
        used = add_by(row_of, np.where(here == KEPT, rows.cost, 0), len(rows))
        budget = rows.budget - used
        if np.any(over := np.asarray(budget < 0, bool)):
            return _overfull(problem, int(np.argmax(over)))
        wanted = add_by(row_of, np.where(here == OPEN, rows.cost, 0), len(rows))
        binding = np.asarray(wanted > budget, bool)
        entry = (here == OPEN) & binding[row_of]
        too_large = entry & np.asarray(rows.cost > budget[row_of], bool)
        free = state == OPEN
        free[rows.paper[entry]] = False
        if not np.any(free) and not np.any(too_large):
            break
        state[free] = KEPT
        state[rows.paper[too_large]] = REJECTED
    paper = np.flatnonzero(state == OPEN)
    column = np.full(problem.n_papers, -1, np.int64)
    column[paper] = np.arange(len(paper))
    row = np.flatnonzero(binding)
    many = np.bincount(row_of[entry], minlength=len(rows))[row]
    cost, left = rows.cost[entry], budget[row]
    return Open(problem, state, paper, row, pointers(many), column[rows.paper[entry]], cost, left)


def _overfull(problem: DeskRejection, row: int) -> Infeasible:
    """Name the author whose must-keep papers exceed the limit, with the papers as proof."""
    rows = problem.rows
    papers = rows.paper[rows.ptr[row] : rows.ptr[row + 1]]
    kept = [problem.paper_ids[j] for j in papers.tolist() if problem.must_keep[j]]
    author = problem.author_ids[int(rows.author[row])]
    data: dict[str, Any] = {"rule": "must-keep-overfull", "author": author, "papers": kept}
    where = "limit"
    if rows.role[row] >= 0:
        data["role"] = problem.effective_role_names[int(rows.role[row])]
        where = f"limit of role {data['role']}"
    shown = ", ".join(kept[:5]) + (" …" if len(kept) > 5 else "")
    reason = f"author {author} must keep {len(kept)} papers ({shown}), more than the {where} allows"
    return Infeasible(reason, "combinatorial", data)


@dataclass(frozen=True, eq=False)
class Merged:
    """Identical columns taken together: same rows, costs and weight.

    ``first[g]`` is a column of group ``g``, ``many[g]`` how many columns it holds, ``group``
    the group of each column. Within a group the earlier columns are kept first.
    """

    first: Ints
    many: Ints
    group: Ints

    def expand(self, kept_of_group: Ints, order: Ints) -> Bools:
        """Return kept columns from how many are kept of each group, earliest in ``order``."""
        rank = np.lexsort((order, self.group))
        start = pointers(self.many)[:-1]
        position = np.arange(len(rank)) - start[self.group[rank]]
        out = np.zeros(len(rank), bool)
        out[rank] = position < kept_of_group[self.group[rank]]
        return out

    def count(self, kept: Bools) -> Ints:
        """Return how many columns of each group are kept."""
        return np.bincount(self.group[kept], minlength=len(self.first)).astype(np.int64)


def merge(part: Open, weight: Exact, *, enabled: bool = True) -> Merged:
    """Group identical columns (for objectives that are sums over papers)."""
    n = len(part.paper)
    if not enabled:
        every = np.arange(n)
        return Merged(every, np.ones(n, np.int64), every)
    ptr, row, cost = part.by_column
    bounds, rows, costs = ptr.tolist(), row.tolist(), cost.tolist()
    seen: dict[tuple[Any, ...], int] = {}
    group = np.empty(n, np.int64)
    first: list[int] = []
    for j, value in enumerate(weight.num.tolist()):
        a, b = bounds[j], bounds[j + 1]
        key = (value, *rows[a:b], *costs[a:b])
        found = seen.setdefault(key, len(first))
        if found == len(first):
            first.append(j)
        group[j] = found
    many = np.bincount(group, minlength=len(first)).astype(np.int64)
    return Merged(np.array(first, np.int64), many, group)
