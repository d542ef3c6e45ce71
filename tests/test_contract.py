"""Every method of every family does what a method has to do."""

import functools
from pathlib import Path

import pytest

import fairopt
from fairopt import registry
from fairopt.options import options_of
from fairopt.testing import check_method

INSTANCES = Path(__file__).parent.parent / "instances"
SMALL = 4_000  # bytes; larger files are for people and benchmarks
RUNS = 200  # of methods that count how often they accept; by default far more
ENOUGH = 8  # instances for one method; all methods of a family together see every instance


@functools.cache
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
    pytest.param(entry.name, row.name, place, id=f"{entry.name}-{row.name}")
    for entry in registry.problem_entries()
    for place, row in enumerate(registry.methods(entry.name))
]


@pytest.mark.parametrize(("problem", "method", "place"), ROWS)
def test_method(problem, method, place):
    instances = small_instances(problem)
    step = -(-len(instances) // ENOUGH)
    mixed = [p for first in range(step) for p in instances[(place + first) % step :: step]]
    known = options_of(registry.find_method(problem, method).function())
    options = {"runs": RUNS} if "runs" in known else None
    check_method(problem, method, mixed, options=options, most=-(-len(instances) // step))
