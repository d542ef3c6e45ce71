"""Lotteries over independent sets of a matroid: exact ones, and good ones where those are large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairopt.run import Run
from fairopt_solvers.online_selection.oracles import Oracle
from fairopt_solvers.online_selection.partition import Stopped, TooLarge, pack, partition

Bools = NDArray[np.bool_]
Set = tuple[int, ...]
_ENTRIES = 2_000_000  # total size of the sets of a lottery that is not exact
_CELLS = 100_000_000  # sets times elements
_SETS = 1_000


@dataclass(frozen=True, slots=True)
class Lottery:
    """Sets with probabilities, and the smallest probability with which an element is drawn."""

    draws: tuple[tuple[Set, Fraction], ...]
    least: Fraction

    @staticmethod
    def of(member: Bools) -> Lottery:
        """Return the lottery that draws each row with the same probability."""
        rows, n = member.shape
        times = Counter(tuple(np.flatnonzero(row).tolist()) for row in member)
        draws = tuple((s, Fraction(k, rows)) for s, k in times.items())
        least = Fraction(int(member.sum(axis=0).min()), rows) if rows and n else Fraction(0)
        return Lottery(draws, least)

    def lifted(self, index: Iterable[int]) -> Lottery:
        """Return the lottery with element k named ``index[k]``."""
        names = list(index)
        return Lottery(tuple((tuple(names[e] for e in s), p) for s, p in self.draws), self.least)


def first(oracle: Oracle) -> Lottery:
    """Return the classes of first fit, each with the same probability; one pass."""
    colour = oracle.first_fit(np.arange(oracle.n))
    return Lottery.of(colour == np.arange(1, int(colour.max(initial=0)) + 1)[:, None])


def packed(oracle: Oracle, gamma: Fraction, run: Run) -> Lottery:
    """Return a greedy lottery of moderate size whose least probability is close to 1/gamma.

    So many sets that k copies of every element just fit into them.
    """
    most = min(_SETS, _ENTRIES // max(1, oracle.rank()), _CELLS // max(1, oracle.n))
    copies = max(1, int(most / gamma))
    sets = -(-copies * gamma.numerator // gamma.denominator)
    return Lottery.of(pack(oracle, sets, copies + 1, expired=run.expired))


def exact(oracle: Oracle, gamma: Fraction, run: Run) -> tuple[Lottery | None, bool]:
    """Return a lottery with least probability 1/gamma, gamma = p/q: p classes that cover q times.

    The flag says whether it is exact; if not, it is the packing to start from, as far as it came,
    or None if the classes are too large for memory.
    """
    p, q = gamma.numerator, gamma.denominator
    if p * oracle.n > _CELLS:
        return None, False
    start = pack(oracle, p, q, expired=run.expired)
    try:
        cover = partition(oracle, p, q, packed=start, expired=run.expired)
    except (Stopped, TooLarge):
        return (Lottery.of(start), False) if len(start) else (None, False)
    if cover.classes is None:
        return Lottery.of(start), False
    return Lottery.of(cover.classes), True
