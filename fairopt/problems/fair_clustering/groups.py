"""Attributes and their groups: who belongs to which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute: its name, its values in sorted order, and the value of each point.

    ``codes`` (n,) index into ``values``; every value occurs.
    """

    name: str
    values: tuple[str, ...]
    codes: Ints


def read_groups(groups: Any, n: int) -> tuple[Attribute, ...]:
    """Return the attributes of labels, of one attribute or of ``{attribute: labels}``.

    Raises ``InstanceError`` with the attribute and the index of what does not fit.
    """
    if groups is None:
        return ()
    if isinstance(groups, Mapping):
        return tuple(
            _attribute(str(name), labels, n, f"groups.{name}") for name, labels in groups.items()
        )
    if isinstance(groups, tuple) and groups and all(isinstance(a, Attribute) for a in groups):
        return groups
    return (_attribute("group", groups, n, "groups"),)


def _attribute(name: str, labels: Any, n: int, where: str) -> Attribute:
    if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
        raise InstanceError(where, f"expected a list of {n} labels")
    if len(labels) != n:
        raise InstanceError(where, f"expected {n} labels, one for each point, got {len(labels)}")
    if isinstance(labels, np.ndarray):
        if labels.ndim != 1:
            raise InstanceError(where, f"expected {n} labels, got an array of shape {labels.shape}")
        labels = labels.tolist()
    texts = _texts(labels, where)
    values = tuple(sorted(set(texts)))
    place = {value: g for g, value in enumerate(values)}
    codes = np.fromiter(map(place.__getitem__, texts), np.int64, n)
    codes.setflags(write=False)
    return Attribute(name, values, codes)


def _texts(labels: Sequence[Any], where: str) -> list[str]:
    if set(map(type, labels)) == {str}:
        return list(labels)
    texts: list[str] = []
    for i, label in enumerate(labels):
        if isinstance(label, str):
            texts.append(label)
        elif isinstance(label, int | np.integer):
            texts.append(str(label).lower() if isinstance(label, bool) else str(label))
        else:
            shown = "nothing" if label is None else repr(label)
            raise InstanceError(f"{where}[{i}]", f"expected a text or whole number, got {shown}")
    return texts
