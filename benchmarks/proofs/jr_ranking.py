"""Exact methods and audits against enumeration in large numbers: the tests, more examples.

Sets ``FAIROPT_EXAMPLES`` (500 unless set) and runs ``test_exact.py`` and ``test_audits.py`` of
``tests/jr_ranking`` with pytest in this process: every axiom, form and backend, rankings, smallest
justifying sets, and every audit. A plugin counts what the tests solved, verified and audited.
Prints one line a test and appends a row to ``benchmarks/rows/proofs.jsonl``. Run from anywhere:
``python benchmarks/proofs/jr_ranking.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names

from benchmarks.recording import Tally, run_tests  # noqa: E402
from fairopt_solvers.jr_ranking import audits  # noqa: E402

TESTS = ("tests/jr_ranking/test_exact.py", "tests/jr_ranking/test_audits.py")


class AuditTally(Tally):
    """Counts what audits find, too."""

    def __init__(self) -> None:
        super().__init__()
        self._audit = audits.audit
        audits.audit = self.audit

    def audit(self, problem: Any, *args: Any, **options: Any) -> Any:
        """Audit as the test asked, and count what was found."""
        found = self._audit(problem, *args, **options)
        self.now[{True: "holds", False: "fails", None: "open"}[found.holds]] += 1
        self.seen.add(problem.digest())
        return found


if __name__ == "__main__":
    what = "jr_ranking exact, audits = enumeration"
    raise SystemExit(run_tests(what, TESTS, AuditTally()))
