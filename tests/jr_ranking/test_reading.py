"""Readers: Polis exports with their traps, tables, abcvoting, PaBuLib, PrefLib."""

from fractions import Fraction

import pytest

import fairopt
from fairopt.errors import InstanceError, UsageError


@pytest.fixture
def load(tmp_path):
    def read(name, text, **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return fairopt.load(path, **options)

    return read


@pytest.fixture
def shipped(request):
    folder = request.config.rootpath / "instances" / "jr_ranking"
    return lambda name, **options: fairopt.load(folder / name, **options)


def ballots(problem):
    rows = zip(problem.indptr[:-1].tolist(), problem.indptr[1:].tolist(), strict=True)
    return [problem.indices[a:b].tolist() for a, b in rows]


def codes(problem):
    return [note.code for note in problem.notes()]


def said(problem, code):
    return next(note.text for note in problem.notes() if note.code == code)


# -- Polis ---------------------------------------------------------------------------------

POLIS = """participant,group-id,n-comments,n-votes,n-agree,n-disagree,3,7,12
0,0,1,3,2,1,1,-1,1
1,,0,1,0,0,,,0
5,1,0,2,1,1,-1,1,
"""


def test_polis_participants(load):
    problem = load("participants-votes.csv", POLIS, k=2)
    assert problem.ids == ("3", "7", "12")
    assert ballots(problem) == [[0, 2], [], [1]]
    assert problem.n == 3
    assert said(problem, "read") == "3 participants, 3 comments, 6 votes, 3 blank cells"
    assert "sign" not in codes(problem)


def test_polis_export_equals_the_instance_made_from_it(shipped):
    read = shipped("polis_policing_participants-votes.csv", k=8)
    made = shipped("polis_policing.json.gz")
    assert ballots(read) == ballots(made)
    assert read.ids[:3] == ("1", "4", "5")
    assert read.ids[-1] == "38"


TRAPS = {
    "byte order mark": "\ufeff" + POLIS,
    "line ends of Windows": POLIS.replace("\n", "\r\n"),
    "preamble": "topic,Bikes\nurl,https://example.org/\n\n" + POLIS,
    "blank lines": POLIS.replace("\n", "\n\n"),
    "semicolons": POLIS.replace(",", ";"),
    "tabs": POLIS.replace(",", "\t"),
    "blanks around cells": POLIS.replace(",", " , "),
    "quotes": POLIS.replace("1,-1,1\n", '"1","-1","1"\n'),
    "capitals": POLIS.replace("participant,", "Participant,"),
    "votes as decimals": POLIS.replace("1,-1,1\n", "1.0,-1.0,+1\n"),
    "another order": POLIS.replace("group-id,n-comments", "n-comments,group-id"),
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_polis_traps(load, trap):
    problem = load("participants-votes.csv", TRAPS[trap], k=2)
    assert problem.ids == ("3", "7", "12")
    assert ballots(problem) == [[0, 2], [], [1]]


@pytest.mark.parametrize("after", ["participant", "n-disagree", "7"])
def test_polis_xid_is_ignored_wherever_it_is(load, after):
    lines = [line.split(",") for line in POLIS.splitlines()]
    place = lines[0].index(after) + 1
    for k, line in enumerate(lines):
        line.insert(place, "xid" if k == 0 else f"user{k}")
    text = "\n".join(",".join(line) for line in lines)
    problem = load("votes.csv", text, k=2)
    assert problem.ids == ("3", "7", "12")
    assert ballots(problem) == [[0, 2], [], [1]]
    assert "passed over: xid" in said(problem, "read")


def test_polis_rows_above_the_header_are_reported(load):
    problem = load("p.csv", "topic,Bikes\n\n" + POLIS, k=2)
    assert said(problem, "read").endswith("passed over: 1 rows before the header")


def test_polis_with_a_header_longer_than_what_is_looked_at(load):
    head = "participant,group-id,n-comments,n-votes,n-agree,n-disagree,"
    names = ",".join(str(10_000 + j) for j in range(2000))
    problem = load("p.csv", f"{head}{names}\n1,0,0,1,1,0,1{',' * 1999}\n", k=8)
    assert problem.n_comments == 2000
    assert ballots(problem) == [[0]]


def test_polis_other_sign(load):
    flipped = load("p.csv", POLIS, k=2, agree_value=-1)
    assert ballots(flipped) == [[1], [], [0]]
    text = said(flipped, "sign")
    assert text.startswith("the columns n-agree and n-disagree fit agree_value 1 (off by 0 votes)")
    with pytest.raises(InstanceError, match="agree_value: expected 1 or -1, got 2"):
        load("p.csv", POLIS, k=2, agree_value=2)


def test_polis_totals_in_comments_csv(load, tmp_path):
    comments = tmp_path / "comments.csv"
    body = "comment-id,agrees,disagrees,moderated,comment-body\n{}99,5,5,1,not in the matrix\n"
    plain = POLIS.replace("n-agree", "n-agreed").replace("n-agreed", "n-agree", 1)
    comments.write_text(body.format('3,1,1,1,"a, b"\n7,1,1,1,c\n12,1,0,1,d\n'))
    problem = load("p.csv", plain, k=2, comments=str(comments))
    assert "sign" not in codes(problem)
    assert problem.meta.origin.files.keys() == {"comments"}
    comments.write_text(body.format("3,1,1,1,a\n7,1,1,1,c\n12,0,1,1,d\n"))
    problem = load("p.csv", plain, k=2, comments=str(comments))
    assert said(problem, "sign").startswith("comments.csv fit agree_value -1 (off by 0 votes)")
    comments.write_text("comment-id,agrees\n3,1\n")
    with pytest.raises(InstanceError, match=r"comments.csv: has no column disagrees"):
        load("p.csv", plain, k=2, comments=str(comments))
    comments.write_text(body.format("3,many,1,1,a\n"))
    with pytest.raises(InstanceError, match=r"comments.csv: line 2: expected a count, got 'many'"):
        load("p.csv", plain, k=2, comments=str(comments))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (POLIS.replace("1,-1,1\n", "1,-2,1\n"), "line 2, column 7: expected 1, -1, 0 or nothing"),
        (POLIS.replace("1,-1,1\n", "1,-1\n"), "line 2: expected 9 cells, got 8"),
        (POLIS.replace(",3,7,12", ",3,7,3"), "comments[2]: '3' is given twice"),
        (POLIS.splitlines()[0], "approvals: there are no users"),
        (POLIS.replace("n-disagree", "n-no"), "line 1: has no column n-disagree"),
    ],
)
def test_bad_polis_file(load, text, message):
    with pytest.raises(InstanceError) as caught:
        load("p.csv", text, k=2)
    assert message in str(caught.value)


def test_k_has_to_be_given(load):
    with pytest.raises(InstanceError, match="k: the file does not say how many comments"):
        load("p.csv", POLIS)


VOTES = "timestamp,datetime,comment-id,voter-id,vote\n3,x,10,a,1\n1,x,10,a,-1\n2,x,9,b,-1\n"


def test_votes_one_a_row(load):
    problem = load("votes.csv", VOTES, k=1)
    assert problem.ids == ("9", "10")
    assert sorted(map(tuple, ballots(problem))) == [(), (1,)]
    assert said(problem, "read") == "2 users, 2 comments, 2 votes, 1 earlier votes replaced"
    other = load("votes.csv", VOTES, k=1, agree_value=-1)
    assert sorted(map(tuple, ballots(other))) == [(), (0,)]
    plain = load("votes.csv", "user,comment,agree\n1,5,1\n1,5,0\n1,6,1\n", k=1)
    assert ballots(plain) == [[1]]
    with pytest.raises(InstanceError, match="line 2, column vote: expected"):
        load("votes.csv", VOTES.replace("a,1", "a,yes"), k=1)
    with pytest.raises(InstanceError, match="line 3: a voter or comment is missing"):
        load("votes.csv", "user,comment,vote\n1,5,1\n1,,1\n", k=1)


# -- tables --------------------------------------------------------------------------------


def test_dense_table_without_header(load):
    problem = load("t.csv", "1,0,1\n0,,0\n0,1,1.0\n", k=2)
    assert problem.ids is None
    assert ballots(problem) == [[0, 2], [], [1, 2]]
    assert "1 blank cells are no approval" in said(problem, "read")


def test_dense_table_with_header(load):
    text = "user,bikes,buses,trees,weight\r\n007,1,0,1,3\r\nx,0,0,0,2\r\n"
    problem = load("t.csv", text, k=2)
    assert problem.ids == ("bikes", "buses", "trees")
    assert ballots(problem) == [[0, 2], []]
    assert problem.weights.tolist() == [3, 2]
    bare = load("t.csv", "a,b,c\n1,0,0\n", k=1)
    assert (bare.ids, ballots(bare)) == (("a", "b", "c"), [[0]])
    with pytest.raises(InstanceError, match="line 2, column weight: expected a whole number"):
        load("t.csv", text.replace(",3\r", ",1.5\r"), k=2)


def test_probabilities(load, shipped):
    text = "0.5,0.49999999999999999999999,0.7\n0.1,0.50000000000000000000001,0\n"
    problem = load("p.csv", text, k=1, threshold="0.5")
    assert ballots(problem) == [[0, 2], [1]]
    real = shipped("remesh_assemble_q4_probabilities.csv.gz", k=8, threshold="0.5")
    made = shipped("remesh_assemble_q4.json.gz")
    assert real.utilities.shape == (105, 105)
    more = sum(set(a) != set(b) for a, b in zip(ballots(real), ballots(made), strict=True))
    assert (len(real.indices) - len(made.indices), more) == (2, 2)  # cells that read 0.5000
    above = real.replace(threshold="0.50001")
    pairs = zip(ballots(above), ballots(made), strict=True)
    assert all(set(a) <= set(b) for a, b in pairs)


def test_probabilities_need_a_threshold(load):
    with pytest.raises(InstanceError) as caught:
        load("p.csv", "0.5,0.2\n1,0.25\n", k=1)
    message = "threshold: expected 0 or 1, got '0.5' (line 1, column 0); give a threshold"
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,0,1\n1,0\n", "line 2: expected 3 cells, got 2"),
        ("1,0,1\n" * 3 + "1,0,nan\n", "line 4, column 2: expected a number, got 'nan'"),
        ("1,0,1\n" * 700 + "1,x,1\n", "line 701, column 1: expected a number, got 'x'"),
        (b"1,0\n0,1\n" * 600 + b"\xff,1\n", "is not UTF-8 text (byte 4800)"),
    ],
)
def test_bad_table(load, text, message):
    with pytest.raises(InstanceError) as caught:
        load("t.csv", text, problem="jr-ranking", k=1)
    assert message in str(caught.value)


def test_other_tables_are_left_to_others(load):
    from fairopt.problems.jr_ranking.files import is_dense

    for text in ("u,v\n0,1\n", "x,y,sex\n0.5,0.25,1\n", "paper,author\np,a\n", "1,2\n3,4\n", ""):
        assert not is_dense(".csv", text.encode())
    assert not is_dense(".json", b"1,0\n0,1\n")


# -- election libraries ----------------------------------------------------------------------

ABC = """description: made by hand
profile: [[0, 1], [1, 2], [], [3]]
voter_weights: [2, 1, 1, 5]
num_cand: 5
committeesize: 2
compute:
- {rule_id: seqpav, result: [[1, 3]]}
"""


def test_abcvoting(load):
    problem = load("x.abc.yaml", ABC)
    assert (problem.k, problem.n_comments, problem.n) == (2, 5, 9)
    assert ballots(problem) == [[0, 1], [1, 2], [], [3]]
    assert load("x.abc.yaml", ABC, k=3).k == 3
    sets = load("y.abc.yaml", "profile:\n- {0, 2}\n- {approved: [1], weight: 3}\n", k=1)
    assert (ballots(sets), sets.weights.tolist(), sets.n_comments) == ([[0, 2], [1]], [1, 3], 3)
    mapped = load("z.yaml", "profile: [[0], [1], [1]]\nweights: {2: 4}\n", k=1)
    assert mapped.weights.tolist() == [1, 1, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profile: [[0, 1]\n", "is not valid YAML"),
        ("ballots: [[0]]\n", "profile: expected a list of ballots"),
        ("profile: [[0], 3]\n", "profile[1]: expected a list of candidates"),
        ("profile: [[a]]\ncommitteesize: 1\n", "profile[0]: expected a whole number, got 'a'"),
        ("profile: [[0, 0]]\ncommitteesize: 1\n", "approvals[0]: comment 0 is given twice"),
        ("profile: [[4]]\nnum_cand: 3\ncommitteesize: 1\n", "approvals[0]: no comment 4"),
        ("profile: [[0]]\ncommitteesize: two\n", "committeesize: expected a whole number"),
        ("profile: [[0]]\nvoter_weights: [0.5]\ncommitteesize: 1\n", "weights[0]: expected a who"),
        ("profile: [[0]]\n", "k: the file does not say"),
        ("- !!python/object/apply:os.getcwd []\n", "is not valid YAML"),
    ],
)
def test_bad_abcvoting(load, text, message):
    with pytest.raises(InstanceError) as caught:
        load("x.abc.yaml", text)
    assert message in str(caught.value)


PB = """META
key;value
description;"a town; 2020"
budget;1000
vote_type;{kind}
PROJECTS
project_id;cost;name
12;300;"Bikes; lanes"
7;250.5;Trees
9;100;Buses
VOTES
voter_id;age;vote{more}
1;30;12,7{one}
2;40;9{two}
3;50;{none}
"""


def pb(kind="approval", more="", one="", two="", none=""):
    return PB.format(kind=kind, more=more, one=one, two=two, none=none)


def test_pabulib(load):
    problem = load("town.pb", pb(), k=2)
    assert problem.ids == ("12", "7", "9")
    assert ballots(problem) == [[0, 1], [2], []]
    assert problem.replace(scores="cost").scores[1] == Fraction(501, 2)
    with pytest.raises(InstanceError, match="k: the file does not say"):
        load("town.pb", pb())


def test_pabulib_points_need_a_threshold(load):
    points = pb("cumulative", ";points", ";3,2", ";5", ";")
    with pytest.raises(InstanceError, match="threshold: the votes are cumulative; give a thresh"):
        load("town.pb", points, k=1)
    assert ballots(load("town.pb", points, k=1, threshold=3)) == [[0], [2], []]
    with pytest.raises(InstanceError, match="threshold: the votes are ordinal"):
        load("town.pb", pb("ordinal"), k=1)
    assert ballots(load("town.pb", pb("ordinal"), k=1, threshold=1)) == [[0], [2], []]
    with pytest.raises(InstanceError, match="line 13: expected 2 points, got 1"):
        load("town.pb", pb("scoring", ";points", ";3", ";5", ";"), k=1, threshold=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (pb().replace("12,7", "12,8"), "line 13: no project '8'"),
        (pb().replace("12,7", "12,12"), "approvals[0]: comment 0 is given twice"),
        (pb("likes"), "vote_type: unknown value 'likes'"),
        (pb().replace("PROJECTS\n", ""), "PROJECTS: the section is missing"),
        (pb().replace("7;250.5", "12;250.5"), "PROJECTS: a project is given twice"),
        (pb().replace("project_id", "id"), "line 7: has no column project_id"),
        (pb().replace("META\n", ""), "line 1: expected one of META, PROJECTS, VOTES"),
    ],
)
def test_bad_pabulib(load, text, message):
    with pytest.raises(InstanceError) as caught:
        load("town.pb", text, k=1)
    assert message in str(caught.value)


HEAD = """# FILE NAME: 00026-00000001.cat
# TITLE: A town
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 9
# NUMBER CATEGORIES: 3
# CATEGORY NAME 1: Yes
# CATEGORY NAME 2: Maybe
# CATEGORY NAME 3: No
# ALTERNATIVE NAME 1: Bikes
# ALTERNATIVE NAME 2: Trees
# ALTERNATIVE NAME 3: Buses
# ALTERNATIVE NAME 4: Cars
"""
ROWS = "5: {1,2},3,{4}\n3: {},{},{1,2,3,4}\n1: 4, {1, 3}, 2\n"


def test_preflib_categories(load):
    problem = load("x.cat", HEAD + ROWS, k=2)
    assert problem.ids == ("Bikes", "Trees", "Buses", "Cars")
    assert (ballots(problem), problem.weights.tolist()) == ([[0, 1], [], [3]], [5, 3, 1])
    assert said(problem, "defaults").startswith("approved is the first category, 'Yes', of 3")
    for approved in ("yes,maybe", "1, 2"):
        more = load("x.cat", HEAD + ROWS, k=2, approved=approved)
        assert ballots(more) == [[0, 1, 2], [], [0, 2, 3]]
    with pytest.raises(InstanceError, match="approved: no category 'perhaps'; choose from Yes"):
        load("x.cat", HEAD + ROWS, k=2, approved="perhaps")


def test_preflib_orders(load):
    head = "".join(line + "\n" for line in HEAD.splitlines() if "CATEGOR" not in line)
    problem = load("x.toc", head + "2: {1,3},{2,4}\n4: 2,1,{3,4}\n", k=1)
    assert (ballots(problem), problem.n) == ([[0, 2], [1]], 6)
    twins = load("x.toi", head.replace("Trees", "Bikes") + "1: {4}\n", k=1)
    assert (twins.ids, ballots(twins)) == (("1", "2", "3", "4"), [[3]])
    with pytest.raises(InstanceError, match="approved: is for files with categories"):
        load("x.toc", head + "1: 1\n", k=1, approved="Yes")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4\n1,Bikes\n", "line 1: expected 'count: order'"),
        ("# TITLE: x\n1: 1\n", "expected '# NUMBER ALTERNATIVES: m'"),
        (HEAD + "1: {1,9}\n", "line 13: no alternative 9; there are 1 to 4"),
        (HEAD + "1: {1,x}\n", "line 13: expected alternatives, got '{1,x}'"),
        (HEAD + "1: {1,1}\n", "approvals[0]: comment 0 is given twice"),
        (HEAD, "approvals: there are no users"),
    ],
)
def test_bad_preflib(load, text, message):
    with pytest.raises(InstanceError) as caught:
        load("x.cat", text, k=1)
    assert message in str(caught.value)


def test_an_option_that_there_is_not(load):
    with pytest.raises(UsageError, match="has no option 'agree'"):
        load("p.csv", POLIS, k=2, agree=1)
