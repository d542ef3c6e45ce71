"""The default methods: presolve, a heuristic to start from, then the exact method."""

from __future__ import annotations

from dataclasses import replace

from fairopt.problems.desk_rejection import DeskRejection, KeptPapers, ReviewerNomination
from fairopt.problems.desk_rejection.nomination import Nominees
from fairopt.run import Run
from fairopt.solution import Infeasible, Outcome
from fairopt_solvers.desk_rejection import nomination
from fairopt_solvers.desk_rejection.exact import Bools, ideal_claim, solve_open
from fairopt_solvers.desk_rejection.local_search import default_steps, improve
from fairopt_solvers.desk_rejection.presolve import presolve

EASY = 60  # open papers; fewer need no heuristic to start from


def auto(problem: DeskRejection, run: Run) -> Outcome[KeptPapers]:
    """Return a proven optimum if the time allows, else the best answer found and a bound.

    After presolve, sums over papers go to the linear program, which on real data mostly ends
    it. Otherwise local search, for at most 60 % of the time, gives the answer from which
    ``exact`` starts.
    """
    part = presolve(problem)
    if isinstance(part, Infeasible):
        return Outcome(infeasible=part)

    def warm() -> Bools:
        child = run.child("local-search", time_limit=0.6 * run.remaining())
        return improve(part, child, steps=default_steps(part))

    helps = len(part.paper) > EASY
    outcome = solve_open(part, run, backend="highs", warm=warm if helps else None)
    claim = ideal_claim(part, run, backend="highs")
    return replace(outcome, claims=(*outcome.claims, *([claim] if claim else [])))


def auto_nomination(problem: ReviewerNomination, run: Run) -> Outcome[Nominees]:
    """Return an optimum by minimum-cost flow; where time is up, the cheapest with room."""
    if run.expired():
        return nomination.cheapest(problem, run)
    return nomination.exact(problem, run)
