"""An empty ground set has nothing to value, and that is proven."""

import fairopt


def test_nothing_to_select_is_optimal():
    content = {
        "problem": "online-selection",
        "n_elements": 0,
        "matroid": {"type": "uniform", "rank": 0},
    }
    problem = fairopt.load(content)
    solution = fairopt.solve(problem, "offline")
    assert (solution.status, solution.value, solution.bound.value) == ("optimal", None, None)
    assert fairopt.verify(problem, solution).ok


def test_no_solver_can_claim_that_there_is_nothing_to_value():
    content = {
        "problem": "online-selection",
        "n_elements": 2,
        "matroid": {"type": "uniform", "rank": 1},
    }
    problem = fairopt.load(content)
    for proof, data in (("solver", {"backend": "z 1"}), ("combinatorial", {"rule": "empty"})):
        forged = fairopt.solve(problem, "greedy").to_json()
        forged["bound"] = {"value": None, "slack": 0, "proof": proof, "data": data}
        forged["status"], forged["ratio"] = "optimal", 1.0
        assert not fairopt.verify(problem, fairopt.load_solution(forged)).ok
