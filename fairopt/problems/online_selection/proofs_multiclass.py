"""Recomputing proofs of multi-class selection from the instance and the proof's data alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection import ratio_multiclass as ratio
from fairopt.problems.online_selection.check_multiclass import optimum_free
from fairopt.rational import Exact, Rational, add_by
from fairopt.solution import as_float

if TYPE_CHECKING:
    from fairopt.problems.online_selection.multiclass import OnlineMulticlass

Data = Mapping[str, Any]


def top_values(problem: OnlineMulticlass, data: Data) -> float:
    """Return the sum of the ``capacity`` largest values: nothing does better, quotas or not."""
    return as_float(optimum_free(problem))


def quota_prices(problem: OnlineMulticlass, data: Data) -> float:
    """Return the bound of weak duality from prices of a unit and of quotas.

    For any ``capacity_price`` p >= 0 and ``quota_prices`` u >= 0, with ``q_j = min(m_j, N_j)``,
    a selection that keeps the quotas at the end is worth at most
    ``p B - sum u_j q_j + sum over agents of max(0, v_t - p + sum of u_j over its classes)``.
    """
    price = _price(data.get("capacity_price"), "capacity_price")
    given: Any = data.get("quota_prices")
    if not isinstance(given, list | tuple) or len(given) != problem.n_classes:
        raise InstanceError("proof.quota_prices", f"expected {problem.n_classes} prices")
    prices = [_price(u, f"quota_prices[{j}]") for j, u in enumerate(given)]
    need = np.minimum(problem.quotas, problem.arrivals).tolist()
    total = Fraction(price) * problem.capacity
    total -= sum((u * q for u, q in zip(prices, need, strict=True)), Fraction(0))
    return as_float(total + _gains(problem, price, prices))


def _gains(problem: OnlineMulticlass, price: Rational, prices: list[Rational]) -> Fraction:
    """Return the sum over agents of what they are worth beyond what they cost."""
    exact = Exact.of([price, *prices])
    den = math.lcm(exact.den, problem.value.den)
    cost = exact.num.astype(object) * (den // exact.den)
    bonus = add_by(problem.agent_of, cost[1:][problem.class_of], problem.n_agents)
    gain = problem.value.num.astype(object) * (den // problem.value.den) - cost[0] + bonus
    return Fraction(int(np.maximum(gain, 0).sum()) if gain.size else 0, den)


def _price(value: Any, where: str) -> Rational:
    number = rational.parse(value, f"proof.{where}", digits=rational.RESULT_DIGITS)
    if number < 0:
        raise InstanceError(f"proof.{where}", "a price must not be negative")
    return number


# -- what is guaranteed ----------------------------------------------------------------------


def set_aside(problem: OnlineMulticlass, data: Data) -> float:
    """Return A: OPT without quotas is at most A times the value (see ``ratio_multiclass``)."""
    return ratio.competitive_ratio(problem)


def price_only(problem: OnlineMulticlass, data: Data) -> float:
    """Return 1 + ln theta."""
    return ratio.price_ratio(problem)


def predicted_robustness(problem: OnlineMulticlass, data: Data) -> float:
    """Return A / (1 - trust); A without a prediction."""
    if problem.threshold is None:
        return ratio.competitive_ratio(problem)
    return ratio.robustness(problem)


def predicted_consistency(problem: OnlineMulticlass, data: Data) -> float:
    """Return 1 / (trust + (1 - trust) / A)."""
    if problem.threshold is None:
        raise InstanceError("proof", "the instance has no predictions.threshold")
    return ratio.consistency(problem)


def equal_split(problem: OnlineMulticlass, data: Data) -> float:
    """Return the bound on PF of an equal split, if no agent belongs to two classes."""
    if problem.n_agents and int(np.diff(problem.class_ptr).max()) > 1:
        raise InstanceError("proof", "an agent belongs to two classes")
    return ratio.proportional_ratio(problem)


RULES: dict[str, dict[str, Callable[[OnlineMulticlass, Data], Any]]] = {
    "bound": {"top-values": top_values, "quota-prices": quota_prices},
    "competitive_ratio": {
        "set-aside": set_aside,
        "price-only": price_only,
        "predicted-robustness": predicted_robustness,
    },
    "consistency": {"predicted-consistency": predicted_consistency},
    "pf_guarantee": {"equal-split": equal_split},
}

SCOPES = {  # of which methods the theorems speak
    "set-aside": "set-aside",
    "price-only": "price-only, quotas apart",
    "predicted-robustness": "set-aside-predicted",
    "predicted-consistency": "set-aside-predicted, where following the prediction is optimal",
    "equal-split": "proportional",
}
