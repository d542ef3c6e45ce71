"""A second opinion on what only a solver, or a simulation, stands behind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fairopt import judge, registry
from fairopt.errors import FairoptError
from fairopt.options import typed_options
from fairopt.problem import Problem
from fairopt.solution import Bound, Claim, Infeasible, Solution, Status, encode


class SecondOpinion:
    """Solves once more with another backend, and compares.

    Raises ``UsageError`` at once if the exact method knows no such backend. ``problem`` is set
    when the question is known.
    """

    problem: Problem

    def __init__(
        self, solution: Solution[Any], backend: str, time_limit: float | None, threads: int
    ) -> None:
        self.solution, self.backend = solution, backend
        self.time_limit, self.threads = time_limit, threads
        self._found: Solution[Any] | FairoptError | None = None
        if backend != "simulation":
            row = registry.find_method(solution.problem, "exact")
            known = row.options()
            kept = {k: v for k, v in solution.options.items() if k in known}
            self.options = {**kept, "backend": backend}
            typed_options(row.function(), self.options, what="method exact")

    def of(self, thing: Bound | Claim | Infeasible) -> str:
        """Return what the other backend makes of a solver's claim."""
        other = self._solution()
        if isinstance(other, FairoptError):
            return f"not confirmed ({other})"
        if isinstance(thing, Infeasible):
            if other.answer is not None:
                return f"REFUTED: {self.backend} finds an answer"
            return self._words(thing, other.infeasible)
        if isinstance(thing, Claim):
            return self._of_claim(thing, other)
        return self._of_bound(thing, other)

    def _of_claim(self, claim: Claim, other: Solution[Any]) -> str:
        alike = [c for c in other.claims if (c.name, c.scope) == (claim.name, claim.scope)]
        if not alike:
            return f"not confirmed ({self.backend} makes no such claim)"
        if judge.same(alike[0].value, claim.value):
            return self._words(claim, alike[0])
        return f"REFUTED: {self._name(alike[0])} says {encode(alike[0].value)}"

    def _of_bound(self, bound: Bound, other: Solution[Any]) -> str:
        """Nothing is confirmed beside a better answer; else the two bounds must agree."""
        objective, mine = self.problem.objective, self.solution.value
        if other.value is not None and mine is not None:
            claims_best = self.solution.status is Status.OPTIMAL
            if claims_best and self._clearly_better(other.value, mine):
                return f"REFUTED: {self.backend} finds an answer of value {encode(other.value)}"
            if judge.status_of(other.value, bound, objective) is None:
                return f"REFUTED: {self.backend} finds an answer of value {encode(other.value)}"
        if other.bound is None:
            return "not confirmed in time"
        if self._agree(bound, other.bound):
            return self._words(bound, other.bound)
        name, shown = self._name(other.bound), encode(other.bound.value)
        return f"not confirmed ({name} proves {shown})"

    def _clearly_better(self, one: Any, two: Any) -> bool:
        """Whether a value is better, beyond the noise of floats."""
        if not self.problem.objective.better(one, two):
            return False
        if isinstance(one, float) and isinstance(two, float):
            return abs(one - two) > 1e-9 * max(abs(one), abs(two))
        return True

    def _agree(self, mine: Bound, theirs: Bound) -> bool:
        """Whether the other bound is as strong, up to slacks that decide something."""
        objective = self.problem.objective
        one, two = mine.value, theirs.value
        if one is None or two is None or isinstance(one, tuple) or isinstance(two, tuple):
            if isinstance(one, tuple) and isinstance(two, tuple):
                last = judge.status_of(two[: len(one)], mine, objective)
                return last is Status.OPTIMAL
            return one is two
        slack = min(Fraction(mine.slack), judge.widest_slack(one, objective))
        return abs(Fraction(one) - Fraction(two)) <= slack + Fraction(theirs.slack)

    def _words(self, mine: Bound | Claim | Infeasible, theirs: Any) -> str:
        if theirs is None:
            return "not confirmed in time"
        if theirs.proof != "solver":
            return f"proven by {theirs.proof}, which were recomputed"
        if self._name(theirs) == self._name(mine):
            return "not confirmed (by the same solver)"
        return f"confirmed by {self._name(theirs)}"

    def _name(self, thing: Bound | Claim | Infeasible) -> str:
        return judge.prover(thing.proof, thing.data)

    def _solution(self) -> Solution[Any] | FairoptError:
        """Solve once, with the options of the solution."""
        if self._found is None:
            from fairopt.api import solve

            try:
                self._found = solve(
                    self.problem,
                    "exact",
                    time_limit=self.time_limit,
                    threads=self.threads,
                    **self.options,
                )
            except FairoptError as error:
                self._found = error
        return self._found

    def of_counts(self) -> str:
        """Repeat a simulation with a fresh seed and compare the intervals of all items."""
        import secrets

        from fairopt.api import solve
        from fairopt.simulation import disagreement

        solution = self.solution
        try:
            other = solve(
                self.problem,
                solution.method,
                time_limit=self.time_limit,
                seed=secrets.randbits(32),
                threads=self.threads,
                **solution.options,
            )
        except FairoptError as error:
            return f"not confirmed ({error})"
        if other.answer is None:
            return "not confirmed in time"
        mine = self.problem.answer_from_json(solution.answer_json)
        wrong = disagreement(mine, other.answer)
        return "confirmed by simulation with a fresh seed" if wrong is None else f"REFUTED: {wrong}"
