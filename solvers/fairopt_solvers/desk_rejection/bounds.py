"""Bounds that need no search, each with a certificate that the court recomputes."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt.problems.desk_rejection import DeskRejection
from fairopt.rational import add_by
from fairopt.solution import Bound

WIPE_OUT = ("worst-case", "worst-then-average", "leximin", "wiped")


def cheap_bound(problem: DeskRejection) -> Bound:
    """Return the better of the losses that limits force on single authors, and a wipe-out."""
    bounds = [_bound(problem, {"rule": "excess"})]
    if problem.objective.name in WIPE_OUT and (data := forced_wipe_out(problem)):
        bounds.append(_bound(problem, data))
    best = bounds[0]
    for other in bounds[1:]:
        if problem.objective.better(best.value, other.value):
            best = other
    return best


def _bound(problem: DeskRejection, data: dict[str, Any]) -> Bound:
    return Bound(problem.recompute(data), "combinatorial", data)


def forced_wipe_out(problem: DeskRejection) -> dict[str, Any] | None:
    """Return the certificate of a forced wipe-out, the largest one found, or None.

    An over-limit author with more papers than the limit allows, each with another author who
    has no other paper: somebody loses everything whatever is done.
    """
    rows = problem.rows
    if not len(rows):
        return None
    only = problem.degree[problem.paper_author] == 1
    carries = np.bincount(problem.paper_of_incidence[only], minlength=problem.n_papers) > 0
    used = add_by(rows.row_of, np.where(carries[rows.paper], rows.cost, 0), len(rows))
    over = (used - rows.budget) / rows.scale
    k = int(np.argmax(over))
    if over[k] <= 0:
        return None
    papers = rows.paper[rows.ptr[k] : rows.ptr[k + 1]]
    author = problem.author_ids[int(rows.author[k])]
    named = [problem.paper_ids[j] for j in papers[carries[papers]].tolist()]
    data: dict[str, Any] = {"rule": "forced-wipe-out", "author": author, "papers": named}
    if rows.role[k] >= 0:
        data["role"] = problem.effective_role_names[int(rows.role[k])]
    return data
