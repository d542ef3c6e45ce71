"""Many runs of an online method: counts, simultaneous confidence intervals, estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairopt import registry
from fairopt.errors import UsageError
from fairopt.options import typed_options
from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.run import Run
from fairopt.session import play
from fairopt.solution import Claim, Note, Outcome
from fairopt_solvers.online_selection.trial import Ints, Trial, default_runs, order_of

Floats = NDArray[np.float64]
OrderModel = Literal["fixed", "random", "adversarial"]

DELTA = 0.01  # probability that any of the intervals misses


def simulate_counts(
    problem: OnlineSelection,
    method: str,
    *,
    runs: int | None = None,
    seed: int = 0,
    order_model: OrderModel | None = None,
    options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
) -> dict[str, Any]:
    """Run an online method many times with fresh coins and count acceptances.

    Parameters
    ----------
    problem
        The instance.
    method
        Name of a method with a session.
    runs
        How many runs; by default about ``STEPS`` arrivals in all.
    seed
        Fixes all coins and orders.
    order_model
        ``fixed`` and ``adversarial`` take the order of the instance, ``random`` a fresh uniformly
        random order in every run; default: the model of the instance.
    options
        Of the method.
    time_limit
        Seconds; what was counted until then is returned.

    Returns
    -------
    dict
        JSON-ready: ``method``, ``runs``, ``order_model``, ``counts``, ``frequency``, the
        simultaneous 99 % intervals ``lower`` and ``upper``, ``min_frequency``, ``min_lower``.

    Raises
    ------
    UsageError
        For a method without a session or an option that it does not have.
    """
    row = registry.find_method(problem.problem, method)
    if not row.session:
        raise UsageError(f"{row.name} decides no single arrivals: nothing to simulate")
    typed = typed_options(row.function(), options or {}, what=f"method {row.name}")
    run = Run(time_limit, seed)
    policy: Trial = registry.resolve(row.session)(problem, run, **typed)
    model = order_model or problem.arrival.model
    order = None if model == "random" else problem.order
    if runs is None:
        runs = default_runs(problem)
    if runs < 1:
        raise UsageError("runs must be at least 1")
    rng = run.child("simulation").rng
    counts, done = policy.counts(runs, rng, order, run.expired)
    lower, upper = intervals(counts, done)
    frequency = counts / max(1, done)
    return {
        "method": row.name,
        "runs": done,
        "order_model": model,
        "counts": counts.tolist(),
        "frequency": frequency.tolist(),
        "lower": lower.tolist(),
        "upper": upper.tolist(),
        "min_frequency": float(frequency.min()) if len(counts) else None,
        "min_lower": float(lower.min()) if len(counts) else None,
    }


def intervals(counts: Ints, runs: int, delta: float = DELTA) -> tuple[Floats, Floats]:
    """Return Clopper-Pearson limits that hold for all elements at once (Bonferroni).

    With probability at least ``1 - delta`` no probability lies outside its interval; each of the
    2n limits gets the share ``delta/(2n)``.
    """
    from scipy.stats import beta

    n = max(1, len(counts))
    if runs < 1:
        return np.zeros(len(counts)), np.ones(len(counts))
    share = delta / (2 * n)
    few = np.asarray(counts, np.float64)
    with np.errstate(invalid="ignore"):
        low = np.where(few > 0, beta.ppf(share, few, runs - few + 1), 0.0)
        high = np.where(few < runs, beta.ppf(1 - share, few + 1, runs - few), 1.0)
    return low, high


def outcome_of(
    policy: Trial,
    problem: OnlineSelection,
    run: Run,
    *,
    answer: str,
    runs: int | None,
    random: bool,
    claims: Sequence[Claim] = (),
    notes: Sequence[Note] = (),
    rule: Mapping[str, Any] | None = None,
) -> Outcome[Selection]:
    """Return the answer of a method that is known by its runs: an estimate or a single run.

    ``random`` says whether orders are drawn; a single run then takes the one that the seed gives.
    """
    if answer == "run":
        order = random_order(problem, run) if random else order_of(problem)
        return play(policy, order, run)
    wanted = default_runs(problem) if runs is None else runs
    if wanted < 1:
        raise UsageError("runs must be at least 1")
    fixed = None if random else problem.order
    counts, done = policy.counts(wanted, run.child("simulation").rng, fixed, run.expired)
    if done == 0:
        return Outcome(notes=tuple(notes))
    found = Selection.estimated(counts, done, rule=rule)
    return Outcome(found, claims=tuple(claims), notes=tuple(notes))


def random_order(problem: OnlineSelection, run: Run) -> list[int]:
    """Return the uniformly random order of arrival that the seed gives."""
    out: list[int] = run.child("order").rng.permutation(problem.n_elements).tolist()
    return out
