"""Audits against enumeration: every axiom, with witnesses that stand up; prices; utilities."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.errors import UsageError
from fairopt.run import Run
from fairopt_solvers.jr_ranking import audits
from fairopt_solvers.jr_ranking.utilities import utility_level
from jr_ranking import brute

AXIOMS = ("jr", "ejr+", "pjr+", "ejr", "pjr", "fjr", "core")


@st.composite
def selections(draw):
    content = draw(brute.contents(fixed=False))
    shown = draw(st.permutations(range(content["comments"])))[: content["k"]]
    return content, tuple(shown)


def wanting(plain, axiom, found, shown):
    """Whether a witness is a group that deserves its level and has less."""
    shown, mine = frozenset(shown), [plain.ballots[i] for i in found.members.tolist()]
    if not plain.deserves(found.members.tolist(), found.level):
        return False
    common = set(found.comments)
    reach = len(frozenset().union(*mine) & shown)
    least = [len(a & shown) for a in mine]
    if axiom in ("jr", "ejr+"):
        return all(common <= a for a in mine) and not common & shown and max(least) < found.level
    if axiom == "pjr+":
        return all(common <= a for a in mine) and not common & shown and reach < found.level
    if axiom in ("ejr", "pjr"):
        agree = all(common <= a for a in mine) and len(common) == found.level
        return agree and (reach if axiom == "pjr" else max(least)) < found.level
    gains = [len(a & common) - have for a, have in zip(mine, least, strict=True)]
    if axiom == "core":
        return len(common) == found.level and min(gains) > 0
    return len(common) == found.level and min(len(a & common) for a in mine) > max(least)


@pytest.mark.parametrize("axiom", AXIOMS)
def test_audits_equal_enumeration(axiom):
    @given(selections())
    def holds(case):
        content, shown = case
        problem, plain = fairopt.load(content), brute.Plain(content)
        found = audits.audit(problem, shown, axiom, Run())
        assert found.holds == plain.keeps(axiom, shown)
        if found.holds:
            assert found.witness is None
        else:
            assert wanting(plain, axiom, found, shown)
            assert found.witness["level"] == found.level

    holds()


@given(selections())
def test_stronger_axioms_imply_weaker_ones(case):
    content, shown = case
    problem = fairopt.load(content)
    kept = {a: audits.audit(problem, shown, a, Run()).holds for a in (*AXIOMS, "priceable")}
    for strong, weak in (
        ("ejr+", "ejr"), ("ejr", "pjr"), ("pjr", "jr"), ("ejr+", "pjr+"), ("pjr+", "pjr"),
        ("core", "fjr"), ("fjr", "ejr"),
    ):  # fmt: skip
        assert kept[weak] or not kept[strong], (strong, weak)


def test_prices_of_a_worked_profile():
    """Equal shares and Phragmen select 0, 1, 2 in E2: priceable; 3, 4, 5 leave too much money."""
    content = {
        "problem": "jr-ranking", "comments": 6, "k": 3,
        "approvals": [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3], [4], [5]],
    }  # fmt: skip
    problem = fairopt.load(content)
    assert audits.audit(problem, (0, 1, 2), "priceable", Run()).holds
    assert not audits.audit(problem, (3, 4, 5), "priceable", Run()).holds
    few = fairopt.load({**content, "approvals": [[0], [0], [1]]})
    found = audits.audit(few, (0, 1, 2), "priceable", Run())
    assert found.holds
    assert "approved" in found.note
    assert not audits.audit(few, (0, 2, 3), "priceable", Run()).holds


@given(selections())
def test_priceable_sets_keep_pjr_when_all_places_can_be_paid(case):
    """A price system of budget B and k paid comments implies PJR (Peters, Skowron 2020)."""
    content, shown = case
    problem, plain = fairopt.load({**content, "quota": "hare"}), brute.Plain(content)
    content = {**content, "quota": "hare"}
    plain = brute.Plain(content)
    approved = sum(bool(plain.fans(c)) for c in range(plain.m))
    if approved >= problem.k and audits.audit(problem, shown, "priceable", Run()).holds:
        assert plain.keeps("pjr", shown)


def slow_prices(plain, shown):
    """Whether prices exist: one payment for each single user and selected comment, by SciPy."""
    from scipy.optimize import linprog

    ballots = [a for a, w in zip(plain.ballots, plain.weights, strict=True) for _ in range(w)]
    size = len(shown)
    width = 1 + len(ballots) * size
    upper, limits, equal = [], [], np.zeros((size, width))
    bounds = [(0, None)] + [(0, None if c in a else 0) for a in ballots for c in shown]
    for i in range(len(ballots)):
        row = np.zeros(width)
        row[0], row[1 + i * size : 1 + (i + 1) * size] = -1, 1
        upper.append(row)
        limits.append(0)
    for j in range(size):
        equal[j, 1 + j :: size] = 1
    for c in set(range(plain.m)) - set(shown):
        fans = [i for i, a in enumerate(ballots) if c in a]
        upper.append(-sum((upper[i] for i in fans), np.zeros(width)))
        limits.append(1)
    found = linprog(np.zeros(width), upper, limits, equal, np.ones(size), bounds)
    return found.status == 0


@given(selections())
def test_prices_equal_a_program_over_single_users(case):
    content, shown = case
    plain = brute.Plain(content)
    approved = {c for c in range(plain.m) if plain.fans(c)}
    want = slow_prices(plain, shown) if len(approved) >= plain.k else approved <= set(shown)
    assert audits.audit(fairopt.load(content), shown, "priceable", Run()).holds == want


def test_no_time_leaves_hard_axioms_open():
    content = {
        "problem": "jr-ranking", "comments": 6, "k": 3,
        "approvals": [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3], [4], [5]],
    }  # fmt: skip
    run = Run()
    run.interrupt()
    problem = fairopt.load(content)
    assert audits.audit(problem, (3, 4, 5), "ejr", run).holds is None
    assert audits.audit(problem, (3, 4, 5), "ejr+", run).holds is False


def test_unknown_axioms_are_named():
    problem = fairopt.load({"problem": "jr-ranking", "comments": 1, "k": 1, "approvals": [[0]]})
    with pytest.raises(UsageError, match="no audit of 'envy'"):
        audits.audit(problem, (0,), "envy", Run())
    with pytest.raises(UsageError, match="needs an instance with utilities"):
        audits.audit(problem, (0,), "utility-jr", Run())


# -- utilities -----------------------------------------------------------------------------


def slow_level(table, weights, shown, seats):
    """Return the largest share by trying every comment and threshold."""
    best = 0
    for c in range(table.shape[1]):
        for theta in {*table[:, c].tolist()}:
            has = [max((row[d] for d in shown), default=-np.inf) for row in table]
            group = [i for i in range(len(table)) if table[i, c] >= theta > has[i]]
            best = max(best, sum(int(weights[i]) for i in group))
    return Fraction(seats * best, int(weights.sum()))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["hare", "droop"]), st.booleans())
def test_general_utilities_equal_enumeration(seed, quota, approvals):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    table = rng.integers(0, 2 if approvals else 5, (n, m))
    weights = rng.integers(1, 4, n)
    k = int(rng.integers(1, m + 1))
    shown = rng.permutation(m)[: int(rng.integers(0, k + 1))].tolist()
    seats = k + (quota == "droop")
    level, comment, members = utility_level(table, weights, shown, k, quota)
    assert level == slow_level(table, weights, shown, seats)
    if comment >= 0:
        assert level == Fraction(seats * int(weights[members].sum()), int(weights.sum()))


def test_zero_one_utilities_give_the_jr_level():
    rows = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    content = {"problem": "jr-ranking", "comments": 3, "k": 2, "utilities": rows, "threshold": 1}
    problem = fairopt.load(content)
    found = audits.audit(problem, (1, 2), "utility-jr", Run())
    assert found.holds is False
    assert found.note == "level 1"
    assert found.witness == {"comments": [0], "level": 1, "users": [0, 1]}
    assert audits.audit(problem, (0, 1), "utility-jr", Run()).holds
