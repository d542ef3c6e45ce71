"""Exact fair clustering against enumeration in large numbers: the tests themselves, more examples.

Sets ``FAIROPT_EXAMPLES`` (300 unless set) and runs the tests of the exact methods and of the
bounds with pytest in this process: every condition with every way to choose centres, every
backend, shares against a dense linear program. Prints one line a test and appends a row to
``benchmarks/rows/proofs.jsonl``. Run from anywhere:
``python benchmarks/proofs/fair_clustering.py``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = ("test_exact.py", "test_exact_lp.py", "test_bounds.py")
os.environ.setdefault("FAIROPT_EXAMPLES", "300")


def beside(name: str) -> Any:
    """Return the script of another family; its name is also that of a package of tests."""
    spec = importlib.util.spec_from_file_location(f"proofs_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_condition(tests: dict[str, dict[str, Any]]) -> dict[str, Counter[str]]:
    """Add the counts of tests up by the condition in their names (``test[strict-points]``)."""
    out: dict[str, Counter[str]] = {}
    for name, counts in tests.items():
        condition = name.partition("[")[2].removesuffix("]")
        for ending in ("-free", "-points", "-candidates", "-fixed", "-highs", "-cp-sat", "-cbc"):
            condition = condition.removesuffix(ending)
        total = out.setdefault(condition or "other", Counter())
        total.update({k: v for k, v in counts.items() if k not in ("seconds", "passed")})
    return out


def main() -> int:
    """Run the tests, print the counts, append the row; return pytest's exit code."""
    proofs = beside("desk_rejection")
    tally, begun = proofs.Tally(), time.perf_counter()
    root = proofs.ROOT
    files = [str(root / "tests" / "fair_clustering" / name) for name in FILES]
    code = proofs.pytest.main(["-q", "--rootdir", str(root), *files], plugins=[tally])
    total = Counter[str]()
    for counts in tally.tests.values():
        total.update({k: v for k, v in counts.items() if k != "seconds"})
    row = {
        "what": "fair_clustering exact = enumeration",
        "commit": proofs.commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "examples": int(os.environ["FAIROPT_EXAMPLES"]),
        "tests": len(tally.tests),
        "exit": int(code),
        "seconds": round(time.perf_counter() - begun),
        **total,
        "by_condition": by_condition(tally.tests),
    }
    proofs.ROWS.parent.mkdir(exist_ok=True)
    with proofs.ROWS.open("a") as out:
        out.write(json.dumps({**row, "by_test": tally.tests}) + "\n")
    print(json.dumps(row, indent=1))
    return int(code)


if __name__ == "__main__":
    raise SystemExit(main())
