"""The answer: which papers are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.errors import InstanceError


@dataclass(frozen=True, eq=False)
class KeptPapers:
    """The papers that go to review; all other active ones are desk-rejected.

    Parameters
    ----------
    mask
        Whether each paper is kept, shape (papers,), read-only.
    paper_ids
        Ids of the papers that the mask is about.
    """

    mask: NDArray[np.bool_]
    paper_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        own = np.array(self.mask, dtype=np.bool_)
        own.setflags(write=False)
        object.__setattr__(self, "mask", own)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeptPapers):
            return NotImplemented
        return self.paper_ids == other.paper_ids and np.array_equal(self.mask, other.mask)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Ids of the papers kept, in file order."""
        return tuple(compress(self.paper_ids, self.mask.tolist()))

    @cached_property
    def rejected(self) -> tuple[str, ...]:
        """Ids of the papers rejected, in file order."""
        return tuple(compress(self.paper_ids, (~self.mask).tolist()))


def read_kept(data: Any, paper_ids: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return the mask of an answer from a file, in which every paper must stand once."""
    if not isinstance(data, Mapping) or set(data) != {"kept", "rejected"}:
        raise InstanceError("answer", "expected an object with the keys kept and rejected")
    place = {name: j for j, name in enumerate(paper_ids)}
    state = np.full(len(paper_ids), -1, np.int8)
    for key, code in (("kept", 1), ("rejected", 0)):
        if not isinstance(data[key], list | tuple):
            raise InstanceError(f"answer.{key}", "expected a list of paper ids")
        for k, name in enumerate(data[key]):
            j = place.get(name, -1) if isinstance(name, str) else -1
            if j < 0:
                raise InstanceError(f"answer.{key}[{k}]", f"no active paper {name!r}")
            if state[j] >= 0:
                raise InstanceError(f"answer.{key}[{k}]", f"paper {name!r} is named twice")
            state[j] = code
    missing = np.flatnonzero(state < 0)
    if missing.size:
        name = paper_ids[missing[0]]
        raise InstanceError("answer", f"paper {name!r} is neither kept nor rejected")
    kept: NDArray[np.bool_] = state == 1
    return kept
