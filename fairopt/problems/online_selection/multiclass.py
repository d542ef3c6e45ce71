"""The question: units for agents who arrive one by one, with quotas for classes of agents.

References
----------
Zargari, Nekouyan, Hallett, Sun, Tan, "Online Multi-Class Selection with Group Fairness
Guarantee", NeurIPS 2025 (arXiv 2510.21055). The notions are theirs; the exact formulas of the
two kinds of fairness are reconstructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.convert import Common, convert, to_builtins
from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Problem, Sense
from fairopt.problems.online_selection.allocation_multiclass import Allocation, read_allocation
from fairopt.rational import Exact, Rational, whole
from fairopt.solution import Claim, encode

Ints = NDArray[np.int64]
_MOST_UNITS = 10**15
_LEAST, _LARGEST = Fraction(1, 10**200), Fraction(10**200)  # of values: products stay floats


class AgentRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``agents``."""

    value: Fraction
    classes: list[int] = []


class PredictionsRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key ``predictions``."""

    threshold: Fraction | None = None


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An online-multiclass instance file."""

    capacity: int
    value_range: list[Fraction]
    agents: list[AgentRow]
    quotas: tuple[int, ...] = ()
    unclassified_agents: bool | None = None
    predictions: PredictionsRow | None = None
    trust: Fraction = Fraction(1, 2)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OnlineMulticlass(Problem):
    """Give ``capacity`` units to agents of large value, online, and keep quotas for classes.

    Agent ``t`` arrives with a value and classes and gets a fraction ``x[t]`` of a unit at once
    and for good. Quotas are kept at a time when each class ``j`` has got in expectation at least
    ``min(quotas[j], arrivals of class j so far)`` units. The sequence may stop at any time.

    Parameters
    ----------
    value
        Exact value of each agent, within ``value_range``.
    classes
        For each agent the classes it belongs to, distinct, perhaps none.
    capacity
        Number of units, at least 1.
    value_range
        The pair (L, U) that an algorithm knows in advance, 0 < L <= U.
    quotas
        Of each class 0, 1, …; together at most ``capacity``.
    unclassified_agents
        Whether agents without a class may come: declared, never found out online. None: true
        if one is listed.
    threshold
        A predicted cut-off value, read by ``set-aside-predicted`` only.
    trust
        In [0, 1], how far the prediction is followed.

    Notes
    -----
    Values of answers and bounds are the floats nearest to exact sums, in which the floats of an
    answer count as the binary fractions that they are. Whether a limit is kept is decided
    exactly.
    """

    problem: ClassVar[str] = "online-multiclass"
    objectives: ClassVar[tuple[str, ...]] = ("value",)
    settings: ClassVar[Mapping[str, Any]] = {
        "capacity": int,
        "value_range": list[Fraction],
        "quotas": list[int],
        "unclassified_agents": bool | None,
        "predictions.threshold": Fraction | None,
        "trust": Fraction,
    }
    proofs: ClassVar[str] = "fairopt.problems.online_selection.proofs_multiclass"

    value: Exact
    class_ptr: Ints
    class_of: Ints
    capacity: int
    value_range: tuple[Rational, Rational]
    quotas: tuple[int, ...]
    unclassified_agents: bool
    threshold: Rational | None
    trust: Rational
    objective: Objective
    meta: Meta

    def __init__(
        self,
        value: Sequence[Rational] | Exact,
        classes: Sequence[Sequence[int]],
        *,
        capacity: int,
        value_range: Sequence[Rational],
        quotas: Sequence[int] = (),
        unclassified_agents: bool | None = None,
        threshold: Rational | None = None,
        trust: Rational = Fraction(1, 2),
        objective: str | None = None,
        meta: Meta | None = None,
    ) -> None:
        units = _whole(capacity, "capacity", 1, _MOST_UNITS)
        low, high = _range(value_range)
        own = tuple(_whole(q, f"quotas[{j}]", 0, _MOST_UNITS) for j, q in enumerate(quotas))
        if sum(own) > units:
            raise InstanceError("quotas", f"{sum(own)} units are promised, there are {units}")
        given = value.to_list() if isinstance(value, Exact) else list(value)
        if len(given) != len(classes):
            raise InstanceError("agents", f"{len(given)} values, {len(classes)} lists of classes")
        values = [_value(v, t, low, high) for t, v in enumerate(given)]
        ptr, of = _incidence(classes, len(own), unclassified_agents)
        share = rational.parse(trust, "trust")
        if not 0 <= share <= 1:
            raise InstanceError("trust", f"expected 0 to 1, got {share}")
        cut = None if threshold is None else rational.parse(threshold, "predictions.threshold")
        if cut is not None and cut < 0:
            raise InstanceError("predictions.threshold", f"expected at least 0, got {cut}")
        free = bool((np.diff(ptr) == 0).any())
        name = self.objective_name(objective)
        self.__dict__.update(
            value=Exact.of(values),
            class_ptr=ptr,
            class_of=of,
            capacity=units,
            value_range=(low, high),
            quotas=own,
            unclassified_agents=free if unclassified_agents is None else bool(unclassified_agents),
            threshold=cut,
            trust=share,
            objective=Objective(name, Sense.MAXIMIZE, "float", "value"),
            meta=meta or Meta(),
        )

    # -- sizes and parameters ----------------------------------------------------------------

    @property
    def n_agents(self) -> int:
        """Number of agents."""
        return len(self.class_ptr) - 1

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.quotas)

    @property
    def promised(self) -> int:
        """Sum of the quotas."""
        return sum(self.quotas)

    @property
    def least_quota(self) -> int:
        """Smallest quota; 0 without classes, or where agents without a class may come."""
        return 0 if self.unclassified_agents else min(self.quotas, default=0)

    @property
    def theta(self) -> Fraction:
        """U / L."""
        low, high = self.value_range
        return Fraction(high) / Fraction(low)

    @cached_property
    def agent_of(self) -> Ints:
        """The agent of each entry of ``class_of``."""
        return np.repeat(np.arange(self.n_agents, dtype=np.int64), np.diff(self.class_ptr))

    @cached_property
    def arrivals(self) -> Ints:
        """Number of agents of each class."""
        return np.bincount(self.class_of, minlength=self.n_classes).astype(np.int64)

    def classes_of(self, agent: int) -> Ints:
        """Return the classes of an agent, in rising order."""
        return self.class_of[self.class_ptr[agent] : self.class_ptr[agent + 1]]

    @cached_property
    def _by_class(self) -> tuple[Ints, Ints]:
        """Pointers by class, and the agents of the classes one after the other."""
        order = np.argsort(self.class_of, kind="stable")
        ptr = np.concatenate(([0], np.cumsum(self.arrivals)))
        return ptr, self.agent_of[order]

    def members(self, j: int) -> Ints:
        """Return the agents of a class, in order of arrival."""
        ptr, agents = self._by_class
        return agents[ptr[j] : ptr[j + 1]]

    # -- what every problem has --------------------------------------------------------------

    def check(
        self, answer: Allocation, claims: Sequence[Claim] = (), *, figures: str = "few"
    ) -> Check:
        """Return violations, value and figures; ``all`` adds the law of the rounding."""
        from fairopt.problems.online_selection.check_multiclass import check

        return check(self, answer, law=figures == "all")

    def answer(
        self,
        x: Sequence[float | Rational],
        *,
        rounding: str = "lossless",
        enforced: str = "prefix",
    ) -> Allocation:
        """Return the answer that gives these fractions, taken exactly."""
        return Allocation(Exact.of([rational.exactly(v) for v in x]), rounding, enforced)

    def answer_to_json(self, answer: Allocation) -> dict[str, Any]:
        return answer.to_json()

    def answer_from_json(self, data: Any) -> Allocation:
        return read_allocation(data, self.n_agents)

    def fields(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "class_ptr": self.class_ptr,
            "class_of": self.class_of,
            "capacity": self.capacity,
            "value_range": self.value_range,
            "quotas": self.quotas,
            "unclassified_agents": self.unclassified_agents,
            "threshold": self.threshold,
            "trust": self.trust,
        }

    def _changed(self, changes: Mapping[str, Any], meta: Meta) -> Self:
        threshold = changes.get("predictions.threshold", self.threshold)
        return type(self)(
            self.value,
            [self.classes_of(t).tolist() for t in range(self.n_agents)],
            capacity=changes.get("capacity", self.capacity),
            value_range=changes.get("value_range", self.value_range),
            quotas=changes.get("quotas", self.quotas),
            unclassified_agents=changes.get("unclassified_agents", self.unclassified_agents),
            threshold=None if threshold is None else whole(threshold),
            trust=whole(changes.get("trust", self.trust)),
            objective=changes.get("objective", self.objective.name),
            meta=meta,
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any], meta: Meta | None = None) -> Self:
        file: Instance = convert(dict(data), Instance)
        return cls(
            [whole(a.value) for a in file.agents],
            [a.classes for a in file.agents],
            capacity=file.capacity,
            value_range=[whole(v) for v in file.value_range],
            quotas=file.quotas,
            unclassified_agents=file.unclassified_agents,
            threshold=None if file.predictions is None else file.predictions.threshold,
            trust=file.trust,
            objective=file.objective,
            meta=replace(file.meta(meta), expected=to_builtins(file.expected)),  # decimals as texts
        )

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "problem": self.problem,
            **self.meta.to_json(),
            "capacity": self.capacity,
            "value_range": encode(self.value_range),
            "quotas": list(self.quotas),
            "unclassified_agents": self.unclassified_agents,
        }
        if self.threshold is not None:
            out["predictions"] = {"threshold": encode(self.threshold)}
        out["trust"] = encode(self.trust)
        ptr, of = self.class_ptr.tolist(), self.class_of.tolist()
        out["agents"] = [
            {"value": encode(v), "classes": of[ptr[t] : ptr[t + 1]]}
            for t, v in enumerate(self.value.to_list())
        ]
        return out

    def size(self) -> dict[str, int]:
        return {"agents": self.n_agents, "classes": self.n_classes, "units": self.capacity}


def _whole(value: Any, where: str, least: int, most: int) -> int:
    number = rational.parse(value, where)
    if not isinstance(number, int) or not least <= number <= most:
        raise InstanceError(where, f"expected an integer from {least} to {most}, got {number}")
    return number


def _range(given: Sequence[Rational]) -> tuple[Rational, Rational]:
    if len(given) != 2:
        raise InstanceError("value_range", f"expected two numbers, got {len(given)}")
    low, high = (rational.parse(v, f"value_range[{k}]") for k, v in enumerate(given))
    if not 0 < low <= high:
        raise InstanceError("value_range", f"expected 0 < L <= U, got {low} and {high}")
    if low < _LEAST or high > _LARGEST:
        raise InstanceError("value_range", "expected values from 1e-200 to 1e200")
    return low, high


def _value(value: Any, agent: int, low: Rational, high: Rational) -> Rational:
    number = rational.parse(value, f"agents[{agent}].value")
    if not low <= number <= high:
        why = f"{number} is outside value_range, {low} to {high}"
        raise InstanceError(f"agents[{agent}].value", why)
    return number


def _incidence(
    classes: Sequence[Sequence[int]], known: int, unclassified: bool | None
) -> tuple[Ints, Ints]:
    """Return CSR pointers and classes; refuses unknown and repeated ones."""
    ptr = np.zeros(len(classes) + 1, np.int64)
    flat: list[int] = []
    for t, given in enumerate(classes):
        where = f"agents[{t}].classes"
        own = sorted(_class(j, where, known) for j in given)
        if len(set(own)) != len(own):
            raise InstanceError(where, "names a class twice")
        if not own and unclassified is False:
            raise InstanceError(where, "must not be empty (unclassified_agents is false)")
        flat += own
        ptr[t + 1] = len(flat)
    of = np.array(flat, np.int64)
    for array in (ptr, of):
        array.setflags(write=False)
    return ptr, of


def _class(value: Any, where: str, known: int) -> int:
    number = rational.parse(value, where)
    if not isinstance(number, int) or not 0 <= number < known:
        last = f"classes are 0 to {known - 1}" if known else "no quotas are given"
        raise InstanceError(where, f"no class {number} ({last})")
    return number
