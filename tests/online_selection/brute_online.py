"""Online selection by the words of its definition: every subset, plain fractions.

Works on the content of a JSON file and shares no code with the package. Ranks of all subsets
are computed from a test of independence that is a few lines a kind.
"""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

# -- independence ----------------------------------------------------------------------------


def forest(edges):
    """Whether edges have no cycle: merge sets of vertices one edge at a time."""
    groups = [{v} for v in {v for e in edges for v in e}]
    for u, v in edges:
        a, b = (next(g for g in groups if w in g) for w in (u, v))
        if a is b:
            return False
        groups = [g for g in groups if g is not a and g is not b] + [a | b]
    return True


def pieces(vertices, edges):
    """The number of components."""
    left, count = set(vertices), 0
    while left:
        count += 1
        reach, grown = set(), {left.pop()}
        while grown:
            reach |= grown
            grown = {w for e in edges for v, w in (e, e[::-1]) if v in reach} - reach
        left -= reach
    return count


def matchable(lists):
    """Whether different representatives exist, by trying all."""
    if not lists:
        return True
    first, *rest = lists
    return any(matchable([[v for v in row if v != mine] for row in rest]) for mine in first)


def full_rank(columns, prime):
    """Whether columns are independent: no non-trivial combination is 0 (mod p: try all)."""
    if prime is not None:
        for factors in itertools.product(range(prime), repeat=len(columns)):
            rows = zip(*columns, strict=True)
            sums = [sum(f * v for f, v in zip(factors, row, strict=True)) % prime for row in rows]
            if any(factors) and not any(sums):
                return False
        return True
    rows = [[Fraction(v) for v in column] for column in columns]
    done = []
    for row in rows:  # reduce each column by those before it
        for pivot, other in done:
            if row[pivot]:
                row = [a - b * row[pivot] / other[pivot] for a, b in zip(row, other, strict=True)]
        pivot = next((k for k, v in enumerate(row) if v), None)
        if pivot is None:
            return False
        done.append((pivot, row))
    return True


def independent(matroid, n, chosen):
    """Whether a set is independent, by the table of the kinds."""
    kind, chosen = matroid["type"], set(chosen)
    if kind == "uniform":
        return len(chosen) <= matroid["rank"]
    if kind == "partition":
        blocks = [matroid["blocks"][e] for e in chosen]
        return all(blocks.count(b) <= c for b, c in enumerate(matroid["capacities"]))
    if kind == "laminar":
        return all(len(chosen & set(s["elements"])) <= s["capacity"] for s in matroid["sets"])
    if kind == "graphic":
        return forest([matroid["edges"][e] for e in chosen])
    if kind == "cographic":
        edges = matroid["edges"]
        vertices = {v for e in edges for v in e}
        rest = [edge for e, edge in enumerate(edges) if e not in chosen]
        return pieces(vertices, rest) == pieces(vertices, edges)
    if kind == "transversal":
        return matchable([matroid["neighbors"][e] for e in chosen])
    if kind == "linear":
        prime = None if matroid["field"] == "Q" else matroid["field"]
        return full_rank([matroid["columns"][e] for e in chosen], prime)
    if kind == "bases":
        return any(chosen <= set(b) for b in matroid["bases"])
    if kind == "circuits":
        return not any(set(c) <= chosen for c in matroid["circuits"])
    assert kind == "matchoid"
    for part in matroid["parts"]:
        local = [k for k, e in enumerate(part["elements"]) if e in chosen]
        if not independent(part["matroid"], len(part["elements"]), local):
            return False
    return True


class Plain:
    """An instance with the rank of every subset; for at most 8 elements."""

    def __init__(self, content):
        self.n, self.matroid = content["n_elements"], content["matroid"]
        self.order = content.get("arrival", {}).get("order") or list(range(self.n))
        everything = [
            frozenset(s)
            for k in range(self.n + 1)
            for s in itertools.combinations(range(self.n), k)
        ]
        self.good = {s for s in everything if independent(self.matroid, self.n, s)}
        self.rank = {}
        for s in everything:
            smaller = max((self.rank[s - {e}] for e in s), default=0)
            self.rank[s] = len(s) if s in self.good else smaller
        self.loops = [e for e in range(self.n) if frozenset([e]) not in self.good]
        self.rest = frozenset(range(self.n)) - set(self.loops)

    def density(self):
        """max |X|/r(X) over loopless X; 0 without elements (gamma, for a matroid)."""
        quotients = [Fraction(len(s), self.rank[s]) for s in self.rank if s and s <= self.rest]
        return max(quotients, default=Fraction(0))

    def densest(self):
        """A set that attains the density."""
        return min(
            (s for s in self.rank if s and s <= self.rest),
            key=lambda s: (-Fraction(len(s), self.rank[s]), len(s), sorted(s)),
        )

    def covers(self, colors):
        """Whether so many independent sets cover everything but the loops."""

        def place(left, room):
            if not left:
                return True
            e, *more = left
            tried = set()
            for k in range(colors):
                key = room[k]
                if key not in tried and key | {e} in self.good:
                    tried.add(key)
                    if place(more, [*room[:k], key | {e}, *room[k + 1 :]]):
                        return True
            return False

        return place(sorted(self.rest), [frozenset()] * colors)

    def alpha(self):
        """The least number of independent sets that cover everything but the loops."""
        return next(c for c in range(self.n + 1) if self.covers(c))

    def first_fit(self, order=None):
        """The level of each element; 0 for loops."""
        levels, out = [], [0] * self.n
        for e in order or self.order:
            for k, level in enumerate([*levels, frozenset()]):
                if level | {e} in self.good:
                    levels[k : k + 1] = [level | {e}]
                    out[e] = k + 1
                    break
        return out

    def greedy(self, order):
        """The set that greedy acceptance gives."""
        taken = frozenset()
        for e in order:
            if taken | {e} in self.good:
                taken |= {e}
        return taken

    def random_greedy(self):
        """Acceptance probabilities of greedy over all orders."""
        times = [0] * self.n
        orders = list(itertools.permutations(range(self.n)))
        for order in orders:
            for e in self.greedy(order):
                times[e] += 1
        return [Fraction(t, len(orders)) for t in times]

    def best_weight(self, weights):
        """The weight of a heaviest independent set."""
        return max(sum((Fraction(weights[e]) for e in s), Fraction(0)) for s in self.good)


# -- random small instances --------------------------------------------------------------------


def uniforms(n):
    return st.integers(0, n + 1).map(lambda k: {"type": "uniform", "rank": k})


@st.composite
def partitions(draw, n):
    caps = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    blocks = draw(st.lists(st.integers(0, len(caps) - 1), min_size=n, max_size=n))
    return {"type": "partition", "blocks": blocks, "capacities": caps}


@st.composite
def laminars(draw, n):
    """Split sets at random from the top."""
    sets, open_ = [], [draw(st.permutations(range(n)))] if n else []
    while open_ and len(sets) < 5:
        mine = open_.pop(0)
        capacity = draw(st.integers(0, 2) if len(mine) < 3 else st.integers(1, 3))
        if draw(st.booleans()):
            sets.append({"elements": sorted(mine), "capacity": capacity})
        if len(mine) > 1:
            cut = draw(st.integers(1, len(mine) - 1))
            open_ += [mine[:cut], mine[cut:]]
    return {"type": "laminar", "sets": draw(st.permutations(sets))}


@st.composite
def graphs(draw, n, kind):
    vertex = st.integers(0, max(1, n // 2))
    edges = draw(st.lists(st.tuples(vertex, vertex).map(list), min_size=n, max_size=n))
    if draw(st.booleans()):
        edges = [[f"v{u}", f"v{v}"] for u, v in edges]
    return {"type": kind, "edges": edges}


@st.composite
def transversals(draw, n):
    row = st.lists(st.integers(0, 4), max_size=3, unique=True)
    return {"type": "transversal", "neighbors": draw(st.lists(row, min_size=n, max_size=n))}


@st.composite
def linears(draw, n):
    field = draw(st.sampled_from([2, 3, "Q"]))
    entry = st.integers(-2, 3)
    if field == "Q":
        entry |= st.sampled_from(["1/2", "-2/3"])
    rows = draw(st.integers(0, 3))
    column = st.lists(entry, min_size=rows, max_size=rows)
    columns = draw(st.lists(column, min_size=n, max_size=n))
    return {"type": "linear", "field": field, "columns": columns}


def listed(n, inner, kind):
    """The bases or the circuits of another matroid."""
    plain = Plain({"n_elements": n, "matroid": inner})
    if kind == "bases":
        full = plain.rank[frozenset(range(n))]
        return {"type": kind, "bases": [sorted(s) for s in plain.good if len(s) == full]}
    bad = [s for s in plain.rank if s not in plain.good]
    minimal = [s for s in bad if all(s - {e} in plain.good for e in s)]
    return {"type": kind, "circuits": [sorted(s) for s in minimal]}


def matroids(n):
    """Data of every kind of matroid on ``n`` elements."""
    plain = [
        uniforms(n), partitions(n), laminars(n), graphs(n, "graphic"), graphs(n, "cographic"),
        transversals(n), linears(n),
    ]  # fmt: skip
    lists = [
        st.one_of(graphs(n, "graphic"), linears(n), laminars(n)).map(
            lambda inner, kind=kind: listed(n, inner, kind)
        )
        for kind in ("bases", "circuits")
    ]
    return st.one_of(*plain, *lists)


@st.composite
def matchoids(draw, n):
    parts = []
    for _ in range(draw(st.integers(0, 3))):
        elements = draw(st.lists(st.integers(0, max(n - 1, 0)), max_size=n, unique=True))
        elements = elements if n else []
        parts.append({"elements": elements, "matroid": draw(matroids(len(elements)))})
    return {"type": "matchoid", "parts": parts}


@st.composite
def contents(draw, least=0, most=6, matchoid=True):
    """The content of a small instance file of any kind."""
    n = draw(st.integers(least, most))
    kinds = matroids(n) | matchoids(n) if matchoid else matroids(n)
    out = {"problem": "online-selection", "n_elements": n, "matroid": draw(kinds)}
    if draw(st.booleans()):
        order = draw(st.permutations(range(n)))
        out["arrival"] = {"model": draw(st.sampled_from(["fixed", "random"])), "order": order}
    if draw(st.booleans()):
        weight = st.integers(0, 4) | st.sampled_from(["1/2", "7/3"])
        out["weights"] = draw(st.lists(weight, min_size=n, max_size=n))
    if draw(st.booleans()):
        out["labels"] = [f"e{k}" for k in range(n)]
    return out
