"""Writers of election libraries' formats: abcvoting's YAML and PrefLib's categories.

Neither holds more than ballots, weights and, one of the two each, the number of comments shown or
their ids; what would be lost is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import UsageError
from fairopt.problems.jr_ranking.problem import JrRanking


def write_abcvoting(problem: JrRanking) -> bytes:
    """Write ballots, weights and k as abcvoting does, one ballot a line.

    Raises ``UsageError`` for what such a file cannot hold, ids of comments among it.
    """
    _refuse(problem, "an abcvoting file", {"ids of comments": problem.ids is not None})
    lines = ["profile:"] if problem.name is None else [_described(problem.name), "profile:"]
    lines += [f"- {ballot}" for ballot in _ballots(problem)]
    if (problem.weights != 1).any():
        lines.append(f"voter_weights: {problem.weights.tolist()}")
    lines += [f"num_cand: {problem.n_comments}", f"committeesize: {problem.k}"]
    return ("\n".join(lines) + "\n").encode()


def write_categories(problem: JrRanking) -> bytes:
    """Write two categories, approved and not; k is not part of such a file.

    Raises ``UsageError`` for what such a file cannot hold, comments without ids among it.
    """
    names = problem.ids or ()
    odd = any(name != name.strip() or len(name.splitlines()) != 1 for name in names)
    lost = {"comments without ids": problem.ids is None, "ids with blanks around or breaks": odd}
    _refuse(problem, "a file of categories", lost)
    ballots = list(_ballots(problem))
    lines = [
        f"# TITLE: {' '.join((problem.name or '').split())}",
        "# DATA TYPE: cat",
        f"# NUMBER ALTERNATIVES: {problem.n_comments}",
        f"# NUMBER VOTERS: {problem.n}",
        f"# NUMBER UNIQUE PREFERENCES: {len({tuple(ballot) for ballot in ballots})}",
        "# NUMBER CATEGORIES: 2",
        "# CATEGORY NAME 1: approved",
        "# CATEGORY NAME 2: not approved",
        *(f"# ALTERNATIVE NAME {c}: {name}" for c, name in enumerate(names, 1)),
    ]
    everybody = np.arange(1, problem.n_comments + 1)
    for ballot, weight in zip(ballots, problem.weights.tolist(), strict=True):
        lines.append(
            f"{weight}: {_class(everybody[ballot])},{_class(np.delete(everybody, ballot))}"
        )
    return ("\n".join(lines) + "\n").encode()


def _described(name: str) -> str:
    return f"description: {json.dumps(name)}"  # quoted as in JSON, which YAML reads


def _class(numbers: NDArray[np.int64]) -> str:
    listed = numbers.tolist()
    return str(listed[0]) if len(listed) == 1 else "{" + ",".join(map(str, listed)) + "}"


def _ballots(problem: JrRanking) -> Iterator[list[int]]:
    items, ends = problem.indices.tolist(), problem.indptr.tolist()
    for i in range(problem.n_users):
        yield items[ends[i] : ends[i + 1]]


def _refuse(problem: JrRanking, what: str, more: dict[str, bool]) -> None:
    lost = {
        **more,
        "scores": problem.scores_name != "approvals",
        "score_sets": bool(problem.score_sets),
        "axiom": problem.axiom != "jr",
        "quota": problem.quota != "hare",
        "forced": bool(problem.forced),
        "forbidden": bool(problem.forbidden),
        "mode": problem.mode != "set",
        "utilities": problem.utilities is not None,
    }
    if missing := [name for name, there in lost.items() if there]:
        raise UsageError(f"{what} cannot hold {', '.join(missing)}; write .json")
