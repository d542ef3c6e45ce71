"""Options of methods, readers and generators: the keyword-only arguments of a function."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from fairopt.errors import InstanceError, UsageError

_FRAME = frozenset({"meta", "seed"})  # given by the frame, never by an option


@dataclass(frozen=True, slots=True)
class Option:
    """One option: name, type, default, and its text for people."""

    name: str
    kind: Any
    default: Any
    required: bool

    @property
    def flag(self) -> str:
        """The name as it is typed on the command line."""
        return self.name.replace("_", "-")

    def describe(self) -> str:
        """Return ``backend: highs|cp-sat|cbc = highs``."""
        text = f"{self.name}: {type_name(self.kind)}"
        return text if self.required else f"{text} = {_shown(self.default)}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def type_name(kind: Any) -> str:
    """Return a short name of a type, for help texts."""
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    parts = [p for p in get_args(kind) if p is not type(None)]
    if parts and get_origin(kind) is typing.Annotated:
        return type_name(parts[0])
    if parts and get_origin(kind) in (typing.Union, type(int | str)):
        return "|".join(map(type_name, parts))
    name = getattr(kind, "__name__", str(kind))
    return {"str": "text", "Fraction": "number"}.get(name, name)


def options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """Return the options of a function by name."""
    hints = typing.get_type_hints(function, include_extras=True)
    out = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and name not in _FRAME:
            required = parameter.default is parameter.empty
            out[name] = Option(name, hints.get(name, Any), parameter.default, required)
    return out


def typed_options(
    function: Callable[..., Any], given: Mapping[str, Any], *, what: str, lax: bool = True
) -> dict[str, Any]:
    """Return ``given`` with canonical names and the types that the function declares.

    Raises ``UsageError`` for an unknown or missing option or a value that does not fit.
    """
    from fairopt.convert import convert

    known = options_of(function)
    out: dict[str, Any] = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in known:
            choices = ", ".join(known) or "none"
            raise UsageError(f"the {what} has no option {key!r}; options: {choices}")
        kind = known[name].kind
        try:
            out[name] = (
                Path(value)
                if kind in (Path, Path | None)
                else convert(value, kind, where=key, lax=lax)
            )
        except InstanceError as error:
            raise UsageError(f"the {what} cannot take {error}") from None
    if missing := [o for o in known.values() if o.required and o.name not in out]:
        name, flag = missing[0].name, missing[0].flag
        raise UsageError(f"the {what} needs the option {name!r} (--{flag})")
    return out
