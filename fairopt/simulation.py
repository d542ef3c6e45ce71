"""Do two simulations of the same thing agree? For ``verify --confirm simulation``.

An answer whose check has the basis ``simulation`` has an attribute ``estimate`` with ``counts``
(successes of each item), ``runs``, and perhaps ``sums`` (sums of values in [0, 1] that stand in for
the counts). Nothing here shares code with the check that derives the certified value.
"""

from __future__ import annotations

import math
from typing import Any

DELTA = 0.01  # chance that two simulations of the same thing disagree, at most
STEPS = 60  # halvings of an interval


def divergence(a: float, b: float) -> float:
    """Return the relative entropy of Bernoulli(a) to Bernoulli(b)."""
    out = 0.0
    if a > 0.0:
        out += a * math.log(a / b) if b > 0.0 else math.inf
    if a < 1.0:
        out += (1.0 - a) * math.log((1.0 - a) / (1.0 - b)) if b < 1.0 else math.inf
    return out


def limits(mean: float, runs: int, delta: float) -> tuple[float, float]:
    """Return limits of the expectation of a mean of ``runs`` independent values in [0, 1].

    By the bound of Chernoff and Hoeffding each limit fails with probability at most ``delta``.
    """
    reach = math.log(1.0 / delta) / runs
    return _edge(mean, 0.0, reach), _edge(mean, 1.0, reach)


def _edge(mean: float, far: float, reach: float) -> float:
    """Return the point towards ``far`` at which the divergence from the mean exceeds ``reach``."""
    inside, outside = mean, far
    if divergence(mean, far) <= reach:
        return far
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if divergence(mean, middle) <= reach:
            inside = middle
        else:
            outside = middle
    return outside


def disagreement(mine: Any, theirs: Any) -> str | None:
    """Return where the intervals of two answers do not meet; None if all do.

    The intervals hold for all items of both at once with probability ``1 - DELTA``.
    """
    one, two = _means(mine), _means(theirs)
    if one is None or two is None or len(one[0]) != len(two[0]):
        return "the answers are no simulations of the same items"
    (means, runs), (others, other_runs) = one, two
    share = DELTA / (4 * max(1, len(means)))
    for k, (a, b) in enumerate(zip(means, others, strict=True)):
        low, high = limits(a, runs, share)
        other_low, other_high = limits(b, other_runs, share)
        if low > other_high or other_low > high:
            found = f"{b:.4g} in {other_runs:,} fresh runs"
            return f"item {k} comes out at {found}, not near {a:.4g}"
    return None


def _means(answer: Any) -> tuple[list[float], int] | None:
    found = getattr(answer, "estimate", None)
    if found is None or found.runs < 1:
        return None
    values = found.sums if found.sums else found.counts.tolist()
    return [min(1.0, float(v) / found.runs) for v in values], found.runs
