"""Fair clustering as a scikit-learn estimator; needs ``pip install fairopt[sklearn]``.

>>> model = fairopt.FairKMeans(n_clusters=3, random_state=0).fit(X, groups=sex)
>>> model.labels_, model.solution_.figures
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairopt.errors import MethodError, UsageError

try:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:  # pragma: no cover - depends on the environment
    raise ImportError(
        "fairopt.FairKMeans needs scikit-learn 1.6 or newer: pip install 'fairopt[sklearn]'"
    ) from error

_SEEDS = 2**31 - 1


class FairKMeans(TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """K-means under a fairness condition on the groups in every cluster.

    Parameters
    ----------
    n_clusters
        Largest number of clusters.
    fairness
        A condition as in an instance file, or ``None`` for proportional shares up to rounding:
        ``{"type": "balance", "min_balance": 0.4}``, ``{"type": "bounds", "delta": 0.2}`` ...
    method
        A method of ``fair-clustering``.
    options
        Options of the method, ``{"starts": 20}``.
    time_limit
        Seconds; ``None`` for no limit.
    random_state
        Seed, generator or ``None``, as everywhere in scikit-learn.

    Attributes
    ----------
    labels_
        (n,) cluster of each sample; fair, so not always the nearest centre.
    cluster_centers_
        (r, d) with r at most ``n_clusters``.
    inertia_
        Weighted sum of squared distances to the own centres.
    bound_
        No fair clustering costs less, NaN if nothing is known.
    solution_
        The solution with status, figures, claims.

    Notes
    -----
    ``predict`` and ``transform`` know no groups: new samples go to the nearest centre, without
    regard to fairness, and ``predict(X)`` on the training data may differ from ``labels_``.
    In a pipeline: ``pipeline.fit(X, fairkmeans__groups=groups)``, or metadata routing with
    ``FairKMeans().set_fit_request(groups=True)``.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fairness: Mapping[str, Any] | None = None,
        method: str = "auto",
        options: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fairness = fairness
        self.method = method
        self.options = options
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the samples.

        Parameters
        ----------
        X
            (n, d) numbers.
        y
            Ignored.
        groups
            n labels, or ``{attribute: n labels}``; None: everybody is of one group.
        sample_weight
            (n,) weights of cost and group mass; samples of weight 0 count for nothing and go to
            the nearest centre.

        Returns
        -------
        The estimator. Raises ``InstanceError`` (a ``ValueError``) for bad input, ``MethodError``
        where no answer was found.
        """
        import fairopt

        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=1)
        seed = int(check_random_state(self.random_state).randint(_SEEDS))
        weights = None if sample_weight is None else _weights(sample_weight, len(X))
        used = np.ones(len(X), bool) if weights is None else weights > 0.0
        labels = None if groups is None else _labels(groups, len(X), used)
        problem = self._problem(X[used], labels, None if weights is None else weights[used])
        solution = fairopt.solve(
            problem, self.method, seed=seed, time_limit=self.time_limit, **dict(self.options or {})
        )
        answer = solution.answer
        if answer is None:
            words = "; ".join(note.text for note in solution.notes)
            raise MethodError(
                f"no fair clustering ({solution.status}){': ' + words if words else ''}"
            )
        if answer.centers is None:
            raise UsageError(f"{self.method} returns no centre coordinates")
        self.cluster_centers_ = np.array(answer.centers, np.float64)
        self.labels_ = np.empty(len(X), np.int32)
        self.labels_[used] = answer.labels
        if not used.all():
            self.labels_[~used] = self.predict(X[~used])
        bound: Any = None if solution.bound is None else solution.bound.value
        value: Any = solution.value
        self.inertia_ = float(value)
        self.bound_ = np.nan if bound is None else float(bound)
        self.solution_ = solution
        return self

    def _problem(self, X: Any, groups: Any, weights: Any) -> Any:
        from fairopt.problems.fair_clustering import FairClustering

        fairness = self.fairness
        if fairness is None and groups is not None:
            unit = weights is None or bool((weights == 1.0).all())
            rounding = "floor-ceil" if unit else "soft"
            fairness = {"type": "proportional", "rounding": rounding}
        return FairClustering(
            X, groups, k=self.n_clusters, weights=weights, fairness=fairness, centers="free"
        )

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit and return ``labels_``: the fair labels, not those of ``predict``."""
        return self.fit(X, y, **fit_params).labels_

    def predict(self, X: Any) -> Any:
        """Return the nearest centre of each sample; fairness plays no part."""
        return self.transform(X).argmin(1).astype(np.int32)

    def transform(self, X: Any) -> Any:
        """Return the distances (n, r) of samples to the centres."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        gap = np.zeros((len(X), len(self.cluster_centers_)))
        for column, center in zip(X.T, self.cluster_centers_.T, strict=True):
            gap += (column[:, None] - center[None, :]) ** 2
        return np.sqrt(gap)

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the sum of squared distances to the nearest centres."""
        return -float((self.transform(X).min(1) ** 2).sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def _weights(sample_weight: Any, n: int) -> Any:
    """Return (n,) weights; raises ``ValueError`` where they are none."""
    weights = np.asarray(sample_weight, np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight: expected shape ({n},), got {weights.shape}")
    if not np.isfinite(weights).all() or np.any(weights < 0.0):
        raise ValueError("sample_weight: expected finite numbers that are not negative")
    if not weights.any():
        raise ValueError("sample_weight: all weights are zero")
    return weights


def _labels(groups: Any, n: int, used: Any) -> Any:
    """Return the labels of the used samples, as in an instance file."""

    def column(name: str, part: Any) -> list[Any]:
        array = np.asarray(part)
        if array.shape != (n,):
            raise ValueError(f"{name}: expected {n} labels, got shape {array.shape}")
        labels: list[Any] = array[used].tolist()
        return labels

    if isinstance(groups, Mapping):
        return {str(name): column(f"groups.{name}", part) for name, part in groups.items()}
    if hasattr(groups, "columns"):  # a data frame: one attribute a column
        return {str(name): column(f"groups.{name}", groups[name]) for name in groups.columns}
    array = np.asarray(groups)
    if array.ndim == 2:
        return {f"group{a}": column(f"groups[:, {a}]", part) for a, part in enumerate(array.T)}
    return column("groups", array)
