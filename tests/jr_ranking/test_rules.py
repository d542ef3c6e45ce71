"""Voting rules: against their definitions in plain fractions, along every way to break ties."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.problems.jr_ranking import JrRanking
from fairopt.run import Run
from fairopt_solvers.jr_ranking.outcomes import all_outcomes, by_phragmen, resolute
from fairopt_solvers.jr_ranking.profile import Profile
from fairopt_solvers.jr_ranking.rules import (
    EqualShares,
    ExpandingApprovals,
    Phragmen,
    Rule,
    SeqPav,
)

Ballots = list[frozenset[int]]
Best = Callable[[tuple[int, ...]], list[int]]


@st.composite
def elections(draw: st.DrawFn) -> tuple[Ballots, list[int], int, int]:
    """Ballots (some empty), weights, comments, and how many to select."""
    m = draw(st.integers(2, 6))
    ballot = st.frozensets(st.integers(0, m - 1), max_size=m)
    ballots = draw(st.lists(ballot, min_size=1, max_size=7))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(ballots), max_size=len(ballots)))
    return ballots, weights, m, draw(st.integers(1, min(m, 4)))


def profile_of(ballots: Ballots, weights: list[int], m: int) -> Profile:
    data = {
        "problem": "jr-ranking", "comments": m, "k": 1, "weights": weights,
        "approvals": [sorted(b) for b in ballots],
    }  # fmt: skip
    return Profile.of(JrRanking.from_json(data))


def explore(best: Best, k: int) -> set[frozenset[int]]:
    """Follow every tie of a rule that is given as a function of what was selected, in order."""
    found, ways = set(), [()]
    while ways:
        chosen: tuple[int, ...] = ways.pop()
        ties = best(chosen) if len(chosen) < k else []
        if not ties:
            found.add(frozenset(chosen))
        ways += [(*chosen, c) for c in ties]
    return found


def seqpav_by_definition(ballots: Ballots, weights: list[int], m: int, k: int) -> Best:
    def score(chosen: tuple[int, ...]) -> Fraction:
        parts = zip(ballots, weights, strict=True)
        return sum(
            (Fraction(w, place) for b, w in parts for place in range(1, len(b & set(chosen)) + 1)),
            Fraction(0),
        )

    def best(chosen: tuple[int, ...]) -> list[int]:
        scores = {c: score((*chosen, c)) for c in range(m) if c not in chosen}
        return [c for c in scores if scores[c] == max(scores.values())]

    return best


def phragmen_by_definition(
    ballots: Ballots, weights: list[int], m: int, k: int, start: list[Fraction] | None = None,
    before: int = 0,
) -> Best:  # fmt: skip
    def best(chosen: tuple[int, ...]) -> list[int]:
        load = [Fraction(0)] * len(ballots) if start is None else list(start)
        for c in chosen[before:]:
            who = [i for i, b in enumerate(ballots) if c in b]
            if who:
                equal = (1 + sum(weights[i] * load[i] for i in who)) / Fraction(
                    sum(weights[i] for i in who)
                )
                for i in who:
                    load[i] = equal
        new = {}
        for c in range(m):
            who = [i for i, b in enumerate(ballots) if c in b]
            if c not in chosen and who:
                mass = sum(weights[i] for i in who)
                new[c] = (1 + sum(weights[i] * load[i] for i in who)) / Fraction(mass)
        if not new:
            return [c for c in range(m) if c not in chosen]
        return [c for c in new if new[c] == min(new.values())]

    return best


def budgets_by_definition(
    ballots: Ballots, weights: list[int], chosen: tuple[int, ...], start: Fraction
) -> list[Fraction]:
    money = [start] * len(ballots)
    for c in chosen:
        rho = rho_of(ballots, weights, money, c)
        assert rho is not None
        money = [b - min(b, rho) if c in a else b for a, b in zip(ballots, money, strict=True)]
    return money


def rho_of(ballots: Ballots, weights: list[int], money: list[Fraction], c: int) -> Fraction | None:
    """Try every budget as the point from which users no longer pay all they have."""
    who = [i for i, b in enumerate(ballots) if c in b]
    if sum(weights[i] * money[i] for i in who) < 1:
        return None
    found = []
    for limit in {money[i] for i in who} | {Fraction(10**6)}:
        poor = [i for i in who if money[i] < limit]
        rich = [i for i in who if money[i] >= limit]
        if rich:
            rho = (1 - sum(weights[i] * money[i] for i in poor)) / Fraction(
                sum(weights[i] for i in rich)
            )
            if sum(weights[i] * min(money[i], rho) for i in who) == 1:
                found.append(rho)
    return min(found)


def equal_shares_by_definition(ballots: Ballots, weights: list[int], m: int, k: int) -> Best:
    start = Fraction(k, sum(weights))

    def best(chosen: tuple[int, ...]) -> list[int]:
        money = budgets_by_definition(ballots, weights, chosen, start)
        every = {c: rho_of(ballots, weights, money, c) for c in range(m) if c not in chosen}
        paid = {c: rho for c, rho in every.items() if rho is not None}
        return [c for c in paid if paid[c] == min(paid.values())]

    return best


def expanding_by_definition(ballots: Ballots, weights: list[int], m: int, k: int) -> Best:
    quota = Fraction(sum(weights), k)

    def best(chosen: tuple[int, ...]) -> list[int]:
        money = [Fraction(1)] * len(ballots)

        def total(c: int) -> Fraction:
            return sum(
                (w * b for a, w, b in zip(ballots, weights, money, strict=True) if c in a),
                Fraction(0),
            )

        for c in chosen:
            keep = 1 - quota / total(c)
            money = [b * keep if c in a else b for a, b in zip(ballots, money, strict=True)]
        rich = {c: total(c) for c in range(m) if c not in chosen and total(c) >= quota}
        return [c for c in rich if rich[c] == max(rich.values())]

    return best


def made(name: str, profile: Profile, k: int) -> Rule:
    if name == "expanding-approvals":
        return ExpandingApprovals(profile, k, quota=Fraction(profile.n, k))
    return {"seqpav": SeqPav, "phragmen": Phragmen, "equal-shares": EqualShares}[name](profile, k)


DEFINITIONS = {
    "seqpav": seqpav_by_definition,
    "phragmen": phragmen_by_definition,
    "equal-shares": equal_shares_by_definition,
    "expanding-approvals": expanding_by_definition,
}


@pytest.mark.parametrize("name", list(DEFINITIONS))
@given(election=elections())
def test_rules_follow_their_definition_along_every_tie(
    name: str, election: tuple[Ballots, list[int], int, int]
) -> None:
    ballots, weights, m, k = election
    rule = made(name, profile_of(ballots, weights, m), k)
    expected = explore(DEFINITIONS[name](ballots, weights, m, k), k)
    assert all_outcomes(rule.copy()) == expected
    found = resolute(rule, Run())
    assert frozenset(found.selected) in expected
    assert found.ties or len(expected) == 1


def test_a_tie_before_an_early_end_is_a_choice() -> None:
    profile = profile_of([frozenset(), frozenset([0, 1])], [1, 1], 2)  # one of two can be paid
    assert resolute(EqualShares(profile, 2), Run()).ties
    assert not resolute(EqualShares(profile, 2), Run(), by_phragmen).ties


@given(election=elections())
def test_unspent_money_is_a_head_start(election: tuple[Ballots, list[int], int, int]) -> None:
    ballots, weights, m, k = election
    profile = profile_of(ballots, weights, m)
    first = resolute(EqualShares(profile, k), Run()).selected
    found = resolute(EqualShares(profile, k), Run(), by_phragmen).selected
    assert len(found) == k
    assert found[: len(first)] == first
    money = budgets_by_definition(ballots, weights, tuple(first), Fraction(k, profile.n))
    best = phragmen_by_definition(ballots, weights, m, k, [-b for b in money], len(first))
    for place in range(len(first), k):
        assert found[place] == best(tuple(found[:place]))[0]


@pytest.mark.parametrize(
    ("method", "selected"),
    [("seqpav", {1, 2, 4, 5, 8}), ("phragmen", {1, 2, 4, 5, 8}), ("equal-shares", {1, 2, 4, 5, 8}),
     ("av", {1, 2, 4, 5, 8})],
)  # fmt: skip
def test_worked_example(method: str, selected: set[int]) -> None:
    problem = fairopt.load("instances/jr_ranking/e3.json")
    assert set(fairopt.solve(problem, method).answer.selected) == selected


def pav_score(problem: JrRanking, selected: tuple[int, ...]) -> Fraction:
    answer = fairopt.problems.jr_ranking.Feed(selected)
    return Fraction(problem.check(answer, figures="all").figures["pav_score"])


@pytest.mark.parametrize("backend", ["highs", "cp-sat", "cbc"])
@given(election=elections())
def test_pav_and_coverage_equal_enumeration(
    backend: str, election: tuple[Ballots, list[int], int, int]
) -> None:
    from itertools import combinations

    ballots, weights, m, k = election
    data = {
        "problem": "jr-ranking", "comments": m, "k": k, "weights": weights,
        "approvals": [sorted(b) for b in ballots],
    }  # fmt: skip
    problem = JrRanking.from_json(data)
    sets = list(combinations(range(m), k))
    best = max(pav_score(problem, s) for s in sets)
    found = fairopt.solve(problem, "pav", backend=backend).answer
    assert pav_score(problem, found.selected) == best
    local = fairopt.solve(problem, "pav-local-search").answer
    assert pav_score(problem, local.selected) > best - Fraction(problem.n)
    covered = max(sum(w for b, w in zip(ballots, weights, strict=True) if b & set(s)) for s in sets)
    found = fairopt.solve(problem, "cc", backend=backend).answer
    assert problem.check(found).figures["coverage"] == covered


@pytest.mark.parametrize(
    ("method", "ballots"),
    [("cc", [[1], [], [0, 2], [2], [0, 2]]), ("pav", [[1], [2], [0, 1], [0, 2]])],
)
def test_best_coverage_and_pav_score_give_way_to_no_better_score(
    method: str, ballots: list[list[int]]
) -> None:  # sequential PAV, where both start from, takes comment 0
    problem = JrRanking.from_ballots(ballots, n_comments=3, k=2, scores=[9, 0, 0])
    solution = fairopt.solve(problem, method)
    assert set(solution.answer.selected) == {1, 2}


@given(election=elections())
def test_pav_local_search_ends_where_no_swap_gains_enough(
    election: tuple[Ballots, list[int], int, int],
) -> None:
    ballots, weights, m, k = election
    data = {
        "problem": "jr-ranking", "comments": m, "k": k, "weights": weights,
        "approvals": [sorted(b) for b in ballots], "axiom": "ejr",
    }  # fmt: skip
    problem = JrRanking.from_json(data)
    solution = fairopt.solve(problem, "pav-local-search")
    chosen = solution.answer.selected
    base = pav_score(problem, chosen)
    for out in chosen:
        for into in set(range(m)) - set(chosen):
            swapped = (*(c for c in chosen if c != out), into)
            assert pav_score(problem, swapped) - base < Fraction(problem.n, k * k)
    assert not any(note.code == "relaxes" for note in solution.notes)  # EJR holds


@pytest.mark.parametrize("method", ["seqpav", "phragmen", "equal-shares", "pav", "cc", "av"])
def test_forced_and_forbidden_comments(method: str) -> None:
    data = {
        "problem": "jr-ranking", "comments": 4, "k": 2, "forced": [3], "forbidden": [0],
        "approvals": [[0, 1], [0], [0, 2], [1]], "axiom": "none",
    }  # fmt: skip
    solution = fairopt.solve(JrRanking.from_json(data), method)
    assert set(solution.answer.selected) == {1, 3}


@pytest.mark.parametrize("completion", ["phragmen", "score", "budget"])
def test_completions_fill_all_places(completion: str) -> None:
    problem = fairopt.load("instances/jr_ranking/e4.json")
    solution = fairopt.solve(problem, "equal-shares", completion=completion)
    assert len(set(solution.answer.selected)) == problem.k


def test_kernels_and_definitions_agree_on_a_larger_profile() -> None:
    rng = np.random.default_rng(3)
    ballots = [frozenset(np.flatnonzero(rng.random(30) < 0.2).tolist()) for _ in range(200)]
    weights = rng.integers(1, 4, 200).tolist()
    profile = profile_of(ballots, weights, 30)
    for name, definition in DEFINITIONS.items():
        best = definition(ballots, weights, 30, 8)
        chosen: tuple[int, ...] = ()
        while len(chosen) < 8 and (ties := best(chosen)):
            chosen += (ties[0],)
        assert tuple(resolute(made(name, profile, 8), Run()).selected) == chosen, name
