"""What to show to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairopt.solution import Note
from fairopt.verbs import Verb

if TYPE_CHECKING:
    from fairopt.problem import Problem
    from fairopt.problems.desk_rejection.nomination import ReviewerNomination
    from fairopt.problems.desk_rejection.problem import DeskRejection

VERBS = (
    Verb(
        "authors",
        "fairopt.problems.desk_rejection.verbs:authors",
        "What each author submitted and lost, the worst off first",
        problems=("desk-rejection",),
        example="instance.json solution.json --who wiped",
    ),
)

FIGURES: tuple[tuple[str, ...], ...] = (
    ("kept", "papers kept", "max"),
    ("kept_weight", "weight kept", "max"),
    ("average", "average cost of authors", "min"),
    ("worst", "worst cost of an author", "min"),
    ("wiped", "authors who lose everything", "min"),
    ("innocents_hit", "innocents hit", "min"),
    ("innocents_wiped", "innocents who lose everything", "min"),
    ("collateral", "losses beyond the unavoidable", "min"),
    ("ideal", "ideal desk rejection"),
    ("maximal", "nothing could be re-inserted"),
    ("leximin", "largest costs"),
    ("expected_rejections", "expected rejections", "min"),
    ("penalty", "penalty for nominations over the limit", "min"),
    ("load_max", "most nominations of one author", "min"),
    ("over_limit", "authors nominated over the limit", "min"),
)

_SHOWN = 5


def _names(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def describe(problem: Problem) -> str:
    """Return one line about an instance."""
    from fairopt.problems.desk_rejection.nomination import ReviewerNomination
    from fairopt.problems.desk_rejection.problem import DeskRejection

    if isinstance(problem, ReviewerNomination):
        return _describe_nomination(problem)
    assert isinstance(problem, DeskRejection)
    size = problem.size()
    text = (
        f"{_count(size['papers'], 'paper', 'papers')} by"
        f" {_count(size['authors'], 'author', 'authors')}, {_limit(problem)}"
    )
    if problem.quota.rule != "unit":
        text += f", {problem.quota.rule} quota"
    return f"{text}; {_count(size['over_limit'], 'author', 'authors')} over the limit"


def _limit(problem: DeskRejection) -> str:
    own = f" ({len(problem.author_limits):,} own)" if problem.author_limits else ""
    source = f" ({problem.preset})" if problem.preset else ""
    common = "no common limit" if problem.limit is None else f"limit {problem.limit}"
    roles = "".join(f", at most {most} as {role}" for role, most in problem.role_limits.items())
    return f"{common}{source}{own}{roles}"


def _describe_nomination(problem: ReviewerNomination) -> str:
    size = problem.size()
    limit = problem.nomination_limit
    text = (
        f"{_count(size['papers'], 'paper', 'papers')} by"
        f" {_count(size['authors'], 'author', 'authors')}, "
    )
    text += "no common limit" if limit is None else f"at most {limit} nominations an author"
    soft = problem.soft_penalty
    return text if soft is None else f"{text}, {soft} for each nomination more"


def idle_note(names: Sequence[str]) -> tuple[Note, ...]:
    """Return a note that names authors without papers, if there are any."""
    if not names:
        return ()
    return (Note("idle-authors", f"authors without papers are not counted: {_names(names)}"),)


def notes_of(problem: DeskRejection) -> tuple[Note, ...]:
    """Return remarks on the question: what was dropped, and what is forced."""
    out = []
    if problem.n_withdrawn:
        dropped = _count(problem.n_withdrawn, "withdrawn paper is", "withdrawn papers are")
        out.append(Note("withdrawn", f"{dropped} dropped"))
    if problem.n_deduped:
        repeated = _count(problem.n_deduped, "repeated author is", "repeated authors are")
        out.append(Note("deduplicated", f"{repeated} counted once"))
    out += idle_note(problem.idle_authors)
    never = np.flatnonzero(problem.never_keepable & ~problem.must_reject)
    if never.size:
        ids = [problem.paper_ids[j] for j in never[: _SHOWN + 1]]
        ids += [""] * (len(never) - len(ids))
        text = f"papers that alone exceed a limit of an author are rejected: {_names(ids)}"
        out.append(Note("forced-rejection", text))
    used = {problem.effective_role_names[r] for r in np.unique(problem.effective_role).tolist()}
    if unused := sorted(problem.role_limits.keys() - used):
        out.append(Note("unused-role", f"no paper has a role that is limited: {_names(unused)}"))
    if problem.preset:
        out.append(Note("defaults", f"limit {problem.limit} is that of {problem.preset}"))
    return tuple(out)
