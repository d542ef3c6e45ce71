"""Inequalities that every feed with an axiom keeps, rebuilt from the groups they are about.

A cut in a proof's data names the axiom it follows from, which the axiom in force must imply::

    {"axiom": "jr", "comment": 3}                                 all approvers of comment 3
    {"axiom": "jr", "comment": 3, "selected": [0, 5]}             those who approve neither 0 nor 5
    {"axiom": "ejr+", "comment": 3, "level": 2, "selected": [0]}  fewer than 2 of the selected
    {"axiom": "ejr", "common": [3, 4], "selected": [0]}           agree on 3 and 4, the level is 2
    {"axiom": "pjr+", "comment": 3, "level": 2, "ballots": [0, 7]}
    {"axiom": "pjr", "common": [3, 4], "ballots": [0, 7]}

``ballots`` are rows, each of which stands for all rows with the same ballot; without it the group
is all that the other keys admit. With w(S) the weight of the group, r = w(S) - t_l + 1 must be at
least 1, and the cut says, for feeds x,

- JR, EJR, EJR+: sum over d not selected of min(r, w(S & N_d)) x_d, and r x_c for EJR+, is at least
  r: at least weight r of S must be raised above what the selected set gives it;
- PJR, PJR+: at least l of the comments that S approves are shown, comment c counting l for PJR+.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError
from fairopt.problems.jr_ranking import counting
from fairopt.problems.jr_ranking.axioms import IMPLIED

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

Ints = NDArray[np.int64]

_KEYS = {"axiom", "comment", "common", "level", "selected", "ballots"}


@dataclass(frozen=True, slots=True)
class ProvenCut:
    """``sum value x_c >= need`` over the pairs (c, value)."""

    terms: tuple[tuple[int, int], ...]
    need: int


def cut_of(problem: JrRanking, raw: Any, where: str) -> ProvenCut:
    """Return the cut that the data of a proof describe.

    Raises ``InstanceError`` if the axiom in force does not imply it.
    """
    if not isinstance(raw, Mapping) or set(raw) - _KEYS:
        raise InstanceError(where, f"expected an object with some of {', '.join(sorted(_KEYS))}")
    axiom = raw.get("axiom", "jr")
    if axiom not in IMPLIED[problem.axiom]:
        raise InstanceError(where, f"{axiom!r} does not follow from {problem.axiom}")
    around, level = _basis(problem, raw, axiom, where)
    group = np.flatnonzero(_group(problem, raw, around, level, axiom, where))
    weight = int(problem.weights[group].sum())
    need = weight - problem.threshold_of(level) + 1
    if need < 1:
        raise InstanceError(where, "the group is too small to deserve anything")
    mass = counting.sums(problem, *counting.ballots_of(problem, group), problem.n_comments)
    if axiom in ("pjr", "pjr+"):
        values = np.where(mass > 0, 1, 0)
        if axiom == "pjr+":
            values[around[0]] = level
        need = level
    else:
        values = np.minimum(mass, need)
        values[_comments(problem, raw.get("selected", ()), f"{where}.selected")] = 0
        if axiom == "ejr+":
            values[around[0]] = need
    at = np.flatnonzero(values)
    return ProvenCut(tuple(zip(at.tolist(), values[at].tolist(), strict=True)), need)


def _basis(
    problem: JrRanking, raw: Mapping[str, Any], axiom: str, where: str
) -> tuple[list[int], int]:
    """Return the comments that the group agrees on, and the level it deserves."""
    if axiom in ("ejr", "pjr"):
        common = _comments(problem, raw.get("common"), f"{where}.common")
        level = raw.get("level", len(common))
        if level != len(common) or "comment" in raw:
            raise InstanceError(where, "the level is the number of common comments")
    else:
        common = _comments(problem, [raw.get("comment")], f"{where}.comment")
        level = raw.get("level", 1)
    most = 1 if axiom == "jr" else problem.k
    if type(level) is not int or not 1 <= level <= most:
        raise InstanceError(f"{where}.level", f"expected 1 to {most}, got {level!r}")
    return common, level


def _group(
    problem: JrRanking, raw: Mapping[str, Any], around: list[int], level: int, axiom: str,
    where: str,
) -> NDArray[np.bool_]:  # fmt: skip
    """Return which rows are in the group."""
    ptr, users = problem.supporters
    agree = np.zeros(problem.n_users, np.int64)
    for c in around:
        agree[users[ptr[c] : ptr[c + 1]]] += 1
    admitted: NDArray[np.bool_] = agree == len(around)
    if axiom in ("pjr", "pjr+"):
        if "selected" in raw or "ballots" not in raw:
            raise InstanceError(where, "needs ballots, and no selected set")
    else:
        chosen = _comments(problem, raw.get("selected", ()), f"{where}.selected")
        if axiom == "ejr+" and around[0] in chosen:
            raise InstanceError(where, "the comment is selected")
        approved = counting.satisfaction(problem, counting.mask_of(problem, chosen))
        admitted &= approved < level
    if "ballots" not in raw:
        return admitted
    named = _same_ballots(problem, raw["ballots"], where)
    if not admitted[named].all():
        raise InstanceError(f"{where}.ballots", "names one that does not belong to such a group")
    return named


def _same_ballots(problem: JrRanking, rows: Any, where: str) -> NDArray[np.bool_]:
    if not isinstance(rows, list | tuple) or not all(
        type(i) is int and 0 <= i < problem.n_users for i in rows
    ):
        raise InstanceError(f"{where}.ballots", "expected a list of rows")
    kind = ballot_kinds(problem)
    wanted = np.zeros(int(kind.max()) + 1, np.bool_)
    wanted[kind[list(rows)]] = True
    return wanted[kind]


def ballot_kinds(problem: JrRanking) -> Ints:
    """Return a number for each row, equal for equal ballots."""
    cached = problem.__dict__.get("_kinds")
    if cached is None:
        known: dict[bytes, int] = {}
        data = np.ascontiguousarray(problem.indices).tobytes()
        ends = (problem.indptr * problem.indices.itemsize).tolist()
        found = [known.setdefault(data[a:b], len(known)) for a, b in pairwise(ends)]
        cached = problem.__dict__["_kinds"] = np.array(found, np.int64)
    kinds: Ints = cached
    return kinds


def _comments(problem: JrRanking, named: Any, where: str) -> list[int]:
    m = problem.n_comments
    if not isinstance(named, list | tuple):
        raise InstanceError(where, "expected a list of comments")
    if not all(type(c) is int and 0 <= c < m for c in named):
        raise InstanceError(where, "names a comment that there is not")
    if len(set(named)) != len(named):
        raise InstanceError(where, "names a comment twice")
    return list(named)
