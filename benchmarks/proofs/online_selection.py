"""The offline optimum and first-fit against enumeration, many random instances of every kind.

For each kind of matroid: gamma, alpha, the lottery and the densest set that ``offline`` returns
equal, as rationals, what the rank of every subset says, and the answer verifies; first-fit gives
the colours of its definition, on no order more than the tight number, which is never more than the
paper's. For matchoids: every set feasible, the least coverage equals the recomputed bound (so it is
optimal), beta is that of the linear program over all feasible sets, and lies between density and
number of covering sets. Enumeration is that of ``tests/online_selection/brute_online.py``, which
shares no code with the package. Prints the counts and appends a row to
``benchmarks/rows/proofs.jsonl``. Run from anywhere:
``python benchmarks/proofs/online_selection.py [INSTANCES A KIND]`` (default 500).
"""

from __future__ import annotations

import itertools
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:1] = [str(ROOT), str(ROOT / "solvers"), str(ROOT / "tests")]  # not this folder: its names

from hypothesis import HealthCheck, given, seed, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import fairopt  # noqa: E402
from benchmarks.recording import record  # noqa: E402
from fairopt.problems.online_selection import OnlineSelection  # noqa: E402
from online_selection import brute_online as brute  # noqa: E402

SIZES = (1, 2, 3, 4, 5, 5, 6, 6, 7)  # elements of an instance, at most 2^7 subsets
PERMUTED = 5  # elements up to which all orders are tried
ORDERS = 40  # random orders otherwise


def linear(n: int, field: Any) -> Any:
    """Columns over one field."""
    return brute.linears(n).filter(lambda m: m["field"] == field)


KINDS: dict[str, Any] = {
    "uniform": brute.uniforms,
    "partition": brute.partitions,
    "laminar": brute.laminars,
    "graphic": lambda n: brute.graphs(n, "graphic"),
    "cographic": lambda n: brute.graphs(n, "cographic"),
    "transversal": brute.transversals,
    "linear GF(2)": lambda n: linear(n, 2),
    "linear GF(3)": lambda n: linear(n, 3),
    "linear Q": lambda n: linear(n, "Q"),
    "bases": lambda n: lists(n, "bases"),
    "circuits": lambda n: lists(n, "circuits"),
    "matchoid": brute.matchoids,
}


def lists(n: int, kind: str) -> Any:
    """Bases or circuits of a graph, of columns, of nested sets."""
    inner = st.one_of(brute.graphs(n, "graphic"), brute.linears(n), brute.laminars(n))
    return inner.map(lambda matroid: brute.listed(n, matroid, kind))


def expect(holds: bool, what: str, content: Any) -> None:
    """Stop at the first instance where something does not hold."""
    if not holds:
        raise SystemExit(f"{what}: {json.dumps(content)}")


def check(content: Any, count: Counter[str]) -> None:
    """Compare one instance with its enumeration."""
    plain, problem = brute.Plain(content), OnlineSelection.from_json(content)
    solution = fairopt.solve(problem, "offline")
    expect(solution.status == "optimal", "not optimal", content)
    expect(fairopt.verify(problem, solution).ok, "does not verify", content)
    chances = lottery(plain, solution.answer, content)
    count["loops" if plain.loops else "loopless"] += 1
    if not plain.rest:
        expect(solution.value == 0, "value of loops alone", content)
        return
    least = min(chances[e] for e in plain.rest)
    figures = solution.figures["restricted"] if plain.loops else solution.figures
    expect(solution.value == (0 if plain.loops else least), "value", content)
    expect(figures["min_prob"] == least, "least coverage", content)
    if content["matroid"]["type"] == "matchoid":
        matchoid(plain, solution, figures, content, count)
        return
    gamma = plain.density()
    expect(figures["gamma"] == figures["beta"] == gamma, "gamma", content)
    expect(figures["alpha"] == plain.alpha() == math.ceil(gamma), "alpha", content)
    expect(least == 1 / gamma, "lottery", content)
    densest = frozenset(solution.answer.densest)
    expect(densest <= plain.rest, "densest set", content)
    expect(Fraction(len(densest), plain.rank[densest]) == gamma, "densest set", content)
    count["fractional"] += gamma.denominator > 1
    first_fit(plain, problem, "first-fit", content, count)


def lottery(plain: Any, answer: Any, content: Any) -> list[Fraction]:
    """Return how often the lottery covers each element; its sets are feasible, its sum is 1."""
    chances, total = [Fraction(0)] * plain.n, Fraction(0)
    for draw in answer.lottery:
        expect(isinstance(draw.probability, Fraction) and draw.probability > 0, "draw", content)
        expect(frozenset(draw.set) in plain.good, "set of the lottery", content)
        total += draw.probability
        for e in draw.set:
            chances[e] += draw.probability
    expect(total == 1, "sum of the lottery", content)
    return chances


def matchoid(plain: Any, solution: Any, figures: Any, content: Any, count: Counter[str]) -> None:
    """Compare beta with the linear program over all feasible sets, and with density and cover."""
    beta, density, cover = 1 / figures["min_prob"], plain.density(), plain.alpha()
    expect(figures["beta"] in (beta, None) and (plain.loops or figures["beta"]), "beta", content)
    expect(density <= beta <= cover, "order of density, beta, cover", content)
    expect(abs(float(beta) - whole_program(plain)) < 1e-7, "beta of the program", content)
    count["beta above density"] += beta > density
    count["beta below cover"] += beta < cover
    if not plain.loops:
        expect(solution.bound.value == solution.value, "bound", content)
        problem = OnlineSelection.from_json(content)
        recomputed = problem.recompute(solution.bound.data)
        expect(recomputed == solution.value, "recomputed bound", content)
    first_fit(plain, OnlineSelection.from_json(content), "matchoid", content, count)


def whole_program(plain: Any) -> float:
    """Return 1/t* by the linear program over all feasible sets, in floats."""
    from scipy.optimize import linprog

    sets, rest = sorted(plain.good, key=sorted), sorted(plain.rest)
    cover = [[*(-float(e in s) for s in sets), 1.0] for e in rest]
    result = linprog(
        [0.0] * len(sets) + [-1.0],
        A_ub=cover,
        b_ub=[0.0] * len(rest),
        A_eq=[[1.0] * len(sets) + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * (len(sets) + 1),
    )
    return float(-1 / result.fun)


def first_fit(plain: Any, problem: Any, method: str, content: Any, count: Counter[str]) -> None:
    """Compare the colours with the definition; try orders for more colours than promised."""
    tight = fairopt.solve(problem, method, m="tight").answer
    paper = fairopt.solve(problem, method, m="paper").answer
    order = content.get("arrival", {}).get("order")
    expect(tight.coloring.tolist() == plain.first_fit(order), "colours", content)
    expect(len(tight.law) <= len(paper.law), "tight number above the paper's", content)
    for other in orders(plain.n):
        most = max(plain.first_fit(other))
        expect(most <= len(tight.law), f"colours on order {other}", content)
        count["orders"] += 1
        count["orders that need all tight colours"] += most == len(tight.law)
    count["tight below paper"] += len(tight.law) < len(paper.law)


def orders(n: int) -> Iterable[tuple[int, ...]]:
    """Return all orders of few elements, else some that depend on n alone."""
    if n <= PERMUTED:
        return itertools.permutations(range(n))
    import numpy as np

    rng = np.random.default_rng(n)
    return [tuple(rng.permutation(n).tolist()) for _ in range(ORDERS)]


def many(kind: str, examples: int) -> dict[str, int]:
    """Check so many random instances of a kind; return the counts."""
    count: Counter[str] = Counter()
    seen: set[str] = set()

    @st.composite
    def content(draw: Any) -> dict[str, Any]:
        n = draw(st.sampled_from(SIZES))
        out = {"problem": "online-selection", "n_elements": n, "matroid": draw(KINDS[kind](n))}
        if draw(st.booleans()):
            out["arrival"] = {"model": "fixed", "order": draw(st.permutations(range(n)))}
        return out

    @seed(20_251)
    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=HealthCheck
    )
    @given(content())
    def work(made: dict[str, Any]) -> None:
        check(made, count)
        count["instances"] += 1
        seen.add(json.dumps(made, sort_keys=True))

    work()
    return {**count, "distinct": len(seen)}


def main() -> int:
    """Check all kinds, print the counts, append the row."""
    begun = time.perf_counter()
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    by_kind = {}
    for kind in KINDS:
        by_kind[kind] = many(kind, examples)
        print(f"{kind}: {by_kind[kind]}", flush=True)
    total: Counter[str] = Counter()
    for counts in by_kind.values():
        total.update(counts)
    counts = {"kinds": len(by_kind), "differences": 0, **total}  # one would have stopped the run
    seconds = round(time.perf_counter() - begun)
    record(
        "online_selection offline, first-fit = enumeration",
        **counts,
        seconds=seconds,
        by_kind=by_kind,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
