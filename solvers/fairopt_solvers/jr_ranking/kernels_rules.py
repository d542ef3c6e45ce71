"""Kernels of the sequential voting rules.

They screen in floats: every comment whose figure lies within a relative ``MARGIN`` of the best is
handed back, and the rule decides among those in exact fractions.
"""

from __future__ import annotations

from typing import Any

from fairopt_solvers.jit import (
    BOOLS,
    FLOAT,
    FLOATS,
    FLOATS_OUT,
    INT,
    INTS,
    INTS32,
    INTS_OUT,
    kernel,
)


@kernel((INTS32, INTS, INTS, INTS32, INTS_OUT, FLOATS_OUT, FLOATS))
def add_satisfaction(
    users: Any, weights: Any, indptr: Any, indices: Any, satisfaction: Any, gains: Any,
    marginal: Any,
) -> None:  # fmt: skip
    """Give each of ``users`` one more selected comment and update all gains.

    A comment's gain is the sum of ``weights[i] * marginal[satisfaction[i]]`` over its approvers.
    """
    for i in users:
        before = satisfaction[i]
        satisfaction[i] = before + 1
        change = weights[i] * (marginal[before + 1] - marginal[before])
        for e in range(indptr[i], indptr[i + 1]):
            gains[indices[e]] += change


@kernel((INTS32, INTS, INTS, INTS32, FLOATS, INT, INTS_OUT, FLOATS_OUT))
def set_class(
    users: Any, weights: Any, indptr: Any, indices: Any, loads: Any, new: Any,
    classes: Any, sums: Any,
) -> None:  # fmt: skip
    """Put each of ``users`` into the class ``new`` and update the sums of all comments.

    A comment's sum is that of ``weights[i] * loads[classes[i]]`` over its approvers.
    """
    for i in users:
        change = weights[i] * (loads[new] - loads[classes[i]])
        classes[i] = new
        for e in range(indptr[i], indptr[i + 1]):
            sums[indices[e]] += change


@kernel(FLOAT(INTS, INTS32, INTS, FLOATS, BOOLS, INTS, FLOAT, FLOATS_OUT))
def cheapest_share(
    item_ptr: Any, item_users: Any, weights: Any, budget: Any, open_: Any, order: Any,
    margin: Any, lowest: Any,
) -> Any:  # fmt: skip
    """Return the smallest rho at which some comment is paid: sum of w min(budget, rho) = 1.

    ``lowest[c]`` is a lower bound of the comment's rho that never falls from round to round;
    ``order`` lists the comments by it, so that the scan ends at the first bound above the best.
    Those evaluated have ``lowest`` exact afterwards; infinite where nobody can pay any more.
    """
    best = 1e300
    for c in order:
        if lowest[c] > best * (1.0 + margin):
            break
        if not open_[c]:
            continue
        money = 0.0
        mass = 0.0
        for e in range(item_ptr[c], item_ptr[c + 1]):
            i = item_users[e]
            if budget[i] > 0.0:
                money += weights[i] * budget[i]
                mass += weights[i]
        if money < 1.0 - margin:
            lowest[c] = 1e300
            continue
        # Who has less than rho pays all; rho rises from the equal share and settles in few turns.
        rho = 1.0 / mass
        while True:
            poor = 0.0
            rich = 0.0
            for e in range(item_ptr[c], item_ptr[c + 1]):
                i = item_users[e]
                if budget[i] < rho:
                    poor += weights[i] * budget[i]
                else:
                    rich += weights[i]
            if rich <= 0.0:
                break  # all pay everything: the total is 1 up to rounding
            raised = (1.0 - poor) / rich
            if raised <= rho * (1.0 + 1e-14):
                break
            rho = raised
        lowest[c] = rho
        if rho < best:
            best = rho
    return best


@kernel((INTS, INTS32, INTS, FLOATS, FLOATS_OUT))
def money_of(item_ptr: Any, item_users: Any, weights: Any, budget: Any, money: Any) -> None:
    """Sum the budgets of each comment's approvers."""
    for c in range(len(item_ptr) - 1):
        total = 0.0
        for e in range(item_ptr[c], item_ptr[c + 1]):
            i = item_users[e]
            total += weights[i] * budget[i]
        money[c] = total
