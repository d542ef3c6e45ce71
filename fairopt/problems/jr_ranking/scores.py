"""Score vectors: given, named, built in, or mixed; always exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.rational import Exact
from fairopt.solution import encode

BUILT_IN = ("approvals", "approvals-share")

Spec = str | Mapping[str, Any] | Exact


def vector(values: Any, n_comments: int, where: str) -> Exact:
    """Return an exact vector of one finite number for each comment."""
    if isinstance(values, Exact):
        out = values
    elif isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu":
        out = Exact.of(values)
    elif isinstance(values, Sequence | np.ndarray) and not isinstance(values, str):
        if len(values) != n_comments:
            raise InstanceError(where, f"expected {n_comments} numbers, got {len(values)}")
        out = Exact.of([rational.parse(v, f"{where}[{c}]") for c, v in enumerate(values)])
    else:
        raise InstanceError(where, f"expected {n_comments} numbers, got {values!r}"[:120])
    if len(out) != n_comments:
        raise InstanceError(where, f"expected {n_comments} numbers, got {len(out)}")
    return out


def score_sets(given: Mapping[str, Any] | None, n_comments: int) -> dict[str, Exact]:
    """Return the named vectors of an instance."""
    out: dict[str, Exact] = {}
    for name, values in (given or {}).items():
        if not isinstance(name, str) or not name:
            raise InstanceError("score_sets", f"expected a name, got {name!r}")
        out[name] = vector(values, n_comments, f"score_sets.{name}")
    return out


def resolve(
    given: Any, sets: Mapping[str, Exact], support: NDArray[np.int64], n: int
) -> tuple[Exact, Spec]:
    """Return the vector in force and the way it was given (canonical name, mix, or itself)."""
    if isinstance(given, str):
        return _named(given, sets, support, n, "scores")
    if isinstance(given, Mapping):
        return _mixed(given, sets, support, n)
    exact = vector(given, len(support), "scores")
    return exact, exact


def _named(
    name: str, sets: Mapping[str, Exact], support: NDArray[np.int64], n: int, where: str
) -> tuple[Exact, str]:
    plain = {key.replace("_", "-"): key for key in sets}
    if name in sets or name.replace("_", "-") in plain:
        key = name if name in sets else plain[name.replace("_", "-")]
        return sets[key], key
    canonical = name.replace("_", "-")
    if canonical == "approvals":
        return Exact.of(support), canonical
    if canonical == "approvals-share":
        return Exact.of([Fraction(int(v), n) for v in support]), canonical
    known = ", ".join(dict.fromkeys([*sets, *BUILT_IN]))
    raise InstanceError(where, f"unknown name {name!r}; choose from {known}")


def _mixed(
    given: Mapping[str, Any], sets: Mapping[str, Exact], support: NDArray[np.int64], n: int
) -> tuple[Exact, Spec]:
    parts = given.get("mix")
    if set(given) != {"mix"} or not isinstance(parts, list | tuple) or not parts:
        raise InstanceError("scores", 'expected {"mix": [[weight, scores], …]}')
    total = [Fraction(0)] * len(support)
    spec = []
    for k, part in enumerate(parts):
        where = f"scores.mix[{k}]"
        if not isinstance(part, list | tuple) or len(part) != 2:
            raise InstanceError(where, "expected a weight and a name or list of scores")
        factor = rational.parse(part[0], f"{where}[0]")
        inner: Any
        if isinstance(part[1], str):
            exact, inner = _named(part[1], sets, support, n, f"{where}[1]")
        else:
            exact = vector(part[1], len(support), f"{where}[1]")
            inner = [encode(v) for v in exact.to_list()]
        total = [t + factor * v for t, v in zip(total, exact.to_list(), strict=True)]
        spec.append([encode(factor), inner])
    return Exact.of([rational.whole(t) for t in total]), {"mix": spec}
