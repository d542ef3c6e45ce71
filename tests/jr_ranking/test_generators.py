"""Generators: seeded, of the sizes asked for, and of the laws they name."""

import itertools
from collections import Counter

import numpy as np
import pytest

import fairopt
from fairopt.errors import UsageError

NAMES = ("ic", "euclidean", "resampling", "clusters", "mallows")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scores", ["approvals", "uniform", "anti-correlated"])
def test_same_seed_same_instance(name, scores):
    asked = {"users": 40, "comments": 9, "shown": 3, "scores": scores}
    one, two, other = (fairopt.generate("jr-ranking", name, seed=s, **asked) for s in (4, 4, 5))
    assert one.digest() == two.digest() != other.digest()
    assert (one.n, one.n_comments, one.k) == (40, 9, 3)
    assert one.name.startswith(name)
    if scores == "anti-correlated":
        low, high = np.argmin(one.sup), np.argmax(one.sup)
        assert one.scores[int(low)] >= one.scores[int(high)]


def table(name, **parameters):
    problem = fairopt.generate("jr-ranking", name, **parameters)
    out = np.zeros((problem.n_users, problem.n_comments), bool)
    out[np.repeat(np.arange(problem.n_users), np.diff(problem.indptr)), problem.indices] = True
    return out


def test_laws():
    assert table("ic", users=4000, comments=20, chance=0.3).mean() == pytest.approx(0.3, abs=0.01)
    same = table("resampling", users=50, comments=20, noise=0.0, chance=0.25)
    assert (same == same[0]).all()
    assert same[0].sum() == 5
    noisy = table("resampling", users=4000, comments=20, noise=0.5, chance=0.25).mean(axis=0)
    assert sorted(noisy) == pytest.approx([0.125] * 15 + [0.625] * 5, abs=0.04)
    parts = table("clusters", users=60, comments=30, groups=3, high=1.0, low=0.0, liked=0.5)
    assert len(np.unique(parts, axis=0)) == 3
    assert table("euclidean", users=20, comments=10, radius=2.0).all()
    assert not table("euclidean", users=20, comments=10, radius=0.0).any()


def test_mallows_without_dispersion_keeps_the_central_orders():
    kept = table("mallows", users=50, comments=12, groups=3, dispersion=0.0, approve=4)
    assert (kept.sum(axis=1) == 4).all()
    assert len(np.unique(kept, axis=0)) == 3


def test_mallows_follows_the_law():
    """With one centre the chance of an order is proportional to dispersion to its inversions."""
    phi, users = 0.5, 40_000
    kept = table("mallows", users=users, comments=3, groups=1, dispersion=phi, approve=1, shown=1)
    first = Counter(np.argmax(kept, axis=1).tolist())
    chance = [0.0] * 3
    for order in itertools.permutations(range(3)):
        inversions = sum(a > b for a, b in itertools.combinations(order, 2))
        chance[order[0]] += phi**inversions
    expected = sorted((c / sum(chance) for c in chance), reverse=True)
    seen = sorted((first[c] / users for c in range(3)), reverse=True)
    assert seen == pytest.approx(expected, abs=0.01)
    even = table("mallows", users=users, comments=5, groups=1, dispersion=1.0, approve=2)
    assert even.mean(axis=0) == pytest.approx([0.4] * 5, abs=0.01)


def test_price_tight():
    problem = fairopt.generate("jr-ranking", "price-tight", root=4)
    assert (problem.n, problem.n_comments, problem.k) == (16, 28, 16)
    assert sorted(problem.sup.tolist()) == [1] * 12 + [4] * 16


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("ic", {"chance": 1.5}, "chance: expected 0 to 1, got 1.5"),
        ("ic", {"shown": 31}, "shown: expected 1 to 30, got 31"),
        ("ic", {"users": 0}, "users: expected 1"),
        ("mallows", {"approve": 31}, "approve: expected 0 to 30"),
        ("clusters", {"groups": 0}, "groups: expected 1"),
        ("price-tight", {"root": 0}, "root: expected 1"),
        ("urn", {}, "no generator 'urn'"),
    ],
)
def test_bad_parameter(name, parameters, message):
    with pytest.raises(UsageError) as caught:
        fairopt.generate("jr-ranking", name, **parameters)
    assert message in str(caught.value)
