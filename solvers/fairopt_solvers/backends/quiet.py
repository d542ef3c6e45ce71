"""Keep a banner that C code prints at its first use off stdout."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_LOG = logging.getLogger("fairopt")
_lock = threading.Lock()
_done: set[object] = set()


def quietly(make: Callable[[], T]) -> T:
    """Return ``make()``; what its first call writes to file descriptor 1 goes to the log.

    HiGHS prints a banner at its first object whatever its options say, which would spoil JSON on
    stdout. Later calls print nothing and are left alone, so that other threads can print.
    """
    if make in _done:
        return make()
    with _lock:
        text, made = _captured(make)
        _done.add(make)
    if text:
        _LOG.debug("%s", text)
    return made


def _captured(make: Callable[[], T]) -> tuple[str, T]:
    """Return what ``make`` wrote, and what it made; works when descriptor 1 is closed."""
    _flush()
    with tempfile.TemporaryFile() as file:
        saved: int | None = None
        with contextlib.suppress(OSError):
            saved = os.dup(1)
        if file.fileno() != 1:
            os.dup2(file.fileno(), 1)
        try:
            made = make()
        finally:
            _flush()
            file.seek(0)
            text = file.read().decode(errors="replace").strip()
            if saved is not None:
                os.dup2(saved, 1)
                os.close(saved)
            elif file.fileno() != 1:
                os.close(1)
    return text, made


def _flush() -> None:
    """Flush Python's stdout and C's, which has a buffer of its own for files and pipes."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)
