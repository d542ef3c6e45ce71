"""Approvals of comments that a user was never shown, inferred from the votes that there are.

Logistic matrix factorisation: the chance that user i agrees with comment c is the logistic function
of a_i + b_c + <u_i, v_c>, fitted to the votes with a quadratic penalty. What comes out is a guess;
its quality on votes held out of the fit always comes with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.errors import UsageError

Floats = NDArray[np.float64]

_STEP, _BETA1, _BETA2, _TINY = 0.05, 0.9, 0.999, 1e-8  # of the Adam steps


@dataclass(frozen=True, slots=True, eq=False)
class Inferred:
    """What was inferred, and how good it is.

    Attributes
    ----------
    probabilities
        Chance of agreement, shape (users, comments); 1 and 0 where there is a vote.
    auc
        Of the votes held out, the share of pairs of an agreement and another vote in which the
        agreement got the higher chance (ties count half); 0.5 is no better than a coin.
    held_out
        How many votes were held out to measure it.
    """

    probabilities: Floats
    auc: float
    held_out: int


def infer_approvals(
    votes: ArrayLike,
    rank: int = 8,
    *,
    penalty: float = 0.1,
    held_out: float = 0.1,
    rounds: int = 300,
    seed: int = 0,
) -> Inferred:
    """Return chances of agreement for all users and comments, and their quality.

    Parameters
    ----------
    votes
        Shape (users, comments): positive for agreement, 0 or negative for any other vote, NaN
        where there is none.
    rank
        Length of the vectors u_i and v_c; 0 leaves the averages of users and comments alone.
    penalty
        Weight of the squares of all parameters against one vote.
    held_out
        Share of the votes that is held out to measure the quality. The chances returned are
        from a second fit, with all votes.
    rounds
        Steps of the optimiser, each linear in users times comments times rank.
    seed
        For the start and for the choice of votes to hold out.

    Raises
    ------
    UsageError
        For a shape or number that cannot be, and where the votes held out are all of one kind, so
        that their quality cannot be told.
    """
    table = np.array(votes, np.float64)
    if table.ndim != 2 or not table.size:
        raise UsageError("votes: expected a table of users by comments")
    if rank < 0 or penalty <= 0 or rounds < 1 or not 0 < held_out < 1:
        raise UsageError("expected rank >= 0, penalty > 0, rounds >= 1, held_out between 0 and 1")
    rng = np.random.default_rng(seed)
    known = ~np.isnan(table)
    agrees = (np.nan_to_num(table) > 0).astype(np.float64)
    places = np.argwhere(known)
    many = round(held_out * len(places))
    hidden = places[rng.permutation(len(places))[:many]]
    truth = agrees[hidden[:, 0], hidden[:, 1]] > 0
    if truth.all() or not truth.any():
        raise UsageError("votes: too few to hold out both agreements and others")
    shown = known.copy()
    shown[hidden[:, 0], hidden[:, 1]] = False
    start = rng.normal(0.0, 0.1, (table.shape[0] + table.shape[1], rank))
    guess = _fit(agrees, shown, start, penalty, rounds)
    quality = _auc(guess[hidden[:, 0], hidden[:, 1]], truth)
    final = np.where(known, agrees, _fit(agrees, known, start, penalty, rounds))
    return Inferred(final, quality, many)


def _fit(
    agrees: Floats, known: NDArray[np.bool_], start: Floats, penalty: float, rounds: int
) -> Floats:
    """Return the fitted chances: Adam on all votes at once."""
    users = len(agrees)
    rank = start.shape[1]
    x = np.concatenate([np.zeros((len(start), 1)), start], axis=1)
    mean, square = np.zeros_like(x), np.zeros_like(x)
    for t in range(1, rounds + 1):
        left, right = x[:users], x[users:]
        error = np.where(known, _chance(left, right) - agrees, 0.0)
        gradient = np.empty_like(x)
        gradient[:users, 0], gradient[users:, 0] = error.sum(axis=1), error.sum(axis=0)
        if rank:
            gradient[:users, 1:] = error @ right[:, 1:]
            gradient[users:, 1:] = error.T @ left[:, 1:]
        gradient += penalty * x
        mean += (1 - _BETA1) * (gradient - mean)
        square += (1 - _BETA2) * (gradient**2 - square)
        scale = np.sqrt(square / (1 - _BETA2**t)) + _TINY
        x = x - _STEP * (mean / (1 - _BETA1**t)) / scale
    return _chance(x[:users], x[users:])


def _chance(left: Floats, right: Floats) -> Floats:
    logit = left[:, :1] + right[:, 0] + left[:, 1:] @ right[:, 1:].T
    out: Floats = 1.0 / (1.0 + np.exp(-np.clip(logit, -35.0, 35.0)))
    return out


def _auc(score: Floats, truth: NDArray[np.bool_]) -> float:
    """Return the area under the curve, from ranks; equal scores share their mean rank."""
    _, group, size = np.unique(score, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    rank = (last - (size - 1) / 2)[group]
    yes, no = int(truth.sum()), int((~truth).sum())
    return float((rank[truth].sum() - yes * (yes + 1) / 2) / (yes * no))
