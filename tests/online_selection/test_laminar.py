"""Laminar colouring on random streams: capacities, number of colours, the list, its twin."""

import itertools
from fractions import Fraction
from math import ceil

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fairopt
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.matroids import Laminar
from fairopt_solvers.online_selection.kernels_laminar import insert
from online_selection.brute_online import Plain, laminars, partitions, uniforms


def chains(matroid, e):
    """The sets around an element from the largest to the smallest."""
    return matroid.chain[matroid.chain_ptr[e] : matroid.chain_ptr[e + 1]].tolist()


def twin(matroid, order, a):
    """Algorithm 2 with a Python list; returns the colours and the list."""
    line, colours, seen = [], {}, {}
    for e in order:
        around = [s for s in chains(matroid, e) if seen.get(s)]
        fewest = min(around, key=lambda s: len(seen[s]), default=None)
        inside = [k for k, f in enumerate(line) if fewest is not None and f in seen[fewest]]
        at = inside[-1] + 1 if inside else len(line)
        near = line[max(0, at - a + 1) : at] + line[at : at + a - 1]
        colours[e] = next(c for c in itertools.count(1) if c not in {colours[f] for f in near})
        line.insert(at, e)
        for s in chains(matroid, e):
            seen.setdefault(s, set()).add(e)
    return colours, line


def kernel(matroid, order, a):
    """The same with the kernel."""
    n, sets = matroid.n, len(matroid.capacity)
    before, after = np.full((2, n + 1), -1, np.int64)
    colour, last = np.zeros(n, np.int64), np.full(sets, -1, np.int64)
    insert(
        np.array(order, np.int64), matroid.leaf, matroid.parent, matroid.capacity, a, before,
        after, colour, last, np.zeros(sets, np.int64), np.zeros(0, np.int64),
        np.zeros(2 * a, np.int64),
    )  # fmt: skip
    line, e = [], after[n]
    while e != -1:
        line.append(int(e))
        e = after[e]
    return dict(enumerate(colour.tolist())), line


def stream(data, n):
    """A laminar family on n elements and an order of arrival."""
    content = data.draw(laminars(n))
    sets = [s["elements"] for s in content["sets"]]
    matroid = Laminar.of(n, sets, [s["capacity"] for s in content["sets"]])
    return content, matroid, list(data.draw(st.permutations(range(n))))


@given(st.integers(1, 24), st.integers(1, 4), st.data())
def test_kernel_equals_its_twin_and_keeps_the_invariants(n, a, data):
    _, matroid, order = stream(data, n)
    colours, line = kernel(matroid, order, a)
    assert (colours, line) == twin(matroid, order, a)
    assert sorted(line) == list(range(n))
    assert max(colours.values()) <= 2 * a - 1
    for window in zip(*(line[k:] for k in range(a)), strict=False):
        assert len({colours[e] for e in window}) == a
    for members in matroid.lists():
        places = sorted(line.index(e) for e in members)
        assert not places or places[-1] - places[0] == len(places) - 1
        for c in set(colours.values()):
            assert sum(colours[e] == c for e in members) <= ceil(len(members) / a)


@given(st.integers(1, 24), st.data())
def test_colours_keep_the_capacities(n, data):
    content, matroid, order = stream(data, n)
    problem = OnlineSelection(matroid).replace(**{"arrival.order": order})
    solution = fairopt.solve(problem, "laminar")
    colours = solution.answer.coloring.tolist()
    assert {e for e, c in enumerate(colours) if not c} == set(problem.loops)
    for s in content["sets"]:
        used = [colours[e] for e in s["elements"] if colours[e]]
        assert all(used.count(c) <= s["capacity"] for c in used)
    live = [e for e in range(n) if colours[e]]
    sizes = [(len(set(s["elements"]) & set(live)), s["capacity"]) for s in content["sets"]]
    gamma = max((Fraction(size, c) for size, c in sizes if c), default=Fraction(1))
    alpha = max(1, ceil(gamma))
    assert len(solution.answer.law) == 2 * alpha - 1
    assert not [note for note in solution.notes if note.code == "guarantee-violated"]


@given(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), uniforms(n) | partitions(n))),
    st.data(),
)
def test_cyclic_colours_are_as_fair_as_whole_numbers_allow(pair, data):
    n, matroid = pair
    content = {"problem": "online-selection", "n_elements": n, "matroid": matroid}
    order = list(data.draw(st.permutations(range(n))))
    problem = OnlineSelection.from_json({**content, "arrival": {"order": order}})
    plain = Plain(content)
    solution = fairopt.solve(problem, "laminar")
    assert len(solution.answer.law) == max(1, plain.alpha())
    assert solution.value == (0 if plain.loops else Fraction(1, plain.alpha()))
    listed = fairopt.solve(problem, "laminar", rule="list")
    assert len(listed.answer.law) == 2 * max(1, plain.alpha()) - 1
    for answer in (solution, listed):
        assert fairopt.verify(problem, answer).ok
