"""Recomputing proofs of online selection from the instance and the proof's data alone.

Every rule raises ``InstanceError`` when its data are malformed or prove nothing. ``gamma``,
``alpha``, ``beta`` and ``guaranteed_min_prob`` are about the elements that are no loops.

Where a guarantee rests on gamma, alpha or beta, ``data`` holds evidence of an upper bound, an
object with ``by``:

- ``given``: what the instance gives (``information.beta``, else ``information.alpha``), believed;
- ``closed-form``: the formula for uniform, partition and laminar matroids;
- ``lottery`` with ``lottery``: sets with probabilities; 1 / (smallest coverage);
- ``partition`` with ``coloring``: independent classes 1, 2 … that cover everything; their number.

References
----------
Banihashem, Hajiaghayi, Mittal, "Fair Matroid Selection", NeurIPS 2025.
Edmonds, "Minimum partition of a matroid into independent subsets", 1965.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection import proofs_guarantees as guarantees
from fairopt.problems.online_selection.evidence import (
    alpha_at_most,
    beta_at_most,
    elements_of,
    gamma_at_most,
    lottery_coverage,
)
from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.problems.online_selection.rank import closed_gamma, heaviest, rank

if TYPE_CHECKING:
    from fairopt.problems.online_selection.problem import OnlineSelection

Data = Mapping[str, Any]


# -- bounds on the smallest acceptance probability ---------------------------------------------


def densest_set(problem: OnlineSelection, data: Data) -> Fraction:
    """Return r(S)/|S|: expected, at most r(S) of the elements of S are accepted.

    Data: ``set``; for a matchoid with a set of more than 20 elements also ``cover``, positions
    of parts: every element of the set counts 1 unless it is in one of them, and part j counts
    the rank of its share of the set.
    """
    chosen = elements_of(data.get("set"), problem.n_elements, "set")
    if not chosen:
        raise InstanceError("proof.set", "must not be empty")
    return Fraction(_rank_at_most(problem, chosen, data), len(chosen))


def _rank_at_most(problem: OnlineSelection, chosen: Sequence[int], data: Data) -> int:
    """Return the rank of a set, or an upper bound of it by parts."""
    matroid = problem.matroid
    if "cover" not in data:
        held = rank(matroid, chosen)
        if held is None:
            why = "the rank of so many elements of a matchoid needs a cover by parts"
            raise InstanceError("proof.cover", why)
        return held
    if not isinstance(matroid, Matchoid):
        raise InstanceError("proof.cover", "is for matchoids")
    total, left = 0, set(chosen)
    for j in elements_of(data["cover"], len(matroid.parts), "cover"):
        part = matroid.parts[j]
        local = [k for k, e in enumerate(part.elements.tolist()) if e in left]
        held = rank(part.matroid, local)
        assert held is not None
        total += held
        left -= {int(part.elements[k]) for k in local}
    return total + len(left)


def loop(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 0: an element (``element``) is in no independent set."""
    if data.get("element") not in problem.loops:
        raise InstanceError("proof.element", "is no loop")
    return Fraction(0)


def empty(problem: OnlineSelection, data: Data) -> None:
    """Return None: there are no elements, so nothing to value."""
    if problem.n_elements:
        raise InstanceError("proof", f"there are {problem.n_elements} elements")


def trivial(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 1, an upper bound of every probability."""
    if not problem.n_elements:
        raise InstanceError("proof", "there are no elements")
    return Fraction(1)


def weighting(problem: OnlineSelection, data: Data) -> Fraction:
    """Return (weight of a heaviest independent set) / (sum of weights).

    Expected, the accepted set weighs at least the smallest probability times the sum. Data:
    ``weights``, one number of at least 0 for each element.
    """
    values = data.get("weights")
    if not isinstance(values, list | tuple) or len(values) != problem.n_elements:
        raise InstanceError("proof.weights", f"expected {problem.n_elements} numbers")
    weights = [Fraction(rational.parse(v, f"proof.weights[{e}]")) for e, v in enumerate(values)]
    if any(w < 0 for w in weights) or not any(weights):
        raise InstanceError("proof.weights", "expected numbers of at least 0, not all 0")
    best = heaviest(problem.matroid, weights)
    if best is None:
        raise InstanceError("proof.weights", "too many weighed elements for a matchoid")
    return best / sum(weights)


# -- gamma, alpha, beta, rank ------------------------------------------------------------------


def _closed(problem: OnlineSelection) -> Fraction:
    found = closed_gamma(problem.matroid)
    if found is None:
        raise InstanceError("proof", f"no closed form for {problem.matroid.type} matroids")
    return found


def gamma_closed(problem: OnlineSelection, data: Data) -> Fraction:
    """Return gamma by the formula for uniform, partition and laminar matroids."""
    return _closed(problem)


def alpha_closed(problem: OnlineSelection, data: Data) -> int:
    """Return ceil(gamma) by the formula for uniform, partition and laminar matroids."""
    return math.ceil(_closed(problem))


def packing(problem: OnlineSelection, data: Data) -> Fraction:
    """Return gamma = beta from a lottery and a densest set that meet.

    Data: ``lottery`` (as in an answer) that covers every element that is no loop with
    probability at least r(S)/|S|, and S in ``set``. For a matchoid the common value is both the
    largest density and beta.
    """
    least = lottery_coverage(problem, data.get("lottery"))
    quotient = densest_set(problem, data)
    if quotient != least:
        shown = f"{rational.text(least)} and {rational.text(quotient)}"
        raise InstanceError("proof", f"coverage and quotient differ: {shown}")
    return 1 / quotient


def weighted_packing(problem: OnlineSelection, data: Data) -> Fraction:
    """Return beta from a lottery and weights (as for ``weights``) that meet."""
    least = lottery_coverage(problem, data.get("lottery"))
    quotient = weighting(problem, data)
    if quotient != least:
        shown = f"{rational.text(least)} and {rational.text(quotient)}"
        raise InstanceError("proof", f"coverage and quotient differ: {shown}")
    return 1 / quotient


def partition(problem: OnlineSelection, data: Data) -> int:
    """Return alpha from a partition (``coloring``) and a set S with ceil(|S|/r(S)) as many."""
    colors = alpha_at_most(problem, {"by": "partition", "coloring": data.get("coloring")})
    least = alpha_at_least(problem, data)
    if least != colors:
        raise InstanceError("proof", f"{colors} classes, but the set shows {least}")
    return colors


def beta_at_least(problem: OnlineSelection, data: Data) -> Fraction:
    """Return |S|/r(S), a lower bound of beta (and of gamma)."""
    quotient = densest_set(problem, data)
    if not quotient:
        raise InstanceError("proof.set", "has rank 0")
    return 1 / quotient


def beta_at_least_weighted(problem: OnlineSelection, data: Data) -> Fraction:
    """Return (sum of weights) / (weight of a heaviest set), a lower bound of beta."""
    quotient = weighting(problem, data)
    if not quotient:
        raise InstanceError("proof.weights", "weigh loops only")
    return 1 / quotient


def alpha_at_least(problem: OnlineSelection, data: Data) -> int:
    """Return ceil(|S|/r(S)), a lower bound of alpha."""
    return math.ceil(beta_at_least(problem, data))


def lottery(problem: OnlineSelection, data: Data) -> Fraction:
    """Return 1 / (smallest coverage of an element that is no loop), an upper bound of beta."""
    return beta_at_most(problem, {"by": "lottery", "lottery": data.get("lottery")})


def classes(problem: OnlineSelection, data: Data) -> int:
    """Return the number of independent classes in ``coloring``, an upper bound of alpha."""
    return alpha_at_most(problem, {"by": "partition", "coloring": data.get("coloring")})


def set_and_cover(problem: OnlineSelection, data: Data) -> int:
    """Return the rank: a feasible set (``set``) as large as the bound by parts (``cover``)."""
    from fairopt.problems.online_selection.independence import independent

    chosen = elements_of(data.get("set"), problem.n_elements, "set")
    if not independent(problem.matroid, chosen):
        raise InstanceError("proof.set", "is not feasible")
    most = _rank_at_most(problem, np.arange(problem.n_elements).tolist(), data)
    if most != len(chosen):
        raise InstanceError("proof", f"the set has {len(chosen)} elements, the cover shows {most}")
    return most


Rule = Callable[["OnlineSelection", Data], Any]

RULES: dict[str, dict[str, Rule]] = {
    "bound": {
        "densest-set": densest_set,
        "weights": weighting,
        "loop": loop,
        "empty": empty,
        "trivial": trivial,
    },
    "gamma": {"closed-form": gamma_closed, "packing": packing},
    "beta": {
        "closed-form": gamma_closed,
        "packing": packing,
        "weighted-packing": weighted_packing,
    },
    "alpha": {"closed-form": alpha_closed, "partition": partition},
    "beta_at_least": {"densest-set": beta_at_least, "weights": beta_at_least_weighted},
    "beta_at_most": {"lottery": lottery},
    "gamma_at_most": {"evidence": lambda p, data: gamma_at_most(p, data.get("gamma"))},
    "alpha_at_least": {"densest-set": alpha_at_least},
    "alpha_at_most": {"partition": classes},
    "rank": {"set-and-cover": set_and_cover},
    "guaranteed_min_prob": {
        "first-fit": guarantees.first_fit,
        "oblivious": guarantees.oblivious,
        "laminar": guarantees.laminar,
        "laminar-cyclic": guarantees.laminar_cyclic,
        "matchoid": guarantees.matchoid,
        "degeneracy": guarantees.degeneracy,
    },
}
