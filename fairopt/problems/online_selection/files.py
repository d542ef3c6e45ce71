"""File formats beside JSON: graphs, sparse matrices, applicants with caps, bipartite lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from fairopt import rational
from fairopt.errors import InstanceError, UsageError
from fairopt.files import Format, read_bytes
from fairopt.problem import Meta
from fairopt.problems.online_selection import graph_files
from fairopt.problems.online_selection.counting import Laminar
from fairopt.problems.online_selection.graphs import Cographic, Graphic, Transversal
from fairopt.problems.online_selection.kinds import Matroid
from fairopt.problems.online_selection.matrix_files import is_matrix_market, read_matrix_market
from fairopt.problems.online_selection.matroids import matchings
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.problems.online_selection.tables import Sheet, header_of, names, read_sheet, whole

Kind = Literal["graphic", "cographic", "matching"]

_TABLES = ("", ".csv", ".tsv", ".txt")
_ENDS = (("u", "v"), ("source", "target"), ("from", "to"), ("tail", "head"))
_SIDES = (("left", "right"), ("element", "neighbor"))
EVERYONE = "*"  # the path of the set of all applicants
_WEIGHT = "weight"


def _is_table(suffix: str, head: bytes) -> bool:
    return suffix in _TABLES and head.lstrip()[:1] not in (b"{", b"[", b"<")


def _pair(header: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    return next((pair for pair in pairs if set(pair) <= set(header)), None)


# -- graphs --------------------------------------------------------------------------------


def of_edges(
    edges: Sequence[tuple[Any, Any]], matroid: Kind, meta: Meta, **more: Any
) -> OnlineSelection:
    """Return the question about a graph: forests, sets that do not disconnect, or matchings."""
    data: Matroid
    if matroid == "matching":
        data = matchings(edges)
    else:
        data = (Graphic if matroid == "graphic" else Cographic).of(edges)
    return OnlineSelection(data, meta=meta, **more)


def is_edge_table(suffix: str, head: bytes) -> bool:
    """Return whether the header has two ends of an edge."""
    return _is_table(suffix, head) and _pair(header_of(head), _ENDS) is not None


def read_edge_table(data: bytes, *, meta: Meta, matroid: Kind = "graphic") -> OnlineSelection:
    """Read one edge per row: ``u,v`` (or ``source,target``) and perhaps ``weight``."""
    sheet = read_sheet(data)
    pair = _pair(sheet.header, _ENDS)
    if pair is None:
        raise InstanceError("", "expected columns u and v, or source and target")
    ends = [sheet.column(name) for name in pair]
    for name, cells in zip(pair, ends, strict=True):
        if "" in cells:
            raise InstanceError(sheet.where(cells.index(""), name), "must not be empty")
    both = names([*ends[0], *ends[1]])
    edges = list(zip(both[: len(ends[0])], both[len(ends[0]) :], strict=True))
    return of_edges(edges, matroid, meta, **_weights(sheet))


def _weights(sheet: Sheet) -> dict[str, Any]:
    if not sheet.has(_WEIGHT):
        return {}
    cells = sheet.column(_WEIGHT)
    return {"weights": [rational.parse(c, sheet.where(k, _WEIGHT)) for k, c in enumerate(cells)]}


def write_edge_table(problem: OnlineSelection) -> bytes:
    """Write one edge per row. Raises ``UsageError`` for what such a table cannot hold."""
    graph = problem.matroid
    if not isinstance(graph, Graphic):
        raise UsageError(f"a table of edges cannot hold a {graph.type} matroid; write .json")
    known, arrival = problem.information, problem.arrival
    plain = (known.model, known.alpha, known.beta, known.rank) == ("parameters", None, None, None)
    if not plain or arrival.model != "fixed" or arrival.order is not None or problem.labels:
        why = "labels, information or arrival"
        raise UsageError(f"a table of edges cannot hold {why}; write .json")
    weights = None if problem.weights is None else problem.weights.to_list()
    rows = ["u,v" if weights is None else f"u,v,{_WEIGHT}"]
    for e, pair in enumerate(graph.edges):
        cells = [str(name) for name in pair]
        if any(set(cell) & set(',;\t"\n\r#') or cell != cell.strip() for cell in cells):
            raise UsageError("a table of edges cannot hold such vertex names; write .json")
        if weights is not None:
            cells.append(rational.text(weights[e]))
        rows.append(",".join(cells))
    return ("\n".join(rows) + "\n").encode()


def read_graphml(data: bytes, *, meta: Meta, matroid: Kind = "graphic") -> OnlineSelection:
    """Read GraphML: edges in file order."""
    return of_edges(graph_files.graphml(data), matroid, meta)


def read_gml(data: bytes, *, meta: Meta, matroid: Kind = "graphic") -> OnlineSelection:
    """Read GML: edges in file order, vertices by label."""
    return of_edges(graph_files.gml(data), matroid, meta)


def read_graph6(data: bytes, *, meta: Meta, matroid: Kind = "graphic") -> OnlineSelection:
    """Read one graph in graph6 or sparse6."""
    return of_edges(graph_files.graph6(data), matroid, meta)


def read_dimacs(data: bytes, *, meta: Meta, matroid: Kind = "graphic") -> OnlineSelection:
    """Read a DIMACS colouring file: lines ``e u v``."""
    return of_edges(graph_files.dimacs(data), matroid, meta)


def read_pairs(data: bytes, *, meta: Meta, matroid: Kind = "graphic") -> OnlineSelection:
    """Read two names per line, blank separated, without a header."""
    return of_edges(graph_files.pairs(data), matroid, meta)


# -- applicants and caps -------------------------------------------------------------------


def is_applicants(suffix: str, head: bytes) -> bool:
    """Return whether the header has the column ``applicant``."""
    return _is_table(suffix, head) and "applicant" in header_of(head)


def read_applicants(
    data: bytes, *, meta: Meta, caps: Path, nested: str | None = None
) -> OnlineSelection:
    """Read one applicant per row, with nested groups that have capacities.

    ``nested`` names the columns from the smallest groups to the largest, ``school>county>region``;
    by default all columns but ``applicant`` and ``weight``, in their order. ``caps`` is a table
    ``path,capacity``: ``Elm>Kings>North`` is a school, ``Kings>North`` a county, ``North`` a
    region and ``*`` everyone. A group without a row has no cap. An empty cell means no group.
    """
    sheet = read_sheet(data)
    applicants = sheet.column("applicant")
    other = [name for name in sheet.header if name not in ("applicant", _WEIGHT)]
    levels = [name.strip().lower() for name in nested.split(">")] if nested else other
    if unknown := [name for name in levels if name not in other]:
        raise InstanceError("", f"has no column {unknown[0]!r}; columns: {', '.join(other)}")
    members: dict[str, list[int]] = {EVERYONE: list(range(len(applicants)))}
    columns = [sheet.column(name) for name in levels]
    for e, cells in enumerate(zip(*columns, strict=True) if columns else ()):
        for k in range(len(cells)):
            if all(cells[k:]):
                members.setdefault(">".join(cells[k:]), []).append(e)
    limits = _caps(caps, members)
    chosen = [path for path in members if path in limits]
    matroid = Laminar.of(
        len(applicants), [members[p] for p in chosen], [limits[p] for p in chosen], chosen
    )
    return OnlineSelection(matroid, labels=applicants, meta=meta, **_weights(sheet))


def _caps(path: Path, members: dict[str, list[int]]) -> dict[str, int]:
    """Return the capacity of each path; an unknown or repeated one is an error."""
    try:
        sheet = read_sheet(read_bytes(path))
        out: dict[str, int] = {}
        capacity = sheet.column("capacity")
        for k, name in enumerate(sheet.column("path")):
            where = sheet.where(k, "path")
            if name not in members:
                raise InstanceError(where, f"no applicant is in {name!r}")
            if name in out:
                raise InstanceError(where, f"{name!r} is given twice")
            place = sheet.where(k, "capacity")
            out[name] = whole(capacity[k], place)
            if out[name] < 0:
                raise InstanceError(place, f"expected at least 0, got {out[name]}")
        return out
    except InstanceError as error:
        raise InstanceError(error.where, error.why, file=error.file or str(path)) from None


# -- bipartite lists -----------------------------------------------------------------------


def is_bipartite(suffix: str, head: bytes) -> bool:
    """Return whether the header has a left and a right side."""
    return _is_table(suffix, head) and _pair(header_of(head), _SIDES) is not None


def read_bipartite(data: bytes, *, meta: Meta) -> OnlineSelection:
    """Read one pair per row, ``left,right`` (or ``element,neighbor``), for a transversal matroid.

    Left names are the elements, in the order in which they first appear. An empty right cell
    names an element without that neighbour.
    """
    sheet = read_sheet(data)
    pair = _pair(sheet.header, _SIDES)
    if pair is None:
        raise InstanceError("", "expected columns left and right")
    left, right = (sheet.column(name) for name in pair)
    place: dict[str, int] = {}
    rows: list[list[Any]] = []
    named = iter(names([cell for cell in right if cell]))
    for k, (name, cell) in enumerate(zip(left, right, strict=True)):
        if not name:
            raise InstanceError(sheet.where(k, pair[0]), "must not be empty")
        if name not in place:
            place[name] = len(rows)
            rows.append([])
        if cell:
            neighbor = next(named)
            if neighbor in rows[place[name]]:
                why = f"{cell!r} is given twice for {name!r}"
                raise InstanceError(sheet.where(k, pair[1]), why)
            rows[place[name]].append(neighbor)
    return OnlineSelection(Transversal.of(rows), labels=list(place), meta=meta)


_OS = OnlineSelection.problem
FORMATS = (
    Format("edge table", _OS, is_edge_table, read_edge_table, write_edge_table, (".csv",)),
    Format("GraphML", _OS, graph_files.is_graphml, read_graphml),
    Format("GML", _OS, graph_files.is_gml, read_gml),
    Format("graph6", _OS, graph_files.is_graph6, read_graph6),
    Format("DIMACS graph", _OS, graph_files.is_dimacs, read_dimacs),
    Format("edge list", _OS, graph_files.is_pairs, read_pairs),
    Format("MatrixMarket", _OS, is_matrix_market, read_matrix_market),
    Format("applicants CSV", _OS, is_applicants, read_applicants),
    Format("bipartite CSV", _OS, is_bipartite, read_bipartite),
)
