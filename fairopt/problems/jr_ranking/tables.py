"""Tables of votes: comma, semicolon or tab separated, with or without a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Rational

TABLES = ("", ".csv", ".tsv", ".txt")
USERS = ("participant", "user", "voter", "voter-id", "user-id", "id", "xid", "row")


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


def is_share(cell: str) -> bool:
    """Return whether a cell is a number between 0 and 1."""
    try:
        return 0.0 <= float(cell) <= 1.0
    except ValueError:
        return False


def numbers(
    rows: Sequence[Row], columns: Sequence[int], names: Sequence[str]
) -> tuple[NDArray[np.float64], int]:
    """Return the cells of some columns as floats, -inf where blank, and how many are blank."""
    table = np.empty((len(rows), len(columns)), np.float64)
    blank = 0
    for i, row in enumerate(rows):
        cells = [row.cells[c] for c in columns]
        if "" in cells:
            blank += cells.count("")
            cells = ["-inf" if cell == "" else cell for cell in cells]
        try:
            table[i] = cells
        except ValueError:
            _name_bad(row, cells, names)
    if np.isnan(table).any() or np.isposinf(table).any():
        i, j = np.argwhere(np.isnan(table) | np.isposinf(table))[0].tolist()
        where = f"line {rows[i].line}, column {names[j]}"
        raise InstanceError(where, f"expected a number, got {rows[i].cells[columns[j]]!r}")
    return table, blank


def _name_bad(row: Row, cells: Sequence[str], names: Sequence[str]) -> None:
    for name, cell in zip(names, cells, strict=True):
        if cell != "-inf":
            rational.parse(cell, f"line {row.line}, column {name}")
    raise InstanceError(f"line {row.line}", "expected numbers")


def reaches(
    table: NDArray[np.float64], rows: Sequence[Row], columns: Sequence[int], threshold: Rational
) -> NDArray[np.bool_]:
    """Return which cells are at least a threshold, both as the decimals that they are."""
    near = float(threshold)
    out: NDArray[np.bool_] = table > near
    for i, j in np.argwhere(table == near).tolist():  # the float alone cannot tell
        out[i, j] = rational.parse(rows[i].cells[columns[j]]) >= threshold
    return out
