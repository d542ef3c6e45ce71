"""The court of selective aggregation: is it a ranking, is every comparison backed, what is shown.

Nothing here knows how the answer was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problem import Check, Violation
from fairopt.problems.selective_aggregation import tiers
from fairopt.problems.selective_aggregation.answer import Path, Tiering
from fairopt.rational import text

if TYPE_CHECKING:
    from fairopt.problems.selective_aggregation.problem import SelectiveAggregation

Ints = NDArray[np.int64]

MOST_SHOWN = 40  # items in one line
MOST_ROWS = 200  # breakpoints of a path that are shown
MOST_JUDGES = 50_000_000  # ballots times pairs up to which judges are looked at one by one


def check(problem: SelectiveAggregation, answer: Tiering, *, expensive: bool = False) -> Check:
    """Return violations, the comparisons, and the figures.

    Rules: ``partition`` (tiers of all items, none empty), ``dissent`` (a published statement
    whose dissent exceeds tau), ``path`` (not the optima, or not those of this instance).
    """
    broken = list(_shape(problem, answer.tier, "tiers"))
    if broken:
        return Check(tuple(broken))
    broken += _dissent(problem, answer.tier)
    if answer.path is not None:
        broken += _path(problem, answer)
    value = tiers.comparisons(answer.tier)
    return Check(tuple(broken), value, figures(problem, answer, value, expensive))


def _shape(problem: SelectiveAggregation, tier: Ints, where: str) -> Iterator[Violation]:
    if tier.shape != (problem.n,):
        yield Violation("partition", f"{where}: {len(tier)} items, not {problem.n}")
    elif not np.array_equal(np.unique(tier), np.arange(int(tier.max()) + 1)):
        yield Violation("partition", f"{where}: a tier is empty")


def _dissent(problem: SelectiveAggregation, tier: Ints) -> Iterator[Violation]:
    level = np.where(tier[:, None] < tier[None, :], problem.dissent.level, -1)
    i, j = divmod(int(level.argmax()), problem.n)
    worst = int(level[i, j])
    if worst > problem.limit:
        named = f"{problem.items[i]!r} above {problem.items[j]!r}"
        shown = text(problem.dissent.value(worst))
        yield Violation("dissent", f"{named} (dissent {shown})", 1)


def _path(problem: SelectiveAggregation, answer: Tiering) -> Iterator[Violation]:
    path, dissent = answer.path, problem.dissent
    assert path is not None
    yield from (found := list(_shape(problem, path.finest, "path.finest")))
    if found:
        return
    if not np.array_equal(path.finest, tiers.tiers_at(dissent.level, dissent.largest)):
        yield Violation("path", "the finest ranking is not that of the largest tau below 1/2")
        return
    born = [dissent.value(b) for b in tiers.births(dissent.level, path.finest).tolist()]
    for k, (given, right) in enumerate(zip(path.births, born, strict=True)):
        if given != right:
            yield Violation("path", f"births[{k}] is {text(given)}, not {text(right)}")
            return
    asked = problem.asked
    here = path.finest if asked is None else path.at(asked)
    if not np.array_equal(here, answer.tier):
        yield Violation("path", "tiers are not the entry of the path at tau")


# -- figures ---------------------------------------------------------------------------------


def figures(
    problem: SelectiveAggregation, answer: Tiering, value: int, expensive: bool
) -> dict[str, Any]:
    """Return what is shown beside the value."""
    n, tier = problem.n, answer.tier
    pairs = n * (n - 1) // 2
    against = disagreements(problem, tier)
    dissent, asked = problem.dissent, problem.asked
    published = dissent.level[tier[:, None] < tier[None, :]]
    worst = int(published.max(initial=-1))
    out: dict[str, Any] = {
        "ranking": ranking(problem, answer),
        "tiers": int(tier.max(initial=0)) + 1,
        "top_items": [problem.items[i] for i in np.flatnonzero(tier == 0).tolist()],
        "abstention": Fraction(pairs - value, pairs) if pairs else Fraction(0),
        "max_dissent": dissent.value(worst) if worst >= 0 else Fraction(0),
        "disagreements": against,
        "disagreement_rate": Fraction(against, pairs * problem.total) if pairs else Fraction(0),
        "tau": asked,
        "threshold": problem.limit if dissent.scale else None,
        "pairs": pairs,
    }
    if asked is not None:
        out["next_tau"], out["next_tiers"] = _next(problem, tier)
    if answer.path is not None:
        out["breakpoints"] = path_rows(problem, answer.path)
    if expensive:
        out["judge_disagreements"] = judges(problem, tier)
    return out


def ranking(problem: SelectiveAggregation, answer: Tiering) -> str:
    """Return the tiers in one line: ``a > {b, c} > d``; of very many items the first."""
    words, shown = [], 0
    for part in answer.tiers:
        names = [problem.items[i] for i in part[: MOST_SHOWN - shown]]
        shown += len(names)
        more = [f"… {len(part)} in all"] if len(names) < len(part) else []
        words.append(names[0] if len(part) == 1 else "{" + ", ".join([*names, *more]) + "}")
        if shown >= MOST_SHOWN:
            break
    return " > ".join([*words, "…"] if len(words) < len(answer.tiers) else words)


def disagreements(problem: SelectiveAggregation, tier: Ints) -> int:
    """Return the weight of the judges that put j above i, over all published "i above j"."""
    support = problem.profile.counts.support
    return int(support.T[tier[:, None] < tier[None, :]].sum())


def _next(problem: SelectiveAggregation, tier: Ints) -> tuple[Fraction | None, int | None]:
    """Return the next tau at which the optimum changes, and how many tiers there are then."""
    dissent = problem.dissent
    finest = tiers.tiers_at(dissent.level, dissent.largest)
    born = tiers.births(dissent.level, finest)
    later = born[born > problem.limit]
    if not len(later):
        return None, None
    return dissent.value(int(later.min())), int((born <= later.min()).sum()) + 1


def path_rows(problem: SelectiveAggregation, path: Path) -> list[dict[str, Any]]:
    """Return a row for each breakpoint: tau, tiers, comparisons, disagreements; 200 at most."""
    rows = []
    for tau in path.breakpoints[:MOST_ROWS]:
        tier = path.at(tau)
        rows.append(
            {
                "tau": tau,
                "tiers": int(tier.max(initial=0)) + 1,
                "comparisons": tiers.comparisons(tier),
                "disagreements": disagreements(problem, tier),
            }
        )
    return rows


def judges(problem: SelectiveAggregation, tier: Ints) -> dict[str, Any] | None:
    """Return the least, median and largest number of published pairs that a judge contradicts.

    A judge of weight w counts w times. None where single judges are not known or too many.
    """
    said = problem.profile
    if said.ranks is not None and said.weights is not None:
        if said.ranks.size * problem.n > MOST_JUDGES:
            return None
        weights = said.weights
        above = tier[:, None] < tier[None, :]
        each = np.array([_against(row, above) for row in said.ranks], np.int64)
        used = int(weights.sum())
        silent = problem.total - used
    elif said.votes is not None:
        votes = said.votes
        apart = np.sign(tier[votes.second] - tier[votes.first])  # 1: first is published above
        each = np.bincount(votes.judge, apart * votes.value < 0, len(votes.weights)).astype(int)
        weights, silent = votes.weights, 0
    else:
        return None
    each = np.concatenate([each, [0]] if silent else [each])
    weight = np.concatenate([weights, [silent]] if silent else [weights])
    order = np.argsort(each, kind="stable")
    passed = np.cumsum(weight[order])
    middle = [int(each[order][np.searchsorted(passed, (total + 1) // 2)])
              for total in (problem.total, problem.total + 1)]  # fmt: skip
    return {
        "min": int(each.min(initial=0)),
        "median": Fraction(sum(middle), 2),
        "max": int(each.max(initial=0)),
    }


def _against(row: NDArray[np.int32], above: NDArray[np.bool_]) -> int:
    judged = np.flatnonzero(row >= 0)
    r = row[judged]
    return int((above[np.ix_(judged, judged)] & (r[:, None] > r[None, :])).sum())
