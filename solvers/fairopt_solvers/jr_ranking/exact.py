"""The method ``exact``: the best score under the axiom, with a proof or the best bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking import Feed, JrRanking
from fairopt.run import Run
from fairopt.solution import Claim, Outcome
from fairopt_solvers.jr_ranking import bounds, heuristics
from fairopt_solvers.jr_ranking.heuristics import Selected
from fairopt_solvers.jr_ranking.justifying import justifying_claim
from fairopt_solvers.jr_ranking.lazy import Search
from fairopt_solvers.jr_ranking.question import Question

Backend = Literal["highs", "cp-sat", "cbc"]
Form = Literal["auto", "lazy", "compact"]
_LAZY_ROUNDS = 12  # of 0/1 programs before all rows are written down


def exact(
    problem: JrRanking, run: Run, *, backend: Backend = "highs", form: Form = "auto"
) -> Outcome[Feed]:
    """Return a best feed, or the best one found when the time is up, with a bound.

    Parameters
    ----------
    backend
        Who solves the 0/1 programs. With HiGHS a linear program comes first, whose exact
        multipliers decide most comments.
    form
        ``lazy``: a program over the comments, cuts added where an axiom is broken. ``compact``:
        all rows of the axiom (``jr``, ``ejr+``, and rankings) at once. ``auto``: lazy, and
        compact if that does not end soon.
    """
    if problem.mode == "ranking":
        from fairopt_solvers.jr_ranking.ranking import exact_ranking

        return exact_ranking(problem, run, backend=backend, form=form, justifying=True)
    if form == "compact" and problem.axiom not in ("jr", "ejr+"):
        raise UsageError(f"the compact form is for jr and ejr+, not {problem.axiom}")
    question = Question.of(problem)
    search = searching(problem, question, run, backend)
    if not search.done:
        start = heuristics.reserve_greedy(question, run.child("start"))
        if start is not None:
            search.take(start)
    if not search.done:
        prove(search, run, form)
    claim = justifying_claim(problem, question, run)
    return concluded(problem, search, *([claim] if claim else []))


def searching(problem: JrRanking, question: Question, run: Run, backend: str) -> Search:
    """Return a search that offers what it finds, as far as the court can check it alone.

    The best scores come first: where they keep the axiom, nothing is left to do.
    """
    den = question.scores.den

    def offer(selected: Selected, total: int) -> None:
        if problem.axiom in ("ejr", "pjr") and question.strongly(selected).size:
            return  # needs the claim of an audit beside it
        run.offer(problem.feed(selected), float(Fraction(total, den)))

    search = Search(question, run, backend, offer)
    if problem.axiom not in ("ejr", "pjr"):  # those take a search of their own to decide
        search.add(search.take(question.top) or [])
    return search


def prove(search: Search, run: Run, form: str, *, late: str | None = None) -> None:
    """Search until the best selection is proven best or the time is up.

    ``late`` names the backend that gets all rows of EJR+ after half of the time at the latest;
    otherwise they go to the backend of the search, after some rounds of cuts.
    """
    linear = search.backend == "highs" and form != "compact" and search.dual is None
    if linear and search.question.axiom != "none":
        search.root(run)
    complete = form == "compact"
    rows_to = late if form == "auto" and search.question.axiom == "ejr+" else None
    lazy = run.child("cuts", time_limit=run.remaining() / 2) if rows_to else run
    while not (search.done or complete or search.undecided or lazy.expired()):
        if not search.step(lazy):
            break
        many = search.rounds >= _LAZY_ROUNDS
        complete = form == "auto" and many and search.question.axiom in ("jr", "ejr+")
    if (complete or (rows_to and not run.expired())) and not search.done:
        from fairopt_solvers.jr_ranking.compact import solve_compact

        solve_compact(search, run, backend=rows_to or search.backend)


def concluded(problem: JrRanking, search: Search, *claims: Claim) -> Outcome[Feed]:
    """Return what a search came to."""
    notes = tuple(dict.fromkeys(search.notes))
    if search.infeasible:
        return Outcome(infeasible=bounds.infeasibility(problem, search.backends), notes=notes)
    bound = bounds.best_bound(problem, search)
    if search.best is None:
        return Outcome(bound=bound, claims=claims, notes=notes)
    claims = (*kept_claims(search, search.best), *claims)
    feed, offered = problem.feed(search.best), search.run.offered
    answer = offered if offered == feed else feed  # one object is checked once
    return Outcome(answer, bound, claims, notes=notes)


def kept_claims(search: Search, selected: Selected) -> tuple[Claim, ...]:
    """Return the claim that a selection keeps EJR or PJR, which not every court can decide.

    None where EJR+ holds, which anybody can count.
    """
    question = search.question
    if question.axiom not in ("ejr", "pjr") or not question.strongly(selected).size:
        return ()
    from fairopt_solvers.backends import version

    data = {"backend": version("highs"), "selected": sorted(selected)}
    return (Claim(question.axiom, True, "solver", data),)
