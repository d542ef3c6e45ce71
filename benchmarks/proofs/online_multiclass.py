"""What is proven of the methods of ``online-multiclass``, tried on many random instances.

Set-aside: quotas at every time and OPT/ALG <= A whenever the sequence stops, OPT even without
quotas. Proportional: the bound on PF for disjoint classes. Set-aside with predictions: quotas, and
value >= trust ALG_pred + (1 - trust) OPT/A. Optima come from enumeration-free definitions in
``tests/online_selection/multiclass_brute.py``. At the end, how nearly rising values attain A.
Prints the counts and appends a row to ``benchmarks/rows/proofs.jsonl``. Run from anywhere:
``python benchmarks/proofs/online_multiclass.py [INSTANCES]`` (default 30000).
"""

from __future__ import annotations

import math
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names

import numpy as np  # noqa: E402

from benchmarks.recording import record  # noqa: E402
from fairopt.problems.online_selection.multiclass import OnlineMulticlass  # noqa: E402
from online_selection import multiclass_brute as brute  # noqa: E402

ROOT_SEED = 2510_21055
RISING = ((3, (1, 1), 4.0), (10, (1, 4), 10.0), (4, (2, 2), 10.0), (5, (), 3.0))


def random_instances(many: int) -> dict[str, Any]:
    """Check ``many`` instances; return the worst of each promise, as a share of what is allowed."""
    worst, pf, finite, pf_counted = 0.0, 0.0, 0, 0
    for k in range(many):
        seed = np.random.SeedSequence(ROOT_SEED, spawn_key=(k,))
        problem = brute.random_instance(np.random.default_rng(seed))
        reached = brute.check_set_aside(problem)
        share = brute.check_proportional(problem)
        brute.check_predicted(problem)
        worst, pf = max(worst, reached), max(pf, share)
        finite += reached > 0
        pf_counted += share > 0
        if (k + 1) % 5000 == 0:
            print(f"{k + 1:,} instances: worst OPT/(A ALG) {worst:.12f}, PF {pf:.12f}", flush=True)
    return {
        "instances": many,
        "with_finite_ratio": finite,
        "worst_ratio_over_A": worst,
        "pf_bounds": pf_counted,
        "worst_pf_over_bound": pf,
        "violations": 0,  # one would have raised
    }


def rising(capacity: int, quotas: tuple[int, ...], theta: float, steps: int) -> float:
    """Return OPT / (A ALG) for values that rise in many small steps."""
    unit = 10**9  # one denominator for all values keeps their sums short
    grid = [Fraction(round(unit * theta ** (k / (steps - 1))), unit) for k in range(steps)]
    values = grid + [Fraction(theta)] * capacity
    own: list[int] = [quotas.index(min(quotas))] if quotas else []
    problem = OnlineMulticlass(
        values, [own] * len(values), capacity=capacity, value_range=(1, grid[-1]), quotas=quotas
    )
    solution = brute.fairopt.solve(problem, "set-aside")
    return float(solution.figures["attained_ratio"] / solution.figures["competitive_ratio"])


def main() -> int:
    """Check, print, append the row."""
    begun = time.perf_counter()
    counts = random_instances(int(sys.argv[1]) if len(sys.argv) > 1 else 30_000)
    near = {f"B={b} quotas={list(q)} theta={t:g}": rising(b, q, t, 200_000) for b, q, t in RISING}
    seconds = round(time.perf_counter() - begun)
    record("online_multiclass guarantees", **counts, rising=near, seconds=seconds)
    return 0 if math.isfinite(counts["worst_ratio_over_A"]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
