"""Online sessions: one arrival at a time, with save and reload in the middle.

A method that decides one arrival at a time names a ``Policy`` in its row
(``Method(session="module:Class")``). Its batch function and ``OnlineSession`` drive the same
object, so that both decide alike: ``play`` is the loop, ``OnlineSession`` the door for programs
whose arrivals come from outside.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Self, SupportsIndex

from fairopt import registry
from fairopt.errors import InstanceError, UsageError
from fairopt.options import typed_options
from fairopt.problem import Problem
from fairopt.run import Run
from fairopt.solution import Outcome, Solution, encode

Decision = bool | int | float | Fraction
"""Accepted or not; for fractional methods the fraction taken."""

SLICE = 4096  # arrivals between two looks at the clock


class Policy(ABC):
    """What decides. A subclass is built as ``Class(problem, run, **options)``.

    The constructor is the only place that sees the instance: it may keep what the information
    model lets an algorithm know in advance, and a way to look up *arrived* elements. Coins are
    drawn from ``run.rng`` (or a child stream), so that the seed fixes every decision.
    """

    n_elements: int
    """How many elements the instance has; they are named 0, 1, …"""

    @abstractmethod
    def arrive(self, element: int) -> Decision:
        """Decide on an element, irrevocably; the frame passes each element at most once."""

    def arrive_all(self, elements: Sequence[int]) -> list[Decision]:
        """Decide on several arrivals in turn (override where a kernel does it faster)."""
        return [self.arrive(e) for e in elements]

    def state(self) -> Mapping[str, Any]:
        """Return what may be shown of the state, JSON-ready; cheap."""
        return {}

    @abstractmethod
    def finish(self, order: Sequence[int], decisions: Sequence[Decision]) -> Outcome[Any]:
        """Return answer and claims after the last arrival, all elements having arrived."""


def play(policy: Policy, order: Sequence[int], run: Run) -> Outcome[Any]:
    """Let all elements arrive in this order and return the outcome: the batch of a session.

    Looks at the clock every ``SLICE`` arrivals; when the time is up there is no answer.
    """
    decisions: list[Decision] = []
    for begin in range(0, len(order), SLICE):
        if run.expired():
            return Outcome()
        decisions += policy.arrive_all(order[begin : begin + SLICE])
    return policy.finish(order, decisions)


class OnlineSession:
    """Decide arrivals one at a time, with the decisions of the batch method.

    >>> session = fairopt.OnlineSession(problem, "first-fit", seed=0)
    >>> session.start()
    >>> session.arrive(3)
    True

    Parameters
    ----------
    problem
        The instance. The method sees of it what the information model allows: the declared
        parameters at the start, each element when it arrives.
    method
        Name of a method that has a session; ``auto`` has none.
    seed
        Fixes the coins, as in ``fairopt.solve``.
    **options
        Options of the method.

    Raises
    ------
    UsageError
        For a method without a session, an option that it does not have, an element that is
        unknown or arrives twice, an arrival before ``start`` or after ``finish``.
    """

    def __init__(self, problem: Problem, method: str, seed: int = 0, **options: Any) -> None:
        self.row = registry.find_method(problem.problem, method)
        if not self.row.session:
            have = [m.name for m in registry.all_methods(problem.problem) if m.session]
            names = ", ".join(have) or "none"
            raise UsageError(
                f"{self.row.name} has no online session; methods that have one: {names}"
            )
        self.problem = problem
        self.seed = seed
        self.options = typed_options(self.row.function(), options, what=f"method {self.row.name}")
        self._run = Run(seed=seed)
        self._policy: Policy | None = None
        self._order: list[int] = []
        self._decisions: list[Decision] = []
        self._seen: set[int] = set()
        self._finished = False
        self._names: dict[str, int] | None = None  # made when a name first arrives

    # -- the life of a session --------------------------------------------------------------

    def start(self) -> Self:
        """Prepare and toss the coins that are tossed before the first arrival."""
        if self._policy is not None:
            raise UsageError("the session has started already")
        made: Policy = registry.resolve(self.row.session)(self.problem, self._run, **self.options)
        self._policy = made
        return self

    def arrive(self, element: int | str) -> Decision:
        """Return the decision on an element: True or False, or the fraction taken.

        A number is an index, a text the element's name in the instance.
        """
        policy = self._started()
        if self._finished:
            raise UsageError("the session is finished")
        index = self._index(element)
        if not 0 <= index < policy.n_elements:
            raise UsageError(f"there is no element {index}; they are 0 to {policy.n_elements - 1}")
        if index in self._seen:
            raise UsageError(f"element {element!r} has arrived already")
        decision = policy.arrive(index)
        self._seen.add(index)
        self._order.append(index)
        self._decisions.append(decision)
        return decision

    def _index(self, element: int | str) -> int:
        if isinstance(element, bool) or not isinstance(element, str | SupportsIndex):
            raise UsageError(f"elements are given by index or name, not {element!r}")
        if not isinstance(element, str):
            return int(element)
        if self._names is None:
            name_of = getattr(self.problem, "name_of", str)  # without names: the position
            self._names = {name_of(e): e for e in range(self._started().n_elements)}
        if element not in self._names:
            raise UsageError(f"no element is named {element!r}")
        return self._names[element]

    def finish(self) -> Solution[Any]:
        """Return the checked solution; needs all elements to have arrived."""
        from fairopt.api import conclude

        policy = self._started()
        missing = policy.n_elements - len(self._order)
        if missing:
            raise UsageError(f"{missing} of {policy.n_elements} elements have not arrived")
        self._finished = True
        outcome = policy.finish(tuple(self._order), tuple(self._decisions))
        return conclude(self.problem, self.row, outcome, self._run, options=self.options)

    def _started(self) -> Policy:
        if self._policy is None:
            raise UsageError("the session has not started: call start() first")
        return self._policy

    # -- what can be seen -------------------------------------------------------------------

    @property
    def order(self) -> tuple[int, ...]:
        """The elements that have arrived, in order."""
        return tuple(self._order)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions so far, in order of arrival."""
        return tuple(self._decisions)

    @property
    def state(self) -> dict[str, Any]:
        """What has happened so far and what the method lets see of its state, JSON-ready."""
        own = {} if self._policy is None else dict(self._policy.state())
        accepted = [e for e, d in zip(self._order, self._decisions, strict=True) if d]
        return {
            "started": self._policy is not None,
            "arrived": len(self._order),
            "accepted": accepted,
            **{key: encode(value) for key, value in own.items()},
        }

    # -- save and reload --------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return all that is needed to go on later, JSON-ready."""
        import fairopt

        return {
            "fairopt": fairopt.__version__,
            "session": self.row.name,
            "problem": self.problem.problem,
            "digest": self.problem.digest(),
            "options": encode(self.options),
            "seed": self.seed,
            "started": self._policy is not None,
            "finished": self._finished,
            "order": list(self._order),
            "decisions": [encode(d) for d in self._decisions],
            "generator": generator_state(self._run),
        }

    @classmethod
    def from_json(cls, problem: Problem, data: Mapping[str, Any] | str) -> Self:
        """Return the session that was saved, ready for the next arrival.

        The arrivals are played again: the seed fixes every coin, so decisions and the state of
        the generator must come out as they were saved.

        Raises
        ------
        InstanceError
            When the data are no session, belong to another instance, or were changed.
        """
        content = _content(data)
        digest = problem.digest()
        if content["problem"] != problem.problem or content["digest"] != digest:
            raise InstanceError("digest", f"the session belongs to another instance, not {digest}")
        session = cls(problem, content["session"], content["seed"], **content["options"])
        if not content["started"]:
            return session
        policy = session.start()._started()
        for element in content["order"]:
            if element in session._seen or not 0 <= element < policy.n_elements:
                raise InstanceError("order", f"element {element} is unknown or arrives twice")
            session._seen.add(element)
        session._order = list(content["order"])
        session._decisions = policy.arrive_all(session._order)
        if [encode(d) for d in session._decisions] != content["decisions"]:
            raise InstanceError("decisions", "playing the arrivals again gives other decisions")
        if generator_state(session._run) != content["generator"]:
            raise InstanceError("generator", "playing the arrivals again gives another state")
        session._finished = content["finished"]
        return session


def generator_state(run: Run) -> dict[str, Any]:
    """Return the state of a run's generator, its 128-bit numbers as texts."""
    state: dict[str, Any] = dict(run.rng.bit_generator.state)
    inner = {key: str(value) for key, value in state["state"].items()}
    return {key: int(v) if isinstance(v, int) else v for key, v in state.items()} | {"state": inner}


_SHAPE: dict[str, type] = {
    "session": str, "problem": str, "digest": str, "options": dict, "seed": int,
    "started": bool, "finished": bool, "order": list, "decisions": list, "generator": dict,
}  # fmt: skip


def _content(data: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except ValueError as error:
            raise InstanceError("", f"is no JSON ({error})") from None
    if not isinstance(data, Mapping):
        raise InstanceError("", "expected the object that to_json returned")
    for key, kind in _SHAPE.items():
        if not isinstance(data.get(key), kind):
            raise InstanceError(key, f"a saved session has {kind.__name__} here")
    if not all(isinstance(e, int) and not isinstance(e, bool) for e in data["order"]):
        raise InstanceError("order", "expected element indices")
    return data
