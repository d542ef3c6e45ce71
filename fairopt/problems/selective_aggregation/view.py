"""What to show to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.rational import text
from fairopt.solution import Note
from fairopt.verbs import Verb

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation

VERBS = (
    Verb(
        "robustness",
        "fairopt.problems.selective_aggregation.verbs:robustness",
        "How the tiers change when opinions are missing or changed, and what is proven",
        problems=("selective-aggregation",),
        example="panel.json --set tau=1/4 --trials 100",
    ),
)

FIGURES: tuple[tuple[str, ...], ...] = (
    ("ranking", "ranking"),
    ("tiers", "tiers", "max"),
    ("top_items", "items of the top tier"),
    ("abstention", "share of pairs not compared", "min"),
    ("max_dissent", "largest dissent of a comparison", "min"),
    ("disagreements", "judge-pair contradictions", "min"),
    ("disagreement_rate", "of all judges and pairs", "min"),
    ("tau", "dissent allowed (tau)"),
    ("threshold", "as a count of judges"),
    ("pairs", "pairs of items"),
    ("next_tau", "next tau with another ranking"),
    ("next_tiers", "tiers from there on"),
    ("breakpoints", "all rankings by tau"),
    ("judge_disagreements", "pairs a judge contradicts"),
)

_WORDS = {
    "strict": "ties and missing opinions count against a comparison",
    "half-ties": "ties count half, missing opinions count against a comparison",
    "available": "only judges of both items count; a tie counts against a comparison",
}


def describe(problem: Problem) -> str:
    """Return one line about an instance."""
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation

    assert isinstance(problem, SelectiveAggregation)
    tau = problem.asked
    level = "the whole path" if tau is None else f"dissent at most {text(tau)}"
    words = _WORDS[problem.convention]
    return (
        f"{problem.n:,} items, judges of weight {problem.total:,}; {level}; "
        f"{problem.convention}: {words}"
    )


def notes_of(problem: SelectiveAggregation) -> tuple[Note, ...]:
    """Return remarks on the question itself."""
    out = list(problem.remarks)
    if "convention" not in problem.given:
        words = f"convention not given, so strict: {_WORDS['strict']}"
        out.append(Note("defaults", words))
    return tuple(out)
