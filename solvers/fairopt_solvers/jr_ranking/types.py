"""The array types of this family's kernels: approvals are 32-bit, bitsets 64-bit words."""

from typing import Any

from numba import types


def _array(dtype: Any, ndim: int, *, readonly: bool) -> Any:
    return types.Array(dtype, ndim, "C", readonly=readonly)


def pair(one: Any, other: Any) -> Any:
    """Return the type of a pair of results."""
    return types.Tuple((one, other))  # type: ignore[no-untyped-call]


INT32S = _array(types.int32, 1, readonly=True)
INT32S_OUT = _array(types.int32, 1, readonly=False)
WORDS_2D = _array(types.uint64, 2, readonly=True)
WORDS_2D_OUT = _array(types.uint64, 2, readonly=False)
