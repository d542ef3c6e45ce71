"""Generators of instances; all draws are fixed by the seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problem import Meta
from fairopt.problems.selective_aggregation import build
from fairopt.problems.selective_aggregation.problem import SelectiveAggregation

_MOST = 200_000_000  # opinions


def _need(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise UsageError(f"{name} must lie between {least:g} and {most:g}, got {value:g}")


def _sizes(items: int, judges: int) -> None:
    _need("items", items, 1, 30_000)
    _need("judges", judges, 1, _MOST // max(1, items))


def _built(
    ranks: NDArray[Any], name: str, rng: np.random.Generator, drop: float, coarse: int
) -> SelectiveAggregation:
    """Return ballots of ranks; ``coarse`` neighbouring ranks become ties, a share is dropped."""
    _need("drop", drop, 0, 1)
    _need("coarse", coarse, 1, 30_000)
    table = (ranks // coarse).astype(np.int32)
    table[rng.random(table.shape) < drop] = -1
    n = table.shape[1]
    profile = build.of_rankings(n, [(row, 1) for row in table])
    return SelectiveAggregation(profile, [str(i) for i in range(n)], meta=Meta(name=name))


def gaussian(
    *,
    items: int = 20,
    judges: int = 25,
    sigma: float = 5.0,
    drop: float = 0.0,
    coarse: int = 1,
    seed: int = 0,
) -> SelectiveAggregation:
    """Return judges that rank items by their true place plus a normal error."""
    _sizes(items, judges)
    _need("sigma", sigma, 0, 1e9)
    rng = np.random.default_rng(seed)
    seen = np.arange(items) + sigma * rng.normal(size=(judges, items))
    ranks = seen.argsort(1, kind="stable").argsort(1, kind="stable")
    return _built(ranks, f"gaussian-{items}-{judges}-{sigma:g}-{seed}", rng, drop, coarse)


def mallows(
    *,
    items: int = 10,
    judges: int = 50,
    phi: float = 0.5,
    drop: float = 0.0,
    coarse: int = 1,
    seed: int = 0,
) -> SelectiveAggregation:
    """Return judges of the Mallows model: a ranking is phi^d as likely at Kendall distance d.

    By repeated insertion: item i goes k places up with a chance proportional to phi^k.
    """
    _sizes(items, judges)
    _need("phi", phi, 0, 1)
    rng = np.random.default_rng(seed)
    ranks = np.empty((judges, items), np.int64)
    for row in ranks:
        order: list[int] = []
        for i in range(items):
            law = np.cumsum(phi ** np.arange(i + 1.0))
            up = int(np.searchsorted(law, rng.random() * law[-1], side="right"))
            order.insert(i - min(up, i), i)
        row[order] = np.arange(items)
    return _built(ranks, f"mallows-{items}-{judges}-{phi:g}-{seed}", rng, drop, coarse)


def plackett_luce(
    *,
    items: int = 10,
    judges: int = 50,
    spread: float = 1.0,
    drop: float = 0.0,
    coarse: int = 1,
    seed: int = 0,
) -> SelectiveAggregation:
    """Return judges that choose the best item left again and again, by weights exp(-spread i)."""
    _sizes(items, judges)
    _need("spread", spread, 0, 100)
    rng = np.random.default_rng(seed)
    noise = rng.gumbel(size=(judges, items)) - spread * np.arange(items)
    ranks = (-noise).argsort(1, kind="stable").argsort(1, kind="stable")
    return _built(ranks, f"plackett-luce-{items}-{judges}-{spread:g}-{seed}", rng, drop, coarse)


def blocks(
    *, tiers: int = 4, size: int = 3, judges: int = 50, agree: float = 0.9, seed: int = 0
) -> SelectiveAggregation:
    """Return single votes: a hidden order of tiers, with which a vote agrees by chance.

    Pairs of one tier are voted on by a fair coin. With a chance above 1 - tau the tiers are found
    with high probability (Hoeffding).
    """
    items = tiers * size
    _sizes(items, judges)
    _need("agree", agree, 0, 1)
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(items, 1)
    same = first // size == second // size
    chance = np.where(same, 0.5, agree)
    values = np.where(rng.random((judges, len(first))) < chance, 1, -1)
    return _votes(values, first, second, items, f"blocks-{tiers}-{size}-{judges}-{agree:g}-{seed}")


def uniform_pairwise(*, items: int = 6, judges: int = 9, seed: int = 0) -> SelectiveAggregation:
    """Return single votes, each 1, 0 or -1 with the same chance; no judge need be transitive."""
    _sizes(items, judges)
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(items, 1)
    values = rng.integers(-1, 2, (judges, len(first)))
    return _votes(values, first, second, items, f"uniform-pairwise-{items}-{judges}-{seed}")


def _votes(
    values: NDArray[Any], first: NDArray[Any], second: NDArray[Any], items: int, name: str
) -> SelectiveAggregation:
    names = [str(i) for i in range(items)]
    rows = [
        (str(k), str(a), str(b), int(v))
        for k, row in enumerate(values.tolist())
        for a, b, v in zip(first.tolist(), second.tolist(), row, strict=True)
    ]
    place = {name: i for i, name in enumerate(names)}
    judges = [str(k) for k in range(len(values))]
    profile = build.of_votes(place, rows, ["votes"] * len(rows), judges=judges)
    return SelectiveAggregation(profile, names, meta=Meta(name=name))


def cycle(*, items: int = 3, times: int = 1, seed: int = 0) -> SelectiveAggregation:
    """Return a Condorcet cycle: every rotation of one order, as often as said."""
    _sizes(items, items * times)
    rows = [(np.roll(np.arange(items), k).astype(np.int32), times) for k in range(items)]
    profile = build.of_rankings(items, rows)
    names = [str(i) for i in range(items)]
    return SelectiveAggregation(profile, names, meta=Meta(name=f"cycle-{items}-{times}"))


GENERATORS: dict[str, dict[str, Callable[..., SelectiveAggregation]]] = {
    "selective-aggregation": {
        "gaussian": gaussian,
        "mallows": mallows,
        "plackett-luce": plackett_luce,
        "blocks": blocks,
        "uniform-pairwise": uniform_pairwise,
        "cycle": cycle,
    }
}
