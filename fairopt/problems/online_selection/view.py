"""What to show to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.problems.online_selection.listed import Bases, Circuits
from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.rational import text
from fairopt.solution import Note
from fairopt.verbs import Verb

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.problems.online_selection.kinds import Matroid
    from fairopt.problems.online_selection.problem import OnlineSelection

VERBS = (
    Verb(
        "simulate",
        "fairopt.problems.online_selection.verbs:simulate",
        "Run an online method many times and count how often each element is accepted",
        problems=("online-selection",),
        example="instance.json --method first-fit --runs 10000",
    ),
    Verb(
        "worst-order",
        "fairopt.problems.online_selection.verbs:worst_order",
        "Search an order of arrival on which first-fit needs many colours",
        problems=("online-selection",),
        example="instance.json --steps 5000",
    ),
)

FIGURES: tuple[tuple[str, ...], ...] = (
    ("min_prob", "certified smallest acceptance probability", "max"),
    ("guaranteed_min_prob", "guaranteed for every order", "max"),
    ("ratio_to_offline", "share of the offline optimum", "max"),
    ("mean_prob", "mean acceptance probability", "max"),
    ("observed_min_prob", "smallest acceptance rate observed", "max"),
    ("gini", "inequality of the probabilities (Gini)", "min"),
    ("gamma", "fractional arboricity"),
    ("alpha", "arboricity"),
    ("beta", "inverse of the offline optimum"),
    ("rank", "rank"),
    ("loops", "elements that nothing can accept"),
    ("restricted", "figures without those"),
    ("accepted", "elements accepted", "max"),
    ("weight", "weight accepted", "max"),
    ("expected_weight", "expected weight", "max"),
    ("opt_weight", "weight of a heaviest independent set"),
    ("price_of_fairness", "price of fairness", "min"),
    ("exact_probabilities", "exact acceptance probabilities"),
)

_SHOWN = 5


def describe(problem: Problem) -> str:
    """Return one line about an instance."""
    from fairopt.problems.online_selection.problem import OnlineSelection

    assert isinstance(problem, OnlineSelection)
    n = problem.n_elements
    count = f"{n:,} element{'' if n == 1 else 's'}"
    known = problem.information
    given = [
        f"{name} {text(value)}"
        for name, value in (("alpha", known.alpha), ("beta", known.beta), ("rank", known.rank))
        if value is not None
    ]
    model = f"information {known.model}" + (f" ({', '.join(given)})" if given else "")
    return f"{count}, {_kind(problem.matroid)}; {model}, {problem.arrival.model} order"


def _kind(matroid: Matroid) -> str:
    """Return the kind with its sizes: ``graphic (34 vertices)``."""
    if isinstance(matroid, Matchoid):
        inside = sorted({part.matroid.type for part in matroid.parts})
        kinds = f" of type {', '.join(inside)}" if inside else ""
        return f"{matroid.p}-matchoid ({len(matroid.parts):,} parts{kinds})"
    sizes = ", ".join(f"{number:,} {name}" for name, number in matroid.size().items())
    return f"{matroid.type}" + (f" ({sizes})" if sizes else "")


def notes_of(problem: OnlineSelection) -> tuple[Note, ...]:
    """Return remarks on the question: defaults that decide it, loops, axioms that were sampled."""
    out = []
    if problem.defaulted:
        out.append(Note("defaults", "information.model = parameters (the file is silent)"))
    if problem.loops:
        names = [problem.name_of(e) for e in problem.loops[:_SHOWN]]
        more = len(problem.loops) - len(names)
        shown = ", ".join(names) + (f" and {more:,} more" if more else "")
        out.append(Note("loops", f"elements in no independent set: {shown}"))
    if _sampled(problem.matroid):
        text = "so many sets that the axioms of the matroid were checked on a sample only"
        out.append(Note("sampled-axioms", text))
    return tuple(out)


def _sampled(matroid: Matroid) -> bool:
    if isinstance(matroid, Matchoid):
        return any(_sampled(part.matroid) for part in matroid.parts)
    return isinstance(matroid, Bases | Circuits) and matroid.sampled
