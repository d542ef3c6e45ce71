"""Exact methods against enumeration in large numbers: the tests themselves, more examples.

Sets ``FAIROPT_EXAMPLES`` (500 unless set) and runs ``tests/desk_rejection/test_exact.py`` with
pytest in this process: every objective on every backend, and reviewer nomination. A plugin counts
what the tests solved and verified. Prints one line a test and appends a row to
``benchmarks/rows/proofs.jsonl``. Run from anywhere: ``python benchmarks/proofs/desk_rejection.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names

from benchmarks.recording import Tally, run_tests  # noqa: E402

if __name__ == "__main__":
    tests = ["tests/desk_rejection/test_exact.py"]
    raise SystemExit(run_tests("desk_rejection exact = enumeration", tests, Tally()))
