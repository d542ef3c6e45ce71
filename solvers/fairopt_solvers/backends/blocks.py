"""Blocks of rows in coordinate form, and how they are stacked into CSR arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.errors import UsageError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A block of rows in coordinate form; ``row`` counts from 0 within the block."""

    row: Ints
    col: Ints
    coef: Floats
    lower: Floats
    upper: Floats


def rows(
    row: ArrayLike,
    col: ArrayLike,
    coef: ArrayLike = 1,
    *,
    lower: ArrayLike = -np.inf,
    upper: ArrayLike = np.inf,
    count: int | None = None,
) -> Rows:
    """Return a block of rows ``lower <= sum coef[k] x[col[k]] <= upper`` (k with ``row[k]`` = i).

    ``coef``, ``lower`` and ``upper`` are broadcast. ``count`` is the number of rows (default:
    the length of the bounds, or the highest row plus one). Repeated entries add up.
    """
    i, j = as_integers("row", row), as_integers("col", col)
    if i.shape != j.shape:
        raise UsageError(f"row has {i.size} entries, col has {j.size}")
    low, high = as_floats("lower", lower), as_floats("upper", upper)
    if count is None:
        sizes = [len(b) for b in (low, high) if b.ndim]
        count = sizes[0] if sizes else (int(i.max()) + 1 if i.size else 0)
    if i.size and (i.min() < 0 or i.max() >= count):
        raise UsageError(f"row numbers must lie in 0..{count - 1}")
    return Rows(
        i,
        j,
        np.broadcast_to(as_floats("coef", coef), i.shape),
        np.broadcast_to(low, (count,)),
        np.broadcast_to(high, (count,)),
    )


def stack(blocks: Sequence[Rows], n: int) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """Return the CSR arrays of the blocks, entries sorted by column, repeated ones added up."""
    counts = [len(b.lower) for b in blocks]
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    m = int(starts[-1])
    empty = np.zeros(0)
    row = np.concatenate(
        [np.zeros(0, np.int64), *(b.row + s for b, s in zip(blocks, starts, strict=False))]
    )
    col = np.concatenate([np.zeros(0, np.int64), *(b.col for b in blocks)])
    coef = np.concatenate([empty, *(b.coef for b in blocks)])
    if col.size and (col.min() < 0 or col.max() >= n):
        raise UsageError(f"column numbers must lie in 0..{n - 1}")
    key, place = np.unique(row * max(n, 1) + col, return_inverse=True)
    summed = np.bincount(place, coef, len(key)).astype(np.float64)
    keep = summed != 0
    key, summed = key[keep], summed[keep]
    ptr = np.concatenate([[0], np.cumsum(np.bincount(key // max(n, 1), minlength=m))])
    low = np.concatenate([empty, *(b.lower for b in blocks)])
    high = np.concatenate([empty, *(b.upper for b in blocks)])
    return ptr.astype(np.int64), key % max(n, 1), summed, low, high


def as_integers(name: str, values: ArrayLike) -> Ints:
    """Return integers; anything else is refused."""
    array = np.atleast_1d(np.asarray(values))
    if array.size and array.dtype.kind not in "iu":
        raise UsageError(f"{name} must be integers")
    return array.astype(np.int64)


def as_floats(name: str, values: ArrayLike) -> Floats:
    """Return floats; integers that a float cannot hold are refused."""
    array = np.asarray(values)
    if array.dtype.kind in "iu" and array.size and np.abs(array.astype(np.float64)).max() > 2.0**53:
        raise UsageError(f"{name} holds integers beyond 2^53, which floats do not carry exactly")
    return array.astype(np.float64)
