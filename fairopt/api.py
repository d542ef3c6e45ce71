"""The front door: solve, compare, generate, list; and ``conclude``, which makes solutions."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairopt import files, judge, registry
from fairopt.comparison import Comparison, Row
from fairopt.errors import FairoptError, InstanceError, MethodError, UsageError
from fairopt.files import load, save
from fairopt.method import Method
from fairopt.options import typed_options
from fairopt.problem import Check, Problem, Sense
from fairopt.run import Progress, Run
from fairopt.solution import Bound, Note, Outcome, Solution, Status
from fairopt.solution_file import load_solution
from fairopt.verification import verify

__all__ = [
    "compare", "conclude", "generate", "load", "load_solution", "methods", "save", "solve",
    "solve_in", "verify",
]  # fmt: skip

log = logging.getLogger("fairopt")


def solve(
    problem: Problem | str | os.PathLike[str] | Mapping[str, Any],
    method: str = "auto",
    *,
    objective: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Solution[Any]:
    """Solve a problem and return a checked solution.

    Parameters
    ----------
    problem
        A problem, or what ``load`` takes.
    method
        Name of a method (see ``methods``); ``auto`` chooses.
    objective
        Replaces the objective of the problem.
    time_limit
        Seconds for the method; None or 0 for no limit. Reading and checking come on top.
    seed, threads
        For the random streams, and for backends.
    on_progress
        Called with ``Progress`` now and then.
    **options
        Options of the method; fields of the instance change by ``problem.replace``.

    Raises
    ------
    InstanceError, UsageError, UnknownMethod
        For what the caller can mend.
    MethodError
        When a method of ours produced an answer that its check refutes.
    """
    begun = time.perf_counter()
    loaded = problem if isinstance(problem, Problem) else load(problem)
    read = 0.0 if loaded is problem else time.perf_counter() - begun
    if objective is not None:
        loaded = loaded.replace(objective=objective)
    run = Run(time_limit or None, seed, threads, on_progress=on_progress)
    return solve_in(run, loaded, method, options, seconds_read=read)


def solve_in(
    run: Run,
    problem: Problem,
    method: str,
    options: Mapping[str, Any],
    *,
    seconds_read: float = 0.0,
) -> Solution[Any]:
    """Solve within a given run (which may be interrupted from outside, or have its own clock)."""
    row = registry.find_method(problem.problem, method)
    if not row.serves(problem.objective.name):
        raise UsageError(
            f"{row.name} serves {', '.join(row.objectives)}; not {problem.objective.name}"
        )
    function = row.function()
    typed = typed_options(function, options, what=f"method {row.name}")
    run.minimize = problem.objective.sense is Sense.MINIMIZE
    begun = time.perf_counter()
    outcome = _attempt(function, problem, run, typed)
    seconds = {"read": seconds_read, "method": time.perf_counter() - begun}
    return conclude(problem, row, outcome, run, options=typed, seconds=seconds)


def _attempt(
    function: Callable[..., Outcome[Any]], problem: Problem, run: Run, options: Mapping[str, Any]
) -> Outcome[Any]:
    """Run the method; when it fails after offering an answer, fall back on that answer."""
    try:
        return function(problem, run, **options)
    except (UsageError, InstanceError):
        raise
    except KeyboardInterrupt:
        run.interrupt()
        return Outcome()
    except Exception as error:
        if run.offered is None:
            raise
        log.warning("the method failed; its best offer is used", exc_info=True)
        words = f"{type(error).__name__}: {error}"
        return Outcome(notes=(Note("method-failed", f"stopped by an error ({words})"),))


# -- from an outcome to a solution ---------------------------------------------------------


def conclude(
    problem: Problem,
    row: Method,
    outcome: Outcome[Any],
    run: Run,
    *,
    options: Mapping[str, Any] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> Solution[Any]:
    """Check the answer, compute value and figures, judge the proofs, derive the status.

    Raises ``MethodError`` when the answer breaks a rule that its method does not relax, or when
    a proof of ours does not show what it claims.
    """
    begun = time.perf_counter()
    notes = [*outcome.notes, *problem.notes()]
    for thing in (outcome.bound, outcome.infeasible, *outcome.claims):
        if thing is not None and (why := judge.refutation(problem, thing)) is not None:
            raise MethodError(f"{row.name}: a proof fails: {why}")
    answer, check, relaxed = _best(problem, row, outcome, run)
    bound = None if outcome.bound is None else _coerced(problem, outcome.bound)
    status, value = Status.UNKNOWN, None
    if answer is not None:
        if relaxed:
            notes.append(judge.relaxed_note(set(row.relaxes), list(check.violations)))
        value = None if check.value is None else problem.objective.coerce(check.value)
        judged = judge.status_of(value, None if relaxed else bound, problem.objective)
        if judged is None:
            assert bound is not None
            notes.append(_refuted(row, value, bound))
            bound, judged = None, Status.FEASIBLE
        status = judged
    elif outcome.infeasible is not None:
        status = Status.INFEASIBLE
    ratio = None if relaxed else judge.ratio_of(value, bound, problem.objective)
    if status is Status.OPTIMAL:
        ratio = 1
    timed = {**(seconds or {}), "check": time.perf_counter() - begun}
    return Solution(
        problem=problem.problem,
        origin=replace(problem.meta.origin, name=problem.name, digest=problem.digest()),
        objective=problem.objective.name,
        method=row.name,
        status=status,
        stopped_by=run.stopped_by,
        value=value,
        bound=bound,
        ratio=ratio,
        answer=answer,
        figures=check.figures,
        options=dict(options or {}),
        seed=run.seed,
        threads=run.threads,
        claims=outcome.claims,
        infeasible=outcome.infeasible if answer is None else None,
        notes=tuple(dict.fromkeys(notes)),
        seconds=timed,
        versions=_versions(),
        answer_json=None if answer is None else problem.answer_to_json(answer),
        source=problem,
    )


def _best(
    problem: Problem, row: Method, outcome: Outcome[Any], run: Run
) -> tuple[Any, Check, bool]:
    """Return the better of the returned and the offered answer, its check, and if it relaxes.

    Raises ``MethodError`` if one of them breaks a rule that the method does not relax.
    """
    candidates = [a for a in (outcome.answer, run.offered) if a is not None]
    if len(candidates) == 2 and candidates[0] is candidates[1]:
        candidates.pop()
    best: tuple[Any, Check] | None = None
    for answer in candidates:
        check = problem.check(answer, outcome.claims)
        unlawful = [v for v in check.violations if v.rule not in row.relaxes]
        if unlawful:
            raise MethodError(f"{row.name}: the answer breaks {unlawful[0]}")
        if best is None or _beats(problem, check, best[1]):
            best = (answer, check)
    if best is None:
        return None, Check(), False
    return (*best, bool(best[1].violations))


def _beats(problem: Problem, new: Check, old: Check) -> bool:
    """An answer that keeps every rule goes before one that does not; then the value counts."""
    if bool(new.violations) != bool(old.violations):
        return not new.violations
    if new.value is None or old.value is None:
        return False
    return problem.objective.better(new.value, old.value)


def _coerced(problem: Problem, bound: Bound) -> Bound:
    """Give an exact bound the type of the objective's values."""
    if bound.value is None:
        return bound
    kind = problem.objective.kind
    if kind == "rational" and not isinstance(bound.value, tuple):
        return replace(bound, value=problem.objective.coerce(bound.value))
    return bound


def _refuted(row: Method, value: Any, bound: Bound) -> Note:
    """A value better than its bound: a solver's word is dropped, our own proof is a bug."""
    words = f"value {value} is better than the bound {bound.value} claimed by"
    if bound.proof != "solver":
        raise MethodError(f"{row.name}: {words} a proof of ours ({bound.proof})")
    return Note("claim-refuted", f"{words} {judge.prover(bound.proof, bound.data)}")


def _versions() -> dict[str, str]:
    """Return the versions of what this process has used."""
    out = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("numpy", "numba", "scipy", "highspy", "ortools", "pulp", "cvxpy", "networkx"):
        module = sys.modules.get(name)
        version = getattr(module, "__version__", None) if module else None
        if module is not None and version is None:
            from importlib.metadata import version as installed

            version = installed(name)
        if version is not None:
            out[name] = str(version)
    return out


# -- around solving ------------------------------------------------------------------------


def methods(problem: str | None = None) -> tuple[Method, ...]:
    """Return the methods of a problem, or of all problems."""
    if problem is not None:
        return registry.all_methods(problem)
    return tuple(m for e in registry.problem_entries() for m in registry.all_methods(e.name))


def compare(
    problem: Problem | str | os.PathLike[str] | Mapping[str, Any],
    methods: Sequence[str] | None = None,
    *,
    objective: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
    on_run: Callable[[str, Run], None] | None = None,
) -> Comparison:
    """Solve with several methods (default: all that serve the objective), one row each.

    ``time_limit`` holds for each method. A method that fails has a row with the reason.
    ``on_run`` is called with the name and the run of each method before it starts; a run that
    is interrupted ends the comparison after its row.
    """
    loaded = problem if isinstance(problem, Problem) else load(problem)
    if objective is not None:
        loaded = loaded.replace(objective=objective)
    if methods is None:
        chosen = [m for m in registry.all_methods(loaded.problem) if m.kind != "auto"]
        names = [m.name for m in chosen if m.serves(loaded.objective.name)]
    else:
        names = [registry.find_method(loaded.problem, m).name for m in methods]
    rows = []
    for name in dict.fromkeys(names):
        run = Run(time_limit or None, seed, threads, on_progress=on_progress)
        if on_run is not None:
            on_run(name, run)
        try:
            rows.append(Row(name, solve_in(run, loaded, name, {}), ""))
        except FairoptError as error:
            rows.append(Row(name, None, str(error), error.exit_code))
        except Exception as error:  # one broken method must not cost the others their rows
            log.warning("method %s failed", name, exc_info=True)
            rows.append(Row(name, None, f"internal error: {type(error).__name__}: {error}"))
        if run.stopped_by == "interrupted":
            break
    return Comparison(loaded, tuple(rows))


def generate(problem: str, generator: str, *, seed: int = 0, **parameters: Any) -> Problem:
    """Return a generated instance; the same parameters and seed give the same instance.

    Raises ``UsageError`` for an unknown generator or a parameter that does not fit.
    """
    known = registry.generators(problem)
    name = generator.replace("_", "-")
    if name not in known:
        choices = ", ".join(known) or "none"
        raise UsageError(f"{problem} has no generator {generator!r}; choose from {choices}")
    typed = typed_options(known[name], parameters, what=f"generator {name}")
    made: Problem = known[name](seed=seed, **typed)
    return made


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str], **read: Any) -> Problem:
    """Read an instance and write it in the format of the target's suffix."""
    loaded = files.load(source, **read)
    save(loaded, target)
    return loaded
