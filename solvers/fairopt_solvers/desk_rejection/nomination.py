"""Reviewer nomination: minimum-cost flow, with prices that prove the optimum.

Papers send one unit each to one of their authors; an author passes on at most the limit, or
more at the soft penalty. The prices of authors are the dual solution: with them no paper would
rather nominate somebody else, and only authors at their limit have one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.desk_rejection import ReviewerNomination
from fairopt.problems.desk_rejection.nomination import Nominees
from fairopt.rational import Exact
from fairopt.run import Run
from fairopt.solution import Bound, Infeasible, Note, Outcome
from fairopt_solvers.backends import LinearModel, max_flow, min_cost_flow, rows, solve

Ints = NDArray[np.int64]

_COARSE = 2**40  # a unit of cost, where exact costs are too large for a flow


def exact(
    problem: ReviewerNomination,
    run: Run,
    *,
    backend: Literal["flow", "highs", "cp-sat", "cbc"] = "flow",
) -> Outcome[Nominees]:
    """Return nominees with the fewest expected rejections, with prices as proof.

    Parameters
    ----------
    backend
        ``flow`` is the minimum-cost flow (its linear program is integral); the others solve
        the same assignment as a 0/1 program.
    """
    if problem.n_papers == 0 or not limited(problem):
        return Outcome(problem.answer(cheapest_authors(problem)), cheapest_bound(problem))
    if problem.soft_penalty is None and (reason := overfull(problem, run)) is not None:
        return Outcome(infeasible=reason)
    if run.expired():
        return Outcome(bound=cheapest_bound(problem))
    author, words = (_flow if backend == "flow" else _program)(problem, run, backend)
    if author is None:
        return Outcome(bound=cheapest_bound(problem))
    answer = problem.answer(author)
    bound = prices_bound(problem, author)
    value = problem.check(answer).value
    if bound.value != value and words:
        bound = Bound(Fraction(value), "solver", {"backend": words})  # type: ignore[arg-type]
    return Outcome(answer, bound)


def cheapest(problem: ReviewerNomination, run: Run) -> Outcome[Nominees]:
    """Return what the papers get when they choose in file order, each the cheapest with room.

    Ties go to the author listed first. Without limits this is optimal; with a soft penalty an
    author beyond the limit costs the penalty more. Under hard limits papers may be left over.
    """
    chance = problem.p_irresponsible.to_list()
    left = problem.capacity.tolist()
    ptr, who = problem.paper_ptr.tolist(), problem.paper_author.tolist()
    author = np.zeros(problem.n_papers, np.int64)
    for j in range(problem.n_papers):
        best: tuple[Any, int] | None = None
        for i in who[ptr[j] : ptr[j + 1]]:
            cost = chance[i]
            if left[i] <= 0:
                if problem.soft_penalty is None:
                    continue
                cost += problem.soft_penalty
            if best is None or cost < best[0]:
                best = (cost, i)
        if best is None:
            reason = overfull(problem, run)
            stuck = Note("stuck", f"no author of paper {problem.paper_ids[j]} has room left")
            return Outcome(bound=cheapest_bound(problem), infeasible=reason, notes=(stuck,))
        author[j] = best[1]
        left[best[1]] -= 1
    return Outcome(problem.answer(author), cheapest_bound(problem))


def limited(problem: ReviewerNomination) -> bool:
    """Return whether a limit can bind."""
    load = np.bincount(cheapest_authors(problem), minlength=problem.n_authors)
    return bool(np.any(load > problem.capacity))


def cheapest_authors(problem: ReviewerNomination) -> Ints:
    """Return each paper's most reliable author, the first listed among equals."""
    num = problem.p_irresponsible.num
    order = np.lexsort((np.arange(len(problem.paper_author)), _ranks(num)[problem.paper_author],
                        problem.paper_of_incidence))  # fmt: skip
    return problem.paper_author[order[problem.paper_ptr[:-1]]]


def _ranks(num: NDArray[Any]) -> Ints:
    """Return the rank of each number among the distinct ones (also of big integers)."""
    place = {v: k for k, v in enumerate(sorted(set(num.tolist())))}
    return np.array([place[v] for v in num.tolist()], np.int64)


def cheapest_bound(problem: ReviewerNomination) -> Bound:
    """Return the bound without limits."""
    data = {"rule": "cheapest-nominees"}
    return Bound(problem.recompute(data), "combinatorial", data)


def overfull(problem: ReviewerNomination, run: Run) -> Infeasible | None:
    """Return a set of papers whose authors have too little room together, or None."""
    m, n = problem.n_papers, problem.n_authors
    source, sink = m + n, m + n + 1
    tail = np.concatenate([np.full(m, source), problem.paper_of_incidence, m + np.arange(n)])
    head = np.concatenate([np.arange(m), m + problem.paper_author, np.full(n, sink)])
    one = np.ones(len(problem.paper_author) + m, np.int64)
    capacity = np.concatenate([one, problem.capacity])
    result = max_flow(tail, head, capacity, source, sink, run, nodes=m + n + 2)
    if result.source_side is None or result.value == m:
        return None
    papers = [problem.paper_ids[j] for j in np.flatnonzero(result.source_side[:m]).tolist()]
    authors = np.unique(problem.paper_author[result.source_side[:m][problem.paper_of_incidence]])
    room = int(problem.capacity[authors].sum())
    reason = f"{len(papers)} papers have {len(authors)} authors, who may take {room} nominations"
    return Infeasible(reason, "combinatorial", {"rule": "hall-violator", "papers": papers})


def _costs(problem: ReviewerNomination) -> tuple[Exact, int | None]:
    """Return costs per author and the penalty, both in units of 1/den."""
    penalty = problem.soft_penalty
    both = problem.p_irresponsible.to_list() + ([] if penalty is None else [penalty])
    scaled = Exact.of(both)
    n = problem.n_authors
    return Exact(scaled.num[:n], scaled.den), None if penalty is None else int(scaled.num[n])


def _flow(problem: ReviewerNomination, run: Run, _: str) -> tuple[Ints | None, str]:
    m, n = problem.n_papers, problem.n_authors
    cost, penalty = _costs(problem)
    num = cost.num
    exactly = True
    if num.dtype == object or (penalty or 0) >= 2**40 or int(num.max()) * (m + 1) >= 2**60:
        exactly = False  # what the flow finds is then best only nearly
        top = max(int(num.max()), penalty or 0)
        num = np.array([int(v) * _COARSE // top for v in num.tolist()], np.int64)
        penalty = None if penalty is None else penalty * _COARSE // top
    sink = m + n
    tail = [problem.paper_of_incidence, m + np.arange(n)]
    head = [m + problem.paper_author, np.full(n, sink)]
    capacity = [np.ones(len(problem.paper_author), np.int64), problem.capacity]
    price = [num[problem.paper_author], np.zeros(n, np.int64)]
    if penalty is not None:
        tail.append(m + np.arange(n))
        head.append(np.full(n, sink))
        capacity.append(np.full(n, m))
        price.append(np.full(n, penalty))
    supply = np.concatenate([np.ones(m, np.int64), np.zeros(n, np.int64), [-m]])
    result = min_cost_flow(
        np.concatenate(tail), np.concatenate(head), np.concatenate(capacity),
        np.concatenate(price), supply, run,
    )  # fmt: skip
    if result.flow is None:
        return None, result.backend
    used = result.flow[: len(problem.paper_author)] > 0
    return problem.paper_author[used], result.backend if exactly else ""


def _program(problem: ReviewerNomination, run: Run, backend: str) -> tuple[Ints | None, str]:
    many, n = len(problem.paper_author), problem.n_authors
    cost, penalty = _costs(problem)
    each = np.arange(many)
    soft = penalty is not None
    beyond = many + np.arange(n)
    objective = [cost.num[i] for i in problem.paper_author.tolist()] + (
        [penalty] * n if soft else []
    )
    limit = rows(
        np.concatenate([problem.paper_author, np.arange(n)]) if soft else problem.paper_author,
        np.concatenate([each, beyond]) if soft else each,
        np.concatenate([np.ones(many), -np.ones(n)]) if soft else 1,
        upper=problem.capacity.astype(np.float64),
        count=n,
    )
    one = rows(problem.paper_of_incidence, each, 1, lower=1, upper=1, count=problem.n_papers)
    upper = np.concatenate([np.ones(many), np.full(n if soft else 0, float(problem.n_papers))])
    model = LinearModel.build([int(v) for v in objective], one, limit, upper=upper)
    result = solve(model, run, backend=backend)
    if result.x is None:
        return None, result.backend
    claimed = result.backend if result.status == "optimal" else ""
    return problem.paper_author[result.x[:many] > 0.5], claimed


def prices_bound(problem: ReviewerNomination, author: Ints) -> Bound:
    """Return the bound of the least prices under which nobody would change the nominee.

    Bellman-Ford in integers: if paper j nominates i, then ``p_i + u_i <= p_k + u_k`` for each
    other author k. At an optimum the rounds end; otherwise the prices prove less, or nothing.
    """
    cost, penalty = _costs(problem)
    num = cost.num.astype(object)
    load = np.bincount(author, minlength=problem.n_authors)
    u = np.zeros(problem.n_authors, object)
    if penalty is not None:
        u[load > problem.capacity] = penalty
    chosen = author[problem.paper_of_incidence]
    for _ in range(problem.n_authors + 1):
        needed = u[chosen] + num[chosen] - num[problem.paper_author]
        raised = u.copy()
        np.maximum.at(raised, problem.paper_author, needed)
        if np.array_equal(raised, u):
            break
        u = raised
    if penalty is not None:
        u = np.minimum(u, penalty)
    price = {
        name: str(Fraction(int(v), cost.den))
        for name, v in zip(problem.author_ids, u.tolist(), strict=True)
        if v
    }
    data = {"rule": "nomination-prices", "u": price}
    bound, plain = Bound(problem.recompute(data), "multipliers", data), cheapest_bound(problem)
    return bound if bound.value >= plain.value else plain  # type: ignore[operator]
