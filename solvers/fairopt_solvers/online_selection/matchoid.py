"""First fit on p-matchoids: Algorithm 4 of Banihashem, Hajiaghayi and Mittal (NeurIPS 2025)."""

from __future__ import annotations

from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import play
from fairopt.solution import Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.colouring import Answer
from fairopt_solvers.online_selection.first_fit import FirstFit, HowMany
from fairopt_solvers.online_selection.levels import paper_colours, tight_colours
from fairopt_solvers.online_selection.trial import order_of, stoppable


class MatchoidFirstFit(FirstFit):
    """First fit with one level after the other: in a matchoid spans are not nested.

    A level is a maximal feasible subset of what the lower ones left over, hence at least 1/p of a
    largest one, which is at least a ``1/beta`` share of it.
    """

    def _serve(self, problem: OnlineSelection) -> None:
        """Serve matroids, too: they are 1-matchoids."""

    def _enough(self, known: knowledge.Parameters) -> int:
        count = paper_colours if self.how == "paper" else tight_colours
        return count(known.gamma, known.rank, known.p)


@stoppable
def matchoid(
    problem: OnlineSelection, run: Run, *, m: HowMany = "tight", answer: Answer = "coloring"
) -> Outcome[Selection]:
    """Colour a p-matchoid by first fit and accept one of m colours (Theorem 17).

    Each element is accepted with probability exactly 1/m, for every order. Also for matroids,
    which are 1-matchoids.

    Parameters
    ----------
    m
        ``paper`` is ``ceil(beta (p ln k + 1))``, ``tight`` counts level by level (the counting is
        ours), ``order`` is the number used on the fixed order of the instance.
    answer
        ``coloring`` or ``run``, as for first-fit.
    """
    return play(MatchoidFirstFit(problem, run, m=m, answer=answer), order_of(problem), run)
