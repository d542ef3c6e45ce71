"""What follows from an answer's check and the claims: proofs, status, ratio.

Used twice: when a solution is made, and when anybody verifies it. No solver, no Numba.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fairopt.errors import InstanceError
from fairopt.problem import Objective, Problem, Sense
from fairopt.solution import Bound, Claim, Infeasible, Note, Number, Status, Value, encode

RECOMPUTABLE = ("multipliers", "combinatorial", "theorem")


def prover(proof: str, data: Mapping[str, Any]) -> str:
    """Return who stands behind a proof: ``highs 1.16.0``, or the kind of proof."""
    return str(data.get("backend", "an unnamed solver")) if proof == "solver" else proof


def refutation(problem: Problem, thing: Bound | Claim | Infeasible) -> str | None:
    """Return why a proof does not show what it is said to show; None if it does.

    A solver's word cannot be recomputed and is never refuted here.
    """
    if isinstance(thing, Bound) and thing.value is None and thing.proof == "solver":
        return "that there is nothing to value needs a proof"
    if thing.proof == "solver":
        backend = thing.data.get("backend")
        return None if isinstance(backend, str) and backend else "names no solver"
    if thing.proof not in RECOMPUTABLE:
        return f"unknown kind of proof {thing.proof!r}"
    if isinstance(thing, Bound) and thing.slack > problem.objective.room(thing.value):
        return "an exact proof has no slack" + _beyond(problem.objective)
    try:
        shown = problem.recompute(thing.data, _kind(problem, thing))
    except InstanceError as error:
        return str(error)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        return f"its data prove nothing ({type(error).__name__}: {error})"
    if isinstance(thing, Infeasible):
        return None if shown is True else "the proof does not show infeasibility"
    if isinstance(thing, Bound):
        return _bound_refutation(problem.objective, thing, shown)
    if same(shown, thing.value, problem.objective):
        return None
    return f"the proof shows {encode(shown)}, not {encode(thing.value)}"


def _beyond(objective: Objective) -> str:
    return "" if objective.rounding is None else " beyond that of adding floats up"


def same(one: Any, two: Any, objective: Objective | None = None) -> bool:
    """Return whether two values are written alike; true is not 1, and 1.0 is not 1.

    Under an objective whose values are added up in floats, floats may differ in their last digits.
    """
    one, two = encode(one), encode(two)
    if isinstance(one, list) and isinstance(two, list):
        pairs = zip(one, two, strict=False)
        return len(one) == len(two) and all(same(a, b, objective) for a, b in pairs)
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return one.keys() == two.keys() and all(same(one[k], two[k], objective) for k in one)
    if type(one) is not type(two):
        return False
    if isinstance(one, float) and objective is not None and math.isfinite(one - two):
        return abs(Fraction(one) - Fraction(two)) <= objective.room(one)
    return bool(one == two)


def _kind(problem: Problem, thing: Bound | Claim | Infeasible) -> str:
    """Return which rules may prove it, so that no proof passes for one of something else."""
    if not isinstance(thing, Claim):
        return "bound" if isinstance(thing, Bound) else "infeasible"
    name, bracket, of = thing.name.partition("[")
    if name in ("bound", "infeasible"):
        raise InstanceError("claim", f"{name!r} is no name of a claim")
    scope = problem.scope_of(thing.data)
    if thing.scope != scope or (bracket and of != f"{thing.data.get('of')}]"):
        raise InstanceError("claim", "its proof says nothing of what it is said to be about")
    return name


def _bound_refutation(objective: Objective, bound: Bound, shown: Any) -> str | None:
    """A proof may show more than is claimed, less only by what adding up in floats costs."""
    gap = None
    if bound.value is None or shown is None:
        gap = Fraction(0) if bound.value is shown else None
    else:
        gap = _difference(bound.value, shown, objective)
    if gap is None:
        said, does = encode(bound.value), encode(shown)
        return f"the proof shows {does}, not {said}"
    if gap <= objective.room(shown):
        return None
    return f"the proof shows {encode(shown)}, not {encode(bound.value)}"


def _difference(claimed: Any, shown: Any, objective: Objective) -> Fraction | None:
    """Return by how much a claim goes beyond what is shown; None if not comparable."""
    if isinstance(claimed, tuple) or isinstance(shown, tuple):
        if not (isinstance(claimed, tuple) and isinstance(shown, tuple)):
            return None
        return Fraction(0) if _flat(claimed) == _flat(shown)[: len(_flat(claimed))] else None
    if not _finite(claimed) or not _finite(shown):
        return Fraction(0) if claimed == shown else None
    up = Fraction(claimed) - Fraction(shown)
    return up if objective.sense is Sense.MINIMIZE else -up


def _flat(value: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(encode(v) for v in value)


def _finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def status_of(value: Value | None, bound: Bound | None, objective: Objective) -> Status | None:
    """Return ``optimal`` or ``feasible`` for a valid answer; None if the bound is refuted.

    With g = value - bound (minimise) or bound - value (maximise): ``g < -slack`` refutes the
    bound, ``|g| <= slack`` is optimal if the slack decides at all: it must be below the
    objective's grid, and small against the value where there is none. Floats are read as the
    exact fractions that they are.
    """
    if bound is not None and bound.value is None and value is None:
        return Status.OPTIMAL  # proven: there is nothing to value
    if bound is None or bound.value is None or value is None:
        return Status.FEASIBLE
    if isinstance(value, tuple):
        return _tuple_status(value, bound, objective)
    gap = _gap(value, bound.value, objective)
    if gap is None:
        return Status.FEASIBLE
    slack = Fraction(bound.slack)
    if gap < -slack:
        return None
    decisive = slack <= widest_slack(value, objective)
    return Status.OPTIMAL if gap <= slack and decisive else Status.FEASIBLE


def widest_slack(value: Any, objective: Objective) -> Fraction:
    """Return the largest slack with which a bound can still show that a value is best.

    What floats cannot tell apart is enough where values are added up in floats.
    """
    if objective.kind == "integer":
        return Fraction(999, 1000)
    if objective.grid is not None:
        return objective.grid * Fraction(999, 1000)
    size = abs(Fraction(value)) if _finite(value) else Fraction(0)
    return max(Fraction(1, 10**6) * max(size, Fraction(1, 10**3)), objective.room(value))


def _tuple_status(value: tuple[Any, ...], bound: Bound, objective: Objective) -> Status | None:
    """Compare entry by entry; the first one that differs by more than the slack decides."""
    proven = bound.value if isinstance(bound.value, tuple) else (bound.value,)
    for mine, theirs in zip(value, proven, strict=False):
        if mine == theirs:
            continue
        if not isinstance(mine, tuple):
            gap = _gap(mine, theirs, objective)
            if gap is not None and abs(gap) <= Fraction(bound.slack):
                if Fraction(bound.slack) <= widest_slack(mine, objective):
                    continue
                return Status.FEASIBLE  # too wide to decide anything, also against the bound
        return None if objective.better(mine, theirs) else Status.FEASIBLE
    if len(value) < len(proven) and objective.sense is Sense.MINIMIZE:
        return None  # a tuple that ends earlier is less than its continuations
    return Status.OPTIMAL if len(value) == len(proven) else Status.FEASIBLE


def _gap(value: Any, bound: Any, objective: Objective) -> Fraction | None:
    if value == bound:
        return Fraction(0)
    if not _finite(value) or not _finite(bound):
        return None
    gap = Fraction(value) - Fraction(bound)
    return gap if objective.sense is Sense.MINIMIZE else -gap


def misshapen(value: Any, objective: Objective) -> bool:
    """Return whether a value that was read cannot be one of this objective."""
    if objective.kind != "lexicographic":
        return not _number(value)
    if not isinstance(value, tuple):
        return True
    flat = all(map(_number, value))
    return not (flat or all(isinstance(v, tuple) and all(map(_number, v)) for v in value))


def _number(value: Any) -> bool:
    return isinstance(value, int | Fraction | float) and not isinstance(value, bool)


def ratio_of(value: Value | None, bound: Bound | None, objective: Objective) -> Number | None:
    """Return how many times worse than the proven bound the value is at most; 1 if equal.

    None when there is no bound, one of the two is 0, or a sign is negative. For tuples the
    first entry that differs counts.
    """
    if value is None or bound is None or bound.value is None:
        return None
    return _ratio(value, bound.value, objective)


def _ratio(value: Any, bound: Any, objective: Objective) -> Number | None:
    if isinstance(value, tuple):
        if not isinstance(bound, tuple):
            bound = (bound,)
        for mine, theirs in zip(value, bound, strict=False):
            if mine != theirs:
                return _ratio(mine, theirs, objective)
        return 1 if len(value) == len(bound) else None
    if value == bound:
        return 1
    if not _finite(value) or not _finite(bound) or value <= 0 or bound <= 0:
        return None
    worse, better = Fraction(value), Fraction(bound)
    ratio = worse / better if objective.sense is Sense.MINIMIZE else better / worse
    return max(ratio, Fraction(1))  # within its slack a bound may lie beyond the value


def usable_claims(problem: Problem, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Return the claims that the court may use: recomputed, or with a solver's name."""
    return tuple(c for c in claims if refutation(problem, c) is None)


def relaxed_note(rules: set[str], broken: list[Any]) -> Note:
    """Return the note of an answer that breaks rules which its method relaxes by design."""
    worst = {v.rule: v for v in reversed(broken)}
    text = "; ".join(f"breaks {v}" for v in worst.values())
    more = len(broken) - len(worst)
    return Note("relaxes", text + (f" (and {more} more places)" if more else ""))
