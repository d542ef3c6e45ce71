"""The court of reviewer nomination; it shares no code with a method."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt.problem import Check, Violation
from fairopt.rational import Exact

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.nomination import Nominees, ReviewerNomination


def check(problem: ReviewerNomination, answer: Nominees) -> Check:
    """Return violations, the exact expected number of rejections, and figures.

    Rules: ``known-ids`` (one known author for each paper), ``own-author`` (the nominee is an
    author of the paper), ``limit`` (nominations over a limit, unless they have a price).
    """
    chosen, n, m = answer.author, problem.n_authors, problem.n_papers
    if answer.paper_ids != problem.paper_ids or answer.author_ids != problem.author_ids:
        return Check((Violation("known-ids", "papers or authors"),))
    if len(chosen) != m:
        return Check((Violation("known-ids", "nominee", abs(len(chosen) - m)),))
    strange = np.flatnonzero((chosen < 0) | (chosen >= n))
    if strange.size:
        return Check((Violation("known-ids", problem.paper_ids[strange[0]]),))
    own = problem.paper_author == chosen[problem.paper_of_incidence]
    is_author = np.bincount(problem.paper_of_incidence[own], minlength=m) > 0
    out = [Violation("own-author", problem.paper_ids[j]) for j in np.flatnonzero(~is_author)]
    load = np.bincount(chosen, minlength=n)
    over = np.maximum(load - problem.capacity, 0)
    if problem.soft_penalty is None:
        who = np.flatnonzero(over).tolist()
        out += [Violation("limit", problem.author_ids[i], int(over[i])) for i in who]
    expected = Fraction(_dot(problem.p_irresponsible, load))
    penalty = Fraction(problem.soft_penalty or 0) * int(over.sum())
    figures: dict[str, Any] = {
        "expected_rejections": expected,
        "penalty": penalty,
        "load_max": int(load.max(initial=0)),
        "over_limit": int((over > 0).sum()),
    }
    return Check(tuple(out), expected + penalty, figures)


def _dot(chance: Exact, load: np.ndarray[Any, Any]) -> Fraction:
    products = (int(p) * k for p, k in zip(chance.num.tolist(), load.tolist(), strict=True))
    return Fraction(sum(products), chance.den)
