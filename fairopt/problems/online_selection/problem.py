"""The question: which arriving elements to accept, so that every one has a fair chance.

References
----------
Banihashem, Hajiaghayi, Mittal, "Fair Matroid Selection", NeurIPS 2025.
Edmonds, "Minimum partition of a matroid into independent subsets", 1965.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.convert import Exactly
from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Problem, Sense
from fairopt.problems.online_selection.answer import Selection, read_selection
from fairopt.problems.online_selection.kinds import Ints, Matroid, frozen
from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.rational import Exact, Rational
from fairopt.solution import Claim

__all__ = ["Arrival", "Information", "OnlineSelection", "Selection"]

InformationModel = Literal["known", "parameters", "oblivious", "random"]
ArrivalModel = Literal["fixed", "adversarial", "random"]
INFORMATION_MODELS = ("known", "parameters", "oblivious", "random")
ARRIVAL_MODELS = ("fixed", "adversarial", "random")

Labels = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Information:
    """What the method knows before the first arrival.

    Parameters
    ----------
    model
        ``known`` (the whole matroid), ``parameters`` (arboricity and rank), ``oblivious``
        (nothing) or ``random`` (the number of elements, which arrive in random order).
    alpha, beta, rank
        Arboricity, fractional arboricity and rank as far as they are given; they are believed.
    """

    model: str = "parameters"
    alpha: int | None = None
    beta: Fraction | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """In which order elements arrive: ``fixed``, ``adversarial`` or ``random``.

    ``order`` is a permutation of the elements, None for 0..n-1.
    """

    model: str = "fixed"
    order: Any = None


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OnlineSelection(Problem):
    """Accept arriving elements, keep the accepted set independent, leave nobody without a chance.

    Parameters
    ----------
    matroid
        Which sets are independent (see ``matroids.py``).
    labels
        Distinct names of the elements, for people. Answers name elements by position.
    information
        What a method may know; default: the parameters, computed from the instance.
    arrival
        The order of arrivals; default 0..n-1, fixed.
    weights
        Exact weight of each element, at least 0; only for figures about welfare.
    objective
        ``min-prob``: the smallest acceptance probability of an element.
    meta
        Name, source, licence, known values.

    Raises
    ------
    InstanceError
        With the path of the field as in the JSON file.
    """

    problem: ClassVar[str] = "online-selection"
    optional_answer: ClassVar[tuple[str, ...]] = ("densest",)
    objectives: ClassVar[tuple[str, ...]] = ("min-prob",)
    settings: ClassVar[Mapping[str, Any]] = {
        "information.model": InformationModel,
        "information.alpha": int | None,
        "information.beta": Exactly | None,
        "information.rank": int | None,
        "arrival.model": ArrivalModel,
        "arrival.order": list[int] | None,
    }
    proofs: ClassVar[str] = "fairopt.problems.online_selection.proofs"
    family = "fairopt.problems.online_selection"

    matroid: Matroid
    labels: Labels | None
    information: Information
    arrival: Arrival
    weights: Exact | None
    defaulted: bool  # whether the instance is silent about ``information``

    def __init__(
        self,
        matroid: Matroid,
        *,
        labels: Iterable[int | str] | None = None,
        information: Information | None = None,
        arrival: Arrival | None = None,
        weights: Exact | Sequence[Rational] | NDArray[Any] | None = None,
        objective: str | None = None,
        meta: Meta | None = None,
    ) -> None:
        put = self.__dict__.__setitem__
        n = matroid.n
        put("matroid", matroid)
        put("meta", meta or Meta())
        put("labels", _labels(labels, n))
        put("information", _information(information or Information(), n))
        put("arrival", _arrival(arrival or Arrival(), n))
        put("weights", _weights(weights, n))
        put("defaulted", information is None)
        put("objective", Objective(self.objective_name(objective), Sense.MAXIMIZE, "rational"))

    # -- shape ---------------------------------------------------------------------------------

    @property
    def n_elements(self) -> int:
        """Number of elements."""
        return self.matroid.n

    @property
    def is_matroid(self) -> bool:
        """Whether the independent sets are those of one matroid, not of a matchoid."""
        return not isinstance(self.matroid, Matchoid)

    @cached_property
    def order(self) -> Ints:
        """The elements in order of arrival (0..n-1 where the instance gives none)."""
        given = self.arrival.order
        return frozen(np.arange(self.n_elements)) if given is None else given  # type: ignore[no-any-return]

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """Elements that are in no independent set, ascending."""
        from fairopt.problems.online_selection.independence import loops

        return loops(self.matroid)

    def name_of(self, element: int) -> str:
        """Return the label of an element, or its position."""
        return str(element if self.labels is None else self.labels[element])

    def restricted(self, index: ArrayLike) -> Self:
        """Return the question for these elements alone; new element k is ``index[k]``.

        They arrive in the order in which they did; what was given about the whole is forgotten.
        """
        where = np.asarray(index, np.int64)
        place = np.full(self.n_elements, -1, np.int64)
        place[where] = np.arange(len(where))
        order = place[self.order]
        return type(self)(
            self.matroid.take(where),
            labels=None if self.labels is None else [self.labels[e] for e in where.tolist()],
            information=Information(self.information.model),
            arrival=Arrival(self.arrival.model, order[order >= 0]),
            weights=None if self.weights is None else self.weights.take(where),
            meta=Meta(name=self.meta.name),
        )

    # -- what every problem has ----------------------------------------------------------------

    def check(
        self, answer: Selection, claims: Sequence[Claim] = (), *, figures: str = "few"
    ) -> Check:
        """Return violations, exact value and figures."""
        from fairopt.problems.online_selection.check import check

        return check(self, answer, claims, expensive=figures == "all")

    def answer_to_json(self, answer: Selection) -> dict[str, Any]:
        return answer.to_json()

    def answer_from_json(self, data: Any) -> Selection:
        return read_selection(data, self.n_elements)

    def fields(self) -> dict[str, Any]:
        known = self.information
        return {
            "n_elements": self.n_elements,
            "labels": self.labels,
            "matroid": self.matroid.fields(),
            "information": [known.model, known.alpha, known.beta, known.rank],
            "arrival": [self.arrival.model, self.order],
            "weights": self.weights,
        }

    def size(self) -> dict[str, int]:
        return {"elements": self.n_elements, **self.matroid.size()}


# -- validation ----------------------------------------------------------------------------


def _labels(labels: Iterable[int | str] | None, n: int) -> Labels | None:
    if labels is None:
        return None
    out = tuple(labels)
    if len(out) != n:
        raise InstanceError("labels", f"expected {n} labels (n_elements), got {len(out)}")
    place: dict[int | str, int] = {}
    for k, label in enumerate(out):
        if type(label) not in (int, str):
            raise InstanceError(f"labels[{k}]", f"expected a text or an integer, got {label!r}")
        if label in place:
            raise InstanceError(f"labels[{k}]", f"{label!r} is given twice")
        place[label] = k
    return out


def _one_of(value: object, allowed: Sequence[str], where: str) -> str:
    name = value.replace("_", "-") if isinstance(value, str) else value
    if name not in allowed:
        raise InstanceError(where, f"unknown value {value!r}; choose from {', '.join(allowed)}")
    return str(name)


def _information(given: Information, n: int) -> Information:
    model = _one_of(given.model, INFORMATION_MODELS, "information.model")
    least = 1 if n else 0
    for name in ("alpha", "rank"):
        value = getattr(given, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise InstanceError(f"information.{name}", f"expected a whole number, got {value!r}")
    beta = given.beta
    if beta is not None:
        beta = Fraction(rational.parse(beta, "information.beta"))
    for name, value in (("alpha", given.alpha), ("beta", beta)):
        if value is not None and value < least:
            shown = rational.text(value)
            raise InstanceError(f"information.{name}", f"expected at least {least}, got {shown}")
    rank = given.rank
    if rank is not None and not 0 <= rank <= n:
        raise InstanceError("information.rank", f"expected 0 to {n} (n_elements), got {rank}")
    return Information(model, given.alpha, beta, rank)


def _arrival(given: Arrival, n: int) -> Arrival:
    model = _one_of(given.model, ARRIVAL_MODELS, "arrival.model")
    if given.order is None:
        return Arrival(model)
    order = np.asarray(given.order)
    if order.shape != (n,) or (n and order.dtype.kind not in "iu"):
        why = f"expected a permutation of 0 to {n - 1}, got {order.size} entries"
        raise InstanceError("arrival.order", why)
    if not n:
        return Arrival(model)
    if (bad := np.flatnonzero((order < 0) | (order >= n))).size:
        why = f"no element {order[bad[0]]}; elements are 0 to {n - 1}"
        raise InstanceError(f"arrival.order[{bad[0]}]", why)
    times = np.bincount(order.astype(np.int64), minlength=n)
    if (times > 1).any():
        twice, never = int(np.argmax(times > 1)), int(np.argmax(times == 0))
        why = f"expected a permutation; element {twice} comes twice, {never} never"
        raise InstanceError("arrival.order", why)
    return Arrival(model, frozen(order))


def _weights(values: Exact | Sequence[Rational] | NDArray[Any] | None, n: int) -> Exact | None:
    if values is None:
        return None
    if isinstance(values, Exact):
        out = values
    elif isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1:
        out = Exact.of(values)
    else:
        out = Exact.of([rational.parse(v, f"weights[{k}]") for k, v in enumerate(values)])
    if len(out) != n:
        raise InstanceError("weights", f"expected {n} weights (n_elements), got {len(out)}")
    if (bad := np.flatnonzero(out.num < 0)).size:
        k = int(bad[0])
        raise InstanceError(f"weights[{k}]", f"expected at least 0, got {out[k]}")
    return out
