"""While a method runs: progress on a terminal, Ctrl-C, and what the library logs."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fairopt.cli.show import one_line

if TYPE_CHECKING:
    from fairopt.run import Progress, Run

_TICK = 0.2  # seconds between two looks at the progress
_SLOW_KERNEL = 0.3  # seconds; faster ones came from the cache
_INTERRUPTED = 130


class Live:
    """One line on stderr that overwrites itself; silent where stderr is no terminal."""

    def __init__(self, title: str = "", *, quiet: bool = False) -> None:
        self.active = not quiet and sys.stderr.isatty()
        self.title, self._state, self._note = title, "", ""
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Live:
        if self.active:
            self._thread = threading.Thread(target=self._tick, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._thread is not None:
            self._thread.join()
            self._write("")

    def show(self, progress: Progress) -> None:
        """Take the newest figures; they are drawn at the next tick."""
        parts = []
        if progress.value is not None:
            parts.append(f"value {progress.value:.6g}")
        if progress.bound is not None:
            parts.append(f"bound {progress.bound:.6g}")
        if progress.value is not None and progress.bound is not None and progress.value:
            gap = abs(progress.value - progress.bound) / abs(progress.value)
            parts.append(f"gap {100 * gap:.2g} %")
        self._state, self._note = ", ".join(parts), ""

    def note(self, text: str) -> None:
        """Show a remark until the next figures come."""
        self._note = text

    def say(self, text: str) -> None:
        """Print a line that stays, above the progress."""
        self._write(f"{one_line(text)}\n")

    def _tick(self) -> None:
        while not self._end.wait(_TICK):
            seconds = f"{time.monotonic() - self._start:.0f} s"
            self._write(", ".join(p for p in (self.title, seconds, self._note or self._state) if p))

    def _write(self, text: str) -> None:
        columns = shutil.get_terminal_size().columns
        shown = text if text.endswith("\n") else text[: columns - 1]
        with self._lock:
            sys.stderr.write(f"\r\x1b[K{shown}" if self.active else shown)
            sys.stderr.flush()


class _Log(logging.Handler):
    """Warnings of the library in one line each; kernels being compiled as a remark."""

    def __init__(self, live: Live) -> None:
        super().__init__(logging.INFO)
        self.live = live

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            error = record.exc_info[1] if record.exc_info else None
            if error is not None:
                text += f" ({type(error).__name__}: {error})"
            self.live.say(f"fairopt: {text}")
        elif text.startswith("kernel") and _seconds(record) >= _SLOW_KERNEL:
            self.live.note("compiling kernels (first use) …")


def _seconds(record: logging.LogRecord) -> float:
    args = record.args if isinstance(record.args, tuple) else ()
    return next((a for a in reversed(args) if isinstance(a, float)), 0.0)


@contextmanager
def logging_to(live: Live) -> Iterator[None]:
    """Show on stderr what the library logs."""
    log, handler = logging.getLogger("fairopt"), _Log(live)
    before = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO if live.active else logging.WARNING)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.level, log.propagate = before


@contextmanager
def stopping(interrupt: Callable[[], None], live: Live) -> Iterator[None]:
    """Turn the first Ctrl-C into ``interrupt()``; the second ends the process.

    A thread listens to the signal's wake-up socket, because a backend may keep the main thread,
    where Python runs signal handlers, inside C code until it is told to stop.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    listener = threading.Thread(target=_listen, args=(reader, interrupt, live), daemon=True)
    listener.start()
    handler = signal.signal(signal.SIGINT, lambda *_: None)
    wakeup = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGINT, handler)
        writer.close()
        listener.join()
        reader.close()


def _listen(reader: socket.socket, interrupt: Callable[[], None], live: Live) -> None:
    seen = 0
    while byte := reader.recv(1):
        if byte[0] != signal.SIGINT:
            continue
        seen += 1
        if seen == 1:
            interrupt()
            live.say("stopping, press again to end")
        else:
            live.say("")
            os._exit(_INTERRUPTED)


@contextmanager
def watched(run: Run, title: str, *, quiet: bool) -> Iterator[None]:
    """Run a method: with progress, with the library's log, and stopped by Ctrl-C."""
    with Live(title, quiet=quiet) as live:
        if live.active:
            run.on_progress = live.show
        with logging_to(live), stopping(run.interrupt, live):
            yield
