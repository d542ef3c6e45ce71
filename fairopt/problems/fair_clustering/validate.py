"""Validation of the data of an instance; every error names the field of the JSON file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError
from fairopt.problems.fair_clustering.answer import table_of

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

Floats = NDArray[np.float64]

METRICS = ("sqeuclidean", "euclidean", "manhattan")
STEPS = ("zscore", "l2")


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, read-only."""
    array.setflags(write=False)
    return array


def points(values: Any) -> Floats:
    """Return (n, d) finite coordinates, n and d at least 1."""
    table = table_of(values, "points")
    if not len(table):
        raise InstanceError("points", "there are no points")
    if not table.shape[1]:
        raise InstanceError("points", "have no coordinates")
    return frozen(table)


def distances(values: Any) -> Floats:
    """Return (n, m) finite distances that are not negative."""
    table = table_of(values, "distances")
    if not table.size:
        raise InstanceError("distances", "there are no points" if not len(table) else "no places")
    if (table < 0).any():
        i, j = np.argwhere(table < 0)[0].tolist()
        raise InstanceError(f"distances[{i}]", f"expected at least 0, got {table[i, j]}")
    return frozen(table)


def weights(values: Any, n: int) -> Floats | None:
    """Return (n,) positive numbers; None where all are 1."""
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise InstanceError("weights", f"expected {n} numbers, one for each point")
    if len(values) != n:
        raise InstanceError("weights", f"expected {n} numbers, one for each point")
    try:
        array = np.array([] if n == 0 else values, np.float64).reshape(n)
    except (TypeError, ValueError):
        raise InstanceError("weights", f"expected {n} numbers, one for each point") from None
    bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if len(bad):
        i = int(bad[0])
        raise InstanceError(f"weights[{i}]", f"expected a positive number, got {array[i]}")
    return None if (array == 1.0).all() else frozen(array)


def count(k: object, n: int, allow_empty: object) -> int:
    """Return the number of clusters."""
    if not isinstance(allow_empty, bool | np.bool_):
        raise InstanceError("allow_empty", f"expected true or false, got {allow_empty!r}")
    if isinstance(k, bool | np.bool_) or not isinstance(k, int | np.integer):
        raise InstanceError("k", f"expected a whole number, got {k!r}")
    number = int(k)
    if number < 1:
        raise InstanceError("k", f"expected 1 or more, got {number}")
    if number > n and not allow_empty:
        raise InstanceError("k", f"is {number}, more than the {n} points (allow_empty is false)")
    return number


def preprocess(steps: Any, has_points: bool) -> tuple[str, ...]:
    """Return the steps; they need coordinates."""
    if isinstance(steps, str) or not isinstance(steps, Sequence):
        raise InstanceError("preprocess", f"expected a list out of {', '.join(STEPS)}")
    for i, step in enumerate(steps):
        if step not in STEPS:
            why = f"unknown value {step!r}; choose from {', '.join(STEPS)}"
            raise InstanceError(f"preprocess[{i}]", why)
    if steps and not has_points:
        raise InstanceError("preprocess", "needs points with coordinates, not distances")
    return tuple(steps)


def prepared(table: Floats, steps: tuple[str, ...]) -> Floats:
    """Return the coordinates after preprocessing."""
    for step in steps:
        if step == "zscore":
            centred = table - table[0]
            centred = centred - centred.mean(0)
            spread = centred.std(0)
            flat = table.max(0) == table.min(0)
            scaled = centred / np.where(flat | (spread == 0), 1.0, spread)
            table = np.where(flat, 0.0, scaled)
        else:
            length = np.sqrt((table * table).sum(1, keepdims=True))
            table = table / np.where(length > 0, length, 1.0)
    return frozen(np.ascontiguousarray(table))


def metric(name: str | None, objective: str, has_points: bool) -> str:
    """Return the metric in force."""
    given = name.replace("_", "-") if isinstance(name, str) else name
    if not has_points:
        if given not in (None, "precomputed"):
            raise InstanceError("metric", f"is precomputed where distances are given, not {given}")
        return "precomputed"
    if given == "precomputed":
        raise InstanceError("metric", "precomputed needs distances instead of points")
    if given is None:
        return "sqeuclidean" if objective == "kmeans" else "euclidean"
    if given not in METRICS:
        raise InstanceError("metric", f"unknown value {name!r}; choose from {', '.join(METRICS)}")
    if (given == "sqeuclidean") != (objective == "kmeans"):
        fits = "sqeuclidean" if objective == "kmeans" else "euclidean or manhattan"
        raise InstanceError("metric", f"{objective} takes {fits}, not {given}")
    return str(given)


def centers(
    problem: FairClustering, given: Any, candidates: Any, objective: str
) -> tuple[str, Floats | None]:
    """Return the mode of the centres and the coordinates of candidates or fixed ones."""
    name = given.replace("_", "-") if isinstance(given, str) else given
    known = ("free", "points", "candidates")
    if isinstance(name, str) and name not in known:
        raise InstanceError("centers", f"unknown value {given!r}; choose from {', '.join(known)}")
    if problem.distances is not None:
        return _of_distances(problem, name, candidates), None
    if candidates is not None:
        if name not in (None, "candidates"):
            raise InstanceError("candidates", "excludes centers")
        return "candidates", _places(problem, candidates, "candidates")
    if name == "candidates":
        raise InstanceError("candidates", "the key is missing")
    if name is None:
        return ("free" if objective == "kmeans" else "points"), None
    if isinstance(name, str):
        return name, None
    places = _places(problem, name, "centers")
    if len(places) != problem.k:
        raise InstanceError("centers", f"expected k = {problem.k} rows, got {len(places)}")
    return "fixed", places


def _of_distances(problem: FairClustering, name: Any, candidates: Any) -> str:
    assert problem.distances is not None
    n, m = problem.distances.shape
    if candidates is not None:
        raise InstanceError("candidates", "are the columns of distances; use centers = candidates")
    if name is None:
        return "points" if n == m else "candidates"
    if name == "free" or not isinstance(name, str):
        why = "centroids do not exist where only distances are given; use points or candidates"
        raise InstanceError("centers", why)
    if name == "points" and n != m:
        raise InstanceError("centers", f"points needs {n} columns of distances, there are {m}")
    return str(name)


def _places(problem: FairClustering, values: Any, where: str) -> Floats:
    table = table_of(values, where)
    if not len(table):
        raise InstanceError(where, "there are none")
    if table.shape[1] != problem.d:
        raise InstanceError(where, f"expected {problem.d} coordinates, got {table.shape[1]}")
    return frozen(table)


def condition(problem: FairClustering, objective: str) -> None:
    """Refuse a condition that the data cannot have."""
    fairness = problem.fairness
    if fairness.rounding == "floor-ceil" and problem.weights is not None:
        raise InstanceError("fairness.rounding", "floor-ceil needs weights of 1; use soft, strict")
    if fairness.type == "bounded-cost" and objective == "kcenter":
        raise InstanceError("fairness.type", "bounded-cost takes kmeans or kmedian")
    for side in ("lower", "upper"):
        for name, shares in getattr(fairness, side).items():
            found = [a for a in problem.attributes if a.name == name]
            if not found:
                known = ", ".join(a.name for a in problem.attributes) or "none"
                why = f"no attribute of this name; known: {known}"
                raise InstanceError(f"fairness.{side}.{name}", why)
            for value in shares:
                if value not in found[0].values:
                    why = f"no point has this value of {name}"
                    raise InstanceError(f"fairness.{side}.{name}.{value}", why)
