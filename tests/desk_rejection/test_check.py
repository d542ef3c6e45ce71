"""The court against its naive twin, and what it says of wrong answers."""

import os
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from desk_rejection import brute
from fairopt.problems.desk_rejection import DeskRejection, KeptPapers
from fairopt.problems.desk_rejection.check import author_table

EXAMPLES = int(os.environ.get("FAIROPT_EXAMPLES", "25"))
common = settings(max_examples=EXAMPLES, deadline=None, derandomize=True)


@common
@given(brute.contents(), st.data())
def test_the_court_equals_its_naive_twin(content, data):
    plain, problem = brute.Plain(content), DeskRejection.from_json(content)
    m = len(plain.papers)
    assert problem.paper_ids == tuple(plain.ids)
    for _ in range(5):
        kept = data.draw(st.lists(st.booleans(), min_size=m, max_size=m))
        figures, values = plain.figures(kept)
        check = problem.check(problem.answer(kept))
        if not plain.room(kept):  # "could be re-inserted" is about answers within the limits
            del figures["maximal"], check.figures["maximal"]
        assert check.figures == figures
        assert plain.feasible(kept) == (not check.violations)
        for objective in brute.objectives_of(content):
            named = problem.replace(objective=objective)
            value = named.check(named.answer(kept)).value
            if plain.feasible(kept):
                assert value == values[objective], objective
                assert type(value) is type(named.objective.coerce(value)), objective


@common
@given(brute.contents(), st.data())
def test_linear_forms_and_cost_forms(content, data):
    plain, problem = brute.Plain(content), DeskRejection.from_json(content)
    for kept in plain.answers()[:: max(1, len(plain.answers()) // 5)]:
        mask = np.array(kept, dtype=bool)
        values = plain.figures(kept)[1]
        for objective in brute.LINEAR:
            if objective in brute.objectives_of(content):
                assert problem.linear_form(objective).value(mask) == values[objective], objective
        lost = np.bincount(
            problem.paper_author[~mask[problem.paper_of_incidence]], minlength=problem.n_authors
        )
        for objective, worst in (("worst-case", "worst-case"), ("regret-worst", "regret-worst")):
            if objective in brute.objectives_of(content):
                shift, scale = problem.cost_form(objective)
                costs = [
                    Fraction(max(0, int(x - s)), int(d))
                    for x, s, d in zip(lost, shift, scale, strict=True)
                ]
                assert max(costs, default=Fraction(0)) == values[worst]


@common
@given(brute.contents())
def test_rows_are_the_limits_that_can_bind(content):
    plain, problem = brute.Plain(content), DeskRejection.from_json(content)
    rows = problem.rows
    over = {problem.author_ids[i] for i in np.flatnonzero(problem.over_limit)}
    assert over == {a for a in plain.own if plain.over_limit(a)}
    assert {problem.author_ids[i] for i in rows.author} == over
    assert (np.diff(rows.ptr) > 0).all()
    ptr, row, cost = rows.by_paper
    assert len(ptr) == problem.n_papers + 1
    assert sorted(zip(row.tolist(), cost.tolist(), strict=True)) == sorted(
        zip(rows.row_of.tolist(), rows.cost.tolist(), strict=True)
    )
    for kept in brute.itertools.product((False, True), repeat=min(problem.n_papers, 6)):
        mask = np.zeros(problem.n_papers, bool)
        mask[: len(kept)] = kept
        load = np.zeros(len(rows), object)
        np.add.at(load, rows.row_of, np.where(mask[rows.paper], rows.cost, 0))
        assert plain.room(mask.tolist()) == bool((load <= rows.budget).all())


W5 = {
    "problem": "desk-rejection",
    "limit": 2,
    "papers": [
        {"id": f"p{k}", "authors": list(who)}
        for k, who in enumerate(["xu", "xv", "vxw", "vw", "wx", "u", "w"], 1)
    ],
}


def test_violations_name_the_author_and_the_amount():
    problem = DeskRejection.from_json({**W5, "role_limits": {"coauthor": 3}})
    check = problem.check(problem.answer([True] * 7))
    said = [(v.rule, v.where, v.by_how_much) for v in check.violations]
    assert said == [
        ("limit", "x", 2),
        ("limit", "v", 1),
        ("limit", "w", 2),
        ("role-limit", "x as coauthor", 1),
        ("role-limit", "w as coauthor", 1),
    ]
    assert check.figures["collateral"] is None


def test_fractional_violation_is_exact():
    problem = DeskRejection.from_json({**W5, "quota": {"rule": "per-capita"}, "limit": "5/6"})
    first = problem.check(problem.answer([True] * 7)).violations[0]
    assert (first.where, first.by_how_much) == ("x", Fraction(1))


def test_forced_papers_are_a_rule():
    papers = [dict(p) for p in W5["papers"]]
    papers[0]["must_keep"], papers[1]["must_reject"] = True, True
    problem = DeskRejection.from_json({**W5, "papers": papers})
    mask = [False, True, False, False, False, True, True]
    assert [(v.rule, v.where) for v in problem.check(problem.answer(mask)).violations] == [
        ("forced", "p1"),
        ("forced", "p2"),
    ]


def test_an_answer_about_other_papers_is_refused():
    problem = DeskRejection.from_json(W5)
    answer = KeptPapers(np.ones(2, bool), ("p1", "q"))
    check = problem.check(answer)
    assert [v.rule for v in check.violations] == ["known-ids"]
    assert check.value is None


def test_author_table():
    problem = DeskRejection.from_json(W5)
    mask = [True, True, False, True, False, True, True]
    rows = {row["author"]: row for row in author_table(problem, problem.answer(mask))}
    x = rows["x"]
    assert (x["submitted"], x["limit"], x["kept"], x["lost"], x["excess"]) == (4, 2, 2, 2, 2)
    assert x["over_limit"]
    assert x["cost"] == Fraction(1, 2)
    assert rows["u"]["cost"] == 0
    assert not any(row["wiped"] for row in rows.values())


def test_large_costs_stay_exact():
    """Quota costs whose common denominator is far beyond 64 bits."""
    sizes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
    papers = [{"id": f"p{s}", "authors": ["x", *(f"{s}-{k}" for k in range(s - 1))]} for s in sizes]
    total = sum(Fraction(1, s) for s in sizes)
    content = {"papers": papers, "limit": None, "quota": {"rule": "per-capita"}}
    for limit, over in ((total, False), (total - Fraction(1, 10**30), True)):
        content["authors"] = [{"id": "x", "limit": str(limit)}]
        problem = DeskRejection.from_json(content)
        assert problem.over_limit.any() == over
        check = problem.check(problem.answer([True] * len(sizes)))
        assert [v.by_how_much for v in check.violations] == [Fraction(1, 10**30)] * over
        assert len(problem.rows) == over
