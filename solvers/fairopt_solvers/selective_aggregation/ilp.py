"""The method ``spa-ilp`` (also ``exact``): a 0/1 program that knows nothing of cuts."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.selective_aggregation import SelectiveAggregation, Tiering
from fairopt.run import Run
from fairopt.solution import Bound, Outcome
from fairopt_solvers.backends import LinearModel, rows, solve
from fairopt_solvers.selective_aggregation.spa import dissent_of

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Backend = Literal["highs", "cp-sat", "cbc"]

MOST_ITEMS = 40


def spa_ilp(
    problem: SelectiveAggregation, run: Run, *, backend: Backend = "highs"
) -> Outcome[Tiering]:
    """Return the most comparisons that a solver finds: "i above j" is a binary variable.

    A pair in one tier is no comparison, and what is incomparable with the same is incomparable:
    ``x_ij <= x_ik + x_kj``. The relaxation is exact already.

    Parameters
    ----------
    backend
        Who solves it.

    Raises ``UsageError`` without tau and for more than 40 items.
    """
    if problem.asked is None:
        raise UsageError("spa-ilp needs tau (or max_dissent_count); spa-path finds all of them")
    n = problem.n
    if n > MOST_ITEMS:
        raise UsageError(
            f"spa-ilp takes at most {MOST_ITEMS} items, this instance has {n}; use spa"
        )
    dissent = dissent_of(problem, run)
    if dissent is None:
        return Outcome()
    allowed = dissent.level <= dissent.floor(problem.asked)
    np.fill_diagonal(allowed, False)
    if not allowed.any():
        return Outcome(Tiering(np.zeros(n, np.int64)), Bound(0, "combinatorial", _all(problem)))
    model, number = model_of(allowed)
    result = solve(model, run, backend=backend)
    if result.x is None:
        return Outcome()
    above = np.zeros((n, n), bool)
    above[allowed] = result.x[number[allowed]] > 0.5
    bound = None
    if result.status == "optimal":
        bound = Bound(int(above.sum()), "solver", {"backend": result.backend})
    return Outcome(Tiering(_tier(above)), bound, notes=result.notes)


def _all(problem: SelectiveAggregation) -> dict[str, object]:
    """Return the proof that nothing can be compared: every order is a cycle."""
    return {"rule": "cycles", "cycles": [list(range(problem.n))] if problem.n > 1 else []}


def model_of(allowed: Bools) -> tuple[LinearModel, Ints]:
    """Return the program and the column of each allowed statement (n, n), -1 elsewhere."""
    n = len(allowed)
    number = np.full((n, n), -1, np.int64)
    number[allowed] = np.arange(int(allowed.sum()))
    blocks = []
    i, j = np.nonzero(np.triu(allowed & allowed.T, 1))
    if len(i):
        pair = np.concatenate([number[i, j], number[j, i]])
        blocks.append(rows(np.tile(np.arange(len(i)), 2), pair, 1.0, upper=np.ones(len(i))))
    i, j, k = _triples(allowed)
    if len(i):
        row = np.arange(len(i))
        parts = [(row, number[i, j], 1.0)]
        parts += [(row[at >= 0], at[at >= 0], -1.0) for at in (number[i, k], number[k, j])]
        coef = np.concatenate([np.full(len(r), c) for r, _, c in parts])
        where = np.concatenate([r for r, _, _ in parts])
        column = np.concatenate([c for _, c, _ in parts])
        blocks.append(rows(where, column, coef, upper=np.zeros(len(i))))
    count = int(allowed.sum())
    model = LinearModel.build(
        -np.ones(count), *blocks, lower=0.0, upper=1.0, integer=np.ones(count, bool)
    )
    return model, number


def _triples(allowed: Bools) -> tuple[Ints, Ints, Ints]:
    """Return i, j, k with "i above j" allowed and k another item."""
    n = len(allowed)
    i, j = np.nonzero(allowed)
    k = np.tile(np.arange(n), len(i))
    i, j = np.repeat(i, n), np.repeat(j, n)
    other = (k != i) & (k != j)
    return i[other], j[other], k[other]


def _tier(above: Bools) -> Ints:
    """Return tiers from a weak order: by how many items each is above."""
    beats = above.sum(1)
    return np.asarray(np.unique(-beats, return_inverse=True)[1], np.int64)
