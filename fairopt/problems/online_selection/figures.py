"""Figures of an answer: spread of probabilities, what the offline optimum is known to be, weight.

``gamma``, ``alpha`` and ``beta`` are about the loopless restriction, and null where the instance
has loops, because the offline optimum is then 0; the part without loops stands in
``restricted``. They come from a closed form (uniform, partition and laminar matroids), from a
densest set whose quotient the answer attains, or from claims.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.confidence import lower_limit
from fairopt.problems.online_selection.rank import SMALL, closed_gamma, heaviest, rank
from fairopt.solution import Claim

if TYPE_CHECKING:
    from fairopt.problems.online_selection.answer import Selection
    from fairopt.problems.online_selection.problem import OnlineSelection

_WEIGHING = 5_000_000  # elements times distinct weights up to which OPT_w is always computed


@dataclass(frozen=True, slots=True)
class Chances:
    """Acceptance probabilities: ``num[e] / den``, ``num`` an array of Python ints."""

    num: NDArray[Any]
    den: int

    @classmethod
    def of_lottery(
        cls, n: int, sets: Sequence[Sequence[int]], chances: Sequence[Fraction]
    ) -> Chances:
        """Return how likely each of ``n`` elements is in the set drawn."""
        den = math.lcm(*(p.denominator for p in chances))
        parts = [p.numerator * (den // p.denominator) for p in chances]
        if sum(parts) < 2**62:
            num = np.zeros(n, np.int64)
            each = np.repeat(np.array(parts, np.int64), [len(s) for s in sets])
            np.add.at(num, np.array([e for s in sets for e in s], np.int64), each)
            return cls(num.astype(object), den)
        large: list[int] = [0] * n
        for chosen, part in zip(sets, parts, strict=True):
            for e in chosen:
                large[e] += part
        return cls(np.array(large, object), den)

    def least(self) -> Fraction:
        """Return the smallest one."""
        return Fraction(int(min(self.num)), self.den)

    def take(self, index: NDArray[np.int64]) -> Chances:
        """Return those of some elements."""
        return Chances(self.num[index], self.den)

    def mean(self) -> Fraction:
        """Return the mean."""
        return Fraction(int(sum(self.num)), self.den * len(self.num))

    def gini(self) -> Fraction:
        """Return sum over pairs |p_e - p_f| / (2 n sum p_e), 0 if all are 0.

        In ascending order the k-th of n counts 2k - n + 1 times (k from 0).
        """
        values = sorted(self.num.tolist())
        n, total = len(values), sum(values)
        if not total:
            return Fraction(0)
        spread = sum((2 * k - n + 1) * v for k, v in enumerate(values))
        return Fraction(spread, n * total)


def figures_of(
    problem: OnlineSelection,
    answer: Selection,
    chances: Chances,
    value: Fraction | None,
    claims: Sequence[Claim],
    *,
    expensive: bool,
) -> dict[str, Any]:
    """Return all figures; the expensive ones only where asked for."""
    n, loops = problem.n_elements, problem.loops
    some = bool(n) and answer.kind != "run"
    known = _offline(problem, answer, chances, claims)
    whole = dict.fromkeys(known) if loops else known
    guaranteed = _guaranteed(answer, chances, value, claims) if not loops else None
    out: dict[str, Any] = {
        "min_prob": value,
        "guaranteed_min_prob": guaranteed,
        "mean_prob": chances.mean() if some else None,
        "gini": chances.gini() if some else None,
        **whole,
        "rank": _rank(problem, claims),
        "loops": list(loops),
        "restricted": _restricted(problem, answer, chances, claims, known) if loops else None,
        "ratio_to_offline": None if loops else _against(value, known["beta"]),
    }
    if answer.kind == "estimate" and some:
        out["observed_min_prob"] = chances.least()
    if answer.kind == "run":
        assert answer.run is not None
        out["accepted"] = len(answer.run.accepted)
    if problem.weights is not None:
        out |= _welfare(problem, chances, answer, expensive)
    if expensive and answer.kind == "estimate":
        out |= _exact(problem, answer)
    return out


def _against(value: Any, beta: Fraction | None) -> Any:
    """Return value / t* with t* = 1/beta."""
    return None if value is None or not beta else Fraction(value) * Fraction(beta)


def _rank(problem: OnlineSelection, claims: Sequence[Claim]) -> int | None:
    found = rank(problem.matroid) if problem.is_matroid or problem.n_elements <= SMALL else None
    if found is None:
        found = next((c.value for c in claims if c.name == "rank"), None)
    return found


def _offline(
    problem: OnlineSelection, answer: Selection, chances: Chances, claims: Sequence[Claim]
) -> dict[str, Any]:
    """Return gamma, alpha and beta of the loopless restriction as far as they are proven."""
    if not problem.n_elements:
        return {"gamma": Fraction(0), "alpha": 0, "beta": Fraction(0)}
    claimed = {c.name: c.value for c in reversed(claims)}
    density = closed_gamma(problem.matroid) or _attained(problem, answer, chances)
    if density is None:
        density = claimed.get("gamma")
    beta = claimed.get("beta", density)
    alpha = claimed.get("alpha")
    if density is not None and problem.is_matroid:
        alpha = math.ceil(density)
    exact = None if density is None else Fraction(density)
    return {"gamma": exact, "alpha": alpha, "beta": None if beta is None else Fraction(beta)}


def _attained(problem: OnlineSelection, answer: Selection, chances: Chances) -> Fraction | None:
    """Return |S|/r(S) of the reported set S if every element outside loops has r(S)/|S|.

    The smallest probability of an element that is no loop equals an upper bound of it, so both
    are the offline optimum, and no set is denser. A set of several elements that is itself
    independent says nothing more than one of its elements, and only that is taken.
    """
    densest = answer.densest
    if not densest or answer.kind not in ("coloring", "lottery"):
        return None
    held = rank(problem.matroid, densest)
    if not held or (held == len(densest) and held > 1):
        return None
    usable = np.setdiff1d(np.arange(problem.n_elements), problem.loops)
    if not usable.size or chances.take(usable).least() != Fraction(held, len(densest)):
        return None
    return Fraction(len(densest), held)


def _guaranteed(
    answer: Selection, chances: Chances, value: Fraction | None, claims: Sequence[Claim]
) -> Any:
    """Return what is proven for every order: a claim, or the value of a lottery itself.

    A lottery is drawn before the first arrival, so its probabilities hold for every order. A
    claim that the answer of this order does not keep rests on parameters that are wrong.
    """
    found = [c.value for c in claims if c.name.partition("[")[0] == "guaranteed_min_prob"]
    if answer.kind in ("coloring",) and value is not None:
        found = [v for v in found if Fraction(v) <= value]
    if answer.kind == "lottery":
        return value
    return max(found, default=None)


def _restricted(
    problem: OnlineSelection,
    answer: Selection,
    chances: Chances,
    claims: Sequence[Claim],
    known: dict[str, Any],
) -> dict[str, Any]:
    """Return the figures of the elements that are no loops."""
    usable = np.setdiff1d(np.arange(problem.n_elements), problem.loops)
    out: dict[str, Any] = {"elements": len(usable)}
    if not usable.size:
        return {**out, "gamma": Fraction(0), "alpha": 0, "beta": Fraction(0)}
    least: Fraction | None = None
    if answer.kind != "run":
        mine = chances.take(usable)
        if answer.kind == "estimate":
            assert answer.estimate is not None
            least = lower_limit(answer.estimate, usable.tolist())
        else:
            least = mine.least()
        out |= {
            "min_prob": least,
            "guaranteed_min_prob": _guaranteed(answer, mine, least, claims),
            "mean_prob": mine.mean(),
            "gini": mine.gini(),
        }
    return {**out, **known, "ratio_to_offline": _against(least, known["beta"])}


def _welfare(
    problem: OnlineSelection, chances: Chances, answer: Selection, expensive: bool
) -> dict[str, Any]:
    """Return expected weight, the weight of a heaviest independent set, and their quotient."""
    weights = problem.weights
    assert weights is not None
    num = weights.num.astype(object)
    total = Fraction(int((num * chances.num).sum()) if len(num) else 0, weights.den * chances.den)
    key = "weight" if answer.kind == "run" else "expected_weight"
    out: dict[str, Any] = {key: total}
    distinct = len(set(weights.num.tolist()))
    if expensive or distinct * problem.n_elements <= _WEIGHING:
        best = heaviest(problem.matroid, weights.to_list())
        out["opt_weight"] = best
        price = None if best is None or not total else best / total
        out["price_of_fairness"] = None if answer.kind == "run" else price
    return out


def _exact(problem: OnlineSelection, answer: Selection) -> dict[str, Any]:
    """Return exact probabilities where the rule of the estimate can be enumerated."""
    from fairopt.problems.online_selection.enumeration import exact_probabilities

    assert answer.estimate is not None
    found = exact_probabilities(problem, answer.estimate.rule)
    return {} if found is None else {"exact_probabilities": found}
