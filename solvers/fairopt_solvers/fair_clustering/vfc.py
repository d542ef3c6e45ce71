"""The method ``vfc``: clusters with a penalty on unfair proportions, by softmax updates.

Ziko, Yuan, Granger, Ben Ayed, "Variational Fair Clustering" (AAAI 2021): distances plus a weight
times the Kullback-Leibler divergence from the wanted proportions to those of every cluster. The
penalty is bounded by its tangent, which gives every point a closed form; the length of the step
is halved until the objective does not grow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.fair_clustering.forms import LINEAR, broken, form_of
from fairopt_solvers.fair_clustering.pieces import clustered, occupy
from fairopt_solvers.fair_clustering.places import Places
from fairopt_solvers.fair_clustering.proven import unfair_cost

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PATH = tuple(0.02 * 2.0**step for step in range(15))  # penalties that are tried, in turn
_SOFT = 0.1  # temperature of the first shares, relative to the mean distance
_TINY = 1e-12
_STEPS = 20  # softmax updates between two moves of the centres
_SHORTEST = 1e-6


@dataclass(frozen=True, eq=False)
class _Penalty:
    """Membership of the groups, (n,) codes an attribute, and the shares they are to have."""

    codes: tuple[Ints, ...]
    shares: tuple[Floats, ...]
    weights: Floats  # (n,), of sum 1

    def parts(self, s: Floats) -> list[tuple[Floats, Floats]]:
        """Return per attribute (masses (G, k), sizes (k,))."""
        out = []
        part = s * self.weights[:, None]
        for codes, share in zip(self.codes, self.shares, strict=True):
            columns = [np.bincount(codes, column, len(share)) for column in part.T]
            mass = np.maximum(np.stack(columns, axis=1), _TINY)
            out.append((mass, mass.sum(0)))
        return out

    def __call__(self, s: Floats) -> float:
        """Return the sum of the divergences of all clusters and attributes."""
        total = 0.0
        for (mass, size), share in zip(self.parts(s), self.shares, strict=True):
            total += float((share[:, None] * (np.log(share)[:, None] - np.log(mass / size))).sum())
        return total

    def slope(self, s: Floats) -> Floats:
        """Return the derivative by the shares (n, k), per unit of weight."""
        out = np.zeros(s.shape)
        parts = self.parts(s)
        for (mass, size), codes, share in zip(parts, self.codes, self.shares, strict=True):
            out += (1.0 / size - share[:, None] / mass)[codes]
        return out


def vfc(
    problem: FairClustering,
    run: Run,
    *,
    penalty: float | None = None,
    starts: int = 10,
    iterations: int = 50,
) -> Outcome[Clustering]:
    """Trade the distance against proportions; each point then goes to its largest share.

    Parameters
    ----------
    penalty
        Weight of the divergence in units of the mean squared (or plain) distance. Default: 0.02,
        0.04, and so on, until the condition holds or nothing changes any more.
    starts
        Of the unfair clustering that it starts from.
    iterations
        Moves of the centres for each weight.

    Nothing is guaranteed. Great weights force proportions that the distances no longer shape.
    """
    found = clustered(problem, run, starts=starts, offer=False)
    if found is None:
        return Outcome()
    fair = _penalty(problem)
    distances = found.places.distances(found.state)
    scale = float(problem.mass @ distances.min(1)) / float(problem.mass.sum())
    scale = scale or float(distances.mean()) or 1.0
    z = -(distances - distances.min(1, keepdims=True)) / (_SOFT * (float(distances.mean()) or 1.0))
    shares = _softmax(z)
    state, labels, best = found.state, found.labels, found.answer()
    for weight in _PATH if penalty is None else (penalty,):
        state, shares = _descend(
            problem, found.places, state, shares, fair, (weight, scale), run, iterations
        )
        labels = shares.argmax(1).astype(np.int64)
        d = found.places.distances(state)
        if not problem.allow_empty and not occupy(d, labels):
            break
        state_here = found.places.update(state, labels, None, run)
        best = found.places.answer(state_here, labels)
        run.offer(best)
        words = _words(problem, labels)
        if words is None or run.expired():
            break
    notes = () if words is None else (Note("violation", words),)
    return Outcome(best, claims=unfair_cost(problem, best), notes=notes)


def _penalty(problem: FairClustering) -> _Penalty:
    weights = problem.mass / float(problem.mass.sum())
    codes = tuple(a.codes for a in problem.attributes)
    shares = tuple(np.bincount(c, weights).astype(np.float64) for c in codes)
    return _Penalty(codes, shares, weights)


def _words(problem: FairClustering, labels: Ints) -> str | None:
    """Return what the labels break; conditions that are not about proportions count as kept."""
    if problem.fairness.type not in LINEAR:
        return None
    form = form_of(problem)
    whole = problem.weights is None
    masses = np.zeros((len(form.mass), int(labels.max()) + 1), np.int64 if whole else np.float64)
    np.add.at(masses, (form.of, labels), 1 if whole else problem.mass)
    return broken(problem, form, masses)


def _softmax(z: Floats) -> Floats:
    p = np.exp(z - z.max(1, keepdims=True))
    return np.asarray(p / p.sum(1, keepdims=True), np.float64)


def _descend(
    problem: FairClustering,
    places: Places,
    state: NDArray[np.generic],
    shares: Floats,
    fair: _Penalty,
    weights: tuple[float, float],
    run: Run,
    iterations: int,
) -> tuple[NDArray[np.generic], Floats]:
    """Return centres and shares after softmax updates and moves of the centres in turn."""
    weight, scale = weights
    length, before = 1.0, np.inf
    for _ in range(max(1, iterations)):
        d = places.distances(state) / scale

        def objective(s: Floats, d: Floats = d) -> float:
            return float(fair.weights @ (s * d).sum(1)) + weight * fair(s)

        here = objective(shares)
        for _ in range(_STEPS):
            if run.expired():
                return state, shares
            slope = d + weight * fair.slope(shares)
            while length > _SHORTEST:
                new = _softmax(np.log(np.maximum(shares, _TINY)) - length * slope)
                there = objective(new)
                if there <= here:
                    break
                length /= 2
            else:
                break
            gain, shares, here = here - there, new, there
            if gain <= 1e-7 * abs(here):
                break
            length *= 1.5
        length = max(length, _SHORTEST * 4)
        state = places.update(state, shares.argmax(1).astype(np.int64), shares, run)
        if before - here <= 1e-6 * abs(here):
            break
        before = here
    return state, shares
