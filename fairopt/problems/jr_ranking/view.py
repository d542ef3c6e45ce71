"""What to show to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairopt.solution import Note
from fairopt.verbs import Verb

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.problems.jr_ranking.problem import JrRanking

VERBS = (
    Verb(
        "audit",
        "fairopt.problems.jr_ranking.verbs:audit",
        "Which axioms of representation a feed keeps, and which group goes without",
        problems=("jr-ranking",),
        example="instance.json --selected 3,17,4 --axioms jr,ejr+",
    ),
)

FIGURES: tuple[tuple[str, ...], ...] = (
    ("jr_level", "JR level", "min"),
    ("ejr_plus_level", "EJR+ level", "min"),
    ("witness", "the worst group"),
    ("coverage", "users represented", "max"),
    ("pav_score", "PAV score", "max"),
    ("av_score", "approvals of what is shown", "max"),
    ("min_satisfaction", "fewest approved by a user", "max"),
    ("mean_satisfaction", "approved by a user on average", "max"),
    ("price", "price of the axiom", "min"),
    ("additive_gap", "score below the best without it", "min"),
    ("ties", "ties with a comment not shown"),
    ("prefix_levels", "JR level of the first 1 to k"),
    ("min_justifying_size", "smallest justifying set"),
)


def describe(problem: Problem) -> str:
    """Return one line about an instance."""
    from fairopt.problems.jr_ranking.problem import JrRanking

    assert isinstance(problem, JrRanking)
    users = f"{problem.n:,} users" + (
        f" ({problem.n_users:,} ballots)" if problem.n != problem.n_users else ""
    )
    text = (
        f"{problem.k} of {problem.n_comments:,} comments for {users},"
        f" {len(problem.indices):,} approvals; {problem.axiom} with the {problem.quota} quota,"
        f" scores {problem.scores_name}"
    )
    if problem.mode == "ranking":
        cutoffs = ", ".join(map(str, problem.prefixes)) or "none"
        text += f"; ranking, cutoffs {cutoffs}"
    fixed = [
        f"{len(comments)} {name}"
        for name, comments in (("forced", problem.forced), ("forbidden", problem.forbidden))
        if comments
    ]
    return "; ".join([text, *fixed])


def notes_of(problem: JrRanking) -> tuple[Note, ...]:
    """Return remarks on the question: defaults that decide it, and what was merged."""
    out = list(problem.remarks)
    silent = [
        f"{name} {value}"
        for name, value in (
            ("scores", "approvals"), ("axiom", problem.axiom), ("quota", problem.quota),
        )
        if name not in problem.given
    ]  # fmt: skip
    if problem.mode == "ranking":
        silent += [
            f"{name} {value}"
            for name, value in (("prefixes", [problem.k]), ("position_weights", "dcg"))
            if name not in problem.given
        ]
    if silent:
        out.append(Note("defaults", f"not given, so: {'; '.join(silent)}"))
    if problem.n_deduped:
        out.append(
            Note("deduplicated", f"repeats within a ballot counted once: {problem.n_deduped:,}")
        )
    return tuple(out)
