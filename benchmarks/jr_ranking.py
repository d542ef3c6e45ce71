"""Exact feeds and heuristics on the shipped real data: `python benchmarks/jr_ranking.py 8`.

For each instance and score set: status and value of ``auto``, its CPU seconds (first run, with
what has to be compiled or loaded), and what ``swap-search`` and ``greedy-cc`` reach of it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import fairopt

HERE = Path(__file__).resolve().parent.parent / "instances" / "jr_ranking"


def main(k: int) -> None:
    """Solve all of them for feeds of ``k`` comments and print one line each, then the means."""
    rows = []
    for file in sorted(HERE.glob("*.json.gz")):
        problem = fairopt.load(file)
        for scores in problem.score_sets if k <= problem.n_comments else ():
            asked = problem.replace(k=k, scores=scores)
            begin = time.process_time()
            best = fairopt.solve(asked, "auto", time_limit=30)
            seconds = time.process_time() - begin
            shares = [
                float(fairopt.solve(asked, name, time_limit=30).value / best.value)
                for name in ("swap-search", "greedy-cc")
            ]
            rows.append((best.status == "optimal", seconds, *shares))
            print(file.name, scores, best.status, best.value, f"{seconds:.2f}", *shares)
    for name, column in (("swap-search", 2), ("greedy-cc", 3)):
        shares = [row[column] for row in rows if row[0]]
        print(f"{name}: mean {sum(shares) / len(shares):.4f}, worst {min(shares):.4f}")
    print(
        f"{sum(row[0] for row in rows)} of {len(rows)} optimal, slowest {max(r[1] for r in rows)}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
