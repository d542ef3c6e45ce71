"""The JSON form of instances, and settings changed after reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.selective_aggregation import build
from fairopt.problems.selective_aggregation.profile import Profile
from fairopt.solution import encode

if TYPE_CHECKING:
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation

P = TypeVar("P", bound="SelectiveAggregation")


class BallotRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``preferences.ballots``."""

    order: list[Any]
    judge: str | int | None = None
    weight: Any = None


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A selective-aggregation instance file."""

    items: list[Any]
    preferences: dict[str, Any]
    convention: str | None = None
    tau: Any = None
    max_dissent_count: int | None = None


_KEYS = {
    "orders": ({"ballots"}, {"unranked"}),
    "ranks": ({"rows"}, {"weights", "judges"}),
    "scores": ({"rows"}, {"weights", "judges"}),
    "pairwise": ({"votes"}, {"judges", "judge_weights"}),
    "support": ({"total", "support"}, {"ties"}),
}


def read_problem(cls: type[P], data: Mapping[str, Any], meta: Meta | None) -> P:
    """Build the problem from the content of its JSON file."""
    file: Instance = convert(dict(data), Instance)
    items = build.names_of(file.items)
    return cls(
        profile_of(file.preferences, items),
        items,
        convention=file.convention,
        tau=file.tau,
        max_dissent_count=file.max_dissent_count,
        objective=file.objective,
        meta=file.meta(meta),
    )


def profile_of(said: Mapping[str, Any], items: tuple[str, ...], *, dedupe: bool = False) -> Profile:
    """Return the profile that the key ``preferences`` describes."""
    kind = said.get("type")
    if kind not in _KEYS:
        known = ", ".join(_KEYS)
        raise InstanceError("preferences.type", f"{kind!r} is none of {known}")
    needed, more = _KEYS[kind]
    for key in sorted(needed - said.keys()):
        raise InstanceError(f"preferences.{key}", "the key is missing")
    for key in sorted(said.keys() - needed - more - {"type"}):
        raise InstanceError(f"preferences.{key}", "unknown key")
    place = {name: i for i, name in enumerate(items)}
    if kind == "orders":
        return _orders(said, place, dedupe)
    if kind == "support":
        return build.of_support(len(items), said["total"], said["support"], said.get("ties"))
    if kind == "pairwise":
        return _pairwise(said, place, dedupe)
    rows = _list(said["rows"], "preferences.rows")
    given = said.get("weights")
    weights = [None] * len(rows) if given is None else _list(given, "preferences.weights")
    if len(weights) != len(rows):
        raise InstanceError("preferences.weights", f"expected {len(rows)} weights")
    paths = [f"preferences.weights[{k}]" for k in range(len(rows))]
    each = build.whole_weights(weights, paths)
    return build.of_table(len(items), rows, each, larger=kind == "scores")


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InstanceError(where, "expected a list")
    return list(value)


def _orders(said: Mapping[str, Any], place: Mapping[str, int], dedupe: bool) -> Profile:
    unranked = said.get("unranked", "missing")
    if unranked not in ("missing", "last"):
        raise InstanceError("preferences.unranked", f"{unranked!r} is neither missing nor last")
    ballots = []
    for k, raw in enumerate(_list(said["ballots"], "preferences.ballots")):
        where = f"preferences.ballots[{k}]"
        try:
            row = msgspec.convert(raw, BallotRow)
        except msgspec.ValidationError as error:
            raise InstanceError(where, str(error)) from None
        ballots.append((_tiers(row.order, place, f"{where}.order", dedupe), row.weight, where))
    paths = [f"{where}.weight" for _, _, where in ballots]
    weights = build.whole_weights([w for _, w, _ in ballots], paths)
    n = len(place)
    rows = [
        (build.ranks_of(tiers, n, last=unranked == "last"), w)
        for (tiers, _, _), w in zip(ballots, weights, strict=True)
    ]
    return build.of_rankings(n, rows)


def _tiers(order: list[Any], place: Mapping[str, int], where: str, dedupe: bool) -> list[list[int]]:
    seen: set[int] = set()
    out = []
    for k, entry in enumerate(order):
        tier = []
        for name in entry if isinstance(entry, list) else [entry]:
            i = place.get(str(name)) if isinstance(name, str | int) else None
            if i is None:
                raise InstanceError(f"{where}[{k}]", f"no item {name!r}")
            if i in seen:
                if not dedupe:
                    raise InstanceError(f"{where}[{k}]", f"{name!r} is named twice in the ballot")
                continue
            seen.add(i)
            tier.append(i)
        if tier:
            out.append(tier)
    return out


def _pairwise(said: Mapping[str, Any], place: Mapping[str, int], dedupe: bool) -> Profile:
    roster = said.get("judges")
    judges = None
    if roster is not None:
        judges = [str(name) for name in _list(roster, "preferences.judges")]
        if len(set(judges)) < len(judges):
            twice = next(name for name in judges if judges.count(name) > 1)
            raise InstanceError("preferences.judges", f"{twice!r} is named twice")
    rows, where = [], []
    for k, vote in enumerate(_list(said["votes"], "preferences.votes")):
        path = f"preferences.votes[{k}]"
        if not isinstance(vote, list | tuple) or len(vote) != 4:
            raise InstanceError(path, "expected judge, item, item, value")
        rows.append((str(vote[0]), vote[1], vote[2], vote[3]))
        where.append(path)
    weights = said.get("judge_weights") or {}
    if not isinstance(weights, Mapping):
        raise InstanceError("preferences.judge_weights", "expected an object")
    return build.of_votes(place, rows, where, judges=judges, weights=weights, dedupe=dedupe)


# -- writing, settings -----------------------------------------------------------------------


def write_problem(problem: SelectiveAggregation) -> dict[str, Any]:
    """Return the instance in the form of its JSON file."""
    out: dict[str, Any] = {
        "problem": problem.problem,
        **problem.meta.to_json(),
        "items": list(problem.items),
        "preferences": preferences(problem.profile, problem.items),
    }
    return {**out, **{name: encode(value) for name, value in problem.given.items()}}


def preferences(said: Profile, items: tuple[str, ...]) -> dict[str, Any]:
    """Return a profile as the key ``preferences`` holds it."""
    if said.ranks is not None and said.weights is not None:
        rows = [[None if v < 0 else v for v in row] for row in said.ranks.tolist()]
        out: dict[str, Any] = {"type": "ranks", "rows": rows}
        return out | ({"weights": said.weights.tolist()} if (said.weights != 1).any() else {})
    if said.votes is not None:
        votes = said.votes
        columns = (votes.judge, votes.first, votes.second, votes.value)
        weights = votes.weights.tolist()
        return {
            "type": "pairwise",
            "judges": [str(k) for k in range(len(weights))],
            "judge_weights": {str(k): w for k, w in enumerate(weights) if w != 1},
            "votes": [
                [str(k), items[a], items[b], v]
                for k, a, b, v in zip(*(c.tolist() for c in columns), strict=True)
            ],
        }
    assert said.support is not None
    assert said.ties is not None
    table = {"type": "support", "total": said.total, "support": said.support.tolist()}
    return table | ({"ties": said.ties.tolist()} if said.ties.any() else {})


def arguments(problem: SelectiveAggregation) -> dict[str, Any]:
    """Return the arguments that build the problem again."""
    return {
        "profile": problem.profile,
        "items": problem.items,
        "remarks": problem.remarks,
        "objective": problem.objective.name,
        "meta": problem.meta,
        **problem.given,
    }


def changed(problem: P, changes: Mapping[str, Any], meta: Meta) -> P:
    """Return the problem with these settings; ``tau`` and ``max_dissent_count`` push each other
    out."""
    known = arguments(problem)
    for one, other in (("tau", "max_dissent_count"), ("max_dissent_count", "tau")):
        if changes.get(one) is not None and other not in changes:
            known.pop(other, None)
    known |= changes
    known["meta"] = meta
    return type(problem)(known.pop("profile"), known.pop("items"), **known)
