"""The court of online selection: violations, exact value and figures of an answer.

A colouring and a lottery are judged exactly: independence of every class or set, and the least
acceptance probability as a fraction. Of counts a simultaneous lower confidence limit counts
(Clopper-Pearson with Bonferroni, 99 %). A single run has no value; its rule is replayed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fairopt.errors import InstanceError
from fairopt.problem import Check, Violation
from fairopt.problems.online_selection.confidence import lower_limit
from fairopt.problems.online_selection.figures import Chances, figures_of
from fairopt.problems.online_selection.independence import dependent
from fairopt.problems.online_selection.replay import replay
from fairopt.solution import Claim

if TYPE_CHECKING:
    from fairopt.problems.online_selection.answer import Selection
    from fairopt.problems.online_selection.problem import OnlineSelection


def check(
    problem: OnlineSelection,
    answer: Selection,
    claims: Sequence[Claim] = (),
    *,
    expensive: bool = False,
) -> Check:
    """Return violations, the certified smallest acceptance probability, and figures.

    Rules: ``shape`` (sizes and elements), ``law`` and ``probability`` (chances add up to 1),
    ``independence`` (of a class or set), ``causality`` (accepted before arrival), ``replay``
    (the run is not what its rule and coins give).
    """
    broken = tuple(_violations(problem, answer))
    if any(v.rule == "shape" for v in broken):
        return Check(broken)
    chances = _chances(problem, answer)
    value = _value(problem, answer, chances)
    figures = figures_of(problem, answer, chances, value, claims, expensive=expensive)
    basis = "simulation" if answer.kind == "estimate" else ""
    return Check(broken, value, figures, basis)


# -- rules -----------------------------------------------------------------------------------


def _violations(problem: OnlineSelection, answer: Selection) -> Iterable[Violation]:
    shape = list(_shape(problem, answer))
    if shape:
        return shape
    if answer.kind == "coloring":
        return _coloring(problem, answer)
    if answer.kind == "lottery":
        return _lottery(problem, answer)
    if answer.kind == "run":
        return _run(problem, answer)
    return ()


def _shape(problem: OnlineSelection, answer: Selection) -> Iterable[Violation]:
    n = problem.n_elements
    lists: dict[str, Sequence[int]] = {}
    if answer.densest is not None:
        lists["densest"] = answer.densest
    if answer.kind == "coloring":
        coloring = answer.coloring
        if coloring is None or coloring.shape != (n,) or (n and int(coloring.min()) < 0):
            yield Violation("shape", "coloring", 1)
    elif answer.kind == "lottery":
        lists |= {f"lottery[{k}].set": draw.set for k, draw in enumerate(answer.lottery)}
    elif answer.kind == "run" and answer.run is not None:
        lists |= {"run.accepted": answer.run.accepted, "run.order": answer.run.order}
    elif answer.kind == "estimate" and answer.estimate is not None:
        found = answer.estimate
        counts = found.counts
        fine = counts.shape == (n,) and found.runs >= 1
        if not fine or (n and not 0 <= int(counts.min()) <= int(counts.max()) <= found.runs):
            yield Violation("shape", "estimate.counts", 1)
        if (
            len(found.sums) != len(found.squares)
            or len(found.sums) not in (0, n)
            or any(
                not 0 <= s <= found.runs or not 0 <= q <= s * (1 + 1e-9)
                for s, q in zip(found.sums, found.squares, strict=True)
            )
        ):
            yield Violation("shape", "estimate.sums", 1)
    else:
        yield Violation("shape", "kind", 1)
    for where, elements in lists.items():
        if len(set(elements)) != len(elements) or any(not 0 <= e < n for e in elements):
            yield Violation("shape", where, 1)


def _coloring(problem: OnlineSelection, answer: Selection) -> Iterable[Violation]:
    coloring = answer.coloring
    assert coloring is not None
    law = [Fraction(p) for p in answer.law]
    if any(not 0 <= p <= 1 for p in law) or answer.idle < 0:
        yield Violation("law", "a probability outside 0 to 1", 1)
    total = sum(law, answer.idle)
    if total != 1:
        yield Violation("law", "sum", total - 1)
    if len(coloring) and int(coloring.max()) > len(law):
        yield Violation("law", f"color {int(coloring.max())} has no probability", 1)
    colored = np.flatnonzero(coloring)
    for color in dependent(problem.matroid, colored, coloring[colored]):
        yield Violation("independence", f"color {color}", 1)


def _lottery(problem: OnlineSelection, answer: Selection) -> Iterable[Violation]:
    chances = [draw.probability for draw in answer.lottery]
    for k, chance in enumerate(chances):
        if not 0 < chance <= 1:
            yield Violation("probability", f"lottery[{k}]", chance)
    total = sum(chances, Fraction(0))
    if total != 1:
        yield Violation("probability", "sum", total - 1)
    sizes = [len(draw.set) for draw in answer.lottery]
    group = np.repeat(np.arange(len(sizes)), sizes)
    element = np.array([e for draw in answer.lottery for e in draw.set], np.int64)
    for k in dependent(problem.matroid, element, group):
        yield Violation("independence", f"lottery[{k}].set", 1)


def _run(problem: OnlineSelection, answer: Selection) -> Iterable[Violation]:
    run = answer.run
    assert run is not None
    accepted = np.array(run.accepted, np.int64)
    if dependent(problem.matroid, accepted, np.zeros(len(accepted), np.int64)):
        yield Violation("independence", "run.accepted", 1)
    early = sorted(set(run.accepted) - set(run.order))
    if early:
        yield Violation("causality", f"element {early[0]} has not arrived", len(early))
    try:
        again = replay(problem, run.order, run.coins)
    except InstanceError as error:
        yield Violation("replay", str(error))
        return
    if wrong := sorted(again ^ set(run.accepted)):
        yield Violation("replay", f"element {wrong[0]}", len(wrong))


# -- probabilities ---------------------------------------------------------------------------


def _chances(problem: OnlineSelection, answer: Selection) -> Chances:
    """Return the acceptance probability of every element as multiples of one fraction."""
    n = problem.n_elements
    if answer.kind == "coloring":
        assert answer.coloring is not None
        law = [Fraction(0), *(Fraction(p) for p in answer.law)]
        law += [Fraction(0)] * (int(answer.coloring.max(initial=0)) + 1 - len(law))
        used = np.unique(answer.coloring).tolist()
        den = math.lcm(*(law[c].denominator for c in used))
        table = np.zeros(len(law), object)
        for c in used:
            table[c] = int(law[c] * den)
        return Chances(table[answer.coloring], den)
    if answer.kind == "lottery":
        chances = [draw.probability for draw in answer.lottery]
        return Chances.of_lottery(n, [draw.set for draw in answer.lottery], chances)
    if answer.kind == "estimate" and answer.estimate is not None:
        found = answer.estimate
        if found.sums:
            num = np.array([round(s * 2**20) for s in found.sums], object)
            return Chances(num, found.runs * 2**20)
        return Chances(found.counts.astype(object), found.runs)
    assert answer.run is not None
    num = np.zeros(n, object)
    num[list(answer.run.accepted)] = 1
    return Chances(num, 1)


def _value(problem: OnlineSelection, answer: Selection, chances: Chances) -> Fraction | None:
    """Return the certified smallest acceptance probability; None for a run or no elements."""
    if not problem.n_elements or answer.kind == "run":
        return None
    if answer.kind == "estimate":
        assert answer.estimate is not None
        return lower_limit(answer.estimate, range(problem.n_elements))
    return chances.least()
