"""Every method of every family does what a method has to do."""

from pathlib import Path

import pytest

import fairopt
from fairopt import registry
from fairopt.testing import check_method

INSTANCES = Path(__file__).parent.parent / "instances"
SMALL = 4_000  # bytes; larger files are for people and benchmarks


def small_instances(problem):
    """Return the small shipped instances: one with every objective, the others with one each."""
    loaded = [
        fairopt.load(p) for p in sorted(INSTANCES.glob("*/*.json")) if len(p.read_bytes()) < SMALL
    ]
    out = []
    for k, instance in enumerate(p for p in loaded if p.problem == problem):
        names = instance.objectives
        chosen = names if k == 0 else [names[k % len(names)]]
        for objective in chosen:
            try:
                out.append(instance.replace(objective=objective))
            except fairopt.InstanceError:
                continue  # not defined for this instance
    return out


ROWS = [
    pytest.param(entry.name, row.name, id=f"{entry.name}-{row.name}")
    for entry in registry.problem_entries()
    for row in registry.methods(entry.name)
]


@pytest.mark.parametrize(("problem", "method"), ROWS)
def test_method(problem, method):
    check_method(problem, method, small_instances(problem))
