"""First-fit colouring: Algorithm 1 of Banihashem, Hajiaghayi and Mittal (NeurIPS 2025)."""

from __future__ import annotations

from typing import Literal

from fairopt.errors import UsageError
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import play
from fairopt.solution import Bound, Claim, Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.colouring import Answer, UniformColouring
from fairopt_solvers.online_selection.levels import paper_colours, tight_colours
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.trial import Ints, order_of, stoppable

HowMany = Literal["tight", "paper", "order"]


class FirstFit(UniformColouring):
    """Colour every arrival with the least colour in which it stays independent.

    Every class is a base of what the lower classes left over, so it takes at least a 1/alpha
    share of it; after ``m`` classes nothing is left. Each element is accepted with probability
    exactly 1/m, whatever the order. Spans of the classes are nested, so the colour is found with
    O(log m) independence queries.
    """

    rule = "first-fit"

    def __init__(
        self,
        problem: OnlineSelection,
        run: Run,
        *,
        m: HowMany = "tight",
        answer: Answer = "coloring",
    ) -> None:
        self._serve(problem)
        self.how = m
        if m == "order":
            if problem.arrival.model != "fixed":
                raise UsageError("m = order needs a fixed order of arrival")
            self.m = max(1, int(placer(problem.matroid, None).extend(problem.order).max(initial=0)))
        else:
            self.known = knowledge.parameters(problem, run)
            self.m = self._enough(self.known)
        self.levels = placer(problem.matroid, self.m)
        super().__init__(problem, run, answer)

    def _serve(self, problem: OnlineSelection) -> None:
        if not problem.is_matroid:
            raise UsageError("first-fit is for matroids; a matchoid takes the method matchoid")

    def _enough(self, known: knowledge.Parameters) -> int:
        """Return the number of colours that is enough for every order."""
        if self.how == "paper":
            return paper_colours(known.alpha, known.rank)
        return tight_colours(known.gamma, known.rank)

    def clear(self) -> None:
        self.levels.clear()

    def paint(self, elements: Ints) -> Ints:
        return self.levels.extend(elements)

    def bound(self) -> Bound | None:
        return None if self.how == "order" else self.known.bound

    def claims(self) -> tuple[Claim, ...]:
        if self.how == "order":
            return ()
        proven = knowledge.guarantee_of_colours(self.problem, self.known, self.how, self.m)
        return (*proven, *self.known.claims)


@stoppable
def first_fit(
    problem: OnlineSelection, run: Run, *, m: HowMany = "tight", answer: Answer = "coloring"
) -> Outcome[Selection]:
    """Colour by first fit and accept one of m colours (Theorem 10).

    Parameters
    ----------
    m
        Number of colours: ``tight`` counts level by level how many can be needed, ``paper`` is
        ``ceil(alpha (ln k + 1))``, ``order`` is the number used on the fixed order of the
        instance (the guarantee then holds for that order only).
    answer
        ``coloring``: colours and law, which certify every probability; ``run``: what one run
        accepts.
    """
    return play(FirstFit(problem, run, m=m, answer=answer), order_of(problem), run)
