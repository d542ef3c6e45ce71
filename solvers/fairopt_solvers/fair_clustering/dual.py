"""Maximise the dual of the fair assignment: smoothed, cooled down, by projected Newton steps.

The plain dual is concave and piecewise linear in a few multipliers of each cluster. Smoothed by a
temperature (shares instead of nearest clusters) it has curvature, and from one temperature to the
next few Newton steps are enough. After every step the plain dual is a valid bound, whatever the
multipliers; the best ones are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairopt.run import Run
from fairopt_solvers.fair_clustering.forms import Form
from fairopt_solvers.fair_clustering.kernels_dual import evaluate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SLICE = 8_000_000  # pairs of points and clusters looked at between two looks at the clock
_SAMPLE = 20_000  # points that the first temperatures look at, where there are far more
_HOT, _WARM, _COOL = 0.05, 0.003, 0.3  # temperatures, relative to the mean distance
_STEPS = 30  # Newton steps at one temperature
_DEEP, _COLD = 1e-5, 1e-12  # where it may stop if nothing improves; where it must
_DAMPING, _FIRM = 1e-10, 1e-7  # of Newton steps, relative


@dataclass(frozen=True, eq=False)
class Dual:
    """The best multipliers found.

    Attributes
    ----------
    y
        (rows, k) multipliers in force for ``theta``.
    theta
        (kinds, k) prices.
    bound
        The plain dual: a lower bound on every fair assignment to these centres.
    heat
        The last temperature; 0 if there was none.
    smooth
        (rows, k) multipliers that are optimal at this temperature.
    masses
        (kinds, k) of the shares at these.
    """

    y: Floats
    theta: Floats
    bound: float
    heat: float
    smooth: Floats
    masses: Floats


@dataclass(frozen=True, eq=False)
class _Place:
    """The smoothed dual somewhere: value, slope, minus curvature, masses, cost of the shares."""

    y: Floats
    value: float
    slope: Floats
    hessian: Floats
    masses: Floats
    paid: float


class _Function:
    """The dual of one instance: value, slope and curvature at a temperature."""

    def __init__(self, form: Form, d: Floats, of: Ints, w: Floats, run: Run) -> None:
        self.form, self.d, self.of, self.w, self.run = form, d, of, w, run
        self.kinds, self.k = len(form.mass), d.shape[1]
        self.each = max(1, _SLICE // self.k)
        self.best, self.at = -np.inf, np.zeros((form.rows, self.k))
        self.reach = float(d.max(initial=0.0))  # prices beyond change no assignment any more

    def __call__(self, y: Floats, heat: float) -> _Place | None:
        """Look at these multipliers; None if the time is up."""
        form, k = self.form, self.k
        theta = np.ascontiguousarray(form.matrix @ y)
        value, mass = np.zeros(3), np.zeros((self.kinds, k))
        curve = np.zeros((self.kinds, k, k))
        for first in range(0, len(self.d), self.each):
            if self.run.expired():
                return None
            last = min(first + self.each, len(self.d))
            evaluate(self.d, self.of, self.w, theta, heat, first, last, value, mass, curve)
        plain = float(value[1]) - form.charge * float(y.sum()) - self._range(y)
        if plain > self.best:
            self.best, self.at = plain, y
        slope = form.matrix.T @ mass - form.charge
        hessian = np.einsum("tr,ts,tkl->rksl", form.matrix, form.matrix, curve) / heat
        smooth = float(value[0]) - form.charge * float(y.sum())
        if form.spread:
            smooth -= self._spread(y, heat, slope, hessian)
        paid = float(value[2]) - float((theta * mass).sum())
        return _Place(y, smooth, slope, hessian.reshape(y.size, y.size), mass, paid)

    def within_reach(self, step: Floats) -> Floats:
        """Return the step, shortened where it would move prices beyond all distances."""
        far = float(np.abs(self.form.matrix @ step).max(initial=0.0))
        return step * (self.reach / far) if far > self.reach else step

    def _range(self, y: Floats) -> float:
        return self.form.spread * float(np.ptp(y, axis=1).sum()) if y.size else 0.0

    def _spread(self, y: Floats, heat: float, slope: Floats, hessian: Floats) -> float:
        """Return the smoothed cost of the range of the multipliers; add its derivatives."""
        out, spread = 0.0, self.form.spread
        for sign in (1.0, -1.0):
            z = sign * y / heat
            top = z.max(1, keepdims=True)
            e = np.exp(z - top)
            p = e / e.sum(1, keepdims=True)
            out += heat * float((np.log(e.sum(1)) + top[:, 0]).sum())
            slope -= spread * sign * p
            for r in range(len(y)):
                hessian[r, :, r, :] += spread / heat * (np.diag(p[r]) - np.outer(p[r], p[r]))
        return spread * out


def _climb(f: _Function, y: Floats, heat: float, *, precise: bool) -> _Place | None:
    """Return a place near the maximum at one temperature, None if the time is up.

    Newton steps, halved until the value grows, and damped more where that does not help.
    """
    here = f(y, heat)
    tiny = (1e-13 if precise else 1e-8) * heat * float(f.w.sum())
    damping = _DAMPING
    for _ in range(_STEPS):
        if here is None:
            return None
        step = f.within_reach(_newton(here, damping, signed=f.form.signed))
        if float((step * here.slope).sum()) <= tiny:
            idle = np.where(here.y > 0.0, 0.0, np.maximum(here.slope, 0.0))
            off = float(np.abs(here.y * here.slope).sum() + heat * idle.sum())
            if not f.form.signed or damping > _FIRM or off <= 1e3 * tiny:
                break
            damping = 10 * _FIRM  # the solver of the step may have lost too many digits
            continue
        there = _along(f, here, step, heat)
        if there is here:
            damping *= 1e4
            if damping > 1.0:
                break
        else:
            here, damping = there, max(_DAMPING, damping * 1e-2)
    return here


def _along(f: _Function, here: _Place, step: Floats, heat: float) -> _Place | None:
    """Return the first place on the way where the value has grown enough, else ``here``."""
    gain, length = float((step * here.slope).sum()), 1.0
    while length > 1e-3:
        there = f(here.y + length * step, heat)
        if there is None or there.value >= here.value + 1e-4 * length * gain:
            return there
        length *= 0.3
    return here


def _newton(here: _Place, damping: float, *, signed: bool) -> Floats:
    """Return the Newton step, to multipliers that are not negative if they must be ``signed``.

    A little is added to the diagonal: adding a constant to all prices is flat.
    """
    slope, hessian = here.slope.ravel(), here.hessian
    size = float(np.trace(hessian)) / len(slope)
    if size <= 0.0:
        hessian, size = np.eye(len(slope)), 1.0
    lifted = hessian + damping * size * np.eye(len(slope))
    try:
        if not signed:
            return np.asarray(np.linalg.solve(lifted, slope), np.float64).reshape(here.y.shape)
        from scipy.optimize import nnls

        root = np.linalg.cholesky(lifted)
        right = np.linalg.solve(root, slope + lifted @ here.y.ravel())
        aim: Floats = nnls(root.T, right, maxiter=20 * len(slope))[0]
        return aim.reshape(here.y.shape) - here.y
    except (np.linalg.LinAlgError, RuntimeError):
        step = slope / float(np.diag(lifted).max())
        aim = here.y + step.reshape(here.y.shape)
        return (np.maximum(aim, 0.0) if signed else aim) - here.y


def maximise(
    form: Form,
    distances: Floats,
    weights: Floats,
    run: Run,
    *,
    warm: Floats | None = None,
    tolerance: float = 1e-7,
) -> Dual | None:
    """Return multipliers whose dual is within ``tolerance`` (relative) of the largest, about.

    Parameters
    ----------
    distances, weights
        (n, k) C-contiguous, (n,).
    warm
        (rows, k) multipliers that are near, as for centres that have moved a little.

    None if the time was up before the first look. Where time runs out later, the best so far.
    """
    k = distances.shape[1]
    f = _Function(form, distances, form.of, weights, run)
    scale = float((weights @ distances).sum()) / (float(weights.sum()) * k)
    y = np.zeros((form.rows, k)) if warm is None or warm.shape != (form.rows, k) else warm
    if scale <= 0.0 or not form.rows or k == 1:
        return _plain(f, y * 0.0, scale or 1.0)
    heat = _HOT if warm is None else _WARM
    if warm is None and len(distances) > 4 * _SAMPLE:
        y, heat = _sampled(form, distances, weights, run, scale), _WARM
    place: _Place | None = None
    before = -np.inf
    while heat > _COLD:
        found = _climb(f, y if place is None else place.y, heat * scale, precise=False)
        if found is None:
            break
        place = found
        stalled = heat < _DEEP and f.best - before <= 0.01 * tolerance * abs(f.best)
        off = float(np.abs(place.y * place.slope).sum())  # the shares may be a little unfair
        if stalled or place.paid + off - f.best <= tolerance * abs(f.best):
            break
        before = f.best
        heat *= _COOL if warm is None else _COOL**2
    if place is None:
        return None
    theta = np.ascontiguousarray(form.matrix @ f.at)
    return Dual(f.at, theta, f.best, heat * scale, place.y, place.masses)


def _plain(f: _Function, y: Floats, scale: float) -> Dual | None:
    """Return the dual without prices."""
    found = f(y, _COLD * scale)
    if found is None:
        return None
    return Dual(y, np.zeros((f.kinds, f.k)), f.best, 0.0, y, found.masses)


def _sampled(form: Form, d: Floats, w: Floats, run: Run, scale: float) -> Floats:
    """Return multipliers for a sample of every kind, weighted so that kinds keep their mass."""
    rng = run.child("dual").rng
    parts = []
    for t in range(len(form.mass)):
        inside = np.flatnonzero(form.of == t)
        count = min(len(inside), max(200, round(_SAMPLE * len(inside) / len(d))))
        parts.append(np.sort(rng.choice(inside, count, replace=False)))
    who = np.concatenate(parts)
    of, mass = form.of[who], w[who].copy()
    mass *= (form.mass / np.bincount(of, mass, len(form.mass)))[of]
    f = _Function(form, np.ascontiguousarray(d[who]), of, mass, run)
    y, heat = np.zeros((form.rows, d.shape[1])), _HOT
    while heat >= 0.5 * _WARM:
        place = _climb(f, y, heat * scale, precise=False)
        if place is None:
            break
        y, heat = place.y, heat * _COOL
    return y


def shares_at(
    form: Form, distances: Floats, weights: Floats, run: Run, dual: Dual, *, warmer: float = 1.0
) -> Floats | None:
    """Return the shares (n, k) at the last temperature, or one that is ``warmer`` so many times.

    A few more Newton steps let the masses meet the condition up to rounding, unless it is too
    cold for that. None if the time is up.
    """
    if not form.rows or dual.heat == 0.0:
        nearest = (distances + dual.theta[form.of]).argmin(1)
        one: Floats = (nearest[:, None] == np.arange(distances.shape[1])).astype(np.float64)
        return one
    heat = dual.heat * warmer
    f = _Function(form, distances, form.of, weights, run)
    place = _climb(f, dual.smooth, heat, precise=True)
    if place is None:
        return None
    z = -(distances + (form.matrix @ place.y)[form.of]) / heat
    z -= z.max(1, keepdims=True)
    p = np.exp(z)
    return np.asarray(p / p.sum(1, keepdims=True), np.float64)
