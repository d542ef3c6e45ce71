"""Recomputing proofs of desk rejection from the instance and the proof's data alone.

Every rule raises ``InstanceError`` when its data are malformed or prove nothing, and returns
an exact value otherwise: a bound on the objective in force, the optimum itself, or True for a
proof that no answer exists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Exact, Rational, add_by, whole

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.problem import DeskRejection

Ints = NDArray[np.int64]
Data = Mapping[str, Any]


# -- packing multipliers -------------------------------------------------------------------


def packing_multipliers(problem: DeskRejection, data: Data) -> Rational:
    """Return the bound that multipliers of the limits give, for a linear objective.

    For any ``y >= 0`` the kept weight of an answer within the limits is at most
    ``sum b y + sum over papers of max(0, w - sum q y)`` (weak duality of the packing program);
    a ``must_keep`` paper contributes ``w - sum q y`` whatever its sign; one with ``must_reject``,
    or that is shut out, nothing. Serves ``max-accept`` (rounded down when all weights are
    whole), ``average`` and ``collateral`` (rounded up).

    Data: ``y`` {author: number}, and ``role_y`` {role: {author: number}} for ``role_limits``.
    """
    name = problem.objective.name
    if name not in ("max-accept", "average", "collateral"):
        raise InstanceError("proof", f"multipliers prove nothing about {name}")
    form = problem.linear_form()
    charges, room = _charges(problem, data)
    coef = form.coef
    den = math.lcm(coef.den, charges.den)
    net = coef.num.astype(object) * (den // coef.den)
    net -= charges.num.astype(object) * (den // charges.den)
    gain = np.where(problem.must_keep, net, np.maximum(net, 0))
    gain = gain[~(problem.must_reject | shut_out(problem))]
    most = room + Fraction(int(gain.sum()) if gain.size else 0, den)
    if name == "max-accept":
        return math.floor(most) if coef.den == 1 else whole(most)
    least = form.constant - most
    return math.ceil(least) if name == "collateral" else least


def _charges(problem: DeskRejection, data: Data) -> tuple[Exact, Fraction]:
    """Return what the multipliers charge each paper, and their price of all the room."""
    index = {name: i for i, name in enumerate(problem.author_ids)}
    room = Fraction(0)
    y: list[Rational] = [0] * problem.n_authors
    for i, value in _multipliers(index, data.get("y", {}), "y"):
        limit = problem.limit_of(i)
        if limit is None:
            raise InstanceError("proof.y", f"{problem.author_ids[i]!r} has no limit")
        y[i] = value
        room += value * limit
    prices, cost = Exact.of(y), problem.cost
    each = prices.num.astype(object)[problem.paper_author] * cost.num.astype(object)
    den = prices.den * cost.den
    charge = add_by(problem.paper_of_incidence, each, problem.n_papers)
    names = problem.effective_role_names
    for role, values in _mapping(data.get("role_y", {}), "role_y").items():
        if role not in problem.role_limits:
            raise InstanceError("proof.role_y", f"role {role!r} has no limit")
        y = [0] * problem.n_authors
        for i, value in _multipliers(index, values, f"role_y.{role}"):
            y[i] = value
            room += value * problem.role_limits[role]
        if role in names:
            here = problem.effective_role == names.index(role)
            prices = Exact.of(y)
            more = prices.num.astype(object)[problem.paper_author[here]]
            more = add_by(problem.paper_of_incidence[here], more, problem.n_papers)
            common = math.lcm(den, prices.den)
            charge = charge * (common // den) + more * (common // prices.den)
            den = common
    return Exact(charge, den), room


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InstanceError(f"proof.{where}", "expected an object")
    return value


def _multipliers(
    index: Mapping[str, int], values: Any, where: str
) -> Iterator[tuple[int, Rational]]:
    for name, text in _mapping(values, where).items():
        if name not in index:
            raise InstanceError(f"proof.{where}", f"no author {name!r}")
        value = rational.parse(text, f"proof.{where}.{name}", digits=rational.RESULT_DIGITS)
        if value < 0:
            raise InstanceError(f"proof.{where}.{name}", "a multiplier must not be negative")
        yield index[name], value


def shut_out(problem: DeskRejection) -> NDArray[np.bool_]:
    """Return the papers that do not fit beside the ``must_keep`` papers of one of their authors."""
    who, paper, cost = problem.paper_author, problem.paper_of_incidence, problem.cost.num
    must = problem.must_keep[paper]
    load = add_by(who, np.where(must, cost, 0), problem.n_authors)
    over = np.asarray(cost > (problem.capacity - load)[who], np.bool_)
    for role, most in problem.limited_roles:
        here = problem.effective_role == role
        taken = np.bincount(who[here & must], minlength=problem.n_authors)
        over |= here & (taken[who] + 1 > most)
    out = np.bincount(paper[over], minlength=problem.n_papers) > 0
    return np.asarray(out & ~problem.must_keep, np.bool_)


# -- losses that the limits force on single authors ----------------------------------------


def fewest_losses(problem: DeskRejection) -> Ints:
    """Return how many papers each author loses in every answer, at least.

    The largest of three: the most expensive papers are dropped first until the quota is met
    (d - b under the unit quota); what exceeds the role limits, added up over roles; the papers
    with ``must_reject``, or shut out.
    """
    n, who = problem.n_authors, problem.paper_author
    if problem.quota.rule == "unit":
        least: Ints = (problem.degree - problem.capacity).astype(np.int64)
    else:
        least = _fewest_by_cost(problem)
    by_role = np.zeros(n, np.int64)
    for role, most in problem.limited_roles:
        count = np.bincount(who[problem.effective_role == role], minlength=n)
        by_role += np.maximum(count - most, 0)
    gone = (problem.must_reject | shut_out(problem))[problem.paper_of_incidence]
    rejected = np.bincount(who[gone], minlength=n)
    out: Ints = np.maximum(np.maximum(least, by_role), rejected)
    return out


def _fewest_by_cost(problem: DeskRejection) -> Ints:
    out = np.zeros(problem.n_authors, np.int64)
    excess = problem.total_cost - problem.capacity
    for i in np.flatnonzero(excess > 0).tolist():
        mine = problem.author_slot[problem.author_ptr[i] : problem.author_ptr[i + 1]]
        left = int(excess[i])
        for cost in sorted(map(int, problem.cost.num[mine]), reverse=True):
            if left <= 0:
                break
            left -= cost
            out[i] += 1
    return out


def excess(problem: DeskRejection, data: Data) -> Any:
    """Return the cheap bound on the objective from the losses that each author must have.

    With ``need`` from ``fewest_losses`` and unit weights at most
    ``m - max(ceil(sum need / Δ), max need)`` papers are kept, where Δ is the largest number of
    authors with a need on one paper; with other weights, the total without the cheapest
    ``need`` papers of the author for whom they weigh most. Average, worst cost, wiped authors,
    collateral and regret are bounded author by author, and so are the sorted costs of
    ``leximin``. For ``worst-then-average`` only the first entry is bounded.
    """
    need, name = fewest_losses(problem), problem.objective.name
    if name == "max-accept":
        return _most_kept(problem, need)
    if name == "wiped":
        return int((need == problem.degree).sum())
    if name == "collateral":
        return int((need - problem.excess).sum())
    shift, scale = problem.cost_form()
    costs: dict[Fraction, int] = {}
    beyond = np.maximum(need - shift, 0)
    for top, bottom in zip(beyond.tolist(), scale.tolist(), strict=True):
        if top:
            cost = Fraction(top, bottom)
            costs[cost] = costs.get(cost, 0) + 1
    worst = max(costs, default=Fraction(0))
    if name == "average":
        total = sum((cost * many for cost, many in costs.items()), Fraction(0))
        return total / max(problem.n_authors, 1)
    if name == "worst-then-average":
        return (worst,)
    if name == "leximin":
        return tuple(sorted(costs.items(), reverse=True))
    return worst  # worst-case, regret-worst


def _most_kept(problem: DeskRejection, need: Ints) -> Rational:
    total = problem.weight.total()
    if not need.any():
        return total
    who, paper = problem.author_of_slot, problem.author_paper
    if problem.unweighted:
        needy = np.bincount(problem.paper_of_incidence[need[problem.paper_author] > 0])
        return total - max(-(-int(need.sum()) // int(needy.max())), int(need.max()))
    weight = problem.weight.num[paper]
    rank = np.argsort(np.argsort(weight, kind="stable"), kind="stable")  # also of big integers
    order = np.lexsort((rank, who))
    place = np.arange(len(order)) - problem.author_ptr[who[order]]
    lightest = order[place < need[who[order]]]
    lost = add_by(who[lightest], weight[lightest], problem.n_authors)
    return total - whole(Fraction(int(lost.max()), problem.weight.den))


# -- certificates --------------------------------------------------------------------------


def _author(problem: DeskRejection, data: Data) -> int:
    name = data.get("author")
    if name not in problem.author_ids:
        raise InstanceError("proof.author", f"no author {name!r}")
    return problem.author_ids.index(name)


def _slots(problem: DeskRejection, author: int, data: Data) -> Ints:
    """Return the author's incidences with the papers named in the data."""
    papers: Any = data.get("papers")
    fine = isinstance(papers, list | tuple) and all(isinstance(name, str) for name in papers)
    if not fine or not papers or len(set(papers)) != len(papers):
        raise InstanceError("proof.papers", "expected a list of distinct papers")
    mine = problem.author_slot[problem.author_ptr[author] : problem.author_ptr[author + 1]]
    slot_of = {problem.paper_ids[problem.paper_of_incidence[s]]: int(s) for s in mine}
    for name in papers:
        if name not in slot_of:
            raise InstanceError("proof.papers", f"{name!r} is no paper of the author")
    return np.array([slot_of[name] for name in papers], np.int64)


def _drops(problem: DeskRejection, author: int, slots: Ints, data: Data) -> int:
    """Return how many of these incidences the author loses in every answer, at least."""
    role = data.get("role")
    if role is not None:
        names = problem.effective_role_names
        if role not in tuple(problem.role_limits) or role not in names:
            raise InstanceError("proof.role", f"role {role!r} has no limit")
        if (problem.effective_role[slots] != names.index(role)).any():
            raise InstanceError("proof.papers", f"not all are in the role {role!r}")
        return len(slots) - problem.role_limits[role]
    left = int(sum(map(int, problem.cost.num[slots]))) - int(problem.capacity[author])
    many = 0
    for cost in sorted(map(int, problem.cost.num[slots]), reverse=True):
        if left <= 0:
            break
        left -= cost
        many += 1
    return many


def forced_wipe_out(problem: DeskRejection, data: Data) -> Any:
    """Return the bound from an author who cannot keep papers that are all that others have.

    Data: ``author`` and ``papers`` of that author (``role`` if a role limit is meant), each
    with an author of that paper only. Some of them are rejected, so some of those authors
    lose everything. Serves ``worst-case``, ``worst-then-average``, ``leximin`` and ``wiped``.
    """
    author = _author(problem, data)
    slots = _slots(problem, author, data)
    many = _drops(problem, author, slots, data)
    if many <= 0:
        raise InstanceError("proof.papers", "the author can keep them all")
    cost = Fraction(1)
    for paper in problem.paper_of_incidence[slots]:
        only = problem.authors_of(int(paper))
        only = only[problem.degree[only] == 1]
        if not only.size:
            name = problem.paper_ids[paper]
            raise InstanceError("proof.papers", f"every author of {name!r} has other papers")
        if problem.author_cost == "excess-share" and (problem.excess[only] > 0).all():
            cost = Fraction(0)
    name = problem.objective.name
    if name == "wiped":
        return many
    if name == "worst-case":
        return cost
    if name == "worst-then-average":
        return (cost,)
    if name == "leximin":
        return ((cost, many),) if cost else ()
    raise InstanceError("proof", f"a forced wipe-out proves nothing about {name}")


def worst_then_average(problem: DeskRejection, data: Data) -> Any:
    """Return both entries from two proofs: ``worst`` (of the worst cost), ``average``."""
    if problem.objective.name != "worst-then-average":
        raise InstanceError("proof", "two proofs are for worst-then-average alone")
    worst = _mapping(data.get("worst"), "worst")
    average = _mapping(data.get("average"), "average")
    if worst.get("rule") == "worst-then-average":
        raise InstanceError("proof.worst", "must be a proof of the worst cost alone")
    first = problem.recompute(worst)
    if not first:
        raise InstanceError("proof.worst", "proves nothing about the worst cost")
    return first[0], packing_multipliers(problem.replace(objective="average"), average)


def must_keep_overfull(problem: DeskRejection, data: Data) -> bool:
    """Return True: the ``must_keep`` papers in the data exceed a limit of their author."""
    author = _author(problem, data)
    slots = _slots(problem, author, data)
    free = ~problem.must_keep[problem.paper_of_incidence[slots]]
    if free.any():
        raise InstanceError("proof.papers", "not all of them are must_keep")
    if _drops(problem, author, slots, data) <= 0:
        raise InstanceError("proof.papers", "they are within the limit")
    return True


def nothing_binds(problem: DeskRejection, data: Data) -> Any:
    """Return the optimum where all papers that can be kept at all can be kept together.

    These are all papers but those with ``must_reject`` and those that are shut out. Every other
    answer keeps a subset of them, and no objective gains by rejecting more.
    """
    kept = ~(problem.must_reject | shut_out(problem))
    result = problem.check(problem.answer(kept))
    if result.violations:
        raise InstanceError("proof", f"not all papers can be kept: {result.violations[0]}")
    return result.value


def collateral_multipliers(problem: DeskRejection, data: Data) -> Rational:
    """Return a lower bound on the collateral of every answer, whatever the objective is.

    A positive one shows that no ideal desk rejection exists. Data as for
    ``packing-multipliers``.
    """
    return packing_multipliers(problem.replace(objective="collateral"), data)


def min_collateral(problem: DeskRejection, data: Data) -> int:
    """Return the least collateral, 0 where an ideal desk rejection exists.

    Data: multipliers as for ``packing-multipliers``, which show that no answer has less, and
    ``rejected``, the papers that an answer with so much rejects.
    """
    other = problem.replace(objective="collateral")
    least = packing_multipliers(other, data)
    index = {name: j for j, name in enumerate(problem.paper_ids)}
    rejected = data.get("rejected")
    if not isinstance(rejected, list | tuple) or any(name not in index for name in rejected):
        raise InstanceError("proof.rejected", "expected a list of paper ids")
    kept = np.ones(problem.n_papers, np.bool_)
    kept[[index[name] for name in rejected]] = False
    result = other.check(other.answer(kept))
    if result.violations:
        raise InstanceError("proof.rejected", f"the answer breaks {result.violations[0]}")
    if result.value != least:
        raise InstanceError("proof", f"an answer has {result.value}, the multipliers show {least}")
    return int(least)


RULES: dict[str, dict[str, Callable[[DeskRejection, Data], Any]]] = {
    "bound": {
        "packing-multipliers": packing_multipliers,
        "excess": excess,
        "forced-wipe-out": forced_wipe_out,
        "nothing-binds": nothing_binds,
        "worst-then-average": worst_then_average,
    },
    "infeasible": {"must-keep-overfull": must_keep_overfull},
    "min_collateral": {"min-collateral": min_collateral},
    "min_collateral_at_least": {"collateral-multipliers": collateral_multipliers},
}
