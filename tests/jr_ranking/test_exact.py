"""The exact method against enumeration: every axiom, form and backend; rankings; gamma."""

import pytest
from hypothesis import given

import fairopt
from jr_ranking import brute

BACKENDS = ("highs", "cp-sat", "cbc")
WAYS = [
    *((axiom, "lazy", backend) for axiom in ("none", *brute.AXIOMS) for backend in BACKENDS),
    *((axiom, "compact", backend) for axiom in ("jr", "ejr+") for backend in BACKENDS),
]


@pytest.mark.parametrize(("axiom", "form", "backend"), WAYS)
def test_exact_equals_enumeration(axiom, form, backend):
    @given(brute.contents())
    def holds(content):
        problem = fairopt.load({**content, "axiom": axiom})
        best = brute.Plain(content).best(axiom)
        solution = fairopt.solve(problem, "exact", backend=backend, form=form)
        assert solution.status == ("infeasible" if best is None else "optimal")
        assert solution.value == best
        assert fairopt.verify(problem, solution).ok

    holds()


@pytest.mark.parametrize("form", ["lazy", "compact"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_rankings_equal_enumeration(backend, form):
    @given(brute.rankings())
    def holds(content):
        problem = fairopt.load(content)
        best = brute.Plain(content).best_ranking()
        solution = fairopt.solve(problem, "exact", backend=backend, form=form)
        assert solution.status == ("infeasible" if best is None else "optimal")
        if problem.objective.kind == "float":
            assert solution.value == (None if best is None else float(best))
        else:
            assert solution.value == best
        assert fairopt.verify(problem, solution).ok

    holds()


@pytest.mark.parametrize("axiom", brute.AXIOMS)
def test_auto_equals_enumeration(axiom):
    @given(brute.contents())
    def holds(content):
        problem = fairopt.load({**content, "axiom": axiom})
        solution = fairopt.solve(problem, "auto")
        assert solution.value == brute.Plain(content).best(axiom)
        assert fairopt.verify(problem, solution).ok

    holds()


@given(brute.contents())
def test_the_smallest_justifying_set_equals_enumeration(content):
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "exact")
    if solution.answer is None:
        return
    assert solution.figures["min_justifying_size"] == brute.Plain(content).gamma()
    report = fairopt.verify(problem, solution)
    assert report.ok
    shown = [verdict for claim, verdict in report.claims if "min_justifying_size" in claim]
    assert shown
    assert all(verdict.startswith("verified") for verdict in shown)


def test_the_linear_programs_bound_is_recomputed():
    """Three disjoint groups of 2 of 6 want one comment each; the scores point elsewhere."""
    content = {
        "problem": "jr-ranking", "comments": 24, "k": 3, "axiom": "jr",
        "approvals": [[0], [0], [1], [1], [2], [2]], "scores": [1, 2, 3, *range(10, 31)],
    }  # fmt: skip
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "exact")
    assert (solution.value, solution.status) == (6, "optimal")
    assert solution.bound.proof == "multipliers"
    assert fairopt.verify(problem, solution).ok


def test_what_forbidden_comments_make_impossible_is_proven():
    content = {
        "problem": "jr-ranking", "comments": 3, "k": 2, "axiom": "jr",
        "approvals": [[0], [0], [1]], "forbidden": [0],
    }  # fmt: skip
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "exact")
    assert solution.status == "infeasible"
    assert solution.infeasible.proof == "theorem"
    assert fairopt.verify(problem, solution).ok


def test_a_stop_before_the_first_point_still_gives_a_lawful_answer():
    content = {
        "problem": "jr-ranking", "comments": 4, "k": 3, "axiom": "ejr+",
        "approvals": [[0], [0], [1], [1], [2], [2]], "scores": [3, 2, 1, 9],
    }  # fmt: skip
    solution = fairopt.solve(fairopt.load(content), "exact", time_limit=1e-9)
    assert solution.value == 6
    assert solution.stopped_by == "time-limit"
