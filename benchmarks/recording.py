"""What the scripts of ``proofs/`` share: which commit ran, what its tests counted, the row kept."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "benchmarks" / "rows" / "proofs.jsonl"


@cache
def commit() -> str:
    """Return the short hash of the checkout, with a mark if files under test differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "fairopt", "solvers", "tests")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+changes" if changed else "")


def record(what: str, **counts: Any) -> None:
    """Append a row, named by what ran, the commit and the date; print it without its parts."""
    row = {"what": what, "commit": commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}", **counts}
    ROWS.parent.mkdir(exist_ok=True)
    with ROWS.open("a") as out:
        out.write(json.dumps(row) + "\n")
    print(json.dumps({k: v for k, v in row.items() if not k.startswith("by_")}, indent=1))


class Tally:
    """A pytest plugin: for each test the solutions by status, verifications, distinct questions.

    It stands in for ``fairopt.solve`` and ``fairopt.verify``, so that tests need not count.
    """

    def __init__(self) -> None:
        import fairopt

        self.tests: dict[str, dict[str, Any]] = {}
        self._solve, self._verify = fairopt.solve, fairopt.verify
        fairopt.solve, fairopt.verify = self.solve, self.verify
        self.now = Counter[str]()
        self.seen: set[str] = set()

    def solve(self, problem: Any, *args: Any, **options: Any) -> Any:
        """Solve as the test asked, and count the status."""
        solution = self._solve(problem, *args, **options)
        self.now[str(solution.status)] += 1
        self.seen.add(problem.digest())
        return solution

    def verify(self, *args: Any, **options: Any) -> Any:
        """Verify as the test asked, and count what holds."""
        report = self._verify(*args, **options)
        self.now["verified" if report.ok else "refuted"] += 1
        return report

    def pytest_runtest_call(self) -> None:
        """Start counting anew: plugins are asked before pytest's own call of the test."""
        self.now, self.seen = Counter(), set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the counts of a finished test and print them."""
        if report.when != "call":
            return
        counts = {**self.now, "distinct": len(self.seen), "seconds": round(report.duration, 1)}
        name = report.nodeid.split("::")[1]
        self.tests[name] = {"passed": report.passed, **counts}
        print(f"\n{name}: {self.tests[name]}", flush=True)


def run_tests(what: str, paths: Sequence[str], tally: Tally) -> int:
    """Run tests with more examples, count, append the row; return pytest's exit code.

    ``FAIROPT_EXAMPLES`` (500 unless set) says how many examples; pytest is imported here, since
    the number must be known before the tests are.
    """
    examples = os.environ.setdefault("FAIROPT_EXAMPLES", "500")
    import pytest

    begun = time.perf_counter()
    words = ["-q", "--rootdir", str(ROOT), *(str(ROOT / path) for path in paths)]
    code = int(pytest.main(words, plugins=[tally]))
    total = Counter[str]()
    for counts in tally.tests.values():
        total.update({k: v for k, v in counts.items() if k != "seconds"})
    seconds = round(time.perf_counter() - begun)
    sizes = {"examples": int(examples), "tests": len(tally.tests), "exit": code}
    record(what, **sizes, seconds=seconds, **total, by_test=tally.tests)
    return code
