"""Bounds on the score, the ones that anybody can recompute before those of solvers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, perm
from typing import Any

import numpy as np

from fairopt.problems.jr_ranking import JrRanking
from fairopt.rational import text
from fairopt.solution import Bound, Infeasible
from fairopt_solvers.jr_ranking.cuts import Cut
from fairopt_solvers.jr_ranking.lazy import Search
from fairopt_solvers.jr_ranking.profile import Ints

_SETS = 2_000  # selections that the court tries in a moment


def top_bound(problem: JrRanking) -> Bound:
    """Return the value of the best feed without the axiom, which bounds every other."""
    data = {"rule": "top-k"}
    return Bound(problem.recompute(data), "theorem", data)


def enumerable(problem: JrRanking) -> bool:
    """Return whether the court can try all feeds itself in little time."""
    free = problem.n_comments - len(problem.forced) - len(problem.forbidden)
    orders = perm(problem.k) if problem.mode == "ranking" else 1
    few = comb(free, problem.k - len(problem.forced)) * orders <= _SETS
    return few and problem.axiom not in ("ejr", "pjr")


def enumeration_bound(problem: JrRanking) -> Bound:
    """Return the optimum as the court finds it by trying all feeds."""
    data = {"rule": "enumeration"}
    return Bound(problem.recompute(data), "combinatorial", data)


def infeasibility(problem: JrRanking, backends: Sequence[str]) -> Infeasible:
    """Return that no feed keeps the axiom, with the best proof that a court can recompute."""
    words = f"no feed with these forced and forbidden comments keeps {problem.axiom}"
    if problem.recompute({"rule": "forbidden"}, "infeasible"):
        return Infeasible(words, "theorem", {"rule": "forbidden"})
    if enumerable(problem):
        return Infeasible(words, "combinatorial", {"rule": "enumeration"})
    return Infeasible(words, "solver", {"backend": " + ".join(backends) or "none"})


def multipliers_bound(problem: JrRanking, search: Search) -> Bound | None:
    """Return the bound of a search's linear program as one that anybody can recompute."""
    if search.dual is None:
        return None
    dual, cuts = search.dual
    used = [(y, cut) for y, cut in zip(dual.multipliers, cuts, strict=True) if y]
    if not used or not all(cut.about for _, cut in used):
        return None
    origin = search.question.profile.origin
    data = {
        "rule": "coverage-lp",
        "cuts": [_described(cut, origin) for _, cut in used],
        "multipliers": [text(y) for y, _ in used],
    }
    return Bound(problem.recompute(data), "multipliers", data)


def _described(cut: Cut, origin: Ints | None) -> dict[str, Any]:
    """Return the keys of a cut, its members as rows of the instance."""
    if cut.members is None:
        return dict(cut.about)
    rows = cut.members
    if origin is not None:
        merged, first = np.unique(origin, return_index=True)
        rows = first[np.searchsorted(merged, rows)]
    return {**cut.about, "ballots": rows.tolist()}


def best_bound(problem: JrRanking, search: Search) -> Bound:
    """Return the best bound of a search, with the proof that needs least trust."""
    value = Fraction(search.bound, search.question.scores.den)
    top = top_bound(problem)
    if value >= top.value:  # type: ignore[operator]
        return top
    if search.dual is not None and search.dual[0].floor(search.question) <= search.bound:
        proven = multipliers_bound(problem, search)
        if proven is not None and proven.value <= value:  # type: ignore[operator]
            return proven
    if search.done and enumerable(problem):
        return enumeration_bound(problem)
    return Bound(value, "solver", {"backend": " + ".join(search.backends) or "none"})
