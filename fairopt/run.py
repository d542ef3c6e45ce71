"""What a method is given besides its problem: deadline, randomness, threads, progress."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairopt.errors import UsageError

NO_LIMIT = 1e6  # seconds; backends need a number


@dataclass(frozen=True, slots=True)
class Progress:
    """One line of progress: seconds since the start, incumbent and bound as floats."""

    seconds: float
    value: float | None
    bound: float | None


@dataclass(eq=False)
class _Shared:
    """State that a run and its children have in common."""

    interrupted: bool = False
    cut: bool = False
    offered: Any = None
    offered_value: Any = None
    value: float | None = None
    bound: float | None = None


@dataclass(eq=False)
class Run:
    """One run of one method.

    Parameters
    ----------
    time_limit
        Seconds from the moment the run is made; None for no limit.
    seed
        Root of all random streams.
    threads
        How many threads a backend may use.
    clock
        Where the time is read (injectable, so that tests need not wait).
    on_progress
        Called with ``Progress``; must be quick.
    """

    time_limit: float | None = None
    seed: int = 0
    threads: int = 1
    clock: Callable[[], float] = time.monotonic
    on_progress: Callable[[Progress], None] | None = None
    minimize: bool = True
    _path: tuple[int, ...] = ()
    _start: float | None = None
    _shared: _Shared = field(default_factory=_Shared)

    def __post_init__(self) -> None:
        if self.seed < 0 or self.threads < 1:
            raise UsageError("seed must be at least 0 and threads at least 1")
        if self._start is None:
            self._start = self.clock()
        self._rng: np.random.Generator | None = None

    # -- time ---------------------------------------------------------------------------

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        assert self._start is not None
        return self.clock() - self._start

    def remaining(self) -> float:
        """Return the seconds left, never below 0; ``NO_LIMIT`` without a limit."""
        if self._shared.interrupted:
            return 0.0
        if self.time_limit is None:
            return NO_LIMIT
        left = self.time_limit - self.elapsed()
        if left <= 0:
            self._shared.cut = True
            return 0.0
        return left

    def expired(self) -> bool:
        """Return whether the method has to stop now (limit reached or interrupted)."""
        return self.remaining() <= 0

    def interrupt(self) -> None:
        """Ask the method to stop at its next look at the clock (safe in a signal handler)."""
        self._shared.interrupted = True

    def cut(self) -> None:
        """Record that a limit cut something short, as a backend's own limit does."""
        self._shared.cut = True

    @property
    def stopped_by(self) -> str:
        """``completed``, ``time-limit`` or ``interrupted``."""
        if self._shared.interrupted:
            return "interrupted"
        return "time-limit" if self._shared.cut else "completed"

    # -- randomness ---------------------------------------------------------------------

    @property
    def rng(self) -> np.random.Generator:
        """The random stream of this run; made at first use."""
        if self._rng is None:
            sequence = np.random.SeedSequence(self.seed, spawn_key=self._path)
            self._rng = np.random.Generator(np.random.PCG64(sequence))
        return self._rng

    def child(self, name: str, *, time_limit: float | None = None) -> Run:
        """Return a run for a part of the work: own random stream, same deadline and offers.

        The stream depends on the seed and the names only, so a draw added in one part changes
        no other. ``time_limit`` (seconds from now) may shorten the deadline, never extend it.
        """
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")
        limit = self.time_limit
        if time_limit is not None:
            own = self.elapsed() + time_limit
            limit = own if limit is None else min(limit, own)
        return Run(
            limit, self.seed, self.threads, self.clock, self.on_progress, self.minimize,
            (*self._path, key), self._start, self._shared,
        )  # fmt: skip

    def aside(self, name: str, *, seconds: float) -> Run:
        """Return a run for a search with a budget of its own, which the method can do without.

        As ``child``; that it is cut short says nothing about the whole run, and it offers nothing.
        An interrupt reaches it when its seconds are over.
        """
        part = self.child(name, time_limit=seconds)
        part._shared = replace(self._shared, offered=None, offered_value=None)
        return part

    # -- answers on the way -------------------------------------------------------------

    def report(self, value: Any = None, bound: Any = None) -> None:
        """Tell how far the work is; numbers are for display only."""
        shared = self._shared
        if value is not None:
            shared.value = float(value)
        if bound is not None:
            shared.bound = float(bound)
        if self.on_progress is not None:
            self.on_progress(Progress(self.elapsed(), shared.value, shared.bound))

    def offer(self, answer: Any, value: Any = None) -> None:
        """Hand over an answer found on the way; the frame falls back on it at a limit.

        ``value`` is the method's own figure and is used only to keep the better of two
        offers (a number, or a tuple for lexicographic objectives); without it the newer
        offer replaces the older. The frame checks what it uses.
        """
        shared = self._shared
        if shared.offered is not None and value is not None and shared.offered_value is not None:
            worse = value > shared.offered_value if self.minimize else value < shared.offered_value
            if worse:
                return
        shared.offered, shared.offered_value = answer, value
        self.report(value=value if isinstance(value, int | float) else None)

    @property
    def offered(self) -> Any:
        """The best answer offered so far, or None."""
        return self._shared.offered
