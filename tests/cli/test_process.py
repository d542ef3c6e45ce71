"""What only a process of its own shows: imports, signals, pipes, terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import fairopt

HERE = Path(__file__).parent
ROOT = Path(fairopt.__file__).parents[1]
HEAVY = "rich numba scipy ortools highspy cvxpy pulp networkx matplotlib sklearn msgspec numpy"
ENV = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "solvers"), str(HERE)]),
}
TOY = [sys.executable, str(HERE / "toy_family.py")]
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and terminals")


@pytest.fixture
def instance(tmp_path: Path) -> str:
    path = tmp_path / "toy.json"
    path.write_text('{"problem": "toy-pick", "size": 5}')
    return str(path)


def start(*args: str, **more):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENV}
    return subprocess.Popen([*TOY, *args], **{**pipes, **more})


@pytest.mark.parametrize("code", ["import fairopt", "from fairopt.cli.app import cli; main()"])
def test_import_and_help_are_light(code):
    script = (
        "import sys\n"
        "def main():\n"
        "    try: cli.main(['--help'])\n"
        "    except SystemExit: pass\n"
        f"{code}\n"
        f"print([m for m in {HEAVY!r}.split() if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=ENV)
    assert done.stderr.strip() == "[]"


def test_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "fairopt", "--version"], capture_output=True, text=True, env=ENV
    )
    assert (done.returncode, done.stdout) == (0, f"fairopt {fairopt.__version__}\n")


@posix
def test_first_interrupt_gives_the_best_answer(instance, tmp_path):
    out = tmp_path / "solution.json"
    process = start("solve", instance, "--method", "endless", "--time-limit", "0", "-o", str(out))
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 0
    assert stderr.splitlines()[0] == "stopping, press again to end"
    assert "feasible, interrupted" in stdout
    assert json.loads(out.read_text())["stopped_by"] == "interrupted"


@posix
def test_interrupt_without_an_answer(instance):
    process = start("solve", instance, "--method", "endless", "--set", "offers=false")
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "unknown: no answer was found, interrupted" in stdout


@posix
def test_second_interrupt_ends_the_process(instance):
    process = start("solve", instance, "--method", "deaf", "--time-limit", "0")
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline() == "stopping, press again to end\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    process.communicate()


@posix
def test_interrupt_ends_a_comparison_with_the_rows_so_far(instance):
    process = start("compare", instance, "--methods", "exact,endless,deaf", "--time-limit", "0")
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert [line.split()[0] for line in stdout.splitlines() if "feasible" in line] == ["endless"]
    assert "deaf" not in stdout


@posix
def test_interrupt_outside_a_method_is_one_line(instance, tmp_path):
    fifo = tmp_path / "slow.json"
    os.mkfifo(fifo)
    process = start("solve", str(fifo))
    with open(fifo, "wb"):  # returns when the command has begun to read
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            # Python sees a signal that comes just before read() blocks at the next one only.
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stderr == "fairopt: interrupted\n"


@posix
def test_closed_pipe_is_no_error(instance):
    reader, writer = os.pipe()
    os.close(reader)
    process = start("methods", "toy-pick", stdout=writer)
    os.close(writer)
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (141, "")


@posix
def test_terminal_shows_progress_and_ctrl_c_stops(instance):
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*TOY, "solve", instance, "--method", "endless", "--time-limit", "0"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**ENV, "TERM": "xterm", "COLUMNS": "80"},
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(slave)
    shown = _read_until(master, b"value 1")
    os.write(master, b"\x03")
    shown += _read_until(master, None)
    assert process.wait(timeout=20) == 0
    assert b"\r\x1b[Kendless, " in shown, "progress overwrites itself"
    assert b"stopping, press again to end" in shown
    assert b"\x1b[1mstatus" in shown, "names are bold on a terminal"
    os.close(master)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read_until(master: int, end: bytes | None) -> bytes:
    """Read from a terminal until ``end`` is seen, or (None) until it is closed."""
    shown = b""
    while end is None or end not in shown:
        try:
            part = os.read(master, 4096)
        except OSError:  # Linux's way to say that the other side is closed
            break
        if not part:
            break
        shown += part
    return shown
