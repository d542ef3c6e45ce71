"""CBC, the one that comes with PuLP, in a process of its own that can be killed.

PuLP's own reading is not used: it calls a run that time stopped ``Optimal``, and gives variables
LP values when nothing was found. What CBC writes says both plainly.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fairopt.run import NO_LIMIT, Run
from fairopt_solvers.backends.model import Floats, LinearModel
from fairopt_solvers.backends.raw import PERIOD, Reply, Task

_SEEDS = 2**30
GRACE = 0.4  # seconds after the limit until the process is killed


def executable() -> str:
    """Return the path of PuLP's CBC, an empty text if there is none for this machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PuLP 4, which we do not take
        import pulp

        path = str(pulp.PULP_CBC_CMD(msg=False).path)
    return path if os.access(path, os.X_OK) else ""


def run_cbc(task: Task, run: Run) -> Reply:
    """Solve with CBC; a bound comes back only with a claim of optimality.

    Preprocessing and probing stay off: with them CBC 2.10.3 calls wrong points optimal (of
    0 <= 2a - 2b <= 1, binary, it takes the worst). Without preprocessing it crashes on some
    models without an integer point; then it is asked with it, and only believed if it finds the
    model infeasible.
    """
    program = executable()
    if not program:
        return Reply("failed", "PuLP brings no CBC for this machine")
    with tempfile.TemporaryDirectory(prefix="fairopt-cbc-") as folder:
        path = Path(folder)
        with open(path / "model.mps", "w", encoding="ascii") as file:
            file.writelines(mps_lines(task.model, np.asarray(task.scaling.costs, np.float64)))
        reply = _ask([program, *_options(task, run, path), "-preprocess", "off"], task, path, run)
        if reply.status == "failed" and not run.expired():
            other = _ask([program, *_options(task, run, path)], task, path, run)
            if other.status == "infeasible" or other.stopped:
                return Reply(
                    other.status, f"{other.words}, with preprocessing", stopped=other.stopped
                )
    return reply


def _ask(command: list[str], task: Task, folder: Path, run: Run) -> Reply:
    out = folder / "out.sol"
    out.unlink(missing_ok=True)
    tail = ["-solve", "-printingOptions", "all", "-solution", out.name]
    killed, code = _run([*command, *tail], folder, run)
    text = out.read_text(encoding="utf-8") if out.exists() else ""
    if text.strip():
        return read_solution(text, task.model)
    if killed:
        return Reply("unknown", "killed at the limit", stopped=True)
    return Reply("failed", f"ended with code {code} and without a solution file")


def _options(task: Task, run: Run, folder: Path) -> list[str]:
    out = ["model.mps", "-logLevel", "0", "-ratioGap", "0", "-allowableGap", "0"]
    out += ["-probing", "off"]
    out += ["-randomSeed", str(run.seed % _SEEDS), "-randomCbcSeed", str(run.seed % _SEEDS)]
    if run.remaining() < NO_LIMIT:
        out += ["-timeMode", "elapsed", "-sec", repr(max(run.remaining(), 0.01))]
    if task.strict:
        out += ["-presolve", "off", "-cuts", "off", "-primalT", "1e-9", "-integerT", "1e-9"]
    if task.start is not None and task.model.integer.any():
        lines = (f"{j} C{j} {v!r} 0\n" for j, v in enumerate(task.start.tolist()))
        (folder / "start.sol").write_text("Stopped\n" + "".join(lines), encoding="ascii")
        out += ["-mips", "start.sol"]
    return out


def _run(command: list[str], folder: Path, run: Run) -> tuple[bool, int]:
    """Run the program in a group of its own; return whether it was killed, and its code."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches us, and we end it
    )
    deadline: float | None = None
    pause = 0.001
    try:
        while True:
            try:
                return False, process.wait(pause)
            except subprocess.TimeoutExpired:
                pause = min(2 * pause, PERIOD)
            if run.expired():
                deadline = time.monotonic() + GRACE if deadline is None else deadline
                if time.monotonic() >= deadline:
                    return True, -1
    finally:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:  # pragma: no cover - Windows
                process.kill()
        process.wait()


def read_solution(text: str, model: LinearModel) -> Reply:
    """Read CBC's solution file. Its first line alone says whether the numbers are a solution."""
    first, *lines = text.splitlines()
    words = first.strip()
    low = words.lower()
    if "no integer solution" in low or "no feasible" in low:  # the numbers are an LP's
        return Reply("unknown", words, stopped=True)
    if low.startswith(("infeasible", "integer infeasible")):
        return Reply("infeasible", words)
    if low.startswith("unbounded"):
        return Reply("unbounded", words)
    if not low.startswith(("optimal", "stopped")):
        return Reply("failed", words)
    x = np.zeros(model.n_columns)
    for line in lines:
        fields = [f for f in line.split() if f != "**"]
        if len(fields) >= 3 and fields[1].startswith("C"):
            x[int(fields[1][1:])] = float(fields[2])
    objective = float(low.rsplit("objective value", 1)[1]) if "objective value" in low else math.nan
    if low.startswith("optimal"):
        return Reply("optimal", words, x, objective, objective)
    if not math.isfinite(objective) or abs(objective) >= 1e49:
        return Reply("unknown", words, stopped=True)
    return Reply("feasible", words, x, objective, stopped=True)


def mps_lines(model: LinearModel, costs: Floats) -> Iterator[str]:
    """Yield the model as free MPS, every number with all its digits."""
    yield "NAME model FREE\nROWS\n N OBJ\n"
    low, high = model.row_lower.tolist(), model.row_upper.tolist()
    kinds = [_row_kind(a, b) for a, b in zip(low, high, strict=True)]
    for i, kind in enumerate(kinds):
        yield f" {kind} R{i}\n"
    yield from _columns(model, costs)
    yield "RHS\n"
    for i, kind in enumerate(kinds):
        side = {"L": high[i], "N": 0.0}.get(kind, low[i])
        if side:
            yield f" RHS R{i} {side!r}\n"
    yield "RANGES\n"
    for i, kind in enumerate(kinds):
        if kind == "G" and math.isfinite(high[i]):
            yield f" RNG R{i} {high[i] - low[i]!r}\n"
    yield "BOUNDS\n"
    for j, (a, b) in enumerate(zip(model.lower.tolist(), model.upper.tolist(), strict=True)):
        if a == b:
            yield f" FX BND C{j} {a!r}\n"
        elif math.isinf(a) and math.isinf(b):
            yield f" FR BND C{j}\n"
        else:
            yield f" MI BND C{j}\n" if math.isinf(a) else f" LO BND C{j} {a!r}\n"
            yield f" PL BND C{j}\n" if math.isinf(b) else f" UP BND C{j} {b!r}\n"
    yield "ENDATA\n"


def _row_kind(low: float, high: float) -> str:
    if low == high:
        return "E"
    if math.isfinite(low):
        return "G"
    return "L" if math.isfinite(high) else "N"


def _columns(model: LinearModel, costs: Floats) -> Iterator[str]:
    order = np.argsort(model.indices, kind="stable")
    starts = np.searchsorted(model.indices[order], np.arange(model.n_columns + 1)).tolist()
    row, coef = model.row_of()[order].tolist(), model.coefs[order].tolist()
    yield "COLUMNS\n"
    inside = False
    for j, (whole_column, cost) in enumerate(
        zip(model.integer.tolist(), costs.tolist(), strict=True)
    ):
        if whole_column != inside:
            inside = whole_column
            yield f" MARK{j} 'MARKER' '{'INTORG' if inside else 'INTEND'}'\n"
        yield f" C{j} OBJ {cost!r}\n"
        for k in range(starts[j], starts[j + 1]):
            yield f" C{j} R{row[k]} {coef[k]!r}\n"
    if inside:
        yield " MARKEND 'MARKER' 'INTEND'\n"
