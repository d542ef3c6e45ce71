"""File formats beside JSON: PrefLib, tables of ranks or ratings, lists of votes, sums."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np

from fairopt import preflib, rational
from fairopt.delimited import Row, first_cells, fits, rows_of, separator_of, text_of
from fairopt.errors import InstanceError, UsageError
from fairopt.files import Format
from fairopt.problem import Meta
from fairopt.problems.selective_aggregation import build
from fairopt.problems.selective_aggregation.problem import SelectiveAggregation
from fairopt.solution import Note

_TABLES = (".csv", ".tsv", ".txt")
_LONG = ("judge_id", "item_id_1", "item_id_2", "pref")
_BLANK = ("", "na", "nan", "null", "none")
_NAME = "selective-aggregation"

# -- PrefLib -------------------------------------------------------------------------------

_PREFLIB = (".soc", ".soi", ".toc", ".toi", ".cat")


def is_preflib(suffix: str, head: bytes) -> bool:
    """Return whether the file holds orders or categories."""
    return suffix in _PREFLIB


def read_preflib(
    data: bytes,
    *,
    meta: Meta,
    unranked: Literal["missing", "last"] = "missing",
    dedupe: bool = False,
) -> SelectiveAggregation:
    """Read orders (soc, soi, toc, toi) or categories, whose members are tied.

    ``unranked`` says what items are that a ballot does not list: ``missing``, or tied below all
    listed ones. Alternatives go by their names if these differ, else by number; numbers from 0
    are accepted where all fit.
    """
    file = preflib.parse(text_of(data))
    m = file.alternatives
    remarks = []
    used = {c for row in file.rows for part in row.classes for c in part}
    shift = 0 if 0 in used and max(used, default=0) < m else 1
    if shift == 0:
        remarks.append(Note("numbering", "alternatives are numbered from 0 in the file"))
    kind = file.about.get("DATA TYPE", "").lower()
    ballots = []
    for row in file.rows:
        tiers = _classes(row, m, shift, dedupe)
        _fits_type(kind, tiers, m, row.line)
        if row.count < 1:
            raise InstanceError(f"line {row.line}", "weight must be positive, got 0")
        ballots.append((build.ranks_of(tiers, m, last=unranked == "last"), row.count))
    profile = build.of_rankings(m, ballots)
    said = file.about.get("NUMBER VOTERS", "")
    if said and said != str(profile.total):
        words = f"the header names {said} voters, the ballots add up to {profile.total}"
        remarks.append(Note("voters", words))
    listed = [file.names.get(c, str(c)) for c in range(1, m + 1)]
    names = listed if len(set(listed)) == m else [str(c) for c in range(1, m + 1)]
    return SelectiveAggregation(profile, names, remarks=remarks, meta=meta)


def _classes(row: preflib.Row, m: int, shift: int, dedupe: bool) -> list[list[int]]:
    seen: set[int] = set()
    out = []
    for part in row.classes:
        tier = []
        for c in part:
            i = c - shift
            if not 0 <= i < m:
                raise InstanceError(f"line {row.line}", f"no alternative {c}")
            if i in seen and not dedupe:
                raise InstanceError(f"line {row.line}", f"alternative {c} is named twice")
            if i not in seen:
                seen.add(i)
                tier.append(i)
        if tier:
            out.append(tier)
    return out


def _fits_type(kind: str, tiers: Sequence[Sequence[int]], m: int, line: int) -> None:
    if kind in ("soc", "soi") and any(len(tier) > 1 for tier in tiers):
        raise InstanceError(f"line {line}", f"a tie, which a file of type {kind} has not")
    if kind in ("soc", "toc") and sum(map(len, tiers)) != m:
        raise InstanceError(f"line {line}", f"a file of type {kind} lists all {m} alternatives")


def write_preflib(problem: SelectiveAggregation) -> bytes:
    """Write orders in the most restrictive type that holds them."""
    said = problem.profile
    if said.ranks is None or said.weights is None:
        raise UsageError("PrefLib holds ballots; this instance has single votes or sums")
    orders = []
    for row, count in zip(said.ranks.tolist(), said.weights.tolist(), strict=True):
        tiers: dict[int, list[int]] = {}
        for i, rank in enumerate(row):
            if rank >= 0:
                tiers.setdefault(rank, []).append(i + 1)
        orders.append((count, [tiers[r] for r in sorted(tiers)]))
    orders.sort(key=lambda order: (-order[0], order[1]))
    ties = any(len(part) > 1 for _, order in orders for part in order)
    full = bool((said.ranks >= 0).all())
    kind = f"{'t' if ties else 's'}o{'c' if full else 'i'}"
    lines = [
        f"# FILE NAME: {problem.name or 'instance'}.{kind}",
        f"# TITLE: {problem.name or ''}",
        f"# DATA TYPE: {kind}",
        f"# NUMBER ALTERNATIVES: {problem.n}",
        f"# NUMBER VOTERS: {problem.total}",
        f"# NUMBER UNIQUE ORDERS: {len(orders)}",
        *(f"# ALTERNATIVE NAME {i}: {name}" for i, name in enumerate(problem.items, 1)),
    ]
    for count, order in orders:
        parts = [str(p[0]) if len(p) == 1 else "{" + ",".join(map(str, p)) + "}" for p in order]
        lines.append(f"{count}: {','.join(parts)}")
    return ("\n".join(lines) + "\n").encode()


# -- tables --------------------------------------------------------------------------------


def is_wide(suffix: str, head: bytes) -> bool:
    """Return whether the first column is headed ``item_name`` (rows are items)."""
    return suffix in _TABLES and _header(head)[:1] == ["item_name"]


def is_long(suffix: str, head: bytes) -> bool:
    """Return whether the columns are judge_id, item_id_1, item_id_2, pref."""
    return suffix in _TABLES and set(_LONG) <= set(_header(head))


def is_support(suffix: str, head: bytes) -> bool:
    """Return whether the first column is headed ``item`` and the others like the rows."""
    if suffix not in _TABLES:
        return False
    lines = first_cells(head)
    header = [cell.lower() for cell in lines[0]] if lines else []
    return header[:1] == ["item"] and len(lines) > 1 and lines[1][0].lower() == header[1:2][0]


def _header(head: bytes) -> list[str]:
    lines = first_cells(head, 1)
    return [cell.lower() for cell in lines[0]] if lines else []


def _table(data: bytes) -> tuple[list[str], list[Row]]:
    text = text_of(data)
    rows = list(rows_of(text, separator_of(text.lstrip("\r\n").split("\n", 1)[0])))
    if len(rows) < 2:
        raise InstanceError("", "holds no rows below the header")
    for row in rows[1:]:
        fits(row, len(rows[0].cells))
    return list(rows[0].cells), rows[1:]


def _number(cell: str, where: str) -> Fraction | None:
    if cell.lower() in _BLANK:
        return None
    return Fraction(rational.parse(cell, where))


def read_wide(
    data: bytes,
    *,
    meta: Meta,
    values: Literal["ranks", "scores"] = "ranks",
    layout: Literal["ranks", "orders"] = "ranks",
    dedupe: bool = False,
) -> SelectiveAggregation:
    """Read a row for each item, a column for each judge.

    ``values`` are ``ranks`` (small is good) or ``scores`` (large is good); blank is missing.
    ``layout`` says what a number is: the rank of the row's item (``ranks``), or, in row k, the
    number of the item (from 1, in the order of the rows) that the judge put at place k
    (``orders``).
    """
    header, rows = _table(data)
    names = build.names_of([row.cells[0] for row in rows])
    n = len(names)
    columns = [
        [_number(row.cells[c], f"line {row.line}, {header[c]}") for row in rows]
        for c in range(1, len(header))
    ]
    if layout == "orders":
        columns = [_places(column, header[c + 1], n) for c, column in enumerate(columns)]
    profile = build.of_table(n, columns, [1] * len(columns), larger=values == "scores")
    return SelectiveAggregation(profile, names, meta=meta)


def _places(column: Sequence[Fraction | None], judge: str, n: int) -> list[Fraction | None]:
    """Return the rank of each item from the item at each place."""
    out: list[Fraction | None] = [None] * n
    for k, value in enumerate(column):
        if value is None:
            continue
        if value.denominator != 1 or not 1 <= value <= n:
            raise InstanceError(f"{judge}, place {k + 1}", f"no item {rational.text(value)}")
        if out[int(value) - 1] is not None:
            raise InstanceError(f"{judge}, place {k + 1}", f"item {value} is named twice")
        out[int(value) - 1] = Fraction(k)
    return out


def read_long(data: bytes, *, meta: Meta, dedupe: bool = False) -> SelectiveAggregation:
    """Read a row for each vote: judge_id, item_id_1, item_id_2, pref (1, 0, -1 or blank)."""
    header, rows = _table(data)
    at = [[name.lower() for name in header].index(name) for name in _LONG]
    votes, where, items = [], [], dict[str, int]()
    for row in rows:
        judge, a, b, cell = (row.cells[c] for c in at)
        value = _number(cell, f"line {row.line}, pref")
        for name in (a, b):
            items.setdefault(name, len(items))
        votes.append((judge, a, b, value))
        where.append(f"line {row.line}")
    names = build.names_of(list(items))
    profile = build.of_votes(items, votes, where, dedupe=dedupe)
    return SelectiveAggregation(profile, names, meta=meta)


def read_support(
    data: bytes, *, meta: Meta, total: int | None = None, ties: Path | None = None
) -> SelectiveAggregation:
    """Read sums: row i, column j, how many judges put i above j.

    ``total`` is the number of judges; default: the most who judged one pair. ``ties`` names a
    file of the same form with the numbers of ties.
    """
    names, above = _sums(data)
    even = None
    if ties is not None:
        others, even = _sums(ties.read_bytes())
        if others != names:
            raise InstanceError("ties", "names other items, or in another order")
    most = int((np.array(above) + np.array(above).T + np.array(even or 0)).max())
    profile = build.of_support(len(names), total or most, above, even)
    said = f"{profile.total} judges" + ("" if total else ", the most who judged one pair")
    return SelectiveAggregation(profile, names, remarks=[Note("read", said)], meta=meta)


def _sums(data: bytes) -> tuple[tuple[str, ...], list[list[int]]]:
    header, rows = _table(data)
    names = build.names_of(header[1:])
    if [row.cells[0] for row in rows] != header[1:]:
        raise InstanceError("items", "rows and columns name different items")
    out = []
    for row in rows:
        for cell in row.cells[1:]:
            if not (cell.isascii() and cell.isdecimal()):
                raise InstanceError(f"line {row.line}", f"expected a count, got {cell!r}")
        out.append([int(cell) for cell in row.cells[1:]])
    return names, out


FORMATS: tuple[Format, ...] = (
    Format("PrefLib", _NAME, is_preflib, read_preflib, write_preflib, (".soi", ".toi")),
    Format("items by judges", _NAME, is_wide, read_wide),
    Format("list of votes", _NAME, is_long, read_long),
    Format("support sums", _NAME, is_support, read_support),
)
