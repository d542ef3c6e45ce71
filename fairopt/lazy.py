"""Names of a package that are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a package, so that importing the package stays light.

    ``home`` says in which module of the package (``problem``) or elsewhere (``fairopt.session``,
    with its dots) each name is.
    """

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        place = home[name] if "." in home[name] else f"{package}.{home[name]}"
        return getattr(import_module(place), name)

    return find
