"""Kernel of ``round-robin``."""

from __future__ import annotations

from typing import Any

from fairopt_solvers.jit import INT, INTS, INTS_2D, INTS_OUT, kernel


@kernel(INT(INTS_2D, INTS, INT, INTS_OUT, INTS_OUT))
def take_turns(order: Any, members: Any, quota: Any, at: Any, labels: Any) -> Any:
    """Let each cluster in turn take its nearest free point, ``quota`` times each.

    Parameters
    ----------
    order
        (k, members): positions in ``members`` by distance to each cluster, nearest first.
    members
        Points of one group.
    at
        (k,) zeros; scratch.
    labels
        (n,) in and out; free points have -1.

    Returns
    -------
    How many were taken.
    """
    taken = 0
    for _ in range(quota):
        for c in range(order.shape[0]):
            while labels[members[order[c, at[c]]]] >= 0:
                at[c] += 1
            labels[members[order[c, at[c]]]] = c
            taken += 1
    return taken
