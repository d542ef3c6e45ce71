"""The parameters that methods are told or, where the instance leaves them open, that are computed.

All parameters are about the elements that are no loops. Whatever is computed comes with evidence
that the court recomputes, so that a guarantee that rests on it is proven.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fairopt.errors import InstanceError
from fairopt.problems.online_selection.figures import Chances
from fairopt.problems.online_selection.kinds import Matroid
from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.problems.online_selection.rank import closed_gamma, rank
from fairopt.rational import text
from fairopt.run import Run
from fairopt.solution import Bound, Claim
from fairopt_solvers.online_selection.partition import Stopped
from fairopt_solvers.online_selection.placing import placer

Density = tuple[Fraction, Mapping[str, Any] | None, Bound | None]

QUICK = 2_000  # elements up to which parameters are computed for a figure alone


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a method may be told before the first arrival.

    Attributes
    ----------
    gamma, alpha
        Fractional arboricity (of a matchoid: beta) and arboricity, or upper bounds of them.
    rank
        Size of a largest independent set; of a large matchoid an upper bound.
    p
        In how many parts of a matchoid an element is at most; 1 for a matroid.
    given
        Whether gamma and alpha are the instance's word, which may be wrong.
    evidence
        What shows gamma, as the court reads it; None if it was not asked for.
    rank_given
        Whether the rank is the instance's word.
    bound
        What no method can beat, where computing gamma has shown it.
    claims
        That gamma (beta) is exactly this, where the bound and the evidence meet.
    """

    gamma: Fraction
    alpha: int
    rank: int
    p: int
    given: bool
    evidence: Mapping[str, Any] | None
    rank_given: bool
    bound: Bound | None = None
    claims: tuple[Claim, ...] = ()


def parameters(
    problem: OnlineSelection, run: Run, *, density: bool = True, rank: bool = True
) -> Parameters:
    """Return the parameters: as given (beta, else alpha), else by formula, else computed offline.

    What is not asked for is 0. Raises ``Stopped`` when the time is up.
    """
    told = problem.information
    gamma, evidence, bound = _density(problem, run) if density else (Fraction(0), None, None)
    exact = () if bound is None else _exact(gamma, evidence, bound)
    alpha = math.ceil(gamma) if told.alpha is None else told.alpha
    return Parameters(
        gamma,
        alpha,
        _rank(problem) if rank else 0,
        max(1, problem.matroid.p) if isinstance(problem.matroid, Matchoid) else 1,
        told.alpha is not None or told.beta is not None,
        evidence,
        told.rank is not None,
        bound,
        exact,
    )


def quick_parameters(problem: OnlineSelection, run: Run) -> Parameters | None:
    """Return the parameters where they cost little; for what is shown, not for decisions."""
    told = problem.information
    known = told.beta is not None or told.alpha is not None
    if not known and problem.n_elements > QUICK and closed_gamma(problem.matroid) is None:
        return None
    try:
        return parameters(problem, run)
    except Stopped:
        return None


def _density(problem: OnlineSelection, run: Run) -> Density:
    told = problem.information
    if told.beta is not None:
        return told.beta, {"by": "given"}, None
    if told.alpha is not None:
        return Fraction(told.alpha), {"by": "given"}, None
    found = closed_gamma(problem.matroid)
    if found is not None:
        return max(Fraction(1), found), {"by": "closed-form"}, None
    return _offline_density(problem, run)


def _offline_density(problem: OnlineSelection, run: Run) -> Density:
    """Return 1 over the least coverage of the offline lottery, an upper bound of gamma."""
    loops = set(problem.loops)
    if len(loops) == problem.n_elements:
        return Fraction(0), {}, None
    from fairopt_solvers.online_selection.offline import offline

    outcome = offline(problem, apart(run))
    answer = outcome.answer
    if answer is None or not answer.lottery:
        raise Stopped
    chances = [draw.probability for draw in answer.lottery]
    cover = Chances.of_lottery(problem.n_elements, [draw.set for draw in answer.lottery], chances)
    least = cover.take(np.array([e for e in range(problem.n_elements) if e not in loops])).least()
    rows = [{"set": list(d.set), "probability": text(d.probability)} for d in answer.lottery]
    return 1 / least, {"by": "lottery", "lottery": rows}, outcome.bound


def _exact(gamma: Fraction, evidence: Mapping[str, Any] | None, bound: Bound) -> tuple[Claim, ...]:
    """Return the claim that gamma is what a lottery and a densest set both show."""
    chosen = bound.data.get("set")
    if chosen is None or evidence is None or bound.value != 1 / gamma or "cover" in bound.data:
        return ()
    data = {"rule": "packing", "lottery": evidence["lottery"], "set": chosen}
    return (Claim("gamma", gamma, "combinatorial", data),)


def apart(run: Run) -> Run:
    """Return a run with the same deadline whose offers are not those of the method.

    What the offline method offers on the way is a parameter here, not an answer.
    """

    def clock() -> float:
        return math.inf if run.expired() else run.clock()

    return Run(run.remaining(), run.seed, run.threads, clock, minimize=False)


def _rank(problem: OnlineSelection) -> int:
    """Return the rank as given, else computed; for a large matchoid the sum over its parts."""
    if problem.information.rank is not None:
        return problem.information.rank
    matroid = problem.matroid
    if not isinstance(matroid, Matchoid):
        return greedy_rank(matroid)
    found = rank(matroid)
    if found is not None:
        return found
    total = int((matroid.multiplicity() == 0).sum())
    total += sum(greedy_rank(part.matroid) for part in matroid.parts)
    return min(total, matroid.n - len(problem.loops))


def greedy_rank(matroid: Matroid) -> int:
    """Return the size of a maximal independent set: the rank of a matroid."""
    return int((placer(matroid, 1).extend(np.arange(matroid.n)) == 1).sum())


# -- what is proven about every order ------------------------------------------------------


def _claim(problem: OnlineSelection, data: Mapping[str, Any], most: Fraction) -> tuple[Claim, ...]:
    """Return the guarantee that the court reads from these data, unless it exceeds ``most``."""
    if not problem.n_elements or len(problem.loops) == problem.n_elements:
        return ()
    try:
        value = problem.recompute(data, "guaranteed_min_prob")
    except InstanceError:
        return ()
    if Fraction(value) > most:
        return ()
    return (Claim("guaranteed_min_prob", value, "theorem", data),)


def _levels(known: Parameters, rule: str, levels: str) -> dict[str, Any]:
    data = {"rule": rule, "levels": levels, "gamma": known.evidence}
    return {**data, "rank": "given"} if known.rank_given else data


def guarantee_of_colours(
    problem: OnlineSelection, known: Parameters, levels: str, m: int
) -> tuple[Claim, ...]:
    """Return 1/m, proven for every order by Theorem 10 or 17."""
    rule = "first-fit" if problem.is_matroid else "matchoid"
    return _claim(problem, _levels(known, rule, levels), Fraction(1, m))


def guarantee_of_oblivious(problem: OnlineSelection, known: Parameters) -> tuple[Claim, ...]:
    """Return the chance of the last colour that first fit can need (Theorem 8)."""
    return _claim(problem, _levels(known, "oblivious", "tight"), Fraction(1))


def guarantee_of_laminar(
    problem: OnlineSelection, known: Parameters, m: int, *, cyclic: bool
) -> tuple[Claim, ...]:
    """Return 1/m, proven for every order by Theorem 11 or by counting within blocks."""
    data = {"rule": "laminar-cyclic" if cyclic else "laminar", "alpha": known.evidence}
    return _claim(problem, data, Fraction(1, m))


def guarantee_of_degeneracy(problem: OnlineSelection, d: int, q: Fraction) -> tuple[Claim, ...]:
    """Return the number of Lemma 15 for this d and q, if it is one."""
    return _claim(problem, {"rule": "degeneracy", "degeneracy": d, "q": text(q)}, Fraction(1))
