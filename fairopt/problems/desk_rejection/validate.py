"""Refusing bad incidence data, with the path of the field as in the JSON file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.desk_rejection.quota import INT64_SAFE, PRESETS, Ints, pointers
from fairopt.rational import Exact, Rational


def ids(values: Iterable[str] | None, size: int, prefix: str, field: str) -> tuple[str, ...]:
    """Return distinct, non-empty ids; without any they are ``p0``, ``p1`` … (or ``a0`` …)."""
    if values is None:
        return tuple(f"{prefix}{k}" for k in range(size))
    out = tuple(values)
    if len(out) != size:
        raise InstanceError(field, f"expected {size} ids, got {len(out)}")
    for k, name in enumerate(out):
        if type(name) is not str:
            raise InstanceError(f"{field}[{k}].id", f"expected a text, got {name!r}")
    if "" in out:
        raise InstanceError(f"{field}[{out.index('')}].id", "must not be empty")
    if len(set(out)) != size:
        seen: set[str] = set()
        for k, name in enumerate(out):
            if name in seen:
                raise InstanceError(f"{field}[{k}].id", f"{name!r} is given twice")
            seen.add(name)
    for k, name in enumerate(out) if not _encodable(out) else ():
        if not _encodable((name,)):
            raise InstanceError(f"{field}[{k}].id", f"{name!r} is not valid Unicode")
    return out


def _encodable(names: Iterable[str]) -> bool:
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return False
    return True


def integers(values: ArrayLike, where: str, *, copy: bool = True) -> Ints:
    """Return a one-dimensional int64 array, a copy unless ``copy`` is false and it is one."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InstanceError(where, f"expected one dimension, got {array.ndim}")
    if not array.size:
        return np.zeros(0, np.int64)
    if array.dtype == np.uint64 and int(array.max()) >= 2**63:
        raise InstanceError(where, "numbers must stay below 2^63")
    if array.dtype.kind not in "iu":
        raise InstanceError(where, f"expected integers below 2^63, got {array.dtype}")
    return (
        np.array(array, dtype=np.int64, order="C")
        if copy
        else np.ascontiguousarray(array, np.int64)
    )


def mask(values: ArrayLike | None, size: int, where: str) -> NDArray[np.bool_]:
    """Return a boolean array of the given size, all false without values."""
    if values is None:
        return np.zeros(size, np.bool_)
    array = np.array(values)
    if array.shape != (size,) or (size and array.dtype != np.bool_):
        raise InstanceError(where, f"expected {size} booleans")
    return array.astype(np.bool_)


def incidence(paper_ptr: ArrayLike, paper_author: ArrayLike, *, copy: bool) -> tuple[Ints, Ints]:
    """Return well-formed pointers and author positions."""
    ptr = integers(paper_ptr, "paper_ptr", copy=copy)
    author = integers(paper_author, "paper_author", copy=copy)
    if not ptr.size or ptr[0] != 0 or ptr[-1] != len(author) or (np.diff(ptr) < 0).any():
        raise InstanceError("paper_ptr", "expected to ascend from 0 to the number of incidences")
    if len(author) and author.min() < 0:
        raise InstanceError("paper_author", "positions must not be negative")
    return ptr, author


def duplicates(
    ptr: Ints,
    author: Ints,
    papers: Sequence[str],
    authors: Sequence[str],
    *,
    dedupe: bool,
) -> Ints | None:
    """Return the incidences to keep (the first of each author in a paper), or None for all.

    Raises ``InstanceError`` naming paper and author if any is repeated and ``dedupe`` is off.
    """
    paper = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    key = paper * max(len(authors), 1) + author
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    first = np.sort(np.unique(key, return_index=True)[1])
    if not dedupe:
        repeated = np.ones(len(key), np.bool_)
        repeated[first] = False
        at = int(np.flatnonzero(repeated)[0])
        k = int(paper[at])
        raise InstanceError(
            f"papers[{k}].authors",
            f"author {authors[author[at]]!r} is given twice on paper {papers[k]!r}"
            " (dedupe counts once)",
        )
    return first


def select(ptr: Ints, keep: Ints | NDArray[np.bool_]) -> Ints:
    """Return the pointers after keeping only some incidences (positions or a mask)."""
    paper = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    return pointers(np.bincount(paper[keep], minlength=len(ptr) - 1))


def weights(values: Exact | Sequence[Rational] | NDArray[Any] | None, size: int) -> Exact:
    """Return one exact weight a paper, at least 0 (1 without any)."""
    if values is None:
        return Exact.of(np.ones(size, np.int64))
    if isinstance(values, Exact):
        out = values
    elif isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1:
        out = Exact.of(values)
    else:
        exact: dict[Any, Rational] = {}
        for k, value in enumerate(values):
            if value not in exact or isinstance(value, bool):
                exact[value] = rational.parse(value, f"papers[{k}].weight")
        out = Exact.of([exact[v] for v in values])
    if len(out) != size:
        raise InstanceError("papers", f"expected {size} weights, got {len(out)}")
    if (bad := np.flatnonzero(out.num < 0)).size:
        k = int(bad[0])
        raise InstanceError(f"papers[{k}].weight", f"expected at least 0, got {out[k]}")
    return out


def limit(value: object, rule: str, where: str) -> Rational | None:
    """Return a limit: at least 0, and whole under the unit quota; None is no limit."""
    if value is None:
        return None
    number = rational.parse(value, where)
    if number < 0:
        raise InstanceError(where, f"expected at least 0, got {number}")
    if rule == "unit" and Fraction(number).denominator != 1:
        raise InstanceError(where, f"expected a whole number under the unit quota, got {number}")
    return number


def whole_limit(value: object, where: str) -> int | None:
    """Return a limit that counts things: an int of at least 0, or None for no limit."""
    number = limit(value, "unit", where)
    return None if number is None else int(number)


def one_of(value: object, allowed: Sequence[str], where: str) -> str:
    """Return a named value in its canonical spelling."""
    name = value.replace("_", "-") if isinstance(value, str) else value
    if name not in allowed:
        raise InstanceError(where, f"unknown value {value!r}; choose from {', '.join(allowed)}")
    return str(name)


def preset_limit(preset: str | None, common: object) -> tuple[str | None, object]:
    """Return the canonical preset and the common limit that it means."""
    if preset is None:
        return None, common
    name = one_of(preset, tuple(PRESETS), "preset")
    if common is not None:
        raise InstanceError("preset", f"{name} sets the limit; give either preset or limit")
    return name, PRESETS[name]


def role_costs(costs: Mapping[str, object] | None) -> dict[str, Rational]:
    """Return the cost of each role, above 0."""
    out = {}
    for role, value in (costs or {}).items():
        where = f"quota.role_cost.{role}"
        out[role] = rational.parse(value, where)
        if out[role] <= 0:
            raise InstanceError(where, f"expected more than 0, got {out[role]}")
    return out


def role_limits(limits: Mapping[str, object] | None) -> dict[str, int]:
    """Return how many papers an author may keep in each role."""
    out = {}
    for role, value in (limits or {}).items():
        number = whole_limit(value, f"role_limits.{role}")
        if number is None:
            raise InstanceError(f"role_limits.{role}", "expected a whole number, got null")
        out[role] = number
    return out


def orders(values: ArrayLike | None, size: int) -> Ints:
    """Return the policy order of papers, their position without values."""
    if values is None:
        return np.arange(size, dtype=np.int64)
    if isinstance(values, list):
        for k, value in enumerate(values):
            if type(value) is not int or abs(value) >= INT64_SAFE:
                raise InstanceError(
                    f"papers[{k}].order", f"expected an integer below 2^62, got {value!r}"
                )
    out = integers(values, "papers")
    if len(out) != size:
        raise InstanceError("papers", f"expected {size} orders, got {len(out)}")
    return out
