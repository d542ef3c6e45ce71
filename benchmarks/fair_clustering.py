"""Measure the family of fair clustering, step by step, and keep one row a run.

    python benchmarks/fair_clustering.py [STEP ...] [--again] [--only KEY=VALUE ...] [--rows FILE]
                                         [--peer PYTHON]

Steps are the functions of ``STEPS``; without one all are run. Rows go to
``benchmarks/rows/fair_clustering.jsonl``; ``benchmarks/fair_clustering_tables.py`` makes tables of
them. The step ``peer`` needs the Python of an environment with fair-kmeans
(``benchmarks/peers/README.md``), the step ``rounding`` the table of Credit, which is not shipped
(``--credit FILE``); both are skipped without.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import HERE, Rows, instance, outcome, present, warm

import fairopt
from fairopt.errors import UsageError
from fairopt.run import Run

SUITE = HERE / "fair_clustering.toml"
ROWS = HERE / "rows" / "fair_clustering.jsonl"
PEER = HERE / "peers" / "fair_kmeans_pairs.py"
ADULT = HERE.parent / "instances" / "fair_clustering" / "adult.csv.gz"
BANK = HERE.parent / "instances" / "fair_clustering" / "bank_small.csv.gz"
COLUMNS = "age,final_weight,education_num,capital_gain,hours_per_week"
CREDIT = ",".join(
    [
        "LIMIT_BAL",
        "AGE",
        *(f"BILL_AMT{i}" for i in range(1, 7)),
        *(f"PAY_AMT{i}" for i in range(1, 7)),
    ]
)
CONDITIONS = (
    {"type": "proportional", "rounding": "floor-ceil"},
    {"type": "balance", "min_balance": "0.45"},
    {"type": "bounds", "delta": "0.1"},
    {"type": "gap", "epsilon": "0.01"},
)
SIZES = (100_000, 1_000_000)
SAMPLES = (500, 1000)  # points of each group against fair-kmeans
SEEDS = range(10)


def adult(group: str = "sex", **changes: Any) -> Any:
    """Return Adult prepared as in the literature: z-scores, rows of length one, k = 10."""
    table = fairopt.load(ADULT, points=COLUMNS, group=group, k=10)
    return table.replace(preprocess=["zscore", "l2"], **changes)


def plain_centers(problem: Any, seed: int = 0) -> list[list[float]]:
    """Return the centres of one start of plain k-means."""
    unfair = problem.replace(fairness={"type": "none"})
    centers: list[list[float]] = fairopt.solve(
        unfair, "kmeans", seed=seed, starts=1
    ).answer.centers.tolist()
    return centers


# -- Adult ---------------------------------------------------------------------------------


def starts(rows: Rows) -> None:
    """Cluster Adult fairly by sex: ten starts, five seeds."""
    for seed in range(5):
        rows.run("starts", lambda s=seed: _starts(s), seed=seed)


def _starts(seed: int) -> dict[str, Any]:
    problem, found = adult(), []
    timed = warm(lambda: found.append(fairopt.solve(problem, "fca", seed=seed, starts=10)), runs=1)
    solution = found[-1]
    figures = solution.figures
    return {
        "mean_cost": round(figures["mean_cost"], 6),
        "balance": round(float(figures["balance"]["sex"]), 6),
        "price": round(figures["price_of_fairness"], 5),
        "gap_at_centers": figures["cost"] / figures["bound_for_centers"] - 1,
        "verified": fairopt.verify(problem, solution).ok,
        **timed,
    }


def fixed(rows: Rows) -> None:
    """Assign to given centres: how far the answer may be from the best one."""
    for k, condition in enumerate(CONDITIONS):
        name = {"condition": condition["type"]}
        rows.run("fixed", lambda c=condition: _fixed(adult(), c), instance="adult-sex", **name)
        rows.run("fixed", lambda c=condition: _fixed(_blobs(), c), instance="blobs-12000", **name)
        if k != 1:
            rows.run(
                "fixed", lambda c=condition: _fixed(adult("race"), c), instance="adult-race", **name
            )


def _blobs() -> Any:
    rng = np.random.default_rng(3)
    group = (rng.random(12_000) < 0.4).astype(int)
    points = rng.normal(size=(12_000, 3)) + group[:, None]
    data = {
        "problem": "fair-clustering",
        "points": points.tolist(),
        "groups": group.tolist(),
        "k": 6,
    }
    return fairopt.load(data)


def _fixed(problem: Any, condition: dict[str, Any]) -> dict[str, Any]:
    asked, found = problem.replace(centers=plain_centers(problem), fairness=condition), []
    timed = warm(lambda: found.append(fairopt.solve(asked, "fair-dual")))
    solution = found[-1]
    gap = float(solution.value) / float(solution.bound.value) - 1
    return {
        **outcome(solution),
        "gap": gap,
        "verified": fairopt.verify(asked, solution).ok,
        **timed,
    }


def dual(rows: Rows) -> None:
    """Compare the dual with HiGHS' linear program on samples of 4,000 people, ten seeds."""
    for k, condition in enumerate(CONDITIONS[1:]):
        for seed in SEEDS if k == 1 else range(3):
            key = {"condition": condition["type"], "seed": seed}
            rows.run("dual", lambda c=condition, s=seed: _dual(c, s), **key)


def _dual(condition: dict[str, Any], seed: int) -> dict[str, Any]:
    from fairopt_solvers.fair_clustering.dual import maximise
    from fairopt_solvers.fair_clustering.forms import form_of
    from fairopt_solvers.fair_clustering.shares import solve_shares

    whole = adult()
    who = np.sort(np.random.default_rng(seed).choice(whole.n, 4000, replace=False))
    sex = np.array(whole.attributes[0].values)[whole.attributes[0].codes[who]]
    data = {
        "problem": "fair-clustering", "points": whole.points[who].tolist(), "k": 10,
        "groups": {"sex": sex.tolist()},
    }  # fmt: skip
    problem = fairopt.load(data)
    centers = np.array(plain_centers(problem, seed))
    d = np.ascontiguousarray(((problem.points[:, None] - centers) ** 2).sum(2))
    asked = problem.replace(centers=centers.tolist(), fairness=condition)
    bound: list[float] = []
    ours = warm(lambda: bound.append(maximise(form_of(asked), d, asked.mass, Run()).bound))
    shares: list[Any] = []
    theirs = warm(lambda: shares.append(solve_shares(asked, d, Run())[0]), runs=1)
    least = float((asked.mass[:, None] * shares[-1] * d).sum())
    return {
        "dual": bound[-1],
        "highs": least,
        "difference": abs(bound[-1] - least) / least,
        "seconds": ours["seconds"],
        "highs_seconds": theirs["seconds"],
        "times_faster": round(theirs["cpu"] / ours["cpu"], 1),
    }


# -- size ----------------------------------------------------------------------------------


def large(rows: Rows) -> None:
    """Cluster many points of two groups, five coordinates, ten clusters; each in its process."""
    for points in SIZES:
        rows.run("large", lambda n=points: _large(n), points=points)


def _large(points: int) -> dict[str, Any]:
    words = {
        "problem": "fair-clustering",
        "generate": "two-blobs",
        "with": {"points": points, "dimensions": 5, "clusters": 10},
        "set": {"fairness": {"type": "proportional", "rounding": "strict"}},
        "method": "fca",
        "options": {"starts": 1, "iterations": 20, "tolerance": 0.0},
        "time_limit": 600,
    }
    return measuring.fresh(words)


# -- rounding ------------------------------------------------------------------------------


def rounding(rows: Rows, credit: str) -> None:
    """Round linear programs for overlapping bounds: the worst number of people off."""
    bounds = {"type": "bounds", "delta": "0.2"}
    bank = fairopt.load(BANK, points="age,balance,duration", group="marital", k=6)
    rows.run("rounding", lambda: _rounding(bank, bounds), instance="bank-marital")
    both = fairopt.load(BANK, points="age,balance,duration", group="marital,default", k=6)
    rows.run("rounding", lambda: _rounding(both, bounds), instance="bank-marital-default")
    if not Path(credit).exists():
        print(f"skipped: the table of Credit is not at {credit!r}; name it with --credit")
        return
    group = "SEX,EDUCATION,MARRIAGE"
    table = fairopt.load(credit, points=CREDIT, group=group, k=10)
    rows.run("rounding", lambda: _rounding(table, bounds), instance="credit-three")


def _rounding(problem: Any, bounds: dict[str, Any]) -> dict[str, Any]:
    asked = problem.replace(preprocess=["zscore"], fairness=bounds)
    found: list[Any] = []
    timed = warm(
        lambda: found.append(fairopt.solve(asked, "bera", starts=1, time_limit=300)), runs=1
    )
    solution = found[-1]
    off = solution.figures["max_additive_violation"]
    most = 4 * len(problem.attributes) + 3
    return {
        "attributes": len(problem.attributes),
        "worst_off": max(float(v) for v in off.values()),
        "stated": most,
        "cost_to_best_shares": solution.figures["cost"] / solution.figures["bound_for_centers"],
        "verified": fairopt.verify(asked, solution).ok,
        **timed,
    }


# -- others --------------------------------------------------------------------------------


def sklearn(rows: Rows) -> None:
    """Compare plain Lloyd steps with scikit-learn's from the same centres."""
    for seed in SEEDS:
        rows.run("sklearn", lambda s=seed: _sklearn(s), seed=seed)


def _sklearn(seed: int) -> dict[str, Any]:
    from sklearn.cluster import KMeans

    from fairopt_solvers.fair_clustering.lloyd import centred, lloyd, plus_plus

    problem = adult()
    x, _ = centred(problem)
    begin = plus_plus(x, problem.mass, 10, Run(seed=seed))
    kept: dict[str, Any] = {}
    ours = warm(
        lambda: kept.update(cost=lloyd(x, problem.mass, begin, Run(), tolerance=0.0)[0]), runs=3
    )
    peer = KMeans(10, init=begin, n_init=1, tol=0, max_iter=300, algorithm="lloyd")
    theirs = warm(lambda: kept.update(peer=peer.fit(x).inertia_), runs=3)
    return {
        "cost": kept["cost"],
        "peer_cost": kept["peer"],
        "difference": kept["cost"] / kept["peer"] - 1,
        "seconds": ours["seconds"],
        "peer_seconds": theirs["seconds"],
    }


def peer(rows: Rows, python: str) -> None:
    """Compare with fair-kmeans on equal samples of both sexes: one start each, ten seeds."""
    if not python or not Path(python).exists():
        print("skipped: no Python with fair-kmeans; name it with --peer")
        return
    for size in SAMPLES:
        for seed in SEEDS:
            rows.run("peer", lambda n=size, s=seed: _peer(n, s, python), size=size, seed=seed)


def _peer(size: int, seed: int, python: str) -> dict[str, Any]:
    whole = adult()
    rng = np.random.default_rng(seed)
    codes = whole.attributes[0].codes
    who = np.concatenate(
        [np.sort(rng.choice(np.flatnonzero(codes == g), size, replace=False)) for g in (0, 1)]
    )
    points, color = whole.points[who], codes[who]
    case = {"points": points.tolist(), "color": color.tolist(), "k": 10, "seed": seed}
    done = subprocess.run(
        [python, str(PEER)], input=json.dumps(case), capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout)
    data = {
        "problem": "fair-clustering",
        "points": points.tolist(),
        "groups": color.tolist(),
        "k": 10,
    }
    problem = fairopt.load(data).replace(fairness={"type": "proportional", "rounding": "strict"})
    found: list[Any] = []
    ours = warm(
        lambda: found.append(fairopt.solve(problem, "fca", seed=seed, starts=1, bound=False))
    )
    proof = warm(lambda: found.append(fairopt.solve(problem, "fca", seed=seed, starts=1)), runs=1)
    cost = found[-1].figures["mean_cost"]
    # Their cost is recomputed from their labels: centroids, and equal counts in every cluster.
    labels = np.array(theirs["labels"])
    again = sum(
        float(((points[labels == c] - points[labels == c].mean(0)) ** 2).sum())
        for c in np.unique(labels)
    )
    fair = all(
        int((color[labels == c] == 0).sum()) == int((color[labels == c] == 1).sum())
        for c in range(10)
    )
    return {
        "peer": theirs["peer"],
        "mean_cost": cost,
        "peer_mean_cost": again / len(points),
        "peer_fair": fair,
        "difference": cost / (again / len(points)) - 1,
        "ratio": round(float(found[-1].ratio), 4),
        "cpu": ours["cpu"],
        "cpu_with_bound": proof["cpu"],
        "peer_cpu": theirs["cpu"],
        "times_faster": round(theirs["cpu"] / ours["cpu"], 1),
    }


# -- all methods ---------------------------------------------------------------------------


def methods(rows: Rows) -> None:
    """Run every method of the suite on every instance and condition."""
    suite = measuring.suite(SUITE)
    for spec, condition, entry in _cases(suite):
        key = {
            "instance": spec["name"],
            "condition": condition["type"],
            "method": entry["method"],
            "seed": suite["suite"]["seeds"][0],
        }
        rows.run(
            "methods",
            lambda s=spec, c=condition, e=entry: _method(s, c, e, suite["suite"]["time_limit"]),
            **key,
        )


def _cases(suite: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    for spec in present(suite["instances"]):
        for condition in suite["conditions"]:
            for entry in suite["suite"]["methods"]:
                yield spec, condition, entry


def _method(spec: Any, condition: Any, entry: Any, limit: float) -> dict[str, Any]:
    problem = instance(spec).replace(fairness=condition)
    begun = time.process_time()
    try:
        solution = fairopt.solve(
            problem, entry["method"], time_limit=limit, **entry.get("options", {})
        )
    except UsageError as error:
        return {"status": "not served", "words": str(error)}
    cpu = time.process_time() - begun
    figures = solution.figures if solution.answer is not None else {}
    broken = problem.check(solution.answer).violations if solution.answer is not None else ()
    worst = min((float(v) for v in figures.get("balance", {}).values()), default=None)
    return {
        **outcome(solution),
        "fair": not broken,
        "balance": worst,
        "tv": max((float(v) for v in figures.get("tv", {}).values()), default=None),
        "price": figures.get("price_of_fairness"),
        "at_centers": figures.get("bound_for_centers"),
        "cpu": round(cpu, 3),
        "seconds": round(cpu / measuring.slowdown(), 3),
    }


STEPS = (starts, fixed, dual, large, rounding, sklearn, peer, methods)


def main() -> None:
    """Run the steps that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rows", type=Path, default=ROWS)
    parser.add_argument("--peer", default="")
    parser.add_argument("--credit", default="")
    given = parser.parse_args()
    unknown = set(given.steps) - {step.__name__ for step in STEPS}
    if unknown:
        sys.exit(f"no step {sorted(unknown)}; there are {[step.__name__ for step in STEPS]}")
    rows = Rows(given.rows, again=given.again, only=dict(v.split("=", 1) for v in given.only))
    more = {"peer": {"python": given.peer}, "rounding": {"credit": given.credit}}
    for step in STEPS:
        if not given.steps or step.__name__ in given.steps:
            step(rows, **more.get(step.__name__, {}))


if __name__ == "__main__":
    main()
