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
from fairopt.registry import resolve

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.intp]

_KERNEL = "fairopt_solvers.jr_ranking.kernels_infer:fit"


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
        Steps of the optimiser (Adam on all votes at once), each linear in votes times rank.
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
    users, items = np.nonzero(~np.isnan(table))
    agrees = table[users, items] > 0
    many = round(held_out * len(users))
    hidden = rng.permutation(len(users))[:many]
    if agrees[hidden].all() or not agrees[hidden].any():
        raise UsageError("votes: too few to hold out both agreements and others")
    shown = np.ones(len(users), np.bool_)
    shown[hidden] = False
    start = rng.normal(0.0, 0.1, (table.shape[0] + table.shape[1], rank))
    fit = _Fit(start, len(table), penalty, rounds)
    left, right = fit(users[shown], items[shown], agrees[shown])
    quality = _auc(_chance(left, right, users[hidden], items[hidden]), agrees[hidden])
    left, right = fit(users, items, agrees)
    chances = _chances(left, right)
    chances[users, items] = agrees
    return Inferred(chances, quality, many)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """The fit to some votes, always from the same start."""

    start: Floats
    users: int
    penalty: float
    rounds: int

    def __call__(self, users: Places, items: Places, agrees: Bools) -> tuple[Floats, Floats]:
        """Return bias and vector of every user, and of every comment; votes come by users."""
        size, rank = self.start.shape
        x = np.zeros((size, 1 + 4 * -(-rank // 4)))
        x[:, 1 : 1 + rank] = self.start
        ptr = np.zeros(self.users + 1, np.int64)
        np.cumsum(np.bincount(users, minlength=self.users), out=ptr[1:])
        votes = items.astype(np.int32), agrees.astype(np.float64)
        resolve(_KERNEL)(ptr, *votes, float(self.penalty), self.rounds, x)
        return x[: self.users], x[self.users :]


def _chance(left: Floats, right: Floats, users: Places, items: Places) -> Floats:
    """Return the chances of single pairs of a user and a comment."""
    one, two = left[users], right[items]
    logit = one[:, 0] + two[:, 0] + np.einsum("ij,ij->i", one[:, 1:], two[:, 1:])
    return _logistic(logit)


def _chances(left: Floats, right: Floats) -> Floats:
    """Return the chances of all pairs."""
    return _logistic(left[:, :1] + right[:, 0] + left[:, 1:] @ right[:, 1:].T)


def _logistic(logit: Floats) -> Floats:
    out: Floats = 1.0 / (1.0 + np.exp(-np.clip(logit, -35.0, 35.0)))
    return out


def _auc(score: Floats, truth: NDArray[np.bool_]) -> float:
    """Return the area under the curve, from ranks; equal scores share their mean rank."""
    _, group, size = np.unique(score, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    rank = (last - (size - 1) / 2)[group]
    yes, no = int(truth.sum()), int((~truth).sum())
    return float((rank[truth].sum() - yes * (yes + 1) / 2) / (yes * no))
