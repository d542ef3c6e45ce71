"""Representative ranking by the words of its definition: every set, every group, plain integers.

Works on the content of a JSON file and shares no code with the package. Also random small
instances.
"""

import itertools
import math
import random
from fractions import Fraction

from hypothesis import strategies as st

AXIOMS = ("jr", "pjr+", "ejr+", "pjr", "ejr")


def number(value):
    return Fraction(str(value))


class Plain:
    """An instance as sets and lists."""

    def __init__(self, content):
        self.content = content
        self.m = content["comments"]
        self.k = content["k"]
        self.ballots = [frozenset(a) for a in content["approvals"]]
        self.weights = content.get("weights") or [1] * len(self.ballots)
        self.n = sum(self.weights)
        self.droop = content.get("quota") == "droop"
        given = content.get("scores", "approvals")
        if given == "approvals":
            self.scores = [Fraction(self.weight(self.fans(c))) for c in range(self.m)]
        else:
            self.scores = [number(v) for v in given]
        self.forced = content.get("forced", [])
        self.forbidden = content.get("forbidden", [])

    def weight(self, users):
        return sum(self.weights[i] for i in users)

    def fans(self, c):
        return [i for i, a in enumerate(self.ballots) if c in a]

    def deserves(self, users, level, size=None):
        """Whether a group is large enough for so many of ``size`` comments."""
        k = self.k if size is None else size
        g = self.weight(users)
        return (k + 1) * g > level * self.n if self.droop else k * g >= level * self.n

    def sets(self):
        free = [c for c in range(self.m) if c not in self.forced and c not in self.forbidden]
        for rest in itertools.combinations(free, self.k - len(self.forced)):
            yield frozenset([*self.forced, *rest])

    # -- axioms, by groups where the number of users allows it --------------------------------

    def groups(self, users):
        users = list(users)
        for size in range(1, len(users) + 1):
            yield from itertools.combinations(users, size)

    def jr(self, shown, size=None):
        shown = frozenset(shown)
        for c in range(self.m):
            alone = [i for i in self.fans(c) if not self.ballots[i] & shown]
            if alone and self.deserves(alone, 1, size):
                return False
        return True

    def ejr_plus(self, shown):
        for c in set(range(self.m)) - set(shown):
            for level in range(1, self.k + 1):
                poor = [i for i in self.fans(c) if len(self.ballots[i] & shown) < level]
                if poor and self.deserves(poor, level):
                    return False
        return True

    def pjr_plus(self, shown):
        for c in set(range(self.m)) - set(shown):
            for group in self.groups(self.fans(c)):
                reach = len(frozenset().union(*(self.ballots[i] for i in group)) & shown)
                if self.deserves(group, reach + 1):
                    return False
        return True

    def cohesive(self, shown, together):
        for level in range(1, self.k + 1):
            for common in itertools.combinations(range(self.m), level):
                agree = [i for i, a in enumerate(self.ballots) if a >= set(common)]
                if not together:
                    poor = [i for i in agree if len(self.ballots[i] & shown) < level]
                    if poor and self.deserves(poor, level):
                        return False
                    continue
                for group in self.groups(agree):
                    reach = frozenset().union(*(self.ballots[i] for i in group)) & shown
                    if len(reach) < level and self.deserves(group, level):
                        return False
        return True

    def fjr(self, shown):
        for size in range(1, self.k + 1):
            for wanted in itertools.combinations(range(self.m), size):
                for beta in range(1, size + 1):
                    group = [
                        i
                        for i, a in enumerate(self.ballots)
                        if len(a & set(wanted)) >= beta > len(a & shown)
                    ]
                    if group and self.deserves(group, size):
                        return False
        return True

    def core(self, shown):
        for size in range(1, self.k + 1):
            for wanted in itertools.combinations(range(self.m), size):
                group = [
                    i for i, a in enumerate(self.ballots) if len(a & set(wanted)) > len(a & shown)
                ]
                if group and self.deserves(group, size):
                    return False
        return True

    def keeps(self, axiom, shown):
        shown = frozenset(shown)
        tests = {
            "none": lambda s: True,
            "jr": self.jr,
            "ejr+": self.ejr_plus,
            "pjr+": self.pjr_plus,
            "ejr": lambda s: self.cohesive(s, together=False),
            "pjr": lambda s: self.cohesive(s, together=True),
            "fjr": self.fjr,
            "core": self.core,
        }
        return tests[axiom](shown)

    # -- optima -------------------------------------------------------------------------------

    def score(self, shown):
        return sum((self.scores[c] for c in shown), Fraction(0))

    def best(self, axiom):
        """Return the optimal value, None if no set keeps the axiom."""
        valued = sorted(self.sets(), key=self.score, reverse=True)
        return next((self.score(s) for s in valued if self.keeps(axiom, s)), None)

    def best_ranking(self):
        """Return the optimal value of a ranking, None if there is none."""
        weights = self.position_weights()
        cutoffs = self.content.get("prefixes", [self.k])
        if self.content.get("axiom", "jr") == "none":
            cutoffs = []
        values = []
        for shown in self.sets():
            for order in itertools.permutations(shown):
                if all(self.jr(order[:r], r) for r in cutoffs):
                    pairs = zip(weights, order, strict=True)
                    values.append(sum((w * self.scores[c] for w, c in pairs), Fraction(0)))
        return max(values, default=None)

    def position_weights(self):
        given = self.content.get("position_weights", "dcg")
        if given == "dcg":
            return [Fraction(1 / math.log2(p + 1)) for p in range(1, self.k + 1)]
        return [Fraction(1)] * self.k if given == "uniform" else [number(v) for v in given]

    def gamma(self):
        """Return the size of a smallest justifying set."""
        return next(
            size
            for size in range(self.m + 1)
            if any(self.jr(s) for s in itertools.combinations(range(self.m), size))
        )


# -- random small instances ----------------------------------------------------------------


def ballots(rng, users, m):
    """Return random ballots: free ones, or variants of few, so that groups agree on much."""
    density = rng.choice([0.2, 0.4, 0.6])
    free = [[c for c in range(m) if rng.random() < density] for _ in range(users)]
    if rng.random() < 0.4:
        return free
    parties, noise = free[: rng.randint(1, 3)], rng.choice([0.0, 0.1, 0.25])
    members = (rng.choice(parties) for _ in range(users))
    return [[c for c in range(m) if (c in a) != (rng.random() < noise)] for a in members]


def vector(rng, approvals, m):
    """Return random scores: engagement, its opposite, integers, or rationals."""
    kind = rng.choice(["approvals", "against", "integers", "rationals"])
    sup = [sum(c in a for a in approvals) for c in range(m)]
    if kind == "approvals":
        return kind
    if kind == "against":
        return [2 * (max(sup) - s) + rng.randint(0, 1) for s in sup]
    if kind == "integers":
        return [rng.randint(-2, 9) for _ in range(m)]
    return [rng.choice(["1/3", "0.25", "-0.5", 2, "7/5", 0]) for _ in range(m)]


@st.composite
def contents(draw, users=9, comments=8, places=5, fixed=True):
    """Return the content of a small instance file with every feature now and then."""
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    m = rng.randint(1, comments) if rng.random() < 0.3 else rng.randint(min(4, comments), comments)
    k = rng.randint(1, min(places, m))
    count = rng.randint(1, users) if rng.random() < 0.3 else rng.randint(users // 2, users)
    approvals = ballots(rng, count, m)
    content = {"problem": "jr-ranking", "comments": m, "k": k, "approvals": approvals}
    content["scores"] = vector(rng, approvals, m)
    if rng.random() < 0.4:
        content["weights"] = [rng.randint(1, 4) for _ in approvals]
    if rng.random() < 0.2:
        approvals[rng.randrange(count)] = []
    if rng.random() < 0.4:
        content["quota"] = "droop"
    if fixed and rng.random() < 0.4:
        some = rng.sample(range(m), min(m, 3))
        content["forced"] = some[: rng.randint(0, 1)]
        content["forbidden"] = some[1 : 1 + min(2, m - k)]
    return content


@st.composite
def rankings(draw):
    """Return the content of a small instance in ranking mode."""
    content = draw(contents(users=8, comments=6, places=4))
    k = content["k"]
    content["mode"] = "ranking"
    cutoffs = st.lists(st.integers(1, k), max_size=k, unique=True)
    content["prefixes"] = draw(st.one_of(st.just([k]), cutoffs))
    kind = draw(st.sampled_from(["dcg", "uniform", "falling", "any"]))
    if kind == "falling":
        content["position_weights"] = list(range(k, 0, -1))
    elif kind == "any":
        content["position_weights"] = [draw(st.integers(-1, 3)) for _ in range(k)]
    else:
        content["position_weights"] = kind
    return content
