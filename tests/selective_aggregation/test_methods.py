"""All methods against enumeration, each other and the properties of the optimum."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import fairopt
from fairopt.errors import UsageError
from fairopt.run import Run
from fairopt_solvers.selective_aggregation import counting, spa
from fairopt_solvers.selective_aggregation.cycles import hamiltonian
from selective_aggregation.brute import dissents, opinion, optimum
from selective_aggregation.draw import CONVENTIONS, MANY, ballots, content, large, pairwise, solved

HALF = Fraction(1, 2)


def thresholds(d):
    """Return 0, all dissents below one half, and numbers just beside them."""
    values = {x for row in d for x in row if x < HALF} | {Fraction(0)}
    return sorted(values | {max(x - Fraction(1, 10**9), Fraction(0)) for x in values})


def cases(rng, n):
    drawn = ballots(rng, n)
    yield content(n, drawn), [(w, partial(opinion, order)) for w, order in drawn]
    yield pairwise(rng, n)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(max(1, MANY // 8)))
def test_every_threshold_against_all_ordered_partitions(convention, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    for made, opinions in cases(rng, n):
        d = dissents(n, opinions, convention)
        whole = fairopt.load(made | {"convention": convention})
        path = solved(whole, "spa-path").answer.path
        for tau in thresholds(d):
            best, found = optimum(n, d, tau)
            assert len(found) == 1  # the optimum is unique
            solution = solved(whole.replace(tau=tau), "spa")
            assert solution.status == "optimal"
            assert solution.value == best
            assert solution.answer.tiers == found[0]
            assert path.at(tau).tolist() == solution.answer.tier.tolist()


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(MANY // 4))
def test_the_path_is_that_of_strong_components(convention, seed):
    rng = np.random.default_rng(seed)
    problem = large(rng, int(rng.integers(5, 14)), int(rng.integers(3, 9)))
    problem = problem.replace(convention=convention)
    path = fairopt.solve(problem, "spa-path").answer.path
    for tau in path.breakpoints:
        here = problem.replace(tau=tau)
        scc = fairopt.solve(here, "spa-scc")
        assert scc.status == "optimal"
        assert path.at(tau).tolist() == scc.answer.tier.tolist()
        assert fairopt.solve(here, "spa").answer.tier.tolist() == scc.answer.tier.tolist()


@pytest.mark.parametrize("backend", ["highs", "cbc", "cp-sat"])
@pytest.mark.parametrize("seed", range(max(1, MANY // 10)))
def test_the_program_agrees(backend, seed):
    rng = np.random.default_rng(seed)
    problem = large(rng, int(rng.integers(2, 9)), 5).replace(tau=Fraction(2, 5))
    best = fairopt.solve(problem, "spa")
    solution = solved(problem, "spa-ilp", backend=backend)
    assert solution.status == "optimal"
    assert solution.value == best.value
    assert solution.answer.tier.tolist() == best.answer.tier.tolist()


@pytest.mark.parametrize("seed", range(max(2, MANY // 10)))
def test_kernels_count_as_the_court_does(seed):
    rng = np.random.default_rng(seed)
    problem = large(rng, int(rng.integers(1, 80)), int(rng.integers(1, 300)))
    ours, theirs = counting.counts_of(problem, Run()), problem.profile.counts
    assert np.array_equal(ours.support, theirs.support)
    assert np.array_equal(ours.ties, theirs.ties)
    assert np.all(theirs.missing >= 0)


def test_kernels_find_the_tiers_and_births_of_the_court():
    from fairopt.problems.selective_aggregation import tiers

    for seed in range(MANY):
        problem = large(np.random.default_rng(seed), 25, 7)
        d = problem.dissent
        finest = tiers.tiers_at(d.level, d.largest)
        assert np.array_equal(spa.tiers(d.level, d.largest), finest)
        born = [d.value(b) for b in tiers.births(d.level, finest).tolist()]
        assert spa.births(d, finest) == born


@pytest.mark.parametrize("n", range(2, 9))
def test_cycles_go_through_all(n):
    rng = np.random.default_rng(n)
    found = 0
    for _ in range(60):
        arcs = rng.random((n, n)) < 0.35
        arcs |= ~arcs.T
        np.fill_diagonal(arcs, False)
        reach = np.linalg.matrix_power(arcs.astype(float) + np.eye(n), n) > 0
        if not reach.all():
            continue
        found += 1
        cycle = hamiltonian(arcs)
        assert sorted(cycle.tolist()) == list(range(n))
        assert arcs[cycle, np.roll(cycle, -1)].all()
    assert found


# -- properties of section "what to expose" -------------------------------------------------


def pairs(tier):
    return {(i, j) for i in range(len(tier)) for j in range(len(tier)) if tier[i] < tier[j]}


@pytest.mark.parametrize("seed", range(MANY // 2))
def test_filled_in_opinions_only_add_comparisons(seed):
    rng = np.random.default_rng(seed)
    n = 5
    drawn = ballots(rng, n)
    full = []
    for w, tiers in drawn:
        rest = [x for x in range(n) if not any(x in tier for tier in tiers)]
        places = [*tiers]
        for x in rest:
            places.insert(int(rng.integers(0, len(places) + 1)), [x])
        full.append((w, places))
    few, all_ = (fairopt.load(content(n, d)) for d in (drawn, full))
    for tau in ("0", "1/5", "1/3", "9/20"):
        before = fairopt.solve(few.replace(tau=tau)).answer.tier
        after = fairopt.solve(all_.replace(tau=tau)).answer.tier
        assert pairs(before) <= pairs(after)


@pytest.mark.parametrize("seed", range(MANY // 2))
def test_new_items_never_invert_and_the_path_is_nested(seed):
    rng = np.random.default_rng(seed)
    drawn = ballots(rng, 6)
    less = [(w, [t for t in ([x for x in tier if x < 5] for tier in tiers) if t])
            for w, tiers in drawn]  # fmt: skip
    more, old = fairopt.load(content(6, drawn)), fairopt.load(content(5, less))
    before: set = set()
    for tau in ("0", "1/4", "2/5", "49/100"):
        large_, small = (fairopt.solve(p.replace(tau=tau)).answer.tier for p in (more, old))
        kept = {(i, j) for i, j in pairs(large_) if i < 5 and j < 5}
        assert kept <= pairs(small)
        assert before <= pairs(large_)
        before = pairs(large_)


def test_methods_that_need_tau_say_so():
    problem = fairopt.load(content(2, [(1, [[0], [1]])]))
    for method in ("spa", "spa-scc", "spa-ilp"):
        with pytest.raises(UsageError, match="needs tau"):
            fairopt.solve(problem, method)
    many = large(np.random.default_rng(0), 41, 3).replace(tau=0)
    with pytest.raises(UsageError, match="at most 40"):
        fairopt.solve(many, "spa-ilp")
