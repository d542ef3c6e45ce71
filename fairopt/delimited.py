"""Text of tables: decoding, separators, rows with their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from fairopt.errors import InstanceError


@dataclass(frozen=True, slots=True)
class Row:
    """One row and the line of the file it begins on."""

    line: int
    cells: tuple[str, ...]


def separator_of(line: str) -> str:
    """Return the separator of a line: a tab, else a semicolon, else a comma."""
    return next((mark for mark in "\t;" if mark in line), ",")


def text_of(data: bytes) -> str:
    """Return the text of a file."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InstanceError("", f"is not UTF-8 text (byte {error.start})") from None


def rows_of(text: str, mark: str) -> Iterator[Row]:
    """Yield the rows that are not blank, cells stripped; quoted cells may hold line breaks."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield Row(line, tuple(cell.strip() for cell in cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InstanceError(f"line {line}", f"is no row of a table ({error})") from None


def fits(row: Row, width: int) -> tuple[str, ...]:
    """Return the cells of a row, which must be as many as the header has."""
    if len(row.cells) != width:
        raise InstanceError(f"line {row.line}", f"expected {width} cells, got {len(row.cells)}")
    return row.cells


def first_cells(head: bytes, lines: int = 3) -> list[list[str]]:
    """Return the cells of the first lines as far as the head of a file shows them."""
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    found = [line for line in text.splitlines() if line.strip()]
    whole = text.endswith("\n") or len(found) > lines
    out = []
    for k, line in enumerate(found[:lines]):
        cells = [cell.strip().strip('"') for cell in line.split(separator_of(found[0]))]
        cut = k == len(found) - 1 and not whole and len(head) >= 4000
        out.append(cells[:-1] if cut else cells)
    return out
