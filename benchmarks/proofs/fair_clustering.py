"""Exact fair clustering against enumeration in large numbers: the tests themselves, more examples.

Sets ``FAIROPT_EXAMPLES`` (300 unless set) and runs the tests of the exact methods and of the
bounds with pytest in this process: every condition with every way to choose centres, every
backend, shares against a dense linear program. Prints one line a test and appends a row to
``benchmarks/rows/proofs.jsonl``. Run from anywhere:
``python benchmarks/proofs/fair_clustering.py``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names
os.environ.setdefault("FAIROPT_EXAMPLES", "300")

from benchmarks.recording import Tally, run_tests  # noqa: E402

FILES = ("test_exact.py", "test_exact_lp.py", "test_bounds.py")


def main() -> int:
    """Run the tests, print the counts, append the row; return pytest's exit code."""
    paths = [f"tests/fair_clustering/{name}" for name in FILES]
    return run_tests("fair_clustering exact = enumeration", paths, Tally())


if __name__ == "__main__":
    raise SystemExit(main())
