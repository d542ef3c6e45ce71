"""Proofs that are recomputed from the instance and their data alone; no solver.

``RULES[kind][name](problem, data)`` returns what is proven: a lower bound on the cost (``bound``),
True (``infeasible``), or the value of a claim.

References
----------
Ding, He, "K-means Clustering via Principal Component Analysis", ICML 2004 (spectral bound).
Kim, Lee, Park, Kim, "Fair Clustering via Alignment", ICML 2025 (alignment identity).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError
from fairopt.problems.fair_clustering import distances as metrics
from fairopt.problems.fair_clustering import impossible
from fairopt.problems.fair_clustering.answer import table_of
from fairopt.problems.fair_clustering.multipliers import ERROR, Prices, read_prices
from fairopt.problems.fair_clustering.partitions import best_partition, none_fair

if TYPE_CHECKING:
    from fairopt.problems.fair_clustering.problem import FairClustering

Floats = NDArray[np.float64]

SUMS = ("kmeans", "kmedian")


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise InstanceError("proof", why)


def _cost_is_value(problem: FairClustering) -> None:
    kind = problem.fairness.type
    _need(kind not in ("socially-fair", "bounded-cost"), f"the value is no cost under {kind}")


# -- multipliers, centres given ------------------------------------------------------------


def fair_dual(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the bound that multipliers prove for the fixed centres."""
    _need(problem.mode == "fixed", "multipliers of this kind are for fixed centres")
    _cost_is_value(problem)
    return _dual(problem, data, problem.sites)


def fair_dual_at(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return what every fair assignment to the centres in the data costs at least."""
    _cost_is_value(problem)
    return _dual(problem, data, _centers(problem, data))


def _dual(problem: FairClustering, data: Mapping[str, Any], centers: Floats | None) -> float:
    _need(problem.objective.name in SUMS, "kcenter is no sum")
    table = None if centers is not None else problem.site_distances(_indices(problem, data))
    k = len(centers) if centers is not None else 0 if table is None else table.shape[1]
    prices = read_prices(problem, data.get("multipliers"), k)
    total = 0.0
    for rows in metrics.blocks(problem.n, k):
        if centers is None:
            assert table is not None
            cost = table[rows]
        else:
            assert problem.points is not None
            cost = metrics.between(problem.points[rows], centers, problem.metric)
        total += float((problem.mass[rows] * (cost + prices.of(problem, rows)).min(1)).sum())
    return total + prices.constant - _error(problem, prices)


def _error(problem: FairClustering, prices: Prices) -> float:
    return ERROR * (prices.size * problem.total + abs(prices.constant))


def radius_dual(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the next distance beyond a radius within which nothing is fair.

    A fair assignment within the radius would cost nothing where farther pairs cost 1; multipliers
    show that every fair assignment costs more than that.
    """
    _need(problem.objective.name == "kcenter", "is about kcenter")
    _need(problem.mode == "fixed", "is for fixed centres")
    _cost_is_value(problem)
    radius = float(data["radius"])
    table = problem.site_distances()
    prices = read_prices(problem, data.get("multipliers"), problem.k)
    far = (table > radius) + prices.of(problem, slice(0, problem.n))
    shown = float((problem.mass * far.min(1)).sum()) + prices.constant - _error(problem, prices)
    _need(shown > 1e-9 * problem.total, "the multipliers leave an assignment within the radius")
    beyond = table[table > radius]
    _need(bool(len(beyond)), "no distance is larger")
    return float(beyond.min())


# -- centres from a list -------------------------------------------------------------------


def discrete_dual(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the bound of prices v of the points: ``sum v`` and the k least savings of a place.

    A place j saves at most ``sum_i max(0, v_i - w_i (d_ij + theta_ij))`` on the prices.
    """
    _need(problem.mode in ("points", "candidates", "fixed"), "is for centres from a list")
    return _discrete(problem, data)


def halved_discrete_dual(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return half the bound with the points as places, for free centres.

    Some member of a cluster costs at most twice what its best centre does, with the same labels:
    the mean over members of sums of squares is twice the one to the centroid; other metrics by
    the triangle inequality.
    """
    _need(problem.mode == "free", "is for free centres")
    _need(problem.fairness.type not in ("individual", "core"), "the condition is on centres")
    return _discrete(problem, data) / 2


def _discrete(problem: FairClustering, data: Mapping[str, Any]) -> float:
    _need(problem.objective.name in SUMS, "kcenter is no sum")
    _cost_is_value(problem)
    v = np.array(data["v"], np.float64)
    _need(v.shape == (problem.n,) and bool(np.isfinite(v).all()), "expected a price for each point")
    m = problem.site_count
    prices = read_prices(problem, data.get("multipliers") or {"rows": "none", "values": {}}, m)
    whole = slice(0, problem.n)
    rho = np.zeros(m)
    for part in metrics.blocks(m, problem.n):
        cost = problem.site_distances(np.arange(part.start, part.stop))
        own = Prices(tuple(t[:, part] for t in prices.tables), prices.base[part], 0.0, 0.0)
        paid = problem.mass[:, None] * (cost + own.of(problem, whole))
        rho[part] = -np.maximum(v[:, None] - paid, 0.0).sum(0)
    least = np.sort(rho)[: problem.k]
    error = _error(problem, prices) + ERROR * float(np.abs(v).sum())
    return float(v.sum() + least.sum()) + prices.constant - error


# -- largest distances ---------------------------------------------------------------------


def nearest_sites(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the largest distance to the nearest place: nobody can be nearer to a centre."""
    _need(problem.objective.name == "kcenter", "is about kcenter")
    _need(problem.mode != "free", "is for centres from a list")
    _cost_is_value(problem)
    worst = 0.0
    for rows in metrics.blocks(problem.n, problem.site_count):
        worst = max(worst, float(_to_sites(problem, rows).min(1).max()))
    return worst


def _to_sites(problem: FairClustering, rows: Any) -> Floats:
    if problem.distances is not None:
        return np.asarray(problem.distances[rows], np.float64)
    assert problem.points is not None
    places = problem.points if problem.sites is None else problem.sites
    return metrics.between(problem.points[rows], places, problem.metric)


def farthest_points(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the least radius of k + 1 points, two of which share a centre.

    Free centres: half their least distance. Listed ones: the least, over pairs and places, of the
    larger distance to the place.
    """
    _need(problem.objective.name == "kcenter", "is about kcenter")
    _cost_is_value(problem)
    chosen = np.array(data["points"])
    fits = chosen.ndim == 1 and chosen.dtype.kind == "i" and len(set(chosen.tolist())) > problem.k
    _need(fits and len(set(chosen.tolist())) == len(chosen), f"expected {problem.k + 1} points")
    _need(bool((chosen >= 0).all() and (chosen < problem.n).all()), "no such point")
    chosen = chosen[: problem.k + 1]
    if problem.mode == "free":
        assert problem.points is not None
        apart = metrics.between(problem.points[chosen], problem.points[chosen], problem.metric)
        return float(apart[~np.eye(len(chosen), dtype=bool)].min()) / 2
    far = _to_sites(problem, chosen)
    best = math.inf
    for a in range(len(chosen) - 1):
        best = min(best, float(np.maximum(far[a], far[a + 1 :]).min()))
    return best


# -- free centres --------------------------------------------------------------------------


def zero(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return 0: no cost is negative."""
    return 0.0


def spectral(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the sum of the squared singular values from the k-th on (Ding, He 2004).

    Of the centred coordinates, rows times the root of the weights: what no subspace of k - 1
    dimensions, and so no k centres, can explain.
    """
    _need(problem.objective.name == "kmeans" and problem.points is not None, "is about kmeans")
    _cost_is_value(problem)
    assert problem.points is not None
    x = problem.points - problem.points[0]
    x = x - np.average(x, axis=0, weights=problem.mass)
    x *= np.sqrt(problem.mass)[:, None]
    if problem.k > min(x.shape):
        return 0.0
    if x.shape[0] > x.shape[1]:
        values = np.linalg.eigvalsh(x.T @ x)[::-1]
    else:
        values = np.linalg.svd(x, compute_uv=False) ** 2
    return max(0.0, float(values[problem.k - 1 :].sum()))


def alignment(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return ``W pi0 pi1`` times the squared Wasserstein distance between two groups, from below.

    Every pair that a proportional cluster matches costs ``pi0 pi1 |x0 - x1|^2`` on top of what
    its mean costs (alignment identity). ``data["u"]`` are potentials of the first group; those of
    the second follow as the least ``|x0 - x1|^2 - u``, so that every u proves something.
    """
    _need(problem.objective.name == "kmeans" and problem.points is not None, "is about kmeans")
    _in_proportion(problem)
    found = [a for a in problem.attributes if a.name == data.get("attribute")]
    _need(bool(found) and len(found[0].values) == 2, "expected an attribute of two groups")
    assert problem.points is not None
    first, second = (np.flatnonzero(found[0].codes == g) for g in (0, 1))
    u = np.array(data["u"], np.float64)
    _need(u.shape == first.shape and bool(np.isfinite(u).all()), "expected a potential each")
    v = np.empty(len(second))
    for part in metrics.blocks(len(second), len(first)):
        apart = metrics.between(problem.points[first], problem.points[second[part]], "sqeuclidean")
        v[part] = (apart - u[:, None]).min(0)
    masses = [float(problem.mass[group].sum()) for group in (first, second)]
    mean = float(problem.mass[first] @ u) / masses[0] + float(problem.mass[second] @ v) / masses[1]
    error = ERROR * (float(np.abs(u).max()) + float(np.abs(v).max()))
    return masses[0] * masses[1] / problem.total * (mean - error)


def group_means(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the sum of squares between the groups' means: clusters in proportion keep it.

    In a cluster of mass m the groups' means lie around its centroid; their squared distances,
    weighted with the shares, are convex in the means, and over all clusters these average to the
    means of the whole groups. With split points too, and for any centres.
    """
    _need(problem.objective.name == "kmeans" and problem.points is not None, "is about kmeans")
    _in_proportion(problem)
    found = [a for a in problem.attributes if a.name == data.get("attribute")]
    _need(bool(found), "expected the name of an attribute")
    assert problem.points is not None
    x = problem.points - problem.points[0]
    x = x - np.average(x, axis=0, weights=problem.mass)
    between = 0.0
    for g in range(len(found[0].values)):
        inside = found[0].codes == g
        mean = np.average(x[inside], axis=0, weights=problem.mass[inside])
        between += float(problem.mass[inside].sum()) * float(mean @ mean)
    return between


def _in_proportion(problem: FairClustering) -> None:
    fairness = problem.fairness
    fits = fairness.type == "proportional" and fairness.rounding in ("strict", "soft")
    _need(fits, "needs strict or soft proportions")


def single_cluster(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return the cost of one cluster, where there can be no more."""
    _need(problem.objective.name in SUMS, "kcenter is no sum")
    _cost_is_value(problem)
    fairness = problem.fairness
    strict = fairness.type == "proportional" and fairness.rounding == "strict"
    forced = strict and impossible.most_clusters(problem) == 1
    _need(problem.k == 1 or forced, "more than one cluster is possible")
    if problem.mode != "free":
        return float((problem.mass @ problem.site_distances()).min())
    _need(problem.objective.name == "kmeans", "centroids are about kmeans")
    return float((problem.mass * metrics.from_mean(problem)).sum())


# -- claims --------------------------------------------------------------------------------


def nearest_centers(problem: FairClustering, data: Mapping[str, Any]) -> float:
    """Return what the centres in the data cost when everybody goes to the nearest."""
    centers = _centers(problem, data)
    count = len(centers) if centers is not None else problem.site_count
    largest = problem.objective.name == "kcenter"
    table = None if centers is not None else problem.site_distances(_indices(problem, data))
    total = 0.0
    for rows in metrics.blocks(problem.n, count):
        if centers is None:
            assert table is not None
            near = table[rows].min(1)
        else:
            assert problem.points is not None
            near = metrics.between(problem.points[rows], centers, problem.metric).min(1)
        if largest:
            total = max(total, float(near.max()))
        else:
            total += float((problem.mass[rows] * near).sum())
    return total


def _centers(problem: FairClustering, data: Mapping[str, Any]) -> Floats | None:
    """Return the coordinates of the centres in the data; None where they are indices."""
    given = data.get("centers")
    if problem.mode == "fixed":
        _need(given is None and data.get("center_indices") is None, "centres are fixed")
        return problem.sites
    if given is None:
        return None
    _need(problem.mode == "free" and problem.points is not None, "expected indices of centres")
    centers = table_of(given, "proof.centers")
    _need(1 <= len(centers) <= problem.k, f"expected at most {problem.k} centres")
    _need(centers.shape[1] == problem.d, f"expected {problem.d} coordinates")
    return centers


def _indices(problem: FairClustering, data: Mapping[str, Any]) -> NDArray[np.int64]:
    given = data.get("center_indices")
    _need(problem.mode in ("points", "candidates") and isinstance(given, list), "expected centres")
    assert given is not None
    fits = all(type(c) is int and 0 <= c < problem.site_count for c in given)
    _need(fits and 1 <= len(given) <= problem.k, "expected indices of at most k centres")
    return np.array(given, np.int64)


RULES = {
    "bound": {
        "fair-dual": fair_dual,
        "radius-dual": radius_dual,
        "discrete-dual": discrete_dual,
        "halved-discrete-dual": halved_discrete_dual,
        "nearest-sites": nearest_sites,
        "farthest-points": farthest_points,
        "spectral": spectral,
        "alignment": alignment,
        "group-means": group_means,
        "single-cluster": single_cluster,
        "partitions": best_partition,
        "zero": zero,
    },
    "infeasible": {**impossible.RULES, "partitions": none_fair},
    "bound_for_centers": {"fair-dual-at": fair_dual_at},
    "unfair_cost": {"nearest-centers": nearest_centers},
}
SCOPES = {"fair-dual-at": "these centers"}
