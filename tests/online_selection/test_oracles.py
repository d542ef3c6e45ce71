"""Oracles and their kernels against the words of the definition."""

import os

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.matroids import (
    Bases,
    Circuits,
    Cographic,
    Graphic,
    Laminar,
    Linear,
    Matchoid,
    Transversal,
    Uniform,
)
from fairopt.problems.online_selection.rank import rank
from fairopt_solvers.online_selection.oracles import Oracle, PrimesDisagree
from fairopt_solvers.online_selection.tables import random_primes
from online_selection.brute_online import Plain, contents


def oracle_of(content, seed=0):
    return Oracle.of(OnlineSelection.from_json(content).matroid, seed)


def random_instances(seed=0):
    """One larger instance of every kind with more than 64 elements."""
    rng = np.random.default_rng(seed)
    edges = [list(e) for e in nx.gnm_random_graph(25, 90, seed=seed).edges()]
    lists = [rng.choice(20, 3, replace=False).tolist() for _ in range(90)]
    pairs = [[2 * k, 2 * k + 1] for k in range(40)]
    return [
        Graphic.of(edges),
        Cographic.of(edges),
        Transversal.of(lists),
        Laminar.of(90, [range(90), range(50), range(20), range(60, 80)], [20, 9, 3, 5]),
        Linear.of(2, rng.integers(0, 2, (90, 70)).tolist()),
        Linear.of(2**31 - 1, rng.integers(0, 2**31, (80, 12)).tolist()),
        Linear.of("Q", [[int(v) * 10**30 for v in c] for c in rng.integers(-1, 2, (70, 9))]),
        Circuits.of(80, pairs),
        Bases.of(70, [[e] for e in range(66)]),
    ]


@given(contents())
def test_every_subset(content):
    oracle, plain = oracle_of(content), Plain(content)
    for chosen, held in plain.rank.items():
        assert oracle.independent(chosen) == (chosen in plain.good), chosen
        if oracle.is_matroid:
            assert oracle.rank(chosen) == held
    assert oracle.loops().tolist() == plain.loops


@given(contents(least=1), st.data())
def test_first_fit_in_any_order(content, data):
    oracle, plain = oracle_of(content), Plain(content)
    order = data.draw(st.permutations(range(plain.n)))
    colours = plain.first_fit(order)
    read_only = np.array(order)
    read_only.setflags(write=False)
    assert oracle.first_fit(read_only).tolist() == colours
    levels = oracle.levels(1)
    assert [levels.place(e) + 1 for e in order] == [colours[e] for e in order]
    assert levels.used == max(colours)
    limit = data.draw(st.integers(0, 3))
    kept = [c if c <= limit else 0 for c in colours]
    assert oracle.first_fit(order, limit).tolist() == kept


@given(contents(least=1), st.data())
def test_single_levels(content, data):
    oracle, plain = oracle_of(content), Plain(content)
    levels, held = oracle.levels(2), [frozenset() for _ in range(4)]
    for e in data.draw(st.permutations(range(plain.n))):
        level = data.draw(st.integers(0, 3))
        for k, inside in enumerate(held):
            assert levels.fits(k, e) == (inside | {e} in plain.good)
        done = levels.add(level, e)
        assert done == (held[level] | {e} in plain.good)
        held[level] |= {e} if done else set()
    for k, inside in enumerate(held):
        assert levels.members(k).tolist() == sorted(inside)


@given(contents(least=1, matchoid=False))
def test_circuits_are_minimal(content):
    oracle, plain = oracle_of(content), Plain(content)
    for chosen in plain.good:
        for e in set(range(plain.n)) - chosen:
            whole = chosen | {e}
            circuit = frozenset(oracle.circuit(sorted(chosen), e).tolist())
            assert bool(circuit) == (whole not in plain.good)
            if circuit:
                assert circuit <= whole
                assert circuit not in plain.good
                assert all(circuit - {f} in plain.good for f in circuit)


@given(contents(least=1, matchoid=False), st.data())
def test_heaviest_base(content, data):
    oracle, plain = oracle_of(content), Plain(content)
    weights = data.draw(st.lists(st.integers(-2, 4), min_size=plain.n, max_size=plain.n))
    base = oracle.max_weight_base(weights).tolist()
    assert frozenset(base) in plain.good
    assert sum(weights[e] for e in base) == plain.best_weight(weights)


@pytest.mark.parametrize("matroid", random_instances(), ids=lambda m: f"{m.type}-{m.n}")
def test_ranks_beyond_one_word(matroid):
    oracle, rng = Oracle.of(matroid), np.random.default_rng(1)
    for _ in range(20):
        chosen = rng.choice(matroid.n, rng.integers(1, matroid.n), replace=False).tolist()
        assert oracle.rank(chosen) == rank(matroid, chosen)


@pytest.mark.parametrize("matroid", random_instances(), ids=lambda m: f"{m.type}-{m.n}")
def test_doubling_and_linear_search_agree(matroid):
    order = np.random.default_rng(2).permutation(matroid.n)
    one_by_one = Matchoid.of(matroid.n, [(range(matroid.n), matroid)])
    assert not Oracle.of(one_by_one).is_matroid
    expected = Oracle.of(one_by_one).first_fit(order).tolist()
    assert Oracle.of(matroid).first_fit(order).tolist() == expected


def test_levels_grow_as_needed():
    oracle = Oracle.of(Graphic.of([[0, 1]] * 100))
    assert oracle.first_fit(range(100)).tolist() == list(range(1, 101))
    levels = oracle.levels(1)
    assert [levels.place(e) for e in range(100)] == list(range(100))
    levels.clear()
    assert levels.used == 0
    assert levels.place(7) == 0


def test_disagreeing_primes_are_replaced():
    first, second = random_primes(0)
    columns = [[first, 0], [0, second], [1, 1]]
    oracle = Oracle.of(Linear.of("Q", columns))
    with pytest.raises(PrimesDisagree):
        oracle.levels().place(0)
    assert oracle.first_fit([0, 1, 2]).tolist() == [1, 1, 2]
    assert oracle.seed > 0
    assert oracle.independent([0, 1])


def test_random_primes_are_prime_and_distinct():
    for seed in range(5):
        primes = random_primes(seed, 3)
        assert len(set(primes)) == 3
        for p in primes:
            assert 2**30 < p < 2**31
            assert all(p % d for d in range(2, 1000))


def test_empty_ground_set():
    oracle = Oracle.of(Uniform.of(0, 2))
    assert oracle.rank() == 0
    assert oracle.first_fit([]).tolist() == []


@pytest.mark.skipif(
    os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="needs NUMBA_BOUNDSCHECK=1, fresh cache"
)
def test_an_out_of_range_read_raises():
    with pytest.raises(IndexError):
        Oracle.of(Uniform.of(3, 1)).first_fit([3])
