"""File formats beside JSON: papers CSV, edge list, OpenReview-style exports.

Ids are compared as text, exactly (``007`` is not ``7``); ``fold_case`` and ``strip`` on demand.
In a list of authors ``;`` separates if any cell of the file has one, otherwise blanks do; blanks
around ``;`` belong to the separator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from fairopt.errors import InstanceError, UsageError
from fairopt.files import Format
from fairopt.problem import Meta
from fairopt.problems.desk_rejection.exports import Decimal, read_export_csv, read_export_json
from fairopt.problems.desk_rejection.nomination import ReviewerNomination
from fairopt.problems.desk_rejection.problem import DeskRejection
from fairopt.problems.desk_rejection.schema import incidence_of_lists
from fairopt.problems.desk_rejection.tables import (
    Table,
    build,
    clean,
    header_of,
    read_table,
    split_authors,
    write_table,
)
from fairopt.rational import Rational, text

_SEVERAL = re.compile(r"author_?(\d+)")
_PAPER = ("paper", "paper_id")
_EXTRA = ("weight", "order", "must_keep", "must_reject", "status")
_CHANCE = "p_irresponsible"
_TABLES = ("", ".csv", ".tsv", ".txt")


# -- which file is whose -------------------------------------------------------------------


def _is_table(suffix: str, head: bytes) -> bool:
    return suffix in _TABLES and head.lstrip()[:1] not in (b"{", b"[")


def _has_paper(names: Iterable[str]) -> bool:
    return any(name in _PAPER for name in names)


def is_papers_csv(suffix: str, head: bytes) -> bool:
    """Return whether the header has a paper and its authors, in one column or several."""
    names = header_of(head) if _is_table(suffix, head) else []
    lists = "authors" in names or any(_SEVERAL.fullmatch(name) for name in names)
    return _has_paper(names) and lists and "authorids" not in names


def is_edge_list(suffix: str, head: bytes) -> bool:
    """Return whether the header has one author and one paper (and no probability)."""
    names = header_of(head) if _is_table(suffix, head) else []
    return _has_paper(names) and "author" in names and _CHANCE not in names


def is_nomination_edges(suffix: str, head: bytes) -> bool:
    """Return whether the header has author, paper and the author's probability of failing."""
    names = header_of(head) if _is_table(suffix, head) else []
    return _has_paper(names) and "author" in names and _CHANCE in names


def is_export_csv(suffix: str, head: bytes) -> bool:
    """Return whether the header is that of an OpenReview-style export."""
    names = header_of(head) if _is_table(suffix, head) else []
    return "id" in names and ("authorids" in names or "authors" in names)


def is_export_json(suffix: str, head: bytes) -> bool:
    """Return whether the file is a JSON list of submissions."""
    return head.lstrip()[:1] == b"[" and b'"id"' in head and b'"author' in head


# -- readers -------------------------------------------------------------------------------


def _column(table: Table, names: Sequence[str]) -> str:
    found = [name for name in names if table.has(name)]
    if len(found) != 1:
        raise InstanceError("", f"expected one column of {', '.join(names)}")
    return found[0]


def read_papers(
    data: bytes,
    *,
    meta: Meta,
    dedupe: bool = False,
    allow_anonymous: bool = False,
    fold_case: bool = False,
    strip: bool = False,
    decimal: Decimal = ".",
    separator: str | None = None,
) -> DeskRejection:
    """Read one row per paper: ``paper,authors[,weight,order,must_keep,must_reject,status]``.

    Instead of ``authors`` there may be ``author1``, ``author2`` …, one author each; blank
    cells are passed over.
    """
    table = read_table(data, lambda name: _known_in_papers(name))
    papers = clean(table.column(_column(table, _PAPER)), strip, fold_case)
    several = sorted(
        (int(match[1]), name) for name in table.columns if (match := _SEVERAL.fullmatch(name))
    )
    if table.has("authors"):
        if several:
            raise InstanceError("", f"has both columns authors and {several[0][1]}")
        lists = split_authors(table.column("authors"), table, "authors", separator)
    else:
        columns = [table.column(name) for _, name in several]
        lists = [[name for name in row if name] for row in zip(*columns, strict=True)]
    more: dict[str, Any] = {}
    if table.has("weight"):
        more["weight"] = table.numbers("weight", decimal)
    if table.has("order"):
        more["order"] = _orders(table)
    for name in ("must_keep", "must_reject"):
        if table.has(name):
            more[name] = table.flags(name)
    if table.has("status"):
        more["withdrawn"] = _statuses(table)
    lists = [clean(names, strip, fold_case) for names in lists] if strip or fold_case else lists
    more |= {"dedupe": dedupe, "allow_anonymous": allow_anonymous}
    return build(table, papers, lists, meta=meta, **more)


def _known_in_papers(name: str) -> bool:
    known = (*_PAPER, *_EXTRA, "authors")
    return name in known or _SEVERAL.fullmatch(name) is not None


def _orders(table: Table) -> list[int]:
    out = []
    for k, number in enumerate(table.numbers("order", ".")):
        if not isinstance(number, int):
            raise table.bad(k, "order", f"expected an integer, got {text(number)}")
        out.append(number)
    return out


def _statuses(table: Table) -> list[bool]:
    out = []
    for k, cell in enumerate(table.column("status")):
        word = cell.strip().lower()
        if word not in ("", "active", "withdrawn"):
            why = f"unknown value {cell!r}; choose from active, withdrawn"
            raise table.bad(k, "status", why)
        out.append(word == "withdrawn")
    return out


def read_edges(
    data: bytes,
    *,
    meta: Meta,
    dedupe: bool = False,
    fold_case: bool = False,
    strip: bool = False,
) -> DeskRejection:
    """Read one row per author and paper, ``author,paper``, in any order of rows."""
    table = read_table(data, lambda name: name in (*_PAPER, "author"))
    papers, lists, _ = _edges(table, strip, fold_case, dedupe)
    return build(None, papers, lists, meta=meta, dedupe=dedupe)


def _edges(
    table: Table, strip: bool, fold_case: bool, dedupe: bool
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return papers, the authors of each, and the author column; refuses repeated pairs."""
    paper_column = _column(table, _PAPER)
    author = clean(table.column("author"), strip, fold_case)
    paper = clean(table.column(paper_column), strip, fold_case)
    lists: dict[str, list[str]] = {}
    seen: set[tuple[str, str]] = set()
    for k, pair in enumerate(zip(author, paper, strict=True)):
        if not pair[0] or not pair[1]:
            raise table.bad(k, "author" if not pair[0] else paper_column, "must not be empty")
        if pair in seen and not dedupe:
            why = f"author {pair[0]!r} is given twice on paper {pair[1]!r} (dedupe counts once)"
            raise InstanceError(f"line {table.lines[k]}", why)
        seen.add(pair)
        lists.setdefault(pair[1], []).append(pair[0])
    return list(lists), list(lists.values()), author


def read_nomination_edges(
    data: bytes,
    *,
    meta: Meta,
    dedupe: bool = False,
    fold_case: bool = False,
    strip: bool = False,
    decimal: Decimal = ".",
) -> ReviewerNomination:
    """Read one row per author and paper, ``author,paper,p_irresponsible``."""
    table = read_table(data, lambda name: name in (*_PAPER, "author", _CHANCE))
    papers, lists, author = _edges(table, strip, fold_case, dedupe)
    chance: dict[str, Rational] = {}
    for k, (name, value) in enumerate(zip(author, table.numbers(_CHANCE, decimal), strict=True)):
        if chance.setdefault(name, value) != value:
            why = f"{text(value)} for {name!r}, who had {text(chance[name])} before"
            raise table.bad(k, _CHANCE, why)
    ptr, who, authors = incidence_of_lists(lists)
    chances = [chance[name] for name in authors]
    return ReviewerNomination(
        ptr,
        who,
        chances,
        paper_ids=papers,
        author_ids=authors,
        dedupe=dedupe,
        meta=meta,
        copy=False,
    )


# -- writers -------------------------------------------------------------------------------


def write_papers(problem: DeskRejection) -> bytes:
    """Write one row per paper. Raises ``UsageError`` for what such a table cannot hold."""
    lost = {
        "limit": problem.limit is not None,
        "authors[].limit": bool(problem.author_limits),
        "authors[].drop_order": bool(problem.drop_order),
        "quota": problem.quota.rule != "unit",
        "roles": bool((problem.roles >= 0).any()),
        "role_limits": bool(problem.role_limits),
        "author_cost": problem.author_cost != "share",
    }
    if missing := [name for name, set_ in lost.items() if set_]:
        raise UsageError(f"a table of papers cannot hold {', '.join(missing)}; write .json")
    names = problem.author_ids
    plain = not any(len(name.split()) != 1 or ";" in name for name in names)
    if not plain and any(";" in name or name != name.strip() for name in names):
        raise UsageError("a table of papers cannot hold author ids with ';'; write .json")
    if not plain and not (problem.paper_size > 1).any():
        raise UsageError("a table of papers cannot hold author ids with blanks; write .json")
    columns, extra = _extra_columns(problem)
    separator = " " if plain else ";"
    rows = (
        [paper, separator.join(names[i] for i in problem.authors_of(j)), *(c[j] for c in extra)]
        for j, paper in enumerate(problem.paper_ids)
    )
    return write_table(["paper", "authors", *columns], rows)


def _extra_columns(problem: DeskRejection) -> tuple[list[str], list[list[str]]]:
    found: dict[str, list[str]] = {}
    if not problem.unweighted:
        found["weight"] = [text(w) for w in problem.weight.to_list()]
    if problem.order.tolist() != list(range(problem.n_papers)):
        found["order"] = [str(k) for k in problem.order.tolist()]
    for name in ("must_keep", "must_reject"):
        flags = getattr(problem, name)
        if flags.any():
            found[name] = [str(int(flag)) for flag in flags]
    return list(found), list(found.values())


_DR, _RN = DeskRejection.problem, ReviewerNomination.problem
FORMATS = (
    Format("papers CSV", _DR, is_papers_csv, read_papers, write_papers, (".csv",)),
    Format("edge list", _DR, is_edge_list, read_edges),
    Format("OpenReview CSV", _DR, is_export_csv, read_export_csv),
    Format("OpenReview JSON", _DR, is_export_json, read_export_json),
    Format("nomination edge list", _RN, is_nomination_edges, read_nomination_edges),
)
