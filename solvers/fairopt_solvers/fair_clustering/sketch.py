"""Starts for very many points: the alternation on a sample, without repairing counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt_solvers.fair_clustering.common import centroids, distances_to
from fairopt_solvers.fair_clustering.dual import maximise
from fairopt_solvers.fair_clustering.lloyd import lloyd, plus_plus

if TYPE_CHECKING:
    from fairopt_solvers.fair_clustering.fca import Alternation

Floats = NDArray[np.float64]

_SAMPLE = 50_000


def sketched(work: Alternation, starts: int, iterations: int, tolerance: float) -> Any:
    """Return the centres of the best start, every start on the same sample (free ``kmeans``).

    All kinds of points are in the sample and keep their mass. Labels are the cheapest clusters
    at the dual prices. The unfair centres are those of the best unfair start.
    """
    places, problem, run = work.places, work.problem, work.run
    x: Floats = places.x  # type: ignore[attr-defined]
    rng = run.child("sketch").rng
    parts = []
    for t in range(len(work.form.mass)):
        inside = np.flatnonzero(work.form.of == t)
        count = min(len(inside), max(200, round(_SAMPLE * len(inside) / len(x))))
        parts.append(np.sort(rng.choice(inside, count, replace=False)))
    who = np.concatenate(parts)
    of, w = work.form.of[who], problem.mass[who].copy()
    w *= (work.form.mass / np.bincount(of, w, len(work.form.mass)))[of]
    form, x = replace(work.form, of=of), np.ascontiguousarray(x[who])
    best, least = None, np.inf
    for number in range(starts):
        child = run.child(f"start-{number}")
        if best is not None and run.expired():
            break
        made = lloyd(x, w, plus_plus(x, w, problem.k, child), child)
        if made is None:
            continue
        if work.unfair is None or made[0] < work.unfair[0]:
            work.unfair = (made[0], made[1])
        state, before, y = made[1], np.inf, None
        for _ in range(iterations):
            d = distances_to(x, state, problem.metric)
            dual = maximise(form, d, w, child, warm=y, tolerance=1e-5)
            if dual is None:
                break
            labels = (d + dual.theta[of]).argmin(1).astype(np.int64)
            state, y = centroids(x, w, labels, state), dual.smooth
            value = float(w @ ((x - state[labels]) ** 2).sum(1))
            if before - value <= max(tolerance, 1e-5) * value:
                break
            before = value
        if best is None or value < least:
            best, least = state, value
    return work.start(0) if best is None else best
