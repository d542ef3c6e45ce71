"""Measure selective aggregation, and keep one row a run.

    python benchmarks/selective_aggregation.py [--again] [--rows FILE]

Counting and path as library functions, and the whole of ``fairopt.solve`` with proof and check.
Rows go to ``benchmarks/rows/selective_aggregation.jsonl``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from measuring import HERE, Rows, outcome, warm

import fairopt
from fairopt.run import Run

ROWS = HERE / "rows" / "selective_aggregation.jsonl"
# items, judges, seconds that counting and path may take
SIZES = ((175, 5, 0.02), (100, 50, 0.02), (2000, 1000, 3.0), (5000, 200, 4.0))


def drawn(items: int, judges: int) -> Any:
    """Return rankings by a true place plus a normal error of a tenth of the items."""
    return fairopt.generate(
        "selective-aggregation", "gaussian", items=items, judges=judges, sigma=items / 10
    )


def path(rows: Rows) -> None:
    """Time counting and path, and the method with its proof and check."""
    for items, judges, budget in SIZES:
        rows.run(
            "path", lambda n=items, p=judges, b=budget: _path(n, p, b), items=items, judges=judges
        )


def _path(items: int, judges: int, budget: float) -> dict[str, Any]:
    from fairopt_solvers.selective_aggregation import counting, spa

    problem = drawn(items, judges)

    def work() -> None:
        counts = counting.counts_of(problem, Run())
        assert counts is not None
        dissent = counts.dissent("strict")
        finest = spa.tiers(dissent.level, dissent.largest)
        spa.births(dissent, finest)

    timed = warm(work)
    found: list[Any] = []

    def whole() -> None:
        fresh = type(problem)(problem.profile, problem.items)
        fresh.profile.__dict__.pop("counts", None)
        found[:] = [fairopt.solve(fresh, "spa-path")]

    solved = warm(whole, runs=2)
    return {
        **outcome(found[0]),
        "tiers": found[0].figures["tiers"],
        "budget": budget,
        **timed,
        "solve_seconds": solved["seconds"],
    }


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--rows", type=Path, default=ROWS)
    given = parser.parse_args()
    path(Rows(given.rows, again=given.again))


if __name__ == "__main__":
    main()
