"""The method ``spa-scc``: strong components of a graph, by NetworkX, as an independent oracle."""

from __future__ import annotations

import numpy as np

from fairopt.errors import UsageError
from fairopt.problems.selective_aggregation import SelectiveAggregation, Tiering
from fairopt.run import Run
from fairopt.solution import Outcome
from fairopt_solvers.selective_aggregation.spa import dissent_of, proven


def spa_scc(problem: SelectiveAggregation, run: Run) -> Outcome[Tiering]:
    """Return the strong components in topological order of "may not be put above" arcs.

    The published algorithm, one tau at a time. Raises ``UsageError`` where the instance has no tau.
    """
    import networkx as nx

    if problem.asked is None:
        raise UsageError("spa-scc needs tau (or max_dissent_count); spa-path finds all of them")
    dissent = dissent_of(problem, run)
    if dissent is None:
        return Outcome()
    limit = dissent.floor(problem.asked)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(problem.n))
    below, above = np.nonzero(dissent.level > limit)  # "below above ..." may not be published
    graph.add_edges_from(
        (a, b) for b, a in zip(below.tolist(), above.tolist(), strict=True) if a != b
    )
    condensed = nx.condensation(graph)
    tier = np.empty(problem.n, np.int64)
    for k, component in enumerate(nx.topological_sort(condensed)):
        tier[list(condensed.nodes[component]["members"])] = k
    return proven(problem, dissent, limit, Tiering(tier))
