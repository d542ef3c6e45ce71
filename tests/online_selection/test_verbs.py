"""The commands of the family, and what is said to people."""

import pytest
from click.testing import CliRunner

import fairopt
from fairopt.cli.app import cli
from fairopt.errors import UsageError
from fairopt.problems.online_selection import view
from fairopt.problems.online_selection.verbs import simulate, worst_order


@pytest.fixture
def k4(request):
    folder = request.config.rootpath / "instances" / "online_selection"
    return fairopt.load(folder / "w2.json").replace(**{"information.alpha": 2})


def test_simulate_lists_the_least_often_accepted_first(k4):
    found = simulate(k4, method="first-fit", runs=3000, seed=1, top=4)
    table = found.show[0]
    assert len(table.rows) == 4
    assert [row[1] for row in table.rows] == sorted(row[1] for row in table.rows)
    assert sum(found.data["counts"]) == pytest.approx(3000 * 6 / 3, rel=0.1)
    for _, _, rate, low, high in table.rows:
        assert low <= rate <= high
        assert low <= 1 / 3 <= high
    assert "3,000 runs" in table.title
    with pytest.raises(UsageError, match="runs"):
        simulate(k4, runs=0)


def test_simulate_on_the_command_line(k4, tmp_path):
    from click.testing import CliRunner

    from fairopt.cli.app import cli

    fairopt.save(k4, tmp_path / "k4.json")
    words = ["simulate", str(tmp_path / "k4.json"), "--runs", "100", "--order-model", "random"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert "at_most" in done.output


def test_worst_order_names_the_elements_and_says_what_it_proves(k4, tmp_path):
    found = worst_order(k4)
    assert found.data["exhaustive"]
    assert sorted(found.data["elements"]) == sorted(k4.name_of(e) for e in range(6))
    assert "no order needs more" in found.show[0]
    fairopt.save(k4, tmp_path / "k4.json")
    done = CliRunner().invoke(cli, ["worst-order", str(tmp_path / "k4.json")])
    assert done.exit_code == 0, done.output
    assert f"needs {found.data['colors']} colours" in " ".join(done.output.split())
    many = fairopt.generate("online-selection", "random-graph", vertices=12, edges=30, seed=1)
    few = worst_order(many, steps=50)
    assert not few.data["exhaustive"]
    assert few.data["tried"] == 50
    assert "others may need more" in few.show[0]
    with pytest.raises(UsageError, match="steps"):
        worst_order(many, steps=0)


def test_every_figure_of_a_check_has_a_label(k4):
    from fairopt.problems.online_selection import Selection

    weighed = type(k4)(k4.matroid, weights=[1, 2, 3, 4, 5, 6])
    rule = {"name": "degeneracy", "degeneracy": 2, "q": "1/3"}
    answers = [
        Selection.uniform_colors([1, 1, 1, 2, 2, 3], 3),
        Selection.single([0, 1, 2], range(6), {"rule": "greedy"}),
        Selection.estimated([1] * 6, 2, rule=rule),
    ]
    labels = {row[0] for row in view.FIGURES}
    for answer in answers:
        assert set(weighed.check(answer, figures="all").figures) <= labels


def test_describe(k4):
    said = view.describe(k4)
    assert said == (
        "6 elements, graphic (4 vertices); information parameters (alpha 2), fixed order"
    )
    matching = fairopt.generate("online-selection", "cycle-matching")
    assert "2-matchoid (5 parts of type uniform)" in view.describe(matching)


def test_a_simulated_value_is_called_one(request, tmp_path):
    karate = str(request.config.rootpath / "instances/online_selection/karate.json")
    out = str(tmp_path / "solution.json")
    words = ["solve", karate, "--method", "random-order", "--set", "runs=200", "-o", out]
    solved = CliRunner().invoke(cli, words)
    assert solved.exit_code == 0
    assert "certified smallest acceptance probability" in solved.output
    checked = CliRunner().invoke(cli, ["verify", karate, out]).output
    assert "on a simulation (--confirm simulation" in " ".join(checked.split())
    assert "solver" not in checked
