"""Measure the family of desk rejection, step by step, and keep one row a run.

    python benchmarks/desk_rejection.py [STEP ...] [--again] [--only KEY=VALUE ...] [--rows FILE]

Steps are the functions of ``STEPS``; without one all are run. Rows go to
``benchmarks/rows/desk_rejection.jsonl``; ``benchmarks/desk_rejection_tables.py`` makes tables of
them. The submissions to ICLR 2025 are read from ``../shared/data/desk-rejection`` beside the
checkout; their licence keeps them out of it, and steps that need them are skipped where they
are not there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import measuring
from measuring import HERE, ROOT, Rows, instance, outcome, present, warm

import fairopt
from fairopt import registry
from fairopt.problems.desk_rejection import DeskRejection
from fairopt.run import Run

SUITE = HERE / "desk_rejection.toml"
ICLR = {"path": "../shared/data/desk-rejection/iclr2025.csv.gz", "problem": "desk-rejection"}
DBLP = {"path": "instances/desk_rejection/coauth_dblp.csv.gz", "problem": "desk-rejection"}
LIMITS = (25, 20, 15, 10, 8, 7, 5, 4, 3, 2, 1)
DBLP_LIMITS = (25, 10, 7, 3, 1)
SEARCH_LIMITS = (25, 10, 5, 3, 1)
POLICIES = ("sequential", "rank-cut", "reject-all-over")
DENSE = {"authors": 1000, "papers": 4000, "per_paper": 4, "limit": 4}
MOVES = 200_000


def iclr(*, weights: bool = True) -> Iterator[Any]:
    """Yield the ICLR instance, if it is there; with every weight 1 if ``weights`` is off."""
    for spec in present([ICLR]):
        problem = instance(spec)
        yield problem if weights else counted(problem)


def counted(problem: Any) -> Any:
    """Return the instance without weights, so that ``max-accept`` counts papers."""
    ids = {"paper_ids": problem.paper_ids, "author_ids": problem.author_ids}
    arrays = (problem.paper_ptr, problem.paper_author)
    return DeskRejection(*arrays, **ids, order=problem.order, meta=problem.meta)


# -- steps ---------------------------------------------------------------------------------


def reference(rows: Rows) -> None:
    """Find the values of the reference table: optima, policies, authors over the limit."""
    for problem in iclr(weights=False):
        for limit in LIMITS:
            rows.run("reference", lambda p=problem, b=limit: _reference(p, b), limit=limit)


def _reference(problem: Any, limit: int) -> dict[str, Any]:
    most = problem.replace(limit=limit, objective="max-accept")
    fair = problem.replace(limit=limit, objective="average")
    optimum, average = fairopt.solve(most), fairopt.solve(fair)
    row = {
        "over": int(most.over_limit.sum()),
        "max": optimum.value,
        "max_status": str(optimum.status),
        "average": round(1000 * float(average.value), 3),
        "average_status": str(average.status),
    }
    kept = {name: fairopt.solve(most, name).figures["kept"] for name in POLICIES}
    return {**row, **kept}


def proven(rows: Rows) -> None:
    """Time ``max-accept`` and ``average`` end to end: read, solve, prove, check."""
    work = [(s, b) for s in present([ICLR]) for b in LIMITS]
    work += [(DBLP, b) for b in DBLP_LIMITS]
    for spec, limit in work:
        for objective in ("max-accept", "average"):
            for method in ("auto", "exact"):
                key = {"file": Path(spec["path"]).name.split(".")[0], "limit": limit}
                key |= {"objective": objective, "method": method}
                rows.run("proven", lambda k=key, s=spec: _end_to_end(s, k), **key)
    for problem in iclr():
        for limit in LIMITS:
            weighted = problem.replace(limit=limit, objective="max-accept")
            rows.run("weighted", lambda p=weighted: _timed(p, "auto"), limit=limit)


def _end_to_end(spec: dict[str, Any], key: dict[str, Any]) -> dict[str, Any]:
    found: list[Any] = []

    def work() -> None:
        problem = instance(spec)
        if problem.weight.total(slice(None)) != problem.n_papers:
            problem = counted(problem)
        asked = problem.replace(limit=key["limit"], objective=key["objective"])
        found[:] = [fairopt.solve(asked, key["method"], time_limit=60)]

    return {**warm(work, most=45), **outcome(found[0])}


def _timed(problem: Any, method: str, **options: Any) -> dict[str, Any]:
    """Time one method on an instance in memory, the check included."""
    found: list[Any] = []

    def work() -> None:
        found[:] = [fairopt.solve(problem.replace(limit=problem.limit), method, **options)]

    return {**warm(work), **outcome(found[0])}


def fair(rows: Rows) -> None:
    """Prove ``wiped`` and levels of ``leximin``."""
    for problem in iclr():
        for limit in (25, 15, 10):
            asked = problem.replace(limit=limit, objective="wiped")
            rows.run("wiped", lambda p=asked: _timed(p, "auto", time_limit=60), limit=limit)
        asked = problem.replace(limit=25, objective="leximin")
        for depth, seconds in ((3, 120), (None, 60)):
            rows.run("leximin", lambda p=asked, d=depth, s=seconds: _levels(p, d, s), depth=depth)


def _levels(problem: Any, depth: int | None, seconds: float) -> dict[str, Any]:
    found: list[Any] = []

    def work() -> None:
        found[:] = [fairopt.solve(problem, "exact", time_limit=seconds, depth=depth)]

    timed = warm(work, most=1 if depth is None else 60)
    solution = found[0]
    bound = {} if solution.bound is None else solution.bound.data
    counts = {c.name: c.value for c in solution.claims if c.name.startswith("at_least")}
    notes = [note.text for note in solution.notes]
    levels = {"levels": bound.get("levels"), "counts": dict(list(counts.items())[:3])}
    return {**timed, **outcome(solution), **levels, "notes": notes}


def greedy(rows: Rows) -> None:
    """Time greedy (the method, then with its check) and compare with the linear program."""
    from fairopt_solvers.desk_rejection.heuristics import greedy as method

    for problem in iclr(weights=False):
        for limit in LIMITS:
            rows.run("greedy", lambda p=problem, b=limit: _greedy(method, p, b), limit=limit)


def _greedy(method: Any, problem: Any, limit: int) -> dict[str, Any]:
    asked = problem.replace(limit=limit, objective="max-accept")
    bound = fairopt.solve(asked, "lp-rounding").bound.value
    fresh = [
        problem.replace(limit=limit, objective="max-accept") for _ in range(measuring.WARM + 1)
    ]
    timed = warm(lambda: method(fresh.pop(), Run()))  # each derives its arrays anew
    solution = fairopt.solve(asked, "greedy")
    ratio = float(solution.value / bound)
    return {**timed, "value": solution.value, "lp_bound": bound, "to_bound": round(ratio, 5)}


def search(rows: Rows) -> None:
    """Compare local search with proven optima: papers for the count, kept weight for averages."""
    for problem in iclr(weights=False):
        for limit in SEARCH_LIMITS:
            for objective in ("max-accept", "average"):
                asked = problem.replace(limit=limit, objective=objective)
                best: list[Any] = []
                for seed in range(3):
                    key = {"limit": limit, "objective": objective, "seed": seed}
                    rows.run("search", lambda p=asked, k=key, b=best: _search(p, k, b), **key)


def _search(problem: Any, key: dict[str, Any], best: list[Any]) -> dict[str, Any]:
    best = best or [fairopt.solve(problem, "auto").value]
    timed = warm(lambda: _local(problem, key["seed"]), runs=2)
    value = _local(problem, key["seed"]).value
    row = {"value": measuring.short(value), "best": measuring.short(best[0]), **timed}
    if key["objective"] == "max-accept":
        return {**row, "gap": best[0] - value}
    return {**row, "kept_weight": round(float((1 - value) / (1 - best[0])), 6)}


def _local(problem: Any, seed: int) -> Any:
    return fairopt.solve(problem, "local-search", seed=seed, steps=MOVES)


def dense(rows: Rows) -> None:
    """Compare local search with the linear program and HiGHS on dense random instances."""
    for seed in range(5):
        problem = fairopt.generate("desk-rejection", "random-uniform", seed=seed, **DENSE)
        rows.run("dense", lambda p=problem: _dense(p), seed=seed)


def _dense(problem: Any) -> dict[str, Any]:
    linear = fairopt.solve(problem, "lp-rounding")
    bound = float(linear.bound.value)
    timed = warm(lambda: _local(problem, 0), runs=2)
    seconds = {"lp_wall": round(linear.seconds["method"], 1)}
    row: dict[str, Any] = {
        "lp_bound": bound,
        **seconds,
        "search": _local(problem, 0).value,
        **timed,
    }
    row["lp-rounding"] = linear.value
    for name in ("greedy", "sequential"):
        row[name] = fairopt.solve(problem, name).value
    solver = fairopt.solve(problem, "exact", backend="highs", time_limit=45)
    auto = fairopt.solve(problem, "auto", time_limit=10)
    return {
        **row,
        "highs_45s": solver.value,
        "highs_bound": solver.bound and solver.bound.value,
        "auto_10s": auto.value,
    }


def memory(rows: Rows) -> None:
    """Measure the peak memory and the cold seconds of whole processes."""
    for spec, method, objective, limit in _memory_cases():
        asked = {**spec, "method": method, "objective": objective, "set": {"limit": limit}}
        name = Path(spec["path"]).name.split(".")[0]
        key = {"file": name, "method": method, "objective": objective, "limit": limit}
        for kind in ("cached", "empty"):
            work = lambda a=asked, k=kind: measuring.fresh(  # noqa: E731
                {**a, "time_limit": 60}, empty_cache=k == "empty"
            )
            rows.run("fresh", work, kernels=kind, **key)


def _memory_cases() -> Iterator[tuple[dict[str, Any], str, str, int]]:
    for spec in present([ICLR]):
        for objective in ("max-accept", "average", "wiped", "worst-then-average"):
            yield spec, "auto", objective, 10
        yield spec, "auto", "average", 1
        yield spec, "greedy", "max-accept", 10
        yield spec, "local-search", "max-accept", 10
        yield spec, "exact", "leximin", 10
    for objective in ("max-accept", "average", "leximin"):
        yield DBLP, "auto", objective, 1


def startup(rows: Rows) -> None:
    """Compare ``import fairopt`` and ``fairopt --help`` with importing NumPy."""
    numpy = [sys.executable, "-c", "import numpy"]
    programs = {
        "import fairopt": [sys.executable, "-c", "import fairopt"],
        "fairopt --help": [sys.executable, "-m", "fairopt", "--help"],
    }
    for name, words in programs.items():
        rows.run("startup", lambda w=words: measuring.startup(w, numpy), program=name)


def bounds(rows: Rows) -> None:
    """Check that linear bounds and their exact recomputation are on the right side of optima."""
    work = [(p, "iclr2025", b) for p in iclr(weights=False) for b in LIMITS]
    work += [(p, "iclr2025 weighted", b) for p in iclr() for b in LIMITS]
    work += [(instance(DBLP), "coauth_dblp", b) for b in DBLP_LIMITS]
    for problem, name, limit in work:
        for objective in ("max-accept", "average", "collateral"):
            asked = problem.replace(limit=limit, objective=objective)
            key = {"file": name, "limit": limit, "objective": objective}
            rows.run("bounds", lambda p=asked: _bounds(p), **key)


def _bounds(problem: Any) -> dict[str, Any]:
    from fairopt_solvers.desk_rejection import packing as lp
    from fairopt_solvers.desk_rejection.presolve import presolve

    part = presolve(problem)
    packing = lp.Packing(part, part.weights(problem.linear_form().coef))
    relaxed = lp.relaxation(packing, Run())
    bound = lp.multipliers_bound(packing, relaxed.result)
    exact = problem.recompute(bound.data)  # once more, as a verifier does
    best = fairopt.solve(problem, "auto", time_limit=120)
    better = problem.objective.better
    inexact = lp.upper_value(part, relaxed.result.value, problem.objective.name)
    return {
        "optimum": measuring.short(best.value),
        "optimum_status": str(best.status),
        "bound": float(exact),
        "right_side": not better(best.value, exact) and exact == bound.value,
        "float_side": not better(float(best.value), float(inexact) + _room(problem, inexact)),
        "tight": exact == best.value,
        "loss": abs(float(exact) - float(inexact)),
    }


def _room(problem: Any, value: Any) -> float:
    """Return the rounding that a float optimum may be off by, towards the weaker bound."""
    return (1 if problem.objective.sense == "maximize" else -1) * 1e-9 * max(1.0, abs(float(value)))


def auto(rows: Rows) -> None:
    """Compare ``auto`` with every single method on the suite."""
    suite = measuring.suite(SUITE)
    for spec in present(suite["instances"]):
        problem = instance(spec)
        for objective in spec.get("objectives", problem.objectives):
            try:
                asked = problem.replace(objective=objective)
            except fairopt.InstanceError:  # such as collateral without the unit quota
                continue
            for seed in suite["suite"]["seeds"]:
                key = {"instance": spec["name"], "objective": objective, "seed": seed}
                work = lambda p=asked, s=seed: _auto(p, suite["suite"], s)  # noqa: E731
                rows.run("auto", work, **key)


def _auto(problem: Any, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    served = {m.name for m in registry.all_methods(problem.problem) if _serves(m, problem)}
    values: dict[str, Any] = {}
    for name in settings["methods"]:
        if name in served:
            solution = fairopt.solve(problem, name, seed=seed, time_limit=settings["time_limit"])
            values[name] = solution.value
    own = fairopt.solve(
        problem, settings["auto"], seed=seed, time_limit=settings["auto_time_limit"]
    )
    lost = {n: v for n, v in values.items() if _behind(problem, own.value, v) > 0}
    beyond = [n for n, v in lost.items() if _behind(problem, own.value, v) > settings["tolerance"]]
    return {
        **outcome(own),
        "methods": len(values),
        "better": {
            n: [_behind(problem, own.value, v), measuring.numbers(v)[:6]] for n, v in lost.items()
        },
        "violations": beyond,
    }


def _serves(method: Any, problem: Any) -> bool:
    return bool(method.kind != "auto" and method.serves(problem.objective.name))


def _behind(problem: Any, own: Any, other: Any) -> float:
    """Return how far a value is behind another, relative to the first number that differs."""
    if other is None or (own is not None and not problem.objective.better(other, own)):
        return 0.0
    if own is None:
        return float("inf")
    for a, b in zip_longest(_flat(own), _flat(other), fillvalue=0):
        if a != b:
            return round(abs(float(a - b)) / max(abs(float(b)), 1e-12), 6)
    return 0.0


def _flat(value: Any) -> list[Any]:
    return [x for v in value for x in _flat(v)] if isinstance(value, tuple) else [value]


STEPS = {
    step.__name__: step
    for step in (reference, proven, fair, greedy, search, dense, memory, startup, bounds, auto)
}


def main() -> None:
    """Run the steps that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--again", action="store_true", help="measure what has a row already")
    parser.add_argument("--rows", type=Path, default=ROOT / "benchmarks/rows/desk_rejection.jsonl")
    parser.add_argument("--only", nargs="+", default=[], help="such as limit=1 method=auto")
    given = parser.parse_args()
    unknown = [name for name in given.steps if name not in STEPS]
    if unknown:
        parser.error(f"no step {unknown[0]!r}; choose from {', '.join(STEPS)}")
    only = dict(word.split("=", 1) for word in given.only)
    rows = Rows(given.rows, again=given.again, only=only)
    for name in given.steps or STEPS:
        STEPS[name](rows)


if __name__ == "__main__":
    main()
