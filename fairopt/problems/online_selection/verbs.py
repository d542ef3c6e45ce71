"""Commands of online selection beside the common ones."""

from __future__ import annotations

from typing import Literal

from fairopt.errors import UsageError
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.registry import resolve
from fairopt.verbs import Result, Table

_COUNTS = "fairopt_solvers.online_selection.simulate:simulate_counts"  # found by name
_WORST = "fairopt_solvers.online_selection.worst_order:worst_order"


def simulate(
    problem: OnlineSelection,
    *,
    method: str = "first-fit",
    runs: int | None = None,
    seed: int = 0,
    order_model: Literal["fixed", "random", "adversarial"] | None = None,
    top: int | None = 20,
) -> Result:
    """Return how often each element was accepted in many runs, the least often first.

    ``order_model`` says which order each run takes: that of the instance (``fixed``,
    ``adversarial``), or a fresh random one; default: the model of the instance. The intervals
    hold for all elements at once with 99 %.
    """
    if runs is not None and runs < 1:
        raise UsageError("runs: expected at least 1")
    found = resolve(_COUNTS)(problem, method, runs=runs, seed=seed, order_model=order_model)
    columns = ("element", "accepted", "rate", "at_least", "at_most")
    rows = [
        (problem.name_of(e), count, rate, low, high)
        for e, (count, rate, low, high) in enumerate(
            zip(found["counts"], found["frequency"], found["lower"], found["upper"], strict=True)
        )
    ]
    rows.sort(key=lambda row: row[1])
    shown = rows if top is None else rows[:top]
    title = f"{found['method']}, {found['runs']:,} runs, {found['order_model']} order"
    if len(shown) < len(rows):
        title += f"; the {len(shown):,} elements accepted least often of {len(rows):,}"
    return Result(found, (Table(columns, shown, title),))


def worst_order(problem: OnlineSelection, *, steps: int = 2_000, seed: int = 0) -> Result:
    """Return an order on which first-fit uses many colours, so that each is drawn rarely.

    Up to 8 elements every order is tried, and no order is worse. Beyond, hill climbing tries
    ``steps`` orders and proves nothing about the others; ``seed`` fixes it.
    """
    found = resolve(_WORST)(problem, steps=steps, seed=seed)
    names = [problem.name_of(e) for e in found["order"]]
    colors, tried = found["colors"], f"{found['tried']:,} orders were tried"
    whose = "all of them: no order needs more" if found["exhaustive"] else "others may need more"
    chance = f"an element is accepted with probability 1/{colors}" if colors else "nothing fits"
    words = (
        f"first-fit needs {colors} colours on this order, so that {chance}; {tried}, {whose}",
        Table(("arrival", "element"), list(enumerate(names, 1)), "order of arrival"),
    )
    return Result({**found, "elements": names}, words)
