"""The answer: the comments shown, in display order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairopt.errors import InstanceError


@dataclass(frozen=True, slots=True)
class Feed:
    """The comments shown, as positions in the instance, first the one shown first.

    In ``set`` mode the order is that of descending score (ties by position), whatever order is
    given here; in ``ranking`` mode the order is part of the answer.
    """

    selected: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "selected", tuple(map(int, self.selected)))


def read_feed(data: Any, place: Mapping[str, int], n_comments: int) -> Feed:
    """Read an answer from a file: ids (or positions) of distinct comments.

    Raises ``InstanceError`` with a path below ``answer``.
    """
    if not isinstance(data, Mapping) or set(data) != {"selected"}:
        raise InstanceError("answer", "expected an object with the key selected")
    named = data["selected"]
    if not isinstance(named, list | tuple):
        raise InstanceError("answer.selected", "expected a list of comments")
    return Feed(read_comments(named, place, n_comments, "answer.selected"))


def read_comments(
    named: Sequence[Any], place: Mapping[str, int], n_comments: int, where: str
) -> tuple[int, ...]:
    """Return the positions of distinct comments given by position or id."""
    found: dict[int, int] = {}
    for k, name in enumerate(named):
        if isinstance(name, str):
            c = place.get(name, -1)
        else:
            c = name if isinstance(name, int) and not isinstance(name, bool) else -1
        if not 0 <= c < n_comments:
            known = "" if isinstance(name, str) else f"; comments are 0 to {n_comments - 1}"
            raise InstanceError(f"{where}[{k}]", f"no comment {name!r}{known}")
        if c in found:
            raise InstanceError(f"{where}[{k}]", f"comment {name!r} is named twice")
        found[c] = k
    return tuple(found)
