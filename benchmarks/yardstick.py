"""How slow is this machine right now? Seconds in RESULTS.md are divided by this factor.

Three fixed pieces of work: one linear program in HiGHS, one NumPy pass over 400 MB, one Numba
loop. ``slowdown()`` is the geometric mean of their times over the recorded ones. Run as a
script it prints the times; ``--record`` writes them down as the new reference.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

RECORD = Path(__file__).with_name("yardstick.json")
REPEATS = 10


def measure() -> dict[str, float]:
    """Return the CPU seconds of each piece of work (best of ten; the first warms caches)."""
    pieces = {"highs": _highs(), "numpy": _numpy(), "numba": _numba()}
    return {name: min(_cpu(work) for _ in range(REPEATS)) for name, work in pieces.items()}


def slowdown() -> float:
    """Return how many times slower than the recorded machine this one is now."""
    recorded = json.loads(RECORD.read_text())
    now = measure()
    return float(np.exp(np.mean([np.log(now[k] / recorded[k]) for k in recorded])))


def _cpu(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _highs():
    from fairopt.run import Run
    from fairopt_solvers.backends import LinearModel, relax, rows

    rng = np.random.default_rng(1)
    n, m = 12_000, 4000
    col = rng.integers(0, n, 4 * m)
    block = rows(np.repeat(np.arange(m), 4), col, upper=np.full(m, 2.0))
    model = LinearModel.build(rng.integers(1, 100, n), block, maximize=True)
    relax(model, Run())
    return lambda: relax(model, Run())


def _numpy():
    data = np.ones(50_000_000)
    return lambda: data.sum()


def _numba():
    from numba import njit

    @njit
    def loop(n):
        state, total = np.uint64(1), 0
        for _ in range(n):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            total += state & np.uint64(1)
        return total

    loop(10)
    return lambda: loop(50_000_000)


if __name__ == "__main__":
    times = measure()
    print(json.dumps({k: round(v, 4) for k, v in times.items()}))
    if "--record" in sys.argv:
        RECORD.write_text(json.dumps(times, indent=1) + "\n")
    elif RECORD.exists():
        print(f"slowdown {slowdown():.2f}")
