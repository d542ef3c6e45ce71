"""The JSON form of online-selection instances, and settings changed after reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.online_selection.matroids import (
    Bases,
    Circuits,
    Cographic,
    Graphic,
    Laminar,
    Linear,
    Matchoid,
    Matroid,
    Partition,
    Transversal,
    Uniform,
)
from fairopt.solution import encode

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection

P = TypeVar("P", bound="OnlineSelection")

Vertex = int | str


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class UniformRow(_Row, frozen=True):
    rank: int


class PartitionRow(_Row, frozen=True):
    blocks: list[int]
    capacities: list[int]


class SetRow(_Row, frozen=True):
    elements: list[int]
    capacity: int
    name: str | None = None


class LaminarRow(_Row, frozen=True):
    sets: list[SetRow]


class EdgesRow(_Row, frozen=True):
    edges: list[Annotated[list[Vertex], msgspec.Meta(min_length=2, max_length=2)]]


class TransversalRow(_Row, frozen=True):
    neighbors: list[list[Vertex]]


class LinearRow(_Row, frozen=True):
    field: Any
    columns: list[list[Any]]


class BasesRow(_Row, frozen=True):
    bases: list[list[int]]


class CircuitsRow(_Row, frozen=True):
    circuits: list[list[int]]


class PartRow(_Row, frozen=True):
    elements: list[int]
    matroid: dict[str, Any]


class MatchoidRow(_Row, frozen=True):
    parts: list[PartRow]


class InformationRow(_Row, frozen=True):
    """The key ``information``."""

    model: str = "parameters"
    alpha: int | None = None
    beta: Fraction | None = None
    rank: int | None = None


class ArrivalRow(_Row, frozen=True):
    """The key ``arrival``."""

    model: str = "fixed"
    order: list[int] | None = None


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An online-selection instance file."""

    matroid: dict[str, Any]
    n_elements: int | None = None
    labels: list[Vertex] | None = None
    information: InformationRow | None = None
    arrival: ArrivalRow | None = None
    weights: list[Fraction] | None = None


# -- reading -------------------------------------------------------------------------------


def read_matroid(content: Mapping[str, Any], n: int | None, where: str = "matroid") -> Matroid:
    """Return the data of the key ``matroid``; ``n`` is None where the file does not say it."""
    named = content.get("type")
    if "type" not in content:
        raise InstanceError(f"{where}.type", "the key is missing")
    kind = named.replace("_", "-") if isinstance(named, str) else named
    if kind not in _READERS:
        why = f"unknown value {named!r}; choose from {', '.join(_READERS)}"
        raise InstanceError(f"{where}.type", why)
    row, build = _READERS[kind]
    typed = convert({k: v for k, v in content.items() if k != "type"}, row, where=where)
    try:
        return build(typed, n)
    except InstanceError as error:
        if where == "matroid":
            raise
        inner = error.where
        place = where + inner.removeprefix("matroid") if inner.startswith("matroid") else where
        raise InstanceError(place, error.why) from None


def _known(n: int | None) -> int:
    if n is None:
        raise InstanceError("n_elements", "the key is missing (this kind does not show it)")
    return n


def _laminar(row: LaminarRow, n: int | None) -> Matroid:
    lists = [s.elements for s in row.sets]
    return Laminar.of(_known(n), lists, [s.capacity for s in row.sets], [s.name for s in row.sets])


def _matchoid(row: MatchoidRow, n: int | None) -> Matroid:
    parts = []
    for k, part in enumerate(row.parts):
        inner = read_matroid(part.matroid, len(part.elements), f"matroid.parts[{k}].matroid")
        parts.append((part.elements, inner))
    return Matchoid.of(_known(n), parts)


_READERS: dict[str, tuple[Any, Callable[[Any, int | None], Matroid]]] = {
    "uniform": (UniformRow, lambda row, n: Uniform.of(_known(n), row.rank)),
    "partition": (PartitionRow, lambda row, n: Partition.of(row.blocks, row.capacities, n)),
    "laminar": (LaminarRow, _laminar),
    "graphic": (EdgesRow, lambda row, n: Graphic.of(row.edges, n)),
    "cographic": (EdgesRow, lambda row, n: Cographic.of(row.edges, n)),
    "transversal": (TransversalRow, lambda row, n: Transversal.of(row.neighbors, n)),
    "linear": (LinearRow, lambda row, n: Linear.of(row.field, row.columns, n)),
    "bases": (BasesRow, lambda row, n: Bases.of(_known(n), row.bases)),
    "circuits": (CircuitsRow, lambda row, n: Circuits.of(_known(n), row.circuits)),
    "matchoid": (MatchoidRow, _matchoid),
}


def read_problem(cls: type[P], data: Mapping[str, Any], meta: Meta | None) -> P:
    """Build the problem from the content of its JSON file."""
    from fairopt.problems.online_selection.problem import Arrival, Information

    file: Instance = convert(dict(data), Instance)
    n = file.n_elements
    if n is None and file.labels is not None:
        n = len(file.labels)
    if n is not None and n < 0:
        raise InstanceError("n_elements", f"expected at least 0, got {n}")
    information, arrival = file.information, file.arrival
    return cls(
        read_matroid(file.matroid, n),
        labels=file.labels,
        information=None
        if information is None
        else Information(information.model, information.alpha, information.beta, information.rank),
        arrival=None if arrival is None else Arrival(arrival.model, arrival.order),
        weights=file.weights,
        objective=file.objective,
        meta=file.meta(meta),
    )


# -- settings ------------------------------------------------------------------------------


def changed(problem: P, changes: Mapping[str, Any], meta: Meta) -> P:
    """Return the problem with these settings."""
    from fairopt.problems.online_selection.problem import Arrival, Information

    known, arrival = problem.information, problem.arrival
    return type(problem)(
        problem.matroid,
        labels=problem.labels,
        information=Information(
            changes.get("information.model", known.model),
            changes.get("information.alpha", known.alpha),
            changes.get("information.beta", known.beta),
            changes.get("information.rank", known.rank),
        ),
        arrival=Arrival(
            changes.get("arrival.model", arrival.model),
            changes.get("arrival.order", arrival.order),
        ),
        weights=problem.weights,
        objective=changes.get("objective", problem.objective.name),
        meta=meta,
    )


# -- writing -------------------------------------------------------------------------------


def write_problem(problem: OnlineSelection) -> dict[str, Any]:
    """Return the instance as the content of its JSON file."""
    out: dict[str, Any] = {"problem": problem.problem, **problem.meta.to_json()}
    out["n_elements"] = problem.n_elements
    if problem.labels is not None:
        out["labels"] = list(problem.labels)
    out["matroid"] = problem.matroid.to_json()
    known = problem.information
    row = {"model": known.model, "alpha": known.alpha, "beta": known.beta, "rank": known.rank}
    out["information"] = {k: encode(v) for k, v in row.items() if v is not None}
    arrival: dict[str, Any] = {"model": problem.arrival.model}
    if problem.arrival.order is not None:
        arrival["order"] = problem.arrival.order.tolist()
    out["arrival"] = arrival
    if problem.weights is not None:
        out["weights"] = [encode(w) for w in problem.weights.to_list()]
    return out
