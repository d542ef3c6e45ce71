"""Compile matroids and matchoids into the flat tables that the kernels read."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.problems.online_selection.kinds import pointers

Ints = NDArray[np.int64]

# As in ``kernels_parts``, which is not imported here because it loads Numba.
LAMINAR, GRAPHIC, COGRAPHIC, TRANSVERSAL, GF2, GFP, BASES, CIRCUITS = range(8)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One matroid as numbers: its kind, its size, what the kernels read, the space they need.

    ``a`` and ``b`` are sizes that depend on the kind; ``cells`` is the state of one level,
    ``words`` the room of one element in the pool, ``stamps`` and ``free`` are scratch.
    """

    kind: int
    n: int
    data: Ints
    a: int
    b: int
    cells: int
    words: int = 0
    stamps: int = 0
    free: int = 0
    twin: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All parts of a system, and which number each element has in which part."""

    n: int
    parts: Ints
    ptr: Ints
    part_of: Ints
    local: Ints
    data: Ints
    cells: int
    words: int
    work: Ints
    twins: bool

    @property
    def arrays(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """What every kernel takes first."""
        return self.parts, self.ptr, self.part_of, self.local, self.data


def parts_of(matroid: Any, primes: Sequence[int]) -> list[tuple[Part, Ints]]:
    """Return the parts of a matroid or matchoid, each with its elements in local order."""
    if matroid.type == "matchoid":
        out = []
        for inner in matroid.parts:
            elements = np.asarray(inner.elements, np.int64)
            for part, local in parts_of(inner.matroid, primes):
                out.append((part, elements[local]))
        return out
    everything = np.arange(matroid.n)
    return [(part, everything) for part in _COMPILE[matroid.type](matroid, primes)]


def build(n: int, parts: Sequence[tuple[Part, Ints]]) -> Table:
    """Lay the parts out one behind the other."""
    rows = np.zeros((len(parts), 9), np.int64)
    data_at = cell_at = pool_at = 0
    for j, (part, _) in enumerate(parts):
        kind = (part.kind, data_at, cell_at, pool_at, part.n, part.a, part.b)
        rows[j] = (*kind, part.cells, part.twin)
        data_at += part.data.size
        cell_at += part.cells
        pool_at += part.words * part.n
    stamps = max((part.stamps for part, _ in parts), default=0)
    free = max((part.free for part, _ in parts), default=0)
    work = np.zeros(3 + stamps + free, np.int64)
    work[2] = 3 + stamps
    none = np.zeros(0, np.int64)
    element = np.concatenate([none, *(e for _, e in parts)])
    part_of = np.repeat(np.arange(len(parts)), np.array([len(e) for _, e in parts], np.int64))
    local = np.concatenate([none, *(np.arange(len(e)) for _, e in parts)])
    order = np.argsort(element, kind="stable")
    ptr = pointers(np.bincount(element, minlength=n))
    data = np.concatenate([none, *(p.data for p, _ in parts)])
    part_of, local, data = (
        np.ascontiguousarray(a, np.int64) for a in (part_of[order], local[order], data)
    )
    for array in (rows, ptr, part_of, local, data, work):
        array.setflags(write=False)
    twins = any(part.twin for part, _ in parts)
    return Table(n, rows, ptr, part_of, local, data, cell_at, pool_at, work, twins)


# -- one function a kind -------------------------------------------------------------------


def laminar(leaf: ArrayLike, parent: ArrayLike, capacity: ArrayLike) -> Part:
    """Return nested sets: the smallest set of each element, the next larger of each set."""
    arrays = [np.asarray(a, np.int64).reshape(-1) for a in (leaf, parent, capacity)]
    return Part(LAMINAR, len(arrays[0]), np.concatenate(arrays), len(arrays[1]), 0, len(arrays[1]))


def _uniform(matroid: Any, primes: Sequence[int]) -> list[Part]:
    return [laminar(np.zeros(matroid.n), [-1], [matroid.rank])]


def _partition(matroid: Any, primes: Sequence[int]) -> list[Part]:
    return [laminar(matroid.block, np.full(len(matroid.capacity), -1), matroid.capacity)]


def _laminar(matroid: Any, primes: Sequence[int]) -> list[Part]:
    return [laminar(matroid.leaf, matroid.parent, matroid.capacity)]


def _graphic(matroid: Any, primes: Sequence[int]) -> list[Part]:
    data, size = np.concatenate([matroid.tail, matroid.head]), matroid.n_vertices
    return [Part(GRAPHIC, matroid.n, data, size, 0, size)]


def _cographic(matroid: Any, primes: Sequence[int]) -> list[Part]:
    tail, head, size = matroid.tail, matroid.head, matroid.n_vertices
    proper = np.flatnonzero(tail != head)
    ends = np.concatenate([tail[proper], head[proper]])
    order = np.argsort(ends, kind="stable")
    ptr = pointers(np.bincount(ends, minlength=size))
    data = np.concatenate([tail, head, ptr, np.concatenate([proper, proper])[order]])
    return [Part(COGRAPHIC, matroid.n, data, size, 0, matroid.n, stamps=size, free=size + 1)]


def _transversal(matroid: Any, primes: Sequence[int]) -> list[Part]:
    size = matroid.n_right
    data = np.concatenate([matroid.ptr, matroid.right])
    return [Part(TRANSVERSAL, matroid.n, data, size, 0, size, stamps=size, free=3 * size + 3)]


def _linear(matroid: Any, primes: Sequence[int]) -> list[Part]:
    columns = matroid.matrix.T
    if matroid.prime is None:
        return [_mod(columns, p, twin) for twin, p in enumerate(primes, 1)]
    return [_bits(columns) if matroid.prime == 2 else _mod(columns, matroid.prime)]


def _mod(columns: NDArray[Any], prime: int, twin: int = 0) -> Part:
    data = np.asarray(columns % prime, np.int64)
    data = np.ascontiguousarray(data[:, data.any(axis=0)])
    n, rows = data.shape
    flat = data.reshape(-1)
    return Part(GFP, n, flat, rows, prime, rows, words=rows, free=rows + 1, twin=twin)


def _bits(columns: NDArray[Any]) -> Part:
    odd = np.asarray(columns % 2, np.uint8)
    odd = odd[:, odd.any(axis=0)]
    n, rows = odd.shape
    words = max(1, -(-rows // 64))
    packed = np.zeros((n, words * 8), np.uint8)
    bits = np.packbits(odd, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    data = packed.view("<i8").astype(np.int64).reshape(-1)
    return Part(GF2, n, data, words, 0, rows, words=words, free=words + 1)


def masks(sets: Iterable[Iterable[int]], n: int) -> Ints:
    """Return sets of elements as rows of bit-packed words."""
    words = max(1, -(-n // 64))
    rows = [sum(1 << e for e in s).to_bytes(words * 8, "little") for s in sets]
    flat = np.frombuffer(b"".join(rows), "<i8").astype(np.int64)
    return flat.reshape(len(rows), words)


def _bases(matroid: Any, primes: Sequence[int]) -> list[Part]:
    packed = masks(matroid.sets, matroid.n)
    words = packed.shape[1]
    return [Part(BASES, matroid.n, packed.reshape(-1), len(packed), words, words)]


def _circuits(matroid: Any, primes: Sequence[int]) -> list[Part]:
    packed = masks(matroid.sets, matroid.n)
    through: list[list[int]] = [[] for _ in range(matroid.n)]
    for k, circuit in enumerate(matroid.sets):
        for e in circuit:
            through[e].append(k)
    ptr = pointers(np.array([len(row) for row in through], np.int64))
    flat = np.array([k for row in through for k in row], np.int64)
    data = np.concatenate([ptr, flat, packed.reshape(-1)])
    words = packed.shape[1]
    return [Part(CIRCUITS, matroid.n, data, len(packed), words, words)]


_COMPILE = {
    "uniform": _uniform,
    "partition": _partition,
    "laminar": _laminar,
    "graphic": _graphic,
    "cographic": _cographic,
    "transversal": _transversal,
    "linear": _linear,
    "bases": _bases,
    "circuits": _circuits,
}


@functools.cache
def random_primes(seed: int, count: int = 2) -> tuple[int, ...]:
    """Return that many distinct random primes of 31 bits."""
    rng = np.random.default_rng(seed)
    out: list[int] = []
    while len(out) < count:
        candidate = int(rng.integers(2**30, 2**31)) | 1
        if candidate not in out and _is_prime(candidate):
            out.append(candidate)
    return tuple(out)


def _is_prime(p: int) -> bool:
    """Decide by Miller and Rabin; these witnesses suffice below 3.2e9 (Jaeschke 1993)."""
    odd, twos = p - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for witness in (2, 3, 5, 7):
        x = pow(witness, odd, p)
        if x in (1, p - 1):
            continue
        if not any((x := x * x % p) == p - 1 for _ in range(twos - 1)):
            return False
    return True


__all__ = [
    "Part",
    "Table",
    "build",
    "laminar",
    "masks",
    "parts_of",
    "random_primes",
]
