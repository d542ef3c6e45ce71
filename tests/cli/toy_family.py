"""A family that comes in as a third party's does: pick a number below ``size``.

Its methods do what methods do on bad days: run until they are stopped, fail, find nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import msgspec

from fairopt import rational
from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.files import Format
from fairopt.method import Method
from fairopt.problem import Check, Meta, Objective, Problem, Sense, Violation
from fairopt.registry import ProblemEntry
from fairopt.run import Run
from fairopt.solution import Bound, Claim, Infeasible, Note, Outcome
from fairopt.verbs import Result, Table, Verb


class File(Common, frozen=True):
    size: int
    unit: Fraction = Fraction(1)
    names: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    pick: int


@dataclass(frozen=True, eq=False)
class Toy(Problem):
    problem: ClassVar[str] = "toy-pick"
    objectives: ClassVar[tuple[str, ...]] = ("most", "share")
    settings: ClassVar[Mapping[str, Any]] = {
        "size": int,
        "unit": Fraction,
        "names": list[str],
        "rule.kind": Literal["a-b", "c"],
        "label": str,
    }
    proofs: ClassVar[str] = "toy_family"

    size_: int
    unit: Fraction
    names: tuple[str, ...]
    objective: Objective
    meta: Meta
    label: str = ""

    def check(self, answer: Any, claims: Sequence[Claim] = (), *, figures: str = "few") -> Check:
        broken = [] if answer >= 0 else [Violation("positive", "pick", -answer)]
        if answer >= self.size_:
            broken.append(Violation("size", "pick", answer - self.size_ + 1))
        value = answer * self.unit
        if self.objective.name == "share":
            value = Fraction(answer, max(1, self.size_))
        shown = {"pick": answer, "share": Fraction(answer, max(1, self.size_)), "hidden": 7}
        return Check(tuple(broken), value, shown)

    def fields(self) -> Mapping[str, Any]:
        return {"size": self.size_, "unit": self.unit, "names": self.names, "label": self.label}

    def _changed(self, changes: Mapping[str, Any], meta: Meta) -> Self:
        known = {"size": "size_", "unit": "unit", "names": "names", "label": "label"}
        fields = {known[k]: v for k, v in changes.items() if k in known}
        if fields.get("size_", 0) < 0:
            raise InstanceError("size", "must be at least 0")
        objective = objective_of(changes.get("objective", self.objective.name))
        return replace(self, **fields, objective=objective, meta=meta)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], meta: Meta | None = None) -> Self:
        raw = convert(dict(data), File)
        meta = replace(meta or Meta(), expected=raw.expected, flags=raw.flags())
        if raw.name:
            meta = replace(meta, name=raw.name)
        objective = objective_of(cls.objective_name(raw.objective))
        return cls(raw.size, raw.unit, tuple(raw.names), objective, meta)

    def to_json(self) -> dict[str, Any]:
        return {
            "problem": self.problem,
            **self.meta.to_json(),
            "size": self.size_,
            "unit": rational.text(self.unit),
            "names": list(self.names),
            "objective": self.objective.name,
        }

    def answer_to_json(self, answer: Any) -> Any:
        return {"pick": answer}

    def answer_from_json(self, data: Any) -> Any:
        return convert(data, Answer, where="answer").pick

    def size(self) -> Mapping[str, int]:
        return {"numbers": self.size_}


def objective_of(name: str) -> Objective:
    kind = "integer" if name == "most" else "rational"
    return Objective(name, Sense.MAXIMIZE, kind, "points" if name == "most" else "")


RULES = {"bound": {"largest": lambda problem, _: problem.size_ - 1}}

# -- formats, generators, view ---------------------------------------------------------------


def read_csv(
    data: bytes, *, meta: Meta, column: str = "size", columns: list[str] | None = None,
    fold_case: bool = False,
) -> Toy:  # fmt: skip
    head, *rows = data.decode().split()
    if column not in head.split(","):
        raise InstanceError("line 1", f"no column {column!r}")
    size = int(rows[0].split(",")[head.split(",").index(column)])
    return Toy(size, Fraction(1), tuple(columns or ()), objective_of("most"), meta)


def write_csv(problem: Toy) -> bytes:
    return f"size\n{problem.size_}\n".encode()


def is_csv(suffix: str, head: bytes) -> bool:
    return suffix == ".toycsv"


FORMATS = (Format("toy CSV", "toy-pick", is_csv, read_csv, write_csv, (".toycsv",)),)


def numbers(*, seed: int, most: int = 10, names: list[str] | None = None) -> Toy:
    """Draw a size."""
    return Toy(1 + seed % most, Fraction(1), tuple(names or ()), objective_of("most"), Meta())


GENERATORS = {"toy-pick": {"numbers": numbers}}
FIGURES = (("pick", "number picked", "max"), ("share", "share of the largest", "max"))


def describe(problem: Toy) -> str:
    return f"{problem.size_} numbers"


def explain(problem: Toy, solution: Any, *, times: int = 1, words: list[str] | None = None) -> Any:
    picked = solution.answer
    table = Table(("word", "pick"), [(word, picked * times) for word in words or ("all",)])
    return Result({"pick": picked * times}, ("because of the size", table))


def audit(problem: Toy, solution: Any = None, *, strict: bool = False) -> Result:
    return Result({"holds": not strict, "solved": solution is not None}, exit_code=int(strict))


VERBS = (
    Verb("explain", "toy_family:explain", "Say why a number was picked.", ("toy-pick",)),
    Verb("audit", "toy_family:audit", "Audit a toy.", example="toy.json --strict"),
    Verb("hide", "toy_family:audit", "Not for toys.", ("other-toy",)),
)

# -- methods ---------------------------------------------------------------------------------


def exact(problem: Toy, run: Run, *, backend: Literal["highs", "cp-sat"] = "highs") -> Outcome[int]:
    if problem.size_ == 0:
        return Outcome(
            infeasible=Infeasible("no number is below 0", "solver", {"backend": "toy 1"})
        )
    bound = problem.check(problem.size_ - 1).value
    return Outcome(problem.size_ - 1, Bound(bound, "solver", {"backend": f"{backend} 9"}, 1e-9))


def greedy(
    problem: Toy, run: Run, *, share: Fraction = Fraction(1, 2), remark: str | None = None
) -> Outcome[int]:
    bound = None
    if problem.objective.name == "most":
        bound = Bound(problem.size_ - 1, "combinatorial", {"rule": "largest"})
    return Outcome(int(share * problem.size_), bound, notes=(Note("hasty", "looked once"),))


def endless(problem: Toy, run: Run, *, offers: bool = True) -> Outcome[int]:
    if offers:
        run.offer(1, 1)
    print("running", flush=True)
    while not run.expired():
        time.sleep(0.001)
    return Outcome()


def deaf(problem: Toy, run: Run) -> Outcome[int]:
    print("running", flush=True)
    while True:
        time.sleep(0.001)


def crash(problem: Toy, run: Run) -> Outcome[int]:
    raise ZeroDivisionError("of all things")


def stumble(problem: Toy, run: Run) -> Outcome[int]:
    run.offer(1, 1)
    raise ZeroDivisionError("of all things")


def wrong(problem: Toy, run: Run) -> Outcome[int]:
    return Outcome(problem.size_)


def below(problem: Toy, run: Run) -> Outcome[int]:
    return Outcome(-3)


def nothing(problem: Toy, run: Run) -> Outcome[int]:
    return Outcome()


METHODS = (
    Method("auto", "toy_family:exact", "auto", "toy-pick"),
    Method("exact", "toy_family:exact", "exact", "toy-pick", "the optimum", aliases=("best",)),
    Method(
        "greedy", "toy_family:greedy", "approximation", "toy-pick", "half of the optimum", "Folk"
    ),
    Method("endless", "toy_family:endless", "heuristic", "toy-pick", objectives=("most",)),
    Method("deaf", "toy_family:deaf", "heuristic", "toy-pick", objectives=("most",)),
    Method("crash", "toy_family:crash", "heuristic", "toy-pick"),
    Method("stumble", "toy_family:stumble", "heuristic", "toy-pick"),
    Method("wrong", "toy_family:wrong", "heuristic", "toy-pick"),
    Method("below", "toy_family:below", "baseline", "toy-pick", relaxes=("positive",)),
    Method("nothing", "toy_family:nothing", "heuristic", "toy-pick"),
)
_HERE = "toy_family"
PROBLEMS = (ProblemEntry("toy-pick", f"{_HERE}:Toy", "pick a number", _HERE, _HERE, _HERE),)


def register() -> None:
    """Make the family known as an entry point would."""
    from fairopt import registry

    registry._entry_points = lambda group: {"toy": _HERE}
    registry.families.cache_clear()


if __name__ == "__main__":
    from toy_family import register as as_module

    from fairopt.cli import main

    as_module()
    main()
