"""The conformance suite: what every method of every family has to do, built in or not.

>>> from fairopt.testing import check_method
>>> check_method("desk-rejection", "greedy", [problem])

Each check raises ``AssertionError`` with the method, the instance and what went wrong.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from fairopt import registry
from fairopt.api import solve_in
from fairopt.errors import UsageError
from fairopt.files import dump_json, parse_json
from fairopt.judge import RECOMPUTABLE
from fairopt.problem import Problem, Sense
from fairopt.run import Run
from fairopt.solution import Solution, Status, encode
from fairopt.solution_file import load_solution
from fairopt.verification import verify

READS = (0, 1, 2, 3, 5, 8, 20, 60)  # after how many looks at the clock the time is up


class FakeClock:
    """A clock that stands still until it has been read ``reads`` times, then is far ahead."""

    def __init__(self, reads: int) -> None:
        self.left = reads

    def __call__(self) -> float:
        self.left -= 1
        return 0.0 if self.left >= 0 else 1e9


def check_method(
    problem: str,
    method: str,
    instances: Sequence[Problem],
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    most: int | None = None,
) -> None:
    """Run every check of the suite on every instance that the method serves.

    Parameters
    ----------
    problem, method
        Names as on the command line.
    instances
        Small instances; those whose objective the method does not serve, or that it refuses with
        a ``UsageError``, are left out, and at least one must remain.
    options, seed
        For every run.
    most
        Stop after so many instances that the method serves.

    Raises
    ------
    AssertionError
        With the method, the instance and what went wrong.
    """
    row = registry.find_method(problem, method)
    served = [p for p in instances if row.serves(p.objective.name)]
    checked = 0
    for instance in served:
        if checked == most:
            break
        try:
            solution = _solve(instance, method, options, seed)
        except UsageError:  # a kind of instance that it does not serve, and says so
            continue
        checked += 1
        check_names(instance, method)
        place = f"{method} on {instance.name} ({instance.objective.name})"
        check_status(solution, row.kind, place)
        check_deterministic(instance, solution, options, place)
        check_round_trip(instance, solution, place)
        check_verified(instance, solution, place)
        check_corruptions(instance, solution, place)
        check_deadlines(instance, method, options, seed, place)
        check_symmetries(instance, solution, row.kind, options, place)
    assert checked, f"{method}: no instance that it serves"


def _solve(
    problem: Problem, method: str, options: Mapping[str, Any] | None, seed: int
) -> Solution[Any]:
    return solve_in(Run(seed=seed), problem, method, options or {})


def check_names(problem: Problem, method: str) -> None:
    """No option of the method is also a field of the instance, or one of the common flags."""
    options = set(registry.find_method(problem.problem, method).options())
    fields = {name.replace("-", "_") for name in problem.settings}
    flags = {"objective", "method", "seed", "threads", "time_limit"}
    assert not options & (fields | flags), f"{method}: {options & (fields | flags)} is two things"


def check_status(solution: Solution[Any], kind: str, place: str) -> None:
    """Without a limit a method completes; an exact one ends with a proof."""
    assert solution.stopped_by == "completed", f"{place}: stopped by {solution.stopped_by}"
    if kind == "exact":
        proven = (Status.OPTIMAL, Status.INFEASIBLE)
        partial = any(note.code == "bounded" for note in solution.notes)
        assert solution.status in proven or partial, f"{place}: exact, but {solution.status}"
    assert solution.ratio is None or solution.ratio >= 1, f"{place}: ratio {solution.ratio}"


def check_deterministic(
    problem: Problem, solution: Solution[Any], options: Mapping[str, Any] | None, place: str
) -> None:
    """The same instance, options and seed give the same answer."""
    again = _solve(problem, solution.method, options, solution.seed)
    assert again.answer_json == solution.answer_json, f"{place}: two runs, two answers"
    assert again.value == solution.value, f"{place}: two runs, two values"


def check_round_trip(problem: Problem, solution: Solution[Any], place: str) -> None:
    """A solution and its instance survive their files."""
    written = solution.to_json()
    read = load_solution(parse_json(dump_json(written)))
    assert read.to_json() == _through_json(written), f"{place}: the file says something else"
    if solution.answer_json is not None:
        answer = problem.answer_from_json(solution.answer_json)
        assert problem.answer_to_json(answer) == solution.answer_json, f"{place}: answer"
    back = type(problem).from_json(parse_json(dump_json(problem.to_json())))
    back = back.replace(objective=problem.objective.name)
    assert back.digest() == problem.digest(), f"{place}: the instance changes through its file"


def _through_json(content: Any) -> Any:
    import json

    return json.loads(dump_json(content))


def check_verified(problem: Problem, solution: Solution[Any], place: str) -> None:
    """``verify`` finds nothing wrong."""
    report = verify(problem, load_solution(parse_json(dump_json(solution.to_json()))))
    assert report.ok, f"{place}: {[c for c in report.claims if 'REFUTED' in c[1]]}"


def check_corruptions(problem: Problem, solution: Solution[Any], place: str) -> None:
    """``verify`` refuses every corrupted copy; a solver's changed claim stays a claim."""
    for what, content in corruptions(solution.to_json(), problem):
        try:
            report = verify(problem, load_solution(content))
        except ValueError:
            continue  # refused while reading
        assert not report.ok, f"{place}: a corrupted {what} was accepted"
    for content in solver_changes(solution.to_json(), problem):
        report = verify(problem, load_solution(content))
        said = [verdict for claim, verdict in report.claims if claim.startswith("bound")]
        assert said, f"{place}: a changed bound is not mentioned"
        assert said[0].startswith("claimed by"), f"{place}: {said[0]}"


def corruptions(content: dict[str, Any], problem: Problem) -> Iterator[tuple[str, Any]]:
    """Yield (what, copy) for copies of a solution's JSON that each say one wrong thing."""

    def copy_with(path: Sequence[str | int], value: Any) -> dict[str, Any]:
        out: dict[str, Any] = copy.deepcopy(content)
        place: Any = out
        for step in path[:-1]:
            place = place[step]
        if value is _GONE:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return out

    yield "problem", copy_with(["problem"], "no-such-problem")
    yield "digest", copy_with(["instance", "digest"], "sha256:" + "0" * 64)
    yield "objective", copy_with(["objective"], "no-such-objective")
    for status in Status:
        if status != content["status"]:
            yield f"status {status}", copy_with(["status"], str(status))
    if content["value"] is not None:
        for value in _other(content["value"]):
            yield "value", copy_with(["value"], value)
    if "value_float" in content:
        yield "value_float", copy_with(["value_float"], _shifted(content["value_float"]))
    yield "ratio", copy_with(["ratio"], 1.5 if content["ratio"] != 1.5 else 2.5)
    if content["answer"] is not None:
        for answer in _broken(content["answer"], problem.optional_answer):
            yield "answer", copy_with(["answer"], answer)
    for name, figure in content["figures"].items():
        if name.endswith("_float") and name[: -len("_float")] in content["figures"]:
            yield f"figure {name}", copy_with(["figures", name], _shifted(figure))
            continue
        for value in _other(figure):
            yield f"figure {name}", copy_with(["figures", name], value)
        if f"{name}_float" not in content["figures"]:
            yield f"figure {name} (gone)", copy_with(["figures", name], _GONE)
    bound = content["bound"]
    if bound is not None and bound["proof"] in RECOMPUTABLE:
        stronger = _stronger(bound["value"], problem)
        if stronger is not None:
            yield "bound", copy_with(["bound", "value"], stronger)
        yield "bound's proof", copy_with(["bound", "data"], {})
        yield "bound's slack", copy_with(["bound", "slack"], 10**9)
    for k, claim in enumerate(content["claims"]):
        if claim["proof"] in RECOMPUTABLE:
            for value in _other(claim["value"]):
                yield f"claim {claim['name']}", copy_with(["claims", k, "value"], value)


def solver_changes(content: dict[str, Any], problem: Problem) -> Iterator[dict[str, Any]]:
    """Yield copies whose bound, a solver's claim, is another one."""
    bound = content["bound"]
    if bound is None or bound["proof"] != "solver" or isinstance(bound["value"], list):
        return
    out: dict[str, Any] = copy.deepcopy(content)
    stronger = _stronger(bound["value"], problem)
    if stronger is not None:
        out["bound"]["value"] = stronger
        yield out


_GONE = object()


def _other(value: Any) -> list[Any]:
    """Return values of the same kind that are not ``value``."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    if isinstance(value, str):
        try:
            return [encode(Fraction(value) + 1)]
        except ValueError:
            return [value + "x"]
    if isinstance(value, list):
        return [[*value, value[-1]]] if value else [[1]]
    if isinstance(value, Mapping):
        return [{**value, "no-such-key": 1}]
    return [0]


def _shifted(value: Any) -> Any:
    if isinstance(value, list):
        return [_shifted(value[0]), *value[1:]] if value else [1.0]
    return value + 1.0 if isinstance(value, int | float) else 0.5


def _stronger(value: Any, problem: Problem) -> Any:
    """Return a bound that claims more than ``value`` does."""
    if isinstance(value, list):
        return [_stronger(value[0], problem), *value[1:]] if value else None
    try:
        exact = Fraction(value)
    except (ValueError, OverflowError):
        return None
    step = 1 if problem.objective.sense is Sense.MINIMIZE else -1
    return encode(exact + step) if isinstance(value, str) else value + step


def _broken(answer: Any, optional: Sequence[str] = ()) -> list[Any]:
    """Return malformed or shortened copies of an answer."""
    out: list[Any] = [{"no-such-key": []}, 7, "text"]
    if isinstance(answer, Mapping):
        for key, value in answer.items():
            if key in optional:
                continue
            out.append({k: v for k, v in answer.items() if k != key})
            if isinstance(value, list) and value:
                out.append({**answer, key: value[1:]})
                out.append({**answer, key: [*value, value[0]]})
                out.append({**answer, key: [*value[1:], "no-such-id"]})
            if isinstance(value, Mapping) and value:
                out.append({**answer, key: dict(itertools.islice(value.items(), 1, None))})
        out.append({**answer, "no-such-key": 1})
    return out


def check_deadlines(
    problem: Problem, method: str, options: Mapping[str, Any] | None, seed: int, place: str
) -> None:
    """Whenever the time is up, what comes back is a valid solution that says so."""
    for reads in READS:
        run = Run(1.0, seed, clock=FakeClock(reads + 1))
        solution = solve_in(run, problem, method, options or {})
        report = verify(problem, load_solution(parse_json(dump_json(solution.to_json()))))
        where = f"{place}, time up after {reads} looks at the clock"
        assert report.ok, f"{where}: {[c for c in report.claims if 'REFUTED' in c[1]]}"
        if solution.answer is None and solution.infeasible is None:
            assert solution.status is Status.UNKNOWN, where
            stuck = any(note.code == "stuck" for note in solution.notes)
            assert stuck or solution.stopped_by == "time-limit", where


def check_symmetries(
    problem: Problem,
    solution: Solution[Any],
    kind: str,
    options: Mapping[str, Any] | None,
    place: str,
) -> None:
    """Other ids change names only; another order keeps what an exact method finds."""
    renamed = problem.renamed(lambda name: f"{name}{_MARK}")
    if renamed is not None:
        other = _solve(renamed, solution.method, options, solution.seed)
        assert other.value == solution.value, f"{place}: renaming changes the value"
        assert other.status is solution.status, f"{place}: renaming changes the status"
        assert _plain(other.figures) == _plain(solution.figures), f"{place}: renaming"
    reordered = problem.reordered(np.random.default_rng(solution.seed))
    if reordered is not None and kind == "exact" and solution.status is Status.OPTIMAL:
        other = _solve(reordered, solution.method, options, solution.seed)
        assert other.value == solution.value, f"{place}: the order of items changes the optimum"


_MARK = "-z"  # what is added to every id


def _plain(value: Any) -> Any:
    """Return figures with the mark taken out of all texts: ids may stand in them."""
    if isinstance(value, str):
        return value.replace(_MARK, "")
    if isinstance(value, Mapping):
        return {_plain(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
