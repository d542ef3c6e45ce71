"""Whether lists of sets are the bases, or the circuits, of a matroid."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError

ALL_BASES = 10_000  # up to so many bases the exchange axiom is checked in full
ALL_CIRCUITS = 300
_SAMPLE = 20_000

Words = NDArray[np.uint64]


def _words(sets: Sequence[Sequence[int]], n: int) -> Words:
    """Return sets as rows of 64-bit words."""
    out = np.zeros((len(sets), max(1, -(-n // 64))), np.uint64)
    for k, s in enumerate(sets):
        for e in s:
            out[k, e // 64] |= np.uint64(1 << (e % 64))
    return out


def _ints(sets: Sequence[Sequence[int]]) -> list[int]:
    return [sum(1 << e for e in s) for s in sets]


def check_exchange(bases: Sequence[tuple[int, ...]], n: int) -> bool:
    """Check the exchange axiom on distinct sets of one size; returns whether only a sample was.

    For a base B and x in B let D be the set of all y such that B - x + y is a base. The axiom
    says exactly that every base meets every such D. D depends on B - x alone, so there are at
    most bases times rank of them.

    Raises ``InstanceError`` at ``matroid.bases`` with the pair of bases that fails.
    """
    completions: dict[int, int] = {}
    masks = _ints(bases)
    for mask, base in zip(masks, bases, strict=True):
        for x in base:
            left = mask ^ (1 << x)
            completions[left] = completions.get(left, 0) | (1 << x)
    sampled = len(bases) > ALL_BASES
    rng = random.Random(0)
    items = sorted(completions.items())
    # D sets shared by several B - x need one look only; keep one witness of each.
    witness = {found: left for left, found in items}
    looks = list(witness.items())
    if sampled:
        looks = rng.sample(looks, min(len(looks), max(1, _SAMPLE * 10_000 // len(bases))))
    rows = _words(bases, n)
    words = rows.shape[1]
    for found, left in looks:
        meets = np.zeros(len(bases), np.bool_)
        for w in range(words):
            part = (found >> (64 * w)) & (2**64 - 1)
            if part:
                meets |= (rows[:, w] & np.uint64(part)) != 0
        if not meets.all():
            other = int(np.flatnonzero(~meets)[0])
            mine = masks.index(left | (found & -found))
            x = (found & -found).bit_length() - 1
            raise InstanceError(
                "matroid.bases",
                f"exchange fails: bases[{mine}] without {x} cannot be completed from"
                f" bases[{other}]",
            )
    return sampled


def check_circuits(circuits: Sequence[tuple[int, ...]], n: int) -> bool:
    """Check that circuits form an antichain and can be eliminated; returns if only a sample was.

    Elimination: for distinct circuits with a common element e, their union without e contains
    a circuit. Raises ``InstanceError`` at ``matroid.circuits`` with the pair that fails.
    """
    rows = _words(circuits, n)
    for k in range(len(circuits)):
        inside = ((rows[k] & ~rows) == 0).all(axis=1)  # circuits that contain circuit k
        inside[k] = False
        if inside.any():
            around = int(np.flatnonzero(inside)[0])
            why = f"circuits[{around}] contains circuits[{k}]"
            raise InstanceError("matroid.circuits", why)
    sampled = len(circuits) > ALL_CIRCUITS
    masks = _ints(circuits)
    pairs: Sequence[tuple[int, int]]
    if sampled:
        rng = random.Random(0)
        pairs = [tuple(rng.sample(range(len(circuits)), 2)) for _ in range(_SAMPLE)]  # type: ignore[misc]
    else:
        pairs = [(a, b) for a in range(len(circuits)) for b in range(a)]
    for a, b in pairs:
        common = masks[a] & masks[b]
        if not common:
            continue
        union = rows[a] | rows[b]
        # e may be left out if some circuit inside the union avoids it.
        avoided = ~_meet(rows, union)
        if (missing := common & ~_as_int(avoided)) != 0:
            e = (missing & -missing).bit_length() - 1
            raise InstanceError(
                "matroid.circuits",
                f"elimination fails: no circuit inside circuits[{b}] and circuits[{a}] avoids"
                f" their common element {e}",
            )
    return sampled


def _meet(rows: Words, union: Words) -> Words:
    """Return the elements that all circuits inside ``union`` have in common."""
    inside = rows[((rows & ~union) == 0).all(axis=1)]
    common: Words = np.bitwise_and.reduce(inside, axis=0)
    return common


def _as_int(row: Words) -> int:
    return sum(int(word) << (64 * w) for w, word in enumerate(row.tolist()))
