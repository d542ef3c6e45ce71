"""Edges of graphs in common formats, in file order; names like integers become integers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

from fairopt.errors import InstanceError
from fairopt.problems.online_selection.tables import names, whole

Edges = list[tuple[Any, Any]]


def is_graphml(suffix: str, head: bytes) -> bool:
    """Return whether the file is GraphML."""
    return suffix == ".graphml" or (head.lstrip()[:1] == b"<" and b"<graphml" in head)


def is_gml(suffix: str, head: bytes) -> bool:
    """Return whether the file is GML."""
    return suffix == ".gml"


def is_graph6(suffix: str, head: bytes) -> bool:
    """Return whether the file is graph6 or sparse6."""
    return suffix in (".g6", ".s6") or head.startswith((b">>graph6<<", b">>sparse6<<"))


def is_dimacs(suffix: str, head: bytes) -> bool:
    """Return whether the file is a DIMACS colouring file."""
    return suffix == ".col"


def is_pairs(suffix: str, head: bytes) -> bool:
    """Return whether the file is a blank-separated list of edges."""
    return suffix in (".edges", ".edgelist")


def _read(what: str, read: Callable[[], Any]) -> Any:
    """Call a reader of NetworkX; whatever it raises is said in one line."""
    try:
        return read()
    except Exception as error:
        words = " ".join(str(error).split())[:100]
        raise InstanceError("", f"is no {what} ({type(error).__name__}: {words})") from None


def _edges(pairs: Iterable[tuple[Any, Any]]) -> Edges:
    ends = [str(name) for pair in pairs for name in pair[:2]]
    named = names(ends)
    return list(zip(named[::2], named[1::2], strict=True))


def graphml(data: bytes) -> Edges:
    """Return the edges of a GraphML file."""
    import networkx

    graph = _read("GraphML", lambda: networkx.read_graphml(io.BytesIO(data)))
    return _edges(graph.edges())


def gml(data: bytes) -> Edges:
    """Return the edges of a GML file; vertices by label, by id where labels are missing."""
    import networkx

    text = data.decode("utf-8", "replace")
    label = "label" if "label" in text else "id"
    graph = _read("GML", lambda: networkx.parse_gml(text, label=label))
    return _edges(graph.edges())


def graph6(data: bytes) -> Edges:
    """Return the edges of the one graph in a graph6 or sparse6 file."""
    import networkx

    lines = data.split()
    if len(lines) != 1:
        raise InstanceError("", f"expected one graph, got {len(lines)}")
    line = lines[0]
    sparse = line.startswith((b">>sparse6<<", b":"))
    parse = networkx.from_sparse6_bytes if sparse else networkx.from_graph6_bytes
    graph = _read("graph6", lambda: parse(line))
    return _edges(graph.edges())


def dimacs(data: bytes) -> Edges:
    """Return the edges of a DIMACS colouring file, vertices 1 to n."""
    out: Edges = []
    vertices: int | None = None
    for k, raw in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        cells = raw.split()
        if not cells or cells[0] == "c":
            continue
        if cells[0] == "p" and len(cells) == 4 and vertices is None:
            vertices = whole(cells[2], f"line {k}")
        elif cells[0] == "e" and len(cells) == 3 and vertices is not None:
            pair = (whole(cells[1], f"line {k}"), whole(cells[2], f"line {k}"))
            if not all(1 <= v <= vertices for v in pair):
                raise InstanceError(f"line {k}", f"vertices are 1 to {vertices}")
            out.append(pair)
        elif cells[0] != "n":
            raise InstanceError(f"line {k}", f"expected 'p edge n m' or 'e u v', got {raw[:40]!r}")
    if vertices is None:
        raise InstanceError("", "has no line 'p edge n m'")
    return out


def pairs(data: bytes) -> Edges:
    """Return the edges of a file with two names per line."""
    out = []
    for k, raw in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not raw.strip() or raw.startswith(("#", "%")):
            continue
        cells = raw.split()
        if len(cells) != 2:
            raise InstanceError(f"line {k}", f"expected two names, got {len(cells)}")
        out.append((cells[0], cells[1]))
    return _edges(out)
