"""The court of desk rejection: violations, exact value and figures of a kept set.

Plain NumPy on the incidences and limits of the problem, in integers of any size; it shares no
code with a method. Time and memory are linear in the incidences (plus sorting costs).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problem import Check, Violation
from fairopt.rational import Rational, add_by, whole

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.answer import KeptPapers
    from fairopt.problems.desk_rejection.problem import DeskRejection

Ints = NDArray[np.int64]
Pairs = tuple[tuple[Fraction, int], ...]

HEAD = 10  # costs shown by the figure ``leximin``


def check(problem: DeskRejection, answer: KeptPapers) -> Check:
    """Return violations, the exact value of the objective in force, and all figures.

    Rules: ``known-ids`` (the answer is about these papers), ``forced`` (must_keep,
    must_reject), ``limit`` and ``role-limit`` (by how much an author exceeds it).
    """
    if len(answer.mask) != problem.n_papers or (
        answer.paper_ids is not problem.paper_ids and answer.paper_ids != problem.paper_ids
    ):
        return Check((_unknown(problem, answer),))
    hearing = _Hearing.of(problem, answer.mask)
    figures = _figures(problem, hearing)
    return Check(_violations(problem, hearing), _value(problem, hearing, figures), figures)


def _unknown(problem: DeskRejection, answer: KeptPapers) -> Violation:
    wrong = set(answer.paper_ids) ^ set(problem.paper_ids)
    return Violation("known-ids", min(wrong, default="order of papers"), max(len(wrong), 1))


@dataclass(frozen=True, slots=True)
class _Hearing:
    """What follows directly from the kept set: loads, loads by role, losses."""

    kept: NDArray[np.bool_]  # (papers,)
    load: NDArray[Any]  # (authors,), in units of 1 / cost.den
    by_role: dict[int, Ints]  # limited role -> papers kept by each author in it
    lost: Ints  # (authors,)

    @staticmethod
    def of(problem: DeskRejection, kept: NDArray[np.bool_]) -> _Hearing:
        n, here = problem.n_authors, kept[problem.paper_of_incidence]
        who = problem.paper_author[here]
        load = add_by(who, problem.cost.num[here], n)
        role = problem.effective_role[here]
        by_role = {r: np.bincount(who[role == r], minlength=n) for r, _ in problem.limited_roles}
        lost = np.bincount(problem.paper_author[~here], minlength=n).astype(np.int64)
        return _Hearing(kept, load, by_role, lost)


def _violations(problem: DeskRejection, hearing: _Hearing) -> tuple[Violation, ...]:
    kept, out = hearing.kept, []
    wrong = np.flatnonzero((problem.must_keep & ~kept) | (problem.must_reject & kept))
    out += [Violation("forced", problem.paper_ids[j], 1) for j in wrong]
    for i in np.flatnonzero(hearing.load > problem.capacity).tolist():
        limit = problem.limit_of(i)
        load = Fraction(int(hearing.load[i]), problem.cost.den)
        out.append(Violation("limit", problem.author_ids[i], whole(load - (limit or 0))))
    for role, most in problem.limited_roles:
        name = problem.effective_role_names[role]
        for i in np.flatnonzero(hearing.by_role[role] > most).tolist():
            where = f"{problem.author_ids[i]} as {name}"
            out.append(Violation("role-limit", where, int(hearing.by_role[role][i]) - most))
    return tuple(out)


# -- costs of authors ----------------------------------------------------------------------


def _costs(problem: DeskRejection, lost: Ints) -> tuple[Ints, Ints]:
    """Return numerators and denominators of the costs that ``author_cost`` names."""
    if problem.author_cost == "count":
        return lost, np.ones_like(lost)
    if problem.author_cost == "share":
        return lost, problem.degree
    return np.maximum(lost - _excess(problem), 0), problem.degree


def _excess(problem: DeskRejection) -> Ints:
    """Return e = max(0, d - b); capacity is min(d, b) under the unit quota."""
    excess: Ints = (problem.degree - problem.capacity).astype(np.int64)
    return excess


def _groups(top: Ints, bottom: Ints) -> Pairs:
    """Return distinct fractions top/bottom in descending order, and how often each occurs."""
    if not len(top):
        return ()
    shared = np.gcd(top, bottom)
    width = int(bottom.max()) + 1
    keys, many = np.unique((top // shared) * width + bottom // shared, return_counts=True)
    pairs = [
        (Fraction(k // width, k % width), c)
        for k, c in zip(keys.tolist(), many.tolist(), strict=True)
    ]
    return tuple(sorted(pairs, reverse=True))


def _average(top: Ints, bottom: Ints) -> Fraction:
    """Return the exact mean, adding up by denominator."""
    if not len(top):
        return Fraction(0)
    kinds, inverse = np.unique(bottom, return_inverse=True)
    sums = add_by(inverse, top, len(kinds)).tolist()
    total = sum((Fraction(s, k) for s, k in zip(sums, kinds.tolist(), strict=True)), Fraction(0))
    return total / len(top)


# -- figures and value ---------------------------------------------------------------------


def _figures(problem: DeskRejection, hearing: _Hearing) -> dict[str, Any]:
    lost, innocent = hearing.lost, ~problem.over_limit
    costs = _costs(problem, lost)
    groups = _groups(*costs)
    wiped = lost == problem.degree
    head = [cost for cost, many in groups for _ in range(min(many, HEAD))][:HEAD]
    weight = problem.weight.total(hearing.kept)
    figures: dict[str, Any] = {
        "kept": int(hearing.kept.sum()),
        "kept_weight": weight if problem.weight.den == 1 else Fraction(weight),
        "average": _average(*costs),
        "worst": groups[0][0] if groups else Fraction(0),
        "wiped": int(wiped.sum()),
        "innocents_hit": int((innocent & (lost > 0)).sum()),
        "innocents_wiped": int((innocent & wiped).sum()),
        "collateral": None,
        "ideal": None,
        "maximal": _maximal(problem, hearing),
        "leximin": tuple(head),
    }
    if problem.has_excess:
        beyond = lost - _excess(problem)
        figures["collateral"] = int(beyond.sum())
        figures["ideal"] = not beyond.any()
    return figures


def _maximal(problem: DeskRejection, hearing: _Hearing) -> bool:
    """Return whether no rejected paper, ``must_reject`` aside, could be kept as well."""
    who = problem.paper_author
    full = np.asarray(hearing.load[who] + problem.cost.num > problem.capacity[who], np.bool_)
    for role, most in problem.limited_roles:
        full |= (problem.effective_role == role) & (hearing.by_role[role][who] >= most)
    blocked = np.bincount(problem.paper_of_incidence[full], minlength=problem.n_papers) > 0
    return not (~hearing.kept & ~problem.must_reject & ~blocked).any()


def _value(problem: DeskRejection, hearing: _Hearing, figures: dict[str, Any]) -> Any:
    name = problem.objective.name
    if name == "max-accept":
        return figures["kept_weight"]
    if name == "average":
        return figures["average"]
    if name == "worst-case":
        return figures["worst"]
    if name == "worst-then-average":
        return figures["worst"], figures["average"]
    if name == "leximin":
        return tuple(p for p in _groups(*_costs(problem, hearing.lost)) if p[0] > 0)
    if name == "regret-worst":
        excess = _excess(problem)
        beyond = np.maximum(hearing.lost - excess, 0)
        regret = _groups(beyond, np.maximum(1, problem.degree - excess))
        return regret[0][0] if regret else Fraction(0)
    return figures[name]  # wiped, collateral


def author_table(problem: DeskRejection, answer: KeptPapers) -> list[dict[str, Any]]:
    """Return one record an author: what was submitted, allowed, kept, lost, and the cost."""
    hearing = _Hearing.of(problem, answer.mask)
    top, bottom = _costs(problem, hearing.lost)
    excess = _excess(problem).tolist() if problem.has_excess else [None] * problem.n_authors
    den = problem.cost.den
    out = []
    for i, name in enumerate(problem.author_ids):
        submitted, lost = int(problem.degree[i]), int(hearing.lost[i])
        load: Rational = whole(Fraction(int(hearing.load[i]), den))
        out.append(
            {
                "author": name,
                "submitted": submitted,
                "limit": problem.limit_of(i),
                "over_limit": bool(problem.over_limit[i]),
                "load": load,
                "kept": submitted - lost,
                "lost": lost,
                "excess": excess[i],
                "cost": Fraction(int(top[i]), int(bottom[i])),
                "wiped": lost == submitted,
            }
        )
    return out
