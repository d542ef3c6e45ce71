"""Generated instances: same seed, same instance; the shape that the name promises."""

import numpy as np
import pytest

from desk_rejection import brute
from fairopt import registry
from fairopt.errors import UsageError
from fairopt.problems.desk_rejection import DeskRejection, ReviewerNomination

ROWS = [
    (problem, name)
    for problem in ("desk-rejection", "reviewer-nomination")
    for name in registry.generators(problem)
]


@pytest.mark.parametrize(("problem", "name"), ROWS)
def test_same_seed_same_instance_and_it_survives_its_file(problem, name):
    make = registry.generators(problem)[name]
    first, again, other = make(seed=1), make(seed=1), make(seed=2)
    assert first.problem == problem
    assert first.digest() == again.digest()
    random = name not in ("star", "odd-cycle", "projective-plane")
    assert (first.digest() != other.digest()) == random
    assert type(first).from_json(first.to_json()).digest() == first.digest()


def generate(name, **parameters):
    return registry.generators("desk-rejection")[name](**parameters)


def test_sizes_of_random_instances():
    problem = generate("random-uniform", papers=200, authors=30, per_paper=4, limit=5)
    assert problem.n_papers == 200
    assert (problem.paper_size == 4).all()
    assert problem.limit == 5
    powers = generate("powerlaw", papers=2000, authors=500, alpha=0.7, seed=3)
    assert 5.0 < powers.paper_size.mean() < 5.6
    assert powers.degree[:5].min() > np.median(powers.degree)


def test_a_paper_may_have_every_author():
    problem = generate("random-uniform", papers=20, authors=4, per_paper=4)
    assert (problem.degree == 20).all()
    crowded = generate("powerlaw", papers=20, authors=6, alpha=10, coauthors=1000)
    assert (crowded.paper_size == 6).all()


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_no_ideal_in_a_star(limit):
    problem = generate("star", limit=limit)
    least = brute.best(problem.to_json(), "collateral")
    assert least == (0 if limit == 0 else 1)


@pytest.mark.parametrize(("length", "limit"), [(3, 1), (5, 1), (3, 3)])
def test_parity_in_an_odd_cycle(length, limit):
    problem = generate("odd-cycle", length=length, limit=limit)
    assert (problem.degree == 2 * limit).all()
    assert brute.best(problem.to_json(), "collateral") == 1


@pytest.mark.parametrize("order", [2, 3, 5])
def test_projective_planes_are_planes(order):
    problem = generate("projective-plane", order=order)
    size = order**2 + order + 1
    incidence = np.zeros((size, size), int)
    incidence[problem.paper_of_incidence, problem.paper_author] = 1
    assert (incidence @ incidence.T == np.eye(size) * order + 1).all()
    assert (incidence.T @ incidence == np.eye(size) * order + 1).all()


def test_a_planted_cover_is_there():
    problem = generate("x3c", triples=3, decoys=4, seed=5)
    assert brute.best(problem.to_json(), "max-accept") == 3
    assert brute.best(problem.to_json(), "collateral") == 0
    assert generate("x3c", triples=3, decoys=4, planted=False).n_papers == 7


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("random-uniform", {"papers": -1}, "papers: expected 0 to"),
        ("random-uniform", {"authors": 0}, "authors: expected 1 to"),
        ("random-uniform", {"authors": 2, "per_paper": 3}, "per_paper: expected 1 to 2, got 3"),
        ("random-uniform", {"papers": 10**7, "authors": 9, "per_paper": 9}, "papers times"),
        ("powerlaw", {"alpha": -1}, "alpha"),
        ("powerlaw", {"alpha": float("nan")}, "alpha"),
        ("powerlaw", {"limit": -1}, "limit"),
        ("odd-cycle", {"length": 4}, "length: expected an odd number"),
        ("odd-cycle", {"length": 1}, "length: expected 3"),
        ("projective-plane", {"order": 4}, "order: expected a prime, got 4"),
        ("x3c", {"triples": 0}, "triples"),
        ("star", {"limit": -1}, "limit"),
    ],
)
def test_bad_parameters_are_named(name, parameters, message):
    with pytest.raises(UsageError, match=message):
        generate(name, **parameters)


def test_empty_instances():
    assert generate("random-uniform", papers=0).n_papers == 0
    assert generate("powerlaw", papers=0).n_authors == 0


def test_classes_are_found_by_name():
    assert registry.problem_class("desk_rejection") is DeskRejection
    assert registry.problem_class("reviewer-nomination") is ReviewerNomination
    assert [verb.name for verb in registry.view("desk-rejection").VERBS] == ["authors"]
    import fairopt.problems.desk_rejection as family

    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        family.Nothing  # noqa: B018
