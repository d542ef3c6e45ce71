"""Methods that colour arrivals and accept one colour, drawn before the first arrival.

The colours do not depend on the draw, so the probability of an element is that of its colour: one
pass over the arrivals certifies the fairness of the method exactly, without sampling.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import Decision
from fairopt.solution import Bound, Claim, Note, Outcome
from fairopt_solvers.online_selection.trial import Bools, Ints, Trial

Answer = Literal["coloring", "run"]


class Colouring(Trial):
    """A method that colours arrivals; subclasses say how, and with which law a colour is drawn.

    Attributes
    ----------
    rule
        Name of the rule, as the court knows it.
    drawn
        The colour that this run accepts; 0 for none.
    colour
        Colours of the arrivals so far; 0 where none was found or nothing has arrived.
    """

    rule: str

    def __init__(self, problem: OnlineSelection, run: Run, answer: Answer) -> None:
        self.problem, self.answer = problem, answer
        self.n_elements = problem.n_elements
        self.colour = np.zeros(self.n_elements, np.int64)
        self.drawn = 0
        self.toss(run.rng)

    # -- what subclasses say ----------------------------------------------------------------

    @abstractmethod
    def clear(self) -> None:
        """Forget all arrivals."""

    @abstractmethod
    def paint(self, elements: Ints) -> Ints:
        """Return the colours of arrivals in turn; 0 where the method has no colour left."""

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> int:
        """Draw the colour to accept; 0 for none."""

    @abstractmethod
    def law(self) -> list[Fraction]:
        """Return the probabilities of colours 1, 2, … as far as they are needed."""

    def bound(self) -> Bound | None:
        """Return what no method can beat, where the method happens to know it."""
        return None

    def claims(self) -> tuple[Claim, ...]:
        """Return what is proven about every order of arrival."""
        return ()

    def coins(self) -> dict[str, Any]:
        """Return what the court needs to replay a run."""
        return {"rule": self.rule, "color": self.drawn}

    def notes(self, order: Sequence[int]) -> tuple[Note, ...]:
        """Return a note naming the first element, no loop, that found no colour."""
        if self.colour.all():
            return ()
        loops = set(self.problem.loops)
        for e in order:
            if self.colour[e] == 0 and e not in loops:
                name = self.problem.name_of(e)
                text = f"guarantee violated at element {name}: the parameters given are too small"
                return (Note("guarantee-violated", text),)
        return ()

    # -- what follows -----------------------------------------------------------------------

    def toss(self, rng: np.random.Generator) -> None:
        self.clear()
        self.colour[:] = 0
        self.drawn = self.draw(rng)

    def accept(self, elements: Ints) -> Bools:
        found = self.paint(elements)
        self.colour[elements] = found
        out: Bools = (found == self.drawn) & (found > 0)
        return out

    def counts(
        self, runs: int, rng: np.random.Generator, order: Ints | None, expired: Callable[[], bool]
    ) -> tuple[Ints, int]:
        if order is None:
            return super().counts(runs, rng, order, expired)
        self.toss(rng)
        self.accept(order)
        drawn = np.bincount([self.draw(rng) for _ in range(runs)])
        often = np.concatenate([[0], drawn[1:], np.zeros(self.n_elements + 1, np.int64)])
        return often[self.colour].astype(np.int64), runs

    def state(self) -> dict[str, Any]:
        return {"color": self.drawn, "colors_used": int(self.colour.max(initial=0))}

    def finish(self, order: Sequence[int], decisions: Sequence[Decision]) -> Outcome[Selection]:
        notes = self.notes(order)
        if self.answer == "run":
            accepted = [e for e, d in zip(order, decisions, strict=True) if d]
            answer = Selection.single(accepted, order, self.coins())
        else:
            answer = Selection.colors(self.colour, self.law())
        return Outcome(answer, self.bound(), claims=self.claims(), notes=notes)


class UniformColouring(Colouring):
    """A colouring of which one of ``m`` colours is drawn uniformly."""

    m: int

    def draw(self, rng: np.random.Generator) -> int:
        return int(rng.integers(1, self.m + 1))

    def law(self) -> list[Fraction]:
        return [Fraction(1, self.m)] * self.m

    def coins(self) -> dict[str, Any]:
        return {**super().coins(), "colors": self.m}

    def state(self) -> dict[str, Any]:
        return {"colors": self.m, **super().state()}
