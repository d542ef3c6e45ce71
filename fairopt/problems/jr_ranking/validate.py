"""Validation of the data of an instance; every error names the field of the JSON file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Exact, Rational

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]

_MOST = 2**62
_EXACT = 2**53  # products of a weight and k stay below it, so that floats add them up exactly


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, read-only."""
    array.setflags(write=False)
    return array


def count(value: object, where: str, least: int, most: int | None, of: str = "") -> int:
    """Return a whole number within limits."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InstanceError(where, f"expected a whole number, got {value!r}")
    number = int(value)
    if number < least or (most is not None and number > most):
        upper = "" if most is None else f" to {most}{of}"
        raise InstanceError(where, f"expected {least}{upper or ' or more'}, got {number}")
    return number


def one_of(value: object, allowed: Sequence[str], where: str) -> str:
    """Return a named value, with hyphens."""
    name = value.replace("_", "-") if isinstance(value, str) else value
    if name not in allowed:
        raise InstanceError(where, f"unknown value {value!r}; choose from {', '.join(allowed)}")
    return str(name)


def comment_ids(ids: Iterable[str] | None, n_comments: int) -> tuple[str, ...] | None:
    """Return distinct texts, one for each comment."""
    if ids is None:
        return None
    out = tuple(ids)
    if len(out) != n_comments:
        raise InstanceError("comments", f"expected {n_comments} ids, got {len(out)}")
    seen: set[str] = set()
    for k, name in enumerate(out):
        if not isinstance(name, str):
            raise InstanceError(f"comments[{k}]", f"expected a text, got {name!r}")
        if name in seen:
            raise InstanceError(f"comments[{k}]", f"{name!r} is given twice")
        seen.add(name)
    return out


def flat(
    approvals: Sequence[Sequence[int | str]], place: Mapping[str, int], where: str = "approvals"
) -> tuple[Ints, Ints]:
    """Return pointers and positions of ballots that are lists of positions or ids."""
    sizes = np.fromiter(map(len, approvals), np.int64, len(approvals))
    indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    cells = list(chain.from_iterable(approvals))
    if set(map(type, cells)) <= {int}:
        numbers: list[Any] = list(cells)
        if not numbers or max(map(abs, numbers)) < _MOST:
            return indptr, np.array(numbers, np.int64)
    out = []
    for i, ballot in enumerate(approvals):
        for name in ballot:
            c = place.get(name, -1) if isinstance(name, str) else name
            whole = isinstance(c, int | np.integer) and not isinstance(c, bool)
            if not whole or abs(int(c)) >= _MOST or (isinstance(name, str) and c < 0):
                raise InstanceError(f"{where}[{i}]", f"no comment {name!r}")
            out.append(int(c))
    return indptr, np.array(out, np.int64)


def pointers(approved: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return pointers and positions of the ballots that are rows of a table."""
    indptr = np.concatenate(([0], np.cumsum(approved.sum(axis=1)))).astype(np.int64)
    return indptr, np.nonzero(approved)[1].astype(np.int64)


def ballots(
    indptr: ArrayLike, indices: ArrayLike, n_comments: int, *, dedupe: bool
) -> tuple[Ints, Ints32, int]:
    """Return pointers, comments sorted within each ballot, and how many repeats were dropped."""
    ptr, items = np.asarray(indptr), np.asarray(indices)
    if ptr.ndim != 1 or ptr.dtype.kind not in "iu" or not len(ptr):
        raise InstanceError("approvals", "expected pointers, one more than there are users")
    if items.ndim != 1 or (len(items) and items.dtype.kind not in "iu"):
        raise InstanceError("approvals", "expected a vector of positions of comments")
    ptr, items = ptr.astype(np.int64), items.astype(np.int64)
    if ptr[0] != 0 or ptr[-1] != len(items) or (np.diff(ptr) < 0).any():
        raise InstanceError("approvals", "the pointers do not fit the list of comments")
    if len(ptr) == 1:
        raise InstanceError("approvals", "there are no users")
    rows = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    if (bad := np.flatnonzero((items < 0) | (items >= n_comments))).size:
        why = f"no comment {items[bad[0]]}; comments are 0 to {n_comments - 1}"
        raise InstanceError(f"approvals[{rows[bad[0]]}]", why)
    same_row = np.diff(rows) == 0
    if (same_row & (np.diff(items) <= 0)).any():
        key = rows * n_comments + items
        unique, times = np.unique(key, return_counts=True)
        if len(unique) < len(key):
            first = int(unique[np.argmax(times > 1)])
            i, c = divmod(first, n_comments)
            if not dedupe:
                raise InstanceError(f"approvals[{i}]", f"comment {c} is given twice")
            ptr = np.concatenate(([0], np.cumsum(np.bincount(unique // n_comments,
                                                             minlength=len(ptr) - 1))))  # fmt: skip
        dropped = len(key) - len(unique)
        items = unique % n_comments
    else:
        dropped = 0
    return (
        frozen(np.ascontiguousarray(ptr, np.int64)),
        frozen(np.ascontiguousarray(items, np.int32)),
        dropped,
    )


def weights(values: ArrayLike | None, n_users: int, k: int) -> Ints:
    """Return the weight of each row, a whole number of at least 1."""
    if values is None:
        return frozen(np.ones(n_users, np.int64))
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != n_users:
        raise InstanceError("weights", f"expected {n_users} numbers, one for each row of approvals")
    if array.dtype.kind not in "iu":
        i = next(
            (i for i, w in enumerate(array.tolist()) if not isinstance(w, int) or w is True), 0
        )
        raise InstanceError(f"weights[{i}]", f"expected a whole number, got {array.tolist()[i]!r}")
    if (bad := np.flatnonzero(array < 1)).size:
        i = int(bad[0])
        raise InstanceError(f"weights[{i}]", f"expected at least 1, got {array[i]}")
    if sum(array.tolist()) * (k + 1) >= _EXACT:
        raise InstanceError("weights", "their sum times k must be below 2^53")
    return frozen(array.astype(np.int64))


# -- utilities -----------------------------------------------------------------------------


def utilities(values: Any, n_comments: int) -> tuple[NDArray[Any], int]:
    """Return numerators (users, comments) and their denominator; floats stay what they are."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        if values.ndim != 2 or values.shape[1] != n_comments:
            raise InstanceError("utilities", f"expected rows of {n_comments} numbers")
        if not np.isfinite(values).all():
            i = int(np.argwhere(~np.isfinite(values))[0][0])
            raise InstanceError(f"utilities[{i}]", "expected finite numbers")
        kind = np.float64 if values.dtype.kind == "f" else np.int64
        return frozen(np.array(values, kind, order="C")), 1
    cells: list[Rational] = []
    for i, row in enumerate(values):
        if len(row) != n_comments:
            raise InstanceError(f"utilities[{i}]", f"expected {n_comments} numbers, got {len(row)}")
        cells += [rational.parse(v, f"utilities[{i}][{j}]") for j, v in enumerate(row)]
    exact = Exact.of(cells)
    return frozen(exact.num.copy().reshape(-1, n_comments)), exact.den


def approvals_of(table: NDArray[Any], den: int, threshold: Rational) -> tuple[Ints, Ints]:
    """Return the ballots that approve what has a utility of at least the threshold.

    Floats are read by their shortest decimal text, so that 0.1 meets a threshold of 1/10.
    """
    if table.dtype == np.float64:
        near = float(threshold)
        approved = table > near
        at = table == near
        if at.any() and rational.parse(near) >= threshold:
            approved |= at
    else:
        approved = np.asarray(table >= math.ceil(threshold * den), np.bool_)
    return pointers(approved)
