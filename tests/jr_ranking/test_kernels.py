"""Kernels against three-line twins, on random profiles with weights and empty ballots."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairopt.run import Run
from fairopt_solvers.jr_ranking import (
    kernels,
    kernels_justify,
    kernels_reserve,
    kernels_swap,
)
from fairopt_solvers.jr_ranking.improve import _exchange_one
from fairopt_solvers.jr_ranking.profile import Profile


@st.composite
def profiles(draw, users=90, comments=9):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, users)), int(rng.integers(1, comments))
    table = rng.random((n, m)) < rng.choice([0.1, 0.3, 0.6])
    weight = rng.integers(1, 4, n) if rng.random() < 0.6 else np.ones(n, np.int64)
    return table, weight.astype(np.int64), rng


def profile_of(table, weight):
    ballots = [np.flatnonzero(row).tolist() for row in table]
    return Profile.from_lists(ballots, table.shape[1], weight)


def chosen(rng, m):
    return rng.permutation(m)[: int(rng.integers(0, m + 1))].astype(np.int64)


def gains(table, weight, selected):
    free = ~table[:, selected].any(axis=1)
    return (table * (weight * free)[:, None]).sum(axis=0)


@given(profiles())
def test_both_directions_list_the_same_approvals(case):
    table, weight, _ = case
    profile = profile_of(table, weight)
    back = np.zeros_like(table)
    for c in range(profile.m):
        back[profile.users_of(c), c] = True
    assert np.array_equal(back, table)
    assert np.array_equal(profile.sup, weight @ table)


@given(profiles())
def test_unrepresented_weight_two_ways(case):
    table, weight, rng = case
    profile, selected = profile_of(table, weight), chosen(rng, table.shape[1])
    want = gains(table, weight, selected)
    assert np.array_equal(profile.unrepresented(selected), want)
    bits, worth = profile.bits
    assert np.array_equal(kernels_swap.unrepresented_bits(bits, worth, selected), want)


@given(profiles())
def test_satisfaction_and_overlap(case):
    table, weight, rng = case
    profile, selected = profile_of(table, weight), chosen(rng, table.shape[1])
    assert np.array_equal(profile.satisfaction(selected), table[:, selected].sum(axis=1))
    members = np.flatnonzero(rng.random(len(table)) < 0.5)
    got = kernels.overlap(profile.ptr, profile.item, profile.weight, members, profile.m)
    assert np.array_equal(got, weight[members] @ table[members])


@given(profiles())
def test_worst_levels(case):
    table, weight, rng = case
    profile, selected = profile_of(table, weight), chosen(rng, table.shape[1])
    k = int(rng.integers(1, 6))
    level, group = profile.worst_levels(selected, k)
    count = table[:, selected].sum(axis=1)
    for c in range(profile.m):
        if c in selected:
            assert (level[c], group[c]) == (1, 0)
            continue
        mass = [int(weight[table[:, c] & (count < at)].sum()) for at in range(1, k + 1)]
        best = max(range(k), key=lambda j: (mass[j] / (j + 1), -j))
        assert group[c] * (best + 1) == mass[best] * level[c]
        assert group[c] == mass[level[c] - 1]


@given(profiles())
def test_merging_keeps_every_weight(case):
    table, weight, _ = case
    profile = profile_of(table, weight)
    merged, mass = profile.merged, defaultdict(int)
    for row, w in zip(table, weight.tolist(), strict=True):
        if row.any():
            mass[tuple(np.flatnonzero(row).tolist())] += w
    rows = [merged.item[a:b].tolist() for a, b in zip(merged.ptr, merged.ptr[1:], strict=False)]
    got = {tuple(row): int(w) for row, w in zip(rows, merged.weight, strict=True)}
    assert got == dict(mass)
    assert merged.n == profile.n == weight.sum()
    for i, at in enumerate(merged.origin.tolist()):
        ballot = np.flatnonzero(table[i]).tolist()
        assert (rows[at] if at >= 0 else []) == ballot


@given(profiles())
def test_coverage_greedy(case):
    table, weight, rng = case
    profile, m = profile_of(table, weight), table.shape[1]
    allowed, rank = rng.random(m) < 0.8, rng.permutation(m).astype(np.int64)
    t, room = int(rng.integers(1, weight.sum() + 1)), int(rng.integers(0, m + 1))
    state = (np.zeros(len(table), bool), profile.sup.copy())
    picks, done = kernels.coverage_greedy(*profile.arrays, *state, allowed, rank, t, room)
    want = []
    while (left := gains(table, weight, want)).max() >= t and len(want) < room:
        able = [c for c in range(m) if allowed[c] and left[c] > 0]
        if not able:
            break
        want.append(max(able, key=lambda c: (left[c], -rank[c])))
    assert picks.tolist() == want
    assert done == (gains(table, weight, want).max() < t)


@given(profiles())
def test_reserve_pass_takes_what_can_be_completed(case):
    table, weight, rng = case
    profile, m = profile_of(table, weight), table.shape[1]
    allowed = rng.random(m) < rng.choice([0.7, 1.0])
    order, rank = rng.permutation(m).astype(np.int64), rng.permutation(m).astype(np.int64)
    k = int(rng.integers(1, m + 1))
    t = -(-int(weight.sum()) // k)

    def completes(start):
        taken = list(start)
        while (left := gains(table, weight, taken)).max() >= t:
            able = [c for c in range(m) if allowed[c] and left[c] > 0]
            if not able or len(taken) == k:
                return False
            taken.append(max(able, key=lambda c: (left[c], -rank[c])))
        return True

    want = []
    for c in order.tolist():
        if allowed[c] and len(want) < k and completes([*want, c]):
            want.append(c)
    covered, gain, taken = np.zeros(len(table), bool), profile.sup.copy(), np.zeros(m, bool)
    state = np.array([weight.sum(), 0, allowed.all()], np.int64)
    at = 0
    while at < m and state[1] < k:
        at = kernels_reserve.reserve_pass(
            *profile.arrays, order, at, 1, allowed, rank, t, k, covered, gain, taken, state
        )
    assert sorted(want) == np.flatnonzero(taken).tolist()


@given(profiles(users=30))
def test_levels_greedy_ends_in_ejr_plus(case):
    table, weight, rng = case
    profile, m = profile_of(table, weight), table.shape[1]
    k = int(rng.integers(1, m + 1))
    n = int(weight.sum())
    due = np.array([0, *(-(-level * n // k) for level in range(1, k + 1))])
    everything, rank = np.ones(m, bool), np.arange(m)
    count, taken = np.zeros(len(table), np.int64), np.zeros(m, bool)
    picks, done = kernels_reserve.levels_greedy(
        *profile.arrays, due, count, taken, everything, rank, k
    )
    assert done  # at most k picks: Brill and Peters
    level, group = profile.worst_levels(picks, k)
    assert (group < due[level]).all()
    assert np.array_equal(count, table[:, picks].sum(axis=1))


def exchanges(table, weight, t, score, fixed, selected, allowed):
    """Return the best gain of a feasible exchange of one comment."""
    best = 0
    for old in selected:
        for new in set(allowed) - set(selected):
            if not fixed[old]:
                after = [new if c == old else c for c in selected]
                if gains(table, weight, after).max() < t:
                    best = max(best, score[new] - score[old])
    return best


@given(profiles(comments=8))
def test_swaps_keep_representation_and_gain(case):
    table, weight, rng = case
    profile, m = profile_of(table, weight), table.shape[1]
    k = int(rng.integers(1, m + 1))
    selected = rng.permutation(m)[:k].astype(np.int64)
    t = int(gains(table, weight, selected).max()) + 1
    score = rng.integers(-5, 20, m).astype(np.int64)
    fixed = np.zeros(m, np.int64)
    fixed[selected[: int(rng.integers(0, 2))]] = 1
    order = np.argsort(-score, kind="stable").astype(np.int64)
    bits, worth = profile.bits
    large = np.flatnonzero(profile.sup >= t)
    view = (bits, worth, large, t, order, score)
    want = exchanges(table, weight, t, score, fixed, selected.tolist(), range(m))
    before = score[selected].sum()
    _exchange_one(view, fixed, selected, Run())
    assert want == score[selected].sum() - before
    at = 0
    while 0 <= at < k * k:
        before = score[selected].sum()
        at = kernels_swap.swap_two(*view, fixed, selected, at, 1)
        assert (score[selected].sum() > before) == (at < 0)
    assert len(set(selected.tolist())) == k
    assert gains(table, weight, selected).max() < t
    assert fixed[selected].sum() == fixed.sum()


def test_out_of_range_reads_are_caught_under_bounds_checking():
    import numba

    if not numba.config.BOUNDSCHECK:
        pytest.skip("runs in the step that compiles with bounds checking")
    one = np.array([0, 1], np.int64)
    with pytest.raises(IndexError):
        kernels.overlap(one, np.array([7], np.int32), one, np.array([0]), 1)


@given(profiles(users=25, comments=8))
def test_smallest_justifying_sets(case):
    table, weight, rng = case
    profile, m = profile_of(table, weight), table.shape[1]
    t = int(rng.integers(1, weight.sum() + 1))
    bits, worth = profile.bits
    large = np.flatnonzero(profile.sup >= t)
    able = [
        size
        for size in range(m + 1)
        if any(gains(table, weight, s).max() < t for s in map(list, combinations(range(m), size)))
    ]
    for size in range(m + 1):
        members = np.zeros(size + 1, np.int64)
        found = kernels_justify.justifying_set(bits, worth, large, t, size, 10**9, members)
        assert (found >= 0) == (size >= min(able))
        if found >= 0:
            assert gains(table, weight, members[:found]).max() < t
    if large.size:
        assert kernels_justify.justifying_set(bits, worth, large, t, m, 0, members) == -2
