"""The methods ``spa`` (one tau) and ``spa-path`` (all of them), by counting cuts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.selective_aggregation import Path, SelectiveAggregation, Tiering
from fairopt.problems.selective_aggregation.profile import Dissent
from fairopt.run import Run
from fairopt.solution import Bound, Note, Outcome
from fairopt_solvers.selective_aggregation.counting import counts_of
from fairopt_solvers.selective_aggregation.cycles import cycles_of
from fairopt_solvers.selective_aggregation.kernels_tiers import birth, cut

Ints = NDArray[np.int64]


def spa(problem: SelectiveAggregation, run: Run) -> Outcome[Tiering]:
    """Return the only optimum at tau: the first k items by net count are a cut or they are not.

    O(n^2) after counting. Raises ``UsageError`` where the instance has no tau.
    """
    if problem.asked is None:
        raise UsageError("spa needs tau (or max_dissent_count); spa-path finds all of them")
    dissent = dissent_of(problem, run)
    if dissent is None:
        return Outcome()
    limit = dissent.floor(problem.asked)
    return proven(problem, dissent, limit, Tiering(tiers(dissent.level, limit)))


def spa_path(problem: SelectiveAggregation, run: Run) -> Outcome[Tiering]:
    """Return the optima for every tau: the finest ranking, and when each boundary is drawn.

    O(n^2) after counting, however many breakpoints there are. The answer's tiers are those at the
    instance's tau, without one the finest.
    """
    dissent = dissent_of(problem, run)
    if dissent is None:
        return Outcome()
    finest = tiers(dissent.level, dissent.largest)
    born = births(dissent, finest)
    path = Path(finest, tuple(born))
    asked = problem.asked
    tier = finest if asked is None else path.at(asked)
    limit = dissent.largest if asked is None else dissent.floor(asked)
    return proven(problem, dissent, limit, Tiering(tier, path))


def dissent_of(problem: SelectiveAggregation, run: Run) -> Dissent | None:
    """Return the dissents from counts of our own, None if the time was up."""
    counts = counts_of(problem, run)
    if counts is None or run.expired():
        return None
    return counts.dissent(problem.convention)


def tiers(level: Ints, limit: int) -> Ints:
    """Return the tier of every item at a largest level."""
    net = np.zeros(len(level), np.int64)
    order = np.empty(len(level), np.int64)
    tier = np.empty(len(level), np.int64)
    cut(np.ascontiguousarray(level), limit, net, order, tier)
    return tier


def births(dissent: Dissent, finest: Ints) -> list[Fraction]:
    """Return the largest dissent across each boundary of the finest ranking."""
    order = np.argsort(finest, kind="stable")
    found = np.full(int(finest.max(initial=0)) + 1, -1, np.int64)
    birth(np.ascontiguousarray(dissent.level), order, finest, found)
    return [dissent.value(int(level)) for level in found[:-1]]


def proven(
    problem: SelectiveAggregation, dissent: Dissent, limit: int, answer: Tiering
) -> Outcome[Tiering]:
    """Return the answer with its proof: a cycle through each tier."""
    data = {"rule": "cycles", "cycles": cycles_of(dissent.level, limit, answer.tier)}
    bound = Bound(problem.recompute(data), "combinatorial", data)
    return Outcome(answer, bound, notes=advice(problem, answer))


def advice(problem: SelectiveAggregation, answer: Tiering) -> tuple[Note, ...]:
    """Say why nothing is compared where missing opinions are the reason."""
    counts = problem.profile.counts
    if int(answer.tier.max(initial=0)) > 0 or problem.n < 2 or not counts.missing.any():
        return ()
    if problem.convention == "available":
        return ()
    words = (
        f"under {problem.convention} a missing opinion counts against every comparison; with "
        "convention = available only the judges of both items count, and with unranked = last "
        "the items left out of a ballot stand below all listed"
    )
    return (Note("missing", words),)
