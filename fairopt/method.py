"""One row of a family's table of methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairopt import registry
from fairopt.options import Option, options_of

KINDS = ("auto", "exact", "approximation", "heuristic", "online", "baseline")


@dataclass(frozen=True, slots=True)
class Method:
    """A method as people see it, and where its function is.

    Parameters
    ----------
    name
        With hyphens.
    target
        ``module:function`` with the signature ``(problem, run, *, options) -> Outcome``.
    kind
        ``auto``, ``exact``, ``approximation``, ``heuristic``, ``online`` or ``baseline``.
    problem
        The problem it serves.
    guarantee
        What is proven about every answer, in words; empty if nothing is.
    reference
        The paper and theorem behind it.
    objectives
        Objectives that it serves; empty for all.
    relaxes
        Rules of the problem that it breaks by design.
    session
        ``module:Class`` of an online method that decides one arrival at a time.
    aliases
        Other names.
    """

    name: str
    target: str
    kind: str
    problem: str
    guarantee: str = ""
    reference: str = ""
    objectives: tuple[str, ...] = ()
    relaxes: tuple[str, ...] = ()
    session: str = ""
    aliases: tuple[str, ...] = ()

    def function(self) -> Callable[..., Any]:
        """Import and return the function."""
        found: Callable[..., Any] = registry.resolve(self.target)
        return found

    def options(self) -> dict[str, Option]:
        """Return the options by name (imports the function's module)."""
        return options_of(self.function())

    def serves(self, objective: str) -> bool:
        """Return whether the method works for this objective."""
        return not self.objectives or objective in self.objectives


def rows_of(package: str, problem: str) -> Callable[..., Method]:
    """Return what makes the rows of one problem: ``row("exact", "exact:exact", "exact", …)``.

    Targets and sessions are relative to the package of the methods.
    """

    def row(name: str, target: str, kind: str, *, session: str = "", **more: Any) -> Method:
        where = f"{package}.{session}" if session else ""
        return Method(name, f"{package}.{target}", kind, problem, session=where, **more)

    return row
