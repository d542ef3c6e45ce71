"""Matroid partition: classes that cover, or an obstacle that shows that none do."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.independence import dependent
from fairopt.problems.online_selection.matroids import Cographic, Graphic, Linear, Transversal
from fairopt.problems.online_selection.rank import rank
from fairopt_solvers.online_selection.oracles import Oracle
from fairopt_solvers.online_selection.partition import Stopped, arboricity, pack, partition
from fairopt_solvers.online_selection.tables import random_primes
from online_selection.brute_online import Plain, contents


def complete(n):
    return Graphic.of([list(e) for e in nx.complete_graph(n).edges()])


def assert_classes(matroid, cover, classes, copies):
    assert cover.classes.shape == (classes, matroid.n)
    assert (cover.classes.sum(axis=0) == copies).all()
    group, element = np.nonzero(cover.classes)
    assert not dependent(matroid, element, group)


def assert_obstacle(matroid, cover, classes, copies):
    held = rank(matroid, cover.obstacle.tolist())
    assert cover.rank == held
    assert copies * len(cover.obstacle) > classes * held


@given(contents(least=1, matchoid=False), st.integers(1, 5), st.integers(1, 3))
def test_covers_or_shows_why_not(content, classes, copies):
    matroid, plain = OnlineSelection.from_json(content).matroid, Plain(content)
    cover = partition(Oracle.of(matroid), classes, copies)
    if plain.loops or plain.density() > Fraction(classes, copies):
        assert_obstacle(matroid, cover, classes, copies)
    else:
        assert_classes(matroid, cover, classes, copies)


@given(contents(least=1, matchoid=False))
def test_augmenting_paths_alone(content):
    """From nothing, every element is placed by a path."""
    matroid, plain = OnlineSelection.from_json(content).matroid, Plain(content)
    assume(not plain.loops)
    gamma = plain.density()
    p, q = gamma.numerator, gamma.denominator
    cover = partition(Oracle.of(matroid), p, q, packed=np.zeros((p, matroid.n), bool))
    assert_classes(matroid, cover, p, q)


@given(contents(matchoid=False))
def test_arboricity_is_the_least_number(content):
    matroid, plain = OnlineSelection.from_json(content).matroid, Plain(content)
    assume(not plain.loops)
    alpha, cover = arboricity(Oracle.of(matroid))
    assert alpha == plain.alpha()
    if matroid.n:
        assert_classes(matroid, cover, alpha, 1)


@pytest.mark.parametrize(("n", "forests"), [(12, 6), (40, 20)])
def test_complete_graphs(n, forests):
    matroid = complete(n)
    oracle = Oracle.of(matroid)
    nothing = np.zeros((forests, matroid.n), bool)
    assert_classes(matroid, partition(oracle, forests, packed=nothing), forests, 1)
    assert_obstacle(matroid, partition(oracle, forests - 1), forests - 1, 1)


def random_instances():
    rng = np.random.default_rng(5)
    edges = [list(e) for e in nx.gnm_random_graph(14, 60, seed=3).edges()]
    lists = [rng.choice(15, 3, replace=False).tolist() for _ in range(50)]
    return [
        Graphic.of(edges),
        Cographic.of(edges),
        Transversal.of(lists),
        Linear.of(2, rng.integers(0, 2, (60, 9)).tolist()),
        Linear.of(5, rng.integers(0, 5, (60, 8)).tolist()),
        Linear.of("Q", rng.integers(-1, 2, (50, 8)).tolist()),
    ]


@pytest.mark.parametrize("matroid", random_instances(), ids=lambda m: f"{m.type}-{m.n}")
def test_larger_instances_with_and_without_packing(matroid):
    oracle = Oracle.of(matroid)
    matroid = matroid.take(np.setdiff1d(np.arange(matroid.n), oracle.loops()))
    oracle = Oracle.of(matroid)
    density = Fraction(matroid.n, oracle.rank())
    while True:  # Newton's method on the density
        p, q = density.numerator, density.denominator
        cover = partition(oracle, p, q)
        bare = partition(oracle, p, q, packed=np.zeros((p, matroid.n), bool))
        assert (cover.classes is None) == (bare.classes is None)
        if cover.classes is not None:
            assert_classes(matroid, cover, p, q)
            assert_classes(matroid, bare, p, q)
            return
        assert_obstacle(matroid, cover, p, q)
        assert_obstacle(matroid, bare, p, q)
        assert Fraction(len(cover.obstacle), cover.rank) > density
        density = Fraction(len(cover.obstacle), cover.rank)


def test_packing_takes_no_element_too_often():
    matroid = complete(9)
    oracle = Oracle.of(matroid)
    member = pack(oracle, 9, 2)
    assert member.sum(axis=0).max() <= 2
    group, element = np.nonzero(member)
    assert not dependent(matroid, element, group)


def test_stops_when_the_time_is_up():
    oracle = Oracle.of(Graphic.of([[0, 1]] * 70_000))
    with pytest.raises(Stopped):
        partition(oracle, 70_000 // 700, expired=lambda: True)
    assert len(pack(oracle, 100, 1, expired=lambda: True)) < 100


def test_a_prime_that_misleads_is_noticed():
    first, _ = random_primes(0)
    matroid = Linear.of("Q", [[1, 0], [1, first], [0, 1]])
    alpha, cover = arboricity(Oracle.of(matroid))
    assert alpha == 2
    assert_classes(matroid, cover, 2, 1)
    two = Linear.of("Q", [[1, 0], [1, first]])
    cover = partition(Oracle.of(two), 1)
    assert_classes(two, cover, 1, 1)
