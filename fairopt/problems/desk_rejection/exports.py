"""OpenReview-style exports, as CSV or JSON."""

from __future__ import annotations

import ast
from typing import Any, Literal

from fairopt.errors import InstanceError
from fairopt.files import parse_json
from fairopt.problem import Meta
from fairopt.problems.desk_rejection.problem import DeskRejection
from fairopt.problems.desk_rejection.tables import Table, build, clean, read_table, split_authors
from fairopt.rational import Rational, parse

Decimal = Literal[".", ","]


def read_export_csv(
    data: bytes,
    *,
    meta: Meta,
    dedupe: bool = False,
    allow_anonymous: bool = False,
    fold_case: bool = False,
    strip: bool = False,
    decimal: Decimal = ".",
    separator: str | None = None,
    missing_weight: str | None = None,
) -> DeskRejection:
    """Read an OpenReview-style export: ``id``, ``authorids`` (or ``authors``), and more.

    ``authorids`` is preferred, since names are shared by several people. ``rating_avg`` becomes
    the weight; a blank one is an error unless ``missing_weight`` says what it counts. A
    ``status`` that says "withdrawn" drops the paper; all other columns are passed over.
    """
    table = read_table(data)
    column = "authorids" if table.has("authorids") else "authors"
    cells = table.column(column)
    if any(cell.lstrip().startswith("[") for cell in cells):
        lists = [_literal(table, k, column, cell) for k, cell in enumerate(cells)]
    else:
        lists = split_authors(cells, table, column, separator)
    more: dict[str, Any] = {"dedupe": dedupe, "allow_anonymous": allow_anonymous}
    if table.has("rating_avg"):
        more["weight"] = _ratings(table, decimal, missing_weight)
    if table.has("status"):
        more["withdrawn"] = ["withdr" in cell.lower() for cell in table.column("status")]
    papers = clean(table.column("id"), strip, fold_case)
    lists = [clean(names, strip, fold_case) for names in lists]
    return build(table, papers, lists, meta=meta, **more)


def _ratings(table: Table, decimal: str, missing: str | None) -> list[Rational]:
    """Return the weights of an export; blank cells count ``missing``."""
    k = table.columns.index("rating_avg")
    if missing is None:
        for row, cells in enumerate(table.rows):
            if not cells[k].strip():
                raise table.bad(row, "rating_avg", "is blank (see --missing-weight)")
    filled = [[*cells[:k], cells[k] if cells[k].strip() else missing or "", *cells[k + 1 :]]
              for cells in table.rows]  # fmt: skip
    return Table(table.columns, filled, table.lines).numbers("rating_avg", decimal)


def _literal(table: Table, row: int, column: str, cell: str) -> list[str]:
    """Read ``['~A_B1', '~C_D1']``, as spreadsheets of exports hold it."""
    try:
        names = ast.literal_eval(cell.strip() or "[]") if len(cell) < 100_000 else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise table.bad(row, column, f"expected a list of texts, got {cell[:40]!r}")
    return names


def read_export_json(
    data: bytes,
    *,
    meta: Meta,
    dedupe: bool = False,
    allow_anonymous: bool = False,
    fold_case: bool = False,
    strip: bool = False,
    missing_weight: str | None = None,
) -> DeskRejection:
    """Read a JSON list of submissions with the fields of the export CSV.

    Fields may also stand below ``content``, each as ``{"value": …}``, as OpenReview gives them.
    """
    content = parse_json(data)
    if not isinstance(content, list):
        raise InstanceError("", "expected a list of submissions")
    papers, lists, ratings, gone = [], [], [], []
    for k, row in enumerate(content):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise InstanceError(f"[{k}].id", "expected a text")
        papers.append(row["id"])
        names = _field(row, "authorids")
        names = _field(row, "authors") if names is None else names
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InstanceError(f"[{k}].authorids", "expected a list of texts")
        lists.append(clean(names, strip, fold_case))
        ratings.append(_field(row, "rating_avg"))
        gone.append("withdr" in str(_field(row, "status") or "").lower())
    more: dict[str, Any] = {"dedupe": dedupe, "allow_anonymous": allow_anonymous}
    if any(rating is not None for rating in ratings):
        more["weight"] = _weights(ratings, missing_weight)
    papers = clean(papers, strip, fold_case)
    return build(None, papers, lists, withdrawn=gone, meta=meta, **more)


def _field(row: dict[str, Any], name: str) -> Any:
    value = row.get(name)
    if value is None and isinstance(row.get("content"), dict):
        value = row["content"].get(name)
    return value.get("value") if isinstance(value, dict) else value


def _weights(ratings: list[Any], missing: str | None) -> list[Rational]:
    out = []
    for k, rating in enumerate(ratings):
        if rating is None and missing is None:
            why = "is missing (see --missing-weight)"
            raise InstanceError(f"[{k}].rating_avg", why)
        out.append(parse(missing if rating is None else rating, f"[{k}].rating_avg"))
    return out
