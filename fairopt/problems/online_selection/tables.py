"""Small tables with a header: comma, semicolon or tab separated."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from fairopt.errors import InstanceError


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of a table with their line numbers; header names in lower case."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def has(self, name: str) -> bool:
        """Return whether there is such a column."""
        return name in self.header

    def column(self, name: str) -> list[str]:
        """Return the cells of a column, stripped."""
        if name not in self.header:
            raise InstanceError("", f"has no column {name!r}")
        k = self.header.index(name)
        return [row[k] for row in self.rows]

    def where(self, k: int, name: str) -> str:
        """Return the place of a cell, for messages."""
        return f"line {self.lines[k]}, column {name}"


def separator_of(line: str) -> str:
    """Return the separator of a header line: a tab, else a semicolon, else a comma."""
    return next((mark for mark in "\t;" if mark in line), ",")


def header_of(head: bytes) -> tuple[str, ...]:
    """Return the names in the first line that is no comment, in lower case; none if not text."""
    for raw in head.decode("utf-8", "replace").splitlines():
        if raw.strip() and not raw.startswith("#"):
            cells = raw.split(separator_of(raw))
            return tuple(cell.strip().strip('"').lower() for cell in cells)
    return ()


def read_sheet(data: bytes) -> Sheet:
    """Read a table; refuses repeated columns and ragged rows."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InstanceError("", f"is not UTF-8 text (byte {error.start})") from None
    kept = [(k, line) for k, line in enumerate(text.splitlines(), 1) if not line.startswith("#")]
    first = next((line for _, line in kept if line.strip()), "")
    mark = separator_of(first)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    try:
        for number, line in kept:
            if line.strip():
                cells = next(csv.reader(io.StringIO(line), delimiter=mark, strict=True))
                rows.append(tuple(cell.strip() for cell in cells))
                lines.append(number)
    except (csv.Error, StopIteration) as error:
        raise InstanceError(f"line {number}", f"is no row of a table ({error})") from None
    if not rows:
        raise InstanceError("", "has no header")
    header = tuple(name.lower() for name in rows[0])
    if len(set(header)) != len(header):
        twice = next(name for k, name in enumerate(header) if name in header[:k])
        raise InstanceError("", f"has two columns {twice!r}")
    for row, line_number in zip(rows, lines, strict=True):
        if len(row) != len(header):
            why = f"expected {len(header)} cells, got {len(row)}"
            raise InstanceError(f"line {line_number}", why)
    return Sheet(header, tuple(rows[1:]), tuple(lines[1:]))


def whole(cell: str, where: str) -> int:
    """Return a cell as a whole number."""
    if not cell.lstrip("+-").isdecimal() or len(cell) > 18:
        raise InstanceError(where, f"expected a whole number, got {cell!r}")
    return int(cell)


def names(cells: Sequence[str]) -> list[int] | list[str]:
    """Return names as integers if every one is written like an integer (``7``, not ``07``)."""
    if cells and all(_integer(cell) for cell in cells):
        return [int(cell) for cell in cells]
    return list(cells)


def _integer(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 18 and str(int(cell)) == cell


def numbers(cells: Sequence[str], sheet: Sheet, name: str) -> list[int]:
    """Return a column of whole numbers."""
    return [whole(cell, sheet.where(k, name)) for k, cell in enumerate(cells)]
