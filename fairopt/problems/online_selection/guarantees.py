"""Numbers of the theorems: how many colours suffice, and what each method guarantees.

References
----------
Banihashem, Hajiaghayi, Mittal, "Fair Matroid Selection", NeurIPS 2025: Theorems 8, 10, 11, 17
and Lemma 15.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

H_NORM = Fraction(53453, 100_000)  # above the sum of 1/h, so H_NORM * h is feasible too


def paper_levels(alpha: Fraction, rank: int, parts: int = 1) -> int:
    """Return ceil(alpha (parts ln rank + 1)), exactly (for a matchoid with beta for alpha).

    For rank at least 2 the logarithm is irrational, so 50 digits decide the ceiling; for rank 1
    there is none and the result is ceil(alpha).
    """
    if rank <= 1:
        return max(1, math.ceil(alpha))
    exact = Context(prec=60)
    top, bottom = Decimal(alpha.numerator), Decimal(alpha.denominator)
    sum_ = exact.add(exact.multiply(Decimal(parts), exact.ln(Decimal(rank))), Decimal(1))
    value = exact.divide(exact.multiply(top, sum_), bottom)
    return max(1, int(value.to_integral_value(ROUND_CEILING)))


def tight_levels(gamma: Fraction, rank: int) -> int:
    """Return after how many levels first-fit has surely placed floor(gamma rank) elements.

    Level j is a base of what the lower levels left, N elements, so it takes at least N / gamma.
    """
    left, levels = math.floor(gamma * rank), 0
    while left > 0:
        left -= math.ceil(left / gamma)
        levels += 1
    return max(1, levels)


def tight_levels_matchoid(density: Fraction, rank: int, parts: int) -> int:
    """Return the same for a matchoid with each element in at most ``parts`` parts.

    Level j is a maximal feasible subset of what is left, so at least 1/parts of a largest one.
    """
    left, levels = math.floor(density * rank), 0
    share = max(parts, 1) * density
    while left > 0:
        left -= max(1, math.ceil(left / share))
        levels += 1
    return max(1, levels)


def feasible_h(level: int) -> float:
    """Return 2 (j + 2) ln(j + 2)^2 for j = ``level``: nondecreasing, sum of inverses below 1."""
    log = math.log(level + 2)
    return 2.0 * (level + 2) * log * log


def oblivious_chance(level: int) -> float:
    """Return 1 / (H_NORM h(level)), rounded down: the chance of that colour."""
    return _down(1.0 / (float(H_NORM) * feasible_h(level)))


def degeneracy_chance(degeneracy: int, q: Fraction | None = None) -> float | None:
    """Return the acceptance probability of Lemma 15 for finite degeneracy, rounded down.

    With x = 2q/(1+q), delta = d^(-1/8), b = ceil(d/(1 - x(1+delta))), P = exp(-x b delta^2/3)
    it is (1 - 2P) q/(b - d). ``q`` is d^(-1/4)/3 unless given. None where the lemma is empty
    (x(1+delta) >= 1 or 2P >= 1). 1 for a graph without edges.
    """
    d = degeneracy
    if d < 1:
        return 1.0
    share = float(q) if q is not None else d ** (-0.25) / 3.0
    if not 0.0 < share < 1.0:
        return None
    x, delta = 2.0 * share / (1.0 + share), d ** (-0.125)
    if x * (1.0 + delta) >= 1.0:
        return None
    exact = d / (1.0 - x * (1.0 + delta))
    found = []
    for b in {math.ceil(exact * (1.0 - 1e-12)), math.ceil(exact * (1.0 + 1e-12))}:
        lost = math.exp(-x * b * delta * delta / 3.0)
        if 2.0 * lost >= 1.0 or b <= d:
            return None
        found.append((1.0 - 2.0 * lost) * share / (b - d))
    return _down(min(found))


def _down(value: float) -> float:
    """Round down by a few units in the last place, more than the float errors above."""
    return value * (1.0 - 1e-14)
