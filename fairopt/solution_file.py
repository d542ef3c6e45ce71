"""The schema of a solution file."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

import msgspec

from fairopt.convert import convert


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
    ratio: float | None = None
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
