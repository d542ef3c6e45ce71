"""Hand a model to a backend, check what it says, and do something sensible if that is wrong."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from fairopt.errors import MethodError, UsageError
from fairopt.run import Run
from fairopt.solution import Note
from fairopt_solvers.backends.judge import Best, Verdict, cover_cuts, farkas_oriented, judge
from fairopt_solvers.backends.model import (
    TOLERANCE,
    BackendRefusal,
    Floats,
    LinearModel,
    LinearResult,
)
from fairopt_solvers.backends.raw import Reply, Task
from fairopt_solvers.backends.scaling import Scaling

_CUT_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Backend:
    """One outside program and what it can do.

    ``function`` is a callable, or ``module:name`` of one that is imported at the first call.
    ``integers`` marks a backend that takes integers only and is exact about them.
    """

    name: str
    function: str | Callable[[Task, Run], Reply]
    package: str
    mip: bool = False
    lp: bool = False
    duals: bool = False
    rays: bool = False
    integers: bool = False
    warm_start: bool = False
    bounds: bool = False
    accuracy: float = 0.0  # relative error of continuous columns, beyond the usual

    def scale(self, model: LinearModel) -> Scaling:
        """Return the scaling this backend needs."""
        return Scaling.integers(model, self.name) if self.integers else Scaling.of(model)

    def __call__(self, task: Task, run: Run) -> Reply:
        function = self.function
        if isinstance(function, str):
            module, _, name = function.partition(":")
            function = getattr(importlib.import_module(module), name)
        return function(task, run)


_HERE = "fairopt_solvers.backends"
BACKENDS: dict[str, Backend] = {
    b.name: b
    for b in (
        Backend(
            "highs", f"{_HERE}.highs:run_highs", "highspy",
            mip=True, lp=True, duals=True, rays=True, warm_start=True, bounds=True,
        ),
        Backend(
            "cp-sat", f"{_HERE}.cpsat:run_cpsat", "ortools",
            mip=True, integers=True, warm_start=True, bounds=True,
        ),
        Backend(
            "cbc", f"{_HERE}.cbc:run_cbc", "pulp",
            mip=True, lp=True, warm_start=True, accuracy=1e-7,  # it writes 8 digits
        ),
        Backend("glop", f"{_HERE}.lp:run_glop", "ortools", lp=True, duals=True),
        Backend("pdlp", f"{_HERE}.lp:run_pdlp", "ortools", lp=True, duals=True, accuracy=1e-6),
    )
}  # fmt: skip
_ORDER = ("highs", "cp-sat", "cbc")  # who is asked when another's claim is refuted


def version(backend: str) -> str:
    """Return name and version as in ``highs 1.16.0``; nothing is imported or run for it."""
    number = _package_version(_entry(backend).package)
    return f"cbc (pulp {number})" if backend == "cbc" else f"{backend} {number}"


def solve(
    model: LinearModel,
    run: Run,
    *,
    backend: str = "highs",
    start: Floats | None = None,
    fallbacks: bool = True,
    on_point: Callable[[Floats], None] | None = None,
) -> LinearResult:
    """Solve a model with integer columns, exactly: both gaps are 0 and everything is checked.

    Parameters
    ----------
    start
        A point to start from; if it is feasible the result is never worse, and it is what a
        time-out without a better point returns.
    fallbacks
        Whether a refuted claim is asked again: with exact cuts where a tolerance blurred a
        limit on binary columns, without presolve, with another backend. Whoever answered in
        the end is named, with a note ``fallback``.
    on_point
        Called in this thread with each better point that is feasible, while the backend works.

    Raises ``BackendRefusal`` if the named backend cannot take the model, ``MethodError`` if
    all claims were refuted and there is no feasible point.
    """
    entry = _entry(backend)
    if not entry.mip:
        raise UsageError(f"{backend} solves no models with integer columns; use relax")
    best = Best(model)
    if start is not None:
        best.offer(np.asarray(start, np.float64))
    early = _early(model, best, run)
    if early is not None:
        return early
    return _Job(model, run, best, entry.scale(model), on_point).run_with(entry, fallbacks)


def relax(model: LinearModel, run: Run, *, backend: str = "highs") -> LinearResult:
    """Solve the LP relaxation: integrality is ignored, duals and rays come back if available."""
    entry = _entry(backend)
    if not entry.lp:
        raise UsageError(f"{backend} solves no linear programs; use solve")
    lp = model.relaxed()
    early = _early(lp, Best(lp), run)
    if early is not None:
        return early
    notes: list[Note] = []
    result = None
    for name in dict.fromkeys((backend, "highs")):
        for strict in (False, True) if name == "highs" else (False,):
            result, wrong = _relax_once(lp, run, BACKENDS[name], strict)
            if wrong is None:
                if notes:
                    notes = [Note("fallback", f"{n.text}; {version(name)} answered") for n in notes]
                return replace(result, notes=(*result.notes, *notes))
            notes.append(wrong)
            if run.expired():
                break
    assert result is not None
    return replace(result, notes=tuple(notes))


@functools.cache
def _package_version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package) if package else "?"
    except PackageNotFoundError:
        return "?"


def _entry(backend: str) -> Backend:
    try:
        return BACKENDS[backend]
    except KeyError:
        known = ", ".join(BACKENDS)
        raise UsageError(f"no backend {backend!r}; choose from {known}") from None


def _early(model: LinearModel, best: Best, run: Run) -> LinearResult | None:
    """Return what needs no backend: no time, no columns, bounds that exclude each other."""
    if run.expired():
        return LinearResult(
            "unknown" if best.x is None else "feasible", best.x, best.value, stopped=True
        )
    nothing = np.zeros(0)
    if model.n_columns == 0 and not model.empty_box() and not model.violations(nothing):
        return LinearResult(
            "optimal", nothing, 0, 0, 0, np.zeros(model.n_rows), nothing, backend="none"
        )
    why = model.empty_box() or ("a row without columns" if model.n_columns == 0 else "")
    if why:
        return LinearResult("infeasible", backend="none", notes=(Note("bounds", why),))
    return None


def _relax_once(
    lp: LinearModel, run: Run, entry: Backend, strict: bool
) -> tuple[LinearResult, Note | None]:
    """Return one backend's LP result, and what is wrong with it."""
    scaling = Scaling.continuous(lp)
    reply = entry(Task(lp, scaling, lp=True, strict=strict), run)
    name = version(entry.name)
    if reply.stopped:
        run.cut()
    result = LinearResult(reply.status, backend=name, stopped=reply.stopped)
    if reply.status == "failed":
        return replace(result, status="unknown"), Note("backend-failed", f"{name}: {reply.words}")
    if reply.x is None:
        ray = None if reply.ray is None else farkas_oriented(lp, reply.ray)
        return replace(result, ray=ray), None
    x = lp.rounded(reply.x)
    moved = np.abs(x - reply.x) > TOLERANCE * np.maximum(1.0, np.abs(x))
    broken = lp.violations(x)
    if moved.any() or broken:
        if reply.status != "optimal":
            return replace(result, status="unknown"), None
        why = f"{name}: {reply.words}; but the point breaks {broken}"
        return replace(result, status="unknown"), Note("claim-refuted", why)
    value = lp.value(x)
    result = replace(
        result,
        x=x,
        value=value,
        duals=scaling.duals(reply.duals),
        reduced_costs=scaling.duals(reply.reduced_costs),
    )
    if reply.status != "optimal":
        return result, None
    slack = scaling.slack(value)
    if entry.accuracy:
        slack = max(slack, Fraction(entry.accuracy) * abs(Fraction(value)))
    return replace(result, bound=value, slack=slack), None


@dataclass(slots=True, eq=False)
class _Job:
    """The attempts at one model, from the asked backend to the last resort."""

    model: LinearModel
    run: Run
    best: Best
    scaling: Scaling
    on_point: Callable[[Floats], None] | None = None
    refuted: list[Note] = field(default_factory=list)

    def run_with(self, entry: Backend, fallbacks: bool) -> LinearResult:
        """Ask one after the other until a claim stands."""
        last: LinearResult | None = None
        for who, strict in self._plan(entry, fallbacks):
            try:
                scale = self.scaling if who is entry else who.scale(self.model)
                verdict = self._ask(who, scale, strict, fallbacks)
            except BackendRefusal:
                if who is entry:
                    raise
                continue
            last = self._result(who, scale, verdict)
            if not verdict.wrong or verdict.reply.stopped or self.run.expired():
                break
        assert last is not None
        return self._close(last)

    def _plan(self, entry: Backend, fallbacks: bool) -> Iterator[tuple[Backend, bool]]:
        yield entry, False
        if fallbacks:
            yield entry, True
            yield from ((BACKENDS[n], False) for n in _ORDER if n != entry.name)

    def _ask(self, who: Backend, scaling: Scaling, strict: bool, cuts: bool) -> Verdict:
        """Ask one backend; where its tolerance blurred a limit on binary columns, cut and ask on.

        The cuts follow from the broken rows, so they change no answer.
        """
        model = self.model
        for _ in range(_CUT_ROUNDS):
            task = Task(model, scaling, self.best.x, False, strict, self._heard)
            reply = who(task, self.run)
            if reply.stopped:
                self.run.cut()
            verdict = judge(self.model, scaling, reply, self.best, self.run, who.accuracy > 0)
            if not verdict.wrong:
                return verdict
            code = "backend-failed" if reply.status == "failed" else "claim-refuted"
            self.refuted.append(Note(code, f"{version(who.name)}: {reply.words}; {verdict.wrong}"))
            found = None if verdict.broken is None else cover_cuts(self.model, *verdict.broken)
            if not cuts or found is None or reply.stopped or self.run.expired():
                return verdict
            model = model.with_rows(found)
        return verdict

    def _heard(self, x: Floats) -> None:
        if self.best.offer(x) and self.on_point is not None and self.best.x is not None:
            self.on_point(self.best.x)

    def _result(self, who: Backend, scaling: Scaling, verdict: Verdict) -> LinearResult:
        """Return what may be said after this verdict; the best point is put in at the end."""
        reply = verdict.reply
        name = version(who.name)
        if verdict.wrong:
            return LinearResult("unknown", backend=name, stopped=reply.stopped)
        if reply.status in ("infeasible", "unbounded"):
            return LinearResult(reply.status, backend=name, stopped=reply.stopped)
        bound, slack = verdict.bound, 0 if verdict.bound is None else scaling.slack(verdict.bound)
        return LinearResult(
            reply.status, None, None, bound, slack, backend=name, stopped=reply.stopped
        )

    def _close(self, last: LinearResult) -> LinearResult:
        """Put the best point in, and say how the result came about."""
        stands = not self.refuted or last.status in ("optimal", "infeasible", "unbounded")
        notes = tuple(self.refuted)
        if stands and notes:
            notes = (Note("fallback", f"{notes[0].text}; then {last.backend} settled it"),)
        if last.status in ("infeasible", "unbounded"):
            return replace(last, notes=notes)
        if self.best.x is None:
            if self.refuted and not last.stopped and not self.run.expired():
                raise MethodError("; ".join(note.text for note in self.refuted))
            return replace(last, status="unknown", notes=notes)
        status = "optimal" if last.status == "optimal" else "feasible"
        # Continuous columns leave a value that must lie on the grid a hair off it.
        value = None if self.best.value is None else self.scaling.snap(self.best.value)
        return replace(last, status=status, x=self.best.x, value=value, notes=notes)
