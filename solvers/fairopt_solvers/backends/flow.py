"""Flows with OR-Tools: whole arrays of integers, guarded against overflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairopt.errors import MethodError, UsageError
from fairopt.run import Run
from fairopt_solvers.backends.model import Bools, Ints
from fairopt_solvers.backends.raw import watch

_SAFE = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class FlowResult:
    """A minimum-cost flow: ``optimal``, ``infeasible``, or ``unknown`` when stopped.

    ``cost`` is recomputed from ``flow`` in exact integers.
    """

    status: str
    flow: Ints | None = None
    cost: int | None = None
    backend: str = ""
    stopped: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MaxFlow:
    """A maximum flow and the source side of a minimum cut, which proves it."""

    status: str
    value: int | None = None
    flow: Ints | None = None
    source_side: Bools | None = None
    backend: str = ""
    stopped: bool = False


def min_cost_flow(
    tail: ArrayLike,
    head: ArrayLike,
    capacity: ArrayLike,
    cost: ArrayLike,
    supply: ArrayLike,
    run: Run,
) -> FlowResult:
    """Return a flow of least cost that meets every supply (negative: demand) exactly.

    All numbers are integers; scale rationals first. Raises ``UsageError`` when they are not,
    or when totals could overflow. The solver cannot be interrupted; a run that expires leaves
    it behind.
    """
    from ortools.graph.python import min_cost_flow as library

    supplies = _ints("supply", supply)
    arcs = _arcs(len(supplies), tail, head, capacity)
    costs = _ints("cost", cost)
    tails, heads, capacities = arcs
    if costs.shape != tails.shape:
        raise UsageError(f"cost has {costs.size} entries for {tails.size} arcs")
    _guard(costs, capacities, supplies)
    name = _name("min-cost-flow")
    if run.expired():
        return FlowResult("unknown", backend=name, stopped=True)
    if int(supplies.sum()) != 0:
        return FlowResult("infeasible", backend=name)
    if not tails.size:
        if supplies.any():
            return FlowResult("infeasible", backend=name)
        return FlowResult("optimal", np.zeros(0, np.int64), 0, name)
    solver = library.SimpleMinCostFlow()
    solver.add_arcs_with_capacity_and_unit_cost(tails, heads, capacities, costs)
    solver.set_nodes_supplies(np.arange(len(supplies)), supplies)
    code = watch(solver.solve, run, lambda: None)
    if code is None:
        return FlowResult("unknown", backend=name, stopped=True)
    if code == solver.INFEASIBLE:
        return FlowResult("infeasible", backend=name)
    if code != solver.OPTIMAL:
        raise MethodError(f"{name}: {code!s}")
    flow = np.asarray(solver.flows(np.arange(tails.size)), np.int64)
    net = np.zeros(len(supplies), np.int64)
    np.add.at(net, tails, flow)
    np.subtract.at(net, heads, flow)
    if np.any(flow < 0) or np.any(flow > capacities) or np.any(net != supplies):
        raise MethodError(f"{name}: called a flow optimal that breaks capacities or supplies")
    return FlowResult("optimal", flow, _exact_dot(flow, costs), name)


def max_flow(
    tail: ArrayLike,
    head: ArrayLike,
    capacity: ArrayLike,
    source: int,
    sink: int,
    run: Run,
    *,
    nodes: int | None = None,
) -> MaxFlow:
    """Return a maximum flow and the source side of a minimum cut.

    In a matching of left nodes behind the source, the left nodes on the source side are a set
    that violates Hall's condition, if the flow does not use all arcs out of the source.
    """
    from ortools.graph.python import max_flow as library

    t, h = _ints("tail", tail), _ints("head", head)
    size = max([source, sink, *t.max(initial=0, keepdims=True), *h.max(initial=0, keepdims=True)])
    count = int(size) + 1 if nodes is None else nodes
    tails, heads, capacities = _arcs(count, t, h, capacity)
    if source == sink or not (0 <= source < count and 0 <= sink < count):
        raise UsageError("source and sink must be two nodes")
    name = _name("max-flow")
    if run.expired():
        return MaxFlow("unknown", backend=name, stopped=True)
    side = np.zeros(count, bool)
    side[source] = True
    if not tails.size:
        return MaxFlow("optimal", 0, np.zeros(0, np.int64), side, name)
    solver = library.SimpleMaxFlow()
    solver.add_arcs_with_capacity(tails, heads, capacities)
    code = watch(lambda: solver.solve(source, sink), run, lambda: None)
    if code is None:
        return MaxFlow("unknown", backend=name, stopped=True)
    if code != solver.OPTIMAL:
        raise MethodError(f"{name}: {code!s}")
    flow = np.asarray(solver.flows(np.arange(tails.size)), np.int64)
    side[np.asarray(solver.get_source_side_min_cut(), np.int64)] = True
    value = int(flow[tails == source].sum()) - int(flow[heads == source].sum())
    cut = int(capacities[side[tails] & ~side[heads]].sum())
    if value != cut or side[sink]:
        raise MethodError(f"{name}: a flow of {value} beside a cut of {cut}")
    return MaxFlow("optimal", value, flow, side, name)


def _name(algorithm: str) -> str:
    from importlib.metadata import version

    return f"or-tools {algorithm} {version('ortools')}"


def _arcs(nodes: int, tail: ArrayLike, head: ArrayLike, capacity: ArrayLike) -> tuple[Ints, ...]:
    tails, heads, capacities = (
        _ints("tail", tail),
        _ints("head", head),
        _ints("capacity", capacity),
    )
    if not tails.shape == heads.shape == capacities.shape:
        raise UsageError("tail, head and capacity must have one entry an arc")
    if tails.size and not (
        min(tails.min(), heads.min()) >= 0 and max(tails.max(), heads.max()) < nodes
    ):
        raise UsageError(f"nodes must lie in 0..{nodes - 1}")
    if np.any(capacities < 0):
        raise UsageError("capacities must not be negative")
    if float(capacities.astype(np.float64).sum()) >= _SAFE:
        raise UsageError("capacities add up to 2^62 or more, which could overflow")
    return tails, heads, capacities


def _guard(costs: Ints, capacities: Ints, supplies: Ints) -> None:
    """Refuse costs whose totals, or whose potentials in the algorithm, could overflow.

    The algorithm multiplies costs by the number of nodes plus one. An arc carries no more than
    all supplies, except on a cycle of negative cost.
    """
    size = np.abs(costs.astype(np.float64))
    amounts = capacities.astype(np.float64)
    if not np.any(costs < 0):
        amounts = np.minimum(amounts, float(_total(supplies)))
    top = float(size.max(initial=0.0)) * (len(supplies) + 1) * 4
    if max(top, float(np.dot(size, amounts))) >= _SAFE:
        raise UsageError("costs are too large: totals could overflow 64 bits")


def _total(supplies: Ints) -> int:
    total = sum(v for v in supplies.tolist() if v > 0)
    if total >= _SAFE:
        raise UsageError("supplies add up to 2^62 or more, which could overflow")
    return int(total)


def _exact_dot(flow: Ints, costs: Ints) -> int:
    used = np.flatnonzero(flow)
    return sum(f * c for f, c in zip(flow[used].tolist(), costs[used].tolist(), strict=True))


def _ints(name: str, values: ArrayLike) -> Ints:
    array = np.atleast_1d(np.asarray(values))
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.dtype.kind == "u" and array.max() >= _SAFE:
        raise UsageError(f"{name} holds numbers of 2^62 or more")
    if array.dtype.kind not in "iub":
        raise UsageError(f"{name} must be integers; scale it first")
    return array.astype(np.int64)
