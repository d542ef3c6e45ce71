"""Bad and degenerate instances: refused naming the field, or accepted as documented."""

from fractions import Fraction

import numpy as np
import pytest

import fairopt
from fairopt.errors import InstanceError, UsageError
from fairopt.files import parse_json
from fairopt.problems.jr_ranking import Feed, JrRanking

GOOD = {"problem": "jr-ranking", "comments": 3, "k": 2, "approvals": [[0], [1, 2], []]}
NAMED = {**GOOD, "comments": ["a", "b", "c"]}
RANKED = {**GOOD, "mode": "ranking"}


def changed(base=GOOD, **more):
    return {key: value for key, value in {**base, **more}.items() if value is not ...}


BAD = {
    "k is zero": (changed(k=0), "k: expected 1 to 3"),
    "k above the comments": (changed(k=4), "k: expected 1 to 3"),
    "k is true": (changed(k=True), "k: expected int, got bool"),
    "k is a float": (changed(k=1.0), "k: expected int, got float"),
    "k is missing": (changed(k=...), "k: the key is missing"),
    "no users": (changed(approvals=[]), "approvals: there are no users"),
    "no comments": (changed(comments=0, k=1), "comments: expected 1"),
    "no approvals": (changed(approvals=...), "approvals: the key is missing"),
    "weight zero": (changed(weights=[1, 0, 1]), "weights[1]: expected at least 1, got 0"),
    "weight negative": (changed(weights=[1, 1, -2]), "weights[2]: expected at least 1"),
    "weight a fraction": (changed(weights=[1.5, 1, 1]), "weights[0]: expected int"),
    "weights too few": (changed(weights=[1]), "weights: expected 3 numbers"),
    "weights beyond exact sums": (changed(weights=[2**52, 1, 1]), "weights: their sum times k"),
    "comment out of range": (changed(approvals=[[0], [3]]), "approvals[1]: no comment 3"),
    "comment negative": (changed(approvals=[[0], [], [-1]]), "approvals[2]: no comment -1"),
    "comment beyond 64 bits": (changed(approvals=[[2**70]]), "approvals[0]: no comment"),
    "comment repeated": (changed(approvals=[[0], [1, 2, 1]]), "approvals[1]: comment 1 is given"),
    "comment a boolean": (changed(approvals=[[True]]), "approvals[0][0]: expected"),
    "comment a float": (changed(approvals=[[0], [1.0]]), "approvals[1][0]: expected"),
    "unknown id": (changed(NAMED, approvals=[["a"], ["d"]]), "approvals[1]: no comment 'd'"),
    "id without ids": (changed(approvals=[["a"]]), "approvals[0]: no comment 'a'"),
    "id and position of one comment": (
        changed(NAMED, approvals=[["a", 0]]),
        "approvals[0]: comment 0 is given twice",
    ),
    "repeated id": (changed(comments=["a", "b", "a"]), "comments[2]: 'a' is given twice"),
    "score NaN": (changed(scores=[1.0, float("nan"), 1.0]), "scores[1]: expected a finite number"),
    "score infinite": (changed(scores=[1, 2, float("inf")]), "scores[2]: expected a finite"),
    "scores too few": (changed(scores=[1, 2]), "scores: expected 3 numbers, got 2"),
    "score name": (changed(scores="likes"), "scores: unknown name 'likes'; choose from"),
    "score a number": (changed(scores=7), "scores: expected 3 numbers"),
    "mix of an unknown name": (changed(scores={"mix": [[1, "no"]]}), "scores.mix[0][1]: unknown"),
    "mix of nothing": (changed(scores={"mix": []}), 'scores: expected {"mix"'),
    "mix without weight": (changed(scores={"mix": [["approvals"]]}), "scores.mix[0]: expected"),
    "score set too short": (changed(score_sets={"x": [1]}), "score_sets.x: expected 3 numbers"),
    "axiom": (changed(axiom="fjr"), "axiom: unknown value 'fjr'; choose from none, jr"),
    "quota": (changed(quota="imperiali"), "quota: unknown value"),
    "mode": (changed(mode="list"), "mode: unknown value"),
    "forced and forbidden": (
        changed(forced=[1], forbidden=[2, 1]),
        "forced: comment 1 is also in forbidden",
    ),
    "too many forced": (
        changed(forced=[0, 1, 2]),
        "forced: names 3 comments, more than k = 2 (forbidden leaves 3)",
    ),
    "too many forbidden": (
        changed(forbidden=[0, 1]),
        "forbidden: leaves 1 comments, fewer than k = 2",
    ),
    "forced twice": (changed(forced=[0, 0]), "forced[1]: comment 0 is named twice"),
    "forced unknown": (changed(NAMED, forced=["z"]), "forced[0]: no comment 'z'"),
    "prefixes in set mode": (changed(prefixes=[1]), "prefixes: are only for the mode ranking"),
    "empty prefixes in set mode": (changed(prefixes=[]), "prefixes: are only for the mode"),
    "prefix beyond k": (changed(RANKED, prefixes=[3]), "prefixes[0]: expected 1 to 2 (k), got 3"),
    "prefix zero": (changed(RANKED, prefixes=[1, 0]), "prefixes[1]: expected 1 to 2"),
    "prefix repeated": (changed(RANKED, prefixes=[1, 1]), "prefixes[1]: 1 is given twice"),
    "position weights in set mode": (changed(position_weights="dcg"), "position_weights: are only"),
    "position weights": (changed(RANKED, position_weights="log"), "position_weights: unknown"),
    "too few position weights": (changed(RANKED, position_weights=[1]), "position_weights: exp"),
    "strong axiom in a ranking": (changed(RANKED, axiom="ejr+"), "axiom: ejr+ is not for the mode"),
    "utilities without threshold": (
        changed(approvals=..., utilities=[[1, 2, 3]]),
        "threshold: is needed to make approvals from utilities",
    ),
    "threshold without utilities": (changed(threshold=1), "threshold: needs utilities"),
    "threshold beside approvals": (
        changed(utilities=[[1, 2, 3]] * 3, threshold=1),
        "threshold: approvals are given beside it",
    ),
    "utilities too few": (
        changed(approvals=..., utilities=[[1, 2, 3], [1, 2]], threshold=1),
        "utilities[1]: expected 3 numbers, got 2",
    ),
    "utilities of other users": (
        changed(utilities=[[1, 2, 3]]),
        "utilities: expected 3 rows, one for each user",
    ),
    "unknown key": (changed(votes=[]), "votes: unknown key"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_instance_names_the_field(case):
    content, message = BAD[case]
    with pytest.raises(InstanceError) as caught:
        JrRanking.from_json(content)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"comments": 3, "k": 2.0, "approvals": [[0]]}', "k: expected int, got a decimal number"),
        ('{"comments": 3, "k": 2, "scores": [1, NaN, 2], "approvals": [[0]]}', "holds NaN"),
    ],
)
def test_bad_file(text, message):
    with pytest.raises(InstanceError) as caught:
        JrRanking.from_json(parse_json(text.encode()))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"indptr": [0, 2], "indices": [0]}, "approvals: the pointers do not fit"),
        ({"indptr": [0, 1.5], "indices": [0]}, "approvals: expected pointers"),
        ({"indptr": [0, 1], "indices": [0.5]}, "approvals: expected a vector"),
        ({"indptr": [0, 1], "indices": [0], "k": np.float64(1)}, "k: expected a whole number"),
        ({"indptr": [0, 1], "indices": [0], "weights": [True]}, "weights[0]: expected a whole"),
        ({"indptr": [0, 1], "indices": None}, "approvals: expected both"),
        ({"indptr": [0, 1], "indices": [0], "ids": ["a", 2]}, "comments[1]: expected a text"),
    ],
)
def test_bad_arrays(arguments, message):
    with pytest.raises(InstanceError) as caught:
        JrRanking(**{"n_comments": 2, "k": 1, **arguments})
    assert str(caught.value).startswith(message)


def test_repeats_are_merged_on_demand_with_a_note():
    problem = JrRanking.from_ballots([[1, 0, 1], []], n_comments=2, k=1, dedupe=True)
    assert problem.indices.tolist() == [0, 1]
    assert [n.code for n in problem.notes()] == ["defaults", "deduplicated"]


@pytest.mark.parametrize("axiom", ["jr", "pjr+", "ejr+", "pjr", "ejr"])
def test_nobody_deserves_anything(axiom):
    for approvals in ([[], [], []], [[0], [1], [2], [], [], [], []]):
        problem = JrRanking.from_json(changed(approvals=approvals, axiom=axiom, scores=[0, 1, 2]))
        for shown in ((0, 1), (0, 2), (1, 2)):
            assert not problem.check(Feed(shown)).violations
        assert problem.recompute({"rule": "enumeration", "set": []}, "min_justifying_size") == 0


def test_everything_is_shown():
    for axiom in ("jr", "pjr+", "ejr+", "pjr", "ejr"):
        check = JrRanking.from_json(changed(k=3, axiom=axiom)).check(Feed((0, 1, 2)))
        assert not check.violations
        assert (check.figures["ejr_plus_level"], check.figures["witness"]) == (0, None)


def test_quota_that_is_no_whole_number_is_rounded_up():
    content = changed(approvals=[[0]] * 4 + [[1]] * 3 + [[2]] * 3, comments=4, k=3)
    problem = JrRanking.from_json(content)
    assert [problem.threshold_of(level) for level in (1, 2, 3)] == [4, 7, 10]
    assert not problem.check(Feed((0, 3, 1))).violations
    assert problem.check(Feed((1, 2, 3))).violations
    droop = problem.replace(quota="droop")
    assert [droop.threshold_of(level) for level in (1, 2, 3)] == [3, 6, 8]


def test_negative_scores_have_no_price():
    problem = JrRanking.from_json(changed(scores=[-1, -2, -3], axiom="none"))
    check = problem.check(Feed((1, 2)))
    assert (check.value, check.figures["price"], check.figures["additive_gap"]) == (-5, None, 2)


def test_order_of_a_set_is_by_score_then_position():
    problem = JrRanking.from_json(changed(k=3, scores=[1, 2, 1]))
    assert problem.feed((2, 0, 1)).selected == (1, 0, 2)
    assert problem.answer_to_json(Feed((2, 0, 1))) == {"selected": [1, 0, 2]}
    assert problem.answer_from_json({"selected": [2, 1, 0]}) == problem.feed((0, 1, 2))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (7, "answer: expected an object"),
        ({"selected": [0], "more": 1}, "answer: expected an object"),
        ({"selected": 0}, "answer.selected: expected a list"),
        ({"selected": ["a", "z"]}, "answer.selected[1]: no comment 'z'"),
        ({"selected": ["a", 3]}, "answer.selected[1]: no comment 3"),
        ({"selected": ["a", "a"]}, "answer.selected[1]: comment 'a' is named twice"),
        ({"selected": [True]}, "answer.selected[0]: no comment True"),
    ],
)
def test_bad_answer(answer, message):
    problem = JrRanking.from_json(NAMED)
    with pytest.raises(InstanceError) as caught:
        problem.answer_from_json(answer)
    assert str(caught.value).startswith(message)


def test_settings():
    problem = JrRanking.from_json({**GOOD, "score_sets": {"good_ones": [3, 1, 2]}})
    ranked = problem.replace(mode="ranking", prefixes=[1, 2], scores="good-ones", k=2)
    assert (ranked.prefixes, ranked.scores_name) == ((1, 2), "good_ones")
    assert ranked.replace(mode="set").prefixes == ()
    assert problem.replace(scores="approvals_share").scores[0] == Fraction(1, 3)
    assert problem.replace(scores="approvals").digest() == problem.digest()
    assert problem.replace(k=1).digest() != problem.digest()
    with pytest.raises(UsageError):
        problem.replace(budget=3)
    with pytest.raises(InstanceError, match="threshold"):
        problem.replace(threshold="0.5")
    with pytest.raises(InstanceError, match="prefixes"):
        ranked.replace(k=1)


def test_named_vectors_win_over_those_built_in():
    problem = JrRanking.from_json({**GOOD, "score_sets": {"approvals": [5, 6, 7]}})
    assert problem.scores.to_list() == [5, 6, 7]


def test_thresholds_are_compared_as_decimals():
    content = changed(approvals=..., utilities=parse_json(b"[[0.3, 0.1, 0.30000000000000000001]]"))
    problem = JrRanking.from_json({**content, "threshold": "0.3"})
    assert problem.indices.tolist() == [0, 2]
    above = problem.replace(threshold="0.30000000000000000001")
    assert above.indices.tolist() == [2]
    floats = JrRanking(
        None, None, n_comments=2, k=1, utilities=np.array([[0.1, 0.3]]), threshold="3/10"
    )
    assert floats.indices.tolist() == [1]
    assert fairopt.load(floats.to_json()).digest() == floats.digest()
