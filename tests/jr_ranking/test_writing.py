"""Writers: what was written is read back, and what a format cannot hold is refused by name."""

import pytest

import fairopt
from fairopt.errors import UsageError
from fairopt.problem import Meta
from fairopt.problems.jr_ranking import JrRanking

VOTES = [[0, 2], [], [1], [0, 1, 2, 3], [3]]
NAMES = ("Bikes", "More trees, please", "{3}", "1: x")


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1, 1]])
@pytest.mark.parametrize(
    ("name", "ids", "read"),
    [
        ("x.abc.yaml", None, {}),
        ("x.yml", None, {}),
        ("x.abc.yaml.gz", None, {}),
        ("x.cat", NAMES, {"k": 2}),
    ],
)
def test_written_and_read_back(tmp_path, name, ids, read, weights):
    problem = JrRanking.from_ballots(VOTES, n_comments=4, k=2, ids=ids, weights=weights)
    fairopt.save(problem, tmp_path / name)
    again = fairopt.load(tmp_path / name, **read)
    assert again.digest() == problem.digest()
    rows = zip(again.indptr[:-1].tolist(), again.indptr[1:].tolist(), strict=True)
    assert [again.indices[a:b].tolist() for a, b in rows] == VOTES


def test_written_by_hand_and_by_us_alike(tmp_path):
    problem = JrRanking.from_ballots(
        [[0, 1], [2]], n_comments=3, k=1, ids=["a", "b", "c"], meta=Meta(name="two\nlines")
    )
    fairopt.save(problem, tmp_path / "x.cat")
    assert (tmp_path / "x.cat").read_text().splitlines() == [
        "# TITLE: two lines",
        "# DATA TYPE: cat",
        "# NUMBER ALTERNATIVES: 3",
        "# NUMBER VOTERS: 2",
        "# NUMBER UNIQUE PREFERENCES: 2",
        "# NUMBER CATEGORIES: 2",
        "# CATEGORY NAME 1: approved",
        "# CATEGORY NAME 2: not approved",
        "# ALTERNATIVE NAME 1: a",
        "# ALTERNATIVE NAME 2: b",
        "# ALTERNATIVE NAME 3: c",
        "1: {1,2},3",
        "1: 3,{1,2}",
    ]


@pytest.mark.parametrize(
    ("name", "more", "lost"),
    [
        ("x.yaml", {"ids": ["a", "b"]}, "ids of comments"),
        ("x.cat", {}, "comments without ids"),
        ("x.cat", {"ids": ["a", "b "]}, "ids with blanks around or breaks"),
        ("x.cat", {"ids": ["a", "b\rc"]}, "ids with blanks around or breaks"),
        ("x.yaml", {"scores": [1, 2], "quota": "droop"}, "scores, quota"),
        ("x.yaml", {"axiom": "none", "forced": [0], "forbidden": [1]}, "axiom, forced, forbidden"),
        ("x.yaml", {"mode": "ranking", "score_sets": {"s": [1, 2]}}, "score_sets, mode"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path, name, more, lost):
    problem = JrRanking.from_ballots([[0]], n_comments=2, k=1, **more)
    with pytest.raises(UsageError, match=f"cannot hold {lost}; write .json"):
        fairopt.save(problem, tmp_path / name)
    assert not (tmp_path / name).exists()
