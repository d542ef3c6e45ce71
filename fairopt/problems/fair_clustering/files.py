"""File formats beside JSON: tables of points with a header, arrays of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt.errors import InstanceError
from fairopt.files import Format
from fairopt.problem import Meta
from fairopt.problems.fair_clustering.problem import FairClustering
from fairopt.problems.fair_clustering.tables import (
    SUFFIXES,
    arrays_of,
    columns_of,
    header_of,
    names_of,
)

_NEEDS_K = "the key is missing; say how many clusters there may be (--set k=10)"


def is_table(suffix: str, head: bytes) -> bool:
    """Return whether a file may be a table of points."""
    return suffix in SUFFIXES and head.lstrip()[:1] not in (b"{", b"[") and bool(header_of(head))


def read_table(
    data: bytes,
    *,
    meta: Meta,
    points: str | list[str],
    group: str | list[str] | None = None,
    weight: str | None = None,
    k: int | None = None,
) -> FairClustering:
    """Read one row a point; ``points`` and ``group`` name columns of the header.

    With groups the condition is proportional, rounded to whole points (soft with weights), unless
    the caller sets another one.
    """
    wanted = names_of(points, "points")
    groups = [] if group is None else names_of(group, "group")
    extra = [] if weight is None else [weight]
    both = sorted(set(wanted) & set(groups) | set(extra) & set(wanted + groups))
    if both:
        raise InstanceError("group", f"the column {both[0]!r} is asked for twice")
    asked = dict.fromkeys(wanted, "points") | dict.fromkeys(groups, "group")
    columns = columns_of(data, asked | dict.fromkeys(extra, "weight"))
    table = np.stack([c.numbers() for c in columns[: len(wanted)]], axis=1)
    labels = {c.name: c.labels() for c in columns[len(wanted) : len(wanted) + len(groups)]} or None
    weights = columns[-1].numbers() if extra else None
    return _built(table, labels, weights, k, meta)


def is_arrays(suffix: str, head: bytes) -> bool:
    """Return whether a file holds arrays of NumPy."""
    return head[:6] == b"\x93NUMPY" or (suffix == ".npz" and head[:2] == b"PK")


def read_arrays(
    data: bytes,
    *,
    meta: Meta,
    points: str | list[str] | None = None,
    group: str | list[str] | None = None,
    weight: str | None = None,
    k: int | None = None,
) -> FairClustering:
    """Read ``.npz`` arrays by name (``points`` as default) or the columns of an ``.npy`` table.

    Of ``.npy`` the columns are called 0, 1, …; all that are neither group nor weight are
    coordinates unless ``points`` names some.
    """
    arrays = arrays_of(data, "points")
    groups = [] if group is None else names_of(group, "group")
    if list(arrays) == [""]:
        arrays = _columns(arrays[""])
        others = {*groups, weight}
        wanted = [c for c in arrays if c not in others]
        if points is not None:
            wanted = names_of(points, "points")
        table = np.stack([_picked(arrays, name, "points") for name in wanted], axis=1)
    else:
        name = "points" if points is None else ",".join(names_of(points, "points"))
        table = _picked(arrays, name, "points")
        if table.ndim == 1:
            table = table[:, None]
    labels = {name: _labels(_picked(arrays, name, "group")) for name in groups} or None
    weights = None if weight is None else _picked(arrays, weight, "weight")
    return _built(table, labels, weights, k, meta)


def _columns(table: Any) -> dict[str, Any]:
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InstanceError("points", f"expected a table, got an array of shape {table.shape}")
    return {str(c): table[:, c] for c in range(table.shape[1])}


def _picked(arrays: dict[str, Any], name: str, where: str) -> Any:
    if name not in arrays:
        raise InstanceError(where, f"no array {name!r}; there are {', '.join(arrays)}")
    return arrays[name]


def _labels(array: Any) -> Any:
    """Return labels; whole numbers kept as floats in a table are whole again."""
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.rint(array)).all():
        return array.astype(np.int64)
    return array


def _built(table: Any, labels: Any, weights: Any, k: int | None, meta: Meta) -> FairClustering:
    if k is None:
        raise InstanceError("k", _NEEDS_K)
    more: dict[str, Any] = {}
    if labels is not None:
        unit = weights is None or bool((np.asarray(weights) == 1).all())
        rounding = "floor-ceil" if unit else "soft"
        more["fairness"] = {"type": "proportional", "rounding": rounding}
        more["assumed"] = ("fairness",)
    return FairClustering(table, labels, k=k, weights=weights, meta=meta, **more)


_FC = FairClustering.problem
FORMATS = (
    Format("table of points", _FC, is_table, read_table, needs=("points",)),
    Format("NumPy arrays", _FC, is_arrays, read_arrays),
)
