"""Exact methods and audits against enumeration in large numbers: the tests, more examples.

Sets ``FAIROPT_EXAMPLES`` (500 unless set) and runs ``test_exact.py`` and ``test_audits.py`` of
``tests/jr_ranking`` with pytest in this process: every axiom, form and backend, rankings, smallest
justifying sets, and every audit. A plugin counts what the tests solved, verified and audited.
Prints one line a test and appends a row to ``benchmarks/rows/proofs.jsonl``. Run from anywhere:
``python benchmarks/proofs/jr_ranking.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ROWS = ROOT / "benchmarks" / "rows" / "proofs.jsonl"
TESTS = ("tests/jr_ranking/test_exact.py", "tests/jr_ranking/test_audits.py")
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names
os.environ.setdefault("FAIROPT_EXAMPLES", "500")

import pytest  # noqa: E402  after the number of examples is set

import fairopt  # noqa: E402
from fairopt_solvers.jr_ranking import audits  # noqa: E402


class Tally:
    """A pytest plugin: for each test the solutions by status, verifications, audits, questions."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self._solve, self._verify, self._audit = fairopt.solve, fairopt.verify, audits.audit
        fairopt.solve, fairopt.verify, audits.audit = self.solve, self.verify, self.audit
        self._now = Counter[str]()
        self._seen: set[str] = set()

    def solve(self, problem: Any, *args: Any, **options: Any) -> Any:
        """Solve as the test asked, and count the status."""
        solution = self._solve(problem, *args, **options)
        self._now[str(solution.status)] += 1
        self._seen.add(problem.digest())
        return solution

    def verify(self, *args: Any, **options: Any) -> Any:
        """Verify as the test asked, and count what holds."""
        report = self._verify(*args, **options)
        self._now["verified" if report.ok else "refuted"] += 1
        return report

    def audit(self, problem: Any, *args: Any, **options: Any) -> Any:
        """Audit as the test asked, and count what was found."""
        found = self._audit(problem, *args, **options)
        self._now[{True: "holds", False: "fails", None: "open"}[found.holds]] += 1
        self._seen.add(problem.digest())
        return found

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        """Start counting anew for each test."""
        self._now, self._seen = Counter(), set()
        return (yield)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the counts of a finished test and print them."""
        if report.when != "call":
            return
        counts = {**self._now, "distinct": len(self._seen), "seconds": round(report.duration, 1)}
        name = report.nodeid.split("::")[1]
        self.tests[name] = {"passed": report.passed, **counts}
        print(f"\n{name}: {self.tests[name]}", flush=True)


def commit() -> str:
    """Return the short hash of the checkout, with a mark if files under test differ from it."""
    words = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    short = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    words = ["git", "-C", str(ROOT), "status", "--porcelain", "fairopt", "solvers", "tests"]
    changed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    return short + ("+changes" if changed else "")


def main() -> int:
    """Run the tests, print the counts, append the row; return pytest's exit code."""
    tally, hash_, begun = Tally(), commit(), time.perf_counter()
    paths = [str(ROOT / path) for path in TESTS]
    code = pytest.main(["-q", "--rootdir", str(ROOT), *paths], plugins=[tally])
    total = Counter[str]()
    for counts in tally.tests.values():
        total.update({k: v for k, v in counts.items() if k != "seconds"})
    row = {
        "what": "jr_ranking exact, audits = enumeration",
        "commit": hash_,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "examples": int(os.environ["FAIROPT_EXAMPLES"]),
        "tests": len(tally.tests),
        "exit": int(code),
        "seconds": round(time.perf_counter() - begun),
        **total,
        "by_test": tally.tests,
    }
    ROWS.parent.mkdir(exist_ok=True)
    with ROWS.open("a") as out:
        out.write(json.dumps(row) + "\n")
    print(json.dumps({k: v for k, v in row.items() if k != "by_test"}, indent=1))
    return int(code)


if __name__ == "__main__":
    raise SystemExit(main())
