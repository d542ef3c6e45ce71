"""Polis exports, and long tables with one vote a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairopt.delimited import Row, first_cells, fits, rows_of, separator_of, text_of
from fairopt.errors import InstanceError
from fairopt.files import read_bytes
from fairopt.problem import Meta
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.problems.jr_ranking.tables import TABLES
from fairopt.problems.jr_ranking.validate import pointers
from fairopt.solution import Note

_LAST = "n-disagree"  # what follows this column are comments
_VOTERS = ("voter-id", "voter", "user", "participant")
_COMMENTS = ("comment-id", "comment")
_VOTES = ("vote", "agree")
_WORDS = {"1": 1, "0": 0, "-1": -1, "+1": 1, "1.0": 1, "0.0": 0, "-1.0": -1}


def needed(k: int | None) -> int:
    """Return k; these files do not say how many comments are to be shown."""
    if k is None:
        why = "the file does not say how many comments to show: --set k=8, or k=8 in load"
        raise InstanceError("k", why)
    return k


# -- participants-votes.csv ----------------------------------------------------------------


def is_participants(suffix: str, head: bytes) -> bool:
    """Return whether one of the first lines is the header of a Polis participants file."""
    if suffix not in TABLES:
        return False
    lines = first_cells(head, 30)
    return any({"participant", "n-agree"} <= {c.lower() for c in line} for line in lines)


def read_participants(
    data: bytes,
    *,
    meta: Meta,
    k: int | None = None,
    agree_value: int = 1,
    comments: Path | None = None,
) -> JrRanking:
    """Read a Polis export with one row a participant and one column a comment.

    The columns after ``n-disagree`` are comments; their names, which need not be 0 to m - 1, are
    the ids. A cell is 1 (agree), -1 (disagree), 0 (pass) or blank (not shown); only
    ``agree_value`` approves. Rows before the header and a column ``xid`` are passed over.
    ``comments`` is the file comments.csv of the same export: its totals, and the counts that the
    file itself holds, are compared with both signs, and a note warns where the other one fits.
    """
    header, body, before = _after_preamble(text_of(data))
    names = [name.lower() for name in header.cells]
    if _LAST not in names:
        raise InstanceError(f"line {header.line}", f"has no column {_LAST}")
    first = names.index(_LAST) + 1
    columns = [c for c in range(first, len(names)) if names[c] != "xid" and names[c]]
    if not columns:
        raise InstanceError("comments", f"there are no columns after {_LAST}")
    ids = [header.cells[c] for c in columns]
    table = np.zeros((len(body), len(columns)), np.int8)
    blank = 0
    for i, row in enumerate(body):
        cells = fits(row, len(names))
        for j, c in enumerate(columns):
            if cells[c]:
                table[i, j] = _vote(cells[c], row, ids[j])
            else:
                blank += 1
                table[i, j] = 2
    if not len(body):
        raise InstanceError("approvals", "there are no users")
    _sign(agree_value)
    words = f"{len(body):,} participants, {len(ids):,} comments, {table.size - blank:,} votes"
    skipped = ["xid"] if "xid" in names else []
    skipped += [f"{before} rows before the header"] if before else []
    extra = f"; passed over: {', '.join(skipped)}" if skipped else ""
    remarks = [Note("read", f"{words}, {blank:,} blank cells{extra}")]
    counts = {name: _column(body, names, name) for name in ("n-agree", "n-disagree")}
    remarks += _own_counts(table, counts, agree_value)
    if comments is not None:
        remarks += _totals(table, ids, comments, agree_value)
    return _build(table == agree_value, ids, k, meta, remarks)


def _after_preamble(text: str) -> tuple[Row, list[Row], int]:
    """Return the header, the rows below it, and how many lines stand above."""
    lines = text.splitlines(keepends=True)
    for k, line in enumerate(lines[:100]):
        cells = {c.strip().strip('"').lower() for c in line.split(separator_of(line))}
        if {"participant", "n-agree"} <= cells:
            rows = list(rows_of("".join(lines[k:]), separator_of(line)))
            shifted = [Row(row.line + k, row.cells) for row in rows]
            return shifted[0], shifted[1:], sum(1 for above in lines[:k] if above.strip())
    raise InstanceError("", "has no header with participant and n-agree")


def _vote(cell: str, row: Row, name: str) -> int:
    if cell not in _WORDS:
        where = f"line {row.line}, column {name}"
        raise InstanceError(where, f"expected 1, -1, 0 or nothing, got {cell!r}")
    return _WORDS[cell]


def _sign(agree_value: int) -> None:
    if agree_value not in (1, -1):
        raise InstanceError("agree_value", f"expected 1 or -1, got {agree_value}")


def _column(body: Sequence[Row], names: Sequence[str], name: str) -> list[int] | None:
    if name not in names:
        return None
    cells = [row.cells[names.index(name)] for row in body]
    fine = all(cell.isascii() and cell.isdecimal() for cell in cells)
    return [int(cell) for cell in cells] if fine else None


def _own_counts(
    table: NDArray[np.int8], counts: dict[str, list[int] | None], agree_value: int
) -> list[Note]:
    """Compare the counts of each participant with both signs."""
    if counts["n-agree"] is None or counts["n-disagree"] is None:
        return []
    agree, disagree = np.array(counts["n-agree"]), np.array(counts["n-disagree"])
    plus, minus = (table == agree_value).sum(axis=1), (table == -agree_value).sum(axis=1)
    return _warn(plus, minus, agree, disagree, agree_value, "the columns n-agree and n-disagree")


def _warn(
    plus: NDArray[np.int64],
    minus: NDArray[np.int64],
    agree: NDArray[np.int64],
    disagree: NDArray[np.int64],
    agree_value: int,
    what: str,
) -> list[Note]:
    straight = int(np.abs(plus - agree).sum() + np.abs(minus - disagree).sum())
    flipped = int(np.abs(minus - agree).sum() + np.abs(plus - disagree).sum())
    if flipped >= straight:
        return []
    text = (
        f"{what} fit agree_value {-agree_value} (off by {flipped:,} votes), not {agree_value}"
        f" (off by {straight:,}): the signs may be turned around"
    )
    return [Note("sign", text)]


def _totals(
    table: NDArray[np.int8], ids: Sequence[str], path: Path, agree_value: int
) -> list[Note]:
    """Compare the totals of each comment in comments.csv with both signs."""
    try:
        text = text_of(read_bytes(path))
        rows = list(rows_of(text, separator_of(text.split("\n", 1)[0])))
        names = [name.lower() for name in rows[0].cells]
        for name in ("comment-id", "agrees", "disagrees"):
            if name not in names:
                raise InstanceError("", f"has no column {name}")
        at = {name: names.index(name) for name in names}
        place = {name: j for j, name in enumerate(ids)}
        agree, disagree = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
        known = np.zeros(len(ids), np.bool_)
        for row in rows[1:]:
            cells = fits(row, len(names))
            j = place.get(cells[at["comment-id"]])
            if j is not None:
                agree[j] = _count(cells[at["agrees"]], row)
                disagree[j] = _count(cells[at["disagrees"]], row)
                known[j] = True
    except InstanceError as error:
        raise InstanceError(error.where, error.why, file=error.file or str(path)) from None
    plus, minus = (table == agree_value).sum(axis=0), (table == -agree_value).sum(axis=0)
    return _warn(plus[known], minus[known], agree[known], disagree[known], agree_value, path.name)


def _count(cell: str, row: Row) -> int:
    if not (cell.isascii() and cell.isdecimal() and len(cell) < 16):
        raise InstanceError(f"line {row.line}", f"expected a count, got {cell!r}")
    return int(cell)


def _build(
    approved: NDArray[np.bool_],
    ids: Sequence[str],
    k: int | None,
    meta: Meta,
    remarks: Sequence[Note],
) -> JrRanking:
    size = needed(k)
    return JrRanking(
        *pointers(approved), n_comments=len(ids), k=size, ids=ids, meta=meta, remarks=remarks
    )


# -- one vote a row ------------------------------------------------------------------------


def _header(lines: list[list[str]]) -> list[str]:
    return [cell.lower() for cell in lines[0]] if lines else []


def _one(names: Sequence[str], allowed: Sequence[str]) -> str | None:
    return next((name for name in allowed if name in names), None)


def is_votes(suffix: str, head: bytes) -> bool:
    """Return whether the header has a voter, a comment and a vote."""
    names = _header(first_cells(head, 1)) if suffix in TABLES else []
    return all(_one(names, columns) for columns in (_VOTERS, _COMMENTS, _VOTES))


def read_votes(data: bytes, *, meta: Meta, k: int | None = None, agree_value: int = 1) -> JrRanking:
    """Read one vote a row: ``voter,comment,vote``, the last vote of a user on a comment counts.

    With a column ``timestamp`` the latest one counts. Only ``agree_value`` approves. The votes
    table of Polis, unlike its participants file, has -1 for agreement: give agree_value -1.
    Users who never voted are in no row and do not count in n.
    """
    _sign(agree_value)
    text = text_of(data)
    rows = list(rows_of(text, separator_of(text.split("\n", 1)[0])))
    names = [name.lower() for name in rows[0].cells]
    who, what, how = (_one(names, columns) for columns in (_VOTERS, _COMMENTS, _VOTES))
    if who is None or what is None or how is None:
        raise InstanceError("", "expected columns for voter, comment and vote")
    at = [names.index(name) for name in (who, what, how)]
    body = rows[1:]
    if "timestamp" in names:
        stamp = names.index("timestamp")
        body = sorted(body, key=lambda row: _count(fits(row, len(names))[stamp], row))
    users: dict[str, dict[str, int]] = {}
    comments: dict[str, int] = {}
    for row in body:
        cells = fits(row, len(names))
        voter, comment, vote = (cells[c] for c in at)
        if not voter or not comment:
            raise InstanceError(f"line {row.line}", "a voter or comment is missing")
        comments.setdefault(comment, len(comments))
        users.setdefault(voter, {})[comment] = _vote(vote, row, how)
    if not users:
        raise InstanceError("approvals", "there are no users")
    ids = sorted(comments, key=lambda name: (len(name), name) if name.isdecimal() else (99, name))
    place = {name: c for c, name in enumerate(ids)}
    ballots = [[place[c] for c, v in mine.items() if v == agree_value] for mine in users.values()]
    kept = sum(map(len, users.values()))
    words = f"{len(users):,} users, {len(ids):,} comments, {kept:,} votes"
    remarks = [Note("read", f"{words}, {len(body) - kept:,} earlier votes replaced")]
    size = needed(k)
    return JrRanking.from_ballots(
        ballots, n_comments=len(ids), k=size, ids=ids, meta=meta, remarks=remarks
    )
