"""Kernels against the plain definition, on plain arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from fairopt.run import Run
from fairopt_solvers.fair_clustering import moves
from fairopt_solvers.fair_clustering.kernels_dual import evaluate
from fairopt_solvers.fair_clustering.kernels_lloyd import fill_distances, nearest
from fairopt_solvers.fair_clustering.moves import meet_counts


def random(seed, ties):
    """Return (rng, n, k, costs); with ties many costs are equal."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 30)), int(rng.integers(1, 5))
    costs = rng.integers(0, 4, (n, k)).astype(float) if ties else rng.random((n, k))
    return rng, n, k, costs


SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.sampled_from([0, 1, 2]))
def test_distances(seed, metric):
    rng = np.random.default_rng(seed)
    x, c = rng.normal(size=(7, 3)), rng.normal(size=(4, 3))
    out = np.full((7, 4), -1.0)
    fill_distances(x, c, metric, 2, 6, out)
    gap = x[:, None] - c[None]
    square = (gap**2).sum(2)
    wanted = [square, np.sqrt(square), np.abs(gap).sum(2)][metric]
    assert out[2:6] == pytest.approx(wanted[2:6], rel=1e-12)
    assert np.all(out[[0, 1, 6]] == -1.0)


@given(SEEDS)
def test_nearest(seed):
    rng = np.random.default_rng(seed)
    x, c = rng.integers(-2, 3, (9, 2)).astype(float), rng.integers(-2, 3, (3, 2)).astype(float)
    w = rng.random(9) + 0.1
    labels, near, sums, mass = np.zeros(9, np.int64), np.zeros(9), np.zeros((3, 2)), np.zeros(3)
    cost = nearest(x, w, c, 0, 9, labels, near, sums, mass)
    square = ((x[:, None] - c) ** 2).sum(2)
    assert labels.tolist() == square.argmin(1).tolist()
    assert cost == pytest.approx(float(w @ square.min(1)))
    assert mass == pytest.approx(np.bincount(labels, w, 3))
    assert sums == pytest.approx(np.stack([(w * (labels == j)) @ x for j in range(3)]))


@given(SEEDS, st.sampled_from([1.0, 0.1, 1e-6]))
def test_smoothed_dual(seed, heat):
    rng, n, k, d = random(seed, ties=False)
    kind, w, theta = rng.integers(0, 2, n), rng.random(n), rng.normal(size=(2, k))
    value, mass, curve = np.zeros(3), np.zeros((2, k)), np.zeros((2, k, k))
    for first in range(0, n, 5):
        evaluate(d, kind, w, theta, heat, first, min(n, first + 5), value, mass, curve)
    r = d + theta[kind]
    z = np.exp(-(r - r.min(1, keepdims=True)) / heat)
    p = z / z.sum(1, keepdims=True)
    assert value[0] == pytest.approx(float(w @ (r.min(1) - heat * np.log(z.sum(1)))))
    assert value[1] == pytest.approx(float(w @ r.min(1)))
    assert value[2] == pytest.approx(float(w @ (p * r).sum(1)))
    for t in (0, 1):
        inside = kind == t
        q, v = p[inside], w[inside]
        assert mass[t] == pytest.approx(v @ q, abs=1e-12)
        full = np.diag(v @ q) - (q * v[:, None]).T @ q
        assert curve[t] == pytest.approx(full, abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("room", [1, 16_000_000])
def test_transport_is_an_assignment_of_least_cost(ties, room, monkeypatch):
    monkeypatch.setattr(moves, "_ROOM", room)

    @given(SEEDS)
    def holds(seed):
        rng, n, k, d = random(seed, ties)
        wanted = rng.multinomial(n, np.ones(k) / k)
        labels = d.argmin(1).astype(np.int64)
        price = meet_counts(d, labels, wanted, Run())
        assert np.bincount(labels, minlength=k).tolist() == wanted.tolist()
        slots = np.repeat(d, wanted, axis=1)
        row, col = linear_sum_assignment(slots)
        own = d[np.arange(n), labels]
        assert own.sum() == pytest.approx(slots[row, col].sum())
        priced = d + price
        assert np.all(priced[np.arange(n), labels] <= priced.min(1) + 1e-9)

    holds()


@pytest.mark.parametrize("ties", [False, True])
def test_joint_transport_of_two_equal_groups(ties):
    @given(SEEDS)
    def holds(seed):
        _, n, k, d = random(seed, ties)
        d = np.concatenate([d, d[::-1] + 0.5 * d])
        signs = np.repeat([1, -1], n)
        labels = d.argmin(1).astype(np.int64)
        price = meet_counts(d, labels, np.zeros(k, np.int64), Run(), signs=signs)
        first, second = (np.bincount(labels[signs == s], minlength=k) for s in (1, -1))
        assert first.tolist() == second.tolist()
        pairs = (d[:n, None] + d[None, n:]).min(2)
        row, col = linear_sum_assignment(pairs)
        assert d[np.arange(2 * n), labels].sum() == pytest.approx(pairs[row, col].sum())
        bound = (d + signs[:, None] * price).min(1).sum()  # what the prices prove
        assert bound == pytest.approx(pairs[row, col].sum())

    holds()


def test_counts_that_cannot_be_met():
    labels = np.zeros(3, np.int64)
    assert meet_counts(np.zeros((3, 2)), labels, np.array([1, 1]), Run()) is None
