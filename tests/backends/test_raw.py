import threading

import pytest

from fairopt.run import Run
from fairopt_solvers.backends import raw
from fairopt_solvers.backends.quiet import quietly
from fairopt_solvers.backends.raw import watch


def test_what_the_work_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        watch(lambda: 1 // 0, Run(), lambda: None)
    assert watch(lambda: 5, Run(), lambda: None) == 5


def test_a_deaf_backend_is_left_behind_at_the_limit(monkeypatch):
    gate, stops = threading.Event(), []
    times = iter([0.0, 0.1, 100.0])
    monkeypatch.setattr(raw.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(raw, "_left_behind", [])
    run = Run(clock=lambda: 0.0)
    run.interrupt()
    assert watch(gate.wait, run, lambda: stops.append(1)) is None
    assert len(stops) == 3
    assert len(raw._left_behind) == 1
    gate.set()
    raw._wait()


def test_a_keyboard_interrupt_stops_the_backend_and_goes_on():
    gate = threading.Event()

    def tick():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(gate.wait, Run(), gate.set, tick)
    assert gate.is_set()


def test_output_of_the_first_call_goes_to_the_log(capfd, caplog):
    import os

    def noisy():
        os.write(1, b"banner\n")
        return 3

    with caplog.at_level("DEBUG", "fairopt"):
        assert quietly(noisy) == 3
    assert capfd.readouterr().out == ""
    assert caplog.messages == ["banner"]
