"""Tables, arrays, and the command line on them."""

import io

import numpy as np
import pytest
from click.testing import CliRunner

import fairopt
from fairopt import InstanceError, UsageError
from fairopt.cli.app import cli

PEOPLE = "name,age,income,sex,weight\n" + "".join(
    f"p{i},{20 + 3 * i},{1000 * (i % 4)}.5,{'fm'[i % 2]},{1 + i % 2}\n" for i in range(8)
)


def written(tmp_path, text, name="people.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_table(tmp_path):
    path = written(tmp_path, PEOPLE)
    problem = fairopt.load(path, points="age,income", group="sex", k=2)
    assert problem.points[:2].tolist() == [[20, 0.5], [23, 1000.5]]
    assert problem.attributes[0].name == "sex"
    assert problem.attributes[0].values == ("f", "m")
    assert (problem.fairness.type, problem.fairness.rounding) == ("proportional", "floor-ceil")
    assert "defaults" in {note.code for note in problem.notes()}
    weighted = fairopt.load(path, points=["age"], group=["sex"], weight="weight", k=2)
    assert weighted.mass.tolist() == [1, 2] * 4
    assert weighted.fairness.rounding == "soft"
    plain = fairopt.load(path, points="age", k=2)
    assert plain.fairness.type == "none"


def test_semicolons_quotes_and_byte_order_marks(tmp_path):
    text = '\ufeff"age";"job";"y"\r\n58;"management";"no"\r\n44;"technician, senior";"yes"\r\n'
    problem = fairopt.load(written(tmp_path, text), points="age", group="job,y", k=1)
    assert problem.points[:, 0].tolist() == [58, 44]
    assert problem.attributes[0].values == ("management", "technician, senior")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (PEOPLE, {"points": "age,height", "k": 2}, "height"),
        (PEOPLE, {"points": "age,name", "k": 2}, "line 2, column name"),
        (PEOPLE, {"points": "age,age", "k": 2}, "twice"),
        (PEOPLE, {"points": "age", "group": "age", "k": 2}, "twice"),
        (PEOPLE, {"points": "age"}, "--set k"),
        ("a,b\n1,2\n3\n", {"points": "a", "k": 1}, "line 3"),
        ("a,b\n1,2\n\n3,4\n", {"points": "a", "k": 1}, "line 3"),
        ("a,b\n1,x\n3,\n", {"points": "a", "group": "b", "k": 1}, "line 3, column b"),
        ("a,b\n", {"points": "a", "k": 1}, "no points"),
        ("a,b\n1,2\nnan,3\n", {"points": "a", "k": 1}, "line 3, column a"),
    ],
)
def test_bad_tables_name_the_place(tmp_path, text, options, words):
    with pytest.raises(InstanceError, match=words):
        fairopt.load(written(tmp_path, text), **options)


def test_an_unknown_column_names_who_asked(tmp_path):
    path = written(tmp_path, PEOPLE)
    for options, where in (
        ({"points": "age,size"}, "points: no column 'size'"),
        ({"points": "age", "group": "race"}, "group: no column 'race'"),
        ({"points": "age", "weight": "w"}, "weight: no column 'w'"),
    ):
        with pytest.raises(InstanceError, match=where):
            fairopt.load(path, k=2, **options)


def test_a_table_needs_to_be_told_its_columns(tmp_path):
    with pytest.raises(InstanceError, match="with --points"):
        fairopt.load(written(tmp_path, PEOPLE))


def test_arrays(tmp_path):
    x = np.arange(12.0).reshape(6, 2)
    sex = np.array(list("ababab"))
    np.savez(tmp_path / "a.npz", points=x, sex=sex, w=np.ones(6))
    problem = fairopt.load(tmp_path / "a.npz", group="sex", weight="w", k=2)
    assert problem.points.tolist() == x.tolist()
    assert problem.weights is None
    table = np.column_stack([x, [0, 1, 0, 1, 0, 1]])
    np.save(tmp_path / "b.npy", table)
    columns = fairopt.load(tmp_path / "b.npy", group="2", k=2)
    assert columns.points.tolist() == x.tolist()
    assert columns.attributes[0].values == ("0", "1")
    with pytest.raises(InstanceError, match="no array"):
        fairopt.load(tmp_path / "a.npz", group="age", k=2)
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"x": 1}], dtype=object), allow_pickle=True)
    written(tmp_path, buffer.getvalue(), "c.npy")
    with pytest.raises((InstanceError, UsageError)):
        fairopt.load(tmp_path / "c.npy", k=1)


def test_points_file(tmp_path):
    path = written(tmp_path, PEOPLE)
    data = {"problem": "fair-clustering", "points_file": str(path), "columns": ["age"], "k": 2}
    assert fairopt.load(data).points[:, 0].tolist() == [20 + 3 * i for i in range(8)]


def test_command_line(tmp_path):
    path = str(written(tmp_path, PEOPLE))
    out = str(tmp_path / "s.json")
    run = CliRunner().invoke(
        cli,
        ["solve", path, "--set", "k=2", "--points", "age,income", "--group", "sex",
         "--set", 'preprocess=["zscore"]', "--output", out],
    )  # fmt: skip
    assert run.exit_code == 0, run.output
    for words in ("price of fairness", "best possible balance", "floor-ceil"):
        assert words in run.output
    again = CliRunner().invoke(cli, ["verify", path, out])
    assert again.exit_code == 0, again.output
    gap = CliRunner().invoke(
        cli,
        ["solve", path, "--set", "k=2", "--points", "age", "--group", "sex",
         "--set", "fairness.epsilon=0.25"],
    )  # fmt: skip
    assert gap.exit_code == 0, gap.output
    assert "gap at most 1/4" in " ".join(gap.output.split())
