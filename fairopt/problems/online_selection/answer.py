"""The answer: a colouring with a law, a lottery, one run, or counts from many runs.

In the solution file::

    {"kind": "coloring", "coloring": [1, 1, 2], "law": ["1/2", "1/2"]}
    {"kind": "lottery", "lottery": [{"set": [0, 2], "probability": "1/3"}, …], "densest": [0, 1]}
    {"kind": "run", "run": {"accepted": [0, 2], "order": [0, 1, 2], "coins": {"rule": "greedy"}}}
    {"kind": "estimate", "estimate": {"counts": [40, 38, 41], "runs": 100}}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problems.online_selection.kinds import Ints, frozen
from fairopt.solution import encode

KINDS = ("coloring", "lottery", "run", "estimate")

Chance = Fraction | float  # a float stands for the binary fraction that it is


class Draw(NamedTuple):
    """One outcome of a lottery."""

    set: tuple[int, ...]
    probability: Fraction


@dataclass(frozen=True)
class SingleRun:
    """What one run accepted, in which order elements came, and the coins that were tossed.

    ``coins["rule"]`` names the published rule that the court replays (see ``replay.py``).
    """

    accepted: tuple[int, ...]
    order: tuple[int, ...]
    coins: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Estimate:
    """How often every element was accepted in independent runs.

    Parameters
    ----------
    counts
        Times accepted, shape (n,).
    runs
        Number of runs.
    sums, squares
        Where each run yields the conditional probability of every element (in [0, 1]) instead
        of a decision: sums and sums of squares over the runs. They replace the counts.
    rule
        What was run, JSON-ready, where exact probabilities may follow from it:
        ``{"name": "degeneracy", "degeneracy": 3, "q": "1/4"}``.
    """

    counts: Ints
    runs: int
    sums: tuple[float, ...] = ()
    squares: tuple[float, ...] = ()
    rule: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Selection:
    """How elements are selected; build it with one of the class methods.

    Attributes
    ----------
    kind
        ``coloring``, ``lottery``, ``run`` or ``estimate``; the fields of other kinds are empty.
    coloring
        Colour of each element, 1, 2 …; 0 is never accepted.
    law
        ``law[c - 1]`` is the probability that colour c is the one accepted. Entries that are
        irrational are floats rounded down, so that what follows from them is a lower bound.
    idle
        The rest, probability that nothing is accepted: law and idle add up to exactly 1.
    lottery
        Sets and their probabilities.
    run, estimate
        See ``SingleRun`` and ``Estimate``.
    densest
        A set S that shows that no method does better than r(S)/|S|, where one is known.
    """

    kind: str
    coloring: Ints | None = None
    law: tuple[Chance, ...] = ()
    idle: Fraction = Fraction(0)
    lottery: tuple[Draw, ...] = ()
    run: SingleRun | None = None
    estimate: Estimate | None = None
    densest: tuple[int, ...] | None = None

    @classmethod
    def colors(
        cls,
        coloring: ArrayLike,
        law: Iterable[Chance],
        densest: Iterable[int] | None = None,
    ) -> Self:
        """Return a colouring; what the law leaves is the probability of accepting nothing."""
        entries = tuple(p if isinstance(p, float) else Fraction(p) for p in law)
        idle = 1 - sum((Fraction(p) for p in entries), Fraction(0))
        return cls("coloring", frozen(coloring), entries, idle, densest=_ascending(densest))

    @classmethod
    def uniform_colors(cls, coloring: ArrayLike, colors: int) -> Self:
        """Return a colouring of which one of the colours 1..``colors`` is drawn uniformly."""
        return cls("coloring", frozen(coloring), (Fraction(1, max(colors, 1)),) * max(colors, 1))

    @classmethod
    def draws(
        cls,
        lottery: Iterable[tuple[Iterable[int], Fraction]],
        densest: Iterable[int] | None = None,
    ) -> Self:
        """Return a lottery over sets."""
        draws = tuple(Draw(tuple(sorted(map(int, s))), Fraction(p)) for s, p in lottery)
        return cls("lottery", lottery=draws, densest=_ascending(densest))

    @classmethod
    def single(
        cls, accepted: Iterable[int], order: Iterable[int], coins: Mapping[str, Any]
    ) -> Self:
        """Return one run."""
        taken = tuple(sorted(map(int, accepted)))
        return cls("run", run=SingleRun(taken, tuple(map(int, order)), dict(coins)))

    @classmethod
    def estimated(
        cls,
        counts: ArrayLike,
        runs: int,
        *,
        sums: Iterable[float] = (),
        squares: Iterable[float] = (),
        rule: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return counts (or sums and squares of conditional probabilities) over many runs."""
        found = Estimate(
            frozen(counts),
            int(runs),
            tuple(map(float, sums)),
            tuple(map(float, squares)),
            dict(rule or {}),
        )
        return cls("estimate", estimate=found)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selection):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """Return the answer in the form of the solution file."""
        out: dict[str, Any] = {"kind": self.kind}
        if self.coloring is not None:
            out |= {"coloring": self.coloring.tolist(), "law": [encode(p) for p in self.law]}
            if self.idle:
                out["idle"] = encode(self.idle)
        elif self.kind == "lottery":
            out["lottery"] = [
                {"set": list(d.set), "probability": encode(d.probability)} for d in self.lottery
            ]
        elif self.run is not None:
            run = self.run
            out["run"] = {
                "accepted": list(run.accepted),
                "order": list(run.order),
                "coins": dict(run.coins),
            }
        elif self.estimate is not None:
            found = self.estimate
            row: dict[str, Any] = {"counts": found.counts.tolist(), "runs": found.runs}
            if found.sums:
                row |= {"sums": list(found.sums), "squares": list(found.squares)}
            if found.rule:
                row["rule"] = dict(found.rule)
            out["estimate"] = row
        if self.densest is not None:
            out["densest"] = list(self.densest)
        return out


def _ascending(elements: Iterable[int] | None) -> tuple[int, ...] | None:
    return None if elements is None else tuple(sorted(map(int, elements)))


# -- reading -------------------------------------------------------------------------------

_KEYS = {
    "coloring": ({"coloring", "law"}, {"idle", "densest"}),
    "lottery": ({"lottery"}, {"densest"}),
    "run": ({"run"}, set[str]()),
    "estimate": ({"estimate"}, set[str]()),
}


def read_selection(data: Any, n: int) -> Selection:
    """Read an answer about ``n`` elements from a file."""
    if not isinstance(data, Mapping) or data.get("kind") not in KINDS:
        raise InstanceError("answer", f"expected an object of kind {', '.join(KINDS)}")
    kind = str(data["kind"])
    need, may = _KEYS[kind]
    _keys(data, need | {"kind"}, may, "answer")
    densest = None
    if "densest" in data:
        densest = _elements(data["densest"], n, "answer.densest")
        if not densest:
            raise InstanceError("answer.densest", "must not be empty")
    if kind == "coloring":
        coloring = _counts(data["coloring"], n, "answer.coloring")
        law = tuple(_chance(p, f"answer.law[{k}]") for k, p in enumerate(_list(data, "law")))
        idle = Fraction(rational.parse(data.get("idle", 0), "answer.idle", digits=4000))
        return Selection(kind, frozen(coloring), law, idle, densest=densest)
    if kind == "lottery":
        return Selection(kind, lottery=_draws(_list(data, "lottery"), n), densest=densest)
    if kind == "run":
        return Selection(kind, run=_run(data["run"], n))
    return Selection(kind, estimate=_estimate(data["estimate"], n))


def _keys(data: Any, need: set[str], may: set[str], where: str) -> None:
    if not isinstance(data, Mapping):
        raise InstanceError(where, "expected an object")
    if missing := sorted(need - set(data)):
        raise InstanceError(f"{where}.{missing[0]}", "the key is missing")
    if unknown := sorted(map(str, set(data) - need - may)):
        raise InstanceError(f"{where}.{unknown[0]}", "unknown key")


def _list(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    if not isinstance(data[key], list | tuple):
        raise InstanceError(f"answer.{key}", "expected a list")
    found: Sequence[Any] = data[key]
    return found


def _elements(values: Any, n: int, where: str) -> tuple[int, ...]:
    """Return distinct elements in the order given."""
    if not isinstance(values, list | tuple):
        raise InstanceError(where, "expected a list of elements")
    for k, e in enumerate(values):
        if isinstance(e, bool) or not isinstance(e, int) or not 0 <= e < n:
            raise InstanceError(f"{where}[{k}]", f"no element {e!r}")
    if len(set(values)) != len(values):
        raise InstanceError(where, "names an element twice")
    return tuple(values)


def _counts(values: Any, n: int, where: str) -> Ints:
    if not isinstance(values, list | tuple) or len(values) != n:
        raise InstanceError(where, f"expected a list with one number for each of {n} elements")
    for k, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**62:
            raise InstanceError(f"{where}[{k}]", f"expected a whole number, got {value!r}")
    return np.array(values, np.int64)


def _chance(value: Any, where: str) -> Chance:
    if isinstance(value, float):
        if not 0 <= value <= 1:
            raise InstanceError(where, f"expected a probability, got {value}")
        return value
    number = Fraction(rational.parse(value, where, digits=rational.RESULT_DIGITS))
    if not 0 <= number <= 1:
        raise InstanceError(where, f"expected a probability, got {rational.text(number)[:40]}")
    return number


def _draws(rows: Sequence[Any], n: int) -> tuple[Draw, ...]:
    out = []
    for k, row in enumerate(rows):
        where = f"answer.lottery[{k}]"
        _keys(row, {"set", "probability"}, set(), where)
        chance = _chance(row["probability"], f"{where}.probability")
        if isinstance(chance, float):
            raise InstanceError(f"{where}.probability", "expected an exact number as text")
        elements = tuple(sorted(_elements(row["set"], n, f"{where}.set")))
        out.append(Draw(elements, chance))
    return tuple(out)


def _run(data: Any, n: int) -> SingleRun:
    _keys(data, {"accepted", "order", "coins"}, set(), "answer.run")
    accepted = _elements(data["accepted"], n, "answer.run.accepted")
    order = _elements(data["order"], n, "answer.run.order")
    if not isinstance(data["coins"], Mapping):
        raise InstanceError("answer.run.coins", "expected an object")
    return SingleRun(tuple(sorted(accepted)), order, dict(data["coins"]))


def _estimate(data: Any, n: int) -> Estimate:
    where = "answer.estimate"
    _keys(data, {"counts", "runs"}, {"sums", "squares", "rule"}, where)
    counts = _counts(data["counts"], n, f"{where}.counts")
    runs = data["runs"]
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise InstanceError(f"{where}.runs", f"expected a number of at least 1, got {runs!r}")
    if n and int(counts.max()) > runs:
        e = int(np.argmax(counts))
        raise InstanceError(f"{where}.counts[{e}]", f"is more than the {runs} runs")
    lists = []
    for key in ("sums", "squares"):
        values = data.get(key, [])
        fine = isinstance(values, list | tuple) and len(values) in ({0, n} if key in data else {0})
        if not fine or any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
            raise InstanceError(f"{where}.{key}", f"expected {n} numbers")
        lists.append(tuple(map(float, values)))
    rule = data.get("rule", {})
    if not isinstance(rule, Mapping):
        raise InstanceError(f"{where}.rule", "expected an object")
    return Estimate(frozen(counts), runs, lists[0], lists[1], dict(rule))
