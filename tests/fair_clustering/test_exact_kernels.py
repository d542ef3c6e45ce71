"""Kernels of the exact methods, the medoids and the bounds against plain Python."""

import itertools

import numpy as np
import pytest

from fairopt_solvers.fair_clustering.kernels_bounds import savings, soft_transform, transform
from fairopt_solvers.fair_clustering.kernels_medoids import best_addition, swap
from fairopt_solvers.fair_clustering.kernels_subsets import search_partitions, subset_layer

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_subset_layer(seed):
    rng = np.random.default_rng(seed)
    size = 2**6
    cost, before = rng.random(size), np.where(rng.random(size) < 0.3, np.inf, rng.random(size))
    out, part = np.full(size, np.inf), np.zeros(size, np.int64)
    subset_layer(cost, before, 0, 20, out, part)
    subset_layer(cost, before, 20, size, out, part)
    for mask in range(1, size):
        low = mask & -mask
        subs = [s for s in range(size) if s & mask == s and s & low]
        best = min(cost[s] + before[mask ^ s] for s in subs)
        assert out[mask] == best
        if np.isfinite(best):
            chosen = int(part[mask])
            assert chosen in subs
            assert cost[chosen] + before[mask ^ chosen] == best


def partitions(n, k):
    """Return the label vectors in which a new label is one above those before it."""
    for label in itertools.product(range(k), repeat=n):
        if all(c <= max(label[:i], default=-1) + 1 for i, c in enumerate(label)):
            yield np.array(label)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_search_partitions(seed, full):
    rng = np.random.default_rng(seed)
    n, k = 6, 3
    x, mass = rng.normal(size=n), rng.integers(1, 4, n).astype(float)
    pair = mass[:, None] * mass[None, :] * (x[:, None] - x[None, :]) ** 2
    plus, minus = rng.integers(0, 3, (2, 1, n)).astype(float)
    limit = np.array([4.0])

    def cost(label):
        inside = [label == c for c in set(label.tolist())]
        return sum(pair[np.ix_(s, s)].sum() / 2 / mass[s].sum() for s in inside)

    def fair(label):
        apart = [abs((plus - minus)[0, label == c].sum()) for c in range(k)]
        return sum(apart) <= limit[0] and (not full or len(set(label.tolist())) == k)

    best = min((cost(label) for label in partitions(n, k) if fair(label)), default=np.inf)
    state, found = np.full(n + 1, -1, np.int64), np.full(n, -1, np.int64)
    state[n] = 0
    top = np.array([np.inf])
    calls = 1
    while not search_partitions(pair, mass, plus, minus, limit, k, full, 7, state, top, found):
        calls += 1
    assert calls > 1  # it goes on where it stopped
    assert top[0] == pytest.approx(best)
    if np.isfinite(best):
        assert cost(found) == pytest.approx(best)
        assert fair(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_best_addition_and_swap(seed):
    rng = np.random.default_rng(seed)
    distance, near = rng.random((7, 9)), rng.random(9)
    saved = np.maximum(near - distance, 0).sum(1)
    assert best_addition(distance, near) == int(saved.argmax())
    medoids, total = np.array([0, 1, 2]), np.zeros(1)
    idle, start = 0, 0
    while idle < 7:
        idle = swap(distance, start % 7, idle, 2, medoids, total)
        start += 2
    assert len(set(medoids.tolist())) == 3
    assert total[0] == pytest.approx(distance[medoids].min(0).sum())
    for out, new in itertools.product(range(3), range(7)):
        other = medoids.copy()
        other[out] = new
        assert distance[other].min(0).sum() >= total[0] - 1e-9  # no swap helps


def test_one_medoid_is_the_best_one():
    distance = np.random.default_rng(1).random((7, 9))
    medoids, total = np.array([3]), np.zeros(1)
    idle = 0
    while idle < 7:
        idle = swap(distance, 0, idle, 7, medoids, total)
    assert medoids[0] == distance.sum(1).argmin()


@pytest.mark.parametrize("seed", SEEDS)
def test_kernels_of_the_bounds(seed):
    rng = np.random.default_rng(seed)
    cost, price = rng.random((4, 6)), rng.random(6)
    out = np.empty(4)
    savings(cost, price, out)
    assert out == pytest.approx(-np.maximum(price - cost, 0).sum(1))
    x, y = rng.normal(size=(5, 2)), rng.normal(size=(3, 2))
    v, share = rng.normal(size=3), np.array([0.2, 0.3, 0.5])
    square = ((x[:, None] - y[None]) ** 2).sum(2)
    hard, soft = np.empty(5), np.empty(5)
    transform(x, y, v, hard)
    assert hard == pytest.approx((square - v).min(1))
    soft_transform(x, y, v, share, 0.1, soft)
    assert soft == pytest.approx(-0.1 * np.log((share * np.exp((v - square) / 0.1)).sum(1)))
