"""Bounds and claims with the data from which the court recomputes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.solution import Bound, Claim
from fairopt_solvers.backends import LinearResult
from fairopt_solvers.fair_clustering.milp import Model

Floats = NDArray[np.float64]

NO_FAIRNESS: dict[str, Any] = {"rows": "none", "values": {}}


def tolerance(problem: FairClustering, value: float) -> float:
    """Return how far apart a value and a bound of this size may be and still be equal."""
    return float(problem.objective.room(value))


def bound_from(problem: FairClustering, proof: str, data: Mapping[str, Any]) -> Bound | None:
    """Return the bound that the court computes from these data, None if they prove nothing."""
    try:
        value = float(problem.recompute(data))
    except InstanceError:
        return None
    return Bound(value, proof, dict(data), slack=tolerance(problem, value))


def dual_bound(problem: FairClustering, multipliers: Mapping[str, Any]) -> Bound | None:
    """Return the bound of multipliers for fixed centres."""
    data = {"rule": "fair-dual", "multipliers": dict(multipliers)}
    return bound_from(problem, "multipliers", data)


def discrete_bound(
    problem: FairClustering, v: Floats, multipliers: Mapping[str, Any] | None = None
) -> Bound | None:
    """Return the bound of prices of the points, where centres are chosen from a list.

    Free centres: half the bound with the points as candidates.
    """
    rule = "halved-discrete-dual" if problem.mode == "free" else "discrete-dual"
    data: dict[str, Any] = {"rule": rule, "v": v.tolist()}
    if multipliers is not None and multipliers["rows"] != "none":
        data["multipliers"] = dict(multipliers)
    return bound_from(problem, "multipliers", data)


def solver_bound(
    problem: FairClustering, value: float, slack: float, data: Mapping[str, Any]
) -> Bound:
    """Return a backend's claim; floats of ours and of the court may differ a little."""
    return Bound(value, "solver", dict(data), slack=max(slack, tolerance(problem, value)))


def better(one: Bound | None, two: Bound | None) -> Bound | None:
    """Return the stronger bound; what can be recomputed goes first where both are equal."""
    if one is None or two is None:
        return one or two
    if one.proof == "solver" and two.proof != "solver":
        one, two = two, one
    room = float(one.slack) if one.proof != two.proof else 0.0
    return two if _number(two) > _number(one) + room else one


def settles(bound: Bound | None, value: float) -> bool:
    """Return whether the bound shows that nothing is better than this value."""
    return bound is not None and value - _number(bound) <= float(bound.slack)


def _number(bound: Bound) -> float:
    """Return the value of a bound on a float objective."""
    assert isinstance(bound.value, float)
    return bound.value


def unfair_cost(problem: FairClustering, answer: Clustering) -> tuple[Claim, ...]:
    """Return the claim of what the centres of an answer cost without fairness."""
    return _claim(problem, "unfair_cost", "combinatorial", _at("nearest-centers", answer))


def centers_claim(
    problem: FairClustering, answer: Clustering, multipliers: Mapping[str, Any]
) -> tuple[Claim, ...]:
    """Return the claim of what every fair assignment to these centres costs at least."""
    data = {**_at("fair-dual-at", answer), "multipliers": dict(multipliers)}
    return _claim(problem, "bound_for_centers", "multipliers", data)


def _at(rule: str, answer: Clustering) -> dict[str, Any]:
    data: dict[str, Any] = {"rule": rule}
    if answer.center_indices is not None:
        data["center_indices"] = answer.center_indices.tolist()
    elif answer.centers is not None:
        data["centers"] = answer.centers.tolist()
    return data


def _claim(
    problem: FairClustering, name: str, proof: str, data: dict[str, Any]
) -> tuple[Claim, ...]:
    try:
        value = problem.recompute(data, name)
    except InstanceError:
        return ()
    return (Claim(name, value, proof, data, problem.scope_of(data)),)


def relaxed_bound(made: Model, result: LinearResult) -> Bound | None:
    """Return the bound that the duals of the linear program prove."""
    if result.duals is None:
        return None
    problem = made.problem
    duals = result.duals / made.scale
    after = made.model.n_rows - sum(len(block.lower) for block in made.fair.blocks)
    multipliers = made.fair.read(duals[after:])
    if not made.chooses:
        return dual_bound(problem, multipliers)
    return discrete_bound(problem, duals[: problem.n], multipliers)
