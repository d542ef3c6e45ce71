"""The instances that are shipped, and the generators."""

from fractions import Fraction

import numpy as np
import pytest

import fairopt
from fairopt import UsageError, registry


@pytest.fixture
def folder(request):
    return request.config.rootpath / "instances" / "fair_clustering"


def test_every_file_is_read_and_has_the_values_it_names(folder):
    files = sorted(folder.glob("*.json"))
    assert len(files) == 23
    for path in files:
        problem = fairopt.load(path)
        assert problem.meta.source
        assert problem.meta.licence
        for name, value in problem.meta.expected.items():
            if name not in problem.objectives:
                continue
            asked = problem.replace(objective=name)
            method = "bounded-cost" if asked.fairness.type == "bounded-cost" else "exact"
            solution = fairopt.solve(asked, method)
            assert solution.value == pytest.approx(float(Fraction(str(value))), rel=1e-9)


def test_real_data(folder):
    adult = fairopt.load(folder / "adult.csv.gz", points="age,final_weight", group="sex,race", k=10)
    assert adult.n == 32_561
    assert [a.name for a in adult.attributes] == ["sex", "race"]
    assert sorted(adult.group_masses[0].tolist()) == [10_771, 21_790]
    bank = fairopt.load(folder / "bank_small.csv.gz", points="age", group="marital", k=2)
    assert dict(zip(bank.attributes[0].values, bank.group_masses[0], strict=True)) == {
        "married": 2797, "single": 1196, "divorced": 528,
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(registry.generators("fair-clustering")))
def test_generators_repeat_and_vary(name):
    make = registry.generators("fair-clustering")[name]
    one, two, other = make(seed=1), make(seed=1), make(seed=2)
    assert one.digest() == two.digest()
    assert one.digest() != other.digest()
    solution = fairopt.solve(one, "auto", time_limit=20)
    assert solution.answer is not None


def test_planted_clusters_are_found():
    problem = fairopt.generate("fair-clustering", "planted-fair", points=60, clusters=3)
    fair, unfair = fairopt.solve(problem, "fca"), fairopt.solve(problem, "kmeans")
    assert fair.value == pytest.approx(unfair.value, rel=1e-9)
    assert np.ptp(fair.figures["sizes"]) == 0


def test_unfair_clusters_of_blobs_part_the_groups():
    problem = fairopt.generate("fair-clustering", "vfc-synthetic")
    unfair = fairopt.solve(problem, "kmeans")
    fair = fairopt.solve(problem, "fca")
    assert unfair.figures["balance"]["group"] == 0
    assert fair.figures["balance"]["group"] == 1
    assert fair.figures["price_of_fairness"] > 1


def test_generators_refuse_what_cannot_be():
    with pytest.raises(UsageError, match="points"):
        fairopt.generate("fair-clustering", "planted-fair", points=2)
