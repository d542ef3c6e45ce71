"""The instances that are shipped: known values, as far as no solver is needed."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import fairopt
from fairopt.problems.jr_ranking import Feed, justifying
from fairopt.problems.jr_ranking.values import top_order
from fairopt.solution import encode

# k = 8, Hare: instance, score, value and level of the k best, users covered by them
KNOWN = [
    ("remesh_campus_q2", "approvals", "1385", (680, 308), 211),
    ("remesh_campus_q2", "diverse_approval", "4.21673", (520, 308), 238),
    ("remesh_campus_q3", "approvals", "1502", (384, 310), 234),
    ("remesh_campus_q4", "approvals", "1536", (504, 306), 237),
    ("remesh_campus_q4", "diverse_approval", "4.85331", (536, 306), 229),
    ("remesh_foreign_q3", "approvals", "1795", (496, 310), 240),
    ("remesh_assemble_q1", "approvals", "1886", (368, 305), 257),
    ("remesh_assemble_q4", "approvals", "603", (104, 105), 91),
    ("remesh_assemble_q6", "approvals", "1436", (456, 307), 234),
    ("polis_climate_b", "agree_rate", "7.79", (1928, 1116), 440),
    ("polis_climate_b", "seeded_random", "7.9063", (2600, 1116), 250),
    ("polis_city", "seeded_random", "7.9584", (4624, 2031), 191),
    ("polis_rideshare", "approvals", "4738", (336, 1921), 1161),
]
SIZES = {
    "remesh_campus_q2": (308, 308), "remesh_campus_q3": (310, 310),
    "remesh_campus_q4": (306, 307), "remesh_foreign_q3": (310, 311),
    "remesh_assemble_q1": (305, 305), "remesh_assemble_q4": (105, 105),
    "remesh_assemble_q6": (307, 307), "polis_climate_b": (1116, 522), "polis_city": (2031, 896),
    "polis_rideshare": (1921, 197), "polis_policing": (26, 36),
}  # fmt: skip


@pytest.fixture
def folder(request):
    return request.config.rootpath / "instances" / "jr_ranking"


def enumerated(problem):
    feeds = itertools.permutations if problem.mode == "ranking" else itertools.combinations
    checks = (problem.check(Feed(s)) for s in feeds(range(problem.n_comments), problem.k))
    return max(check.value for check in checks if not check.violations)


def test_every_file_is_read(folder):
    files = sorted(folder.glob("*.json*"))
    assert len(files) == 28
    for path in files:
        problem = fairopt.load(path)
        assert problem.problem == "jr-ranking"
        assert problem.meta.source
        assert problem.meta.licence


def test_small_instances_have_the_values_they_name(folder):
    small = [p for p in sorted(folder.glob("*.json")) if p.stem != "price_tight_3"]
    assert len(small) == 11
    for path in small:
        problem = fairopt.load(path)
        expected = dict(problem.meta.expected)
        value = enumerated(problem)
        shown = value if isinstance(value, float) else encode(value)
        assert str(shown) == str(expected.pop("score")), path.stem
        gamma = expected.pop("min_justifying_size", None)
        if gamma is not None:
            assert justifying.refuted_below(problem, gamma)
            sets = itertools.combinations(range(problem.n_comments), gamma)
            assert any(justifying.is_justifying(problem, s) for s in sets)
        expected.pop("price", None)
        for name, other in expected.items():
            axiom = name.removeprefix("score_").replace("_plus", "+")
            assert encode(enumerated(problem.replace(axiom=axiom))) == other, name


def test_sizes(folder):
    for name, size in SIZES.items():
        problem = fairopt.load(folder / f"{name}.json.gz")
        assert (problem.n, problem.n_comments) == size


@pytest.mark.parametrize(("name", "scores", "value", "level", "covered"), KNOWN)
def test_the_best_comments_of_real_data(folder, name, scores, value, level, covered):
    problem = fairopt.load(folder / f"{name}.json.gz").replace(k=8, scores=scores)
    check = problem.check(Feed(top_order(problem)))
    assert abs(check.value - Fraction(value)) <= Fraction(1, 200_000)
    assert check.figures["jr_level"] == Fraction(*level)
    assert check.figures["coverage"] == covered
    assert bool(check.violations) is (check.figures["jr_level"] >= 1)
    assert check.value == problem.recompute({"rule": "top-k"})


def test_justifying_sets_of_real_data_are_tiny_and_proven(folder):
    """Two comments leave no whole quota out in most questions, and one does not."""
    for name in ("remesh_campus_q2", "remesh_campus_q4", "remesh_assemble_q6"):
        problem = fairopt.load(folder / f"{name}.json.gz").replace(k=8)
        found = next(
            s
            for s in itertools.combinations(np.argsort(-problem.sup).tolist(), 2)
            if justifying.is_justifying(problem, s)
        )
        data = {"rule": "enumeration", "set": list(found)}
        assert problem.recompute(data, "min_justifying_size") == 2
