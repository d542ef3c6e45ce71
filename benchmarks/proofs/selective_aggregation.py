"""Selective aggregation against oracles in large numbers, and right values on data elsewhere.

Runs the tests of the methods with more examples (``FAIROPT_EXAMPLES``, 2,800 unless set, which
makes 2,100 paths): every threshold against all ordered partitions, paths against strong
components, the 0/1 program.
With ``--data FOLDER`` also the ballots of Debian 2012 and the sums of the sushi data, whose files
may not be shipped. Appends a row to ``benchmarks/rows/proofs.jsonl``.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names

os.environ.setdefault("FAIROPT_EXAMPLES", "2800")

import fairopt  # noqa: E402
from benchmarks.recording import Tally, record, run_tests  # noqa: E402

NAME = "selective-aggregation"
# file -> reader options, and (dissenters, tiers, disagreements) at every breakpoint
RIGHT: dict[str, tuple[dict[str, Any], list[tuple[int, int, int | None]]]] = {
    "debian2012.toc": ({}, [(0, 1, 0), (56, 2, 110), (116, 3, 248), (135, 4, 345)]),
    "debian2012.soi": ({}, [(0, 1, None), (112, 2, None), (160, 3, None), (178, 4, None)]),
    "sushi10_pairwise_support.csv": (
        {"total": 5000},
        [
            (0, 1, 0), (1477, 2, None), (1712, 3, None), (2059, 4, None), (2299, 5, None),
            (2355, 6, None), (2428, 7, None), (2430, 8, None), (2459, 9, None), (2497, 10, 76948),
        ],
    ),
}  # fmt: skip


def on_data(folder: Path) -> None:
    """Compare the paths of the files that are there with the right values."""
    for name, (options, right) in RIGHT.items():
        if not (folder / name).exists():
            print(f"skipped: {name} is not in {folder}")
            continue
        problem = fairopt.load(folder / name, problem=NAME, **options)
        solution = fairopt.solve(problem, "spa-path")
        rows = solution.figures["breakpoints"]
        found = [(int(r["tau"] * problem.total), r["tiers"], r["disagreements"]) for r in rows]
        agrees = len(found) == len(right) and all(
            f[:2] == r[:2] and r[2] in (None, f[2]) for f, r in zip(found, right, strict=True)
        )
        record(f"{NAME} {name}", agrees=agrees, breakpoints=len(found),
               verified=fairopt.verify(problem, solution).ok)  # fmt: skip


def main() -> int:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    if given.data is None:
        print("skipped: right values on data that are not shipped; name their folder with --data")
    else:
        on_data(given.data)
    return run_tests(
        "selective_aggregation = oracles",
        ["tests/selective_aggregation/test_methods.py"],
        Tally(),
    )


if __name__ == "__main__":
    raise SystemExit(main())
