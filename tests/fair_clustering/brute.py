"""Fair clustering by enumeration: every labelling, the definitions in plain numbers.

Shares no code with the package: it reads the content of an instance file itself, counts in
Python fractions where weights are whole, and sums distances its own way.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

CONDITIONS = ("none", "strict", "floor-ceil", "balance", "bounds", "delta", "gap")
CHOICES = ("free", "points", "candidates", "fixed")


@cache
def labellings(n, k):
    """Return all (k^n, n) label vectors."""
    return np.indices((k,) * n).reshape(n, -1).T.copy()


def attributes(content):
    """Return {attribute: labels}."""
    groups = content.get("groups")
    if groups is None:
        return {}
    return dict(groups) if isinstance(groups, dict) else {"group": groups}


def weights(content):
    """Return the weights as fractions."""
    return [Fraction(str(w)) for w in content.get("weights", [1] * size(content))]


def size(content):
    """Return the number of points."""
    return len(content["points"] if "points" in content else content["distances"])


def distances(content, sites):
    """Return (n, m) distances to sites, in the metric of the instance."""
    x = np.array(content["points"], float)
    c = np.array(sites, float)
    gap = x[:, None, :] - c[None, :, :]
    metric = content.get("metric") or (
        "sqeuclidean" if content.get("objective", "kmeans") == "kmeans" else "euclidean"
    )
    if metric == "manhattan":
        return np.abs(gap).sum(2)
    square = (gap**2).sum(2)
    return square if metric == "sqeuclidean" else np.sqrt(square)


def fair(content, labels, k):
    """Return which label vectors (r, n) keep the condition."""
    w = weights(content)
    whole = all(v.denominator == 1 for v in w)
    mass = np.array([int(v) if whole else float(v) for v in w])
    slack = 0 if whole else 1e-9 * float(sum(w))
    one_hot = labels[:, :, None] == np.arange(k)
    total = (one_hot * mass[None, :, None]).sum(1)
    good = np.ones(len(labels), bool)
    rule = content["fairness"]
    for name, values in attributes(content).items():
        values = np.array([str(v) for v in values])
        kinds = sorted(set(values))
        inside = {g: (one_hot * (mass * (values == g))[None, :, None]).sum(1) for g in kinds}
        everything = {g: (mass * (values == g)).sum() for g in kinds}
        good &= _fair(rule, name, inside, total, everything, mass.sum(), len(w), slack)
    if not content.get("allow_empty", True):
        good &= np.all(one_hot.any(1), axis=1)
    return good


def _fair(rule, name, inside, total, everything, whole, n, slack):
    kind = rule["type"]
    good = np.ones(len(total), bool)

    def at_least(left, ratio, right):
        ratio = Fraction(str(ratio))
        if slack:
            return np.all(left >= float(ratio) * right - slack, axis=1)
        return np.all(ratio.denominator * left >= ratio.numerator * right, axis=1)

    if kind == "proportional":
        for g, part in inside.items():
            off = np.abs(whole * part - everything[g] * total)
            if rule["rounding"] == "floor-ceil":
                good &= np.all(off <= n - 1, axis=1)
            else:
                good &= np.all(off <= slack * whole, axis=1)
    elif kind == "balance":
        for g, h in itertools.permutations(inside, 2):
            good &= at_least(inside[g], rule["min_balance"], inside[h])
    elif kind == "bounds" and "delta" in rule:
        delta = Fraction(str(rule["delta"]))
        for g, part in inside.items():
            share = Fraction(str(everything[g])) / Fraction(str(whole))
            good &= at_least(part, (1 - delta) * share, total)
            good &= at_least(-part, -min(Fraction(1), share / (1 - delta)), total)
    elif kind == "bounds":
        for g, part in inside.items():
            low = rule.get("lower", {}).get(name, {}).get(g, 0)
            high = rule.get("upper", {}).get(name, {}).get(g, 1)
            good &= at_least(part, low, total)
            good &= at_least(-part, -Fraction(str(high)), total)
    elif kind == "gap":
        most = Fraction(str(rule["epsilon"]))
        for g, h in itertools.combinations(inside, 2):
            a, b = everything[g], everything[h]
            twice = np.abs(inside[g] * b - inside[h] * a).sum(1)
            limit = 2 * most * Fraction(str(a)) * Fraction(str(b))
            limit = float(limit) * (1 + 1e-9) + 1e-12 if slack else limit
            good &= np.array([t <= limit for t in twice.tolist()], bool)
    return good


def costs(content, labels, k):
    """Return the least cost of every labelling, over the centres that it may have."""
    mode = "candidates" if "candidates" in content else content.get("centers", "free")
    w = np.array([float(v) for v in weights(content)])
    if isinstance(mode, list):
        return _paid(content, distances(content, mode), labels, w)
    if mode == "free":
        return _centroids(content, labels, k, w)
    sites = content["points"] if mode == "points" else content["candidates"]
    every = distances(content, sites)
    best = np.full(len(labels), np.inf)
    used = np.stack([(labels == c).any(1) for c in range(k)], 1).sum(1)
    for r in range(1, min(k, len(sites)) + 1):
        fits = (labels.max(1) < r) & (used <= r)
        for chosen in itertools.permutations(range(len(sites)), r):
            paid = _paid(content, every[:, chosen], np.minimum(labels, r - 1), w)
            best = np.where(fits, np.minimum(best, paid), best)
    return best


def _paid(content, table, labels, w):
    each = table[np.arange(len(w))[None, :], labels]
    if content.get("objective") == "kcenter":
        return each.max(1)
    return (w * each).sum(1)


def _centroids(content, labels, k, w):
    x = np.array(content["points"], float)
    total = np.zeros(len(labels))
    for c in range(k):
        share = (labels == c) * w
        mass = share.sum(1)
        centre = share @ x / np.where(mass > 0, mass, 1)[:, None]
        total += (share * ((x[None] - centre[:, None]) ** 2).sum(2)).sum(1)
    return total


def best(content):
    """Return the least value of a hard fair answer, None if there is none."""
    k, n = content["k"], size(content)
    labels = labellings(n, k)
    labels = labels[fair(content, labels, k)]
    if not len(labels):
        return None
    value = float(costs(content, labels, k).min())
    return None if value == np.inf else value


# -- instances -----------------------------------------------------------------------------

_NUMBERS = st.one_of(st.integers(-4, 4), st.integers(-40, 40).map(lambda v: v / 10))
_SHARES = st.sampled_from(["0", "0.1", "1/4", "0.3", "1/3", "0.4", "1/2", "0.6", "2/3", "0.9", "1"])


@st.composite
def contents(draw, condition=None, choice=None, objective="kmeans", n=(1, 7)):
    """Return the content of a small instance file."""
    condition = condition or draw(st.sampled_from(CONDITIONS))
    choice = choice or draw(st.sampled_from(CHOICES))
    count = draw(st.integers(*n))
    dimension = draw(st.integers(1, 2))
    number = draw(st.sampled_from([st.integers(-4, 4), _NUMBERS]))
    point = st.lists(number, min_size=dimension, max_size=dimension)
    k = draw(st.integers(1, 3 if choice in ("free", "fixed") else 2))
    names = draw(st.sampled_from([("group",), ("sex",), ("sex",), ("sex", "age")]))
    label = st.sampled_from("ab" if draw(st.booleans()) else "abc")
    groups = {a: draw(st.lists(label, min_size=count, max_size=count)) for a in names}
    content = {
        "problem": "fair-clustering",
        "objective": objective,
        "points": draw(st.lists(point, min_size=count, max_size=count)),
        "groups": groups["group"] if names == ("group",) else groups,
        "k": k,
        "centers": choice,
        "fairness": _condition(draw, condition, groups),
        "allow_empty": k > count or draw(st.sampled_from([True, True, False])),
    }
    if objective != "kmeans" and draw(st.booleans()):
        content["metric"] = "manhattan"
    if choice == "fixed":
        content["centers"] = draw(st.lists(point, min_size=k, max_size=k))
    elif choice == "candidates":
        del content["centers"]
        content["candidates"] = draw(st.lists(point, min_size=k, max_size=4))
    if condition != "floor-ceil" and draw(st.integers(0, 3)) == 0:
        each = draw(st.sampled_from([st.integers(1, 3), st.integers(1, 30).map(lambda v: v / 10)]))
        content["weights"] = draw(st.lists(each, min_size=count, max_size=count))
    return content


def _condition(draw, condition, groups):
    """Return the ``fairness`` of an instance; often one that can be kept."""
    if condition in ("strict", "floor-ceil"):
        return {"type": "proportional", "rounding": condition}
    if condition == "balance":
        return {"type": "balance", "min_balance": draw(_SHARES)}
    if condition == "delta":
        return {"type": "bounds", "delta": draw(st.sampled_from(["0", "0.2", "1/3", "0.5", "0.8"]))}
    if condition == "gap":
        return {"type": "gap", "epsilon": draw(_SHARES)}
    if condition == "bounds":
        low, high = {}, {}
        for name, values in groups.items():
            for g in sorted(set(values)):
                share = Fraction(values.count(g), len(values))
                low.setdefault(name, {})[g] = str(share * draw(st.sampled_from(_PARTS)))
                above = share + (1 - share) * draw(st.sampled_from(_PARTS))
                high.setdefault(name, {})[g] = str(above)
        return {"type": "bounds", "lower": low, "upper": high}
    return {"type": "none"}


_PARTS = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
