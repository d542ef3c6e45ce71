"""Verify a solution again, from the instance and the solution alone.

No solver and no Numba takes part, except where ``confirm`` asks a second backend about a claim
that only a solver stands behind.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fairopt import files, judge, registry
from fairopt.confirmation import SecondOpinion
from fairopt.errors import FairoptError, InstanceError, UnknownMethod
from fairopt.problem import Check, Problem
from fairopt.solution import (
    Bound,
    Claim,
    Infeasible,
    Solution,
    Status,
    as_float,
    encode,
    encode_mapping,
)
from fairopt.solution_file import load_solution

VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class Report:
    """What verification found: the question, and a verdict for each claim.

    ``claims`` holds pairs (claim, verdict); a verdict begins with ``verified``, ``claimed by``
    or ``REFUTED``. ``ok`` is true if nothing is refuted.
    """

    question: tuple[str, ...]
    claims: tuple[tuple[str, str], ...]

    @property
    def ok(self) -> bool:
        return not any(verdict.startswith("REFUTED") for _, verdict in self.claims)

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "question": list(self.question),
            "claims": [{"claim": c, "verdict": v} for c, v in self.claims],
        }


def verify(
    problem: Problem | str | os.PathLike[str] | Mapping[str, Any],
    solution: Solution[Any] | str | os.PathLike[str],
    confirm: str | None = None,
    *,
    time_limit: float | None = None,
    threads: int = 1,
    max_bytes: int = files.MAX_BYTES,
) -> Report:
    """Check every claim of a solution against its instance.

    Parameters
    ----------
    problem
        The instance; a path is read the way the solution says, with the fields that it set.
    solution
        A solution or the path of its file.
    confirm
        A backend (``cbc``) that solves again whatever only a solver's word supports.
    time_limit, threads
        For ``confirm``.

    Raises
    ------
    InstanceError
        When a file cannot be read at all; what can be read and is wrong is reported as REFUTED.
    """
    found = solution if isinstance(solution, Solution) else load_solution(solution)
    if isinstance(problem, Problem):
        loaded = problem
    else:
        loaded = as_asked(problem, found, max_bytes=max_bytes)
    return _Court(loaded, found, confirm, time_limit, threads).report()


def as_asked(
    source: str | os.PathLike[str] | Mapping[str, Any],
    solution: Solution[Any],
    *,
    max_bytes: int | None = None,
) -> Problem:
    """Read an instance with the reader options and settings that a solution stores."""
    origin = solution.origin
    read = {k: v for k, v in origin.read.items() if k not in ("format", "problem")}
    for key, given in (("read", read), ("set", origin.set)):
        if hidden := given.keys() & {"objective", "problem", "source", "max_bytes"}:
            raise InstanceError(f"instance.{key}.{min(hidden)}", "has no place in a solution")
    if isinstance(source, Mapping):
        return files.load(source, solution.problem).replace(**origin.set)
    limit = max_bytes or files.MAX_BYTES
    loaded = files.load(source, solution.problem, max_bytes=limit, **read)
    return loaded.replace(**origin.set) if origin.set else loaded


class _Court:
    """One verification: collects (claim, verdict) pairs."""

    def __init__(
        self,
        problem: Problem,
        solution: Solution[Any],
        confirm: str | None,
        time_limit: float | None,
        threads: int,
    ) -> None:
        self.problem, self.solution = problem, solution
        self.claims: list[tuple[str, str]] = []
        self.second = None
        if confirm is not None:
            self.second = SecondOpinion(solution, confirm, time_limit, threads)

    def say(self, claim: str, wrong: str | None, verdict: str = VERIFIED) -> None:
        self.claims.append((claim, verdict if wrong is None else f"REFUTED: {wrong}"))

    def report(self) -> Report:
        question = self._question()
        if self._same_question() and self._well_shaped():
            self._judge()
        return Report(question, tuple(self.claims))

    def _question(self) -> tuple[str, ...]:
        stored = self.solution.origin
        lines = [f"problem {self.solution.problem}, objective {self.solution.objective}"]
        for key, value in stored.set.items():
            shown = value if isinstance(value, str) else str(encode(value))
            lines.append(f"{key} = {shown}, set by the solution, not in the file")
        for key, value in stored.read.items():
            if key not in ("problem", "format"):
                lines.append(f"{key} = {value}, option of the reader")
        return tuple(lines)

    def _same_question(self) -> bool:
        solution, problem = self.solution, self.problem
        if solution.problem != problem.problem:
            self.say("problem", f"the instance is a {problem.problem}, not {solution.problem}")
            return False
        if solution.objective not in type(problem).objectives:
            self.say("objective", f"{problem.problem} has no objective {solution.objective!r}")
            return False
        try:
            self.problem = problem = problem.replace(objective=solution.objective)
            if self.second is not None:
                self.second.problem = problem
        except InstanceError as error:
            self.say("objective", str(error))
            return False
        try:
            registry.find_method(problem.problem, solution.method)
        except UnknownMethod as error:
            self.say("method", str(error))
        mine, theirs = problem.digest(), solution.origin.digest
        self.say("instance", None if mine == theirs else f"its digest is {mine}, not {theirs}")
        for name, digest in problem.meta.origin.files.items():
            stored = solution.origin.files.get(name)
            self.say(f"file {name}", None if digest == stored else "its digest differs")
        return mine == theirs

    def _well_shaped(self) -> bool:
        """Refuse what no arithmetic can be done with before any is done."""
        solution, objective = self.solution, self.problem.objective
        bound = solution.bound
        wrong = []
        if solution.value is not None and judge.misshapen(solution.value, objective):
            wrong.append(("value", f"{encode(solution.value)} is no value of {objective.name}"))
        null = bound is not None and bound.value is None  # a proof has to show it
        if bound is not None and not null and judge.misshapen(bound.value, objective):
            wrong.append(("bound", f"{encode(bound.value)} is no value of {objective.name}"))
        if bound is not None and (not _finite(bound.slack) or _clash(bound, solution)):
            wrong.append(("bound", "its slack or its shape does not fit the value"))
        for claim, why in wrong:
            self.say(claim, why)
        return not wrong

    def _judge(self) -> None:
        solution = self.solution
        check, relaxed, broken = Check(), False, None
        if solution.answer_json is not None:
            check, relaxed, broken = self._answer()
            if broken is None:
                value = None if check.value is None else self.problem.objective.coerce(check.value)
                same = judge.same(value, solution.value, self.problem.objective)
                wrong = None if same else f"it is {encode(value)}"
                self.say("value", wrong, self._value_words(check))
        elif solution.value is not None or solution.figures:
            self.say("value", "there is no answer that it could belong to")
        bad = self._bound()
        self._status(relaxed, broken is not None or bad)
        self._ratio(relaxed)
        if solution.answer_json is not None and broken is None:
            self._figures(check)
        if solution.infeasible is not None:
            self._proof("infeasible", solution.infeasible)
        for claim in solution.claims:
            self._proof(f"{claim.name} = {encode(claim.value)}", claim)
        self._floats()

    def _answer(self) -> tuple[Check, bool, str | None]:
        """Judge the answer itself; returns its check, if it relaxes rules, what refutes it."""
        problem, solution = self.problem, self.solution
        try:
            answer = problem.answer_from_json(solution.answer_json)
            claims = judge.usable_claims(problem, solution.claims)
            check = problem.check(answer, claims, figures="all")
        except InstanceError as error:
            self.say("answer", str(error))
            return Check(), False, str(error)
        relaxes: tuple[str, ...] = ()
        if check.violations:
            try:
                relaxes = registry.find_method(problem.problem, solution.method).relaxes
            except FairoptError:
                relaxes = ()
        unlawful = [v for v in check.violations if v.rule not in relaxes]
        if unlawful:
            self.say("answer", f"it breaks {unlawful[0]}")
            return check, False, str(unlawful[0])
        if not check.violations:
            self.say("answer", None, "verified: it keeps every rule")
            return check, False, None
        note = judge.relaxed_note(set(relaxes), list(check.violations))
        stated = any(n.code == "relaxes" for n in solution.notes)
        self.say(
            "answer",
            None if stated else f"it {note.text}, which the solution does not say",
            f"verified: it {note.text}, as its method does by design",
        )
        return check, True, None

    def _value_words(self, check: Check) -> str:
        """A confidence limit follows from counts, which are themselves only claimed."""
        if check.basis != "simulation":
            return VERIFIED
        verdict = "claimed by simulation, the limit follows from its counts"
        if self.second is None or self.second.backend != "simulation":
            return verdict
        opinion = self.second.of_counts()
        return opinion if opinion.startswith("REFUTED") else f"{verdict}; {opinion}"

    def _bound(self) -> bool:
        bound = self.solution.bound
        if bound is None:
            return False
        why = judge.refutation(self.problem, bound)
        if why is None and _negative(bound.slack):
            why = "its slack is negative"
        verdict = self._verdict(bound)
        self.say(f"bound {encode(bound.value)}", why, verdict)
        return why is not None or verdict.startswith("REFUTED")

    def _proof(self, claim: str, thing: Claim | Infeasible) -> None:
        why = judge.refutation(self.problem, thing)
        self.say(claim, why, self._verdict(thing))

    def _verdict(self, thing: Bound | Claim | Infeasible) -> str:
        if thing.proof != "solver":
            rule = thing.data.get("rule", thing.proof)
            return f"verified: recomputed from the instance ({rule})"
        verdict = f"claimed by {judge.prover(thing.proof, thing.data)}"
        if isinstance(thing, Bound) and thing.slack:
            verdict += f", to within {as_float(thing.slack):.1g}"
        if self.second is None or self.second.backend == "simulation":
            return verdict
        opinion = self.second.of(thing)
        return opinion if opinion.startswith("REFUTED") else f"{verdict}; {opinion}"

    # -- what follows -----------------------------------------------------------------------

    def _status(self, relaxed: bool, broken: bool) -> None:
        solution, objective = self.solution, self.problem.objective
        if solution.answer_json is None:
            reason = solution.infeasible
            if reason is not None and judge.refutation(self.problem, reason) is None:
                derived: Status | None = Status.INFEASIBLE
            else:
                derived = Status.UNKNOWN
        elif broken:
            self.say(f"status {solution.status}", "it rests on something refuted")
            return
        else:
            bound = None if relaxed else solution.bound
            derived = judge.status_of(solution.value, bound, objective)
        wrong = None if derived is solution.status else f"it follows that it is {derived}"
        if derived is None:
            wrong = "the value is better than the bound"
        self.say(f"status {solution.status}", wrong, self._status_words(solution))

    def _status_words(self, solution: Solution[Any]) -> str:
        on = solution.bound if solution.status is Status.OPTIMAL else solution.infeasible
        if on is not None and on.proof == "solver":
            return f"verified, given what {judge.prover(on.proof, on.data)} claims"
        return VERIFIED

    def _ratio(self, relaxed: bool) -> None:
        solution = self.solution
        derived = (
            None
            if relaxed
            else judge.ratio_of(solution.value, solution.bound, self.problem.objective)
        )
        if solution.status is Status.OPTIMAL:
            derived = 1
        stated = solution.ratio
        if derived is None or stated is None:
            same = derived is None and stated is None
        else:
            same = as_float(derived) == as_float(stated)
        if stated is not None or derived is not None:
            shown = None if derived is None else as_float(derived)
            self.say("ratio", None if same else f"it is {shown}")

    def _figures(self, check: Check) -> None:
        wrong = []
        mine = encode_mapping(check.figures)
        for name, value in encode_mapping(self.solution.figures).items():
            if name not in mine:
                wrong.append(f"there is no figure {name!r}")
            elif not judge.same(mine[name], value, self.problem.objective):
                wrong.append(f"{name} is {mine[name]}, not {value}")
        few = self.problem.check(self.problem.answer_from_json(self.solution.answer_json)).figures
        missing = [name for name in few if name not in self.solution.figures]
        wrong += [f"{name} is missing" for name in missing]
        count = len(self.solution.figures)
        self.say("figures", "; ".join(wrong[:3]) if wrong else None, f"verified: all {count}")

    def _floats(self) -> None:
        """The floats beside exact texts in the file say the same."""
        raw = self.solution.raw
        if raw is not None and (path := _float_mismatch(raw, self.solution.to_json(), "")):
            self.say("floats", f"{path} does not match the exact number beside it")


def _finite(slack: Any) -> bool:
    if isinstance(slack, float):
        return math.isfinite(slack)
    return isinstance(slack, int | Fraction)


def _clash(bound: Bound, solution: Solution[Any]) -> bool:
    """Return whether one is a tuple of tuples and the other a tuple of numbers."""
    shapes = {
        isinstance(value[0], tuple)
        for value in (bound.value, solution.value)
        if isinstance(value, tuple) and value
    }
    return len(shapes) > 1


def _negative(slack: Any) -> bool:
    return bool(slack < 0)


def _float_mismatch(raw: Any, made: Any, path: str) -> str | None:
    """Return the path of the first ``…_float`` in ``raw`` that differs from what follows."""
    if isinstance(raw, Mapping) and isinstance(made, Mapping):
        for key, value in raw.items():
            here = f"{path}.{key}".lstrip(".")
            if key.endswith("_float") and key[: -len("_float")] in raw:
                if _as_floats(value) != _as_floats(made.get(key)):
                    return here
            elif found := _float_mismatch(value, made.get(key), here):
                return found
    elif isinstance(raw, list) and isinstance(made, list):
        for k, (one, two) in enumerate(zip(raw, made, strict=False)):
            if found := _float_mismatch(one, two, f"{path}[{k}]"):
                return found
    return None


def _as_floats(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_as_floats(v) for v in value]
    return as_float(value) if isinstance(value, int | float) else value
