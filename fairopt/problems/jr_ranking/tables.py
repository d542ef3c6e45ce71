"""Tables of votes: comma, semicolon or tab separated, with or without a header."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.delimited import Row
from fairopt.errors import InstanceError
from fairopt.rational import Rational

TABLES = ("", ".csv", ".tsv", ".txt")
USERS = ("participant", "user", "voter", "voter-id", "user-id", "id", "xid", "row")


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
