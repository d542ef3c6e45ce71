"""The court of representative ranking: violations, exact value and figures of a feed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt.problem import Check, Violation
from fairopt.problems.jr_ranking import axioms, counting
from fairopt.problems.jr_ranking.axioms import View
from fairopt.problems.jr_ranking.justifying import is_justifying
from fairopt.problems.jr_ranking.values import top_value, value_of
from fairopt.solution import Claim

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.answer import Feed
    from fairopt.problems.jr_ranking.problem import JrRanking


def check(
    problem: JrRanking, answer: Feed, claims: Sequence[Claim] = (), *, expensive: bool = False
) -> Check:
    """Return violations, the exact value, and the figures.

    Rules: ``comments`` (known and distinct), ``size`` (exactly k), ``forced``, ``forbidden``, and
    ``axiom`` (also at the cutoffs of a ranking; the amount is the weight of the worst group
    beyond what would be tolerated). EJR and PJR are ``undecided`` where the court's budget of
    steps does not suffice and no claim of a solver says that this answer keeps them.
    """
    shown = problem.feed(answer.selected).selected
    if broken := _misfits(problem, shown):
        return Check(broken)
    view = View.of(problem, shown)
    violations = (*_fixed(problem, shown), *_axiom(problem, shown, view, claims))
    return Check(violations, value_of(problem, shown), _figures(problem, shown, view, claims))


def _misfits(problem: JrRanking, shown: tuple[int, ...]) -> tuple[Violation, ...]:
    out = [
        Violation("comments", f"no comment {c}", 1)
        for c in shown
        if not 0 <= c < problem.n_comments
    ]
    seen: set[int] = set()
    for c in shown:
        if c in seen:
            out.append(Violation("comments", f"{c} is named twice", 1))
        seen.add(c)
    if len(shown) != problem.k:
        where = f"{len(shown)} comments shown, k is {problem.k}"
        out.append(Violation("size", where, abs(len(shown) - problem.k)))
    return tuple(out)


def _fixed(problem: JrRanking, shown: tuple[int, ...]) -> list[Violation]:
    chosen = set(shown)
    missing = [c for c in problem.forced if c not in chosen]
    wrong = [c for c in problem.forbidden if c in chosen]
    out = [Violation("forced", problem.name_of(c), 1) for c in missing]
    return out + [Violation("forbidden", problem.name_of(c), 1) for c in wrong]


# -- the axiom -----------------------------------------------------------------------------


def _axiom(
    problem: JrRanking, shown: tuple[int, ...], view: View, claims: Sequence[Claim]
) -> list[Violation]:
    if problem.mode == "ranking":
        return _cutoffs(problem, shown) if problem.axiom == "jr" else []
    verdict = axioms.decide(view, problem.axiom)
    if verdict.holds or (verdict.holds is None and _claimed(problem, shown, claims)):
        return []
    if verdict.holds is None:
        return [Violation("axiom", f"{problem.axiom}, undecided by enumeration and not claimed")]
    return [_broken(problem, problem.axiom, verdict)]


def _cutoffs(problem: JrRanking, shown: tuple[int, ...]) -> list[Violation]:
    out = []
    for r in problem.prefixes:
        verdict = axioms.jr(View.of(problem, shown[:r], r))
        if not verdict.holds:
            out.append(_broken(problem, f"jr of the first {r}", verdict))
    return out


def _broken(problem: JrRanking, axiom: str, verdict: axioms.Verdict) -> Violation:
    found = verdict.witness
    assert found is not None
    names = ", ".join(problem.name_of(c) for c in found.comments)
    noun = "comment" if len(found.comments) == 1 else "comments"
    return Violation("axiom", f"{axiom}, approvers of {noun} {names}", found.excess)


def _claimed(problem: JrRanking, shown: tuple[int, ...], claims: Sequence[Claim]) -> bool:
    """Return whether a named solver says that this very set keeps the axiom in force."""
    said = sorted(shown)
    return any(
        c.name == problem.axiom
        and c.value is True
        and c.proof == "solver"
        and _listed(c.data.get("selected")) == said
        for c in claims
    )


def _listed(value: Any) -> list[int] | None:
    if not isinstance(value, list | tuple) or not all(type(c) is int for c in value):
        return None
    return sorted(value)


# -- figures -------------------------------------------------------------------------------


def _figures(
    problem: JrRanking, shown: tuple[int, ...], view: View, claims: Sequence[Claim]
) -> dict[str, Any]:
    approved, weights = view.approved, problem.weights
    left = counting.unrepresented(problem, approved)
    factor = axioms.quota_factor(view)
    level, worst = axioms.levels(view)
    value, top = value_of(problem, shown), top_value(problem)
    both = value > 0 and top > 0
    price: Any = None
    if both:
        price = top / value if isinstance(value, float) else Fraction(top) / Fraction(value)
    mean = Fraction(int((weights * approved).sum()), problem.n)
    return {
        "jr_level": Fraction(factor * int(left.max()), problem.n),
        "ejr_plus_level": level,
        "witness": _witness(view, worst),
        "coverage": int(weights[approved > 0].sum()),
        "pav_score": _pav(problem, view),
        "av_score": int(problem.sup[list(shown)].sum()),
        "min_satisfaction": int(approved.min()),
        "mean_satisfaction": mean,
        "price": price,
        "additive_gap": top - value,
        "prefix_levels": _prefix_levels(problem, shown),
        "ties": _ties(problem, shown),
        "min_justifying_size": _justifying(problem, claims),
    }


def _witness(view: View, worst: counting.Group | None) -> dict[str, Any] | None:
    if worst is None:
        return None
    return {
        "comment": worst.comment,
        "level": worst.level,
        "weight": worst.weight,
        "users": view.members(worst.comment, worst.level).tolist(),
    }


def _pav(problem: JrRanking, view: View) -> Fraction:
    """Return the sum over users of 1 + 1/2 + … + 1/(approved comments)."""
    mass = counting.sums(
        problem, view.approved, np.arange(problem.n_users), int(view.approved.max()) + 1
    )
    total = harmonic = Fraction(0)
    for j, weight in enumerate(mass.tolist()):
        harmonic += Fraction(1, j) if j else 0
        total += weight * harmonic
    return total


def _prefix_levels(problem: JrRanking, shown: tuple[int, ...]) -> tuple[Fraction, ...] | None:
    """Return the JR level of the first r comments for size r, r = 1..k; None in set mode."""
    if problem.mode == "set":
        return None
    out = []
    ptr, users = problem.supporters
    free = np.ones(problem.n_users, np.bool_)
    left = problem.sup.copy()
    for r, c in enumerate(shown, 1):
        new = users[ptr[c] : ptr[c + 1]]
        new = new[free[new]].astype(np.int64)
        free[new] = False
        left -= counting.sums(problem, *counting.ballots_of(problem, new), problem.n_comments)
        factor = r + (problem.quota == "droop")
        out.append(Fraction(factor * int(left.max()), problem.n))
    return tuple(out)


def _ties(problem: JrRanking, shown: tuple[int, ...]) -> bool:
    """Return whether a comment that is not shown has the same score as one that is.

    Forced and forbidden comments aside: by the scores alone another choice was possible.
    """
    scores = problem.scores.num.tolist()
    inside = {scores[c] for c in set(shown) - set(problem.forced)}
    outside = set(range(problem.n_comments)) - set(shown) - set(problem.forbidden)
    return any(scores[c] in inside for c in outside)


def _justifying(problem: JrRanking, claims: Sequence[Claim]) -> int | None:
    """Return the size of a smallest justifying set, if a claim names one that is justifying."""
    for claim in claims:
        members = _listed(claim.data.get("set"))
        if claim.name != "min_justifying_size" or members is None:
            continue
        known = all(0 <= c < problem.n_comments for c in members)
        distinct = len(set(members)) == len(members)
        fits = known and distinct and type(claim.value) is int and claim.value == len(members)
        if fits and is_justifying(problem, members):
            return len(members)
    return None
