"""Baselines for groups: each guarantee, counted anew."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fair_clustering import brute
from fair_clustering.examples import EXAMPLES, FLOOR, SOFT, STRICT
from fairopt.errors import UsageError
from fairopt.run import Run
from fairopt_solvers.fair_clustering.bera import most_missed
from fairopt_solvers.fair_clustering.fairlet import stars
from fairopt_solvers.fair_clustering.forms import form_of
from fairopt_solvers.fair_clustering.kernels_quota import take_turns
from fairopt_solvers.fair_clustering.priced import fair_vertex
from fairopt_solvers.fair_clustering.shares import solve_shares
from fairopt_solvers.fair_clustering.tree_fairlet import pieces, quadtree

SEEDS = st.integers(0, 10**6)


def instance(points, groups, fairness, k, **more):
    """Return a problem; ``groups`` may be a dictionary."""
    content = {"problem": "fair-clustering", "points": np.asarray(points).tolist(), "k": k}
    return fairopt.load({**content, "groups": groups, "fairness": fairness, **more})


def counts(problem, labels):
    """Return per attribute the counts (groups, k)."""
    out = []
    for attribute in problem.attributes:
        table = np.zeros((len(attribute.values), problem.k), int)
        np.add.at(table, (attribute.codes, labels), 1)
        out.append(table)
    return out


def balance(problem, labels):
    """Return the least ratio of two groups in a cluster that is not empty."""
    table = counts(problem, labels)[0]
    table = table[:, table.sum(0) > 0]
    return min(Fraction(int(a), int(b)) for a, b in zip(table.min(0), table.max(0), strict=True))


def of_pieces(of, codes):
    """Return (few, many) of every piece."""
    table = np.zeros((int(of.max()) + 1, 2), int)
    np.add.at(table, (of, codes), 1)
    assert np.all(table.sum(1) > 0)
    return np.sort(table, axis=1)


# -- fairlets ---------------------------------------------------------------------------------


def cheapest_stars(distances, most):
    """Return the least sum of an edge cover with at most ``most`` edges a point, by enumeration."""
    rows, columns = distances.shape
    edges = list(itertools.product(range(rows), range(columns)))
    best = np.inf
    for mask in itertools.product((0, 1), repeat=len(edges)):
        table = np.array(mask).reshape(rows, columns)
        degree = np.concatenate([table.sum(0), table.sum(1)])
        if degree.min() >= 1 and degree.max() <= most:
            best = min(best, float((table * distances).sum()))
    return best


@given(SEEDS, st.integers(1, 3), st.integers(1, 3), st.integers(0, 1), st.booleans())
def test_stars_are_the_cheapest(seed, rows, columns, extra, ties):
    rng = np.random.default_rng(seed)
    distances = rng.integers(0, 3, (rows, columns)) * 1.0 if ties else rng.random((rows, columns))
    most = -(-max(rows, columns) // min(rows, columns)) + extra
    codes = rng.permutation(np.repeat([0, 1], [rows, columns]))
    of = stars(distances, codes, most, Run())
    sizes = of_pieces(of, codes)
    assert np.all(sizes[:, 0] == 1)
    assert np.all(sizes[:, 1] <= most)
    first, second = np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)
    paid = sum(
        distances[i, j]
        for i, j in itertools.product(range(rows), range(columns))
        if of[first[i]] == of[second[j]]
    )
    assert paid == pytest.approx(cheapest_stars(distances, most), abs=1e-9)


@pytest.mark.parametrize("method", ["fairlet", "tree-fairlet"])
@given(seed=SEEDS, few=st.integers(1, 12), more=st.integers(0, 20), k=st.integers(1, 4))
def test_fairlets_keep_the_balance(method, seed, few, more, k):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(["r"] * few + ["b"] * (few + more)).tolist()
    points = rng.integers(0, 6, (len(groups), 2)) * 1.0
    least = Fraction(few, few + more)
    for condition in (FLOOR, {"type": "balance", "min_balance": str(Fraction(1, 4) * least)}):
        problem = instance(points, groups, condition, k)
        solution = fairopt.solve(problem, method, starts=2)
        most = -(-(few + more) // few)
        wanted = Fraction(1, most) if condition is FLOOR else Fraction(1, 4) * least
        assert balance(problem, solution.answer.labels) >= wanted


@pytest.mark.parametrize("method", ["fairlet", "tree-fairlet"])
def test_equal_groups_in_strict_proportion(method):
    rng = np.random.default_rng(3)
    problem = instance(rng.normal(size=(60, 3)), list("rb" * 30), STRICT, 4)
    solution = fairopt.solve(problem, method)
    assert balance(problem, solution.answer.labels) == 1
    assert fairopt.verify(problem, solution).ok
    assert not problem.check(solution.answer).violations


@pytest.mark.parametrize("ratio", [(2, 3), (1, 3), (9, 10)])
def test_tree_fairlets_of_any_ratio_are_strict(ratio):
    rng = np.random.default_rng(1)
    groups = ["r"] * (ratio[0] * 12) + ["b"] * (ratio[1] * 12)
    problem = instance(rng.normal(size=(len(groups), 2)), groups, STRICT, 3)
    solution = fairopt.solve(problem, "tree-fairlet")
    assert balance(problem, solution.answer.labels) == Fraction(*ratio)


@given(SEEDS, st.integers(1, 5), st.integers(1, 5), st.integers(1, 40), st.integers(1, 3))
def test_pieces_of_a_tree(seed, few, more, n, d):
    rng = np.random.default_rng(seed)
    wanted = Fraction(few, few + more - 1)
    few, many = wanted.numerator, wanted.denominator
    codes = rng.integers(0, 2, n)
    small, large = sorted(np.bincount(codes, minlength=2).tolist())
    if few * large > many * small:
        codes = np.tile([0, 1], n)
    points = rng.integers(0, 5, (len(codes), d)) * 1.0
    sizes = of_pieces(pieces(points, codes, few, many, Run(seed=seed)), codes)
    assert np.all(sizes.sum(1) <= few + many)
    assert np.all(few * sizes[:, 1] <= many * sizes[:, 0])


@given(SEEDS, st.integers(1, 30))
def test_cells_pass_up_no_more_than_the_excess(seed, pairs):
    rng = np.random.default_rng(seed)
    points, codes = rng.random((2 * pairs, 2)), rng.permutation(np.tile([0, 1], pairs))
    of = pieces(points, codes, 1, 1, Run(seed=seed))
    order, levels = quadtree(points, Run(seed=seed))
    for starts in levels:
        for first, last in itertools.pairwise(starts.tolist()):
            inside = order[first:last]
            both = np.bincount(of[inside], minlength=pairs)
            assert (both == 2).sum() == np.bincount(codes[inside], minlength=2).min()


# -- bera -------------------------------------------------------------------------------------


def labelled(seed, n, attributes, kinds):
    """Return points and labels of several attributes."""
    rng = np.random.default_rng(seed)
    names = "abcde"
    groups = {
        f"a{a}": rng.permutation([names[g % kinds] for g in range(n)]).tolist()
        for a in range(attributes)
    }
    return rng.normal(size=(n, 2)) * rng.choice([0.3, 3.0], (n, 1)), groups


@pytest.mark.parametrize("condition", [STRICT, SOFT, FLOOR, {"type": "bounds", "delta": "0.2"}])
@given(SEEDS, st.integers(6, 40), st.integers(1, 3), st.integers(2, 3), st.integers(1, 4))
def test_bera_misses_no_bound_by_more_than_is_proven(condition, seed, n, attributes, kinds, k):
    points, groups = labelled(seed, n, attributes, kinds)
    problem = instance(points, groups, condition, k)
    solution = fairopt.solve(problem, "bera", starts=2)
    limit = 4 * attributes + 3
    assert most_missed(problem) == limit
    for table, a in zip(counts(problem, solution.answer.labels), problem.attributes, strict=True):
        for g, c in itertools.product(range(len(table)), range(k)):
            share = Fraction(int((a.codes == g).sum()), n)
            low, high = share, share
            if condition["type"] == "bounds":
                low, high = share * Fraction(4, 5), min(Fraction(1), share / Fraction(4, 5))
            size = int(table[:, c].sum())
            assert int(table[g, c]) - high * size <= limit
            assert low * size - int(table[g, c]) <= limit


@given(SEEDS, st.sampled_from(["strict", "bounds", "balance", "gap", "floor-ceil"]))
def test_vertices_are_optima_of_the_whole_program(seed, kind):
    conditions = {
        "strict": STRICT,
        "floor-ceil": FLOOR,
        "bounds": {"type": "bounds", "delta": "0.1"},
        "balance": {"type": "balance", "min_balance": "0.4"},
        "gap": {"type": "gap", "epsilon": "0.1"},
    }
    points, groups = labelled(seed, 30, 2, 2)
    problem = instance(points, groups, conditions[kind], 3)
    distances = brute.distances({"points": points}, points[:3])
    vertex = fair_vertex(form_of(problem), distances, problem.mass, Run())
    whole, _, _ = solve_shares(problem, distances, Run())
    assert (vertex.shares * distances).sum() == pytest.approx((whole * distances).sum(), rel=1e-6)


def test_bera_costs_no_more_than_the_best_shares_and_says_what_is_broken():
    points, groups = labelled(5, 60, 2, 3)
    problem = instance(points, groups, {"type": "bounds", "delta": "0.05"}, 4)
    solution = fairopt.solve(problem, "bera")
    claims = {claim.name: claim.value for claim in solution.claims}
    table = brute.distances({"points": points}, solution.answer.centers)
    paid = table[np.arange(60), solution.answer.labels].sum()
    assert paid <= claims["bound_for_centers"] * (1 + 1e-6)  # no bound on what breaks the rules
    assert claims["unfair_cost"] <= paid * (1 + 1e-12)
    assert any(note.code == "violation" for note in solution.notes)


# -- vfc, round-robin -------------------------------------------------------------------------

UNEQUAL = (150, 150, 50, 50)


@pytest.mark.parametrize("sizes", [(100,) * 4, UNEQUAL])
def test_vfc_turns_to_columns(sizes):
    rng = np.random.default_rng(0)
    top, spread = (3.5, 0.13) if sizes == UNEQUAL else (5.0, 0.1)
    middles = [(1, 1), (2.1, 1), (1, top), (2.1, top)]
    clouds = [rng.normal(c, spread, (m, 2)) for c, m in zip(middles, sizes, strict=True)]
    groups = ["bottom"] * (sizes[0] + sizes[1]) + ["top"] * (sizes[2] + sizes[3])
    most = Fraction(sizes[2] + sizes[3], sizes[0] + sizes[1])
    condition = {"type": "balance", "min_balance": str(most * Fraction(9, 10))}
    problem = instance(np.concatenate(clouds), groups, condition, 2)
    unfair = fairopt.solve(problem, "kmeans")
    assert balance(problem, unfair.answer.labels) == 0
    fair = fairopt.solve(problem, "vfc")
    assert balance(problem, fair.answer.labels) >= most * Fraction(9, 10)
    column = np.repeat([0, 1, 0, 1], sizes)
    assert len({*zip(column.tolist(), fair.answer.labels.tolist(), strict=True)}) == 2
    free = fairopt.solve(problem, "vfc", penalty=0.0)
    assert free.value == pytest.approx(unfair.value, rel=1e-6)


@given(SEEDS, st.integers(1, 40), st.integers(1, 5), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_round_robin_keeps_the_quotas(seed, n, k, share):
    points, groups = labelled(seed, n, 1, 3)
    problem = instance(points, groups, FLOOR, k)
    solution = fairopt.solve(problem, "round-robin", share=share, starts=1)
    table = counts(problem, solution.answer.labels)[0]
    used = int(solution.answer.labels.max()) + 1
    for row in table:
        quota = int(Fraction(str(share)) * int(row.sum()) / k)
        assert np.all(row[:used] >= quota)
        assert used == k or quota == 0


@given(SEEDS)
def test_turns_are_taken_as_defined(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 20)), int(rng.integers(1, 4))
    d = rng.integers(0, 5, (n, k)) * 1.0
    members = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
    quota = len(members) // k
    order = np.ascontiguousarray(np.argsort(d[members], axis=0, kind="stable").T)
    labels = np.full(n, -1)
    assert take_turns(order, members, quota, np.zeros(k, np.int64), labels) == quota * k
    expected, free = np.full(n, -1), members.tolist()
    for c in list(range(k)) * quota:
        nearest = min(free, key=lambda i: (d[i, c], i))
        free.remove(nearest)
        expected[nearest] = c
    assert labels.tolist() == expected.tolist()


# -- all --------------------------------------------------------------------------------------

ALL = ("fairlet", "tree-fairlet", "bera", "vfc", "round-robin", "fair-lloyd")


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("name", ["A1", "B2", "C-kmedian", "D", "H"])
def test_answers_of_the_worked_examples(method, name):
    problem = fairopt.load(EXAMPLES[name][0])
    solution = fairopt.solve(problem, method)
    assert fairopt.verify(problem, solution).ok
    if not problem.check(solution.answer).violations:
        assert solution.value >= EXAMPLES[name][1] - 1e-9


@pytest.mark.parametrize("method", ALL)
def test_seeds_repeat(method):
    rng = np.random.default_rng(2)
    problem = instance(rng.normal(size=(50, 2)), list("rbb" * 16 + "rb"), FLOOR, 3)
    one, two = (fairopt.solve(problem, method, seed=7) for _ in range(2))
    assert one.answer_json == two.answer_json


@pytest.mark.parametrize(
    ("method", "change", "words"),
    [
        ("fairlet", {"groups": list("abc")}, "two values"),
        ("tree-fairlet", {"groups": {"one": list("aab"), "two": list("abb")}}, "one attribute"),
        ("fairlet", {"weights": [1, 2, 3]}, "weights"),
        ("bera", {"weights": [1, 2, 3]}, "weights"),
        ("bera", {"fairness": {"type": "gap", "epsilon": 0.5}}, "gap"),
    ],
)
def test_what_a_method_does_not_serve(method, change, words):
    content = {"points": [[0], [1], [2]], "groups": list("aab"), "fairness": SOFT, "k": 2}
    problem = fairopt.load({"problem": "fair-clustering", **content, **change})
    with pytest.raises(UsageError, match=words):
        fairopt.solve(problem, method)


def test_options_out_of_range():
    problem = fairopt.load(EXAMPLES["B1"][0])
    with pytest.raises(UsageError, match="most"):
        fairopt.solve(problem, "fairlet", most=1)
    with pytest.raises(UsageError, match="share"):
        fairopt.solve(problem, "round-robin", share=1.5)


@pytest.mark.parametrize("method", ALL)
def test_no_cluster_is_empty_where_none_may_be(method):
    rng = np.random.default_rng(4)
    points = np.repeat(rng.normal(size=(2, 2)), 12, axis=0)  # two places, three clusters
    problem = instance(points, list("rb" * 12), STRICT, 3, allow_empty=False)
    solution = fairopt.solve(problem, method)
    assert set(solution.answer.labels.tolist()) == {0, 1, 2}
