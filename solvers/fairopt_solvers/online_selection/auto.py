"""The default method: what the information model allows, with the largest guarantee."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.guarantees import degeneracy_chance
from fairopt.problems.online_selection.matroids import Laminar
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection import laminar as laminar_method
from fairopt_solvers.online_selection.degeneracy import degeneracy
from fairopt_solvers.online_selection.first_fit import first_fit
from fairopt_solvers.online_selection.levels import tight_colours
from fairopt_solvers.online_selection.matchoid import matchoid
from fairopt_solvers.online_selection.oblivious import oblivious
from fairopt_solvers.online_selection.trial import stoppable


@stoppable
def auto(problem: OnlineSelection, run: Run) -> Outcome[Selection]:
    """Choose by what is known before the first arrival.

    ``offline`` if the matroid is known, ``oblivious`` if nothing is; else the one of ``laminar``,
    ``first-fit``, ``matchoid`` and, in random order, ``degeneracy`` that applies and guarantees
    the largest acceptance probability.
    """
    name, outcome = _choose(problem, run)
    note = Note("chosen", f"auto took {name}")
    return replace(outcome, notes=(*outcome.notes, note))


def _choose(problem: OnlineSelection, run: Run) -> tuple[str, Outcome[Selection]]:
    model = problem.information.model
    if model == "known":
        from fairopt_solvers.online_selection.offline import offline

        return "offline", offline(problem, run)
    if model == "oblivious":
        return "oblivious", oblivious(problem, run)
    if not problem.is_matroid:
        return "matchoid", matchoid(problem, run)
    if laminar_method.applies(problem) and _laminar_wins(problem, run):
        return "laminar", laminar_method.laminar(problem, run)
    if _degeneracy_wins(problem, run):
        return "degeneracy", degeneracy(problem, run)
    return "first-fit", first_fit(problem, run)


def _laminar_wins(problem: OnlineSelection, run: Run) -> bool:
    known = knowledge.parameters(problem, run)
    alpha = max(1, known.alpha)
    colours = 2 * alpha - 1 if isinstance(problem.matroid, Laminar) else alpha
    return colours <= tight_colours(known.gamma, known.rank)


def _degeneracy_wins(problem: OnlineSelection, run: Run) -> bool:
    """Compare Lemma 15 with first fit, where alpha is given and the order is random."""
    told = problem.information
    random = told.model == "random" and problem.arrival.model == "random"
    if not random or told.alpha is None or not isinstance(problem.matroid, Graphic):
        return False
    known = knowledge.parameters(problem, run)
    proven = degeneracy_chance(2 * told.alpha - 1)
    return proven is not None and proven > Fraction(1, tight_colours(known.gamma, known.rank))
