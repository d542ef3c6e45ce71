"""Measure the family of representative ranking, step by step, and keep one row a run.

    python benchmarks/jr_ranking.py [STEP ...] [--again] [--only KEY=VALUE ...] [--rows FILE]
                                    [--peers PYTHON] [--files FOLDER]

Steps are the functions of ``STEPS``; without one all are run, about ten minutes on one core. Rows
go to ``benchmarks/rows/jr_ranking.jsonl``; ``benchmarks/jr_ranking_tables.py`` makes their tables.
The steps ``abcvoting`` and ``files`` need the Python of an environment with abcvoting, ``files`` an
unpacked source distribution of it too (``benchmarks/peers/README.md``); they are skipped without.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import HERE, Rows, instance, outcome, present, slowdown, warm

import fairopt
from fairopt.errors import UsageError
from fairopt.problems.jr_ranking.audit import audit
from fairopt.problems.jr_ranking.infer import infer_approvals
from fairopt.run import Run
from fairopt.solution import encode

SUITE = HERE / "jr_ranking.toml"
ROWS = HERE / "rows" / "jr_ranking.jsonl"
PEERS = HERE / "peers"
SHARED = ("jr_level", "ejr_plus_level", "coverage", "pav_score", "price")
LIMIT = 5  # seconds of swap-search on the hard large instance


def settings() -> dict[str, Any]:
    """Return what the suite says for all tables."""
    return dict(measuring.suite(SUITE)["suite"])


def chosen(table: str) -> Iterator[tuple[str, Any]]:
    """Yield name and instance of what the suite lists for a table."""
    for spec in present(measuring.suite(SUITE)["instances"]):
        if table in spec["in"]:
            yield spec["name"], instance(spec)


def solved(problem: Any, method: str, limit: float | None = None) -> tuple[Any, dict[str, Any]]:
    """Solve once; return the solution and its CPU seconds, compilation left out beforehand."""
    begun = time.process_time()
    solution = fairopt.solve(problem, method, time_limit=limit)
    cpu = time.process_time() - begun
    return solution, {"cpu": round(cpu, 3), "seconds": round(cpu / slowdown(), 3)}


def figures(solution: Any) -> dict[str, Any]:
    """Return the figures that tables show."""
    return {name: encode(solution.figures.get(name)) for name in SHARED}


# -- feeds ---------------------------------------------------------------------------------


def real(rows: Rows) -> None:
    """Prove the best feed of every shipped instance and score under JR; compare heuristics."""
    for name, problem in chosen("real"):
        for k in settings()["shown"]:
            for scores in problem.score_sets if k <= problem.n_comments else ():
                asked = problem.replace(k=k, scores=scores)
                key = {"instance": name, "k": k, "scores": scores}
                rows.run("real", lambda p=asked: _real(p), **key)


def _real(problem: Any) -> dict[str, Any]:
    limit = settings()["time_limit"]
    best, timed = solved(problem, "auto", limit)
    top, _ = solved(problem, "top-k")
    others = {}
    for method in ("greedy-cc", "reserve-greedy", "swap-search"):
        found, took = solved(problem, method, limit)
        share = round(float(found.value / best.value), 6)
        others[method] = {"value": encode(found.value), "share": share, **took}
    return {
        **outcome(best),
        **timed,
        **figures(best),
        "top": encode(top.value),
        "top_level": encode(top.figures["jr_level"]),
        "top_coverage": top.figures["coverage"],
        "others": others,
        "verified": fairopt.verify(problem, best).ok,
    }


def axioms(rows: Rows) -> None:
    """Ask for stronger axioms: what is proven in a few seconds, and what the axiom costs."""
    for name, problem in chosen("axioms"):
        for k in settings()["shown"]:
            for scores in problem.score_sets if k <= problem.n_comments else ():
                for axiom in settings()["axioms"]:
                    asked = problem.replace(k=k, scores=scores, axiom=axiom)
                    key = {"instance": name, "k": k, "scores": scores, "axiom": axiom}
                    rows.run("axioms", lambda p=asked: _axiom(p), **key)


def _axiom(problem: Any) -> dict[str, Any]:
    best, timed = solved(problem, "auto", settings()["axiom_limit"])
    return {**outcome(best), **timed, **figures(best)}


def rules(rows: Rows) -> None:
    """Put all methods side by side: score, and which axioms their feeds keep."""
    for name, problem in chosen("rules"):
        for method in settings()["methods"]:
            key = {"instance": name, "method": method}
            rows.run("rules", lambda p=problem, m=method: _rule(p, m), **key)


@cache
def _best(problem: Any) -> Any:
    return solved(problem, "auto", settings()["time_limit"])[0]


def _rule(problem: Any, method: str) -> dict[str, Any]:
    limit = settings()["time_limit"]
    best = _best(problem)
    try:
        found, timed = solved(problem, method, limit)
    except UsageError as error:
        return {"skipped": str(error)}
    kept = audit(problem, found, ["jr", "pjr+", "ejr+"])
    verdicts = {axiom: finding.verdict for axiom, finding in kept.findings.items()}
    share = round(float(found.value / best.value), 6) if best.value else None
    return {**outcome(found), **timed, **figures(found), "share": share, **verdicts}


def mixtures(rows: Rows) -> None:
    """Draw Mallows mixtures: what JR costs the more groups of opinion there are."""
    for groups in settings()["groups"]:
        for seed in settings()["seeds"]:
            words: dict[str, Any] = {"users": 300, "comments": 100, "approve": 10, "shown": 10}
            words |= {"dispersion": 0.9, "groups": groups, "scores": "uniform", "seed": seed}
            problem = fairopt.generate("jr-ranking", "mallows", **words)
            rows.run("mixtures", lambda p=problem: _mixture(p), groups=groups, seed=seed)


def _mixture(problem: Any) -> dict[str, Any]:
    found = {m: solved(problem, m, settings()["time_limit"])[0] for m in settings()["mixtures"]}
    best, top = found["auto"], solved(problem, "top-k")[0]
    shares = {m: round(float(s.value / best.value), 6) for m, s in found.items()}
    level = encode(top.figures["jr_level"])
    return {**outcome(best), **figures(best), "top_level": level, "shares": shares}


# -- size and speed ------------------------------------------------------------------------


def large(rows: Rows) -> None:
    """Audit and select among 11 million approvals, in a fresh process."""
    rows.run("large", lambda: _fresh("large"), what="audits and rules")
    rows.run("large", lambda: _fresh("hard"), what="time limit of swap-search")


def _fresh(name: str) -> dict[str, Any]:
    text, cpu, wall = measuring.spawn([sys.executable, str(Path(__file__)), "--child", name])
    whole = {"process_cpu": round(cpu, 2), "process_wall": round(wall, 2)}
    return {**json.loads(text.splitlines()[-1]), **whole}


def child(name: str) -> dict[str, Any]:
    """Do the work of a fresh process."""
    problem = instance({"problem": "jr-ranking", **measuring.suite(SUITE)[name]})
    measured = _large(problem) if name == "large" else _hard(problem)
    return {**problem.size(), **measured, "mib": round(measuring.peak_mib())}


def _large(problem: Any) -> dict[str, Any]:
    from fairopt_solvers.jr_ranking.audits import examine
    from fairopt_solvers.jr_ranking.heuristics import greedy_cc
    from fairopt_solvers.jr_ranking.outcomes import by_phragmen, resolute
    from fairopt_solvers.jr_ranking.profile import Profile
    from fairopt_solvers.jr_ranking.question import Question
    from fairopt_solvers.jr_ranking.rules import EqualShares, Phragmen, SeqPav

    profile, k, run = Profile.of(problem), problem.k, Run()
    question = Question(profile, k, problem.scores)
    feed = resolute(SeqPav(profile, k), run).selected
    work: dict[str, Callable[[], Any]] = {
        "sums": lambda: (int(profile.item.sum()), int(profile.user.sum())),
        "jr": lambda: examine(question, feed, "jr", run),
        "jr_nobody": lambda: examine(question, (), "jr", run),
        "ejr+": lambda: examine(question, feed, "ejr+", run),
        "greedy_cc": lambda: greedy_cc(question),
        "seqpav": lambda: resolute(SeqPav(profile, k), run),
        "phragmen": lambda: resolute(Phragmen(profile, k), run),
        "equal_shares": lambda: resolute(EqualShares(profile, k), run, by_phragmen),
    }
    timed = {name: warm(does, most=20.0) for name, does in work.items()}
    return {"ms": {name: round(1000 * t["seconds"], 2) for name, t in timed.items()}}


def _hard(problem: Any) -> dict[str, Any]:
    small = {**measuring.suite(SUITE)["hard"]["with"], "users": 500, "comments": 50}
    tiny = fairopt.generate("jr-ranking", "clusters", **small)
    fairopt.solve(tiny, "swap-search", time_limit=LIMIT)  # compiles or loads
    begun = time.perf_counter()
    solution = fairopt.solve(problem, "swap-search", time_limit=LIMIT)
    wall = time.perf_counter() - begun
    parts = {name: round(value, 3) for name, value in solution.seconds.items()}
    return {**outcome(solution), "limit": LIMIT, "wall": round(wall, 3), "parts": parts}


def infer(rows: Rows) -> None:
    """Time the completion of votes, and tell its quality."""
    spec = measuring.suite(SUITE)["infer"]
    for density in spec["densities"]:
        work = lambda d=density: _infer(spec["users"], spec["comments"], d)  # noqa: E731
        rows.run("infer", work, density=density)


def _infer(users: int, comments: int, density: float) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    taste = rng.normal(size=(users, 3)) @ rng.normal(size=(3, comments))
    votes = np.where(taste + rng.normal(size=taste.shape) > 0, 1.0, -1.0)
    votes[rng.random(votes.shape) >= density] = np.nan
    found: list[Any] = []
    timed = warm(lambda: found.append(infer_approvals(votes)), runs=2)
    known = int((~np.isnan(votes)).sum())
    return {"users": users, "comments": comments, "votes": known, "auc": found[-1].auc, **timed}


# -- peers in their own environment --------------------------------------------------------


def abcvoting(rows: Rows, peers: str | None, _: str | None) -> None:
    """Compare audits and rules with abcvoting, side by side in one process."""
    if peers is None:
        print("skipped: abcvoting, for which no --peers PYTHON is given", flush=True)
        return
    for name in ("ic", "clusters"):
        words = ("jr_ranking_speed.py", "--most", "12", "--instance", name)
        rows.run("abcvoting", lambda w=words: {"compared": _peer(peers, *w)}, instance=name)


def files(rows: Rows, peers: str | None, folder: str | None) -> None:
    """Compare outcomes on abcvoting's own files."""
    if peers is None or folder is None:
        print("skipped: files, which need --peers PYTHON and --files FOLDER", flush=True)
        return
    rows.run(
        "files",
        lambda: _peer(peers, "jr_ranking_files.py", folder, "--live", "100")[-1],
        peer="abcvoting",
    )


def _peer(python: str, script: str, *words: str) -> list[dict[str, Any]]:
    """Run a script of ``peers`` against this checkout; return its lines of JSON."""
    path = f"{measuring.ROOT}:{measuring.ROOT / 'solvers'}"
    command = ["env", f"PYTHONPATH={path}", python, str(PEERS / script), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script} ended with {done.returncode}: {done.stderr[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


STEPS: dict[str, Callable[..., None]] = {
    step.__name__: step
    for step in (real, axioms, rules, mixtures, large, infer, abcvoting, files)
}  # fmt: skip


def main() -> None:
    """Run the steps that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--again", action="store_true", help="measure what has a row already")
    parser.add_argument("--rows", type=Path, default=ROWS)
    parser.add_argument("--only", nargs="+", default=[], help="such as instance=polis_city")
    parser.add_argument("--peers", metavar="PYTHON", help="of an environment with abcvoting")
    parser.add_argument("--files", metavar="FOLDER", help="an unpacked source of abcvoting")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(child(given.child), default=str))
        return
    unknown = [name for name in given.steps if name not in STEPS]
    if unknown:
        parser.error(f"no step {unknown[0]!r}; choose from {', '.join(STEPS)}")
    only = dict(word.split("=", 1) for word in given.only)
    rows = Rows(given.rows, again=given.again, only=only)
    for name in given.steps or STEPS:
        peers = (given.peers, given.files) if name in ("abcvoting", "files") else ()
        STEPS[name](rows, *peers)


if __name__ == "__main__":
    main()
