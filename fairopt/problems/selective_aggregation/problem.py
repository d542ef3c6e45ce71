"""The question: which comparisons of items are backed by nearly all judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Problem, Sense
from fairopt.problems.selective_aggregation.answer import Tiering, read_answer, write_answer
from fairopt.problems.selective_aggregation.profile import Dissent, Profile
from fairopt.rational import Rational
from fairopt.solution import Claim, Note

Convention = Literal["strict", "half-ties", "available"]
CONVENTIONS: tuple[str, ...] = ("strict", "half-ties", "available")

_NEAR = Fraction(1, 10**9)  # a Python float that is so near to a dissent means that dissent
_HALF = Fraction(1, 2)


@dataclass(frozen=True, eq=False)
class SelectiveAggregation(Problem):
    """Rank items in tiers such that every comparison has a dissent of at most tau.

    Parameters
    ----------
    profile
        What the judges said.
    items
        Distinct texts, one for each item.
    convention
        What the dissent of "i above j" counts: ``strict`` (default) everybody who did not put i
        above j; ``half-ties`` ties by half; ``available`` only those who judged both.
    tau
        In [0, 1/2); None for the whole path. A float that is within 1e-9 of a multiple of 1/W (of
        1/(2 W) for ``half-ties``, of a dissent for ``available``) means that number.
    max_dissent_count
        c instead of tau = c/W; not with ``available``.
    remarks
        What a reader has to say about the file; shown as notes, no part of the question.

    Raises
    ------
    InstanceError
        With the path of the field as in the JSON file.
    """

    problem: ClassVar[str] = "selective-aggregation"
    objectives: ClassVar[tuple[str, ...]] = ("comparisons",)
    settings: ClassVar[Mapping[str, Any]] = {
        "tau": Fraction | None,
        "max_dissent_count": int | None,
        "convention": Convention,
    }
    optional_answer: ClassVar[tuple[str, ...]] = ("path",)
    proofs: ClassVar[str] = "fairopt.problems.selective_aggregation.proofs"
    family = "fairopt.problems.selective_aggregation"

    profile: Profile
    items: tuple[str, ...]
    convention: str
    tau: Fraction | None
    max_dissent_count: int | None
    remarks: tuple[Note, ...]
    given: Mapping[str, Any]  # settings that were given

    def __init__(
        self,
        profile: Profile,
        items: Sequence[str],
        *,
        convention: str | None = None,
        tau: Rational | float | str | None = None,
        max_dissent_count: int | None = None,
        remarks: Sequence[Note] = (),
        objective: str | None = None,
        meta: Meta | None = None,
    ) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if convention is not None and convention not in CONVENTIONS:
            known = ", ".join(CONVENTIONS)
            raise InstanceError("convention", f"{convention!r} is none of {known}")
        put("profile", profile)
        put("items", tuple(items))
        put("convention", convention or "strict")
        count = max_dissent_count
        if count is not None:
            self._count_fits(count, tau)
        put("max_dissent_count", count)
        put("tau", None if tau is None else self._tau(tau))
        put("remarks", tuple(remarks))
        given = {"convention": convention, "tau": self.tau, "max_dissent_count": count}
        put("given", {name: value for name, value in given.items() if value is not None})
        name = self.objective_name(objective)
        put("objective", Objective(name, Sense.MAXIMIZE, "integer", "pairs of items"))
        put("meta", meta or Meta())

    def _count_fits(self, count: int, tau: object) -> None:
        if tau is not None:
            raise InstanceError("max_dissent_count", "cannot be given beside tau")
        if self.convention == "available":
            raise InstanceError("max_dissent_count", "counts judges, not with available")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InstanceError("max_dissent_count", f"expected a number of judges, got {count!r}")
        if 2 * count >= self.total:
            why = f"must be less than half of the {self.total} judges, got {count}"
            raise InstanceError("max_dissent_count", why)

    def _typed(self, key: str, value: Any) -> Any:
        """Return a setting; a Python float is the dissent that it is near to."""
        if key == "tau" and isinstance(value, float):
            return self._tau(value)
        return super()._typed(key, value)

    def _tau(self, tau: Any) -> Fraction:
        value = Fraction(rational.parse(tau, "tau"))
        if not 0 <= value < _HALF:
            raise InstanceError("tau", f"must lie in [0, 1/2), got {rational.text(value)}")
        return self._snapped(value) if isinstance(tau, float) else value

    def _snapped(self, tau: Fraction) -> Fraction:
        """Return the dissent that a float stands for, itself if none is near."""
        if self.convention == "available":
            values = self.dissent.values
            level = self.dissent.floor(tau + _NEAR)
            near = values[level] if level >= 0 else tau
        else:
            scale = self.total * (2 if self.convention == "half-ties" else 1)
            near = Fraction(round(tau * scale), scale)
        return near if abs(near - tau) <= _NEAR and near < _HALF else tau

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def total(self) -> int:
        """W, the weight of all judges."""
        return self.profile.total

    @cached_property
    def place(self) -> dict[str, int]:
        """The position of each item."""
        return {name: i for i, name in enumerate(self.items)}

    @cached_property
    def dissent(self) -> Dissent:
        """The dissents of all statements."""
        return self.profile.counts.dissent(self.convention)

    @property
    def asked(self) -> Fraction | None:
        """The tau in force; None for the whole path."""
        if self.max_dissent_count is not None:
            return Fraction(self.max_dissent_count, self.total)
        return self.tau

    @cached_property
    def limit(self) -> int:
        """The largest level that a published statement may have: at tau, else below one half."""
        return self.dissent.largest if self.asked is None else self.dissent.floor(self.asked)

    # -- what every problem has ----------------------------------------------------------------

    def check(
        self, answer: Tiering, claims: Sequence[Claim] = (), *, figures: str = "few"
    ) -> Check:
        """Return violations, comparisons and figures."""
        from fairopt.problems.selective_aggregation.check import check

        return check(self, answer, expensive=figures == "all")

    def answer_to_json(self, answer: Tiering) -> dict[str, Any]:
        return write_answer(answer, self.items)

    def answer_from_json(self, data: Any) -> Tiering:
        return read_answer(data, self.place)

    def fields(self) -> dict[str, Any]:
        said, votes = self.profile, self.profile.votes
        return {
            "items": self.items,
            "total": said.total,
            "ranks": said.ranks,
            "weights": said.weights,
            "votes": None
            if votes is None
            else [votes.judge, votes.first, votes.second, votes.value, votes.weights],
            "support": said.support,
            "ties": said.ties,
            "convention": self.convention,
            "tau": self.asked,
        }

    def size(self) -> dict[str, int]:
        return {"items": self.n, "judges": self.total}
