"""Weights of the positions in a ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Exact

PositionWeights = str | Exact  # "dcg", "uniform", or k numbers


def position_weights(given: Any, k: int) -> tuple[PositionWeights, Exact]:
    """Return the weights as given and as k exact numbers.

    The factors of ``dcg`` are the floats nearest to 1/log2(p + 1), taken as the binary fractions
    that they are: a value is the exact sum with these factors, rounded to a float once, so that
    no order of summation makes a worse answer look better.
    """
    if isinstance(given, str):
        if given == "uniform":
            return given, Exact.of(np.ones(k, np.int64))
        if given == "dcg":
            return given, Exact.of([Fraction(1 / math.log2(p + 1)) for p in range(1, k + 1)])
        why = f"unknown value {given!r}; choose from dcg, uniform, or give k numbers"
        raise InstanceError("position_weights", why)
    if isinstance(given, Exact):
        exact = given
    elif isinstance(given, Sequence | np.ndarray):
        exact = Exact.of([rational.parse(v, f"position_weights[{p}]") for p, v in enumerate(given)])
    else:
        raise InstanceError("position_weights", f"expected {k} numbers, got {given!r}"[:120])
    if len(exact) != k:
        raise InstanceError("position_weights", f"expected {k} numbers (k), got {len(exact)}")
    return exact, exact
