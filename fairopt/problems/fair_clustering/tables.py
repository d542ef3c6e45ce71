"""Tables with a header, and arrays of NumPy, as columns that can be picked by name."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError

Floats = NDArray[np.float64]

SUFFIXES = ("", ".csv", ".tsv", ".txt", ".data")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its name, its cells, and the line of the file where it begins."""

    name: str
    cells: tuple[str, ...]
    first_line: int = 2

    def numbers(self) -> Floats:
        """Return the cells as finite numbers; raises ``InstanceError`` with line and column."""
        try:
            values = np.array(self.cells, np.float64)
        except ValueError:
            values = np.array([self._number(i) for i in range(len(self.cells))])
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InstanceError(self._at(int(bad[0])), "expected a finite number")
        return values

    def _number(self, i: int) -> float:
        return float(rational.parse(self.cells[i], self._at(i)))

    def _at(self, i: int) -> str:
        return f"line {self.first_line + i}, column {self.name}"

    def labels(self) -> list[str]:
        """Return the cells as labels; a blank one is an error."""
        if "" in self.cells:
            raise InstanceError(
                self._at(self.cells.index("")), "is blank; every point needs a label"
            )
        return list(self.cells)


def names_of(given: str | list[str], where: str) -> list[str]:
    """Return names of columns, from ``a,b`` or a list."""
    names = given.split(",") if isinstance(given, str) else list(given)
    out = [name.strip() for name in names]
    if "" in out or not out:
        raise InstanceError(where, "expected names of columns, separated by commas")
    if len(set(out)) < len(out):
        raise InstanceError(where, "a column is named twice")
    return out


def header_of(data: bytes) -> list[str]:
    """Return the names in the first line of a table."""
    line = data.lstrip(b"\r\n").split(b"\n", 1)[0]
    text = line.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r")
    rows = list(csv.reader(io.StringIO(text), delimiter=_separator(text), skipinitialspace=True))
    return [cell.strip() for cell in rows[0]] if rows else []


def _separator(line: str) -> str:
    return next((mark for mark in "\t;" if mark in line), ",")


def columns_of(data: bytes, names: Mapping[str, str]) -> list[Column]:
    """Return the columns of these names, of a table with a header; who asks for each is the value.

    Separated by tabs, semicolons or commas, whichever the header has. Raises ``InstanceError`` for
    an unknown column or a row of another width.
    """
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InstanceError("", f"is not UTF-8 text (byte {error.start})") from None
    header = header_of(data)
    place: list[int] = []
    for name, where in names.items():
        if name not in header:
            known = ", ".join(header[:30])
            raise InstanceError(where, f"no column {name!r}; columns are {known}")
        if header.count(name) > 1:
            raise InstanceError(where, f"the column {name!r} stands twice in the header")
        place.append(header.index(name))
    lines = text.lstrip("\r\n").split("\n", 1)
    mark = _separator(lines[0])
    first = 2 + text[: len(text) - len(text.lstrip("\r\n"))].count("\n")
    body = lines[1] if len(lines) > 1 else ""
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=mark, skipinitialspace=True)
    rows = []
    try:
        for row in reader:
            if len(row) != len(header):
                if not any(cell.strip() for cell in row):
                    _only_at_end(reader, first)
                    break
                at = f"line {first + reader.line_num - 1}"
                raise InstanceError(at, f"expected {len(header)} cells, got {len(row)}")
            rows.append([row[c] for c in place])
    except csv.Error as error:
        at = f"line {first + reader.line_num - 1}"
        raise InstanceError(at, f"is no row of a table ({error})") from None
    if not rows:
        raise InstanceError("points", "there are no points")
    cells = zip(*rows, strict=True)
    return [
        Column(name, tuple(cell.strip() for cell in column), first)
        for name, column in zip(names, cells, strict=True)
    ]


def _only_at_end(reader: Any, first: int) -> None:
    """Refuse a blank line that rows follow: it may be somebody who is missing."""
    for row in reader:
        if any(cell.strip() for cell in row):
            raise InstanceError(f"line {first + reader.line_num - 2}", "is blank")


def arrays_of(data: bytes, where: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npy`` (under the name "") or ``.npz`` file."""
    try:
        if data[:2] == b"PK":
            with np.load(io.BytesIO(data), allow_pickle=False) as found:
                return {name: found[name] for name in found.files}
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise InstanceError(where, f"is no file of NumPy arrays ({error})") from None
    return {"": array}
