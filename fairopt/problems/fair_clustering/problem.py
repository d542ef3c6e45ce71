"""The question: clusters of small cost that hold the groups in fair proportions.

References
----------
Chierichetti, Kumar, Lattanzi, Vassilvitskii, "Fair Clustering Through Fairlets", NIPS 2017.
Bera, Chakrabarty, Flores, Negahbani, "Fair Algorithms for Clustering", NeurIPS 2019.
Kim, Lee, Park, Kim, "Fair Clustering via Alignment", ICML 2025.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fairopt.convert import Exactly
from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Problem, Sense
from fairopt.problems.fair_clustering import distances as metrics
from fairopt.problems.fair_clustering import validate
from fairopt.problems.fair_clustering.answer import Clustering, read_answer, write_answer
from fairopt.problems.fair_clustering.fairness import Fairness, read_fairness
from fairopt.problems.fair_clustering.groups import Attribute, read_groups
from fairopt.solution import Claim, Infeasible

__all__ = ["Clustering", "FairClustering"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_UNITS = {"bounded-cost": "level"}


@dataclass(frozen=True)
class Limits:
    """Least and largest share of each group in a cluster, one list for each attribute."""

    lower: list[list[Fraction]]
    upper: list[list[Fraction]]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FairClustering(Problem):
    """Cut n points into at most k clusters of small cost under a fairness condition.

    Parameters
    ----------
    points
        (n, d) coordinates. Or:
    distances
        (n, m) costs of assigning each point to each place; squared ones for ``kmeans``.
    k
        Largest number of clusters.
    groups
        n labels, or ``{attribute: n labels}``: texts or whole numbers. None: no groups.
    weights
        (n,) positive numbers; they scale cost and the masses of groups. Default 1.
    centers
        ``free`` (default for ``kmeans``), ``points`` (default else), or (k, d) fixed ones; with
        ``distances`` ``points`` or ``candidates``.
    candidates
        (m, d) places that centres are chosen from.
    fairness
        A ``Fairness`` or a mapping as in the instance file; default ``{"type": "none"}``.
    metric
        ``sqeuclidean`` (``kmeans``), ``euclidean`` (default else) or ``manhattan``.
    allow_empty
        Whether fewer than k clusters will do; default True.
    preprocess
        Of the coordinates of the points, in this order: ``zscore`` (population standard
        deviation; constant columns become 0), ``l2`` (each row divided by its length).
    assumed
        Names of fields that a reader chose itself; said in a note.

    Raises
    ------
    InstanceError
        With the path of the field as in the JSON file.

    Notes
    -----
    Coordinates of centres are those of ``points``, which are after ``preprocess``.
    """

    problem: ClassVar[str] = "fair-clustering"
    objectives: ClassVar[tuple[str, ...]] = ("kmeans", "kmedian", "kcenter")
    settings: ClassVar[Mapping[str, Any]] = {
        "k": int,
        "fairness": Any,
        "fairness.type": str,
        "fairness.rounding": str,
        "fairness.min_balance": Exactly,
        "fairness.epsilon": Exactly,
        "fairness.delta": Exactly,
        "fairness.alpha": Exactly,
        "fairness.rho": Exactly,
        "fairness.max_cost": Exactly,
        "fairness.condition": str,
        "centers": Any,
        "metric": Literal["sqeuclidean", "euclidean", "manhattan"],
        "preprocess": list[Literal["zscore", "l2"]],
        "allow_empty": bool,
    }
    optional_answer: ClassVar[tuple[str, ...]] = ()
    proofs: ClassVar[str] = "fairopt.problems.fair_clustering.proofs"
    family = "fairopt.problems.fair_clustering"

    points: Floats | None  # after preprocessing
    raw: Floats | None  # as given
    distances: Floats | None
    weights: Floats | None
    attributes: tuple[Attribute, ...]
    k: int
    metric: str
    mode: str
    sites: Floats | None  # candidates or fixed centres
    fairness: Fairness
    allow_empty: bool
    preprocess: tuple[str, ...]
    given: Mapping[str, Any]  # centers, metric, fairness as given
    assumed: tuple[str, ...]

    def __init__(
        self,
        points: Any = None,
        groups: Any = None,
        *,
        k: int,
        distances: Any = None,
        weights: Any = None,
        centers: Any = None,
        candidates: Any = None,
        fairness: Mapping[str, Any] | Fairness | None = None,
        metric: str | None = None,
        allow_empty: bool = True,
        preprocess: Sequence[str] = (),
        assumed: Sequence[str] = (),
        objective: str | None = None,
        meta: Meta | None = None,
    ) -> None:
        put = self.__dict__.__setitem__
        put("meta", meta or Meta())
        put("assumed", tuple(assumed))
        name = self.objective_name(objective)
        put("raw", None if points is None else validate.points(points))
        put("distances", None if distances is None else validate.distances(distances))
        if (self.raw is None) == (self.distances is None):
            why = "the key is missing" if points is None else "excludes distances"
            raise InstanceError("points", why)
        put("preprocess", validate.preprocess(preprocess, self.raw is not None))
        put("points", self._prepared())
        put("k", validate.count(k, self.n, allow_empty))
        put("allow_empty", bool(allow_empty))
        put("weights", validate.weights(weights, self.n))
        put("attributes", read_groups(groups, self.n))
        condition = fairness.to_json() if isinstance(fairness, Fairness) else fairness
        named = {"centers": centers, "candidates": candidates, "metric": metric}
        named["fairness"] = None if condition is None else dict(condition)
        put("given", {key: value for key, value in named.items() if value is not None})
        put("metric", validate.metric(metric, name, self.points is not None))
        mode, sites = validate.centers(self, centers, candidates, name)
        put("mode", mode)
        put("sites", sites)
        if not allow_empty and self.mode != "free" and self.site_count < self.k:
            raise InstanceError("k", f"is {self.k}, but there are {self.site_count} places")
        put("fairness", read_fairness(condition or {"type": "none"}))
        validate.condition(self, name)
        put("objective", Objective(
            name, Sense.MINIMIZE, "float", _UNITS.get(self.fairness.type, ""),
            rounding=1e-12 * self._scale(name),
        ))  # fmt: skip

    def _prepared(self) -> Floats | None:
        if self.raw is None:
            return None
        return validate.prepared(self.raw, self.preprocess)

    def _scale(self, objective: str) -> float:
        """Return the size of the numbers that add up to a cost."""
        if self.fairness.type == "bounded-cost":
            return 1.0
        each = metrics.from_mean(self)
        total = float(each.max() if objective == "kcenter" else (self.mass * each).sum())
        if self.fairness.type == "socially-fair":
            return total / min((float(m.min()) for m in self.group_masses), default=self.total)
        return total

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], **read: Any) -> Self:
        """Read a table (``read``: reader options, among them ``points`` and ``k``)."""
        from fairopt.files import load

        found = load(path, cls.problem, **read)
        assert isinstance(found, cls)
        return found

    # -- derived -----------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of points."""
        data = self.raw if self.raw is not None else self.distances
        assert data is not None
        return len(data)

    @property
    def d(self) -> int:
        """Number of coordinates; 0 where only distances are given."""
        return 0 if self.points is None else self.points.shape[1]

    @cached_property
    def mass(self) -> Floats:
        """Weight of each point, shape (n,)."""
        return validate.frozen(np.ones(self.n)) if self.weights is None else self.weights

    @cached_property
    def total(self) -> float:
        """Weight of all points."""
        return float(self.mass.sum())

    @cached_property
    def whole(self) -> bool:
        """Whether all weights are whole numbers, so that masses are counted exactly."""
        if self.weights is None:
            return True
        return bool(np.all(self.weights == np.rint(self.weights)) and self.weights.sum() < 2**53)

    @cached_property
    def group_masses(self) -> tuple[Floats, ...]:
        """Weight of each group, one array for each attribute."""
        return tuple(
            np.bincount(a.codes, self.mass, len(a.values)).astype(np.float64)
            for a in self.attributes
        )

    def shares(self, a: int) -> list[Fraction]:
        """Return the share of each group of attribute ``a`` in the whole (floats read exactly)."""
        masses = [Fraction(m) for m in self.group_masses[a].tolist()]
        return [m / sum(masses) for m in masses]

    @property
    def site_count(self) -> int:
        """How many places there are to choose centres from; for free centres the points."""
        if self.sites is not None:
            return len(self.sites)
        return self.n if self.distances is None else self.distances.shape[1]

    def site_distances(self, indices: Ints | None = None) -> Floats:
        """Return (n, m) distances to the places, or to some; free centres: to the points."""
        if self.distances is not None:
            return self.distances if indices is None else self.distances[:, indices]
        assert self.points is not None
        places = self.points if self.sites is None else self.sites
        return self.to(places if indices is None else places[indices])

    def to(self, centers: Floats) -> Floats:
        """Return (n, r) distances of the points to centres given by coordinates."""
        assert self.points is not None
        return metrics.between(self.points, centers, self.metric)

    def bounds(self) -> Limits:
        """Return least and largest shares of ``bounds`` (``delta``: of Bera et al.)."""
        low: list[list[Fraction]] = []
        high: list[list[Fraction]] = []
        one = Fraction(1)
        for a, attribute in enumerate(self.attributes):
            if self.fairness.delta is not None:
                delta, shares = self.fairness.delta, self.shares(a)
                low.append([(1 - delta) * s for s in shares])
                high.append([min(one, s / (1 - delta)) for s in shares])
            else:
                lower = self.fairness.lower.get(attribute.name, {})
                upper = self.fairness.upper.get(attribute.name, {})
                low.append([lower.get(v, Fraction(0)) for v in attribute.values])
                high.append([upper.get(v, one) for v in attribute.values])
        return Limits(low, high)

    def impossible(self) -> Infeasible | None:
        """Return a reason why nothing can be fair, where counting heads shows one."""
        from fairopt.problems.fair_clustering.impossible import impossible

        return impossible(self)

    # -- what every problem has ----------------------------------------------------------------

    def check(
        self, answer: Clustering, claims: Sequence[Claim] = (), *, figures: str = "few"
    ) -> Check:
        """Return violations, value and figures."""
        from fairopt.problems.fair_clustering.check import check

        return check(self, answer, claims)

    def answer_to_json(self, answer: Clustering) -> dict[str, Any]:
        return write_answer(answer)

    def answer_from_json(self, data: Any) -> Clustering:
        return read_answer(data)

    def fields(self) -> dict[str, Any]:
        return {
            "points": self.raw,
            "distances": self.distances,
            "weights": self.weights,
            "groups": {a.name: (a.values, a.codes) for a in self.attributes},
            "k": self.k,
            "metric": self.metric,
            "centers": self.mode,
            "sites": self.sites,
            "fairness": _texts(self.fairness.to_json()),
            "allow_empty": self.allow_empty,
            "preprocess": self.preprocess,
        }

    def size(self) -> dict[str, int]:
        groups = sum(len(a.values) for a in self.attributes)
        return {"points": self.n, "coordinates": self.d, "groups": groups, "k": self.k}


def _texts(value: Any) -> Any:
    """Return a condition with all numbers as texts, so that 1 and "1" are one question."""
    if isinstance(value, Mapping):
        return {key: _texts(part) for key, part in value.items()}
    return str(value)
