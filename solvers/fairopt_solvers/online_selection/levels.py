"""How many colours are enough, and how the oblivious law weighs them: exact arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

DIGITS = 60  # of logarithms; far more than any ceiling below needs
H_NORM = Decimal("0.53453")  # at least the sum of 1/h(j), which is 0.53452916…
GRID = 10**30  # the oblivious law is rounded down to multiples of 1/GRID


def paper_colours(gamma: Fraction | int, rank: int, p: int = 1) -> int:
    """Return ``ceil(gamma (p ln k + 1))``, the number of colours in Theorems 10 and 17.

    For ``k >= 2`` the logarithm is transcendental, so the ceiling is decided by enough digits;
    for ``k = 1`` no logarithm is taken. At least 1, so that there is a colour to draw.
    """
    gamma = Fraction(gamma)
    if rank <= 1:
        return max(1, math.ceil(gamma))
    with localcontext() as context:
        context.prec = DIGITS
        logarithm = Decimal(rank).ln()
        value = Decimal(gamma.numerator) * (p * logarithm + 1) / Decimal(gamma.denominator)
        return max(1, math.ceil(value))


def tight_colours(gamma: Fraction | int, rank: int, p: int = 1) -> int:
    """Return the number of levels that first-fit can need, counted level by level.

    At most ``floor(gamma k)`` elements exist. If N of them are left over by the lower levels,
    a largest independent subset of them has at least N/gamma elements; a level is a maximal
    one, so in a matroid it takes ceil(N/gamma), in a p-matchoid ceil(N/(p gamma)). Since
    N -> N - ceil(N/gamma) is monotone, the count holds for every order of arrival. Never more
    than ``paper_colours``.
    """
    share = Fraction(gamma) * p
    if share <= 0:
        return 1
    left, levels = math.floor(Fraction(gamma) * rank), 0
    top, bottom = share.numerator, share.denominator
    while left > 0:
        left -= max(1, -(-left * bottom // top))
        levels += 1
    return max(1, levels)


@cache
def oblivious_probability(colour: int) -> Fraction:
    """Return a rational just below ``1/(0.53453 h(j))``, ``h(j) = 2 (j+2) ln^2(j+2)``.

    The sum over all j of 1/h(j) is below 0.53453, so the law has total mass below 1 (Theorem 8
    asks for no more); rounding down to a multiple of 1e-30 keeps that.
    """
    with localcontext() as context:
        context.prec = DIGITS
        place = Decimal(colour + 2)
        probability = 1 / (H_NORM * 2 * place * place.ln() ** 2)
        return Fraction(math.floor(probability * GRID), GRID)


def oblivious_law(colours: int) -> list[Fraction]:
    """Return the probabilities of colours 1 to ``colours``; the rest of the mass is no colour."""
    return [oblivious_probability(j) for j in range(1, colours + 1)]


def oblivious_cumulative(colours: int) -> NDArray[np.float64]:
    """Return the cumulative law as floats, for drawing a colour by its inverse."""
    place = np.arange(3, colours + 3, dtype=np.float64)
    return np.cumsum(1.0 / (float(H_NORM) * 2.0 * place * np.log(place) ** 2))
