"""Random small instances of every form, with what their judges said one by one."""

import os

import numpy as np

import fairopt
from fairopt.problems.selective_aggregation import profile as profiles

MANY = int(os.environ.get("FAIROPT_EXAMPLES", "0")) or 40
CONVENTIONS = ("strict", "half-ties", "available")


def ballots(rng, n, most=6):
    """Return weighted ballots with ties and items left out."""
    out = []
    for _ in range(int(rng.integers(1, most))):
        listed = rng.permutation(n)[: int(rng.integers(0, n + 1))].tolist()
        tiers = []
        for x in listed:
            if tiers and rng.random() < 0.3:
                tiers[-1].append(x)
            else:
                tiers.append([x])
        out.append((int(rng.integers(1, 4)), tiers))
    return out


def content(n, drawn, **more):
    """Return the instance of such ballots."""
    rows = [{"weight": w, "order": [[f"i{x}" for x in tier] for tier in t]} for w, t in drawn]
    items = [f"i{x}" for x in range(n)]
    said = {"type": "orders", "ballots": rows}
    return {"problem": "selective-aggregation", "items": items, "preferences": said, **more}


def pairwise(rng, n):
    """Return an instance of single votes, and its opinions."""
    judges = int(rng.integers(1, 6))
    weights = rng.integers(1, 4, judges).tolist()
    table, votes = {}, []
    for k in range(judges):
        for i in range(n):
            for j in range(i):
                if rng.random() < 0.7:
                    v = int(rng.integers(-1, 2))
                    table[k, i, j], table[k, j, i] = v, -v
                    votes.append([f"j{k}", f"i{i}", f"i{j}", v])
    said = {
        "type": "pairwise", "judges": [f"j{k}" for k in range(judges)], "votes": votes,
        "judge_weights": {f"j{k}": w for k, w in enumerate(weights)},
    }  # fmt: skip
    made = {
        "problem": "selective-aggregation", "items": [f"i{x}" for x in range(n)],
        "preferences": said,
    }  # fmt: skip
    opinions = [(w, lambda i, j, k=k: table.get((k, i, j))) for k, w in enumerate(weights)]
    return made, opinions


def large(rng, n, judges):
    """Return a larger instance from ranks with ties and missing ones."""
    ranks = np.argsort(rng.random((judges, n)) + 0.2 * np.arange(n), axis=1).argsort(1) // 2
    ranks = ranks.astype(np.int32)
    ranks[rng.random(ranks.shape) < 0.1] = -1
    said = profiles.Profile(n, 2 * judges, ranks=ranks, weights=np.full(judges, 2, np.int64))
    from fairopt.problems.selective_aggregation import SelectiveAggregation

    return SelectiveAggregation(said, [f"i{x}" for x in range(n)])


def solved(problem, method, **options):
    """Solve and verify."""
    solution = fairopt.solve(problem, method, **options)
    assert fairopt.verify(problem, solution).ok
    return solution
