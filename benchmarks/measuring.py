"""What benchmarks share: rows that are kept, warm and cold seconds, fresh processes, suites.

A row is one run, flat, appended as a line of JSON to ``benchmarks/rows/<family>.jsonl``; a run
whose key is there already is skipped, so a sweep that was killed goes on. Tables are made from rows
only. Seconds are CPU seconds of one process divided by the slowdown of the yardstick, which is
measured anew when it is older than a minute.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
for folder in (ROOT / "solvers", ROOT):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import yardstick  # noqa: E402
from recording import commit  # noqa: E402

import fairopt  # noqa: E402  of this checkout
from fairopt.solution import encode  # noqa: E402

WARM, MOST = 5, 60.0  # runs of which the fastest counts; seconds after which none is added
MINUTE = 60.0
LONG = 40  # numbers of a lexicographic value that a row keeps


# -- rows ----------------------------------------------------------------------------------


def versions() -> dict[str, str]:
    """Return the versions that a row names."""
    packages = ("numpy", "scipy", "numba", "highspy", "ortools", "pulp")
    python = ".".join(map(str, sys.version_info[:3]))
    return {"python": python, **{name: version(name) for name in packages}}


class Rows:
    """The rows of a family; ``run`` adds one unless its key is there."""

    def __init__(
        self, path: Path, *, again: bool = False, only: dict[str, str] | None = None
    ) -> None:
        self.path, self.again, self.only = path, again, only or {}
        lines = path.read_text().splitlines() if path.exists() else []
        self.all: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def run(self, step: str, work: Callable[[], dict[str, Any]], **key: Any) -> None:
        """Do the work and append what it returns, with the key, the commit and the date."""
        if any(str(key.get(k)) != v for k, v in self.only.items()):
            return
        name = {"step": step, "commit": commit(), **key}
        if not self.again and any(name.items() <= row.items() for row in self.all):
            return
        row = {**name, "date": f"{datetime.now(UTC):%Y-%m-%d}", **work()}
        self.all.append(row)
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as out:
            out.write(json.dumps(row, default=str) + "\n")
        print(json.dumps(row, default=str)[:300], flush=True)


def outcome(solution: Any) -> dict[str, Any]:
    """Return what a row keeps of a solution."""
    bound = solution.bound
    proven = None if bound is None else bound.proof
    who = bound.data.get("backend", "") if proven == "solver" else ""
    return {
        "status": str(solution.status),
        "stopped_by": solution.stopped_by,
        "value": short(solution.value),
        "value_float": numbers(solution.value),
        "bound": None if bound is None else short(bound.value),
        "ratio": None if solution.ratio is None else round(float(solution.ratio), 6),
        "proof": f"{proven} {who}".strip() if proven else None,
    }


def short(value: Any) -> Any:
    """Return a value in JSON, lexicographic ones shortened."""
    return encode(value[:10]) if isinstance(value, tuple) else encode(value)


def numbers(value: Any) -> list[float]:
    """Return the numbers of a value in order, at most ``LONG``."""
    if isinstance(value, tuple):
        return [x for part in value for x in numbers(part)][:LONG]
    return [] if value is None else [float(value)]


# -- seconds -------------------------------------------------------------------------------

_slowdown = [-MINUTE, 1.0]  # when it was measured, what it was


def slowdown() -> float:
    """Return the slowdown of this minute."""
    if time.monotonic() - _slowdown[0] > MINUTE:
        _slowdown[:] = time.monotonic(), yardstick.slowdown()
    return _slowdown[1]


def warm(work: Callable[[], Any], *, runs: int = WARM, most: float = MOST) -> dict[str, Any]:
    """Run once unmeasured, then up to ``runs`` times; return the seconds of the fastest.

    ``seconds`` are CPU seconds divided by the slowdown; ``cpu`` and ``wall`` are as measured. Work
    that takes long is repeated only while ``most`` seconds are not over, and then the first
    run counts as well: its imports are a small part of it.
    """
    begun = time.monotonic()
    first = _once(work)
    times = []
    while len(times) < runs and time.monotonic() - begun + first["wall"] < most:
        times.append(_once(work))
    slow = slowdown()
    best = min(times or [first], key=lambda t: t["cpu"])
    figures = {k: round(v, 4) for k, v in best.items()}
    seconds = round(best["cpu"] / slow, 4)
    return {"seconds": seconds, **figures, "runs": len(times), "slowdown": round(slow, 3)}


def _once(work: Callable[[], Any]) -> dict[str, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


# -- fresh processes -----------------------------------------------------------------------


def spawn(words: list[str], *, empty_cache: bool = False) -> tuple[str, float, float]:
    """Run a program to its end; return its output, CPU seconds and wall seconds."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "solvers"), str(HERE)])
    env = {**os.environ, "PYTHONPATH": path}
    with tempfile.TemporaryDirectory() as empty:
        if empty_cache:
            env["NUMBA_CACHE_DIR"] = empty
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(words, env=env, cwd=ROOT, capture_output=True, text=True)
        wall = time.perf_counter() - begun
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{words} ended with {done.returncode}: {done.stderr[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, cpu, wall


def fresh(case: dict[str, Any], *, empty_cache: bool = False) -> dict[str, Any]:
    """Solve a case in a process of its own; return seconds of all and the peak memory."""
    words = [sys.executable, str(HERE / "measuring.py"), json.dumps(case)]
    text, cpu, wall = spawn(words, empty_cache=empty_cache)
    figures: dict[str, Any] = json.loads(text.splitlines()[-1])
    slow = slowdown()
    seconds = {"seconds": round(cpu / slow, 3), "cpu": round(cpu, 3), "wall": round(wall, 3)}
    return {**figures, **seconds, "slowdown": round(slow, 3)}


def peak_mib() -> float:
    """Return the peak resident memory of this process, in MiB.

    Linux hands ``ru_maxrss`` down from the parent, so the kernel's own mark of this program
    goes first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def case(spec: dict[str, Any]) -> dict[str, Any]:
    """Load and solve what a case says; called in a fresh process."""
    problem = instance(spec)
    options = spec.get("options", {})
    solution = fairopt.solve(problem, spec["method"], time_limit=spec.get("time_limit"), **options)
    return {**outcome(solution), "mib": round(peak_mib())}


def startup(words: list[str], base: list[str], *, runs: int = 15) -> dict[str, Any]:
    """Compare two programs, alternating; return medians of CPU and wall seconds and ratios."""
    times: dict[str, list[float]] = {"cpu": [], "wall": [], "base_cpu": [], "base_wall": []}
    spawn(words), spawn(base)
    for _ in range(runs):
        for prefix, program in (("", words), ("base_", base)):
            _, cpu, wall = spawn(program)
            times[f"{prefix}cpu"].append(cpu)
            times[f"{prefix}wall"].append(wall)
    middle = {k: round(statistics.median(v), 4) for k, v in times.items()}
    ratios = {f"{k}_ratio": round(middle[k] / middle[f"base_{k}"], 3) for k in ("cpu", "wall")}
    return {**middle, **ratios, "runs": runs}


# -- suites --------------------------------------------------------------------------------


def suite(path: Path) -> dict[str, Any]:
    """Read a suite; each instance gets a name and the objectives that it asks for."""
    content = tomllib.loads(path.read_text())
    for spec in content["instances"]:
        spec.setdefault("name", label(spec))
    return content


def label(spec: dict[str, Any]) -> str:
    """Return a short name: the file or generator, then what is set."""
    stem = Path(spec.get("path", spec.get("generate", ""))).name.split(".")[0]
    more = {**spec.get("with", {}), **spec.get("set", {})}
    return " ".join([stem, *(f"{k}={v}" for k, v in more.items())])


def present(specs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the instances whose files are there; say which are not."""
    for spec in specs:
        if "path" in spec and not (ROOT / spec["path"]).exists():
            print(f"skipped: {spec['path']} is not there", flush=True)
        else:
            yield spec


def instance(spec: dict[str, Any]) -> Any:
    """Load or generate an instance of a suite, with its settings and objective."""
    if "generate" in spec:
        problem = fairopt.generate(spec["problem"], spec["generate"], **spec.get("with", {}))
    else:
        problem = fairopt.load(ROOT / spec["path"], problem=spec["problem"], **spec.get("read", {}))
    changes = dict(spec.get("set", {}))
    if "objective" in spec:
        changes["objective"] = spec["objective"]
    return problem.replace(**changes) if changes else problem


if __name__ == "__main__":
    print(json.dumps(case(json.loads(sys.argv[1])), default=str))
