"""Tables, edge lists and exports: what is read, and how what is wrong is named."""

import gzip
from fractions import Fraction
from pathlib import Path

import pytest

from fairopt.errors import InstanceError, UsageError
from fairopt.files import load, save
from fairopt.problems.desk_rejection import DeskRejection
from fairopt.problems.desk_rejection.view import describe

FILES = Path(__file__).parents[2] / "instances" / "desk_rejection"


@pytest.fixture
def read(tmp_path):
    def read(text, name="venue.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path, options.pop("problem", "desk-rejection"), **options)

    return read


def shape(problem):
    return {
        paper: [problem.author_ids[i] for i in problem.authors_of(j)]
        for j, paper in enumerate(problem.paper_ids)
    }


TWO = {"p1": ["x", "y"], "p2": ["x"]}


@pytest.mark.parametrize(
    "text",
    [
        "paper,authors\np1,x y\np2,x\n",
        "paper,authors\np1,x;y\np2,x\n",
        "paper,authors\r\np1,x; y\r\np2, x \r\n",
        "\ufeffpaper,authors\np1,x y\np2,x",
        "authors;paper\nx y;p1\nx;p2\n",
        "paper\tauthors\np1\tx;y\np2\tx\n",
        '# from the chairs\npaper,authors\n"p1","x y"\n#p9,z\np2,x\n\n',
        "paper,author1,author2\np1,x,y\np2,x,\n",
        "author,paper\nx,p1\ny,p1\nx,p2\n",
        "paper,author\np1,x\np2,x\np1,y\n",
        "paper_id;author\np1;x\np1;y\np2;x\n",
        "id,authors\np1,x y\np2,x\n",
        "id,title,authors,authorids\np1,On A,Ann A;Bo B,x;y\np2,On B,Ann A,x\n",
        "id,authorids\np1,\"['x', 'y']\"\np2,['x']\n",
    ],
)
def test_every_layout_gives_the_same_problem(read, text):
    assert shape(read(text)) == TWO


def test_columns_of_papers(read):
    problem = read(
        "status,weight,paper,authors,order,must_keep,must_reject\n"
        "active,0.1,p1,x y,7,1,\nwithdrawn,3,p2,x,1,,\n,2/3,p3,x,0,no,true\n"
    )
    assert problem.paper_ids == ("p1", "p3")
    assert problem.weight.to_list() == [Fraction(1, 10), Fraction(2, 3)]
    assert problem.policy_order.tolist() == [1, 0]
    assert problem.must_keep.tolist() == [True, False]
    assert problem.must_reject.tolist() == [False, True]


def test_decimal_comma_needs_the_option(read):
    text = "paper;authors;weight\np1;x y;0,5\n"
    assert read(text, decimal=",").weight.to_list() == [Fraction(1, 2)]
    with pytest.raises(InstanceError, match=r"line 2: weight: '0,5' has a decimal comma"):
        read(text)


def test_ids_are_exact_texts(read):
    assert shape(read("paper,authors\n007,X x\n7,x\n")) == {"007": ["X", "x"], "7": ["x"]}
    folded = read("paper,authors\nP,X\nq,x\n", fold_case=True)
    assert folded.author_ids == ("x",)
    assert folded.paper_ids == ("p", "q")
    assert read("paper,authors\n p ,x\n").paper_ids == (" p ",)
    assert read("paper,authors\n p ,x\n", strip=True).paper_ids == ("p",)


def test_names_with_blanks(read):
    text = "paper,authors\np1,Ann Lee;Bo Li\np2,Ann Lee\n"
    assert read(text).author_ids == ("Ann Lee", "Bo Li")
    assert read("paper,authors\np2,Ann Lee\n").author_ids == ("Ann", "Lee")
    assert read("paper,authors\np2,Ann Lee\n", separator=";").author_ids == ("Ann Lee",)


def test_dedupe_and_anonymous_papers(read):
    assert shape(read("paper,authors\np1,x y x\n", dedupe=True)) == {"p1": ["x", "y"]}
    assert shape(read("author,paper\nx,p1\nx,p1\n", dedupe=True)) == {"p1": ["x"]}
    assert shape(read("paper,authors\np1,\n", allow_anonymous=True)) == {"p1": []}


def test_gzip_by_content(read):
    assert shape(read(gzip.compress(b"paper,authors\np1,x y\np2,x\n"), name="a.csv")) == TWO


def test_ratings_of_an_export(read):
    text = "id,authorids,rating_avg,status\np1,x;y,5.25,Active\np2,x,,Withdrawn Submission\n"
    with pytest.raises(InstanceError, match=r"line 3: rating_avg: is blank"):
        read(text)
    problem = read(text, missing_weight="0")
    assert problem.paper_ids == ("p1",)
    assert problem.weight.to_list() == [Fraction(21, 4)]


def test_json_export(read):
    plain = b'[{"id": "p1", "authorids": ["x", "y"], "authors": ["A", "B"], "rating_avg": 5.5},'
    nested = (
        b'{"id": "p2", "content": {"authorids": {"value": ["x"]}, "rating_avg": {"value": 3}}}]'
    )
    problem = read(plain + nested, name="notes.json")
    assert shape(problem) == TWO
    assert problem.weight.to_list() == [Fraction(11, 2), 3]


BROKEN = {
    "ragged": ("paper,authors\np1,x\np2,x,9\n", "line 3: expected 2 cells, got 3"),
    "unknown column": ("paper,authors,wieght\np1,x,2\n", "line 1: unknown column 'wieght'"),
    "column twice": ("paper,authors,weight,weight\np1,x,2,2\n", "line 1: column 'weight' is"),
    "no number": ("paper,authors,weight\n#\np1,x,heavy\n", "line 3: weight: expected a number"),
    "negative": ("paper,authors,weight\np1,x,-2\n", "line 2: weight: expected at least 0"),
    "infinite": ("paper,authors,weight\np1,x,inf\n", "line 2: weight: expected a number"),
    "author twice": ("paper,authors\np1,x x\n", "line 2: authors: author 'x' is given twice"),
    "pair twice": ("author,paper\nx,p\nx,p\n", "line 3: author 'x' is given twice on paper 'p'"),
    "empty author": ("paper,authors\np1,x;;y\n", "line 2: authors: an author id is empty"),
    "no author": ("paper,authors\np1,x\np2,\n", "line 3: authors: must not be empty"),
    "empty cell": ("author,paper\n,p\n", "line 2: author: must not be empty"),
    "empty paper": ("paper,authors\n,x\n", "line 2: id: must not be empty"),
    "paper twice": ("paper,authors\np,x\np,y\n", "line 3: id: 'p' is given twice"),
    "bad flag": ("paper,authors,must_keep\np,x,maybe\n", "line 2: must_keep: expected true or"),
    "bad status": ("paper,authors,status\np,x,gone\n", "line 2: status: unknown value 'gone'"),
    "bad order": ("paper,authors,order\np,x,1.5\n", "line 2: order: expected an integer"),
    "open quote": ('paper,authors\n"p,x\n', "line 2: is not valid CSV"),
    "two author layouts": ("paper,authors,author1\np,x,y\n", "has both columns authors"),
    "two paper columns": ("paper,paper_id,authors\np,q,x\n", "expected one column of"),
    "bad list": ("id,authorids\np,[1\n", "line 2: authorids: expected a list of texts"),
    "no table": ("title\nx\n", "fits no known format"),
    "not UTF-8": (b"paper,authors\np,\xff\n", "is not UTF-8 text (byte 16)"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_table_names_line_and_column(read, name):
    text, message = BROKEN[name]
    with pytest.raises(InstanceError) as caught:
        read(text)
    said = str(caught.value)
    assert said.split("venue.csv: ", 1)[1].startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'[{"id": 3, "authors": []}]', r"\[0\].id: expected a text"),
        (b'[{"id": "p", "authors": "x"}]', r"\[0\].authorids: expected a list of texts"),
        (b'[{"id": "p", "authors": ["x"], "rating_avg": "good"}]', r"\[0\].rating_avg"),
        (b'[{"id": "p", "authors": ["x"], "rating_avg": 1}, {"id": "q", "authors": ["x"]}]',
         r"\[1\].rating_avg: is missing"),
        (b'[{"id": "p", "authors": ["x", "x"]}]', r"papers\[0\].authors: author 'x'"),
    ],
)  # fmt: skip
def test_a_broken_export_names_the_field(read, text, message):
    with pytest.raises(InstanceError, match=message):
        read(text, name="notes.json")


def test_unknown_reader_option(read):
    with pytest.raises(UsageError, match="no option 'points'"):
        read("paper,authors\np,x\n", points="a")


def test_nomination_edges(read):
    text = "author,paper,p_irresponsible\nx,p1,0.1\ny,p1,1/3\nx,p2,0.1\n"
    problem = read(text, problem=None)
    assert problem.problem == "reviewer-nomination"
    assert shape(problem) == TWO
    assert problem.p_irresponsible.to_list() == [Fraction(1, 10), Fraction(1, 3)]
    with pytest.raises(InstanceError, match="line 4: p_irresponsible: 1/5 for 'x'"):
        read(text.replace("x,p2,0.1", "x,p2,0.2"), problem=None)


@pytest.mark.parametrize(
    ("name", "sizes"), [("coauth_cora", (2388, 1072, 4585)), ("coauth_dblp", (41302, 22363, 99561))]
)
def test_real_instances(name, sizes):
    problem = load(FILES / f"{name}.csv.gz", "desk-rejection")
    size = problem.size()
    assert (size["papers"], size["authors"], size["incidences"]) == sizes
    limited = problem.replace(limit=10)
    assert limited.meta.origin.set == {"limit": 10}
    assert f"{limited.size()['over_limit']:,} authors over the limit" in describe(limited)


def test_tables_survive_writing(tmp_path, read):
    text = "paper,authors,weight,must_keep\np1,x y,1/3,1\np2,x,2,0\n"
    problem = read(text)
    save(problem, tmp_path / "again.csv.gz")
    assert load(tmp_path / "again.csv.gz", "desk-rejection").digest() == problem.digest()
    save(problem, tmp_path / "again.json")
    assert load(tmp_path / "again.json").digest() == problem.digest()
    with pytest.raises(UsageError, match="cannot hold limit"):
        save(problem.replace(limit=1), tmp_path / "limited.csv")


def test_from_edges_and_from_csv(tmp_path):
    problem = DeskRejection.from_edges(["x", "y", "x"], ["p1", "p1", "p2"], limit=1)
    assert shape(problem) == TWO
    assert problem.over_limit.tolist() == [True, False]
    numbers = DeskRejection.from_edges([1, 2, 1], [10, 10, 11])
    assert numbers.author_ids == ("1", "2")
    path = tmp_path / "e.csv"
    path.write_text("author,paper\nx,p1\ny,p1\nx,p2\n")
    assert shape(DeskRejection.from_csv(path)) == TWO
    with pytest.raises(InstanceError, match="author 'x' is given twice on paper 'p'"):
        DeskRejection.from_edges(["x", "x"], ["p", "p"])
    with pytest.raises(InstanceError, match="2 authors but 1 papers"):
        DeskRejection.from_edges(["x", "y"], ["p"])


@pytest.mark.parametrize("path", sorted(FILES.glob("*.json")), ids=lambda p: p.stem)
def test_instances_survive_their_file(path, tmp_path):
    problem = load(path)
    save(problem, tmp_path / "again.json")
    again = load(tmp_path / "again.json")
    assert again.digest() == problem.digest()
    assert again.meta.expected == problem.meta.expected
