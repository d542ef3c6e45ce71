"""Worked examples, right values on the data, the table of bad inputs, files and generators."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairopt
from fairopt.cli.app import cli
from fairopt.errors import InstanceError, UsageError
from selective_aggregation.draw import solved

DATA = Path(__file__).parents[2] / "instances" / "selective_aggregation"


def orders(*ballots, **more):
    """Return an instance; a ballot is ``(weight, "abc")`` or a list of tiers."""
    rows = [{"weight": w, "order": list(order)} for w, order in ballots]
    items = sorted({x for _, order in ballots for part in order for x in part})
    said = {"type": "orders", "ballots": rows, **more.pop("said", {})}
    return {"problem": "selective-aggregation", "items": items, "preferences": said, **more}


def path(content):
    """Return {tau: ranking} of an instance, names joined by >."""
    problem = fairopt.load(content)
    found = solved(problem, "spa-path").answer.path
    out = {}
    for tau in found.breakpoints:
        solution = solved(problem.replace(tau=tau), "spa")
        assert solution.answer.tier.tolist() == found.at(tau).tolist()
        out[str(tau)] = solution.figures["ranking"]
    return out


def test_e1():
    content = orders((1, "abcd"), (1, "bacd"), (1, "abdc"))
    assert path(content) == {"0": "{a, b} > {c, d}", "1/3": "a > b > c > d"}
    last = solved(fairopt.load(content | {"tau": "1/3"}), "auto")
    assert (last.value, last.figures["disagreements"]) == (6, 2)
    assert last.figures["disagreement_rate"] == Fraction(1, 9)
    early = solved(fairopt.load(content | {"tau": 0.1}), "auto")
    assert (early.value, early.figures["next_tau"], early.figures["next_tiers"]) == (
        4, Fraction(1, 3), 4,
    )  # fmt: skip


def test_e2_one_of_49():
    content = orders((48, "abc"), (1, "bac"))
    assert path(content) == {"0": "{a, b} > c", "1/49": "a > b > c"}
    snapped = fairopt.load(content).replace(tau=1 / 49)
    assert snapped.tau == Fraction(1, 49)
    assert fairopt.solve(snapped).value == 3


def test_e3_condorcet_cycle():
    content = orders((1, "abc"), (1, "bca"), (1, "cab"))
    assert path(content) == {"0": "{a, b, c}"}
    with pytest.raises(InstanceError, match=r"tau: must lie in \[0, 1/2\)"):
        fairopt.load(content | {"tau": "1/2"})


@pytest.mark.parametrize(
    ("convention", "tau"), [("strict", None), ("half-ties", "1/4"), ("available", None)]
)
def test_e4_ties(convention, tau):
    content = orders((2, "ab"), (2, [["a", "b"]]), convention=convention)
    wanted = {"0": "{a, b}"} | ({tau: "a > b"} if tau else {})
    assert path(content) == wanted


@pytest.mark.parametrize(
    ("convention", "said", "tau"),
    [
        ("strict", {}, "2/5"),
        ("half-ties", {}, "2/5"),
        ("available", {}, "0"),
        ("strict", {"unranked": "last"}, "0"),
    ],
)
def test_e5_missing(convention, said, tau):
    content = orders((3, "ab"), (2, "a"), convention=convention, said=said)
    assert path(content)[tau] == "a > b"


def test_e6():
    content = orders((3, "abcde"), (2, "bcaed"), (2, "cabde"), (1, "edcba"))
    assert path(content) == {
        "0": "{a, b, c, d, e}", "1/8": "{a, b, c} > {d, e}", "3/8": "{a, b, c} > d > e",
    }  # fmt: skip
    rows = solved(fairopt.load(content), "spa-path").figures["breakpoints"]
    assert [(r["comparisons"], r["disagreements"]) for r in rows] == [(0, 0), (6, 6), (7, 9)]


def test_right_values_of_the_award():
    problem = fairopt.load(DATA / "award_top3.toc", problem="selective-aggregation")
    rows = solved(problem, "spa-path").figures["breakpoints"]
    found = {str(r["tau"]): (r["tiers"], r["disagreements"]) for r in rows}
    assert found == {"0": (1, 0), "13/50": (2, 42), "7/25": (3, 86), "12/25": (4, 134)}


@pytest.mark.parametrize("file", sorted(DATA.glob("*.json")), ids=lambda file: file.stem)
def test_instances_have_the_values_they_name(file):
    problem = fairopt.load(file)
    assert solved(problem, "auto").value == problem.meta.expected["comparisons"]


def test_top3_ballots_say_why_nothing_is_compared():
    problem = fairopt.load(DATA / "award_top3.soi", problem="selective-aggregation")
    strict = solved(problem, "auto")
    assert strict.value == 0
    assert any("available" in note.text for note in strict.notes if note.code == "missing")
    rows = solved(problem.replace(convention="available"), "auto").figures["breakpoints"]
    found = [(str(r["tau"]), r["tiers"]) for r in rows]
    assert found == [("0", 1), ("2/9", 2), ("1/3", 3), ("44/91", 4)]


@pytest.mark.parametrize("total", range(2, 120))
def test_every_count_is_its_own_threshold(total):
    """In floats 1 <= (1/49) * 49 is false."""
    content = orders((total - 1, "ab"), (1, "ba"))
    problem = fairopt.load(content)
    for c in range(1, (total - 1) // 2 + 1):
        for tau in (f"{c}/{total}", c / total):
            assert problem.replace(tau=tau).limit == c
        assert problem.replace(max_dissent_count=c).limit == c


BASE = orders((1, "abc"), (1, "bac"))
VOTES = {"type": "pairwise", "votes": [["j", "a", "b", 1]]}
BAD = [
    ({"tau": -0.1}, "tau"),
    ({"tau": "1/2"}, "tau"),
    ({"tau": "nan"}, "tau"),
    ({"tau": "1/4", "max_dissent_count": 0}, "max_dissent_count"),
    ({"max_dissent_count": 1}, "max_dissent_count"),
    ({"max_dissent_count": 0, "convention": "available"}, "max_dissent_count"),
    ({"convention": "loud"}, "convention"),
    ({"items": []}, "items"),
    ({"items": ["a", "b", "a"]}, "items[2]"),
    ({"preferences": {"type": "orders", "ballots": []}}, "no judges"),
    ({"preferences": {"type": "lists", "ballots": []}}, "preferences.type"),
    ({"preferences": {"type": "orders"}}, "preferences.ballots"),
    ({"preferences": {"type": "orders", "ballots": [{"order": ["a", "a"]}]}}, "named twice"),
    ({"preferences": {"type": "orders", "ballots": [{"order": ["z"]}]}}, "no item 'z'"),
    ({"preferences": {"type": "orders", "ballots": [{"order": ["a"], "weight": 0}]}}, "weight"),
    ({"preferences": {"type": "orders", "ballots": [{"order": ["a"], "weight": 1.5}]}}, "weight"),
    ({"preferences": {"type": "ranks", "rows": [[1, 2]]}}, "preferences.rows[0]"),
    ({"preferences": {"type": "ranks", "rows": [[1, 2, "x"]]}}, "preferences.rows[0][2]"),
    ({"preferences": VOTES | {"votes": [["j", "a", "b", 2]]}}, "preferences.votes[0]"),
    ({"preferences": VOTES | {"votes": [["j", "a", "a", 1]]}}, "itself"),
    (
        {"preferences": VOTES | {"votes": [["j", "a", "b", 1], ["j", "b", "a", 1]]}},
        "preferences.votes[1]",
    ),
    (
        {"preferences": VOTES | {"votes": [["j", "a", "b", 1], ["j", "b", "a", -1]]}},
        "before, alike",
    ),
    ({"preferences": VOTES | {"judges": ["k"]}}, "not among the judges"),
    ({"preferences": {"type": "support", "total": 2, "support": [[0, 3], [0, 0]]}}, "support"),
    (
        {
            "items": ["a", "b"],
            "preferences": {"type": "support", "total": 2, "support": [[0, 2], [1, 0]]},
        },
        "more than 2",
    ),
]


@pytest.mark.parametrize(("change", "words"), BAD)
def test_bad_inputs_name_the_place(change, words):
    with pytest.raises(InstanceError) as error:
        fairopt.load(BASE | change)
    assert words in str(error.value)


def test_odd_but_legal():
    one = fairopt.load(orders((1, "a")))
    assert solved(one, "auto").figures["ranking"] == "a"
    silent = fairopt.load(orders((1, "ab"), (1, "")))
    assert silent.total == 2
    assert solved(silent, "auto").value == 0
    same = solved(fairopt.load(orders((7, "abc"))), "spa-path")
    assert [str(r["tau"]) for r in same.figures["breakpoints"]] == ["0"]
    assert same.value == 3
    gaps = {"type": "ranks", "rows": [[1, 7, 3], [0, 9, None]]}
    solved(fairopt.load(BASE | {"preferences": gaps}), "auto")
    halves = orders(("1/2", "ab"), ("3/2", "ba"))
    assert fairopt.load(halves).total == 4
    unjudged = fairopt.load(BASE | {"preferences": VOTES, "convention": "available"})
    assert solved(unjudged, "auto").figures["ranking"] == "{a, b, c}"


# -- files ------------------------------------------------------------------------------------


def written(tmp_path, text, name):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / name


def test_preflib_irregularities(tmp_path):
    text = (
        "\ufeff# DATA TYPE: toi\r\n# NUMBER ALTERNATIVES: 3\r\n# NUMBER VOTERS: 9\r\n\r\n"
        "# ALTERNATIVE NAME 1: x\r\n# ALTERNATIVE NAME 2: y\r\n# ALTERNATIVE NAME 3: z\r\n"
        "3: 1,{ 2, 3 }\r\n2: 2\r\n1: {},3\r\n"
    )
    problem = fairopt.load(written(tmp_path, text, "a.toi"), problem="selective-aggregation")
    assert problem.items == ("x", "y", "z")
    assert problem.total == 6
    assert [note.code for note in problem.remarks] == ["voters"]
    assert problem.profile.counts.support[0].tolist() == [0, 3, 3]


@pytest.mark.parametrize(
    ("kind", "line", "words"),
    [
        ("soc", "1: 1,{2,3}", "a tie"),
        ("soc", "1: 1,2", "lists all 3"),
        ("soi", "1: 1,1", "named twice"),
        ("soi", "1: 1,4", "no alternative 4"),
        ("soi", "x: 1,2", "expected 'count: order'"),
    ],
)
def test_preflib_errors(tmp_path, kind, line, words):
    text = f"# DATA TYPE: {kind}\n# NUMBER ALTERNATIVES: 3\n{line}\n"
    with pytest.raises(InstanceError, match=words):
        fairopt.load(written(tmp_path, text, f"a.{kind}"), problem="selective-aggregation")


def test_numbers_from_zero_are_accepted_with_a_word(tmp_path):
    text = "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 2\n2: 0,1\n"
    problem = fairopt.load(written(tmp_path, text, "a.soc"))
    assert [note.code for note in problem.remarks] == ["numbering"]
    assert problem.profile.counts.support.tolist() == [[0, 2], [0, 0]]


def test_preflib_is_written_in_the_narrowest_type(tmp_path):
    problem = fairopt.load(orders((2, "abc"), (1, "ba"), (3, "abc")))
    fairopt.save(problem, tmp_path / "x.soi")
    again = fairopt.load(tmp_path / "x.soi")
    assert again.digest() == problem.digest()
    assert b"DATA TYPE: soi" in (tmp_path / "x.soi").read_bytes()
    assert b"5: 1,2,3" in (tmp_path / "x.soi").read_bytes()
    assert np.array_equal(again.profile.counts.support, problem.profile.counts.support)
    votes = fairopt.load(BASE | {"preferences": VOTES})
    with pytest.raises(UsageError, match="holds ballots"):
        fairopt.save(votes, tmp_path / "y.soi")


def test_tables(tmp_path):
    wide = written(tmp_path, "item_name,j1,j2\na,1,2\nb,2,1\nc,3,\n", "w.csv")
    ranks = fairopt.load(wide)
    assert ranks.profile.counts.support.tolist() == [[0, 1, 1], [1, 0, 1], [0, 0, 0]]
    scores = fairopt.load(wide, values="scores")
    assert scores.profile.counts.support.tolist() == [[0, 1, 0], [1, 0, 0], [1, 1, 0]]
    places = written(tmp_path, "item_name,j1\na,3\nb,1\nc,2\n", "o.csv")
    first = fairopt.load(places, layout="orders")  # c, then a, then b
    assert first.profile.counts.support.tolist() == [[0, 1, 0], [0, 0, 0], [1, 1, 0]]
    assert fairopt.load(places).profile.counts.support[1].tolist() == [1, 0, 1]
    votes = written(
        tmp_path, "judge_id,item_id_1,item_id_2,pref\nx,a,b,1\ny,b,a,0\nx,b,c,\n", "l.csv"
    )
    long = fairopt.load(votes)
    assert long.total == 2
    assert long.profile.counts.support.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert long.profile.counts.missing.tolist() == [[0, 0, 2], [0, 0, 2], [2, 2, 0]]


@pytest.mark.parametrize("name", ["gaussian", "mallows", "plackett-luce", "blocks", "cycle",
                                  "uniform-pairwise"])  # fmt: skip
def test_generators_repeat_and_are_read_back(name):
    one, two = (fairopt.generate("selective-aggregation", name, seed=3) for _ in range(2))
    assert one.digest() == two.digest()
    again = fairopt.load(json.loads(json.dumps(one.to_json())))
    assert np.array_equal(again.profile.counts.support, one.profile.counts.support)
    assert np.array_equal(again.profile.counts.ties, one.profile.counts.ties)
    assert solved(again, "auto").value == solved(one, "auto").value


def test_tampered_answers_are_refuted():
    problem = fairopt.load(orders((1, "abcd"), (1, "bacd"), (1, "abdc"), tau="0"))
    right = fairopt.solve(problem)
    for tiers, rule in (([["a"], ["b"], ["c", "d"]], "dissent"), ([["a", "b", "c", "d"]], None)):
        answer = problem.answer_from_json({"tiers": tiers})
        broken = problem.check(answer).violations
        assert [v.rule for v in broken] == ([rule] if rule else [])
    for tiers in ([["a", "b"], ["c"]], [["a", "a"], ["b", "c", "d"]], [["a", "b", "c", "d"], []]):
        with pytest.raises(InstanceError, match=r"answer\.tiers"):
            problem.answer_from_json({"tiers": tiers})
    assert right.value == 4
    with pytest.raises(InstanceError, match="may be above"):
        problem.recompute({"rule": "cycles", "cycles": [[0, 2]]})


def test_judges_one_by_one():
    problem = fairopt.load(orders((3, "abcde"), (2, "bcaed"), (2, "cabde"), (1, "edcba"),
                                  tau="3/8"))  # fmt: skip
    answer = fairopt.solve(problem).answer
    figures = problem.check(answer, figures="all").figures
    assert figures["judge_disagreements"] == {"min": 0, "median": Fraction(0), "max": 7}


def test_command_line(tmp_path):
    out = str(tmp_path / "s.json")
    words = ["solve", str(DATA / "award_top3.toc"), "--set", "tau=0.28", "-o", out]
    run = CliRunner().invoke(cli, words)
    assert run.exit_code == 0, run.output
    text = " ".join(run.output.split())
    assert "{Coach 2, Coach 7} > Coach 6 >" in text
    assert "next tau with another ranking 12/25" in text
    again = CliRunner().invoke(cli, ["verify", str(DATA / "award_top3.toc"), out])
    assert again.exit_code == 0, again.output
