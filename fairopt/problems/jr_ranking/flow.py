"""A maximum closure between groups and what they need, by a maximum flow in plain integers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise


def best_closure(
    gains: Sequence[int], needs: Sequence[frozenset[int]], price: int
) -> tuple[int, list[bool]]:
    """Return the largest total gain minus ``price`` for each thing needed, and who takes part.

    A group takes part only with everything it needs. The network: source to group (its gain),
    group to need (no limit), need to sink (``price``); what the minimum cut leaves on the side of
    the source is best.
    """
    things = {d: k for k, d in enumerate(sorted(set().union(*needs)))} if needs else {}
    room = list(gains)
    left = dict.fromkeys(things.values(), price)
    wants = [[things[d] for d in need] for need in needs]
    users: dict[int, list[int]] = {d: [] for d in left}  # groups that can send to it
    for g, need in enumerate(wants):
        for d in need:
            users[d].append(g)
    sent: dict[tuple[int, int], int] = {}
    total = sum(gains)
    flow = 0
    while True:
        path = _augmenting(room, left, wants, users, sent)
        if path is None:
            break
        flow += _push(path, room, left, sent)
    reached = _reachable(room, wants, users, sent)
    return total - flow, [g in reached for g in range(len(needs))]


def _augmenting(
    room: list[int],
    left: dict[int, int],
    wants: list[list[int]],
    users: dict[int, list[int]],
    sent: dict[tuple[int, int], int],
) -> list[tuple[int, int]] | None:
    """Return a shortest path as (group, need) steps, forward and backward in turns."""
    before: dict[tuple[str, int], tuple[str, int] | None] = {}
    queue: deque[tuple[str, int]] = deque()
    for g, free in enumerate(room):
        if free > 0:
            before["g", g] = None
            queue.append(("g", g))
    while queue:
        kind, v = queue.popleft()
        if kind == "g":
            nexts = [("d", d) for d in wants[v]]
        else:
            if left[v] > 0:
                return _steps(before, (kind, v))
            nexts = [("g", g) for g in users[v] if sent.get((g, v), 0) > 0]
        for node in nexts:
            if node not in before:
                before[node] = (kind, v)
                queue.append(node)
    return None


def _steps(
    before: dict[tuple[str, int], tuple[str, int] | None], end: tuple[str, int]
) -> list[tuple[int, int]]:
    nodes = [end]
    while (last := before[nodes[-1]]) is not None:
        nodes.append(last)
    return [(node[1], k) for k, node in enumerate(reversed(nodes))]


def _push(
    path: list[tuple[int, int]],
    room: list[int],
    left: dict[int, int],
    sent: dict[tuple[int, int], int],
) -> int:
    names = [node for node, _ in path]
    pairs = list(pairwise(names))
    backward = [(b, a) for k, (a, b) in enumerate(pairs) if k % 2]
    much = min([room[names[0]], left[names[-1]], *(sent[edge] for edge in backward)])
    for k, (a, b) in enumerate(pairs):
        if k % 2:
            sent[b, a] -= much
        else:
            sent[a, b] = sent.get((a, b), 0) + much
    room[names[0]] -= much
    left[names[-1]] -= much
    return much


def _reachable(
    room: list[int],
    wants: list[list[int]],
    users: dict[int, list[int]],
    sent: dict[tuple[int, int], int],
) -> set[int]:
    """Return the groups that the source still reaches."""
    stack = [g for g, free in enumerate(room) if free > 0]
    seen, things = set(stack), set[int]()
    while stack:
        for d in wants[stack.pop()]:
            if d not in things:
                things.add(d)
                for g in users[d]:
                    if g not in seen and sent.get((g, d), 0) > 0:
                        seen.add(g)
                        stack.append(g)
    return seen
