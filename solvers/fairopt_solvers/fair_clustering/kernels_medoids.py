"""Kernels of the medoid methods: add the best centre, swap eagerly."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairopt_solvers.jit import FLOATS, FLOATS_2D, FLOATS_OUT, INT, INTS_OUT, helper, kernel


@kernel(INT(FLOATS_2D, FLOATS))
def best_addition(distance: Any, near: Any) -> Any:
    """Return the site (row of ``distance``, sites x points, weighted) that saves most.

    ``near`` is what each point pays now. Ties go to the lowest site.
    """
    best, chosen = -1.0, 0
    for j in range(distance.shape[0]):
        saved = 0.0
        for i in range(distance.shape[1]):
            less = near[i] - distance[j, i]
            if less > 0.0:
                saved += less
        if saved > best:
            best, chosen = saved, j
    return chosen


@helper
def _nearest_two(distance: Any, medoids: Any, who: Any, first: Any, second: Any, loss: Any) -> None:
    """Set each point's two least costs, and what the loss of each medoid costs."""
    loss[:] = 0.0
    for i in range(distance.shape[1]):
        a, b, at = np.inf, np.inf, 0
        for c in range(len(medoids)):
            d = distance[medoids[c], i]
            if d < a:
                b = a
                a, at = d, c
            elif d < b:
                b = d
        first[i], second[i], who[i] = a, b, at
        loss[at] += b - a


@kernel(INT(FLOATS_2D, INT, INT, INT, INTS_OUT, FLOATS_OUT))
def swap(distance: Any, start: Any, idle: Any, steps: Any, medoids: Any, total: Any) -> Any:
    """Try sites from ``start`` on, and swap in each that helps, for ``steps`` of them.

    After Schubert and Rousseeuw, "Fast and eager k-medoids clustering" (2021), FasterPAM: one
    pass over the points prices the exchange of a site with every medoid.

    Parameters
    ----------
    distance
        (sites, points), weighted.
    idle
        How many sites have been tried without a swap so far.
    medoids
        (k,) distinct sites; in and out.
    total
        ``total[0]`` receives the cost.

    Returns
    -------
    How many sites have been tried without a swap; all of them: a local optimum.
    """
    sites, n, k = distance.shape[0], distance.shape[1], len(medoids)
    who = np.empty(n, np.int64)
    first, second = np.empty(n), np.empty(n)
    loss, change = np.empty(k), np.empty(k)
    taken = np.zeros(sites, np.bool_)
    for c in range(k):
        taken[medoids[c]] = True
    _nearest_two(distance, medoids, who, first, second, loss)
    cost = first.sum()
    for step in range(steps):
        if idle >= sites:
            break
        j = (start + step) % sites
        idle += 1
        if taken[j]:
            continue
        change[:] = loss
        gain = 0.0
        for i in range(n):
            d = distance[j, i]
            if d < first[i]:
                gain += d - first[i]
                change[who[i]] += first[i] - second[i]
            elif d < second[i]:
                change[who[i]] += d - second[i]
        out = 0
        for c in range(1, k):
            if change[c] < change[out]:
                out = c
        if k == 1:  # without its only medoid a point pays the new one
            better = 0.0
            for i in range(n):
                better += distance[j, i]
            delta = better - cost
        else:
            delta = change[out] + gain
        if delta < -1e-12 * cost:
            taken[medoids[out]] = False
            taken[j] = True
            medoids[out] = j
            _nearest_two(distance, medoids, who, first, second, loss)
            cost = first.sum()
            idle = 0
    total[0] = cost
    return idle
