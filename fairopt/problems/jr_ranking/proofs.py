"""Proofs that are recomputed from the instance and their data alone; no solver.

``RULES[kind][name](problem, data)`` returns what is proven: an upper bound on the score
(``bound``), True (``infeasible``), or the value of a claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, gcd, perm
from typing import TYPE_CHECKING, Any

from fairopt.errors import InstanceError
from fairopt.problems.jr_ranking import axioms
from fairopt.problems.jr_ranking.axioms import View
from fairopt.problems.jr_ranking.justifying import is_justifying, refuted_below
from fairopt.problems.jr_ranking.proofs_cuts import cut_of
from fairopt.problems.jr_ranking.values import top_value, value_of
from fairopt.rational import RESULT_DIGITS, parse

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

SETS = 50_000  # feeds that an enumeration may have to look at
_MOST_CUTS = 20_000


def top_k(problem: JrRanking, data: Mapping[str, Any]) -> Fraction | float:
    """Return the best score without any axiom (``forced`` and ``forbidden`` kept)."""
    return top_value(problem)


# -- multipliers on cuts -------------------------------------------------------------------


def coverage_lp(problem: JrRanking, data: Mapping[str, Any]) -> Fraction:
    """Return the bound that multipliers y >= 0 on valid cuts a x >= b give.

    Every lawful feed x has ``s x <= s x + y (A x - b) <= max (s + y A) x - y b`` over all sets of k
    comments with the forced and without the forbidden ones, a sum of the largest coefficients. The
    bound is rounded down to a number that totals of k scores can have. ``data["cuts"]`` are
    rebuilt from the groups that they are about (see ``proofs_cuts.py``), so that a wrong one
    cannot be stated; ``data["multipliers"]`` are exact numbers. In set mode only.
    """
    if problem.mode != "set":
        raise InstanceError("proof", "multipliers on cuts prove a bound in the mode set only")
    cuts, multipliers = data.get("cuts"), data.get("multipliers")
    if not isinstance(cuts, list | tuple) or not isinstance(multipliers, list | tuple):
        raise InstanceError("proof", "expected lists of cuts and multipliers")
    if len(cuts) != len(multipliers) or len(cuts) > _MOST_CUTS:
        raise InstanceError("proof", "expected one multiplier for each cut")
    scores = problem.scores
    reduced = [Fraction(v) for v in scores.to_list()]
    constant = Fraction(0)
    for j, (raw, given) in enumerate(zip(cuts, multipliers, strict=True)):
        where = f"proof.multipliers[{j}]"
        factor = Fraction(parse(given, where, digits=RESULT_DIGITS))
        if factor < 0:
            raise InstanceError(where, f"expected at least 0, got {factor}")
        cut = cut_of(problem, raw, f"proof.cuts[{j}]")
        for c, value in cut.terms:
            reduced[c] += factor * value
        constant += factor * cut.need
    inside = set(problem.forced)
    out = inside | set(problem.forbidden)
    free = sorted((reduced[c] for c in range(problem.n_comments) if c not in out), reverse=True)
    best = sum((reduced[c] for c in inside), Fraction(0))
    best += sum(free[: problem.k - len(inside)], Fraction(0))
    step = Fraction(gcd(*map(int, scores.num.tolist())), scores.den)
    bound = best - constant
    return bound // step * step if step else bound


# -- enumeration ---------------------------------------------------------------------------


def _feeds(problem: JrRanking) -> Iterator[tuple[int, ...]]:
    """Yield every feed that keeps ``forced`` and ``forbidden``; in set mode in one order each."""
    out = set(problem.forced) | set(problem.forbidden)
    free = [c for c in range(problem.n_comments) if c not in out]
    need = problem.k - len(problem.forced)
    orders = perm(problem.k) if problem.mode == "ranking" else 1
    if comb(len(free), need) * orders > SETS:
        raise InstanceError("proof", f"more than {SETS:,} feeds are too many to try them all")
    for rest in combinations(free, need):
        chosen = (*problem.forced, *rest)
        yield from permutations(chosen) if problem.mode == "ranking" else [chosen]


def _lawful(problem: JrRanking, feed: tuple[int, ...]) -> bool:
    if problem.mode == "ranking":
        cutoffs = problem.prefixes if problem.axiom == "jr" else ()
        return all(axioms.jr(View.of(problem, feed[:r], r)).holds for r in cutoffs)
    verdict = axioms.decide(View.of(problem, feed), problem.axiom)
    if verdict.holds is None:
        raise InstanceError("proof", f"{problem.axiom} is undecided by enumeration")
    return verdict.holds


def enumerated(problem: JrRanking, data: Mapping[str, Any]) -> Fraction | float:
    """Return the best score of all feeds that keep the axiom, the best ones looked at first."""
    valued = [(value_of(problem, feed), feed) for feed in _feeds(problem)]
    for value, feed in sorted(valued, key=lambda pair: -pair[0]):
        if _lawful(problem, feed):
            return value
    raise InstanceError("proof", "no feed keeps the axiom")


def none_lawful(problem: JrRanking, data: Mapping[str, Any]) -> bool:
    """Return whether no feed keeps the axiom, by trying them all."""
    return not any(_lawful(problem, feed) for feed in _feeds(problem))


def none_fits(problem: JrRanking, data: Mapping[str, Any]) -> bool:
    """Return whether even all comments that are not forbidden leave a group without any.

    JR is kept when comments are added; what a set of all allowed comments does not achieve, no
    feed does. In a ranking that is asked of the last cutoff alone.
    """
    allowed = set(range(problem.n_comments)) - set(problem.forbidden)
    if problem.axiom == "none" or (problem.mode == "ranking" and not problem.prefixes):
        return False
    size = problem.k if problem.mode == "set" else problem.prefixes[-1]
    return not axioms.jr(View.of(problem, allowed, size)).holds


# -- claims --------------------------------------------------------------------------------


def smallest_justifying(problem: JrRanking, data: Mapping[str, Any]) -> int:
    """Return the size of the set in ``data["set"]``, if it is justifying and none is smaller."""
    members = data.get("set")
    m = problem.n_comments
    if not isinstance(members, list | tuple) or len(set(members)) != len(members):
        raise InstanceError("proof", "expected a list of distinct comments")
    if not all(type(c) is int and 0 <= c < m for c in members):
        raise InstanceError("proof", "names a comment that there is not")
    if not is_justifying(problem, members):
        raise InstanceError("proof", "the set is not justifying")
    if not refuted_below(problem, len(members)):
        raise InstanceError("proof", "a smaller set is justifying")
    return len(members)


RULES = {
    "bound": {"top-k": top_k, "coverage-lp": coverage_lp, "enumeration": enumerated},
    "infeasible": {"enumeration": none_lawful, "forbidden": none_fits},
    "min_justifying_size": {"enumeration": smallest_justifying},
}
