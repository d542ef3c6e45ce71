"""Tables as people keep them: header line, comments, delimiter; every complaint has its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.desk_rejection.problem import DeskRejection
from fairopt.problems.desk_rejection.schema import incidence_of_lists
from fairopt.rational import Rational

DELIMITERS = ("\t", ";", ",")


def first_line(head: bytes) -> str:
    """Return the header line among the first bytes of a file; comments are passed over."""
    for line in head.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return line
    return ""


def delimiter_of(header: str) -> str:
    """Return tab, semicolon or comma, whichever the header line has (comma if none)."""
    return next((mark for mark in DELIMITERS if mark in header), ",")


def header_of(head: bytes) -> list[str]:
    """Return the column names among the first bytes of a file, in lower case."""
    line = first_line(head)
    return [name.strip().strip('"').lower() for name in line.split(delimiter_of(line))]


@dataclass(frozen=True)
class Table:
    """A table read whole.

    ``columns`` are the names as written, in lower case; ``rows`` the cells, ``lines`` the line
    of the file on which each row ends.
    """

    columns: list[str]
    rows: list[list[str]]
    lines: list[int]

    def has(self, name: str) -> bool:
        """Return whether there is such a column."""
        return name in self.columns

    def column(self, name: str) -> list[str]:
        """Return the cells of a column."""
        k = self.columns.index(name)
        return [row[k] for row in self.rows]

    def bad(self, row: int, column: str, why: str) -> InstanceError:
        """Return an error that names the line and column of a row."""
        return InstanceError(f"line {self.lines[row]}: {column}", why)

    def numbers(self, name: str, decimal: str) -> list[Rational]:
        """Return the exact numbers of a column."""
        known: dict[str, Rational] = {}
        out = []
        for k, cell in enumerate(self.column(name)):
            if cell not in known:
                known[cell] = self._number(k, name, cell, decimal)
            out.append(known[cell])
        return out

    def _number(self, row: int, name: str, cell: str, decimal: str) -> Rational:
        text = cell.strip()
        if decimal == "," and "." not in text:
            text = text.replace(",", ".")
        elif "," in text and "." not in text:
            raise self.bad(row, name, f"{cell!r} has a decimal comma (--decimal ,)")
        try:
            return rational.parse(text)
        except InstanceError as error:
            raise self.bad(row, name, error.why) from None

    def flags(self, name: str) -> list[bool]:
        """Return the truth values of a column: 0, 1, true, false, yes, no, or blank for no."""
        words = {"": False, "0": False, "false": False, "no": False}
        words |= {"1": True, "true": True, "yes": True}
        out = []
        for k, cell in enumerate(self.column(name)):
            word = cell.strip().lower()
            if word not in words:
                raise self.bad(k, name, f"expected true or false, got {cell!r}")
            out.append(words[word])
        return out


def read_table(data: bytes, known: Callable[[str], bool] | None = None) -> Table:
    """Return the table of a CSV file, separated by commas, semicolons or tabs.

    ``known`` says whether a column name belongs here; without it all are accepted.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InstanceError("", f"is not UTF-8 text (byte {error.start})") from None
    header = first_line(data[:65536])
    reader = csv.reader(
        _uncommented(text), delimiter=delimiter_of(header), strict=True, quotechar='"'
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InstanceError(f"line {reader.line_num}", f"is not valid CSV ({error})") from None
    if not rows:
        raise InstanceError("", "holds no table")
    columns = [name.strip().lower() for name in rows[0]]
    for name in columns:
        if columns.count(name) > 1:
            raise InstanceError(f"line {lines[0]}", f"column {name!r} is given twice")
        if known is not None and not known(name):
            raise InstanceError(f"line {lines[0]}", f"unknown column {name!r}")
    width = len(columns)
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if len(row) != width:
            raise InstanceError(f"line {line}", f"expected {width} cells, got {len(row)}")
    return Table(columns, rows[1:], lines[1:])


def _uncommented(text: str) -> Iterator[str]:
    """Yield the lines, those that begin with # emptied so that numbers of lines stay."""
    lines = io.StringIO(text, newline="")
    if not text.startswith("#") and "\n#" not in text:
        return lines
    return ("\n" if line.startswith("#") else line for line in lines)


def write_table(columns: list[str], rows: Iterator[list[str]]) -> bytes:
    """Return a comma-separated table."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


# -- papers and their authors --------------------------------------------------------------


def clean(names: list[str], strip: bool, fold_case: bool) -> list[str]:
    if strip:
        names = [name.strip() for name in names]
    return [name.casefold() for name in names] if fold_case else names


def split_authors(
    cells: Sequence[str], table: Table, column: str, separator: str | None
) -> list[list[str]]:
    """Return the author ids of each cell; refuses an empty id between two separators."""
    if separator is None and any(";" in cell for cell in cells):
        separator = ";"
    if separator is None:
        return [cell.split() for cell in cells]
    out = []
    for k, cell in enumerate(cells):
        names = [name.strip() for name in cell.split(separator)] if cell.strip() else []
        if "" in names:
            raise table.bad(k, column, f"an author id is empty in {cell!r}")
        out.append(names)
    return out


def build(
    table: Table | None,
    papers: list[str],
    lists: list[list[str]],
    *,
    meta: Meta,
    **more: Any,
) -> DeskRejection:
    """Build the problem; errors about ``papers[k]`` name the line of the file instead."""
    ptr, who, authors = incidence_of_lists(lists)
    try:
        return DeskRejection(
            ptr, who, paper_ids=papers, author_ids=authors, meta=meta, copy=False, **more
        )
    except InstanceError as error:
        match = re.match(r"papers\[(\d+)\]\.?", error.where)
        if table is None or match is None:
            raise
        where = f"line {table.lines[int(match[1])]}: {error.where[match.end() :]}"
        raise InstanceError(where.rstrip(": "), error.why) from None
