"""Proofs: what they show is true, and corrupted ones show nothing."""

import copy
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairopt import judge
from fairopt.errors import InstanceError
from fairopt.problems.jr_ranking import Feed, JrRanking, justifying, proofs
from fairopt.problems.jr_ranking.axioms import IMPLIED
from fairopt.problems.jr_ranking.proofs_cuts import cut_of
from fairopt.solution import Bound, Claim, Infeasible
from jr_ranking import brute
from jr_ranking.examples import E1, E2, E3, E4, E5, E6

AXIOMS = ("jr", "pjr+", "ejr+", "pjr", "ejr")


def problem(content, **more):
    return JrRanking.from_json({"problem": "jr-ranking", **content, **more})


def refused(asked, proof):
    return judge.refutation(asked, proof)


def test_enumeration_and_top_k_of_the_examples():
    for axiom, best in (("none", 175), ("jr", 167), ("pjr+", 150), ("ejr+", 146)):
        asked = problem(E3, axiom=axiom)
        assert asked.recompute({"rule": "enumeration"}) == best
        assert asked.recompute({"rule": "top-k"}) == 175
    for prefixes, best in (([], 245), ([4], 233), ([2, 4], 200)):
        asked = problem(E6, prefixes=prefixes)
        assert asked.recompute({"rule": "enumeration"}) == best
        assert asked.recompute({"rule": "top-k"}) == 245


@given(brute.contents(), st.sampled_from(AXIOMS))
def test_enumeration_is_the_optimum_or_infeasible(content, axiom):
    plain = brute.Plain(content)
    asked = JrRanking.from_json({**content, "axiom": axiom})
    best = plain.best(axiom)
    assert asked.recompute({"rule": "enumeration"}, "infeasible") is (best is None)
    if best is None:
        assert refused(asked, Infeasible("", "combinatorial", {"rule": "enumeration"})) is None
        with pytest.raises(InstanceError):
            asked.recompute({"rule": "enumeration"})
        return
    assert asked.recompute({"rule": "enumeration"}) == best
    assert asked.recompute({"rule": "top-k"}) >= best
    assert asked.recompute({"rule": "forbidden"}, "infeasible") is False
    stronger = Bound(best - Fraction(1, 100), "combinatorial", {"rule": "enumeration"})
    assert refused(asked, stronger) is not None


@given(brute.rankings())
def test_enumeration_of_rankings(content):
    asked, best = JrRanking.from_json(content), brute.Plain(content).best_ranking()
    if best is None:
        assert asked.recompute({"rule": "enumeration"}, "infeasible") is True
    else:
        shown = asked.recompute({"rule": "enumeration"})
        assert shown == (float(best) if asked.objective.kind == "float" else best)


def test_comments_forbidden_leave_a_group_without():
    asked = problem(E5, forbidden=[0])
    assert refused(asked, Infeasible("", "theorem", {"rule": "forbidden"})) is None
    lawful = problem(E5)
    assert refused(lawful, Infeasible("", "theorem", {"rule": "forbidden"})) is not None


def test_enumeration_has_a_limit():
    asked = problem({"comments": 40, "k": 20, "approvals": [[0]]})
    with pytest.raises(InstanceError, match="too many"):
        asked.recompute({"rule": "enumeration"})


# -- cuts ----------------------------------------------------------------------------------


@st.composite
def cuts(draw):
    """Return an instance, an axiom, and data of a cut that may or may not be about a group."""
    content = draw(brute.contents(users=6, comments=6, places=3))
    m, users = content["comments"], len(content["approvals"])
    axiom = draw(st.sampled_from(AXIOMS))
    raw = {"axiom": draw(st.sampled_from(IMPLIED[axiom]))}
    some = st.lists(st.integers(0, m - 1), max_size=min(2, m), unique=True)
    few = min(3, users)
    rows = st.lists(st.integers(0, users - 1), min_size=1, max_size=few, unique=True)
    if raw["axiom"] in ("ejr", "pjr"):
        first = draw(st.integers(0, m - 1))
        raw["common"] = sorted({first, *draw(some)})
    else:
        raw["comment"] = draw(st.integers(0, m - 1))
        if raw["axiom"] != "jr":
            raw["level"] = draw(st.integers(1, content["k"]))
    if raw["axiom"] in ("pjr", "pjr+"):
        raw["ballots"] = draw(rows)
    else:
        if draw(st.booleans()):
            raw["selected"] = draw(some)
        if draw(st.booleans()):
            raw["ballots"] = draw(rows)
    return {**content, "axiom": axiom}, raw


@given(cuts())
def test_a_cut_holds_for_every_lawful_feed(case):
    content, raw = case
    asked, plain = JrRanking.from_json(content), brute.Plain(content)
    try:
        cut = cut_of(asked, raw, "cut")
    except InstanceError:
        return
    for shown in plain.sets():
        if plain.keeps(content["axiom"], shown):
            assert sum(v for c, v in cut.terms if c in shown) >= cut.need


@given(cuts(), st.lists(st.sampled_from(["0", "1/3", "1", "5/2", "7"]), min_size=1, max_size=2))
def test_multipliers_never_undercut_the_optimum(case, multipliers):
    content, raw = case
    asked, plain = JrRanking.from_json(content), brute.Plain(content)
    data = {"rule": "coverage-lp", "cuts": [raw] * len(multipliers), "multipliers": multipliers}
    try:
        bound = asked.recompute(data)
    except InstanceError:
        return
    best = plain.best(content["axiom"])
    assert best is None or bound >= best


def tight():
    """Return the tight instance of root 2 and multipliers that prove its optimum, 6."""
    cut = {"axiom": "jr", "comment": 4}
    data = {"rule": "coverage-lp", "cuts": [cut, {**cut, "comment": 5}], "multipliers": ["1", "1"]}
    return problem(E4), data


def test_multipliers_prove_an_optimum():
    asked, data = tight()
    assert asked.recompute(data) == 6
    assert refused(asked, Bound(Fraction(6), "multipliers", data)) is None
    assert refused(asked, Bound(Fraction(13, 2), "multipliers", data)) is None
    assert refused(asked, Bound(Fraction(5), "multipliers", data)) is not None
    assert not asked.check(Feed((0, 1, 4, 5))).violations


def test_a_bound_is_rounded_down_to_what_scores_can_sum_up_to():
    asked, data = tight()
    data["multipliers"] = ["9/10", "1"]
    assert asked.recompute(data) == 6
    third = problem(E4, scores=["2/3", "2/3", "2/3", "2/3", "1/3", "1/3"])
    data["multipliers"] = ["1/3", "2/7"]
    assert third.recompute(data) == 2


CORRUPT = {
    "no cuts": {"cuts": None},
    "one multiplier missing": {"multipliers": ["1"]},
    "negative multiplier": {"multipliers": ["1", "-1"]},
    "no number": {"multipliers": ["1", "x"]},
    "no object": {"cuts": [7, 7]},
    "unknown key": {"cuts": [{"comment": 4, "need": 3}] * 2},
    "unknown comment": {"cuts": [{"comment": 9}] * 2},
    "no comment": {"cuts": [{}] * 2},
    "stronger axiom": {"cuts": [{"axiom": "ejr+", "comment": 4, "level": 1}] * 2},
    "too high a level": {"cuts": [{"comment": 4, "level": 2}] * 2},
    "a ballot that does not approve": {"cuts": [{"comment": 4, "ballots": [0]}] * 2},
    "a row that there is not": {"cuts": [{"comment": 4, "ballots": [4]}] * 2},
    "nobody": {"cuts": [{"comment": 4, "ballots": []}] * 2},
    "a group that has one": {"cuts": [{"comment": 4, "selected": [4]}] * 2},
    "selected twice": {"cuts": [{"comment": 4, "selected": [1, 1]}] * 2},
    "selected no list": {"cuts": [{"comment": 4, "selected": 1}] * 2},
}


@pytest.mark.parametrize("case", CORRUPT)
def test_corrupted_multipliers_prove_nothing(case):
    asked, data = tight()
    assert refused(asked, Bound(Fraction(6), "multipliers", {**data, **CORRUPT[case]})) is not None


def test_cuts_of_other_axioms_are_checked():
    weak = {"axiom": "pjr", "common": [0, 1], "ballots": [0, 3]}
    cut = cut_of(problem(E2, axiom="pjr"), weak, "")
    assert (cut.terms, cut.need) == (((0, 1), (1, 1), (2, 1), (3, 1)), 2)
    for wrong in (
        {**weak, "common": [0, 5]},
        {**weak, "level": 1},
        {**weak, "selected": []},
        {"axiom": "pjr", "common": [0, 1]},
    ):
        with pytest.raises(InstanceError):
            cut_of(problem(E2, axiom="pjr"), wrong, "")
    strong = {"axiom": "ejr+", "comment": 0, "level": 2, "selected": [2]}
    cut = cut_of(problem(E2, axiom="ejr+"), strong, "")
    assert (cut.terms, cut.need) == (((0, 1), (1, 1), (3, 1)), 1)
    with pytest.raises(InstanceError, match="the comment is selected"):
        cut_of(problem(E2, axiom="ejr+"), {**strong, "selected": [0]}, "")
    with pytest.raises(InstanceError, match="does not follow"):
        cut_of(problem(E2, axiom="pjr+"), strong, "")


def test_multipliers_are_for_sets():
    ranked = problem(E6)
    data = {"rule": "coverage-lp", "cuts": [], "multipliers": []}
    with pytest.raises(InstanceError, match="mode set"):
        ranked.recompute(data)


# -- smallest justifying sets ---------------------------------------------------------------


@given(brute.contents(fixed=False), st.data())
def test_smallest_justifying_set(content, data):
    asked, plain = JrRanking.from_json(content), brute.Plain(content)
    gamma = plain.gamma()
    every = st.lists(st.integers(0, plain.m - 1), max_size=plain.m, unique=True)
    members = data.draw(every)
    proof = {"rule": "enumeration", "set": members}
    claim = Claim("min_justifying_size", len(members), "combinatorial", proof)
    right = plain.jr(members) and len(members) == gamma
    assert (refused(asked, claim) is None) is right
    shown = tuple(range(plain.k))
    seen = asked.check(Feed(shown), [claim] if right else []).figures["min_justifying_size"]
    assert seen == (gamma if right else None)
    assert justifying.refuted_below(asked, gamma)
    if gamma < plain.m:
        assert not justifying.refuted_below(asked, gamma + 1)


def test_claims_that_do_not_fit_their_set_are_not_used():
    asked = problem(E1)
    data = {"backend": "highs 1.16.0", "set": [0]}
    good = Claim("min_justifying_size", 1, "solver", data)
    seen = lambda claim: asked.check(Feed((0, 2)), [claim]).figures["min_justifying_size"]  # noqa: E731
    assert seen(good) == 1
    for value, members in ((2, [0]), (1, [3]), (2, [0, 0]), (1, [7]), (1, "0"), (True, [0])):
        bad = Claim("min_justifying_size", value, "solver", {**data, "set": members})
        assert seen(bad) is None


@pytest.mark.parametrize("members", [[0, 0], [9], [1.0], "01", None, [3]])
def test_corrupted_justifying_set(members):
    asked = problem(E1)
    proof = {"rule": "enumeration", "set": members}
    assert refused(asked, Claim("min_justifying_size", 1, "combinatorial", proof)) is not None


def test_too_much_to_enumerate(monkeypatch):
    monkeypatch.setattr(justifying, "_CELLS", 10)
    data = {"rule": "enumeration", "set": [0, 4, 5]}
    with pytest.raises(InstanceError, match="too many sets"):
        problem(E4).recompute(data, "min_justifying_size")


def test_undecided_axioms_are_no_proof(monkeypatch):
    from fairopt.problems.jr_ranking import cohesive

    monkeypatch.setattr(cohesive, "STEPS", 0)
    halves = {"comments": 3, "k": 2, "approvals": [[0, 1], [0, 1], [0, 2], [0, 2]]}
    asked = problem(halves, axiom="ejr", scores=[0, 1, 1])  # {1, 2} keeps EJR, not EJR+
    with pytest.raises(InstanceError, match="undecided"):
        asked.recompute({"rule": "enumeration"})
    monkeypatch.undo()
    assert asked.recompute({"rule": "enumeration"}) == 2


def test_rules_by_kind():
    asked = problem(E1)
    for kind in ("bound", "infeasible", "min_justifying_size"):
        assert kind in proofs.RULES
        with pytest.raises(InstanceError, match="no rule"):
            asked.recompute({"rule": "belief"}, kind)
    data = copy.deepcopy({"rule": "top-k"})
    with pytest.raises(InstanceError, match="no rule"):
        asked.recompute(data, "infeasible")
