"""Files: JSON round trips, tables, graphs, matrices, applicants; generators; other names."""

import gzip
import json
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import fairopt
from fairopt import registry
from fairopt.errors import InstanceError, UsageError
from fairopt.files import dump_json, parse_json
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.independence import dependent
from fairopt.problems.online_selection.matroids import KINDS
from fairopt.problems.online_selection.view import describe
from online_selection.brute_online import Plain, contents

PROBLEM = "online-selection"


@pytest.fixture
def write(tmp_path):
    def put(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


@given(contents())
def test_json_round_trip(content):
    problem = OnlineSelection.from_json(content)
    written = parse_json(dump_json(problem.to_json()))
    again = OnlineSelection.from_json(written)
    assert again.digest() == problem.digest()
    assert again.to_json() == problem.to_json()
    assert describe(problem)
    explicit = {
        **written,
        "arrival": {"model": problem.arrival.model, "order": problem.order.tolist()},
    }
    assert OnlineSelection.from_json(explicit).digest() == problem.digest()


@given(contents(least=2))
def test_other_questions_have_other_digests(content):
    problem = OnlineSelection.from_json(content)
    digests = {problem.digest()}
    digests.add(problem.replace(**{"information.alpha": 7}).digest())
    digests.add(problem.replace(**{"information.model": "known"}).digest())
    digests.add(problem.replace(**{"arrival.order": problem.order[::-1].tolist()}).digest())
    assert len(digests) == 4


@given(contents())
def test_reordered_and_renamed_are_the_same_question(content):
    problem, plain = OnlineSelection.from_json(content), Plain(content)
    other = problem.reordered(np.random.default_rng(1))
    shuffled = Plain({"n_elements": plain.n, "matroid": other.to_json()["matroid"]})
    assert sorted(map(len, shuffled.good)) == sorted(map(len, plain.good))
    assert shuffled.density() == plain.density()
    renamed = problem.renamed(lambda name: f"{name}-z")
    if renamed is not None:
        assert renamed.digest() != problem.digest()
        named = Plain({"n_elements": plain.n, "matroid": renamed.to_json()["matroid"]})
        assert named.good == plain.good


def test_every_kind_is_generated_by_the_random_instances():
    seen = set()

    @given(contents())
    def collect(content):
        seen.add(content["matroid"]["type"])

    collect()
    assert len(seen) > 6
    assert seen <= {kind.type for kind in KINDS}


@pytest.mark.parametrize("header", ["u,v", "V,U", "source;target", "source\ttarget", '"u","v"'])
def test_edge_table(write, header):
    mark = next((c for c in ";\t" if c in header), ",")
    path = write(
        "g.csv", f"# a triangle\n{header}\n" + "\n".join(map(mark.join, ("12", "23", "13")))
    )
    problem = fairopt.load(path, PROBLEM)
    edges = [(1, 2), (2, 3), (1, 3)]
    assert [tuple(sorted(e)) for e in problem.matroid.edges] == edges
    assert problem.name == "g"


def test_edge_table_names_weights_and_kinds(write):
    path = write("g.csv", "u,v,weight\n07,8,1\n8,x,1/2\n")
    problem = fairopt.load(path, PROBLEM)
    assert problem.matroid.edges == [("07", "8"), ("8", "x")]
    assert problem.weights.to_list() == [1, Fraction(1, 2)]
    assert fairopt.load(path, PROBLEM, matroid="cographic").loops == (0, 1)
    matching = fairopt.load(path, PROBLEM, matroid="matching").matroid
    assert dependent(matching, [0, 1], [0, 0]) == [0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("u,v\n1,2\n1\n", "line 3: expected 2 cells, got 1"),
        ("u,v\n1,2\n\n3,\n", "line 4, column v: must not be empty"),
        ("u,v,weight\n1,2,x\n", "line 2, column weight: expected a number"),
        ("u,v,u\n1,2,3\n", "has two columns 'u'"),
        ('u,v\n"1,2\n', "line 2: is no row of a table"),
    ],
)
def test_bad_edge_tables(write, text, message):
    with pytest.raises(InstanceError) as caught:
        fairopt.load(write("g.csv", text), PROBLEM)
    assert message in str(caught.value)


def test_edge_table_is_written_and_read_back(tmp_path):
    problem = fairopt.generate(PROBLEM, "random-graph", vertices=9, edges=14, seed=4)
    fairopt.save(problem, tmp_path / "g.csv.gz")
    assert gzip.decompress((tmp_path / "g.csv.gz").read_bytes()).startswith(b"u,v\n")
    assert fairopt.load(tmp_path / "g.csv.gz", PROBLEM).digest() == problem.digest()
    for other in (
        fairopt.generate(PROBLEM, "uniform"),
        problem.replace(**{"information.alpha": 2}),
    ):
        with pytest.raises(UsageError, match="cannot hold"):
            fairopt.save(other, tmp_path / "h.csv")


def test_graph_formats_agree(write, tmp_path):
    graph = nx.karate_club_graph()
    edges = sorted(tuple(sorted(e)) for e in graph.edges())
    plain = nx.Graph()
    plain.add_nodes_from(range(34))
    plain.add_edges_from(graph.edges())
    nx.write_graphml(plain, tmp_path / "a.graphml")
    nx.write_gml(plain, tmp_path / "b.gml")
    nx.write_graph6(plain, tmp_path / "c.g6")
    nx.write_sparse6(plain, tmp_path / "d.s6")
    col = "c a comment\np edge 34 78\n" + "".join(f"e {u + 1} {v + 1}\n" for u, v in graph.edges())
    write("e.col", col)
    write("f.edges", "% karate\n" + "".join(f"{u} {v}\n" for u, v in graph.edges()))
    for name in ("a.graphml", "b.gml", "c.g6", "d.s6", "e.col", "f.edges"):
        found = [tuple(sorted(e)) for e in fairopt.load(tmp_path / name, PROBLEM).matroid.edges]
        shift = 1 if name == "e.col" else 0
        assert sorted((u - shift, v - shift) for u, v in found) == edges, name
    named = nx.florentine_families_graph()
    nx.write_graphml(named, tmp_path / "n.graphml")
    assert fairopt.load(tmp_path / "n.graphml", PROBLEM).matroid.edges == list(named.edges())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.graphml", "<graphml>", "is no GraphML"),
        ("b.gml", "graph [ node ]", "is no GML"),
        ("c.g6", "\x01\x02", "is no graph6"),
        ("c.g6", "Bw Bw", "expected one graph, got 2"),
        ("d.col", "e 1 2\n", "line 1: expected 'p edge n m'"),
        ("d.col", "p edge 2 1\ne 1 3\n", "line 2: vertices are 1 to 2"),
        ("d.col", "p edge 2 1\ne 1 x\n", "line 2: expected a whole number"),
        ("e.edges", "1 2\n1 2 3\n", "line 2: expected two names, got 3"),
        ("m.mtx", "1 2 3\n", "line 1: expected '%%MatrixMarket"),
        ("m.mtx", "%%MatrixMarket matrix coordinate complex general\n", "line 1: cannot read"),
        ("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 0.5\n",
         "line 3: use integers, got 0.5"),
        ("m.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 3 1\n",
         "line 3: no cell (1, 3)"),
        ("m.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n",
         "expected 2 entries, got 1"),
        ("m.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n1 1 2\n",
         "line 4: cell (1, 1) is given twice"),
    ],
)  # fmt: skip
def test_bad_graphs_and_matrices(write, name, text, message):
    with pytest.raises(InstanceError) as caught:
        fairopt.load(write(name, text), PROBLEM)
    assert message in str(caught.value)


def test_matrix_market(write):
    text = "%%MatrixMarket matrix coordinate integer general\n% w6\n3 4 7\n"
    cells = [(1, 1), (2, 1), (2, 2), (3, 2), (1, 3), (3, 3), (1, 4)]
    path = write("m.mtx", text + "".join(f"{i} {j} 1\n" for i, j in cells))
    over_q, mod_2 = fairopt.load(path, PROBLEM), fairopt.load(path, PROBLEM, field="2")
    assert over_q.matroid.to_json()["columns"] == [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]]
    assert dependent(over_q.matroid, [0, 1, 2], [0, 0, 0]) == []
    assert dependent(mod_2.matroid, [0, 1, 2], [0, 0, 0]) == [0]
    dense = write("d.mtx", "%%MatrixMarket matrix array real general\n2 2\n1.0\n2.\n-3\n4\n")
    assert fairopt.load(dense, PROBLEM).matroid.to_json()["columns"] == [[1, 2], [-3, 4]]
    skew = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"
    assert fairopt.load(write("s.mtx", skew), PROBLEM).matroid.matrix.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InstanceError, match=r"matroid\.field"):
        fairopt.load(path, PROBLEM, field="4")


def test_applicants(request):
    folder = request.config.rootpath / "instances" / "online_selection"
    caps = str(folder / "applicants_caps.csv")
    problem = fairopt.load(folder / "applicants.csv", PROBLEM, caps=caps)
    assert problem.labels[:2] == ("a01", "a02")
    sets = {s["name"]: s for s in problem.matroid.to_json()["sets"]}
    assert sets["*"] == {"name": "*", "elements": list(range(12)), "capacity": 4}
    assert sets["Kings>North"]["elements"] == [0, 1, 2, 3, 4]
    assert "Lake>North" not in sets
    assert set(problem.meta.origin.files) == {"caps"}
    by_region = fairopt.load(
        folder / "applicants.csv", PROBLEM, caps=caps, nested="school>county>region"
    )
    assert by_region.digest() == problem.digest()


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        ("path,capacity\nElm,2\nOak,1\n", "line 3, column path: no applicant is in 'Oak'"),
        ("path,capacity\nElm,2\nElm,1\n", "line 3, column path: 'Elm' is given twice"),
        ("path,capacity\nElm,-2\n", "line 2, column capacity: expected at least 0"),
        ("path,capacity\nElm,two\n", "line 2, column capacity: expected a whole number"),
        ("school,capacity\nElm,2\n", "has no column 'path'"),
    ],
)
def test_bad_caps(write, caps, message):
    path = write("a.csv", "applicant,school\nAda,Elm\n")
    with pytest.raises(InstanceError) as caught:
        fairopt.load(path, PROBLEM, caps=str(write("caps.csv", caps)))
    assert message in str(caught.value)
    assert "caps.csv" in str(caught.value)


def test_applicants_need_caps_and_known_columns(write):
    path = write("a.csv", "applicant,school\nAda,Elm\n")
    with pytest.raises(UsageError, match="needs the option 'caps'"):
        fairopt.load(path, PROBLEM)
    caps = str(write("c.csv", "path,capacity\n*,1\n"))
    with pytest.raises(InstanceError, match="has no column 'county'"):
        fairopt.load(path, PROBLEM, caps=caps, nested="county")


def test_bipartite(write):
    problem = fairopt.load(write("b.csv", "left,right\na,1\nb,1\na,2\nc,\n"), PROBLEM)
    assert problem.labels == ("a", "b", "c")
    assert problem.matroid.to_json()["neighbors"] == [[1, 2], [1], []]
    assert problem.loops == (2,)
    with pytest.raises(InstanceError, match="line 3, column right: '1' is given twice for 'a'"):
        fairopt.load(write("c.csv", "left,right\na,1\na,1\n"), PROBLEM)


def test_no_clash_with_other_families(write):
    """Tables of papers are not tables of edges; what fits several problems is named."""
    papers = write("p.csv", "paper,authors\np,x y\n")
    assert fairopt.load(papers).problem == "desk-rejection"
    with pytest.raises(InstanceError, match="fits no known format"):
        fairopt.load(papers, PROBLEM)


@pytest.mark.parametrize("name", sorted(registry.generators(PROBLEM)))
def test_generators_are_reproducible_and_valid(name):
    one, two, other = (fairopt.generate(PROBLEM, name, seed=s) for s in (1, 1, 2))
    assert one.digest() == two.digest()
    assert OnlineSelection.from_json(json.loads(dump_json(one.to_json()))).digest() == one.digest()
    random = name.startswith(("random", "general", "bipartite", "laminar", "partition"))
    assert (one.digest() != other.digest()) == random
    assert not one.loops or name == "laminar-school"
    assert one.name
    assert one.meta.source


def test_planted_part_is_dense():
    problem = fairopt.generate(
        PROBLEM,
        "random-graph",
        vertices=50,
        edges=120,
        planted_vertices=8,
        planted_edges=28,
        seed=3,
    )
    inside = [e for e in problem.matroid.edges if max(e) < 8]
    assert len(inside) == 28
    assert problem.n_elements == 120
    assert len(set(problem.matroid.edges)) == 120


def test_edges_arrive_in_the_order_of_networkx():
    grid = fairopt.generate(PROBLEM, "grid", rows=4, columns=3)
    expected = [(3 * a + b, 3 * c + d) for (a, b), (c, d) in nx.grid_2d_graph(4, 3).edges()]
    assert grid.matroid.edges == expected
    named = fairopt.generate(PROBLEM, "named-graph", graph="karate")
    assert named.matroid.edges == list(nx.karate_club_graph().edges())
