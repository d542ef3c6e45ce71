"""``KEY=VALUE`` arguments: split, read as JSON or text, and given the type of their field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_origin

from fairopt.errors import InstanceError, UsageError

FLAGS_ONLY = ("objective", "method", "seed", "threads", "time_limit")


def canonical(key: str) -> str:
    """Return a key with underscores; hyphens mean the same."""
    return key.replace("-", "_")


def split(pairs: Iterable[str], flag: str) -> dict[str, str]:
    """Return ``KEY=VALUE`` texts as a mapping; raises ``UsageError`` for a missing ``=`` or a
    repeated key."""
    out: dict[str, str] = {}
    for pair in pairs:
        key, mark, value = pair.partition("=")
        key = key.strip()
        if not mark or not key:
            raise UsageError(f"{flag} {pair}: expected KEY=VALUE")
        if canonical(key) in map(canonical, out):
            raise UsageError(f"{flag} {key} is given twice")
        out[key] = value
    return out


def no_flags(given: Mapping[str, str]) -> None:
    """Refuse under ``--set`` what has a flag of its own."""
    for key in given:
        name = canonical(key)
        if name in FLAGS_ONLY:
            flag = name.replace("_", "-")
            raise UsageError(f"--set {key}: use the flag --{flag} {given[key]}".rstrip())


def typed(text: str, kind: Any, *, where: str) -> Any:
    """Return a text of the command line as ``kind``: JSON if it parses and fits, else text.

    A list may be written ``a,b,c``. Raises ``UsageError`` naming ``where``.
    """
    from fairopt.convert import convert

    first: InstanceError | None = None
    for candidate in _readings(text, kind, where):
        try:
            return convert(candidate, kind, where=where, lax=True)
        except InstanceError as error:
            first = first or error
    raise UsageError(str(first))


def _readings(text: str, kind: Any, where: str) -> list[Any]:
    """Return the ways to understand a text, the likeliest first."""
    from fairopt.files import parse_json
    from fairopt.rational import MAX_DIGITS

    out: list[Any] = []
    if len(text) > MAX_DIGITS and text.strip().lstrip("+-").isdigit():
        raise UsageError(f"{where}: a number may have at most {MAX_DIGITS} digits")
    if text.strip():
        try:
            out.append(parse_json(text.encode("utf-8", "surrogateescape")))
        except InstanceError as error:
            if text.lstrip()[:1] in ("{", "["):
                raise UsageError(f"{where}: {error}") from None
    out.append(text)
    if is_list(kind):
        parts = [part.strip() for part in text.split(",")]
        numbers = [_number(part) for part in parts]
        out += [numbers, parts]
    return out


def _number(text: str) -> Any:
    try:
        return int(text) if len(text) < 20 else text
    except ValueError:
        return text


def is_list(kind: Any) -> bool:
    """Return whether a type, or a part of a union, is a list or tuple."""
    if get_origin(kind) in (list, tuple, frozenset, set):
        return True
    return any(is_list(part) for part in get_args(kind))
