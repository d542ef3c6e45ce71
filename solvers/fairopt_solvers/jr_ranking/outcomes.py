"""Run a sequential rule to its end: resolutely, or along every way to break ties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fairopt.run import Run
from fairopt_solvers.jr_ranking.profile import Profile
from fairopt_solvers.jr_ranking.rules import EqualShares, Phragmen, Rule

Completion = Callable[[Rule], Rule]


@dataclass(frozen=True, slots=True)
class Selection:
    """What a rule selected, in order; whether a tie left a choice; whether it came to its end."""

    selected: list[int] = field(default_factory=list)
    ties: bool = False
    finished: bool = True


def resolute(rule: Rule, run: Run, completion: Completion | None = None) -> Selection:
    """Take the lowest index at every tie; ``completion`` makes the rule that goes on after it."""
    ties = several = False
    while len(rule.selected) < rule.k:
        if run.expired():
            return Selection(rule.selected, ties or several, finished=False)
        best = rule.best()
        if not best:
            if completion is None:
                break
            rule, completion = completion(rule), None
            continue
        several = several or len(best) > 1
        ties = ties or (len(best) > 1 and int(rule.open.sum()) > rule.k - len(rule.selected))
        rule.take(best[0])
    # Where there is room for all that is left, a tie is a choice only if the rule stops early.
    early = len(rule.selected) < rule.k and bool(rule.open.any())
    return Selection(rule.selected, ties or (several and early))


def all_outcomes(rule: Rule, completion: Completion | None = None) -> set[frozenset[int]]:
    """Return the sets that the rule selects under all ways to break ties (exponentially many)."""
    found: set[frozenset[int]] = set()
    seen: set[tuple[tuple[int, ...], bool]] = set()
    ways: list[tuple[Rule, Completion | None]] = [(rule, completion)]
    while ways:
        rule, left = ways.pop()
        place = (tuple(rule.selected), left is None)
        if place in seen:
            continue
        seen.add(place)
        best = rule.best() if len(rule.selected) < rule.k else []
        if not best:
            if len(rule.selected) < rule.k and left is not None:
                ways.append((left(rule), None))
            else:
                found.add(frozenset(rule.selected))
        for comment in best:
            other = rule.copy()
            other.take(comment)
            ways.append((other, left))
    return found


def by_phragmen(rule: Rule) -> Rule:
    """Go on from equal shares with sequential Phragmen; what users have left is a head start."""
    assert isinstance(rule, EqualShares)
    profile: Profile = rule.profile
    loads = [-budget for budget in rule.budgets]
    after = Phragmen(profile, rule.k, rule.open, classes=rule.classes, loads=loads)
    after.selected = rule.selected
    return after
