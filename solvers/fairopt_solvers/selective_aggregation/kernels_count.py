"""Counting who is put above whom: blocks of items, ballots inside, never (judge, pair) rows."""

from __future__ import annotations

from typing import Any

from numba import types

from fairopt_solvers.jit import INT, INTS, kernel

RANKS = types.Array(types.int16, 2, "C", readonly=True)  # (n, ballots)
COUNTS = types.Array(types.int64, 2, "C", readonly=False)  # (n, n)

BLOCK = 32


@kernel(INT(RANKS, RANKS, INTS, INT, INT, COUNTS))
def count(worst: Any, best: Any, weights: Any, first: Any, last: Any, support: Any) -> Any:
    """Add, for items ``first..last-1`` and all later ones, the weight that puts one above another.

    Item-major ranks (n, ballots); where one is missing it is 32,767 in ``worst`` and -1 in
    ``best``, so that ``worst[i] < best[j]`` holds exactly if i is put above j.
    """
    n, ballots = worst.shape
    for i0 in range(first, last, BLOCK):
        i1 = min(last, i0 + BLOCK)
        for j0 in range(i0, n, BLOCK):
            j1 = min(n, j0 + BLOCK)
            for i in range(i0, i1):
                for j in range(max(j0, i + 1), j1):
                    above, below = 0, 0
                    for k in range(ballots):
                        above += weights[k] * (worst[i, k] < best[j, k])
                        below += weights[k] * (worst[j, k] < best[i, k])
                    support[i, j] += above
                    support[j, i] += below
    return last
