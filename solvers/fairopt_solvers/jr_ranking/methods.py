"""The methods that need no proof of optimality, as the frame calls them."""

from __future__ import annotations

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking import Feed, JrRanking
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.jr_ranking import bounds, heuristics
from fairopt_solvers.jr_ranking.exact import concluded, searching
from fairopt_solvers.jr_ranking.improve import improve, neighbourhood
from fairopt_solvers.jr_ranking.lazy import Search
from fairopt_solvers.jr_ranking.question import Question
from fairopt_solvers.jr_ranking.ranking import RankSearch, Slots

NEAR = 40  # comments by score, and by coverage, that a small 0/1 program may choose from
_STUCK = Note("stuck", "forced and forbidden comments leave the greedy completion no way")


def top_k(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Show the best scores whatever the axiom says, forced comments first, no forbidden ones."""
    from fairopt.problems.jr_ranking.values import top_order

    return Outcome(problem.feed(top_order(problem)), bounds.top_bound(problem))


def greedy_cc(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Show whoever covers most users not yet covered until JR holds, then the best scores.

    In ranking mode in that order, which keeps JR at every prefix (without forced or forbidden
    comments). No answer where those leave the greedy no way.
    """
    question = Question.of(problem)
    found = heuristics.greedy_cc(question)
    if found is None:
        return _none(problem)
    core, selected = found
    order = (*core, *(c for c in selected if c not in core))
    return Outcome(problem.feed(order), bounds.top_bound(problem))


def reserve_greedy(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Show the best scores that leave room for the comments which representation needs.

    A comment is taken if the greedy completion (coverage for JR, the greedy justified candidate
    rule for stronger axioms) still fits behind it. Serves the mode ``set``.
    """
    question = _sets_only(problem, "reserve-greedy")
    selected = heuristics.reserve_greedy(question, run)
    if selected is None:
        return _none(problem)
    return Outcome(problem.feed(selected), bounds.top_bound(problem))


def swap_search(problem: JrRanking, run: Run, *, near: int = NEAR) -> Outcome[Feed]:
    """Improve the reserve greedy by exchanges, by rounding a linear program, by small programs.

    Parameters
    ----------
    near
        How many comments by score, and by coverage, the small 0/1 programs choose from.
    """
    if near < 1:
        raise UsageError("near must be at least 1")
    if problem.mode == "ranking":
        return _improved_ranking(problem, run, near)
    question = Question.of(problem)
    start = heuristics.reserve_greedy(question, run)
    if start is None:
        return _none(problem)
    search = searching(problem, question, run, "highs")
    search.take(start)
    if search.best is None:  # a greedy for JR under an axiom that it does not know
        return Outcome(problem.feed(start), bounds.top_bound(problem))
    improve(search, run, near=near)
    return concluded(problem, search)


def _improved_ranking(problem: JrRanking, run: Run, near: int) -> Outcome[Feed]:
    slots = Slots(problem)
    start = slots.start()
    restricted = Search(slots.question, run, best=tuple(start))
    search = RankSearch(Slots(problem, neighbourhood(restricted, near)), run)
    search.take(start)
    if not search.top_reached():
        search.loop()
    best = start if search.best is None else search.best
    return Outcome(problem.feed(best), search.bound, notes=tuple(dict.fromkeys(search.notes)))


def gjcr(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Show what the greedy justified candidate rule takes, then the best scores: EJR+.

    Brill, Peters, EC 2023. Serves the mode ``set``. No answer where forced and forbidden comments
    leave it no way.
    """
    question = _sets_only(problem, "gjcr")
    found = heuristics.gjcr(question)
    if found is None or question.strongly(found[1]).size:
        return _none(problem)
    return Outcome(problem.feed(found[1]), bounds.top_bound(problem))


def safe_prefix_greedy(problem: JrRanking, run: Run) -> Outcome[Feed]:
    """Show at each position the best score after which coverage can still keep every cutoff.

    In set mode the only cutoff is k. Keeps JR wherever nothing is forced or forbidden.
    """
    slots = Slots(problem)
    return Outcome(problem.feed(slots.start()), bounds.top_bound(problem))


def _sets_only(problem: JrRanking, name: str) -> Question:
    if problem.mode != "set":
        raise UsageError(f"{name} serves the mode set; safe-prefix-greedy serves rankings")
    return Question.of(problem)


def _none(problem: JrRanking) -> Outcome[Feed]:
    return Outcome(bound=bounds.top_bound(problem), notes=(_STUCK,))
