"""The default method: a heuristic for a good feed, then the exact method for the proof."""

from __future__ import annotations

from fairopt.problems.jr_ranking import Feed, JrRanking
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.jr_ranking import heuristics
from fairopt_solvers.jr_ranking.exact import concluded, prove, searching
from fairopt_solvers.jr_ranking.improve import improve
from fairopt_solvers.jr_ranking.methods import NEAR
from fairopt_solvers.jr_ranking.question import Question

_SHARE = 0.3  # of the time, for the heuristics


def auto(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Return a proven optimum if the time allows, else the best feed found and a bound.

    Starts from the reserve greedy, improves it as ``swap-search`` does for at most 30 % of the
    time, and ends with the 0/1 programs of ``exact``; all rows of EJR+ go to CP-SAT, which proves
    optima on sparse data that HiGHS does not reach.
    """
    if problem.mode == "ranking":
        from fairopt_solvers.jr_ranking.ranking import exact_ranking

        return exact_ranking(problem, run, backend="highs", form="auto")
    question = Question.of(problem)
    search = searching(problem, question, run, "highs")
    early = run.child("start", time_limit=_SHARE * run.remaining())
    if not search.done:
        start = heuristics.reserve_greedy(question, early)
        if start is not None:
            search.take(start)
    if not search.done:
        improve(search, early, near=NEAR)
    if not search.done:
        prove(search, run, "auto", late="cp-sat")
    return concluded(problem, search)
