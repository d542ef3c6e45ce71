"""Untyped values (JSON, command line) to typed ones, with the path of what does not fit.

A thin layer over msgspec: exact rationals are a type here, names may be written with hyphens
or underscores, and every failure is an ``InstanceError`` that names the field.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from fairopt import rational
from fairopt.errors import InstanceError
from fairopt.problem import Meta

Exactly = Fraction  # in annotations: a number of an instance, kept exact


class Common(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Keys that every instance file may have; each family's struct extends it."""

    problem: str | None = None
    name: str | None = None
    objective: str | None = None
    source: str | None = None
    licence: str | None = None
    expected: dict[str, Any] = {}
    method: str | None = None
    seed: Annotated[int, msgspec.Meta(ge=0)] | None = None
    threads: Annotated[int, msgspec.Meta(ge=1)] | None = None
    time_limit: Annotated[float, msgspec.Meta(ge=0)] | None = None

    def flags(self) -> dict[str, Any]:
        """Return the run defaults that the file gives."""
        names = ("method", "seed", "threads", "time_limit")
        return {n: getattr(self, n) for n in names if getattr(self, n) is not None}

    def meta(self, read: Meta | None) -> Meta:
        """Return what the file says beside the question; its own name wins over the file's.

        ``read`` is what reading found out: the name of the file, how it was read.
        """
        read = read or Meta()
        return replace(
            read,
            name=read.name if self.name is None else self.name,
            source=self.source,
            licence=self.licence,
            expected=self.expected,
            flags=self.flags(),
        )


def convert(value: Any, kind: Any, *, where: str = "", lax: bool = False) -> Any:
    """Return ``value`` as ``kind`` (a type, ``Literal``, struct …).

    With ``lax`` texts are taken for numbers and booleans, as the command line needs it.
    Raises ``InstanceError`` with a path that begins at ``where``.
    """
    if value is not None and isinstance(value, str) and _literals(kind):
        hyphened = value.replace("_", "-")
        value = hyphened if hyphened in _literals(kind) else value
    try:
        return msgspec.convert(value, kind, strict=not lax, dec_hook=_hook)
    except InstanceError as error:  # from the hook: it knows the reason, not the place
        raise InstanceError(where, error.why) from None
    except msgspec.ValidationError as error:
        raise _located(str(error), where, kind) from None


def _hook(kind: Any, value: Any) -> Any:
    if kind is Fraction:
        try:
            return Fraction(rational.parse(value))
        except InstanceError as error:
            raise ValueError(error.why) from None
    raise NotImplementedError(f"no conversion to {kind}")


def _literals(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(v for part in get_args(kind) for v in _literals(part))


_PATH = re.compile(r" - at `(?:key in )?\$(.*)`$")
_INVALID = re.compile(r"Invalid enum value (.*)")


def _located(message: str, where: str, kind: Any) -> InstanceError:
    """Turn msgspec's words into ours: ``papers[3].limit: expected int, got str``."""
    path = ""
    if match := _PATH.search(message):
        path, message = match[1], message[: match.start()]
    place = f"{where}{path}".lstrip(".")
    if match := _INVALID.fullmatch(message):
        allowed = ", ".join(map(str, _literals(kind))) if not path else ""
        message = f"unknown value {match[1]}" + (f"; choose from {allowed}" if allowed else "")
    if message.startswith("Object contains unknown field"):
        name = message.split("`")[1]
        place, message = f"{place}.{name}".lstrip("."), "unknown key"
    if message.startswith("Object missing required field"):
        name = message.split("`")[1]
        place, message = f"{place}.{name}".lstrip("."), "the key is missing"
    message = message.replace("`", "").replace("got decimal", "got a decimal number")
    message = message.replace("Expected", "expected")
    return InstanceError(place, message[:1].lower() + message[1:])


def to_builtins(value: Any) -> Any:
    """Return ``value`` as JSON-ready data (``Fraction`` and ``Decimal`` as texts)."""
    return msgspec.to_builtins(value, enc_hook=_texts)


def _texts(value: Any) -> Any:
    if isinstance(value, Fraction):
        return rational.text(value)
    if isinstance(value, Decimal):
        return str(value)
    raise NotImplementedError(type(value).__name__)
