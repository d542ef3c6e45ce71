"""The court of multi-class selection: the definitions, exactly; no code of any method."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt.problem import Check, Violation
from fairopt.problems.online_selection.allocation_multiclass import Allocation
from fairopt.problems.online_selection.ratio_multiclass import competitive_ratio
from fairopt.rational import Exact, add_by, whole
from fairopt.solution import as_float

if TYPE_CHECKING:
    from fairopt.problems.online_selection.multiclass import OnlineMulticlass

Number = int | Fraction
_CLOSE = 1 + 1e-9  # of a guarantee that is compared in floats


def check(problem: OnlineMulticlass, answer: Allocation, *, law: bool = False) -> Check:
    """Return violations, value and figures of an allocation.

    Rules: ``agents`` (one fraction for each), ``unit`` (from 0 to 1), ``capacity``, ``quota``
    (as ``enforced`` says: for ``final`` at the end, else at every time), ``replay`` (a run is
    what its coins make of the fractions). A run is judged as the selection that it is.
    """
    if len(answer.x) != problem.n_agents:
        return Check((Violation("agents", "fractional", abs(len(answer.x) - problem.n_agents)),))
    out = list(_limits(problem, answer.x, "fractional"))
    if out:
        return Check(tuple(out))
    given = answer.x
    if answer.accepted is not None:
        given = Exact.of(np.isin(np.arange(problem.n_agents), answer.accepted).astype(np.int64))
        if replay(answer) != list(answer.accepted):
            out.append(Violation("replay", "accepted"))
        out += _limits(problem, given, "accepted")
    late, final = _shortfalls(problem, given)
    out += final if answer.enforced == "final" else late
    value = _value(problem, given)
    figures = _figures(problem, given, value)
    figures["gfq_prefix"] = not late
    if answer.accepted is not None:
        figures["expected_value"] = as_float(_value(problem, answer.x))
    if law and answer.rounding != "none":
        marginals, most = rounding_law(answer.x, answer.rounding)
        pairs = zip(marginals, answer.x.num.tolist(), strict=True)
        worst = max((abs(p - x) for p, x in pairs), default=0)
        figures["rounding_error"] = whole(Fraction(worst) / answer.x.den)
        figures["most_units"] = most
        if figures["rounding_error"] or most > problem.capacity:  # pragma: no cover - a theorem
            out.append(Violation("law", "rounding"))
    return Check(tuple(out), as_float(value), figures)


# -- limits and quotas -----------------------------------------------------------------------


def _limits(problem: OnlineMulticlass, x: Exact, where: str) -> Iterator[Violation]:
    strange = np.flatnonzero((x.num < 0) | (x.num > x.den))
    if strange.size:
        k = int(strange[0])
        yield Violation("unit", f"{where}[{k}]", as_float(x[k]))
    over = x.total() - problem.capacity
    if over > 0:
        yield Violation("capacity", where, as_float(over))


def _shortfalls(problem: OnlineMulticlass, x: Exact) -> tuple[list[Violation], list[Violation]]:
    """Return the classes that are short at some time, each where it first is, and at the end."""
    late, final = [], []
    num = x.num.astype(object)
    for j, quota in enumerate(problem.quotas):
        mine = problem.members(j)
        if not quota or not mine.size:
            continue
        need = np.minimum(np.arange(1, len(mine) + 1), quota).astype(object) * x.den
        short = need - np.cumsum(num[mine])
        where = np.flatnonzero(short > 0)
        if where.size:
            worst = as_float(Fraction(int(short.max()), x.den))
            late.append(Violation("quota", f"class {j}, agent {int(mine[where[0]])}", worst))
        if short[-1] > 0:
            by = as_float(Fraction(int(short[-1]), x.den))
            final.append(Violation("quota", f"class {j}", by))
    return late, final


# -- figures ---------------------------------------------------------------------------------


def _value(problem: OnlineMulticlass, x: Exact) -> Fraction:
    used = np.flatnonzero(x.num != 0)
    products = problem.value.num[used].astype(object) * x.num[used].astype(object)
    return Fraction(int(products.sum()) if used.size else 0, problem.value.den * x.den)


def _figures(problem: OnlineMulticlass, x: Exact, value: Fraction) -> dict[str, Any]:
    counts = add_by(problem.class_of, x.num[problem.agent_of], problem.n_classes)
    need = np.minimum(problem.quotas, problem.arrivals).astype(object) * x.den
    slack = (counts.astype(object) - need).tolist()
    free, prefix = optimum_free(problem), optimum_prefix(problem)
    ratio = competitive_ratio(problem)
    attained = as_float(free / value) if value else (math.inf if free else 1.0)
    return {
        "value": as_float(value),
        "units": as_float(x.total()),
        "counts": [as_float(Fraction(int(c), x.den)) for c in counts.tolist()],
        "gfq_slack": [as_float(Fraction(int(s), x.den)) for s in slack],
        "pf": proportional_fairness(problem, x),
        "competitive_ratio": ratio,
        "attained_ratio": attained,
        "within_ratio": attained <= ratio * _CLOSE,
        "optimum_free": as_float(free),
        "optimum_prefix": as_float(prefix),
    }


def optimum_free(problem: OnlineMulticlass) -> Fraction:
    """Return the best value without quotas: the sum of the ``capacity`` largest values."""
    return _largest(problem.value, problem.capacity)


def optimum_prefix(problem: OnlineMulticlass) -> Fraction:
    """Return the best value with quotas kept at every time.

    That is so if and only if the first ``quotas[j]`` arrivals of each class are accepted fully;
    the other units go to the largest values left.
    """
    forced = np.zeros(problem.n_agents, np.bool_)
    for j, quota in enumerate(problem.quotas):
        forced[problem.members(j)[:quota]] = True
    left = problem.capacity - int(forced.sum())
    return Fraction(problem.value.total(forced)) + _largest(problem.value.take(~forced), left)


def _largest(value: Exact, many: int) -> Fraction:
    top = sorted(value.num.tolist(), reverse=True)[:many]
    return Fraction(sum(top), value.den)


def proportional_fairness(problem: OnlineMulticlass, x: Exact) -> float | None:
    """Return PF(x) = max over selections w of the mean over classes of U_j(w) / U_j(x).

    U_j is the value that class j gets. The best w gives units to the largest
    ``v_t / K * sum of 1 / U_j(x)``. Classes without arrivals are left out, also of K; None if
    there are no others, infinite if one of the others gets nothing.
    """
    here = np.flatnonzero(problem.arrivals > 0)
    if not here.size:
        return None
    worth = problem.value.num.astype(object) * x.num.astype(object)
    utility = add_by(problem.class_of, worth[problem.agent_of], problem.n_classes)
    if any(utility[j] == 0 for j in here):
        return math.inf
    den = problem.value.den * x.den
    inverse = np.zeros(problem.n_classes)
    inverse[here] = [as_float(Fraction(den, int(utility[j]) * len(here))) for j in here]
    each = np.bincount(problem.agent_of, inverse[problem.class_of], problem.n_agents)
    score = np.sort(problem.value.floats() * each)[::-1][: problem.capacity]
    return math.fsum(score.tolist())


# -- rounding --------------------------------------------------------------------------------


def rounding_law(x: Exact, rule: str) -> tuple[list[Number], int]:
    """Return how likely each agent is accepted, exactly, and the most units ever used.

    Probabilities are in units of 1/``x.den``, like ``x.num``, which they are to equal.
    ``lossless``: the chain of the number N of agents accepted so far, of which two values are
    possible at a time. ``systematic``: the length of the interval of coins that accept.
    """
    if rule == "systematic":
        return _interval_law(x)
    out: list[Number] = []
    law: dict[int, Number] = {0: x.den}  # in units of 1 / den
    total, most = 0, 0
    for share in x.num.tolist():
        after: dict[int, Number] = {}
        won: Number = 0
        for accepted, weight in law.items():
            top, bottom = accept_chance(total, accepted, share, x.den)
            yes = _part(weight, top, bottom)
            won += yes
            for n, w in ((accepted + 1, yes), (accepted, weight - yes)):
                if w:
                    after[n] = after.get(n, 0) + w
        out.append(won)
        law, total = after, total + share
        most = max(most, *law)
    return out, most


def _part(weight: Number, top: int, bottom: int) -> Number:
    """Return weight * top / bottom, an integer where it is one."""
    if isinstance(weight, int):
        whole, rest = divmod(weight * top, bottom)
        if not rest:
            return whole
    return Fraction(weight) * Fraction(top, bottom)


def accept_chance(total: int, accepted: int, share: int, one: int) -> tuple[int, int]:
    """Return the probability with which the lossless rule accepts the next agent: (p, q) for p/q.

    ``total`` is the sum S of the fractions so far and ``share`` the next, in units of 1/``one``;
    ``accepted`` is floor(S) or floor(S) + 1, the latter with probability frac(S).
    """
    low, rest = divmod(total, one)
    ahead = accepted > low
    if (total + share) // one == low:
        return (0, 1) if ahead else (share, one - rest)
    return ((total + share) % one, rest) if ahead else (1, 1)


def _interval_law(x: Exact) -> tuple[list[Number], int]:
    """Return the law of the systematic rule: an agent owns the part (S, S'] of the line."""
    out, total, one = list[Number](), 0, x.den
    for share in x.num.tolist():
        after = total + share
        length = 0
        for k in range(total // one - 1, after // one + 1):
            length += max(0, min(one, after - k * one) - max(0, total - k * one))
        out.append(length)
        total = after
    return out, -(-total // one)


def replay(answer: Allocation) -> list[int]:
    """Return the agents whom the coins of a run accept."""
    assert answer.coins is not None
    one, out, total = answer.x.den, list[int](), 0
    for t, share in enumerate(answer.x.num.tolist()):
        if answer.rounding == "systematic":
            p, q = answer.coins[0].as_integer_ratio()
            points = ((end * q - p * one) // (one * q) for end in (total, total + share))
            won = next(points) < next(points)
        else:
            p, q = answer.coins[t].as_integer_ratio()
            top, bottom = accept_chance(total, len(out), share, one)
            won = p * bottom < top * q
        if won:
            out.append(t)
        total += share
    return out
