"""Definitions of multi-class selection in plain loops, and random instances of every shape.

Shares no code with the court and the methods. Used by the tests and, for many more instances, by
``benchmarks/proofs/online_multiclass.py``.
"""

import heapq
import itertools
import math
from fractions import Fraction

import fairopt
from fairopt.problems.online_selection.multiclass import OnlineMulticlass

SLACK = 1 + 1e-9


def random_instance(rng, agents=30):
    """Return a small instance: any shape of quotas, values and classes, also degenerate ones."""
    capacity = int(rng.integers(1, 9))
    classes = int(rng.integers(0, 4))
    quotas = [0] * classes
    for _ in range(int(rng.integers(0, capacity + 1))) if classes else ():
        quotas[int(rng.integers(0, classes))] += 1
    theta = Fraction(int(rng.choice([1, 2, 4, 10, 100, 10_000])))
    low = Fraction(int(rng.choice([1, 3])), int(rng.choice([1, 7])))
    many = int(rng.integers(0, agents + 1))
    shape = rng.integers(0, 4)
    if shape == 0:
        parts = rng.random(many)
    elif shape == 1:
        parts = [k / max(many - 1, 1) for k in range(many)]
    elif shape == 2:
        parts = sorted(rng.random(many))
    else:
        parts = rng.choice([0.0, 1.0], many, p=[0.6, 0.4])
    values = [low * Fraction(round(1000 * float(theta) ** float(p)), 1000) for p in parts]
    kind = rng.integers(0, 4)
    if kind == 0 and classes:  # disjoint
        lists = [[int(rng.integers(0, classes))] for _ in range(many)]
    elif kind == 1 and classes:  # the smallest quota alone: the worst case of the theory
        lists = [[quotas.index(min(quotas))]] * many
    else:
        chance = rng.random()
        lists = [[j for j in range(classes) if rng.random() < chance] for _ in range(many)]
    return OnlineMulticlass(
        values,
        lists,
        capacity=capacity,
        value_range=(low, low * theta),
        quotas=quotas,
        unclassified_agents=None if rng.random() < 0.7 else True,
        threshold=low * theta ** int(rng.integers(0, 2)),
        trust=Fraction(int(rng.integers(0, 5)), 4),
    )


def agents_of(problem):
    """Return (value, classes) of each agent, from the instance file's content."""
    content = problem.to_json()
    return [(Fraction(a["value"]), tuple(a["classes"])) for a in content["agents"]]


def quota_shortfall(problem, x):
    """Return the largest shortfall of a quota at any time, in exact arithmetic; 0 if none."""
    worst, seen, got = Fraction(0), [0] * problem.n_classes, [Fraction(0)] * problem.n_classes
    for (_, classes), share in zip(agents_of(problem), x, strict=True):
        for j in classes:
            seen[j] += 1
            got[j] += Fraction(share)
        for j, quota in enumerate(problem.quotas):
            worst = max(worst, min(quota, seen[j]) - got[j])
    return worst


def worst_ratio(problem, x):
    """Return the largest OPT / ALG over all times at which the sequence may stop; 1 if empty."""
    best, top, own, out = [], Fraction(0), Fraction(0), 1.0
    for (value, _), share in zip(agents_of(problem), x, strict=True):
        heapq.heappush(best, value)
        top += value
        if len(best) > problem.capacity:
            top -= heapq.heappop(best)
        own += value * Fraction(share)
        out = max(out, float(top / own) if own else math.inf)
    return out


def check_set_aside(problem):
    """Assert all that is promised of set-aside; return the worst OPT / (A ALG), 0 if A = inf."""
    solution = fairopt.solve(problem, "set-aside")
    x = solution.answer.fractional
    assert all(0 <= share <= 1 for share in x)
    assert sum(x) <= problem.capacity
    assert quota_shortfall(problem, x) <= 0
    ratio = solution.figures["competitive_ratio"]
    if math.isinf(ratio):
        return 0.0
    reached = worst_ratio(problem, x) / ratio
    assert reached <= SLACK, (problem.to_json(), reached)
    return reached


def check_proportional(problem):
    """Assert the bound on PF for disjoint classes; return PF over that bound."""
    solution = fairopt.solve(problem, "proportional")
    claims = [c.value for c in solution.claims if c.name == "pf_guarantee"]
    pf = solution.figures["pf"]
    if not claims or pf is None:
        return 0.0
    assert pf <= claims[0] * SLACK, (problem.to_json(), pf)
    return pf / claims[0]


def check_predicted(problem):
    """Assert quotas, and value >= trust ALG_pred + (1 - trust) OPT / A."""
    solution = fairopt.solve(problem, "set-aside-predicted")
    assert quota_shortfall(problem, solution.answer.fractional) <= 0
    trust = Fraction(problem.trust)
    follow = fairopt.solve(problem.replace(trust=Fraction(1)), "set-aside-predicted")
    ratio = solution.figures["competitive_ratio"]
    rest = 0 if math.isinf(ratio) else solution.figures["optimum_free"] / ratio
    least = float(trust) * follow.value + float(1 - trust) * rest
    assert solution.value * SLACK >= least, problem.to_json()


def best_selection(problem, *, quotas=True):
    """Return the best whole selection that keeps the quotas at the end, by enumeration."""
    agents = agents_of(problem)
    need = [
        min(q, sum(j in classes for _, classes in agents)) for j, q in enumerate(problem.quotas)
    ]
    best = None
    for size in range(min(problem.capacity, len(agents)) + 1):
        for chosen in itertools.combinations(agents, size):
            got = [sum(j in classes for _, classes in chosen) for j in range(len(need))]
            if not quotas or all(g >= q for g, q in zip(got, need, strict=True)):
                value = sum((v for v, _ in chosen), Fraction(0))
                best = value if best is None else max(best, value)
    return best


def pf_by_enumeration(problem, x):
    """Return PF(x) as the maximum over whole selections (the program is integral)."""
    agents = agents_of(problem)
    here = sorted({j for _, classes in agents for j in classes})
    own = {
        j: sum(v * Fraction(s) for (v, c), s in zip(agents, x, strict=True) if j in c) for j in here
    }
    best = Fraction(0)
    for chosen in itertools.combinations(agents, min(problem.capacity, len(agents))):
        parts = [sum(v for v, c in chosen if j in c) / own[j] for j in here]
        best = max(best, Fraction(sum(parts)) / len(here))
    return best
