"""The JSON form of fair-clustering instances, and settings changed after reading."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.fair_clustering import fairness as conditions

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

P = TypeVar("P", bound="FairClustering")


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A fair-clustering instance file."""

    k: Any
    points: Any = None
    points_file: str | None = None
    columns: list[str] | None = None
    distances: Any = None
    groups: Any = None
    weights: Any = None
    centers: Any = None
    candidates: Any = None
    fairness: dict[str, Any] | None = None
    metric: str | None = None
    allow_empty: bool = True
    preprocess: tuple[str, ...] = ()


def read_problem(cls: type[P], data: Mapping[str, Any], meta: Meta | None) -> P:
    """Build the problem from the content of its JSON file."""
    file: Instance = convert(dict(data), Instance)
    points = file.points
    if file.points_file is not None:
        if points is not None or file.distances is not None:
            raise InstanceError("points_file", "excludes points and distances")
        points = _points_of(Path(file.points_file), file.columns)
    elif file.columns is not None:
        raise InstanceError("columns", "needs points_file")
    return cls(
        points,
        file.groups,
        k=file.k,
        distances=file.distances,
        weights=file.weights,
        centers=file.centers,
        candidates=file.candidates,
        fairness=file.fairness,
        metric=file.metric,
        allow_empty=file.allow_empty,
        preprocess=file.preprocess,
        objective=file.objective,
        meta=file.meta(meta),
    )


def _points_of(path: Path, columns: list[str] | None) -> Any:
    """Read coordinates from a file beside the instance; the path is taken as it is given."""
    from fairopt.files import read_bytes
    from fairopt.problems.fair_clustering.tables import arrays_of, columns_of

    data = read_bytes(path)
    if data[:6] == b"\x93NUMPY":
        return arrays_of(data, "points_file")[""]
    if columns is None:
        raise InstanceError("columns", "the key is missing (which columns of points_file)")
    asked = dict.fromkeys(columns, "columns")
    return np.stack([column.numbers() for column in columns_of(data, asked)], 1)


def arguments(problem: FairClustering) -> dict[str, Any]:
    """Return the arguments that build the problem again."""
    return {
        "points": problem.raw,
        "groups": problem.attributes or None,
        "k": problem.k,
        "distances": problem.distances,
        "weights": problem.weights,
        "allow_empty": problem.allow_empty,
        "preprocess": problem.preprocess,
        "assumed": problem.assumed,
        "objective": problem.objective.name,
        "meta": problem.meta,
        **problem.given,
    }


def changed(problem: P, changes: Mapping[str, Any], meta: Meta) -> P:
    """Return the problem with these settings.

    A new objective with which the metric or the free centres that the file gave cannot go
    together is refused by the constructor.
    """
    known = arguments(problem)
    dotted = {
        key.partition(".")[2]: value
        for key, value in changes.items()
        if key.startswith("fairness.")
    }
    plain = {key: value for key, value in changes.items() if not key.startswith("fairness.")}
    if "centers" in plain:
        known.pop("candidates", None)
    known |= plain
    if isinstance(known.get("fairness"), conditions.Fairness):
        known["fairness"] = known["fairness"].to_json()
    if dotted:
        known["fairness"] = conditions.changed(known.get("fairness") or {}, dotted)
    done = {key.partition(".")[0] for key in changes}
    known["assumed"] = tuple(name for name in known["assumed"] if name not in done)
    known["meta"] = meta
    return type(problem)(**known)


def write_problem(problem: FairClustering) -> dict[str, Any]:
    """Return the instance as the content of its JSON file."""
    out: dict[str, Any] = {"problem": problem.problem, **problem.meta.to_json()}
    out["objective"] = problem.objective.name
    for name in ("points", "distances"):
        table = problem.raw if name == "points" else problem.distances
        if table is not None:
            out[name] = table.tolist()
    if problem.attributes:
        labels = {a.name: [a.values[c] for c in a.codes.tolist()] for a in problem.attributes}
        out["groups"] = labels["group"] if list(labels) == ["group"] else labels
    if problem.weights is not None:
        out["weights"] = problem.weights.tolist()
    out["k"] = problem.k
    if problem.mode == "candidates" and problem.sites is not None:
        out["candidates"] = problem.sites.tolist()
    elif problem.mode == "fixed":
        assert problem.sites is not None
        out["centers"] = problem.sites.tolist()
    elif "centers" in problem.given:
        out["centers"] = problem.mode
    if "metric" in problem.given and problem.distances is None:
        out["metric"] = problem.metric
    if "fairness" in problem.given:
        out["fairness"] = problem.fairness.to_json()
    if not problem.allow_empty:
        out["allow_empty"] = False
    if problem.preprocess:
        out["preprocess"] = list(problem.preprocess)
    return out
