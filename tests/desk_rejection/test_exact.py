"""The exact methods against enumeration, on every backend."""

import pytest
from hypothesis import assume, given

import fairopt
from desk_rejection import brute

BACKENDS = ("highs", "cp-sat", "cbc")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("objective", brute.OBJECTIVES)
def test_exact_equals_enumeration(objective, backend):
    @given(brute.contents())
    def holds(content):
        assume(objective in brute.objectives_of(content))
        problem = fairopt.load(content).replace(objective=objective)
        best = brute.best(content, objective)
        solution = fairopt.solve(problem, "exact", backend=backend)
        assert solution.status == ("infeasible" if best is None else "optimal")
        assert solution.value == best
        assert fairopt.verify(problem, solution).ok

    holds()


@pytest.mark.parametrize("backend", ["flow", *BACKENDS])
def test_nomination_equals_enumeration(backend):
    @given(brute.nominations())
    def holds(content):
        problem = fairopt.load(content)
        best = brute.best_nomination(content)
        solution = fairopt.solve(problem, "exact", backend=backend)
        assert solution.status == ("infeasible" if best is None else "optimal")
        assert solution.value == best
        if best is not None:
            assert solution.bound.proof != "solver"  # prices prove it without trust
        assert fairopt.verify(problem, solution).ok

    holds()
