"""The JSON form of desk-rejection instances, and settings changed after reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.desk_rejection.quota import DEFAULT_ROLE, Ints, Quota, pointers
from fairopt.rational import Rational, whole
from fairopt.solution import encode

if TYPE_CHECKING:
    from fairopt.problems.desk_rejection.problem import DeskRejection

P = TypeVar("P", bound="DeskRejection")

STATUSES = ("active", "withdrawn")


class PaperRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``papers``."""

    id: str
    authors: list[str]
    weight: Fraction = Fraction(1)
    order: int | None = None
    must_keep: bool = False
    must_reject: bool = False
    status: str = "active"
    roles: dict[str, str] = {}


class AuthorRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``authors``; an absent limit is the common one, null is no limit."""

    id: str
    limit: Fraction | msgspec.UnsetType | None = msgspec.UNSET
    drop_order: list[str] = []


class QuotaRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key ``quota``."""

    rule: str = "unit"
    role_cost: dict[str, Fraction] = {}
    default_role: str = DEFAULT_ROLE


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A desk-rejection instance file."""

    papers: list[PaperRow]
    authors: list[AuthorRow] = msgspec.field(default_factory=list)
    limit: Fraction | None = None
    preset: str | None = None
    quota: QuotaRow = QuotaRow()
    role_limits: dict[str, int] = msgspec.field(default_factory=dict)
    author_cost: str = "share"
    allow_anonymous: bool = False
    dedupe: bool = False


# -- reading -------------------------------------------------------------------------------


def incidence_of_lists(
    lists: Iterable[Sequence[str]], listed: Sequence[str] = ()
) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Return pointers, author positions and author ids of papers given by their author lists.

    Authors are numbered as in ``listed`` and then as they first appear.
    """
    place = {name: i for i, name in enumerate(listed)}
    who: list[int] = []
    lengths: list[int] = []
    for names in lists:
        lengths.append(len(names))
        who += [place.setdefault(name, len(place)) for name in names]
    return pointers(np.array(lengths, np.int64)), np.array(who, np.int64), tuple(place)


def incidence_of_edges(
    author: Iterable[str], paper: Iterable[str]
) -> tuple[Ints, Ints, tuple[str, ...], tuple[str, ...]]:
    """Return pointers, author positions, paper ids and author ids of (author, paper) pairs."""
    authors: dict[str, int] = {}
    papers: dict[str, int] = {}
    who = np.array([authors.setdefault(a, len(authors)) for a in author], np.int64)
    which = np.array([papers.setdefault(p, len(papers)) for p in paper], np.int64)
    if len(who) != len(which):
        raise InstanceError("edges", f"{len(who)} authors but {len(which)} papers")
    order = np.argsort(which, kind="stable")
    ptr = pointers(np.bincount(which, minlength=len(papers)))
    return ptr, who[order], tuple(papers), tuple(authors)


def read_problem(cls: type[P], data: Mapping[str, Any], meta: Meta | None) -> P:
    """Build the problem from the content of its JSON file."""
    file: Instance = convert(dict(data), Instance)
    listed = [a.id for a in file.authors]
    _distinct(listed)
    ptr, who, authors = incidence_of_lists((p.authors for p in file.papers), listed)
    roles, role_names = _roles(file.papers)
    limits: dict[str, Rational | None] = {}
    for row in file.authors:
        if row.limit is not msgspec.UNSET:
            limits[row.id] = None if row.limit is None else whole(row.limit)
    return cls(
        ptr,
        who,
        paper_ids=[p.id for p in file.papers],
        author_ids=authors,
        weight=[p.weight for p in file.papers],
        order=[k if p.order is None else p.order for k, p in enumerate(file.papers)],
        must_keep=[p.must_keep for p in file.papers],
        must_reject=[p.must_reject for p in file.papers],
        withdrawn=withdrawn([p.status for p in file.papers]),
        limit=None if file.limit is None else whole(file.limit),
        author_limits=limits,
        quota=Quota(file.quota.rule, file.quota.role_cost, file.quota.default_role),
        roles=roles,
        role_names=role_names,
        role_limits=file.role_limits,
        drop_order={a.id: a.drop_order for a in file.authors if a.drop_order},
        author_cost=file.author_cost,
        preset=file.preset,
        allow_anonymous=file.allow_anonymous,
        dedupe=file.dedupe,
        objective=file.objective,
        meta=file.meta(meta),
        copy=False,
    )


def _distinct(listed: Sequence[str]) -> None:
    seen: set[str] = set()
    for k, name in enumerate(listed):
        if name in seen:
            raise InstanceError(f"authors[{k}].id", f"{name!r} is given twice")
        seen.add(name)


def withdrawn(statuses: Sequence[str]) -> list[bool]:
    """Return whether each paper is withdrawn; refuses any other status but ``active``."""
    for k, status in enumerate(statuses):
        if status not in STATUSES:
            allowed = ", ".join(STATUSES)
            raise InstanceError(
                f"papers[{k}].status", f"unknown value {status!r}; choose from {allowed}"
            )
    return [status == "withdrawn" for status in statuses]


def _roles(papers: Sequence[PaperRow]) -> tuple[list[int] | None, tuple[str, ...]]:
    """Return the role of each incidence and the names of the roles, sorted."""
    if not any(p.roles for p in papers):
        return None, ()
    for k, paper in enumerate(papers):
        for author in paper.roles.keys() - set(paper.authors):
            raise InstanceError(f"papers[{k}].roles.{author}", "is no author of the paper")
    names = tuple(sorted({role for p in papers for role in p.roles.values()}))
    place = {name: r for r, name in enumerate(names)}
    codes = [place[p.roles[a]] if a in p.roles else -1 for p in papers for a in p.authors]
    return codes, names


# -- settings ------------------------------------------------------------------------------


def changed(problem: P, changes: Mapping[str, Any], meta: Meta) -> P:
    """Return the problem with these settings. A new limit replaces a preset, and vice versa."""
    limit = None if problem.preset else problem.limit
    preset, quota = problem.preset, problem.quota
    drop: str | None = None
    if "limit" in changes and "preset" not in changes:
        limit, preset, drop = changes["limit"], None, "preset"
    elif "preset" in changes:
        preset, drop = changes["preset"], None if "limit" in changes else "limit"
        limit = changes.get("limit")
    if drop in meta.origin.set:
        kept = {k: v for k, v in meta.origin.set.items() if k != drop}
        meta = replace(meta, origin=replace(meta.origin, set=kept))
    out = type(problem)(
        problem.paper_ptr,
        problem.paper_author,
        paper_ids=problem.paper_ids,
        author_ids=problem.author_ids,
        weight=problem.weight,
        order=problem.order,
        must_keep=problem.must_keep,
        must_reject=problem.must_reject,
        limit=limit,
        author_limits=problem.author_limits,
        quota=Quota(
            changes.get("quota.rule", quota.rule),
            changes.get("quota.role_cost", quota.role_cost),
            changes.get("quota.default_role", quota.default_role),
        ),
        roles=problem.roles,
        role_names=problem.role_names,
        role_limits=changes.get("role_limits", problem.role_limits),
        drop_order=_drop_order(problem),
        author_cost=changes.get("author_cost", problem.author_cost),
        preset=preset,
        allow_anonymous=changes.get("allow_anonymous", problem.allow_anonymous),
        objective=changes.get("objective", problem.objective.name),
        meta=meta,
        copy=False,
    )
    for name in ("n_withdrawn", "n_deduped", "idle_authors"):
        out.__dict__[name] = getattr(problem, name)
    return out


def _drop_order(problem: DeskRejection) -> dict[str, list[str]]:
    return {a: [problem.paper_ids[j] for j in d] for a, d in problem.drop_order.items()}


# -- writing -------------------------------------------------------------------------------


def write_problem(problem: DeskRejection) -> dict[str, Any]:
    """Return the instance as the content of its JSON file, defaults left out."""
    out: dict[str, Any] = {"problem": problem.problem, **problem.meta.to_json()}
    if problem.objective.name != problem.objectives[0]:
        out["objective"] = problem.objective.name
    if problem.preset is not None:
        out["preset"] = problem.preset
    elif problem.limit is not None:
        out["limit"] = encode(problem.limit)
    out |= _rules(problem)
    if authors := _authors(problem):
        out["authors"] = authors
    out["papers"] = _papers(problem)
    return out


def _rules(problem: DeskRejection) -> dict[str, Any]:
    out: dict[str, Any] = {}
    quota: dict[str, Any] = {"rule": problem.quota.rule}
    if problem.quota.role_cost:
        quota["role_cost"] = encode_plain(problem.quota.role_cost)
    if problem.quota.default_role != DEFAULT_ROLE:
        quota["default_role"] = problem.quota.default_role
    if quota != {"rule": "unit"}:
        out["quota"] = quota
    if problem.role_limits:
        out["role_limits"] = dict(problem.role_limits)
    if problem.author_cost != "share":
        out["author_cost"] = problem.author_cost
    if problem.allow_anonymous:
        out["allow_anonymous"] = True
    return out


def encode_plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return exact numbers as JSON without floats beside them."""
    return {key: encode(value) for key, value in values.items()}


def _authors(problem: DeskRejection) -> list[dict[str, Any]]:
    """Return the authors with own data, or all when their order is not that of appearance."""
    who, first = np.unique(problem.paper_author, return_index=True)
    appearance = who[np.argsort(first, kind="stable")]
    drops = _drop_order(problem)
    own = problem.author_limits.keys() | drops.keys()
    listed = problem.author_ids
    if own and (appearance == np.arange(len(listed))).all():
        last = max(i for i, name in enumerate(listed) if name in own)
        listed = listed[: last + 1]
    elif not own and (appearance == np.arange(len(listed))).all():
        return []
    out = []
    for name in listed:
        row: dict[str, Any] = {"id": name}
        if name in problem.author_limits:
            row["limit"] = encode(problem.author_limits[name])
        if name in drops:
            row["drop_order"] = drops[name]
        out.append(row)
    return out


def _papers(problem: DeskRejection) -> list[dict[str, Any]]:
    weight = problem.weight.to_list()
    order, authors = problem.order.tolist(), problem.author_ids
    out = []
    for j, name in enumerate(problem.paper_ids):
        start, stop = int(problem.paper_ptr[j]), int(problem.paper_ptr[j + 1])
        who = problem.paper_author[start:stop].tolist()
        row: dict[str, Any] = {"id": name, "authors": [authors[i] for i in who]}
        if weight[j] != 1:
            row["weight"] = encode(weight[j])
        if order[j] != j:
            row["order"] = order[j]
        for key in ("must_keep", "must_reject"):
            if getattr(problem, key)[j]:
                row[key] = True
        roles = problem.roles[start:stop].tolist()
        named = {
            authors[i]: problem.role_names[r] for i, r in zip(who, roles, strict=True) if r >= 0
        }
        if named:
            row["roles"] = named
        out.append(row)
    return out
