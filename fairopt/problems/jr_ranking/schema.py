"""The JSON form of jr-ranking instances, and settings changed after reading."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.jr_ranking import validate
from fairopt.rational import Exact
from fairopt.solution import encode

if TYPE_CHECKING:
    from fairopt.problems.jr_ranking.problem import JrRanking

P = TypeVar("P", bound="JrRanking")

_NAMED = ("axiom", "quota", "mode")


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A jr-ranking instance file."""

    comments: int | list[str]
    k: int
    approvals: list[list[int | str]] | None = None
    utilities: list[list[Any]] | None = None
    threshold: Fraction | None = None
    weights: list[int] | None = None
    scores: Any = None
    score_sets: dict[str, list[Any]] | None = None
    axiom: str | None = None
    quota: str | None = None
    forced: tuple[int | str, ...] = ()
    forbidden: tuple[int | str, ...] = ()
    mode: str | None = None
    prefixes: list[int] | None = None
    position_weights: str | list[Fraction] | None = None


def read_problem(cls: type[P], data: Mapping[str, Any], meta: Meta | None) -> P:
    """Build the problem from the content of its JSON file."""
    file: Instance = convert(dict(data), Instance)
    ids = file.comments if isinstance(file.comments, list) else None
    m = file.comments if isinstance(file.comments, int) else len(file.comments)
    known = validate.comment_ids(ids, m)
    indptr = indices = None
    if file.approvals is not None:
        place = {name: c for c, name in enumerate(known or ())}
        indptr, indices = validate.flat(file.approvals, place)
    elif file.utilities is None:
        raise InstanceError("approvals", "the key is missing")
    return cls(
        indptr,
        indices,
        n_comments=m,
        k=file.k,
        weights=file.weights,
        ids=known,
        scores=file.scores,
        score_sets=file.score_sets,
        axiom=file.axiom,
        quota=file.quota,
        forced=file.forced,
        forbidden=file.forbidden,
        mode=file.mode,
        prefixes=file.prefixes,
        position_weights=file.position_weights,
        utilities=file.utilities,
        threshold=file.threshold,
        objective=file.objective,
        meta=file.meta(meta),
    )


def arguments(problem: JrRanking) -> dict[str, Any]:
    """Return the arguments that build the problem again."""
    derived = problem.threshold is not None
    return {
        "indptr": None if derived else problem.indptr,
        "indices": None if derived else problem.indices,
        "n_comments": problem.n_comments,
        "k": problem.k,
        "weights": problem.weights,
        "ids": problem.ids,
        "score_sets": problem.score_sets,
        "forced": problem.forced,
        "forbidden": problem.forbidden,
        "utilities": _utilities(problem),
        "threshold": problem.threshold,
        "remarks": problem.remarks,
        "objective": problem.objective.name,
        "meta": problem.meta,
        **problem.given,
    }


def _utilities(problem: JrRanking) -> Any:
    table = problem.utilities
    if table is None or problem.utility_den == 1:
        return table
    return [[Fraction(int(v), problem.utility_den) for v in row] for row in table]


def changed(problem: P, changes: Mapping[str, Any], meta: Meta) -> P:
    """Return the problem with these settings.

    Cutoffs and position weights of a ranking are forgotten when the mode becomes ``set``.
    """
    known = arguments(problem)
    if changes.get("mode") == "set":
        for name in ("prefixes", "position_weights"):
            known.pop(name, None)
    if "threshold" in changes and problem.threshold is None:
        raise InstanceError("threshold", "the approvals were not made from utilities")
    known |= changes
    known["meta"] = meta
    return type(problem)(known.pop("indptr"), known.pop("indices"), **known)


# -- writing -------------------------------------------------------------------------------


def write_problem(problem: JrRanking) -> dict[str, Any]:
    """Return the instance as the content of its JSON file."""
    out: dict[str, Any] = {"problem": problem.problem, **problem.meta.to_json()}
    out["comments"] = problem.n_comments if problem.ids is None else list(problem.ids)
    out["k"] = problem.k
    if problem.threshold is None:
        items, ptr = problem.indices.tolist(), problem.indptr.tolist()
        out["approvals"] = [items[a:b] for a, b in pairwise(ptr)]
    if problem.utilities is not None:
        out["utilities"] = [_numbers(row, problem.utility_den) for row in problem.utilities]
    if problem.threshold is not None:
        out["threshold"] = encode(problem.threshold)
    if (problem.weights != 1).any():
        out["weights"] = problem.weights.tolist()
    if "scores" in problem.given:
        spec = problem.score_spec
        out["scores"] = _texts(spec) if isinstance(spec, Exact) else spec
    if problem.score_sets:
        out["score_sets"] = {name: _texts(v) for name, v in problem.score_sets.items()}
    for name in _NAMED:
        if name in problem.given:
            out[name] = getattr(problem, name)
    for name in ("forced", "forbidden"):
        if fixed := getattr(problem, name):
            out[name] = [c if problem.ids is None else problem.ids[c] for c in fixed]
    if "prefixes" in problem.given:
        out["prefixes"] = list(problem.prefixes)
    if "position_weights" in problem.given:
        weights = problem.position_weights
        out["position_weights"] = weights if isinstance(weights, str) else _texts(weights)
    return out


def _texts(values: Exact) -> list[Any]:
    return [encode(v) for v in values.to_list()]


def _numbers(row: Any, den: int) -> list[Any]:
    if den == 1:
        found: list[Any] = row.tolist()
        return found
    return [encode(Exact(row, den)[c]) for c in range(len(row))]
