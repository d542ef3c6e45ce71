"""The worked examples: optima of every axiom by enumeration with the court's own tests."""

import itertools
from fractions import Fraction

import pytest

import fairopt
from fairopt.problems.jr_ranking import Feed, JrRanking
from jr_ranking.examples import E1, E2, E3, E4, E5, E6, E8


def problem(content, **more):
    return JrRanking.from_json({"problem": "jr-ranking", **content, **more})


def figures(content, shown):
    return problem(content).check(Feed(shown), figures="all").figures


def optima(content, **more):
    """Return the best value of all lawful feeds, and which feeds have it."""
    asked = problem(content, **more)
    feeds = itertools.permutations if asked.mode == "ranking" else itertools.combinations
    lawful = []
    for shown in feeds(range(asked.n_comments), asked.k):
        check = asked.check(Feed(shown))
        if not check.violations:
            lawful.append((check.value, shown))
    best = max(value for value, _ in lawful)
    return best, [shown for value, shown in lawful if value == best]


@pytest.mark.parametrize(
    ("content", "axiom", "value", "count"),
    [
        (E1, "jr", 19, 1),
        (E2, "none", 10, 4), (E2, "jr", 10, 3), (E2, "pjr+", 7, 6), (E2, "ejr+", 7, 5),
        (E3, "none", 175, 1), (E3, "jr", 167, 1), (E3, "pjr+", 150, 1), (E3, "ejr+", 146, 1),
        (E4, "none", 8, 1), (E4, "jr", 6, 6), (E4, "pjr+", 6, 6), (E4, "ejr+", 6, 6),
        (E5, "none", 14, 1), (E5, "jr", 6, 1),
        *[(E8, axiom, 1, 1) for axiom in ("none", "jr", "pjr+", "ejr+", "pjr", "ejr")],
    ],
)  # fmt: skip
def test_optimum_and_number_of_best_feeds(content, axiom, value, count):
    best, feeds = optima(content, axiom=axiom)
    assert (best, len(feeds)) == (value, count)


def test_unique_best_feeds():
    assert optima(E3, axiom="none")[1] == [(0, 3, 5, 6, 7)]
    assert optima(E3, axiom="jr")[1] == [(0, 2, 3, 6, 7)]
    assert optima(E3, axiom="pjr+")[1] == [(0, 1, 2, 3, 7)]
    assert optima(E3, axiom="ejr+")[1] == [(1, 2, 3, 6, 7)]
    assert optima(E2, axiom="jr")[1] == [(0, 4, 5), (1, 4, 5), (2, 4, 5)]
    assert optima(E5, axiom="jr")[1] == [(0, 1, 2)]
    assert all(set(feed) >= {4, 5} for feed in optima(E4, axiom="jr")[1])


def test_figures_of_the_first_example():
    top, other = figures(E1, (0, 1)), figures(E1, (0, 2))
    assert (top["jr_level"], top["coverage"], top["pav_score"]) == (
        Fraction(2, 3), 3, Fraction(9, 2),
    )  # fmt: skip
    assert (other["jr_level"], other["coverage"], other["pav_score"]) == (Fraction(1, 3), 5, 5)


def test_sets_that_part_the_axioms():
    found = fairopt.audit(problem(E2), (2, 3, 4))
    assert [found[a].verdict for a in ("pjr+", "ejr", "ejr+")] == ["holds", "fails", "fails"]
    found = fairopt.audit(problem(E2), (0, 4, 5))
    assert [found[a].verdict for a in ("jr", "pjr", "ejr")] == ["holds", "fails", "fails"]


def test_a_feed_with_every_axiom():
    found = fairopt.audit(problem(E3), (0, 1, 2, 3, 4))
    assert found.ok
    assert found.exit_code == 0
    seen = figures(E3, (0, 1, 2, 3, 4))
    assert (seen["jr_level"], seen["coverage"], seen["pav_score"]) == (0, 15, Fraction(131, 6))


def test_a_group_of_exactly_a_quota_counts():
    top = problem(E4).check(Feed((0, 1, 2, 3)))
    assert top.figures["jr_level"] == 1
    assert [v.rule for v in top.violations] == ["axiom"]
    assert figures(E4, (0, 1, 4, 5))["price"] == Fraction(4, 3)
    assert figures(E5, (0, 1, 3))["jr_level"] == 1


def test_an_empty_ballot_counts_as_a_user():
    more = {**E5, "approvals": [*E5["approvals"], []]}
    check = problem(more).check(Feed((3, 0, 1)))
    assert not check.violations
    assert check.figures["jr_level"] == Fraction(6, 7)
    assert optima(more)[0] == 14


@pytest.mark.parametrize(
    ("prefixes", "value", "order"),
    [
        ([], 245, (1, 4, 2, 6)),
        ([4], 233, (1, 4, 2, 5)),
        ([2, 4], 200, (1, 5, 4, 2)),
        ([1, 2, 3, 4], 200, (1, 5, 4, 2)),
    ],
)
def test_rankings(prefixes, value, order):
    assert optima(E6, prefixes=prefixes) == (value, [order])


def test_price_of_the_tight_family():
    asked = fairopt.generate("jr-ranking", "price-tight", root=3)
    top = asked.check(Feed(range(9)))
    assert top.value == 27
    lawful = asked.check(Feed((0, 1, 2, *range(9, 15))))
    assert not lawful.violations
    assert lawful.value == 15
    assert lawful.figures["price"] == Fraction(27, 15)


def test_smallest_justifying_sets():
    for content, size, members in ((E1, 1, [0]), (E3, 1, [1]), (E4, 3, [0, 4, 5])):
        data = {"rule": "enumeration", "set": members}
        assert problem(content).recompute(data, "min_justifying_size") == size
    more = {**E5, "approvals": [*E5["approvals"], []]}
    data = {"rule": "enumeration", "set": []}
    assert problem(more).recompute(data, "min_justifying_size") == 0
