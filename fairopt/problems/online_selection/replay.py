"""One run again: the published rule, applied to the stored order and coins.

``coins["rule"]`` is one of

- ``greedy``: accept whatever keeps the set independent;
- ``first-fit`` with ``color``: put each element in the first level that takes it, accept those
  of level ``color`` (Theorem 10 of Banihashem, Hajiaghayi, Mittal, 2025); an element that lies
  beyond level ``colors``, if given, is rejected;
- ``oblivious`` with ``color``: the same with as many levels as it takes;
- ``laminar`` with ``color`` of ``colors`` = 2 alpha - 1: Theorem 11 there;
- ``laminar-cyclic`` with ``color`` of ``colors`` = alpha: the i-th arrival of a block (of all, for
  a uniform matroid) has colour ``i mod alpha + 1``;
- ``set`` with ``set``: accept the elements of an independent set drawn before the first arrival;
- ``active`` with ``set``: accept an element of the set if that keeps independence;
- ``vertex-order`` with ``vertices``: accept an edge unless one with the same later end vertex
  was accepted;
- ``degeneracy`` with ``first``, ``second`` and ``degeneracy``: Theorem 15 there; so many arrivals
  are sampled, the rest are decided;
- ``secretary`` with ``sample``: reject so many arrivals, then accept the first that weighs more
  than all of them.

Colour 0 is none at all. An element that no colour can take without breaking independence (where
parameters were given too small) gets none. Every rule looks at arrivals one by one, so a decision
depends on the past alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairopt.errors import InstanceError
from fairopt.problems.online_selection.graphs import Graphic
from fairopt.problems.online_selection.growing import Growing, growing
from fairopt.problems.online_selection.independence import independent
from fairopt.problems.online_selection.matroids import Laminar, Partition, Uniform

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection

Coins = Mapping[str, Any]


def replay(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Return what the rule accepts; raises ``InstanceError`` if the coins fit no rule."""
    rule = coins.get("rule")
    if rule not in RULES:
        raise InstanceError("answer.run.coins.rule", f"no published rule {rule!r}")
    return RULES[rule](problem, order, coins)


def _whole(coins: Coins, key: str, least: int) -> int:
    value = coins.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InstanceError(f"answer.run.coins.{key}", f"expected at least {least}, got {value!r}")
    return value


def _set(problem: OnlineSelection, coins: Coins) -> set[int]:
    values = coins.get("set")
    fine = isinstance(values, list | tuple) and all(
        isinstance(e, int) and not isinstance(e, bool) and 0 <= e < problem.n_elements
        for e in values
    )
    if not fine:
        raise InstanceError("answer.run.coins.set", "expected a list of elements")
    assert isinstance(values, list | tuple)
    return set(values)


def greedy(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept whatever keeps the set independent."""
    taken = growing(problem.matroid)
    return {e for e in order if taken.take(e)}


def first_fit(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept the elements of one level."""
    color = _whole(coins, "color", 0)
    most = _whole(coins, "colors", 1) if "colors" in coins else len(order)
    levels: list[Growing] = []
    for e in order:
        if not any(level.take(e) for level in levels) and len(levels) < most:
            fresh = growing(problem.matroid)
            if fresh.take(e):
                levels.append(fresh)
    return set(levels[color - 1].elements) if 1 <= color <= len(levels) else set()


def laminar(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept one colour of the colouring in which sets stay contiguous."""
    color, alpha = _whole(coins, "color", 0), (_whole(coins, "colors", 1) + 1) // 2
    line: list[int] = []
    last: dict[int, int] = {}  # the last element in the line of every set seen
    classes = [growing(problem.matroid) for _ in range(2 * alpha)]
    colors: dict[int, int] = {}
    looped = set(problem.loops)
    for e in (e for e in order if e not in looped):
        around = _sets_around(problem, e)
        before = next((last[s] for s in reversed(around) if s in last), None)
        at = len(line) if before is None else line.index(before) + 1
        near = line[max(0, at - alpha + 1) : at] + line[at : at + alpha - 1]
        used = {colors[f] for f in near}
        line.insert(at, e)
        for s in around:
            if last.get(s, before) == before:
                last[s] = e
        mine = next(c for c in range(1, 2 * alpha) if c not in used)
        colors[e] = mine if classes[mine].take(e) else 0
    return {e for e, c in colors.items() if c == color} if color else set()


def laminar_cyclic(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept one colour where every block deals out colours in turn."""
    color, alpha = _whole(coins, "color", 0), _whole(coins, "colors", 1)
    if isinstance(problem.matroid, Laminar):
        raise InstanceError("answer.run.coins.rule", "laminar-cyclic is for single blocks")
    looped = set(problem.loops)
    arrived: dict[int, int] = {}
    taken = growing(problem.matroid)
    for e in (e for e in order if e not in looped):
        (block,) = _sets_around(problem, e)
        turn = arrived.get(block, 0) % alpha + 1
        arrived[block] = arrived.get(block, 0) + 1
        if turn == color:
            taken.take(e)
    return set(taken.elements)


def _sets_around(problem: OnlineSelection, e: int) -> list[int]:
    """Return the sets around an element from the largest to the smallest."""
    matroid = problem.matroid
    if isinstance(matroid, Laminar):
        found: list[int] = matroid.chain[matroid.chain_ptr[e] : matroid.chain_ptr[e + 1]].tolist()
        return found
    if isinstance(matroid, Partition):
        return [int(matroid.block[e])]
    if isinstance(matroid, Uniform):
        return [0]
    raise InstanceError("answer.run.coins.rule", "laminar is for laminar matroids")


def drawn_set(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept the elements of the set that was drawn."""
    return _set(problem, coins) & set(order)


def active(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept greedily among the active elements."""
    chosen = _set(problem, coins)
    return greedy(problem, [e for e in order if e in chosen], coins)


def _graph(problem: OnlineSelection) -> Graphic:
    if not isinstance(problem.matroid, Graphic):
        raise InstanceError("answer.run.coins.rule", "the rule is for graphic matroids")
    return problem.matroid


def _by_later_end(graph: Graphic, edges: Sequence[int], place: Mapping[int, int]) -> set[int]:
    """Accept the first edge at every later end; self-loops never."""
    taken: dict[int, int] = {}
    for e in edges:
        u, v = int(graph.tail[e]), int(graph.head[e])
        if u != v:
            taken.setdefault(max(u, v, key=lambda w: place[w]), e)
    return set(taken.values())


def vertex_order(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept the first edge at every later end, vertices ordered by the coins."""
    graph = _graph(problem)
    names = coins.get("vertices")
    fine = isinstance(names, list | tuple) and set(names) == set(graph.vertices)
    if not fine or len(names or ()) != graph.n_vertices:
        raise InstanceError("answer.run.coins.vertices", "expected an order of all vertices")
    assert names is not None
    number = {name: v for v, name in enumerate(graph.vertices)}
    return _by_later_end(graph, order, {number[name]: k for k, name in enumerate(names)})


def degeneracy(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Sample two parts, order the vertices by what they show, decide the rest."""
    graph = _graph(problem)
    first, second = _whole(coins, "first", 0), _whole(coins, "second", 0)
    d = _whole(coins, "degeneracy", 0)
    arcs = []
    for k, e in enumerate(order[: first + second]):
        u, v = sorted((int(graph.tail[e]), int(graph.head[e])))
        if u != v:
            arcs.append((u, v) if k < first else (v, u))
    place = peeled(graph.n_vertices, arcs, d)
    return _by_later_end(graph, order[first + second :], place)


def peeled(vertices: int, arcs: Sequence[tuple[int, int]], d: int) -> dict[int, int]:
    """Return the place of each vertex: decreasing level, ties by label.

    In round j all vertices with at most ``d`` arcs to remaining vertices are removed together
    and get level j; those that always stay come first; vertices without arcs get level 0.
    """
    left, level, rounds = set(range(vertices)), {}, 0
    while left:
        out = dict.fromkeys(left, 0)
        for u, v in arcs:
            if u in left and v in left:
                out[u] += 1
        gone = {v for v in left if out[v] <= d}
        if not gone:
            break
        level.update(dict.fromkeys(gone, rounds))
        left -= gone
        rounds += 1
    ranked = sorted(range(vertices), key=lambda v: (-level.get(v, rounds + 1), v))
    return {v: k for k, v in enumerate(ranked)}


def secretary(problem: OnlineSelection, order: Sequence[int], coins: Coins) -> set[int]:
    """Accept the first element that outweighs the sample."""
    sample = _whole(coins, "sample", 0)
    if problem.weights is None:
        raise InstanceError("answer.run.coins.rule", "secretary needs weights")
    weight = problem.weights.to_list()
    best = max((weight[e] for e in order[:sample]), default=-1)
    for e in order[sample:]:
        if weight[e] > best and independent(problem.matroid, [e]):
            return {e}
    return set()


RULES: dict[str, Callable[[OnlineSelection, Sequence[int], Coins], set[int]]] = {
    "greedy": greedy,
    "first-fit": first_fit,
    "oblivious": first_fit,
    "laminar": laminar,
    "laminar-cyclic": laminar_cyclic,
    "set": drawn_set,
    "active": active,
    "vertex-order": vertex_order,
    "degeneracy": degeneracy,
    "secretary": secretary,
}
