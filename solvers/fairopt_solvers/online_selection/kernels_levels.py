"""The kernel that puts elements into levels: first fit, greedy bases, single questions.

There is one, because each kernel that tests independence holds the code of all kinds and takes
seconds to compile.
"""

from __future__ import annotations

from typing import Any

from fairopt_solvers.jit import BOOL, INT, INTS, INTS_2D, INTS_OUT, helper, kernel
from fairopt_solvers.online_selection.kernels_parts import DISAGREE, TWIN, add_part, fits_part

_TABLE = (INTS_2D, INTS, INTS, INTS, INTS)
_STATE = (INTS_OUT, INT, INTS_OUT, INTS_OUT)


@helper
def _fits(
    parts: Any, ptr: Any, part_of: Any, local: Any, data: Any,
    state: Any, levels: Any, pool: Any, work: Any, level: Any, e: Any,
) -> Any:  # fmt: skip
    """Return whether e fits into a level of every part; notes where two primes disagree."""
    first = True
    for k in range(ptr[e], ptr[e + 1]):
        part = parts[part_of[k]]
        found = fits_part(part, data, state, levels, level, pool, work, local[k])
        if part[TWIN] == 1:
            first = found
            continue
        if part[TWIN] == 2 and found != first:
            work[DISAGREE] = 1
            return False
        if not found:
            return False
    return True


@kernel(INT(*_TABLE, *_STATE, INTS, INT, INT, INT, BOOL, BOOL, INTS_OUT, INTS_OUT))
def place(
    parts: Any, ptr: Any, part_of: Any, local: Any, data: Any,
    state: Any, levels: Any, pool: Any, work: Any,
    order: Any, start: Any, first: Any, limit: Any, nested: Any, commit: Any,
    colour: Any, used: Any,
) -> Any:  # fmt: skip
    """Find for each element of ``order[start:]`` the first level in ``first..limit-1`` it fits.

    ``colour[e]`` becomes the level plus one, or 0 where there is none; with ``commit`` the element
    is put there. ``used[0]`` is the number of levels in use; a level beyond the first unused one is
    not looked at. Where spans are nested (``nested``: a matroid, filled by this kernel alone from
    level 0) the level is found by doubling steps and bisection in O(log level) queries, otherwise
    one by one.

    The arguments up to ``data`` are the compiled table (see ``tables``): element e is number
    ``local[k]`` of part ``part_of[k]`` for k in ``ptr[e]:ptr[e + 1]``.

    Returns how far it came: less than ``order.size`` if a further level is needed that the state
    does not have.
    """
    for at in range(start, order.size):
        e = order[at]
        colour[e] = 0
        top = min(used[0], limit - 1)
        low, high, step = first - 1, top + 1, 1
        while high - low > 1:
            level = min(low + step, top) if high > top else (low + high) // 2
            if level >= levels:
                return at
            if _fits(parts, ptr, part_of, local, data, state, levels, pool, work, level, e):
                high = level
            else:
                low = level
                step = 2 * step if nested else 1
        if high > top or limit <= first:
            continue
        colour[e] = high + 1
        if commit:
            for k in range(ptr[e], ptr[e + 1]):
                part = parts[part_of[k]]
                add_part(part, data, state, levels, high, pool, work, local[k])
            used[0] = max(used[0], high + 1)
    return order.size
