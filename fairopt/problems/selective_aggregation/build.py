"""Profiles from ballots, tables of numbers, single votes or sums, with every input checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.selective_aggregation.profile import Profile, Votes

Ints = NDArray[np.int64]
Ballot = tuple[Sequence[Sequence[int]], int]  # tiers of items, best first; weight

_MOST_CELLS = 2_000_000_000  # bytes of the table of pairs
_MOST_WEIGHT = 2**62


def names_of(items: Any) -> tuple[str, ...]:
    """Return distinct names; raises ``InstanceError`` with the path ``items``."""
    if not isinstance(items, list | tuple):
        raise InstanceError("items", "expected a list of names")
    if not items:
        raise InstanceError("items", "is empty")
    out: dict[str, int] = {}
    for i, name in enumerate(items):
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise InstanceError(f"items[{i}]", f"expected a text or a whole number, got {name!r}")
        if str(name) in out:
            raise InstanceError(f"items[{i}]", f"{name!r} is named twice")
        out[str(name)] = i
    if 16 * len(out) ** 2 > 8 * _MOST_CELLS:
        why = f"{len(out):,} items need a table of {len(out) ** 2:,} pairs, which is too large"
        raise InstanceError("items", why)
    return tuple(out)


def whole_weights(given: Sequence[Any], where: Sequence[str]) -> list[int]:
    """Return positive integers; rational weights are scaled by their common denominator."""
    out = []
    for value, path in zip(given, where, strict=True):
        if value is None:
            out.append(Fraction(1))
            continue
        try:
            weight = Fraction(rational.parse(value, path))
        except InstanceError as error:
            raise InstanceError(path, f"weight: {error.why}") from None
        if weight <= 0:
            raise InstanceError(path, f"weight must be positive, got {rational.text(weight)}")
        if weight.denominator != 1 and not isinstance(value, str):
            raise InstanceError(path, "weight must be whole, or a fraction as text such as '3/2'")
        out.append(weight)
    scale = math.lcm(*(w.denominator for w in out)) if out else 1
    scaled = [int(w * scale) for w in out]
    if sum(scaled) >= _MOST_WEIGHT:
        raise InstanceError("preferences", "the weights add up to more than 2^62")
    return scaled


def of_rankings(n: int, ballots: Iterable[tuple[Any, int]]) -> Profile:
    """Return a profile of ranks (n,) each, -1 for missing; equal rows become one."""
    merged: dict[bytes, int] = {}
    for row, weight in ballots:
        key = np.asarray(row, np.int32).tobytes()
        merged[key] = merged.get(key, 0) + weight
    total = sum(merged.values())
    if not total:
        raise InstanceError("preferences", "there are no judges")
    keys = sorted(merged)  # the order of ballots is no part of the question
    table = np.frombuffer(b"".join(keys), np.int32).reshape(len(keys), n)
    weights = np.array([merged[key] for key in keys], np.int64)
    return Profile(n, total, ranks=table, weights=weights)


def ranks_of(tiers: Sequence[Sequence[int]], n: int, *, last: bool) -> NDArray[np.int32]:
    """Return the rank of each item; those not listed are missing, or tied ``last``."""
    row = np.full(n, -1, np.int32)
    for k, tier in enumerate(tiers):
        row[list(tier)] = k
    if last:
        row[row < 0] = len(tiers)
    return row


def of_table(
    n: int, rows: Sequence[Sequence[Any]], weights: Sequence[int], *, larger: bool
) -> Profile:
    """Return a profile of numbers (judges, n); None is missing; only their order matters."""
    made = []
    for k, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        if not isinstance(row, list | tuple) or len(row) != n:
            raise InstanceError(f"preferences.rows[{k}]", f"expected {n} numbers or null")
        place = [i for i in range(n) if row[i] is not None]
        numbers = [_number(row[i], f"preferences.rows[{k}][{i}]") for i in place]
        order = {v: r for r, v in enumerate(sorted(set(numbers), reverse=larger))}
        ranks = np.full(n, -1, np.int32)
        ranks[place] = [order[v] for v in numbers]
        made.append((ranks, weight))
    return of_rankings(n, made)


def _number(value: Any, where: str) -> Fraction:
    if isinstance(value, float) and not math.isfinite(value):
        raise InstanceError(where, f"expected a number or null, got {value}")
    return Fraction(rational.parse(value, where))


def of_votes(
    place: Mapping[str, int],
    rows: Sequence[tuple[str, Any, Any, Any]],
    where: Sequence[str],
    *,
    judges: Sequence[str] | None = None,
    weights: Mapping[str, Any] | None = None,
    dedupe: bool = False,
) -> Profile:
    """Return a profile of single votes: judge, item, item, 1, 0, -1 or None.

    ``judges`` is the roster; None: those who vote.
    """
    seen = dict.fromkeys(judges) if judges is not None else dict.fromkeys(r[0] for r in rows)
    number = {name: k for k, name in enumerate(seen)}
    for name in weights or {}:
        if name not in number:
            raise InstanceError(f"preferences.judge_weights.{name}", "is no judge")
    if not number:
        raise InstanceError("preferences", "there are no judges")
    known: dict[tuple[int, int, int], int | None] = {}
    for (judge, a, b, v), path in zip(rows, where, strict=True):
        if judge not in number:
            raise InstanceError(path, f"{judge!r} is not among the judges")
        i, j = (_item(place, x, path) for x in (a, b))
        if i == j:
            raise InstanceError(path, f"compares {a!r} with itself")
        if v is not None and (isinstance(v, bool) or v not in (1, 0, -1)):
            raise InstanceError(path, f"expected 1, 0, -1 or null, got {v}")
        value = None if v is None else int(v) * (1 if i < j else -1)
        key = (number[judge], min(i, j), max(i, j))
        if key in known:
            same = known[key] == value
            if not (same and dedupe):
                how = "alike" if same else "otherwise"
                raise InstanceError(path, f"judge {judge!r} judged {a!r}, {b!r} before, {how}")
        known[key] = value
    names = list(number)
    paths = [f"preferences.judge_weights.{name}" for name in names]
    each = whole_weights([(weights or {}).get(name) for name in names], paths)
    kept = [(*key, value) for key, value in known.items() if value is not None]
    table = np.array(kept, np.int64).reshape(-1, 4).T
    who, first, second, said = (np.ascontiguousarray(column) for column in table)
    made = Votes(who, first, second, said, np.array(each, np.int64))
    return Profile(len(place), sum(each), votes=made)


def _item(place: Mapping[str, int], name: Any, where: str) -> int:
    found = None if isinstance(name, bool | float) or name is None else place.get(str(name))
    if found is None:
        raise InstanceError(where, f"no item {name!r}")
    return found


def of_support(n: int, total: Any, support: Any, ties: Any = None) -> Profile:
    """Return a profile of sums: W, support (n, n), ties (n, n) or None for none."""
    if isinstance(total, bool) or not isinstance(total, int) or total < 1:
        raise InstanceError("preferences.total", f"expected the number of judges, got {total!r}")
    above = _square(support, n, "preferences.support")
    even = np.zeros((n, n), np.int64) if ties is None else _square(ties, n, "preferences.ties")
    if not np.array_equal(even, even.T):
        i, j = np.argwhere(even != even.T)[0].tolist()
        raise InstanceError(f"preferences.ties[{i}][{j}]", "is not symmetric")
    over = above + above.T + even > total
    if over.any():
        i, j = np.argwhere(over)[0].tolist()
        raise InstanceError(f"preferences.support[{i}][{j}]", f"more than {total} judges judged it")
    return Profile(n, total, support=above, ties=even)


def _square(rows: Any, n: int, where: str) -> Ints:
    if not isinstance(rows, list | tuple) or len(rows) != n:
        raise InstanceError(where, f"expected {n} rows")
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple) or len(row) != n:
            raise InstanceError(f"{where}[{i}]", f"expected {n} whole numbers")
        for j, value in enumerate(row):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InstanceError(f"{where}[{i}][{j}]", f"expected a count, got {value!r}")
            if i == j and value:
                raise InstanceError(f"{where}[{i}][{i}]", "an item is not judged against itself")
    return np.array(rows, np.int64)
