"""File formats beside JSON: tables of votes or probabilities, Polis exports, election libraries.

Readers keep one row a user, users without any approval included: they count in n.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.convert import Exactly
from fairopt.delimited import Row, first_cells, fits, rows_of, separator_of, text_of
from fairopt.errors import InstanceError
from fairopt.files import Format
from fairopt.problem import Meta
from fairopt.problems.jr_ranking import files_elections as elections
from fairopt.problems.jr_ranking import files_polis as polis
from fairopt.problems.jr_ranking.files_write import write_abcvoting, write_categories
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.problems.jr_ranking.tables import TABLES, USERS, is_share, numbers, reaches
from fairopt.problems.jr_ranking.validate import approvals_of, pointers
from fairopt.solution import Note

# -- dense tables --------------------------------------------------------------------------


def is_dense(suffix: str, head: bytes) -> bool:
    """Return whether rows are users and cells are 0, 1 or shares between them.

    Without a header all cells must be shares. With one they must be 0, 1 or blank, or the first
    column must be named like a user (``user``, ``voter``, ``participant`` …).
    """
    if suffix not in TABLES or head.lstrip()[:1] in (b"{", b"["):
        return False
    lines = first_cells(head)
    if not lines or len(lines[0]) < 2 or polis.is_participants(suffix, head):
        return False
    if all(map(is_share, lines[0])):
        return all(is_share(cell) or not cell for line in lines for cell in line)
    named = lines[0][0].lower() in USERS
    columns = [c for c, name in enumerate(lines[0]) if not _aside(c, name)]
    if len(lines) < 2 or len(columns) < 3 or any(map(is_share, lines[0][named:2])):
        return False
    cells = [line[c] for line in lines[1:] for c in columns if c < len(line) and line[c]]
    return bool(cells) and all(map(is_share if named else _bit, cells))


def _bit(cell: str) -> bool:
    return is_share(cell) and float(cell) in (0.0, 1.0)


def read_dense(
    data: bytes,
    *,
    meta: Meta,
    k: int | None = None,
    threshold: Exactly | None = None,
) -> JrRanking:
    """Read one row a user, one column a comment: 0 or 1, or probabilities with ``threshold``.

    Probabilities are kept as utilities where no cell is blank.

    A comment is approved from the threshold on, compared as decimals; blank cells are no
    approval. A header names the comments; a first column named like a user is ignored and a
    column ``weight`` holds weights.
    """
    text = text_of(data)
    rows = list(rows_of(text, separator_of(text.lstrip("\r\n").split("\n", 1)[0])))
    if not rows:
        raise InstanceError("", "holds no table")
    header = None if all(map(is_share, rows[0].cells)) else rows[0].cells
    body = rows[1:] if header else rows
    if not body:
        raise InstanceError("approvals", "there are no users")
    width = len(rows[0].cells)
    for row in body:
        fits(row, width)
    names = list(header) if header else [str(c) for c in range(width)]
    columns = [c for c, name in enumerate(names) if not header or not _aside(c, name)]
    if not columns:
        raise InstanceError("comments", "there are no columns of comments")
    shown = [names[c] for c in columns]
    table, blank = numbers(body, columns, shown)
    approved = _approved(table, body, columns, threshold, shown)
    weights = _weights(body, names) if header else None
    dropped = width - len(columns)
    remarks = [Note("read", f"{len(body):,} users, {len(columns):,} comments; {blank:,} blank"
                            f" cells are no approval, {dropped} columns skipped")]  # fmt: skip
    more: dict[str, Any] = {
        "ids": shown if header else None,
        "weights": weights,
        "remarks": remarks,
    }
    if threshold is not None and not blank and _same_as_floats(table, approved, threshold):
        size = polis.needed(k)
        return JrRanking(
            None, None, n_comments=len(columns), k=size, utilities=table, threshold=threshold,
            meta=meta, **more,
        )  # fmt: skip
    return _build(approved, k, meta=meta, **more)


def _same_as_floats(
    table: NDArray[np.float64], approved: NDArray[np.bool_], threshold: Fraction
) -> bool:
    """Return whether the numbers, kept as floats, make the approvals that their decimals make."""
    indptr, items = approvals_of(table, 1, threshold)
    same = np.array_equal(np.diff(indptr), approved.sum(axis=1))
    return bool(same and np.array_equal(items, np.nonzero(approved)[1]))


def _aside(c: int, name: str) -> bool:
    return (c == 0 and name.lower() in USERS) or name.lower() in ("weight", "xid")


def _weights(body: list[Row], names: list[str]) -> list[int] | None:
    place = [c for c, name in enumerate(names) if name.lower() == "weight"]
    if not place:
        return None
    out = []
    for row in body:
        value = rational.parse(row.cells[place[0]], f"line {row.line}, column weight")
        if not isinstance(value, int) or value < 1:
            why = f"expected a whole number of at least 1, got {row.cells[place[0]]!r}"
            raise InstanceError(f"line {row.line}, column weight", why)
        out.append(value)
    return out


def _approved(
    table: NDArray[np.float64],
    body: list[Row],
    columns: list[int],
    threshold: Fraction | None,
    names: list[str],
) -> NDArray[np.bool_]:
    if threshold is not None:
        return reaches(table, body, columns, threshold)
    between = ~np.isin(table, (0.0, 1.0, -np.inf))
    if between.any():
        i, j = np.argwhere(between)[0].tolist()
        cell = body[i].cells[columns[j]]
        why = f"expected 0 or 1, got {cell!r} (line {body[i].line}, column {names[j]});"
        raise InstanceError("threshold", f"{why} give a threshold to make approvals from numbers")
    return np.asarray(table == 1.0, np.bool_)


def _build(approved: NDArray[np.bool_], k: int | None, **more: Any) -> JrRanking:
    size = polis.needed(k)
    return JrRanking(*pointers(approved), n_comments=approved.shape[1], k=size, **more)


_JR = JrRanking.problem
FORMATS = (
    Format("Polis participants-votes CSV", _JR, polis.is_participants, polis.read_participants),
    Format("votes CSV", _JR, polis.is_votes, polis.read_votes),
    Format("approvals CSV", _JR, is_dense, read_dense),
    Format(
        "abcvoting YAML", _JR, elections.is_abcvoting, elections.read_abcvoting, write_abcvoting,
        (".yaml", ".yml"),
    ),
    Format("PaBuLib", _JR, elections.is_pabulib, elections.read_pabulib),
    Format(
        "PrefLib", _JR, elections.is_preflib, elections.read_preflib, write_categories, (".cat",)
    ),
)  # fmt: skip
