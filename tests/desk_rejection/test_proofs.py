"""No proof is ever on the wrong side of the optimum, and bad data prove nothing."""

import os
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desk_rejection import brute
from fairopt.errors import InstanceError
from fairopt.problems.desk_rejection import DeskRejection, ReviewerNomination

EXAMPLES = int(os.environ.get("FAIROPT_EXAMPLES", "25"))
common = settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
PRICES = st.sampled_from(["0", "1/7", "1/3", "0.5", "1", "2"])


def holds(bound, best, objective):
    """Whether a bound is on the right side of the optimum (prefixes of tuples allowed)."""
    if objective == "max-accept":
        return bound >= best
    if isinstance(best, tuple):
        return bound <= best[: len(bound)] or bound <= best
    return bound <= best


def letters(words, **more):
    papers = [{"id": f"p{k}", "authors": list(who)} for k, who in enumerate(words.split(), 1)]
    return {"problem": "desk-rejection", "papers": papers, **more}


def problem_of(content, objective="max-accept"):
    return DeskRejection.from_json({**content, "objective": objective})


@common
@given(brute.contents(papers=6), st.data())
def test_multipliers_never_prove_too_much(content, data):
    plain = brute.Plain(content)
    limited = [a for a, b in plain.limit.items() if b is not None]
    y = {a: data.draw(PRICES) for a in limited}
    role_y = {r: {a: data.draw(PRICES) for a in plain.own} for r in plain.role_limits}
    for objective in brute.LINEAR:
        best = brute.best(content, objective) if objective in brute.objectives_of(content) else None
        if best is None:
            continue
        problem = problem_of(content, objective)
        bound = problem.recompute({"rule": "packing-multipliers", "y": y, "role_y": role_y})
        assert holds(bound, best, objective), objective
        assert problem.objective.coerce(bound) == bound


@common
@given(brute.contents(papers=6))
def test_cheap_bounds_never_prove_too_much(content):
    for objective in brute.objectives_of(content):
        best = brute.best(content, objective)
        if best is None:
            continue
        bound = problem_of(content, objective).recompute({"rule": "excess"})
        assert holds(bound, best, objective), objective


@common
@given(brute.contents(papers=6))
def test_nothing_binds_is_the_optimum_or_refused(content):
    for objective in brute.objectives_of(content):
        try:
            value = problem_of(content, objective).recompute({"rule": "nothing-binds"})
        except InstanceError:
            continue
        assert value == brute.best(content, objective), objective


@common
@given(brute.contents(papers=6), st.data())
def test_forced_wipe_outs_never_prove_too_much(content, data):
    plain = brute.Plain(content)
    proven = 0
    for author, own in plain.own.items():
        carriers = [
            j for j in own if any(len(plain.own[a]) == 1 for a in plain.papers[j]["authors"])
        ]
        wanted = {"rule": "forced-wipe-out", "author": author}
        roles = [None, *plain.role_limits]
        for role in roles:
            papers = [j for j in carriers if role is None or plain.role(author, j) == role]
            named = {**wanted, "papers": [plain.ids[j] for j in papers]}
            if role is not None:
                named["role"] = role
            for objective in ("worst-case", "worst-then-average", "leximin", "wiped"):
                try:
                    bound = problem_of(content, objective).recompute(named)
                except InstanceError:
                    continue
                proven += 1
                best = brute.best(content, objective)
                assert best is None or holds(bound, best, objective), objective


@common
@given(brute.contents(papers=6))
def test_overfull_must_keeps_prove_infeasibility_and_only_then(content):
    plain, problem = brute.Plain(content), problem_of(content)
    shown = False
    for author, own in plain.own.items():
        for role in (None, *plain.role_limits):
            kept = [j for j in own if plain.papers[j].get("must_keep")]
            kept = [j for j in kept if role is None or plain.role(author, j) == role]
            data = {"rule": "must-keep-overfull", "author": author}
            data["papers"] = [plain.ids[j] for j in kept]
            if role is not None:
                data["role"] = role
            try:
                shown |= problem.recompute(data, "infeasible")
            except InstanceError:
                continue
    assert shown == (not plain.answers())


def test_multipliers_of_the_worked_examples():
    half = {"rule": "packing-multipliers", "y": dict.fromkeys("abc", "1/2")}
    triangle = letters("ab bc ac", limit=1)
    assert problem_of(triangle).recompute(half) == 1  # 3/2 rounded down
    average = {"rule": "packing-multipliers", "y": dict.fromkeys("abc", "1/6")}
    assert problem_of(triangle, "average").recompute(average) == Fraction(1, 2)
    ones = {"rule": "packing-multipliers", "y": dict.fromkeys("abc", 1)}
    assert problem_of(triangle, "collateral").recompute(ones) == 0
    fano = letters("abc ade afg bdf beg cdg cef", limit=1)
    third = {"rule": "packing-multipliers", "y": dict.fromkeys("abcdefg", "1/3")}
    assert problem_of(fano).recompute(third) == 2  # 7/3 rounded down


def test_cheap_bounds_of_a_star():
    star = letters("xa xb xc", limit=2)
    wipe = {"rule": "forced-wipe-out", "author": "x", "papers": ["p1", "p2", "p3"]}
    assert problem_of(star, "worst-case").recompute(wipe) == 1
    assert problem_of(star, "worst-case").recompute({"rule": "excess"}) == Fraction(1, 3)
    assert problem_of(star, "wiped").recompute(wipe) == 1
    assert problem_of(star, "worst-then-average").recompute(wipe) == (1,)
    assert problem_of(star, "leximin").recompute(wipe) == ((1, 1),)
    assert problem_of(star).recompute({"rule": "excess"}) == 2


STAR = letters("xa xb xc a", limit=2)
WIPE = {"rule": "forced-wipe-out", "author": "x", "papers": ["p1", "p2", "p3"]}
KEPT = {"rule": "must-keep-overfull", "author": "x", "papers": ["p1", "p2", "p3"]}
PACK = {"rule": "packing-multipliers"}


@pytest.mark.parametrize(
    ("objective", "data", "message"),
    [
        ("max-accept", {"rule": "magic"}, "no rule 'magic'"),
        ("max-accept", {}, "no rule None"),
        ("wiped", {**PACK, "y": {}}, "prove nothing about wiped"),
        ("average", {**PACK, "y": {"x": -1}}, "must not be negative"),
        ("average", {**PACK, "y": {"q": 1}}, "no author 'q'"),
        ("average", {**PACK, "y": [1]}, "expected an object"),
        ("average", {**PACK, "y": {"x": "nan"}}, "expected a number"),
        ("average", {**PACK, "role_y": {"lead": {"x": 1}}}, "role 'lead' has no limit"),
        ("max-accept", {"rule": "nothing-binds"}, "not all papers can be kept"),
        ("worst-case", WIPE, "every author of 'p1' has other papers"),
        ("worst-case", {**WIPE, "papers": ["p2", "p3"]}, "can keep them all"),
        ("worst-case", {**WIPE, "papers": ["p2", "p2", "p3"]}, "distinct"),
        ("worst-case", {**WIPE, "papers": ["p4"]}, "no paper of the author"),
        ("worst-case", {**WIPE, "papers": [["p4"]]}, "expected a list of distinct papers"),
        ("worst-case", {**WIPE, "author": ["x"]}, "no author"),
        ("worst-case", {**WIPE, "role": "lead"}, "role 'lead' has no limit"),
        ("max-accept", KEPT, "not all of them are must_keep"),
    ],
)
def test_bad_data_prove_nothing(objective, data, message):
    kind = "infeasible" if data is KEPT else "bound"
    with pytest.raises(InstanceError, match=message):
        problem_of(STAR, objective).recompute(data, kind)


def test_a_rule_proves_only_its_own_kind():
    problem = problem_of(STAR, "average")
    other = {"rule": "collateral-multipliers", "y": {}}
    with pytest.raises(InstanceError, match=r"proves such a thing \(bound\)"):
        problem.recompute(other)
    assert problem.recompute(other, "min_collateral_at_least") <= 0


def test_multiplier_of_an_author_without_limit_proves_nothing():
    problem = problem_of(letters("xa xb", authors=[{"id": "x", "limit": 1}]))
    with pytest.raises(InstanceError, match="'a' has no limit"):
        problem.recompute({**PACK, "y": {"a": 1}})
    assert problem.recompute({**PACK, "y": {"x": 1}}) == 1


# -- reviewer nomination -------------------------------------------------------------------


@common
@given(brute.nominations(), st.data())
def test_prices_never_prove_too_much(content, data):
    problem, best = ReviewerNomination.from_json(content), brute.best_nomination(content)
    most = problem.soft_penalty
    prices = st.sampled_from(["0", "0.1", "1/3", "1"])
    u = {a: data.draw(prices) for a in problem.author_ids}
    u = {a: v for a, v in u.items() if most is None or Fraction(v) <= most}
    bound = problem.recompute({"rule": "nomination-prices", "u": u})
    cheapest = problem.recompute({"rule": "cheapest-nominees"})
    assert best is None or (bound <= best and cheapest <= best)
    if most is not None and problem.author_ids:
        with pytest.raises(InstanceError, match="soft penalty"):
            problem.recompute(
                {"rule": "nomination-prices", "u": {problem.author_ids[0]: str(most + 1)}}
            )


@common
@given(brute.nominations())
def test_hall_violators_exist_exactly_where_nothing_is_feasible(content):
    problem = ReviewerNomination.from_json(content)
    papers, shown = list(problem.paper_ids), False
    for size in range(1, len(papers) + 1):
        for some in brute.itertools.combinations(papers, size):
            try:
                shown |= problem.recompute(
                    {"rule": "hall-violator", "papers": list(some)}, "infeasible"
                )
            except InstanceError:
                continue
    assert shown == (brute.best_nomination(content) is None)
