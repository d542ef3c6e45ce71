"""Degenerate and bad instances: each is accepted as documented, or refused naming the field."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from fairopt.errors import InstanceError, UsageError
from fairopt.files import parse_json
from fairopt.problems.desk_rejection import DeskRejection, ReviewerNomination
from fairopt.problems.desk_rejection.quota import PRESETS, Quota


def content(*papers, **more):
    rows = [{"id": f"p{k}", "authors": list(p)} if isinstance(p, str) else p
            for k, p in enumerate(papers)]  # fmt: skip
    return {"papers": rows, **more}


def paper(who="x", **more):
    return {"id": "p0", "authors": list(who), **more}


ROLE = {"rule": "role", "role_cost": {"lead": 1}}
BAD = {
    "no authors": (content(paper("")), "papers[0].authors: must not be empty"),
    "author twice": (
        content("x", {"id": "q", "authors": ["y", "y"]}),
        "papers[1].authors: author 'y' is given twice on paper 'q'",
    ),
    "paper id twice": (content(paper(), paper("y")), "papers[1].id: 'p0' is given twice"),
    "author id twice": (
        content("x", authors=[{"id": "x"}, {"id": "x"}]),
        "authors[1].id: 'x' is given twice",
    ),
    "empty paper id": (content({"id": "", "authors": ["x"]}), "papers[0].id: must not be empty"),
    "lone surrogate": (content({"id": "\ud800", "authors": ["x"]}), "papers[0].id"),
    "negative limit": (content("x", limit=-1), "limit: expected at least 0, got -1"),
    "fractional limit": (
        content("x", limit=Decimal("1.5")),
        "limit: expected a whole number under the unit quota, got 3/2",
    ),
    "NaN limit": (content("x", limit=float("nan")), "limit: expected a finite number"),
    "text limit": (content("x", limit="many"), "limit: expected a number"),
    "boolean limit": (content("x", limit=True), "limit"),
    "own negative limit": (
        content("x", authors=[{"id": "y"}, {"id": "x", "limit": -2}]),
        "authors[1].limit: expected at least 0, got -2",
    ),
    "own fractional limit": (
        content("x", authors=[{"id": "x", "limit": "1/2"}]),
        "authors[0].limit: expected a whole number",
    ),
    "negative weight": (
        content("x", {"id": "q", "authors": ["x"], "weight": -1}),
        "papers[1].weight: expected at least 0, got -1",
    ),
    "infinite weight": (
        content(paper(weight=float("inf"))),
        "papers[0].weight: expected a finite number, got inf",
    ),
    "huge weight": (content(paper(weight="1e999999")), "papers[0].weight: an exponent"),
    "both forced": (
        content(paper(must_keep=True, must_reject=True)),
        "papers[0]: 'p0' has both must_keep and must_reject",
    ),
    "unknown rule": (
        content("x", quota={"rule": "square"}),
        "quota.rule: unknown value 'square'; choose from unit, per-capita, harmonic, role",
    ),
    "unknown status": (
        content(paper(status="rejected")),
        "papers[0].status: unknown value 'rejected'; choose from active, withdrawn",
    ),
    "role without cost": (
        content(paper("xy", roles={"x": "lead", "y": "boss"}), quota=ROLE),
        "papers[0].roles.y: role 'boss' has no cost in quota.role_cost; roles with one: lead",
    ),
    "default role without cost": (
        content(paper("xy", roles={"x": "lead"}), quota=ROLE),
        "quota.default_role: role 'coauthor' has no cost",
    ),
    "role of a stranger": (
        content(paper(roles={"z": "lead"})),
        "papers[0].roles.z: is no author of the paper",
    ),
    "role cost 0": (
        content("x", quota={"rule": "role", "role_cost": {"lead": 0}}),
        "quota.role_cost.lead: expected more than 0, got 0",
    ),
    "negative role limit": (
        content("x", role_limits={"lead": -1}),
        "role_limits.lead: expected at least 0, got -1",
    ),
    "drop order of a stranger's paper": (
        content("x", "y", authors=[{"id": "x", "drop_order": ["p0", "p1"]}]),
        "authors[0].drop_order[1]: 'p1' is no paper of 'x'",
    ),
    "drop order twice": (
        content("x", authors=[{"id": "x", "drop_order": ["p0", "p0"]}]),
        "authors[0].drop_order: names a paper twice",
    ),
    "order not whole": (content(paper(order="first")), "papers[0].order: expected int"),
    "order too large": (content(paper(order=2**70)), "papers[0].order: expected an integer"),
    "unknown key": (content(paper(wieght=2)), "papers[0].wieght: unknown key"),
    "unknown top key": (content("x", limits=2), "limits: unknown key"),
    "no papers key": ({"limit": 2}, "papers: the key is missing"),
    "papers not a list": ({"papers": 3}, "papers: expected array, got int"),
    "authors not texts": (content({"id": "p", "authors": [7]}), "papers[0].authors[0]"),
    "unknown preset": (content("x", preset="icml-1999"), "preset: unknown value 'icml-1999'"),
    "preset and limit": (content("x", preset="cvpr-2025", limit=3), "preset: cvpr-2025 sets"),
    "unknown author cost": (content("x", author_cost="max"), "author_cost: unknown value 'max'"),
    "excess-share under another quota": (
        content("x", author_cost="excess-share", quota={"rule": "harmonic"}),
        "author_cost: excess-share is defined only for the unit quota without role_limits",
    ),
    "collateral with role limits": (
        content("x", objective="collateral", role_limits={"lead": 1}),
        "objective: collateral is defined only for the unit quota without role_limits",
    ),
    "regret under another quota": (
        content("x", objective="regret-worst", quota={"rule": "per_capita"}),
        "objective: regret-worst is defined only",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_instance_names_the_field(name):
    bad, message = BAD[name]
    with pytest.raises(InstanceError) as caught:
        DeskRejection.from_json(bad)
    assert str(caught.value).startswith(message)


def test_no_papers():
    problem = DeskRejection.from_json({"papers": [], "limit": 1})
    for objective in problem.objectives:
        named = problem.replace(objective=objective)
        check = named.check(named.answer([]))
        assert not check.violations
        assert check.value in (0, (0, 0), ())
        assert check.figures["ideal"]
        assert check.figures["maximal"]
        assert named.recompute({"rule": "nothing-binds"}) == check.value


def test_nobody_over_the_limit():
    problem = DeskRejection.from_json(content("xy", "x", limit=2))
    assert not problem.over_limit.any()
    assert len(problem.rows) == 0
    assert problem.recompute({"rule": "nothing-binds"}) == 2
    assert problem.check(problem.answer([True, True])).figures["ideal"]


def test_limit_zero():
    problem = DeskRejection.from_json(content("x", "y", authors=[{"id": "x", "limit": 0}]))
    check = problem.check(problem.answer([False, True]))
    assert not check.violations
    assert check.figures["worst"] == 1
    assert check.figures["ideal"]
    regret = problem.replace(objective="regret-worst")
    assert regret.check(regret.answer([False, True])).value == 0
    assert [n.code for n in problem.notes()] == ["forced-rejection"]


def test_authors_without_papers_are_ignored_and_named():
    listed = [{"id": "idle", "limit": 1, "drop_order": []}, {"id": "x"}]
    problem = DeskRejection.from_json(content("xy", authors=listed))
    assert problem.n_authors == 2
    assert problem.idle_authors == ("idle",)
    assert "idle" in problem.notes()[0].text
    assert problem.replace(limit=1).idle_authors == ("idle",)


def test_anonymous_papers_on_demand():
    problem = DeskRejection.from_json(content("x", "", limit=0, allow_anonymous=True))
    check = problem.check(problem.answer([False, True]))
    assert not check.violations
    assert check.figures["kept"] == 1
    with pytest.raises(InstanceError, match=r"papers\[1\].authors"):
        problem.replace(allow_anonymous=False)


@pytest.mark.parametrize("rule", ["per-capita", "harmonic"])
def test_anonymous_papers_under_quotas_by_size(rule):
    anonymous = content("", "xy", limit=0, allow_anonymous=True, quota={"rule": rule})
    problem = DeskRejection.from_json(anonymous)
    assert problem.never_keepable.tolist() == [False, True]


def test_dedupe_counts_once():
    problem = DeskRejection.from_json(content("xyx", "yy", dedupe=True))
    assert problem.degree.tolist() == [1, 2]
    assert problem.n_deduped == 2
    assert problem.notes()[0].code == "deduplicated"


def test_withdrawn_papers_are_dropped_before_everything():
    rows = content(paper("xy", status="withdrawn", order=5), {"id": "q", "authors": ["y"]}, limit=1)
    rows["authors"] = [{"id": "x", "limit": 0, "drop_order": ["p0"]}]
    problem = DeskRejection.from_json(rows)
    assert problem.paper_ids == ("q",)
    assert problem.author_ids == ("y",)
    assert problem.order.tolist() == [1]
    assert problem.author_limits == {}
    assert {n.code for n in problem.notes()} == {"withdrawn", "idle-authors"}
    again = DeskRejection.from_json(problem.to_json())
    assert again.digest() == problem.digest()
    assert problem.replace(limit=3).n_withdrawn == 1


def test_must_keeps_over_a_limit_are_infeasible_not_an_error():
    rows = [{"id": f"p{k}", "authors": ["x"], "must_keep": True} for k in range(2)]
    problem = DeskRejection.from_json({"papers": rows, "limit": 1})
    proof = {"rule": "must-keep-overfull", "author": "x", "papers": ["p0", "p1"]}
    assert problem.recompute(proof, "infeasible") is True


def test_missing_role_is_the_default_role():
    quota = {"rule": "role", "role_cost": {"lead": 2, "helper": "1/2"}, "default_role": "helper"}
    rows = content(paper("xy", roles={"x": "lead"}), quota=quota, limit=1)
    problem = DeskRejection.from_json(rows)
    assert problem.cost.to_list() == [2, Fraction(1, 2)]
    assert problem.never_keepable.tolist() == [True]
    assert "p0" in problem.notes()[0].text


def test_large_sizes():
    """82 authors on one paper, 202 papers of one author."""
    rows = [{"id": "big", "authors": [f"a{k}" for k in range(82)]}]
    rows += [{"id": f"p{k}", "authors": ["a0"]} for k in range(201)]
    for rule in ("unit", "per-capita", "harmonic"):
        problem = DeskRejection.from_json({"papers": rows, "limit": 10, "quota": {"rule": rule}})
        assert len(problem.rows) == 1
        kept = [True] + [False] * 201
        assert not problem.check(problem.answer(kept)).violations


def test_names_with_underscores_are_accepted():
    problem = DeskRejection.from_json(
        content("x", quota={"rule": "per_capita"}, author_cost="share", objective="worst_case")
    )
    assert problem.quota.rule == "per-capita"
    assert problem.objective.name == "worst-case"
    assert DeskRejection.from_json(content("x", preset="cvpr_2025")).limit == 25


# -- settings ------------------------------------------------------------------------------


def test_a_later_limit_replaces_a_preset_and_the_other_way_round():
    problem = DeskRejection.from_json(content("x", preset="kdd-2024"))
    assert problem.limit == PRESETS["kdd-2024"] == 7
    set_ = problem.replace(limit=3)
    assert (set_.limit, set_.preset) == (3, None)
    back = set_.replace(preset="ijcai-2020")
    assert (back.limit, back.preset) == (6, "ijcai-2020")
    assert dict(back.meta.origin.set) == {"preset": "ijcai-2020"}
    assert problem.replace(**back.meta.origin.set).digest() == back.digest()
    with pytest.raises(InstanceError, match="either preset or limit"):
        problem.replace(limit=3, preset="ijcai-2020")


def test_settings_are_validated_anew():
    problem = DeskRejection.from_json(content("xy", "x", limit=1))
    assert problem.replace(**{"quota.rule": "harmonic", "limit": "3/2"}).limit == Fraction(3, 2)
    with pytest.raises(InstanceError, match="limit: expected at least 0"):
        problem.replace(limit=-1)
    with pytest.raises(InstanceError, match="limit: expected a number"):
        problem.replace(limit="ten")
    with pytest.raises(InstanceError, match=r"quota.rule: unknown value 'x'"):
        problem.replace(**{"quota.rule": "x"})
    with pytest.raises(UsageError, match="no field 'seats'"):
        problem.replace(seats=1)
    with pytest.raises(UsageError, match="no objective 'best'"):
        problem.replace(objective="best")
    assert problem.replace(author_cost="excess_share").author_cost == "excess-share"


def test_what_was_set_can_be_set_again_from_a_file():
    rows = content(paper("xy", roles={"x": "lead"}), limit=1)
    costs = {"lead": "3/2", "coauthor": 1}
    changes = {"quota.rule": "role", "quota.role_cost": costs, "limit": "5/2", "role_limits": {}}
    problem = DeskRejection.from_json(rows).replace(**changes)
    assert problem.meta.origin.set == changes
    again = DeskRejection.from_json(rows).replace(**problem.meta.origin.set)
    assert again.digest() == problem.digest()
    assert problem.cost.to_list() == [Fraction(3, 2), 1]


def test_the_digest_is_about_the_question_only():
    plain = DeskRejection.from_json(content("xy", "x", limit=1))
    named = content("xy", "x", limit=1, name="n", source="s", objective="average", expected={})
    assert DeskRejection.from_json(named).digest() == plain.digest()
    others = [
        plain.replace(limit=2),
        plain.replace(author_cost="count"),
        plain.replace(**{"quota.rule": "harmonic"}),
        DeskRejection.from_json(content("xy", paper("x", id="p1", weight=2), limit=1)),
        DeskRejection.from_json(content("xy", paper("x", id="p1", must_keep=True), limit=1)),
    ]
    assert len({p.digest() for p in [plain, *others]}) == 6


# -- the constructor -----------------------------------------------------------------------


def test_arrays_are_copied_and_read_only():
    ptr, who = np.array([0, 1, 2]), np.array([0, 0])
    problem = DeskRejection(ptr, who, limit=1)
    assert problem.paper_ids == ("p0", "p1")
    ptr[1] = 0
    assert problem.paper_ptr.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        problem.paper_author[0] = 1
    with pytest.raises(AttributeError):
        problem.limit = 3
    taken = DeskRejection(np.array([0, 1]), who[:1], copy=False)
    assert not taken.paper_author.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 2], [0]), "paper_ptr: expected to ascend"),
        (([1, 1], [0]), "paper_ptr: expected to ascend"),
        (([], []), "paper_ptr: expected to ascend"),
        (([0, 1], [-1]), "paper_author: positions must not be negative"),
        (([0, 1], [0.5]), "paper_author: expected integers"),
        (([[0, 1]], [0]), "paper_ptr: expected one dimension"),
    ],
)
def test_bad_arrays(arguments, message):
    with pytest.raises(InstanceError, match=message):
        DeskRejection(*arguments)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"paper_ids": ["a"]}, "papers: expected 2 ids, got 1"),
        ({"author_ids": []}, "paper_author: position 0 has no id"),
        ({"paper_ids": [1, 2]}, "papers\\[0\\].id: expected a text, got 1"),
        ({"weight": [1]}, "papers: expected 2 weights, got 1"),
        ({"weight": [1, float("nan")]}, "papers\\[1\\].weight: expected a finite number"),
        ({"weight": [1, True]}, "papers\\[1\\].weight: expected a number"),
        ({"must_keep": [1, 0]}, "must_keep: expected 2 booleans"),
        ({"roles": [0, 1], "role_names": ["lead"]}, "roles: expected -1 or a position"),
        ({"author_limits": {"q": 1}}, "author_limits: no author 'q'"),
        ({"drop_order": {"q": []}}, "drop_order: no author 'q'"),
        ({"quota": Quota("square")}, "quota.rule: unknown value"),
        ({"order": [1]}, "papers: expected 2 orders"),
    ],
)
def test_bad_arguments(more, message):
    with pytest.raises(InstanceError, match=message):
        DeskRejection([0, 1, 2], [0, 0], **more)


# -- answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "answer: expected an object"),
        ({"kept": []}, "answer: expected an object"),
        ({"kept": "p0", "rejected": []}, "answer.kept: expected a list"),
        ({"kept": ["p0", "q"], "rejected": []}, r"answer.kept\[1\]: no active paper 'q'"),
        ({"kept": ["p0"], "rejected": ["p0"]}, r"answer.rejected\[0\]: paper 'p0' is named twice"),
        ({"kept": ["p0"], "rejected": []}, "answer: paper 'p1' is neither kept nor rejected"),
        ({"kept": [["p0"]], "rejected": []}, r"answer.kept\[0\]"),
    ],
)
def test_bad_answers(answer, message):
    problem = DeskRejection.from_json(content("x", "y"))
    with pytest.raises(InstanceError, match=message):
        problem.answer_from_json(answer)


def test_answers_survive_their_file():
    problem = DeskRejection.from_json(content("x", "y"))
    answer = problem.answer([True, False])
    assert problem.answer_to_json(answer) == {"kept": ["p0"], "rejected": ["p1"]}
    assert problem.answer_from_json(problem.answer_to_json(answer)) == answer


# -- reviewer nomination -------------------------------------------------------------------

AUTHORS = [{"id": "x", "p_irresponsible": Decimal("0.1")}, {"id": "y", "p_irresponsible": 1}]
BAD_NOMINATIONS = {
    "no probability": (
        {"papers": [paper("xz")], "authors": AUTHORS},
        "authors[2].p_irresponsible: is missing for 'z', who has papers",
    ),
    "above 1": (
        {"papers": [paper("x")], "authors": [{"id": "x", "p_irresponsible": "3/2"}]},
        "authors[0].p_irresponsible: expected a number from 0 to 1, got 3/2",
    ),
    "author twice": (
        {"papers": [paper("xx")], "authors": AUTHORS},
        "papers[0].authors: author 'x' is given twice on paper 'p0'",
    ),
    "author id twice": (
        {"papers": [paper("x")], "authors": [*AUTHORS, AUTHORS[0]]},
        "authors[2].id: 'x' is given twice",
    ),
    "no authors": ({"papers": [paper("")], "authors": AUTHORS}, "papers[0].authors"),
    "negative limit": (
        {"papers": [paper("x")], "authors": AUTHORS, "nomination_limit": -1},
        "nomination_limit: expected at least 0, got -1",
    ),
    "own negative limit": (
        {"papers": [paper("x")], "authors": [{**AUTHORS[0], "nomination_limit": -1}]},
        "authors[0].nomination_limit: expected at least 0, got -1",
    ),
    "negative penalty": (
        {"papers": [paper("x")], "authors": AUTHORS, "soft_penalty": -1},
        "soft_penalty: expected at least 0, got -1",
    ),
}


@pytest.mark.parametrize("name", BAD_NOMINATIONS)
def test_bad_nomination_names_the_field(name):
    bad, message = BAD_NOMINATIONS[name]
    with pytest.raises(InstanceError) as caught:
        ReviewerNomination.from_json(bad)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("nominee", "message"),
    [
        ({}, "answer.nominee.p0: no author is nominated"),
        ({"p0": "q"}, "answer.nominee.p0: no author 'q'"),
        ({"p0": "x", "p9": "x"}, "answer.nominee.p9: no such paper"),
        ([], "answer.nominee: expected an object"),
    ],
)
def test_bad_nominees(nominee, message):
    problem = ReviewerNomination.from_json({"papers": [paper("x")], "authors": AUTHORS})
    with pytest.raises(InstanceError, match=message):
        problem.answer_from_json({"nominee": nominee})


def test_a_nominee_must_be_an_author_of_the_paper():
    rows = [paper("x"), {"id": "q", "authors": ["y"]}]
    problem = ReviewerNomination.from_json({"papers": rows, "authors": AUTHORS})
    check = problem.check(problem.answer([1, 1]))
    assert [(v.rule, v.where) for v in check.violations] == [("own-author", "p0")]
    assert problem.check(problem.answer([0, 5])).violations[0].rule == "known-ids"
    assert problem.check(problem.answer([0])).violations[0].rule == "known-ids"


def test_json_text_of_numbers_is_exact():
    text = b'{"papers": [{"id": "p", "authors": ["x"], "weight": 0.1}], "limit": 1}'
    assert DeskRejection.from_json(parse_json(text)).weight.to_list() == [Fraction(1, 10)]
