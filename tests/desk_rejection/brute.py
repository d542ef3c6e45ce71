"""Desk rejection by the words of its definition: every kept set, plain fractions.

Works on the content of a JSON file and shares no code with the package, so that the court,
the proofs and the methods can be measured against it. Also random small instances.
"""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

LINEAR = ("max-accept", "average", "collateral")
UNIT_ONLY = ("collateral", "regret-worst")
OBJECTIVES = (
    "max-accept", "average", "worst-then-average", "worst-case", "leximin", "wiped",
    "collateral", "regret-worst",
)  # fmt: skip


def number(value):
    return Fraction(str(value))


class Plain:
    """An instance as dictionaries and lists."""

    def __init__(self, content):
        self.papers = [p for p in content["papers"] if p.get("status") != "withdrawn"]
        self.ids = [p["id"] for p in self.papers]
        self.quota = content.get("quota", {})
        self.rule = self.quota.get("rule", "unit").replace("_", "-")
        self.role_limits = content.get("role_limits", {})
        self.author_cost = content.get("author_cost", "share").replace("_", "-")
        self.own = {}
        for author in dict.fromkeys(a for p in self.papers for a in p["authors"]):
            self.own[author] = [j for j, p in enumerate(self.papers) if author in p["authors"]]
        common = content.get("limit")
        self.limit = dict.fromkeys(self.own, common)
        for row in content.get("authors", []):
            if "limit" in row and row["id"] in self.own:
                self.limit[row["id"]] = row["limit"]
        self.limit = {a: None if b is None else number(b) for a, b in self.limit.items()}
        self.unit = self.rule == "unit" and not self.role_limits

    def role(self, author, j):
        return (
            self.papers[j].get("roles", {}).get(author, self.quota.get("default_role", "coauthor"))
        )

    def cost(self, author, j):
        size = len(self.papers[j]["authors"])
        if self.rule == "unit":
            return Fraction(1)
        if self.rule == "per-capita":
            return Fraction(1, size)
        if self.rule == "harmonic":
            return 1 / sum(Fraction(1, k) for k in range(1, size + 1))
        return number(self.quota["role_cost"][self.role(author, j)])

    def room(self, kept):
        """Whether every limit holds."""
        for author, own in self.own.items():
            mine = [j for j in own if kept[j]]
            limit = self.limit[author]
            if limit is not None and sum(self.cost(author, j) for j in mine) > limit:
                return False
            for role, most in self.role_limits.items():
                if sum(self.role(author, j) == role for j in mine) > most:
                    return False
        return True

    def feasible(self, kept):
        forced = all(
            (kept[j] or not p.get("must_keep")) and not (kept[j] and p.get("must_reject"))
            for j, p in enumerate(self.papers)
        )
        return forced and self.room(kept)

    def answers(self):
        sets = itertools.product((False, True), repeat=len(self.papers))
        return [kept for kept in sets if self.feasible(kept)]

    def over_limit(self, author):
        own, limit = self.own[author], self.limit[author]
        if limit is not None and sum(self.cost(author, j) for j in own) > limit:
            return True
        return any(
            sum(self.role(author, j) == role for j in own) > most
            for role, most in self.role_limits.items()
        )

    def excess(self, author):
        limit, papers = self.limit[author], len(self.own[author])
        return 0 if limit is None else int(max(0, papers - limit))

    def author_costs(self, lost):
        d = {a: len(own) for a, own in self.own.items()}
        if self.author_cost == "count":
            return {a: Fraction(lost[a]) for a in d}
        if self.author_cost == "share":
            return {a: Fraction(lost[a], d[a]) for a in d}
        return {a: Fraction(max(0, lost[a] - self.excess(a)), d[a]) for a in d}

    def figures(self, kept):
        lost = {a: sum(not kept[j] for j in own) for a, own in self.own.items()}
        costs = self.author_costs(lost)
        weight = sum(
            (number(p.get("weight", 1)) for j, p in enumerate(self.papers) if kept[j]),
            Fraction(0),
        )
        if all(number(p.get("weight", 1)).denominator == 1 for p in self.papers):
            weight = int(weight)
        innocent = [a for a in self.own if not self.over_limit(a)]
        wiped = [a for a, own in self.own.items() if lost[a] == len(own)]
        descending = sorted(costs.values(), reverse=True)
        out = {
            "kept": sum(kept),
            "kept_weight": weight,
            "average": sum(descending, Fraction(0)) / max(len(costs), 1),
            "worst": max(descending, default=Fraction(0)),
            "wiped": len(wiped),
            "innocents_hit": sum(lost[a] > 0 for a in innocent),
            "innocents_wiped": sum(a in wiped for a in innocent),
            "collateral": None,
            "ideal": None,
            "maximal": self.maximal(kept),
            "leximin": tuple(descending[:10]),
        }
        regret = None
        if self.unit:
            beyond = {a: lost[a] - self.excess(a) for a in self.own}
            out["collateral"] = sum(beyond.values())
            out["ideal"] = not any(beyond.values())
            regret = Fraction(0)
            for a, own in self.own.items():
                b = self.limit[a]
                within = len(own) if b is None else min(len(own), b)
                regret = max(regret, Fraction(beyond[a]) / max(1, within))
        groups = tuple((c, len(list(g))) for c, g in itertools.groupby(descending) if c > 0)
        values = {
            "max-accept": weight,
            "average": out["average"],
            "worst-case": out["worst"],
            "worst-then-average": (out["worst"], out["average"]),
            "leximin": groups,
            "wiped": len(wiped),
            "collateral": out["collateral"],
            "regret-worst": regret,
        }
        return out, values

    def maximal(self, kept):
        for j, paper in enumerate(self.papers):
            if not kept[j] and not paper.get("must_reject"):
                more = list(kept)
                more[j] = True
                if all(self.ok(a, more) for a in paper["authors"]):
                    return False
        return True

    def ok(self, author, kept):
        mine = [j for j in self.own[author] if kept[j]]
        limit = self.limit[author]
        if limit is not None and sum(self.cost(author, j) for j in mine) > limit:
            return False
        return all(
            sum(self.role(author, j) == role for j in mine) <= most
            for role, most in self.role_limits.items()
        )


def best(content, objective):
    """Return the optimal value, None if there is no answer."""
    values = [plain_values(content, kept)[objective] for kept in Plain(content).answers()]
    if not values:
        return None
    return max(values) if objective == "max-accept" else min(values)


def plain_values(content, kept):
    """Return the value of every objective for a kept set."""
    return Plain(content).figures(kept)[1]


def objectives_of(content):
    """Return the objectives that are defined for an instance."""
    unit = Plain(content).unit
    return [name for name in OBJECTIVES if unit or name not in UNIT_ONLY]


# -- random small instances ----------------------------------------------------------------

LIMITS = st.one_of(st.none(), st.integers(0, 3))
PARTS = st.sampled_from(["1/2", "0.75", 1, "4/3", 2, 0, 3, "1/3"])


@st.composite
def contents(draw, papers=7, authors=5, rules=("unit", "per-capita", "harmonic", "role")):
    """Return the content of a small instance file with every feature now and then."""
    names = [f"a{i}" for i in range(draw(st.integers(1, authors)))]
    rule = draw(st.sampled_from(("unit", *rules)))
    limits = LIMITS if rule == "unit" else st.one_of(LIMITS, PARTS)
    roles = draw(st.booleans()) or rule == "role"
    weighted, forced = draw(st.booleans()), draw(st.booleans())
    rows = []
    for j in range(draw(st.integers(0, papers))):
        who = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
        row = {"id": f"p{j}", "authors": who}
        if weighted:
            row["weight"] = draw(st.sampled_from([0, 1, 2, 5, "1/2", "0.1"]))
        state = draw(st.sampled_from(["", "", "", "", "must_keep", "must_reject", "gone"]))
        if state == "gone":
            row["status"] = draw(st.sampled_from(["withdrawn", "active"]))
        elif state and forced:
            row[state] = True
        if roles:
            row["roles"] = {a: draw(st.sampled_from(["lead", "senior"])) for a in who[:2]}
        rows.append(row)
    content = {"problem": "desk-rejection", "papers": rows, "limit": draw(limits)}
    if draw(st.booleans()):
        some = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
        content["authors"] = [{"id": name, "limit": draw(limits)} for name in some]
    if rule != "unit":
        content["quota"] = {"rule": rule}
    if rule == "role":
        costs = {"lead": draw(st.sampled_from([1, "1.5", 2])), "senior": "1/2", "coauthor": "0.25"}
        content["quota"]["role_cost"] = costs
    if roles and draw(st.booleans()):
        content["role_limits"] = {"lead": draw(st.integers(0, 2))}
    content["author_cost"] = draw(st.sampled_from(["share", "share", "count"]))
    if rule == "unit" and "role_limits" not in content and draw(st.booleans()):
        content["author_cost"] = "excess-share"
    return content


# -- reviewer nomination -------------------------------------------------------------------


def best_nomination(content):
    """Return the optimal value of a nomination instance, None if there is no answer."""
    chance = {a["id"]: number(a["p_irresponsible"]) for a in content["authors"]}
    limit = dict.fromkeys(chance, content.get("nomination_limit"))
    for row in content["authors"]:
        if "nomination_limit" in row:
            limit[row["id"]] = row["nomination_limit"]
    penalty = content.get("soft_penalty")
    values = []
    for chosen in itertools.product(*(p["authors"] for p in content["papers"])):
        over = sum(max(0, chosen.count(a) - b) for a, b in limit.items() if b is not None)
        if over and penalty is None:
            continue
        extra = number(penalty) * over if over else 0
        values.append(sum((chance[a] for a in chosen), Fraction(0)) + extra)
    return min(values, default=None)


@st.composite
def nominations(draw):
    """Return the content of a small nomination instance."""
    names = [f"a{i}" for i in range(draw(st.integers(1, 4)))]
    chances = st.sampled_from([0, "0.1", "0.25", "1/3", "0.5", 1])
    rows = [{"id": name, "p_irresponsible": draw(chances)} for name in names]
    if draw(st.booleans()):
        rows[0]["nomination_limit"] = draw(st.one_of(st.none(), st.integers(0, 3)))
    lists = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)
    papers = [{"id": f"p{j}", "authors": draw(lists)} for j in range(draw(st.integers(0, 6)))]
    return {
        "problem": "reviewer-nomination",
        "authors": rows,
        "papers": papers,
        "nomination_limit": draw(st.one_of(st.none(), st.integers(0, 3))),
        "soft_penalty": draw(st.sampled_from([None, None, 0, "0.15", "1/2", 2])),
    }
