"""Online sessions: decisions of the batch method, save and reload anywhere, no look-ahead."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.matroids import Graphic, Partition
from fairopt.problems.online_selection.problem import Information

EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5), (2, 5), (4, 4), (0, 1)]
TOLD = Information("parameters", 3, None, 5)
GRAPH = OnlineSelection(
    Graphic.of(EDGES), information=TOLD, weights=[5, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
)
BLOCKS = OnlineSelection(
    Partition.of([0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0], [2, 3]), information=TOLD,
    weights=GRAPH.weights,
)  # fmt: skip

ON_GRAPHS = (
    "first-fit", "oblivious", "matchoid", "degeneracy", "sample-half", "greedy", "random-order",
    "random-vertex-order", "ocrs", "secretary", "k-secretary", "sample-and-price",
)  # fmt: skip
CASES = [(GRAPH, m) for m in ON_GRAPHS] + [(BLOCKS, "laminar")]
SEVERAL = pytest.mark.parametrize(("problem", "method"), CASES, ids=[m for _, m in CASES])


def options(method):
    return {"degeneracy": 3} if method == "degeneracy" else {}


def test_every_method_that_decides_single_arrivals_is_covered():
    have = {m.name for m in fairopt.methods("online-selection") if m.session}
    assert have == {m for _, m in CASES}


def begun(problem, method, seed, **more):
    return fairopt.OnlineSession(problem, method, seed, **options(method), **more).start()


# -- the batch method ----------------------------------------------------------------------


@SEVERAL
@pytest.mark.parametrize("seed", range(4))
def test_decisions_are_those_of_the_batch_method(problem, method, seed):
    how = {} if method == "greedy" else {"answer": "run"}
    batch = fairopt.solve(problem, method, seed=seed, **how, **options(method))
    run = batch.answer.run
    session = begun(problem, method, seed, **how)
    accepted = [e for e in run.order if session.arrive(e)]
    assert sorted(accepted) == list(run.accepted)
    mine = session.finish()
    assert mine.answer == batch.answer
    assert mine.status is batch.status
    assert fairopt.verify(problem, mine).ok


@pytest.mark.parametrize("method", ["first-fit", "oblivious", "matchoid"])
def test_colouring_sessions_end_with_colours_and_law(method):
    session = begun(GRAPH, method, 7)
    accepted = {e for e in range(11) if session.arrive(e)}
    solution, batch = session.finish(), fairopt.solve(GRAPH, method, seed=7)
    assert solution.answer == batch.answer
    assert dict(solution.figures) == dict(batch.figures)
    drawn = session.state["color"]
    assert accepted == {e for e, c in enumerate(solution.answer.coloring) if c == drawn > 0}


# -- save and reload -----------------------------------------------------------------------


@SEVERAL
@given(seed=st.integers(0, 99), order=st.permutations(range(11)), cut=st.integers(0, 11))
def test_save_and_reload_in_the_middle(problem, method, seed, order, cut):
    whole, first = begun(problem, method, seed), begun(problem, method, seed)
    for e in order[:cut]:
        assert whole.arrive(e) == first.arrive(e)
    again = fairopt.OnlineSession.from_json(problem, json.dumps(first.to_json()))
    assert again.to_json() == first.to_json()
    assert again.state == whole.state
    for e in order[cut:]:
        assert whole.arrive(e) == again.arrive(e)
    assert whole.decisions == again.decisions
    assert whole.order == again.order == tuple(order)
    assert whole.finish().answer == again.finish().answer


def test_a_session_that_has_not_started_can_be_saved():
    session = fairopt.OnlineSession(GRAPH, "first-fit", 3, m="paper")
    again = fairopt.OnlineSession.from_json(GRAPH, session.to_json())
    assert not again.state["started"]
    assert again.options == {"m": "paper"}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"digest": "sha256:0"}, "digest"),
        ({"problem": "desk-rejection"}, "digest"),
        ({"decisions": [True] * 4}, "decisions"),
        ({"decisions": [True]}, "decisions"),
        ({"order": [0, 1, 1, 2]}, "order"),
        ({"order": [0, 1, 99, 2]}, "order"),
        ({"order": [0, 1, "a", 2]}, "order"),
        ({"seed": "x"}, "seed"),
        ({"generator": {}}, "generator"),
    ],
)
def test_what_was_changed_is_refused(change, where):
    session = begun(GRAPH, "first-fit", 1)
    for e in range(4):
        session.arrive(e)
    with pytest.raises(fairopt.InstanceError) as error:
        fairopt.OnlineSession.from_json(GRAPH, {**session.to_json(), **change})
    assert error.value.where == where


@pytest.mark.parametrize("data", ["{", "[]", "{}"])
def test_what_is_no_session_is_refused(data):
    with pytest.raises(fairopt.InstanceError):
        fairopt.OnlineSession.from_json(GRAPH, data)


def test_another_instance_is_refused():
    session = begun(GRAPH, "greedy", 1)
    with pytest.raises(fairopt.InstanceError, match="another instance"):
        fairopt.OnlineSession.from_json(BLOCKS, session.to_json())


# -- no look-ahead -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ON_GRAPHS)
@given(
    seed=st.integers(0, 99),
    order=st.permutations(range(11)),
    cut=st.integers(0, 10),
    later=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=11, max_size=11),
)
def test_changing_the_future_changes_nothing(method, seed, order, cut, later):
    past = set(order[:cut])
    edges = [EDGES[e] if e in past else later[e] for e in range(11)]
    weights = GRAPH.weights.to_list()
    other = OnlineSelection(
        Graphic.of(edges),
        information=TOLD,
        weights=[w if e in past else w + 7 for e, w in enumerate(weights)],
    )
    one, two = begun(GRAPH, method, seed), begun(other, method, seed)
    for e in order[:cut]:
        assert one.arrive(e) == two.arrive(e)


@pytest.mark.parametrize("method", ["first-fit", "oblivious", "matchoid", "greedy", "laminar"])
@given(seed=st.integers(0, 99), cut=st.integers(1, 11))
def test_truncating_the_future_changes_nothing(method, seed, cut):
    problem = BLOCKS if method == "laminar" else GRAPH
    short = OnlineSelection(
        problem.matroid.take(range(cut)), information=Information("parameters", 3)
    )
    short = short.replace(**{"information.rank": min(5, cut)})
    whole = problem.replace(**{"information.rank": min(5, cut)})
    one, two = begun(whole, method, seed), begun(short, method, seed)
    if method != "oblivious" or one.state["color"] == two.state["color"]:
        assert [one.arrive(e) for e in range(cut)] == [two.arrive(e) for e in range(cut)]


def test_elements_may_be_given_by_name():
    named = OnlineSelection(GRAPH.matroid, labels=[f"e{k}" for k in range(11)])
    by_name = fairopt.OnlineSession(named, "first-fit", seed=3).start()
    by_index = fairopt.OnlineSession(named, "first-fit", seed=3).start()
    for k in (4, 0, 9):
        assert by_name.arrive(f"e{k}") == by_index.arrive(k)
    again = fairopt.OnlineSession.from_json(named, by_name.to_json())
    assert again.arrive("e5") == by_index.arrive(5)
    with pytest.raises(fairopt.UsageError, match="element 'e4' has arrived already"):
        again.arrive("e4")
    assert again.order == (4, 0, 9, 5)


# -- mistakes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("element", "words"),
    [
        (3, "element 3 has arrived already"),
        (11, "there is no element 11; they are 0 to 10"),
        (-1, "there is no element -1"),
        ("a", "no element is named 'a'"),
        ("3", "element '3' has arrived already"),
        (True, "by index or name"),
        (1.0, "by index or name"),
    ],
)
def test_unknown_and_repeated_elements(element, words):
    session = begun(GRAPH, "first-fit", 0)
    session.arrive(3)
    with pytest.raises(fairopt.UsageError, match=words) as error:
        session.arrive(element)
    assert "\n" not in str(error.value)
    assert session.order == (3,)


def test_the_order_of_calls():
    session = fairopt.OnlineSession(GRAPH, "first-fit")
    with pytest.raises(fairopt.UsageError, match="not started"):
        session.arrive(0)
    session.start()
    with pytest.raises(fairopt.UsageError, match="started already"):
        session.start()
    with pytest.raises(fairopt.UsageError, match="11 of 11 elements have not arrived"):
        session.finish()
    for e in range(11):
        session.arrive(e)
    session.finish()
    with pytest.raises(fairopt.UsageError, match="finished"):
        session.arrive(0)


def test_methods_without_a_session_name_those_with_one():
    with pytest.raises(fairopt.UsageError, match="methods that have one: first-fit"):
        fairopt.OnlineSession(GRAPH, "offline")
    with pytest.raises(fairopt.UnknownMethod):
        fairopt.OnlineSession(GRAPH, "no-such-method")
    with pytest.raises(fairopt.UsageError, match="no option"):
        fairopt.OnlineSession(GRAPH, "greedy", colour=3)


def test_the_state_is_json_ready_and_says_what_was_accepted():
    session = begun(GRAPH, "ocrs", 4)
    accepted = [e for e in range(11) if session.arrive(e)]
    assert json.loads(json.dumps(session.state))["accepted"] == accepted
