"""What a run tells its method about time, and what parts of the work may change of it."""

from fairopt.run import Run


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_child_shares_the_deadline_and_counts_as_cut():
    clock = Clock()
    run = Run(10, clock=clock)
    child = run.child("part", time_limit=3)
    clock.now = 4
    assert child.expired()
    assert not run.expired()
    assert run.stopped_by == "time-limit"


def test_what_is_done_aside_ends_by_its_own_budget_and_leaves_no_mark():
    clock = Clock()
    run = Run(10, clock=clock)
    run.offer("answer", 1.0)
    part = run.aside("part", seconds=3)
    part.cut()
    clock.now = 4
    assert part.expired()
    assert not run.expired()
    assert run.stopped_by == "completed"
    assert run.offered == "answer"
    assert part.offered is None
    clock.now = 10
    assert run.aside("part", seconds=3).expired()
    assert run.expired()
    assert run.stopped_by == "time-limit"


def test_an_interrupt_before_reaches_what_is_done_aside():
    run = Run()
    run.interrupt()
    assert run.aside("part", seconds=3).expired()
