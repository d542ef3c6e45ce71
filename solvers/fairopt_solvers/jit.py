"""The one place that knows how kernels are compiled, and the random numbers they may use.

Kernels take C-contiguous arrays and scalars. Inputs are declared with the read-only types below,
which accept writable arrays too; outputs and scratch with the ``_OUT`` types, which refuse
read-only ones. Numba keys its cache on the file of the kernel alone: after a change to a helper of
this module the cached kernels of other files have to be compiled anew.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types

F = TypeVar("F", bound=Callable[..., Any])
log = logging.getLogger("fairopt")


def _array(dtype: Any, *, ndim: int = 1, readonly: bool) -> Any:
    return types.Array(dtype, ndim, "C", readonly=readonly)


INT = types.int64
FLOAT = types.float64
BOOL = types.boolean
INTS = _array(types.int64, readonly=True)
FLOATS = _array(types.float64, readonly=True)
BOOLS = _array(types.boolean, readonly=True)
BYTES = _array(types.int8, readonly=True)
INTS_2D = _array(types.int64, ndim=2, readonly=True)
FLOATS_2D = _array(types.float64, ndim=2, readonly=True)
INTS_OUT = _array(types.int64, readonly=False)
FLOATS_OUT = _array(types.float64, readonly=False)
BOOLS_OUT = _array(types.boolean, readonly=False)
INTS32 = _array(types.int32, readonly=True)
INTS32_OUT = _array(types.int32, readonly=False)
WORDS_2D = _array(types.uint64, ndim=2, readonly=True)
WORDS_2D_OUT = _array(types.uint64, ndim=2, readonly=False)
STATE = _array(types.uint64, readonly=False)
"""State of the random helpers: one word, made by `random_state`."""


def pair(one: Any, other: Any) -> Any:
    """Return the type of two results."""
    return types.Tuple((one, other))  # type: ignore[no-untyped-call]


def kernel(signature: Any) -> Callable[[F], Callable[..., Any]]:
    """Compile for one signature, cache on disk where Numba can, no Python objects inside.

    Division by zero follows NumPy (no exception), arithmetic is never reordered (no fastmath).
    Where no cache location is writable the kernel is compiled without one.
    """

    def compile_(function: F) -> Callable[..., Any]:
        start = time.perf_counter()
        try:
            compiled = numba.njit(signature, cache=True, error_model="numpy")(function)
        except RuntimeError:  # no writable cache location
            compiled = numba.njit(signature, error_model="numpy")(function)
        log.info("kernel %s ready in %.1f s", function.__name__, time.perf_counter() - start)
        return cast(Callable[..., Any], compiled)

    return compile_


def helper(function: F) -> F:
    """Mark a part of kernels: compiled only into its callers, for the types they pass."""
    return cast(F, numba.njit(error_model="numpy")(function))


_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31, _S32 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32))
_LOW = np.uint64(0xFFFFFFFF)


def random_state(seed: int) -> Any:
    """Return the one-word state that the random helpers advance."""
    return np.array([seed % 2**64], dtype=np.uint64)


@helper
def next_word(state: Any) -> Any:
    """Return 64 random bits and advance the state (splitmix64; Steele, Lea, Flood 2014)."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@helper
def uniform_below(state: Any, size: Any) -> Any:
    """Return a uniform integer of ``0..size-1`` for ``1 <= size < 2**32`` (Lemire 2019)."""
    width = np.uint64(size)
    product = (next_word(state) >> _S32) * width
    if (product & _LOW) < width:
        threshold = ((_LOW + np.uint64(1)) - width) % width
        while (product & _LOW) < threshold:
            product = (next_word(state) >> _S32) * width
    return np.int64(product >> _S32)


@helper
def uniform_float(state: Any) -> Any:
    """Return a uniform multiple of ``2**-53`` in ``[0, 1)``."""
    return np.float64(next_word(state) >> _S11) * 2.0**-53
