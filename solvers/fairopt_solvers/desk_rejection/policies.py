"""Policies that venues use or propose, as baselines.

Forced papers: those with ``must_keep`` are placed before all others, those with ``must_reject``
never. Cao et al. (ICML 2025) describe venues that reject excess papers in ID order; whether a
venue gives rejected papers back to their authors' budgets is mostly not published, so both
readings are here (``sequential``, ``rank-cut``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import MethodError
from fairopt.problems.desk_rejection import DeskRejection, KeptPapers
from fairopt.run import Run
from fairopt.solution import Infeasible, Outcome
from fairopt_solvers.desk_rejection.bounds import cheap_bound
from fairopt_solvers.desk_rejection.insertion import View, insert_in
from fairopt_solvers.desk_rejection.presolve import presolve

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def _policy(problem: DeskRejection, keep: Callable[[View], Bools]) -> Outcome[KeptPapers]:
    part = presolve(problem)
    if isinstance(part, Infeasible):
        return Outcome(infeasible=part)
    return Outcome(problem.answer(keep(View.of_problem(problem))), cheap_bound(problem))


def sequential(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep papers in submission order while every author has room."""
    return _policy(problem, lambda view: insert_in(view, problem.policy_order))


def rank_cut(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep a paper if it is among the first that each author's limit allows, without refunds."""
    order = problem.policy_order
    return _policy(problem, lambda view: insert_in(view, order, charge_rejected=True))


def reverse_sequential(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep the latest submissions first."""
    return _policy(problem, lambda view: insert_in(view, problem.policy_order[::-1].copy()))


def random_sequential(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep papers in a random order while every author has room."""
    order = run.rng.permutation(problem.n_papers)
    return _policy(problem, lambda view: insert_in(view, order))


def degree_greedy(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep papers with few over-limit authors first."""
    over = problem.over_limit[problem.paper_author]
    many = np.bincount(problem.paper_of_incidence[over], minlength=problem.n_papers)
    order = np.lexsort((problem.order, many))
    return _policy(problem, lambda view: insert_in(view, order))


def weight_greedy(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Keep heavy papers first: at least 1/Δ of the best weight, Δ the most binding rows of a paper.

    A packing with Δ rows a column is a Δ-extendible system (Mestre 2006), under the unit quota.
    """
    values = sorted(set(problem.weight.num.tolist()), reverse=True)
    rank = {value: k for k, value in enumerate(values)}
    place = np.array([rank[value] for value in problem.weight.num.tolist()], np.int64)
    order = np.lexsort((problem.order, place))
    return _policy(problem, lambda view: insert_in(view, order))


def reject_all_over(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Reject every paper of every over-limit author."""
    over = problem.over_limit[problem.paper_author]
    hit = np.bincount(problem.paper_of_incidence[over], minlength=problem.n_papers) > 0
    kept = (~hit | problem.must_keep) & ~problem.must_reject
    return _policy(problem, lambda view: kept)


def random_per_author(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Let over-limit authors, in random order, drop random papers until they are within it."""
    return _policy(problem, lambda view: _drop(problem, view, run, ranked=False))


def self_nominate(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Let over-limit authors, in random order, drop papers as they rank them.

    An author's ``drop_order`` comes first, papers not in it follow, the latest first.
    """
    return _policy(problem, lambda view: _drop(problem, view, run, ranked=True))


def _drop(problem: DeskRejection, view: View, run: Run, *, ranked: bool) -> Bools:
    """Let each row drop papers in turn: by the authors' ranks, or at random.

    The kernel's int64 view rounds huge quota costs up, so that it may drop a paper too many;
    papers that still fit are then put back, those dropped last first.
    """
    from fairopt_solvers.desk_rejection.kernels import drop_by_author
    from fairopt_solvers.jit import random_state

    small = view.kernel_view()
    rng = run.rng
    author = rng.permutation(problem.n_authors)
    rows = problem.rows
    row_order = np.argsort(author[rows.author], kind="stable")
    choices = _ranked(problem, small) if ranked else small.row_col
    kept = ~problem.must_reject
    state = random_state(int(rng.integers(2**63)))
    scratch = np.empty(problem.n_papers, np.int64)
    stuck = drop_by_author(
        row_order, small.row_ptr, choices, not ranked, *small.columns, kept, scratch, state
    )
    if stuck >= 0:  # presolve has made sure that the must-keep papers fit
        raise MethodError(f"author {problem.author_ids[rows.author[stuck]]} cannot drop enough")
    if view.fits_int64:
        return np.asarray(kept, bool)
    order = np.concatenate(
        [np.flatnonzero(kept), problem.policy_order[~kept[problem.policy_order]]]
    )
    return insert_in(view, order)


def _ranked(problem: DeskRejection, view: View) -> Ints:
    """Return the papers of each row in the order in which its author drops them."""
    late = np.empty(problem.n_papers, np.int64)
    late[problem.policy_order] = np.arange(problem.n_papers)[::-1]
    key = late[view.row_col].astype(np.int64)
    rows = problem.rows
    for k, i in enumerate(rows.author.tolist()):
        wanted = problem.drop_order.get(problem.author_ids[i])
        if wanted:
            place = {paper: r - len(wanted) for r, paper in enumerate(wanted)}
            part = slice(int(view.row_ptr[k]), int(view.row_ptr[k + 1]))
            key[part] = [place.get(j, int(key[part.start + e]))
                         for e, j in enumerate(view.row_col[part].tolist())]  # fmt: skip
    order = np.lexsort((key, rows.row_of))
    return view.row_col[order]
