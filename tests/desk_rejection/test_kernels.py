"""The kernels against pure Python twins, on random instances with every kind of paper and cost."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairopt_solvers.desk_rejection.kernels import drop_by_author, insert_in_order
from fairopt_solvers.desk_rejection.kernels_fair import local_search_fair
from fairopt_solvers.desk_rejection.kernels_greedy import greedy_cover
from fairopt_solvers.desk_rejection.kernels_search import local_search
from fairopt_solvers.desk_rejection.kernels_start import search_start
from fairopt_solvers.jit import next_word, random_state, uniform_below, uniform_float

EXAMPLES = settings(max_examples=25, derandomize=True, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)


class Case(NamedTuple):
    """A random packing view, its papers as dicts row -> cost, and the views of the kernels."""

    papers: list[dict[int, int]]
    budget: list[int]
    forced: list[int]
    columns: tuple[Any, ...]
    both: tuple[Any, ...]


def frozen(values: Any, dtype: Any = np.int64) -> Any:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


def listed(groups: list[list[int]]) -> tuple[Any, Any]:
    return frozen([0, *itertools.accumulate(map(len, groups))]), frozen(
        list(itertools.chain(*groups))
    )


def build(papers: list[dict[int, int]], budget: list[int], forced: list[int]) -> Case:
    rows = [[j for j, p in enumerate(papers) if i in p] for i in range(len(budget))]
    col_ptr, col_row = listed([list(p) for p in papers])
    row_ptr, row_col = listed(rows)
    col_cost = frozen([c for p in papers for c in p.values()])
    row_cost = frozen([papers[j][i] for i, row in enumerate(rows) for j in row])
    limit, force = frozen(budget), frozen(forced, np.int8)
    return Case(
        papers,
        budget,
        forced,
        (col_ptr, col_row, col_cost, limit, force),
        (col_ptr, col_row, col_cost, row_ptr, row_col, row_cost, limit, force),
    )


def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, 6)), int(rng.integers(0, 12))
    top = int(rng.choice([1, 4]))
    papers = []
    for _ in range(m):
        rows = sorted(rng.choice(n, size=int(rng.integers(0, min(n, 3) + 1)), replace=False))
        papers.append({int(i): int(rng.integers(1, top + 1)) for i in rows})
    budget = [int(rng.integers(0, 3 * top + 1)) for _ in range(n)]
    forced = [int(f) for f in rng.choice([0, 0, 0, 0, 1, -1], size=m)]
    for j in range(m):  # the papers that must be kept have to fit
        placed = [forced[k] == 1 and k <= j for k in range(m)]
        if forced[j] == 1 and not fits(papers, budget, placed):
            forced[j] = 0
    return build(papers, budget, forced)


def loads(papers: list[dict[int, int]], n: int, kept: Any) -> list[int]:
    return [sum(p.get(i, 0) for p, k in zip(papers, kept, strict=True) if k) for i in range(n)]


def fits(papers: list[dict[int, int]], budget: list[int], kept: Any) -> bool:
    used = loads(papers, len(budget), kept)
    return all(u <= b for u, b in zip(used, budget, strict=True))


def allowed(case: Case, kept: Any) -> bool:
    held = all(f == 0 or (f == 1) == k for f, k in zip(case.forced, kept, strict=True))
    return held and fits(case.papers, case.budget, kept)


def maximal(case: Case, kept: Any) -> bool:
    for j, f in enumerate(case.forced):
        if not kept[j] and f == 0:
            more = [k or i == j for i, k in enumerate(kept)]
            if fits(case.papers, case.budget, more):
                return False
    return True


# --- random numbers ---------------------------------------------------------------------------


class PyRandom:
    """Splitmix64 and Lemire's rejection in Python integers."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def below(self, size: int) -> int:
        while True:
            product = (self.word() >> 32) * size
            if product % 2**32 >= 2**32 % size:
                return product >> 32


@EXAMPLES
@given(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1))
def test_random_helpers_equal_their_twins(seed: int, size: int) -> None:
    state, twin = random_state(seed), PyRandom(seed)
    assert [int(next_word(state)) for _ in range(3)] == [twin.word() for _ in range(3)]
    assert [uniform_below(state, size) for _ in range(9)] == [twin.below(size) for _ in range(9)]
    assert uniform_float(state) == (twin.word() >> 11) / 2**53


def test_splitmix_has_its_published_first_words() -> None:
    state = random_state(1234567)
    assert [int(next_word(state)) for _ in range(2)] == [6457827717110365317, 3203168211198807973]


# --- insertion and policies -------------------------------------------------------------------


def insert_twin(order: Any, charge: bool, case: Case) -> list[bool]:
    kept = [f == 1 for f in case.forced]
    load = loads(case.papers, len(case.budget), kept)
    for j in order:
        if case.forced[j] == 0:
            paper = case.papers[j]
            kept[j] = all(load[i] + c <= case.budget[i] for i, c in paper.items())
            for i, c in paper.items():
                load[i] += c * (kept[j] or charge)
    return kept


@EXAMPLES
@given(SEEDS, st.booleans())
def test_insertion_equals_its_twin(seed: int, charge: bool) -> None:
    case = random_case(seed)
    order = frozen(np.random.default_rng(seed).permutation(len(case.papers)))
    kept = insert_in_order(order, charge, *case.columns)
    assert kept.tolist() == insert_twin(order, charge, case)
    assert allowed(case, kept)
    assert charge or maximal(case, kept)


def drop_twin(rows: Any, lists: Any, case: Case, rng: PyRandom | None) -> tuple[int, list[bool]]:
    kept = [f != -1 for f in case.forced]
    for i in rows:
        choices = [j for j in lists[i] if kept[j] and case.forced[j] != 1]
        while loads(case.papers, len(case.budget), kept)[i] > case.budget[i]:
            if not choices:
                return i, kept
            if rng is not None:
                at = rng.below(len(choices))
                choices[0], choices[at] = choices[at], choices[0]
            kept[choices.pop(0)] = False
    return -1, kept


@EXAMPLES
@given(SEEDS, st.booleans())
def test_dropping_by_author_equals_its_twin(seed: int, uniform: bool) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    n = len(case.budget)
    rows = rng.permutation(n)
    lists = [
        [j for j in rng.permutation(len(case.papers)) if i in case.papers[j]] for i in range(n)
    ]
    kept = np.array([f != -1 for f in case.forced], dtype=bool)
    failed = drop_by_author(
        frozen(rows), *listed(lists), uniform, *case.columns,
        kept, np.zeros(kept.size, np.int64), random_state(seed),
    )  # fmt: skip
    assert failed == -1
    assert allowed(case, kept)
    assert (failed, kept.tolist()) == drop_twin(
        rows, lists, case, PyRandom(seed) if uniform else None
    )


def test_an_author_without_papers_to_drop_is_named() -> None:
    case = build([{0: 1}, {0: 1}], [1], [1, 1])
    kept = np.ones(2, bool)
    answer = drop_by_author(
        frozen([0]), *listed([[0, 1]]), False, *case.columns,
        kept, np.zeros(2, np.int64), random_state(0),
    )  # fmt: skip
    assert answer == 0


# --- greedy -----------------------------------------------------------------------------------


def greedy_twin(case: Case, unit: Any, weight: Any, size: Any) -> list[bool]:
    kept = [f != -1 for f in case.forced]
    need = [u - b for u, b in zip(loads(case.papers, len(unit), kept), case.budget, strict=True)]

    def cover(j: int) -> float:
        return sum(min(c, max(0, need[i])) * unit[i] for i, c in case.papers[j].items())

    while True:
        open_ = [j for j, f in enumerate(case.forced) if kept[j] and f == 0 and cover(j) > 0]
        if not open_:
            break
        j = min(open_, key=lambda k: (weight[k] / cover(k), k))
        kept[j] = False
        for i, c in case.papers[j].items():
            need[i] -= c
    free = [j for j, f in enumerate(case.forced) if not kept[j] and f == 0]
    for j in sorted(free, key=lambda k: (-weight[k] / size[k], k)):
        if all(need[i] + c <= 0 for i, c in case.papers[j].items()):
            kept[j] = True
            for i, c in case.papers[j].items():
                need[i] += c
    return kept


@EXAMPLES
@given(SEEDS)
def test_greedy_equals_its_twin(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    unit = frozen(rng.choice([0.25, 0.5, 1.0], size=len(case.budget)), float)
    weight = frozen(rng.integers(0, 4, size=len(case.papers)), float)
    size = frozen([len(p) + int(rng.integers(1, 3)) for p in case.papers])
    kept = greedy_cover(*case.columns, unit, weight, size)
    assert kept.tolist() == greedy_twin(case, unit, weight, size)
    assert allowed(case, kept)
    assert maximal(case, kept)


@EXAMPLES
@given(SEEDS)
def test_greedy_rejects_at_most_the_harmonic_number_times_the_least(seed: int) -> None:
    case = random_case(seed)
    papers = [dict.fromkeys(p, 1) for p in case.papers]
    case = build(papers, case.budget, [0] * len(papers))
    m = len(papers)
    weight = np.random.default_rng(seed).integers(0, 4, size=m).astype(float)
    kept = greedy_cover(
        *case.columns, np.ones(len(case.budget)), weight, frozen([len(p) + 1 for p in papers])
    )
    answers = itertools.product([False, True], repeat=m)
    least = min(int(weight[~np.array(a, bool)].sum()) for a in answers if allowed(case, a))
    bound = sum(Fraction(1, k) for k in range(1, max(map(len, papers), default=0) + 1))
    assert int(weight[~kept].sum()) <= bound * least


# --- local search -----------------------------------------------------------------------------


def state_of(case: Case, kept: Any) -> tuple[Any, ...]:
    m, n = len(case.papers), len(case.budget)
    places = [np.full(size, 99, np.int64) for size in (n, m, m, 3 * m, 3, 2 * m + 1)]
    return (np.array(kept, bool), *places)


def check_state(case: Case, state: tuple[Any, ...]) -> None:
    kept, load, blocked, where, lists, count, _ = state
    m = kept.size
    assert load.tolist() == loads(case.papers, load.size, kept)
    over = [sum(load[i] + c > case.budget[i] for i, c in p.items()) for p in case.papers]
    assert blocked.tolist() == over
    for j in range(m):
        if kept[j] or case.forced[j] == -1:
            assert where[j] == -1
        else:
            assert lists[where[j]] == j
            assert where[j] // m == min(over[j], 2)
    listed_ = [j for b in range(3) for j in lists[b * m : b * m + count[b]]]
    assert sorted(listed_) == [j for j in range(m) if where[j] >= 0]


def greedy_start(case: Case) -> Any:
    return insert_in_order(frozen(range(len(case.papers))), False, *case.columns)


@EXAMPLES
@given(SEEDS, st.sampled_from([0.0, 0.5]))
def test_local_search_keeps_its_state_and_its_best(seed: int, heat: float) -> None:
    case = random_case(seed)
    weight = frozen(np.random.default_rng(seed).integers(0, 4, size=len(case.papers)), float)
    start = greedy_start(case)
    ends = []
    for slices in ((60,), (1, 29, 30)):
        state = state_of(case, start)
        assert search_start(*case.both, *state) == -1
        check_state(case, state)
        best, total, rng = start.copy(), np.full(2, weight[start].sum()), random_state(seed)
        for moves in slices:
            local_search(*case.both, *state, weight, best, total, heat, 1.0, 0.5, moves, rng)
        check_state(case, state)
        assert allowed(case, best)
        assert allowed(case, state[0])
        assert maximal(case, state[0])
        assert total.tolist() == [weight[state[0]].sum(), weight[best].sum()]
        assert total[1] >= weight[start].sum()
        ends.append((best.tolist(), total.tolist(), int(rng[0])))
    assert ends[0] == ends[1]


@EXAMPLES
@given(SEEDS)
def test_local_search_finds_the_optimum_of_small_instances(seed: int) -> None:
    case = random_case(seed)
    m = len(case.papers)
    weight = frozen(np.random.default_rng(seed).integers(0, 4, size=m), float)
    start = greedy_start(case)
    state = state_of(case, start)
    search_start(*case.both, *state)
    best, total = start.copy(), np.full(2, weight[start].sum())
    local_search(
        *case.both, *state, weight, best, total, 1.0, 2.0, 0.5, 3000, random_state(seed)
    )  # fmt: skip
    answers = itertools.product([False, True], repeat=m)
    assert total[1] == max(weight[np.array(a, bool)].sum() for a in answers if allowed(case, a))


def test_a_start_over_its_limit_is_refused() -> None:
    case = build([{0: 1, 1: 1}, {1: 1}], [1, 1], [0, 0])
    assert search_start(*case.both, *state_of(case, [True, True])) == 1


# --- local search for fairness ----------------------------------------------------------------


def harm_of(case: Case, rng: Any, leximin: bool) -> tuple[list[list[int]], list[int], Any, Any]:
    """Add authors who are on no row, then give levels: each cost its own, or wiped and the rest."""
    n = len(case.budget)
    authors = [[*p, n + int(rng.integers(0, 3))] for p in case.papers]
    sizes = [sum(a in group for group in authors) for a in range(n + 3)]
    costs = [Fraction(x, max(d, 1)) for d in sizes for x in range(d + 1)]
    ranks = {c: r for r, c in enumerate(sorted(set(costs)))} if leximin else {}
    level = frozen([ranks[c] if leximin else int(c == 1) for c in costs])
    return authors, sizes, level, frozen([float(c) + 2 * (c == 1) for c in costs], float)


@EXAMPLES
@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.5]))
def test_fair_search_counts_losses_and_compares_levels_exactly(
    seed: int, leximin: bool, heat: float
) -> None:
    case = random_case(seed)
    m = len(case.papers)
    authors, sizes, level, potential = harm_of(case, np.random.default_rng(seed), leximin)
    offset = frozen([0, *itertools.accumulate(d + 1 for d in sizes)])
    share = frozen([sum(1.0 / sizes[a] for a in group) for group in authors], float)

    def losses(kept: Any) -> list[int]:
        return [sum(a in authors[j] and not kept[j] for j in range(m)) for a in range(len(sizes))]

    def levels(kept: Any) -> list[int]:
        at = [int(level[offset[a] + x]) for a, x in enumerate(losses(kept))]
        return [Counter(at)[rank] for rank in range(level.max() + 1)]

    start = greedy_start(case)
    ends = []
    for slices in ((60,), (1, 29, 30)):
        state = state_of(case, start)
        search_start(*case.both, *state)
        loss, change = np.array(losses(start)), np.zeros(level.max() + 1, np.int64)
        best, mean, rng = start.copy(), np.full(2, share[~start].sum()), random_state(seed)
        harm = (*listed(authors), offset, level, potential, loss, change, np.array([-1]))
        for moves in slices:
            local_search_fair(
                *case.both, *state, *harm, share, best, mean, heat, 1.0, 0.5, moves, rng
            )
        check_state(case, state)
        assert allowed(case, best)
        assert loss.tolist() == losses(state[0])
        now, then = levels(state[0]), levels(best)
        assert change.tolist() == [a - b for a, b in zip(now, then, strict=True)]
        assert mean == pytest.approx([share[~state[0]].sum(), share[~best].sum()], abs=1e-9)
        assert (then[::-1], mean[1]) <= (levels(start)[::-1], share[~start].sum() + 1e-9)
        assert heat > 0 or then[::-1] <= now[::-1]
        ends.append((best.tolist(), int(rng[0])))
    assert ends[0] == ends[1]


# --- memory -----------------------------------------------------------------------------------

OUT_OF_RANGE = """
import numpy as np
from fairopt_solvers.jit import INT, INTS, kernel
@kernel(INT(INTS, INT))
def read(values, place):
    return values[place]
try:
    read(np.zeros(3, np.int64), 3)
except IndexError:
    print("raised")
"""


@pytest.mark.skipif(
    os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="needs NUMBA_BOUNDSCHECK=1, fresh cache"
)
def test_an_out_of_range_read_raises(tmp_path: Path) -> None:
    script = tmp_path / "read.py"
    script.write_text(OUT_OF_RANGE)
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths}
    run = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "raised"


def test_arrays_written_to_must_be_writable() -> None:
    case = build([{0: 1}], [1], [0])
    state = state_of(case, [True])
    state[1].flags.writeable = False
    with pytest.raises(TypeError):
        search_start(*case.both, *state)
