"""The answer: who is in which cluster, and where the clusters' centres are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """How points are split: ``clusters[indptr[i]:indptr[i + 1]]`` and ``values`` are point i's."""

    indptr: Ints
    clusters: Ints
    values: Floats

    @property
    def rows(self) -> Ints:
        """The point of each share."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))


@dataclass(frozen=True, eq=False, slots=True)
class Clustering:
    """A clustering.

    Attributes
    ----------
    labels
        (n,) cluster of each point; of a split one that of its largest share, ties to the lowest.
    centers
        (r, d) coordinates, r at most k, as those of the points.
    center_indices
        (r,) instead of coordinates where centres are points or candidates. Fixed centres need
        neither.
    shares
        Where points are split.
    """

    labels: Ints
    centers: Floats | None = None
    center_indices: Ints | None = None
    shares: Shares | None = None


def write_answer(answer: Clustering) -> dict[str, Any]:
    """Return the answer in the form of the solution file."""
    out: dict[str, Any] = {"labels": np.asarray(answer.labels).tolist()}
    if answer.centers is not None:
        out["centers"] = np.asarray(answer.centers, np.float64).tolist()
    if answer.center_indices is not None:
        out["center_indices"] = np.asarray(answer.center_indices).tolist()
    if answer.shares is not None:
        cut = answer.shares.indptr[1:-1]
        rows = zip(
            np.split(answer.shares.clusters, cut), np.split(answer.shares.values, cut), strict=True
        )
        out["assignment"] = [
            [[c, x] for c, x in zip(cs.tolist(), xs.tolist(), strict=True)] for cs, xs in rows
        ]
    return out


def read_answer(data: Any) -> Clustering:
    """Read an answer from a file; whether it is one of the instance is for ``check`` to say.

    Raises ``InstanceError`` with a path below ``answer``.
    """
    known = {"labels", "centers", "center_indices", "assignment"}
    if not isinstance(data, Mapping) or "labels" not in data or set(data) - known:
        keys = ", ".join(sorted(known))
        raise InstanceError("answer", f"expected an object with labels and some of {keys}")
    labels = _whole(data["labels"], "answer.labels")
    centers = data.get("centers")
    indices = data.get("center_indices")
    shares = data.get("assignment")
    return Clustering(
        labels,
        None if centers is None else table_of(centers, "answer.centers"),
        None if indices is None else _whole(indices, "answer.center_indices"),
        None if shares is None else _shares(shares),
    )


def _whole(values: Any, where: str) -> Ints:
    if not isinstance(values, list | tuple):
        raise InstanceError(where, "expected a list of whole numbers")
    for i, value in enumerate(values):
        if type(value) is not int or abs(value) >= 2**62:
            raise InstanceError(f"{where}[{i}]", f"expected a whole number, got {value!r}")
    return np.array(values, np.int64)


def table_of(rows: Any, where: str) -> Floats:
    """Return rows of equally many finite numbers as an array (rows, columns)."""
    if isinstance(rows, np.ndarray):
        rows = rows.tolist() if rows.dtype == object else rows
    if isinstance(rows, np.ndarray):
        if rows.ndim != 2 or rows.dtype.kind not in "iufb":
            raise InstanceError(where, f"expected a table of numbers, got shape {rows.shape}")
        table = np.array(rows, np.float64, order="C")
    else:
        table = _table(rows, where)
    if not np.isfinite(table).all():
        i, j = np.argwhere(~np.isfinite(table))[0].tolist()
        raise InstanceError(f"{where}[{i}]", f"expected finite numbers, got {table[i, j]}")
    return table


def _table(rows: Any, where: str) -> Floats:
    if not isinstance(rows, list | tuple):
        raise InstanceError(where, "expected a list of rows of numbers")
    width = -1
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray):
            raise InstanceError(f"{where}[{i}]", f"expected a row of numbers, got {row!r}")
        if width >= 0 and len(row) != width:
            raise InstanceError(f"{where}[{i}]", f"expected {width} numbers, got {len(row)}")
        width = len(row)
        for value in row:
            if isinstance(value, bool | str) or not hasattr(value, "__float__"):
                raise InstanceError(f"{where}[{i}]", f"expected a number, got {value!r}")
    try:
        return np.array(rows, np.float64).reshape(len(rows), max(width, 0))
    except OverflowError:
        raise InstanceError(where, "holds a number that is too large") from None


def _shares(rows: Any) -> Shares:
    where = "answer.assignment"
    if not isinstance(rows, list | tuple):
        raise InstanceError(where, "expected a list of rows [[cluster, share], …]")
    clusters: list[int] = []
    values: list[float] = []
    sizes: list[int] = []
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple):
            raise InstanceError(f"{where}[{i}]", "expected [[cluster, share], …]")
        for pair in row:
            fits = isinstance(pair, list | tuple) and len(pair) == 2 and type(pair[0]) is int
            if not fits or isinstance(pair[1], bool | str) or not hasattr(pair[1], "__float__"):
                raise InstanceError(f"{where}[{i}]", f"expected [cluster, share], got {pair!r}")
            clusters.append(pair[0])
            values.append(float(pair[1]))
        sizes.append(len(row))
    indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Shares(indptr, np.array(clusters, np.int64), np.array(values, np.float64))
