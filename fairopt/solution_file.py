"""Solution files: their schema, and reading them back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

import msgspec

from fairopt import files, rational
from fairopt.convert import convert
from fairopt.errors import InstanceError
from fairopt.solution import (
    Bound,
    Claim,
    Infeasible,
    Note,
    Origin,
    Solution,
    Status,
    decode,
    decode_mapping,
)


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class InstancePart(_Part, frozen=True):
    """Which instance, and how the question came about."""

    name: str | None = None
    digest: str = ""
    read: dict[str, Any] = {}
    set: dict[str, Any] = {}
    files: dict[str, str] = {}


class BoundPart(_Part, frozen=True):
    value: Any
    proof: str
    slack: float | int | str = 0
    data: dict[str, Any] = {}


class ClaimPart(_Part, frozen=True):
    name: str
    value: Any
    proof: str
    value_float: Any = None
    scope: str = ""
    data: dict[str, Any] = {}


class InfeasiblePart(_Part, frozen=True):
    reason: str
    proof: str
    data: dict[str, Any] = {}


class NotePart(_Part, frozen=True):
    code: str
    text: str


class SolutionFile(_Part, frozen=True):
    """A solution file as it is written; see ``Solution.to_json``."""

    fairopt: str
    problem: str
    instance: InstancePart
    objective: str
    method: str
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    stopped_by: Literal["completed", "time-limit", "interrupted"]
    value: Any
    answer: Any
    value_float: Any = None
    options: dict[str, Any] = {}
    seed: int = 0
    threads: int = 1
    bound: BoundPart | None = None
    ratio: float | str | None = None
    figures: dict[str, Any] = {}
    claims: list[ClaimPart] = []
    infeasible: InfeasiblePart | None = None
    notes: list[NotePart] = []
    seconds: dict[str, float] = {}
    versions: dict[str, str] = {}

    @staticmethod
    def read(content: Mapping[str, Any]) -> SolutionFile:
        """Return the typed content; raises ``InstanceError`` with the path of what is wrong."""
        read: SolutionFile = convert(dict(content), SolutionFile)
        return read


def plain_numbers(value: Any) -> Any:
    """Return JSON content with ``Decimal`` as float: in a solution, exact numbers are texts."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {k: plain_numbers(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain_numbers(v) for v in value]
    return value


# -- reading solutions ---------------------------------------------------------------------


def load_solution(source: str | os.PathLike[str] | Mapping[str, Any]) -> Solution[Any]:
    """Read a solution file; raises ``InstanceError`` with the field that does not fit."""
    if isinstance(source, Mapping):
        return _solution(dict(source))
    name = os.fspath(source)
    content = files.parse_json(files.read_bytes(name), file=name, digits=rational.RESULT_DIGITS)
    try:
        if not isinstance(content, dict):
            raise InstanceError("", "expected a JSON object")
        if "answer" not in content or "status" not in content:
            raise InstanceError("", "is not a solution file (it has no answer and status)")
        return _solution(content)
    except InstanceError as error:
        raise InstanceError(error.where, error.why, file=name) from None


def _solution(content: dict[str, Any]) -> Solution[Any]:
    content = plain_numbers(content)
    raw = SolutionFile.read(content)
    return Solution(
        problem=raw.problem,
        origin=Origin(
            raw.instance.name,
            raw.instance.digest,
            raw.instance.read,
            raw.instance.set,
            raw.instance.files,
        ),
        objective=raw.objective,
        method=raw.method,
        status=Status(raw.status),
        stopped_by=raw.stopped_by,
        value=_value(raw.value),
        bound=None
        if raw.bound is None
        else Bound(
            _value(raw.bound.value, "bound.value"),
            raw.bound.proof,
            raw.bound.data,
            _value(raw.bound.slack, "bound.slack"),
        ),
        ratio=_value(raw.ratio, "ratio") if isinstance(raw.ratio, str) else raw.ratio,
        answer=None,
        figures=decode_mapping(raw.figures),
        options=decode_mapping(raw.options),
        seed=raw.seed,
        threads=raw.threads,
        claims=tuple(_claim(c) for c in raw.claims),
        infeasible=None
        if raw.infeasible is None
        else Infeasible(raw.infeasible.reason, raw.infeasible.proof, raw.infeasible.data),
        notes=tuple(Note(n.code, n.text) for n in raw.notes),
        seconds=raw.seconds,
        versions=raw.versions,
        answer_json=raw.answer,
        raw=content,
    )


def _value(value: Any, where: str = "value") -> Any:
    return decode(value, where)


def _claim(raw: Any) -> Claim:
    value = raw.value
    if raw.value_float is not None:
        value = decode(value, f"claims.{raw.name}")
    return Claim(raw.name, value, raw.proof, raw.data, raw.scope)
