"""Inferred approvals: planted structure is found, noise is not, and the quality is told."""

import numpy as np
import pytest

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking import JrRanking
from fairopt.problems.jr_ranking.infer import _auc, infer_approvals
from fairopt_solvers.jr_ranking.kernels_infer import fit


def planted(seed=0, users=80, comments=40, shown=0.5):
    """Return votes of two camps, and what everybody would vote."""
    rng = np.random.default_rng(seed)
    camp = rng.integers(0, 2, users)
    side = rng.integers(0, 2, comments)
    truth = np.where(camp[:, None] == side, 1.0, -1.0)
    return np.where(rng.random((users, comments)) < shown, truth, np.nan), truth


def test_camps_are_found():
    votes, truth = planted()
    found = infer_approvals(votes, rank=2)
    assert found.auc > 0.99
    unseen = np.isnan(votes)
    assert ((found.probabilities > 0.5) == (truth > 0))[unseen].mean() > 0.99
    assert (found.probabilities[~unseen] == (truth[~unseen] > 0)).all()
    assert found.held_out == round(0.1 * (~unseen).sum())
    problem = JrRanking(
        None, None, n_comments=40, k=2, utilities=found.probabilities, threshold="0.5"
    )
    assert problem.check(problem.feed((0, 1))).value > 0


def dense_fit(agrees, known, x, penalty, rounds):
    """Return parameters after Adam steps on whole tables, the definition itself."""
    users, mean, square = len(agrees), np.zeros_like(x), np.zeros_like(x)
    for t in range(1, rounds + 1):
        left, right = x[:users], x[users:]
        logit = left[:, :1] + right[:, 0] + left[:, 1:] @ right[:, 1:].T
        error = np.where(known, 1 / (1 + np.exp(-np.clip(logit, -35, 35))) - agrees, 0.0)
        rows = np.column_stack([error.sum(axis=1), error @ right[:, 1:]])
        columns = np.column_stack([error.sum(axis=0), error.T @ left[:, 1:]])
        slope = np.concatenate([rows, columns]) + penalty * x
        mean = mean + 0.1 * (slope - mean)
        square = square + 0.001 * (slope**2 - square)
        x = x - 0.05 * mean / (1 - 0.9**t) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
    return x


@pytest.mark.parametrize("rank", [0, 1, 4, 6, 8])
@pytest.mark.parametrize("scale", [0.1, 20.0])
def test_fit_on_votes_is_the_fit_on_tables(rank, scale):
    rng = np.random.default_rng(rank)
    agrees, known = rng.random((30, 17)) < 0.5, rng.random((30, 17)) < 0.4
    known[3], known[:, 5] = False, False
    x = rng.normal(0.0, scale, (47, 1 + rank))
    ptr = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int64)
    found = np.zeros((47, 1 + 4 * -(-rank // 4)))
    found[:, : 1 + rank] = x
    votes = np.nonzero(known)[1].astype(np.int32), agrees[known].astype(float)
    fit(ptr, *votes, 0.1, 25, found)
    expected = dense_fit(agrees, known, x, 0.1, 25)
    assert found[:, : 1 + rank] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert not found[:, 1 + rank :].any()


def test_chances_are_those_of_the_dense_fit():
    votes, _ = planted(2, users=40, comments=15)
    found = infer_approvals(votes, rank=3, rounds=60, seed=7)
    rng = np.random.default_rng(7)
    known, agrees = ~np.isnan(votes), votes > 0
    rng.permutation(int(known.sum()))
    start = np.concatenate([np.zeros((55, 1)), rng.normal(0.0, 0.1, (55, 3))], axis=1)
    x = dense_fit(agrees, known, start, 0.1, 60)
    logit = x[:40, :1] + x[40:, 0] + x[:40, 1:] @ x[40:, 1:].T
    expected = np.where(known, agrees, 1 / (1 + np.exp(-logit)))
    assert found.probabilities == pytest.approx(expected, rel=1e-7)


def test_camps_are_no_matter_of_averages():
    votes, _ = planted()
    assert infer_approvals(votes, rank=0).auc < 0.7


def test_noise_is_no_better_than_a_coin():
    rng = np.random.default_rng(3)
    votes = np.where(rng.random((150, 60)) < 0.5, 1.0, -1.0)
    assert infer_approvals(votes, rank=2, held_out=0.3).auc == pytest.approx(0.5, abs=0.06)


def test_same_seed_same_guess():
    votes, _ = planted(1)
    one, two, other = (infer_approvals(votes, rank=1, rounds=20, seed=s) for s in (5, 5, 6))
    assert (one.probabilities == two.probabilities).all()
    assert one.auc == two.auc
    assert (one.probabilities != other.probabilities).any()


def test_area_under_the_curve_by_pairs():
    rng = np.random.default_rng(0)
    for _ in range(20):
        score = rng.integers(0, 4, 12).astype(float)
        truth = np.arange(12) % 3 == 0
        pairs = [(a > b) + 0.5 * (a == b) for a in score[truth] for b in score[~truth]]
        assert _auc(score, truth) == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize(
    ("votes", "more", "message"),
    [
        ([1, 0], {}, "expected a table"),
        ([[]], {}, "expected a table"),
        ([[1, 0]], {"rank": -1}, "rank >= 0"),
        ([[1, 0]], {"held_out": 0.0}, "held_out between"),
        ([[1, 0]], {"penalty": 0}, "penalty > 0"),
        ([[1, 1], [1, 1]], {"held_out": 0.5}, "too few to hold out"),
        ([[np.nan, 1]], {}, "too few to hold out"),
    ],
)
def test_what_cannot_be(votes, more, message):
    with pytest.raises(UsageError) as caught:
        infer_approvals(votes, **more)
    assert message in str(caught.value)
