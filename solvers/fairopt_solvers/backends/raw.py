"""What dispatch and adapters hand each other: a task, a raw reply, and the watch over a run."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from fairopt.run import Run
from fairopt_solvers.backends.model import Floats, LinearModel
from fairopt_solvers.backends.scaling import Scaling

T = TypeVar("T")

PERIOD = 0.02  # seconds between two looks at the clock


@dataclass(frozen=True, slots=True)
class Task:
    """One call of one backend: minimise ``scaling.costs`` over ``model``.

    ``lp`` asks for duals and rays; ``strict`` is set after a refuted claim and asks for the
    slow and careful way: no presolve, tight tolerances. ``on_point`` takes raw points.
    """

    model: LinearModel
    scaling: Scaling
    start: Floats | None = None
    lp: bool = False
    strict: bool = False
    on_point: Callable[[Floats], None] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A backend's words, unchecked, in the scale it was given and minimising.

    ``status`` is ``optimal``, ``feasible``, ``infeasible``, ``unbounded``, ``unknown`` or
    ``failed``; ``words`` is what the backend itself said.
    """

    status: str
    words: str
    x: Floats | None = None
    objective: float | None = None
    bound: float | int | None = None
    duals: Floats | None = None
    reduced_costs: Floats | None = None
    ray: Floats | None = None
    stopped: bool = False


_left_behind: list[threading.Thread] = []


def watch(
    work: Callable[[], T],
    run: Run,
    stop: Callable[[], object],
    tick: Callable[[], None] | None = None,
) -> T | None:
    """Return ``work()``, done in another thread while this one watches the clock.

    The main thread must stay in Python, or a signal handler would wait for the backend. When
    the run expires ``stop`` is called, again and again; a backend that does not listen within
    half a second and a tenth of the limit is left behind and None is returned. ``tick`` is
    called on every look at the clock.
    """
    done = threading.Event()
    box: list[T] = []
    trouble: list[BaseException] = []

    def target() -> None:
        try:
            box.append(work())
        except BaseException as error:
            trouble.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    grace = 0.5 + 0.1 * (run.time_limit or 5.0)
    given_up: float | None = None
    try:
        while not done.wait(PERIOD):
            if tick is not None:
                tick()
            if run.expired():
                stop()
                now = time.monotonic()
                given_up = now + grace if given_up is None else given_up
                if now >= given_up:
                    _leave(thread)
                    return None
    except BaseException:  # a KeyboardInterrupt where no handler is installed
        stop()
        if not done.wait(grace):
            _leave(thread)
        raise
    thread.join()
    if trouble:
        raise trouble[0]
    return box[0]


def _leave(thread: threading.Thread) -> None:
    """Leave a deaf backend running; the process waits for it a little before it ends.

    A thread that comes back from C++ while the interpreter is torn down aborts the process.
    """
    if not _left_behind:
        atexit.register(_wait)
    _left_behind.append(thread)


def _wait() -> None:
    for thread in _left_behind:
        thread.join(10.0)
