"""First fit without any parameter: the oblivious law of Theorem 8 over first-fit colours."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import play
from fairopt.solution import Claim, Note, Outcome
from fairopt_solvers.online_selection import knowledge
from fairopt_solvers.online_selection.colouring import Answer, Colouring
from fairopt_solvers.online_selection.levels import oblivious_cumulative, oblivious_law
from fairopt_solvers.online_selection.placing import placer
from fairopt_solvers.online_selection.trial import Ints, order_of, stoppable


class Oblivious(Colouring):
    """First fit of which colour j is accepted with probability ``1/(0.53453 h(j))``.

    The wrapper of Theorem 8 runs a method for parameter l with probability
    ``l (1/h(l) - 1/h(l+1))``. For first fit the colour of an element is the same for every l, and
    the sum over ``l >= j`` telescopes to 1/h(j): drawing the colour directly is the same law.
    """

    rule = "oblivious"

    def __init__(self, problem: OnlineSelection, run: Run, *, answer: Answer = "coloring") -> None:
        self.levels = placer(problem.matroid, None)
        self.run = run
        super().__init__(problem, run, answer)

    @cached_property
    def _cumulative(self) -> NDArray[np.float64]:
        return oblivious_cumulative(self.n_elements)

    def clear(self) -> None:
        self.levels.clear()

    def paint(self, elements: Ints) -> Ints:
        return self.levels.extend(elements)

    def draw(self, rng: np.random.Generator) -> int:
        """Invert the law; beyond n, a colour that no element can have, nothing is accepted."""
        place = int(np.searchsorted(self._cumulative, rng.random(), side="right"))
        return place + 1 if place < self.n_elements else 0

    def law(self) -> list[Fraction]:
        return oblivious_law(int(self.colour.max(initial=0)))

    def claims(self) -> tuple[Claim, ...]:
        known = knowledge.quick_parameters(self.problem, self.run)
        if known is None:
            return ()
        return (*knowledge.guarantee_of_oblivious(self.problem, known), *known.claims)

    def notes(self, order: Sequence[int]) -> tuple[Note, ...]:
        return ()


@stoppable
def oblivious(
    problem: OnlineSelection, run: Run, *, answer: Answer = "coloring"
) -> Outcome[Selection]:
    """Colour by first fit and accept colour j with a probability that needs no parameter.

    An element of colour j is accepted with probability at least ``1/(0.53453 h(j))`` with
    ``h(j) = 2 (j+2) ln^2(j+2)``; j is at most the number of colours that first fit needs when the
    arboricity and the rank are known (Theorem 8, Corollary 1). The law is stored rounded down to
    multiples of 1e-30. Also for matchoids: there, too, the colour does not depend on the draw.
    """
    return play(Oblivious(problem, run, answer=answer), order_of(problem), run)
