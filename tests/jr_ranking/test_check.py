"""The court against the words of the definitions, on random small instances."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fairopt
from fairopt.problems.jr_ranking import Feed, JrRanking, axioms, cohesive, counting
from fairopt.problems.jr_ranking.axioms import View
from fairopt.problems.jr_ranking.flow import best_closure
from fairopt.problems.jr_ranking.values import top_value
from fairopt.solution import Claim
from jr_ranking import brute

AXIOMS = ("jr", "pjr+", "ejr+", "pjr", "ejr")


@st.composite
def feeds(draw, contents):
    content = draw(contents)
    order = draw(st.permutations(range(content["comments"])))
    return content, tuple(order[: content["k"]])


@given(feeds(brute.contents()))
def test_axioms_and_fixed_comments(case):
    content, shown = case
    plain = brute.Plain(content)
    for axiom in ("none", *AXIOMS):
        problem = JrRanking.from_json({**content, "axiom": axiom})
        rules = {v.rule for v in problem.check(Feed(shown)).violations}
        assert ("axiom" in rules) is not plain.keeps(axiom, shown)
        assert ("forced" in rules) is not (set(plain.forced) <= set(shown))
        assert ("forbidden" in rules) is bool(set(plain.forbidden) & set(shown))


@given(feeds(brute.contents(fixed=False)))
def test_witnesses_go_without(case):
    content, shown = case
    plain = brute.Plain(content)
    view = View.of(JrRanking.from_json(content), shown)
    for axiom in AXIOMS:
        verdict = axioms.decide(view, axiom)
        if verdict.holds:
            assert verdict.witness is None
            continue
        found = verdict.witness
        mine = [plain.ballots[i] for i in found.users]
        assert plain.deserves(found.users, found.level)
        heavy = plain.weight(found.users)
        assert found.excess == heavy - view.due(found.level) + 1 >= 1
        if axiom in ("ejr", "pjr"):
            assert len(found.comments) == found.level or not plain.jr(shown)
        assert all(ballot >= set(found.comments) for ballot in mine)
        if axiom in ("pjr", "pjr+"):
            assert len(frozenset().union(*mine) & set(shown)) < found.level
        else:
            assert all(len(ballot & set(shown)) < found.level for ballot in mine)


@given(feeds(brute.contents(fixed=False)))
def test_figures(case):
    content, shown = case
    plain, chosen = brute.Plain(content), frozenset(shown)
    problem = JrRanking.from_json(content)
    check = problem.check(Feed(shown), figures="all")
    seen, factor = check.figures, plain.k + plain.droop
    groups = {
        (c, level): [i for i in plain.fans(c) if len(plain.ballots[i] & chosen) < level]
        for c in range(plain.m)
        for level in range(1, plain.k + 1)
    }
    shares = {g: Fraction(factor * plain.weight(u), g[1] * plain.n) for g, u in groups.items()}
    ones = [shares[c, 1] for c in range(plain.m)]
    assert seen["jr_level"] == max(ones)
    outside = {g: s for g, s in shares.items() if g[0] not in chosen}
    assert seen["ejr_plus_level"] == max(outside.values(), default=0)
    if not seen["ejr_plus_level"]:
        assert seen["witness"] is None
    else:
        first = min(g for g, s in outside.items() if s == seen["ejr_plus_level"])
        assert seen["witness"] == {
            "comment": first[0],
            "level": first[1],
            "weight": plain.weight(groups[first]),
            "users": groups[first],
        }
    has = [len(a & chosen) for a in plain.ballots]
    pairs = list(zip(plain.weights, has, strict=True))
    assert seen["coverage"] == sum(w for w, h in pairs if h)
    assert seen["pav_score"] == sum(
        (w * Fraction(1, j) for w, h in pairs for j in range(1, h + 1)), Fraction(0)
    )
    assert seen["av_score"] == sum(w * h for w, h in pairs)
    assert seen["min_satisfaction"] == min(has)
    assert seen["mean_satisfaction"] == Fraction(sum(w * h for w, h in pairs), plain.n)
    top = plain.best("none")
    assert check.value == plain.score(shown)
    assert seen["additive_gap"] == top - check.value
    assert seen["price"] == (top / check.value if min(top, check.value) > 0 else None)
    same = {plain.scores[c] for c in chosen}
    assert seen["ties"] is any(plain.scores[c] in same for c in set(range(plain.m)) - chosen)
    assert seen["prefix_levels"] is None
    if problem.quota == "hare":
        assert plain.jr(shown) is (seen["jr_level"] < 1)
        assert plain.ejr_plus(chosen) is (seen["ejr_plus_level"] < 1)
    else:
        assert plain.jr(shown) is (seen["jr_level"] <= 1)
        assert plain.ejr_plus(chosen) is (seen["ejr_plus_level"] <= 1)


@given(feeds(brute.rankings()))
def test_rankings(case):
    content, shown = case
    plain = brute.Plain(content)
    problem = JrRanking.from_json(content)
    check = problem.check(Feed(shown))
    broken = [r for r in problem.prefixes if not plain.jr(shown[:r], r)]
    assert len([v for v in check.violations if v.rule == "axiom"]) == len(broken)
    pairs = zip(plain.position_weights(), shown, strict=True)
    value = sum((w * plain.scores[c] for w, c in pairs), Fraction(0))
    assert check.value == (float(value) if problem.position_weights == "dcg" else value)
    for r, level in enumerate(check.figures["prefix_levels"], 1):
        alone = [
            plain.weight([i for i in plain.fans(c) if not plain.ballots[i] & set(shown[:r])])
            for c in range(plain.m)
        ]
        assert level == Fraction((r + plain.droop) * max(alone), plain.n)
    best = brute.Plain({**content, "axiom": "none"}).best_ranking()
    assert top_value(problem) == (float(best) if problem.objective.kind == "float" else best)


@given(feeds(brute.contents(fixed=False)), st.integers(0, 2**32))
def test_order_of_users_and_comments_does_not_count(case, seed):
    content, shown = case
    problem = JrRanking.from_json(content)
    rng = np.random.default_rng(seed)
    moved = problem.reordered(rng)
    rng = np.random.default_rng(seed)
    rng.permutation(problem.n_users)
    place = np.argsort(rng.permutation(problem.n_comments))
    one, two = problem.check(Feed(shown)), moved.check(Feed(place[list(shown)]))
    assert one.value == two.value
    for name, figure in one.figures.items():
        if name != "witness":
            assert two.figures[name] == figure, name


@given(brute.contents())
def test_round_trip_through_the_file(content):
    problem = JrRanking.from_json(content)
    assert JrRanking.from_json(problem.to_json()).digest() == problem.digest()


@given(feeds(brute.contents(fixed=False)))
def test_blocks_of_comments_give_the_same_groups(case):
    content, shown = case
    view = View.of(JrRanking.from_json(content), shown)
    whole = axioms.levels(view), axioms.ejr_plus_failures(view)
    size, counting._BLOCK = counting._BLOCK, 1
    try:
        assert (axioms.levels(view), axioms.ejr_plus_failures(view)) == whole
    finally:
        counting._BLOCK = size


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.frozensets(st.integers(0, 4), max_size=4)), max_size=6
    ),
    st.integers(1, 9),
)
def test_closure_equals_enumeration(groups, price):
    gains, needs = [g for g, _ in groups], [n for _, n in groups]

    def worth(chosen):
        used = frozenset().union(*(n for n, c in zip(needs, chosen, strict=True) if c))
        return sum(g for g, c in zip(gains, chosen, strict=True) if c) - price * len(used)

    value, chosen = best_closure(gains, needs, price)
    every = ([(j >> b) & 1 for b in range(len(groups))] for j in range(2 ** len(groups)))
    assert value == max(map(worth, every))
    assert worth(chosen) == value


def test_misfits():
    problem = JrRanking.from_ballots([[0], [1]], n_comments=3, k=2)
    rules = lambda shown: [v.rule for v in problem.check(Feed(shown)).violations]  # noqa: E731
    assert rules((0, 3)) == ["comments"]
    assert rules((0, -1)) == ["comments"]
    assert rules((0, 0)) == ["comments"]
    assert rules((0,)) == ["size"]
    assert rules((0, 1, 2)) == ["size"]
    assert problem.check(Feed((0,))).value is None


def test_undecided_axiom_needs_a_claim_about_this_very_feed(monkeypatch):
    # {1, 2} keeps EJR but not EJR+, so that EJR has to be looked for
    ballots, shown = [[0, 1], [0, 1], [0, 2], [0, 2]], (1, 2)
    problem = JrRanking.from_ballots(ballots, n_comments=3, k=2, axiom="ejr")
    assert axioms.decide(View.of(problem, shown), "ejr") == axioms.Verdict(
        True, None, "enumeration"
    )
    assert not problem.check(Feed(shown)).violations
    monkeypatch.setattr(cohesive, "STEPS", 0)
    assert axioms.decide(View.of(problem, shown), "ejr").holds is None
    broken = problem.check(Feed(shown)).violations
    assert [v.rule for v in broken] == ["axiom"]
    assert "undecided" in broken[0].where

    def verdict(**more):
        row = {"name": "ejr", "value": True, "proof": "solver", "scope": ""}
        data = {"backend": "highs 1.16.0", "selected": list(shown)}
        claim = Claim(**{**row, "data": {**data, **more.pop("data", {})}, **more})
        return not problem.check(Feed(shown), [claim]).violations

    assert verdict()
    assert not verdict(value=False)
    assert not verdict(name="pjr")
    assert not verdict(proof="theorem")
    assert not verdict(data={"selected": [0, 1]})
    assert not verdict(data={"selected": None})


@given(feeds(brute.contents(fixed=False)))
def test_audit_says_what_the_court_says(case):
    content, shown = case
    plain = brute.Plain(content)
    found = fairopt.audit(content, shown, AXIOMS)
    kept = {axiom: plain.keeps(axiom, shown) for axiom in AXIOMS}
    assert {a: f.verdict == "holds" for a, f in found.findings.items()} == kept
    assert found.exit_code == (0 if all(kept.values()) else 1)


@given(feeds(brute.contents(fixed=False)), st.data())
def test_audit_of_a_smaller_set_is_for_the_same_k(case, data):
    content, shown = case
    assume(len(shown) > 1)
    fewer = shown[: data.draw(st.integers(1, len(shown) - 1))]
    plain = brute.Plain(content)
    found = fairopt.audit(content, fewer, AXIOMS)
    for axiom in AXIOMS:
        assert (found[axiom].verdict == "holds") is plain.keeps(axiom, fewer), axiom


def test_an_axiom_that_there_is_not():
    with pytest.raises(fairopt.UsageError, match="no axiom 'justice'"):
        fairopt.audit({"problem": "jr-ranking", "comments": 1, "k": 1, "approvals": [[0]]}, [0],
                      ["justice"])  # fmt: skip
    with pytest.raises(fairopt.UsageError, match="desk-rejection has no axioms"):
        fairopt.audit({"problem": "desk-rejection", "papers": [], "limit": 1}, [])
