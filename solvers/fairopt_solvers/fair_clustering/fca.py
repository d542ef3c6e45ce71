"""The methods ``fca``, ``fca-c`` and ``fair-dual``: fair assignment and centres in turn.

Fair clustering via alignment (Kim, Lee, Park, Kim, ICML 2025) alternates between a coupling of
the groups with labels and the centres. For given centres the coupling is equivalent to the fair
assignment, a linear program with a dual in few dimensions; here it is solved in that form, for
any number of groups and every condition that is linear in the masses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Bound, Claim, Note, Outcome
from fairopt_solvers.fair_clustering.assign import (
    Assigned,
    cost_of,
    fair_assignment,
    serves,
    soft_assignment,
)
from fairopt_solvers.fair_clustering.common import is_soft, may_split
from fairopt_solvers.fair_clustering.forms import Form, form_of
from fairopt_solvers.fair_clustering.places import Places, places_of
from fairopt_solvers.fair_clustering.proven import bound_from, centers_claim, dual_bound
from fairopt_solvers.fair_clustering.proven import unfair_cost as unfair_claim
from fairopt_solvers.fair_clustering.radius import radius_assignment
from fairopt_solvers.fair_clustering.sites import site_costs
from fairopt_solvers.fair_clustering.sketch import sketched
from fairopt_solvers.fair_clustering.targets import unit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_FULL = 60_000  # points up to which every start works with all of them


@dataclass(frozen=True, eq=False)
class Iterate:
    """Centres, the fair assignment to them (labels or shares), its value."""

    state: Any
    found: Assigned
    value: float


class Alternation:
    """One instance with what all starts share."""

    def __init__(self, problem: FairClustering, run: Run, *, closest: bool) -> None:
        self.problem, self.run, self.closest = problem, run, closest
        self.form: Form = form_of(problem)
        self.places: Places = places_of(problem, run)
        self.soft = is_soft(problem)
        self.radius = problem.objective.name == "kcenter"
        self.best: Iterate | None = None
        self.unfair: tuple[float, Any] | None = None
        self.violation: str | None = None

    def assign(
        self, d: Floats, warm: Assigned | None, run: Run, *, tolerance: float = 1e-6
    ) -> Assigned | None:
        """Return a fair assignment at distances (n, k); split points where nothing else helps."""
        if self.radius:
            return radius_assignment(self.problem, d, run, form=self.form)
        if self.soft:
            return soft_assignment(
                self.problem, d, run, warm=warm, form=self.form, tolerance=tolerance
            )
        found = fair_assignment(
            self.problem,
            d,
            run,
            warm=warm,
            form=self.form,
            closest=self.closest,
            tolerance=tolerance,
        )
        if found is not None and found.labels is None and may_split(self.problem):
            split = soft_assignment(self.problem, d, run, warm=found, form=self.form)
            return found if split is None or split.violation else split
        return found

    def value(self, d: Floats, found: Assigned) -> float:
        """Return what an assignment costs at other distances."""
        assert found.labels is not None
        if found.shares is not None:
            if self.radius:
                return float(d[found.shares > 0].max())
            return float((self.problem.mass @ (found.shares * d)).sum())
        if self.radius:
            return float(np.take_along_axis(d, found.labels[:, None], axis=1).max())
        return cost_of(self.problem, d, found.labels)

    def start(self, number: int) -> Any:
        """Return unfair centres, and remember the best of all starts."""
        child = self.run.child(f"start-{number}")
        state = self.places.start(child, number)
        d = self.places.distances(state)
        near = d.min(1)
        cost = float(near.max() if self.radius else self.problem.mass @ near)
        if self.unfair is None or cost < self.unfair[0]:
            self.unfair = (cost, state)
        return state

    def descend(self, state: Any, *, iterations: int, tolerance: float) -> Iterate | None:
        """Assign and move centres in turn, until that gains less than ``tolerance``.

        Returns the best iterate; None if there is none.
        """
        warm: Assigned | None = None
        mine: Iterate | None = None
        d = self.places.distances(state)
        for _ in range(max(1, iterations)):
            found = self.assign(d, warm, self.run)
            if found is None:
                break
            if found.labels is None or found.violation:
                self.violation = found.violation
                break
            value = self.value(d, found)
            moved = self.places.update(state, found.labels, found.shares, self.run)
            nearer = self.places.distances(moved)
            after = self.value(nearer, found)
            if after < value:
                state, d, value = moved, nearer, after
            gain = np.inf if mine is None else mine.value - value
            if mine is None or gain > 0:
                mine = Iterate(state, found, value)
                self.keep(mine)
            if gain <= tolerance * abs(value):
                break
            warm = found
        return mine

    def keep(self, one: Iterate) -> None:
        """Offer an iterate if it is the best so far."""
        if self.best is None or one.value < self.best.value:
            self.best = one
            self.run.offer(self.answer(one), one.value)

    def answer(self, one: Iterate) -> Clustering:
        """Return the answer of an iterate."""
        return self.places.answer(one.state, one.found.labels, one.found.shares)

    def everything(self, state: Any) -> Clustering:
        """Return an answer that names all centres, for claims about them."""
        return self.places.answer(state, np.arange(len(state)))


def fca(
    problem: FairClustering,
    run: Run,
    *,
    starts: int = 10,
    iterations: int = 100,
    tolerance: float = 1e-6,
    swaps: int = 20,
    bound: bool = True,
) -> Outcome[Clustering]:
    """Alternate the fair assignment and the centres, from several unfair clusterings.

    Parameters
    ----------
    starts
        Independent starts; the best iterate of all counts.
    iterations, tolerance
        A start ends after so many rounds, or when one gains less than this (relative).
    swaps
        Where centres are sites: how many random exchanges of one are tried after the starts.
    bound
        Whether to look for a bound over all centres, which may take longer than the clustering.

    Fixed centres: one assignment. Beyond 60,000 points the starts look at a sample and the
    best goes on with all points. Raises ``UsageError`` for conditions that are not linear.
    """
    return alternate(
        problem, run, starts=starts, iterations=iterations, tolerance=tolerance, swaps=swaps,
        bound=bound,
    )  # fmt: skip


def fca_c(
    problem: FairClustering,
    run: Run,
    *,
    level: float | None = None,
    starts: int = 10,
    iterations: int = 100,
    tolerance: float = 1e-6,
) -> Outcome[Clustering]:
    """Alternate as ``fca`` does, for a fairness level: the groups' distributions may differ.

    Releasing pairs of a coupling of mass at most epsilon is the condition ``gap``: a total
    variation of at most epsilon between the groups' distributions over the clusters.

    Parameters
    ----------
    level
        Epsilon to work with, at most that of the instance; default: the instance's own.

    Raises ``UsageError`` unless the instance's condition is ``gap``.
    """
    if problem.fairness.type != "gap":
        raise UsageError("fca-c serves the condition 'gap'; set fairness.type and its epsilon")
    if level is not None:
        if not 0 <= level <= float(problem.fairness.epsilon):
            raise UsageError(f"level must lie in [0, {float(problem.fairness.epsilon):g}]")
        tight = problem.replace(**{"fairness.epsilon": str(level)})
        made = alternate(tight, run, starts=starts, iterations=iterations, tolerance=tolerance)
        return replace(made, bound=None, claims=())
    return alternate(problem, run, starts=starts, iterations=iterations, tolerance=tolerance)


def fair_dual(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Assign fairly to given centres, with a certificate; elsewhere to those without fairness.

    The bound is the dual of the linear program; the answer is within a few points' moves of it.
    Points are split only for ``soft``. Centres that are not fixed come from one unfair
    clustering.
    """
    if problem.mode == "fixed":
        return alternate(problem, run)
    return alternate(problem, run, starts=1, iterations=1, recenter=False)


def alternate(
    problem: FairClustering,
    run: Run,
    *,
    starts: int = 10,
    iterations: int = 100,
    tolerance: float = 1e-6,
    swaps: int = 0,
    recenter: bool = True,
    bound: bool = True,
) -> Outcome[Clustering]:
    """Do what ``fca`` says, as all methods of this module do."""
    impossible = problem.impossible()
    if impossible is not None:
        return Outcome(infeasible=impossible)
    if not serves(problem):
        raise UsageError(f"the condition {problem.fairness.type!r} has methods of its own")
    if problem.mode == "fixed":
        return _given(problem, run)
    work = Alternation(problem, run, closest=recenter)
    states = _starts(work, starts, iterations, tolerance) if recenter else iter([work.start(0)])
    for state in states:
        if run.expired():
            break
        if recenter:
            work.descend(state, iterations=iterations, tolerance=tolerance)
        else:
            _once(work, state)
    if swaps and problem.mode != "free":
        _swap(work, swaps, iterations, tolerance)
    return concluded(work, bound=bound)


def _starts(work: Alternation, starts: int, iterations: int, tolerance: float) -> Any:
    """Yield the centres from which to descend."""
    count = max(1, starts)
    if work.problem.n <= MOST_FULL or work.soft or work.problem.objective.name != "kmeans":
        for number in range(count):
            if not (number and work.run.expired()):
                yield work.start(number)
        return
    if work.problem.mode != "free":
        yield work.start(0)
        return
    yield sketched(work, count, iterations, tolerance)


def _once(work: Alternation, state: Any) -> None:
    d = work.places.distances(state)
    found = work.assign(d, None, work.run)
    if found is None:
        return
    if found.labels is None or found.violation:
        work.violation = found.violation
        return
    work.keep(Iterate(state, found, work.value(d, found)))


def _swap(work: Alternation, swaps: int, iterations: int, tolerance: float) -> None:
    """Exchange one site of the best answer for another at random, and descend from there."""
    rng = work.run.child("swaps").rng
    for _ in range(swaps):
        if work.best is None or work.run.expired():
            return
        state = work.best.state.copy()
        sites: Ints = work.places.sites  # type: ignore[attr-defined]
        free = np.setdiff1d(np.arange(len(sites)), state)
        if not len(free):
            return
        state[int(rng.integers(len(state)))] = int(rng.choice(free))
        work.descend(state, iterations=iterations, tolerance=tolerance)


# -- what is said about the result ----------------------------------------------------------


def _given(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Assign to fixed centres."""
    d = np.ascontiguousarray(site_costs(problem, None))
    form, soft = form_of(problem), is_soft(problem)
    if problem.objective.name == "kcenter":
        found = radius_assignment(problem, d, run, form=form)
    elif soft:
        found = soft_assignment(problem, d, run, form=form, tolerance=1e-8)
    else:
        found = fair_assignment(problem, d, run, form=form, tolerance=1e-8)
        if found is not None and found.labels is None and may_split(problem):
            split = soft_assignment(problem, d, run, warm=found, form=form)
            found = found if split is None or split.violation else split
    if found is None:
        return Outcome()
    from fairopt_solvers.fair_clustering.common import answer

    bound: Bound | None
    if problem.objective.name == "kcenter":
        bound = bound_from(problem, "combinatorial", {"rule": "nearest-sites"})
    else:
        bound = dual_bound(problem, found.multipliers)
    if found.labels is None or found.violation:
        return Outcome(bound=bound, notes=(_stuck(found.violation),))
    made = answer(problem, found.labels, shares=found.shares)
    return Outcome(made, bound, unfair_claim(problem, made), notes=_notes(problem, form, made))


def concluded(work: Alternation, *, bound: bool = True) -> Outcome[Clustering]:
    """Return the best iterate with its certificate, the unfair cost, a bound on the whole."""
    problem, run, best = work.problem, work.run, work.best
    if best is None:
        return Outcome(notes=() if work.violation is None else (_stuck(work.violation),))
    claims: tuple[Claim, ...] = ()
    if work.unfair is not None:
        claims = unfair_claim(problem, work.everything(work.unfair[1]))
    if not work.radius and not run.expired():
        d = work.places.distances(best.state)
        last = work.assign(d, best.found, run, tolerance=1e-8)
        if last is not None:
            multipliers = last.multipliers
            again = last.labels is not None and not last.violation
            if again and last.cost < best.value * (1 - 1e-12):
                best = Iterate(best.state, last, last.cost)
                work.keep(best)
            every = work.everything(best.state)
            claims = (*centers_claim(problem, every, multipliers), *claims)
    made = work.answer(best)
    proven, notes = _whole(problem, run, best.value) if bound else (None, ())
    return Outcome(made, proven, claims, notes=(*_notes(problem, work.form, made), *notes))


def _whole(
    problem: FairClustering, run: Run, value: float
) -> tuple[Bound | None, tuple[Note, ...]]:
    """Return the bound over all centres, or the note that nothing is known but that costs are."""
    if run.expired():
        return None, ()
    from fairopt_solvers.fair_clustering.bounds import whole_bound

    bound = whole_bound(problem, run, value=value)
    if value > 0 and (bound is None or bound.value == 0):
        words = (
            "no bound over all centers is known: no ratio is proven for the clustering as a whole"
        )
        return None, (Note("no-ratio", words),)
    return bound, ()


def _stuck(violation: str | None) -> Note:
    words = violation or "no fair assignment was found"
    return Note("stuck", f"whole points at these centres do not keep the condition: {words}")


def _notes(problem: FairClustering, form: Form, made: Clustering) -> tuple[Note, ...]:
    notes = []
    if made.shares is not None:
        text = "points are split: the value may lie below the best hard one"
        notes.append(Note("relaxation", text))
    elif form.kind == "proportional" and problem.weights is None and problem.k > 1:
        forced = any(len(inside) > 1 for inside in form.member) and unit(form) == 1
        if forced:
            notes.append(Note("single-cluster", "strict proportional forces a single cluster"))
    return tuple(notes)
