"""The default method: exact where instances are small, else the alternation with its proofs."""

from __future__ import annotations

from dataclasses import replace

from fairopt import registry
from fairopt.errors import UsageError
from fairopt.problems.fair_clustering import Clustering, FairClustering
from fairopt.run import Run
from fairopt.solution import Note, Outcome
from fairopt_solvers.fair_clustering.assign import serves
from fairopt_solvers.fair_clustering.fca import fair_dual, fca
from fairopt_solvers.fair_clustering.flows import is_paired
from fairopt_solvers.fair_clustering.sites import site_count

MOST_FREE = 13  # points of free kmeans that the subset program takes in less than a second
MOST_LINKS = 400  # pairs of points and sites of a 0/1 program that mostly ends at once
OTHER = {
    "individual": "individual-greedy",
    "core": "greedy-capture",
    "socially-fair": "fair-lloyd",
    "bounded-cost": "bounded-cost",
}


def auto(problem: FairClustering, run: Run) -> Outcome[Clustering]:
    """Choose by condition, size and where centres may be.

    Small instances: ``exact``. Fixed centres: ``fair-dual``, else ``fca``. Conditions that are not
    linear in the masses: the method made for them.
    """
    impossible = problem.impossible()
    if impossible is not None:
        return Outcome(infeasible=impossible)
    if not serves(problem):
        name = OTHER.get(problem.fairness.type, "")
        found: Outcome[Clustering] = registry.find_method(problem.problem, name).function()(
            problem, run
        )
        return _named(name, _lawful(problem, name, found))
    if _small(problem):
        from fairopt_solvers.fair_clustering.exact import exact

        try:
            return _named("exact", exact(problem, run))
        except UsageError:  # a combination that it does not serve
            pass
    if problem.mode == "fixed":
        return _named("fair-dual", fair_dual(problem, run))
    return _named("fca", fca(problem, run))


def _lawful(
    problem: FairClustering, name: str, outcome: Outcome[Clustering]
) -> Outcome[Clustering]:
    """Return the outcome; without its answer if that one breaks the condition."""
    broken = problem.check(outcome.answer).violations if outcome.answer is not None else ()
    if not broken:
        return outcome
    words = f"{name} found no clustering that keeps the condition: {broken[0]}"
    return replace(outcome, answer=None, notes=(*outcome.notes, Note("stuck", words)))


def _small(problem: FairClustering) -> bool:
    sum_of_squares = problem.objective.name == "kmeans"
    if problem.mode == "free":
        return bool(sum_of_squares and problem.n <= MOST_FREE and problem.points is not None)
    if is_paired(problem) and problem.mode == "fixed" and problem.objective.name != "kcenter":
        return False
    return bool(problem.n * site_count(problem) <= MOST_LINKS)


def _named(name: str, outcome: Outcome[Clustering]) -> Outcome[Clustering]:
    return replace(outcome, notes=(*outcome.notes, Note("chosen", f"auto took {name}")))
