"""Perturbed opinions, and the bounds on manipulation against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import fairopt
from fairopt.cli.app import cli
from fairopt.errors import UsageError
from fairopt.problems.selective_aggregation.verbs import bounds, robustness
from fairopt_solvers.selective_aggregation import robust
from selective_aggregation.draw import large


def orders(ballots, **more):
    rows = [{"weight": w, "order": list(order)} for w, order in ballots]
    said = {"type": "orders", "ballots": rows}
    data = {"problem": "selective-aggregation", "items": ["a", "b"], "preferences": said}
    return fairopt.load(data | more)


def test_nothing_changes_without_a_share():
    problem = large(np.random.default_rng(1), 8, 9).replace(tau="2/5")
    found = robust.perturbed(problem, trials=3, share=0.0, seed=0)
    for kind in ("missing", "changed"):
        assert all(values == [0, 0, 0] for values in found[kind].values())


def test_dropped_opinions_only_take_comparisons_away_under_strict():
    problem = large(np.random.default_rng(2), 12, 15).replace(tau="2/5")
    found = robust.perturbed(problem, trials=20, share=0.2, seed=3)
    assert max(found["missing"]["added"]) == max(found["missing"]["inversions"]) == 0
    assert max(found["missing"]["lost"]) > 0
    assert found == robust.perturbed(problem, trials=20, share=0.2, seed=3)
    everything = robust.perturbed(problem, trials=1, share=1.0, seed=0)
    compared = fairopt.solve(problem).value
    assert everything["missing"]["lost"] == [compared]


def test_opinions_are_kept_in_number():
    problem = large(np.random.default_rng(4), 7, 9)
    counts = problem.profile.counts
    cells = robust._cells(counts)
    rng = np.random.default_rng(0)
    fewer = robust._redrawn(counts, cells, 0.25, "missing", rng)
    other = robust._redrawn(counts, cells, 0.25, "changed", rng)
    total = int(cells.sum())
    assert int(robust._cells(fewer).sum()) == total - round(0.25 * total)
    assert int(robust._cells(other).sum()) == total
    assert np.all(robust._cells(other).sum(1) == cells.sum(1))


@pytest.mark.parametrize("total", [3, 4, 7, 10])
def test_so_many_judges_must_change(total):
    """For two items: all ways the judges may vote before and after."""
    for c in range((total - 1) // 2 + 1):
        tau = Fraction(c, total)
        least = min(
            max(0, before - after)
            for before, after in itertools.product(range(total + 1), repeat=2)
            if total - before <= c and after <= c
        )
        problem = orders([(total, "ab")], tau=str(tau))
        assert bounds(problem)["judges_to_change"] == least


@pytest.mark.parametrize("total", [3, 5, 8])
def test_so_many_judges_must_join(total):
    for c in range(1, (total - 1) // 2 + 1):
        tau = Fraction(c, total)
        problem = orders([(total, "ab")], tau=str(tau))
        said = bounds(problem)["judges_to_join"]
        for q in range(said + 1):
            # all new judges say "b above a"; at least W - c of the old ones said "a above b"
            inverted = Fraction(total - c, total + q) <= tau
            assert inverted == (q >= said)


def test_on_the_command_line(tmp_path):
    fairopt.save(orders([(9, "ab"), (1, "ba")], tau="1/5"), tmp_path / "x.json")
    run = CliRunner().invoke(cli, ["robustness", str(tmp_path / "x.json"), "--trials", "5"])
    assert run.exit_code == 0, run.output
    assert "6 judges (by weight) must change" in " ".join(run.output.split())
    with pytest.raises(UsageError, match="needs tau"):
        robustness(orders([(1, "ab")]))
    with pytest.raises(UsageError, match="trials"):
        robustness(orders([(1, "ab")], tau=0), trials=0)
    assert robustness(orders([(1, "ab")], tau=0, convention="available"), trials=2).show[-1]
