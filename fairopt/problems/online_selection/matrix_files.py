"""MatrixMarket files as linear matroids: every column is an element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.online_selection.listed import Linear
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.problems.online_selection.tables import whole

_MARK = b"%%MatrixMarket"
_CELLS = 50_000_000  # entries of the dense matrix


def is_matrix_market(suffix: str, head: bytes) -> bool:
    """Return whether the file is in MatrixMarket format."""
    return suffix == ".mtx" or head.startswith(_MARK)


def read_matrix_market(data: bytes, *, meta: Meta, field: str = "Q") -> OnlineSelection:
    """Read a matrix of whole numbers; ``field`` is ``Q`` or a prime.

    Real entries are accepted if they are written without a fractional part.
    """
    lines = _lines(data)
    number, header = next(lines, (1, ""))
    words = header.lower().split()
    if len(words) != 5 or words[0] != _MARK.decode().lower() or words[1] != "matrix":
        raise InstanceError("line 1", "expected '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'")
    form, kind, symmetry = words[2:]
    if form not in ("coordinate", "array") or kind not in ("integer", "real", "pattern"):
        raise InstanceError("line 1", f"cannot read {form} {kind}; use integers")
    if symmetry not in ("general", "symmetric", "skew-symmetric"):
        raise InstanceError("line 1", f"cannot read {symmetry} matrices")
    body = ((k, line.split()) for k, line in lines if not line.startswith("%"))
    number, sizes = next(((k, cells) for k, cells in body if cells), (number, []))
    if len(sizes) != (3 if form == "coordinate" else 2):
        raise InstanceError(f"line {number}", "expected the sizes of the matrix")
    rows, columns, *stored = (whole(cell, f"line {number}") for cell in sizes)
    if rows < 0 or columns < 0 or rows * columns > _CELLS:
        raise InstanceError(f"line {number}", "the matrix is too large to be read densely")
    table = [[0] * rows for _ in range(columns)]
    entries = _coordinates(body, kind) if form == "coordinate" else _array(body, rows, symmetry)
    count = 0
    for k, i, j, value in entries:
        if not (1 <= i <= rows and 1 <= j <= columns):
            raise InstanceError(f"line {k}", f"no cell ({i}, {j}) in {rows} x {columns}")
        count += 1
        table[j - 1][i - 1] = value
        if symmetry != "general" and i != j:
            table[i - 1][j - 1] = value if symmetry == "symmetric" else -value
    if stored and count != stored[0]:
        raise InstanceError("", f"expected {stored[0]} entries, got {count}")
    prime: Any = "Q" if field.upper() == "Q" else whole(field, "field")
    return OnlineSelection(Linear.of(prime, table), meta=meta)


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    yield from enumerate(data.decode("utf-8", "replace").splitlines(), 1)


def _coordinates(body: Any, kind: str) -> Iterator[tuple[int, int, int, int]]:
    width = 2 if kind == "pattern" else 3
    seen: set[tuple[int, int]] = set()
    for k, cells in body:
        if not cells:
            continue
        if len(cells) != width:
            raise InstanceError(f"line {k}", f"expected {width} numbers, got {len(cells)}")
        i, j = (whole(cell, f"line {k}") for cell in cells[:2])
        if (i, j) in seen:
            raise InstanceError(f"line {k}", f"cell ({i}, {j}) is given twice")
        seen.add((i, j))
        yield k, i, j, 1 if kind == "pattern" else _entry(cells[2], k)


def _array(body: Any, rows: int, symmetry: str) -> Iterator[tuple[int, int, int, int]]:
    i = j = 1
    for k, cells in body:
        for cell in cells:
            yield k, i, j, _entry(cell, k)
            i += 1
            if i > rows:
                j += 1
                i = 1 if symmetry == "general" else j + (symmetry == "skew-symmetric")


def _entry(cell: str, line: int) -> int:
    head, _, tail = cell.partition(".")
    if tail.strip("0"):
        raise InstanceError(f"line {line}", f"use integers, got {cell}")
    return whole(head, f"line {line}")
