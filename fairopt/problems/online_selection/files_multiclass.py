"""File formats of multi-class selection beside JSON: a table of agents."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.files import Format
from fairopt.problem import Meta
from fairopt.problems.online_selection.multiclass import OnlineMulticlass

_COLUMNS = ("value", "classes")
_SUFFIXES = ("", ".csv", ".tsv", ".txt")


def _delimiter(header: str) -> str:
    return next((mark for mark in "\t," if mark in header), ",")


def _header(head: bytes) -> list[str]:
    for line in head.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return [n.strip().strip('"').lower() for n in line.split(_delimiter(line))]
    return []


def is_agents(suffix: str, head: bytes) -> bool:
    """Return whether the header has the columns ``value`` and ``classes``."""
    return suffix in _SUFFIXES and set(_COLUMNS) <= set(_header(head))


def read_agents(
    data: bytes,
    *,
    meta: Meta,
    capacity: int,
    value_range: list[Fraction],
    quotas: list[int] | None = None,
    unclassified_agents: bool | None = None,
) -> OnlineMulticlass:
    """Read one row per agent in order of arrival, ``value,classes``.

    Classes are numbers from 0, separated by blanks or ``;``. What an algorithm knows in advance
    is no part of the table: ``capacity``, ``value_range`` as ``[L, U]``, ``quotas``.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InstanceError("", f"is not UTF-8 text (byte {error.start})") from None
    values: list[rational.Rational] = []
    classes: list[list[int]] = []
    lines: list[int] = []
    for line, value, own in _rows(text, _header(data)):
        values.append(rational.parse(value.strip(), f"line {line}: value"))
        classes.append(_classes(own, f"line {line}: classes"))
        lines.append(line)
    try:
        return OnlineMulticlass(
            values,
            classes,
            capacity=capacity,
            value_range=value_range,
            quotas=quotas or (),
            unclassified_agents=unclassified_agents,
            meta=meta,
        )
    except InstanceError as error:
        match = re.match(r"agents\[(\d+)\]\.", error.where)
        if match is None:
            raise
        where = f"line {lines[int(match[1])]}: {error.where[match.end() :]}"
        raise InstanceError(where, error.why) from None


def _rows(text: str, names: list[str]) -> list[tuple[int, str, str]]:
    """Return the line number, value and classes of each row."""
    unknown = [name for name in names if name not in _COLUMNS]
    if unknown or len(names) != len(set(names)):
        raise InstanceError("", f"expected the columns {', '.join(_COLUMNS)}, got {names}")
    delimiter = _delimiter(next(ln for ln in text.splitlines() if ln[:1] not in ("", "#")))
    source = ("\n" if ln.startswith("#") else ln for ln in io.StringIO(text, newline=""))
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    place = [names.index(name) for name in _COLUMNS]
    out = []
    try:
        for row in reader:
            if not row:
                continue
            if len(row) != len(names):
                why = f"expected {len(names)} cells, got {len(row)}"
                raise InstanceError(f"line {reader.line_num}", why)
            out.append((reader.line_num, row[place[0]], row[place[1]]))
    except csv.Error as error:
        raise InstanceError(f"line {reader.line_num}", f"is not valid CSV ({error})") from None
    return out[1:]


def _classes(cell: str, where: str) -> list[int]:
    out = []
    for word in re.split(r"[;\s]+", cell.strip()) if cell.strip() else []:
        number = rational.parse(word, where)
        if not isinstance(number, int):
            raise InstanceError(where, f"expected class numbers, got {word!r}")
        out.append(number)
    return out


FORMATS = (Format("agents CSV", OnlineMulticlass.problem, is_agents, read_agents),)
