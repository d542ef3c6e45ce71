"""Recomputing proofs of reviewer nomination from the instance and the proof's data alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Rational

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.nomination import ReviewerNomination

Data = Mapping[str, Any]


def _cheapest(problem: ReviewerNomination, price: list[Rational]) -> Fraction:
    """Return the sum over papers of the least price among their authors."""
    total = Fraction(0)
    ptr, who = problem.paper_ptr.tolist(), problem.paper_author.tolist()
    for j in range(problem.n_papers):
        total += min(price[i] for i in who[ptr[j] : ptr[j + 1]])
    return total


def cheapest_nominees(problem: ReviewerNomination, data: Data) -> Fraction:
    """Return what the most reliable author of every paper gives: optimal without limits."""
    return _cheapest(problem, problem.p_irresponsible.to_list())


def nomination_prices(problem: ReviewerNomination, data: Data) -> Fraction:
    """Return the bound of weak duality from a price of each author's nominations.

    For any ``u >= 0`` (at most ``soft_penalty`` where there is one) the value is at least
    ``sum over papers of min(p + u) - sum B u``. Data: ``u`` {author: number}, 0 if absent.
    """
    price = problem.p_irresponsible.to_list()
    index = {name: i for i, name in enumerate(problem.author_ids)}
    given = data.get("u")
    if not isinstance(given, Mapping):
        raise InstanceError("proof.u", "expected an object {author: number}")
    paid = Fraction(0)
    for name, text in given.items():
        if name not in index:
            raise InstanceError("proof.u", f"no author {name!r}")
        i, where = index[name], f"proof.u.{name}"
        u = rational.parse(text, where, digits=rational.RESULT_DIGITS)
        if u < 0 or (problem.soft_penalty is not None and u > problem.soft_penalty):
            raise InstanceError(where, f"a price must be from 0 to the soft penalty, got {u}")
        price[i] += u
        paid += u * int(problem.capacity[i])  # at most all papers, which nobody exceeds
    return _cheapest(problem, price) - paid


def hall_violator(problem: ReviewerNomination, data: Data) -> bool:
    """Return True: the papers in the data outnumber the nominations that their authors may take.

    Data: ``papers``, distinct ids.
    """
    if problem.soft_penalty is not None:
        raise InstanceError("proof", "limits with a price can be exceeded")
    papers: Any = data.get("papers")
    fine = isinstance(papers, list | tuple) and all(isinstance(name, str) for name in papers)
    if not fine or len(set(papers)) != len(papers):
        raise InstanceError("proof.papers", "expected a list of distinct papers")
    index = {name: j for j, name in enumerate(problem.paper_ids)}
    authors: set[int] = set()
    for name in papers:
        if name not in index:
            raise InstanceError("proof.papers", f"no paper {name!r}")
        authors.update(problem.authors_of(index[name]).tolist())
    room = int(problem.capacity[np.array(sorted(authors), np.int64)].sum())
    if room >= len(papers):
        raise InstanceError("proof.papers", f"their authors may take {room} nominations")
    return True


RULES: dict[str, dict[str, Callable[[ReviewerNomination, Data], Any]]] = {
    "bound": {
        "cheapest-nominees": cheapest_nominees,
        "nomination-prices": nomination_prices,
    },
    "infeasible": {"hall-violator": hall_violator},
}
