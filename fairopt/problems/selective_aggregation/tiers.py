"""Cuts, tiers and the path, from dissents: plain array code of the court.

A set U is a cut if nobody outside may be put above a member's place: every statement "inside
above outside" has a dissent of at most tau. Cuts form a chain; the ranking that uses all of them is
the only optimum (structure theorem). The first k items by net count of allowed statements are a
cut exactly if their nets add up to k (n - k).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def tiers_at(level: Ints, limit: int) -> Ints:
    """Return the tier (0 is best) of every item in the optimum at a largest allowed level."""
    n = len(level)
    allowed = level <= limit
    np.fill_diagonal(allowed, False)
    net = allowed.sum(1) - allowed.sum(0)
    order = np.argsort(-net, kind="stable")
    size = np.arange(1, n + 1)
    ends = np.cumsum(net[order]) == size * (n - size)
    tier = np.empty(n, np.int64)
    tier[order] = np.concatenate([[0], np.cumsum(ends[:-1])])
    return tier


def births(level: Ints, tier: Ints) -> Ints:
    """Return for each boundary between tiers the largest level of a statement across it."""
    count = int(tier.max(initial=0)) + 1
    table = np.full((count, count), -1, np.int64)
    order = np.argsort(tier, kind="stable")
    starts = np.searchsorted(tier[order], np.arange(count))
    sums = level[np.ix_(order, order)]
    table = np.maximum.reduceat(np.maximum.reduceat(sums, starts, axis=0), starts, axis=1)
    table = np.triu(table, 1) - np.tril(np.ones_like(table))  # only upper statements count
    table = np.maximum.accumulate(table, axis=0)
    table = np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.diagonal(table, 1), np.int64)


def merged(tier: Ints, born: Ints, limit: int) -> Ints:
    """Return the tiers that are left when only boundaries born up to a level are drawn."""
    drawn = np.concatenate([[0], np.cumsum(born <= limit)])
    return np.asarray(drawn[tier], np.int64)


def comparisons(tier: Ints) -> int:
    """Return how many pairs are in different tiers."""
    sizes = np.bincount(tier).astype(object)
    n = len(tier)
    return int(n * (n - 1) // 2 - sum(s * (s - 1) // 2 for s in sizes.tolist()))
