"""Finding families, problems, methods and formats without importing what is not needed.

Built-in families are the sub-packages of ``fairopt.problems``; the methods of family ``f``
stand in ``fairopt_solvers.f``. Third parties add theirs through the entry-point groups
``fairopt.families`` and ``fairopt.solvers``, each entry named like the family and pointing to
a module with ``PROBLEMS`` or ``METHODS``; they are asked only for unknown names and listings.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fairopt.errors import UnknownMethod

if TYPE_CHECKING:
    from fairopt.files import Format
    from fairopt.method import Method
    from fairopt.problem import Problem


@dataclass(frozen=True, slots=True)
class ProblemEntry:
    """One row of a family's ``PROBLEMS``: names and where things are, nothing imported.

    Parameters
    ----------
    name
        With hyphens, as in files and on the command line.
    target
        ``module:Class``.
    title
        The question in one line.
    formats, generators, view
        Modules with ``FORMATS`` (rows of all problems of the family), ``GENERATORS``
        (name -> function) and the view; empty if there is none.
    """

    name: str
    target: str
    title: str
    formats: str = ""
    generators: str = ""
    view: str = ""


def resolve(target: str) -> Any:
    """Return what ``module:name`` points to."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


@functools.cache
def _builtin_families() -> tuple[str, ...]:
    import fairopt.problems

    return tuple(m.name for m in pkgutil.iter_modules(fairopt.problems.__path__) if m.ispkg)


@functools.cache
def _entry_points(group: str) -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=group)}


def _family_module(family: str) -> ModuleType:
    if family in _builtin_families():
        return importlib.import_module(f"fairopt.problems.{family}")
    return importlib.import_module(_entry_points("fairopt.families")[family])


def _solver_module(family: str) -> ModuleType | None:
    name = f"fairopt_solvers.{family}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in (name, "fairopt_solvers"):
            raise
    return None


@functools.cache
def families() -> tuple[str, ...]:
    """Return the names of all families, built-in ones first."""
    extra = [f for f in _entry_points("fairopt.families") if f not in _builtin_families()]
    return (*_builtin_families(), *extra)


def _entries(names: tuple[str, ...]) -> Iterator[tuple[str, ProblemEntry]]:
    for family in names:
        for entry in _family_module(family).PROBLEMS:
            yield family, entry


def problem_entries() -> tuple[ProblemEntry, ...]:
    """Return one entry for each problem of each family."""
    return tuple(entry for _, entry in _entries(families()))


def _find(name: str) -> tuple[str, ProblemEntry]:
    canonical = name.replace("_", "-")
    for names in (_builtin_families(), families()):
        for family, entry in _entries(names):
            if entry.name == canonical:
                return family, entry
    known = [entry.name for entry in problem_entries()]
    raise UnknownMethod(f"no problem {name!r}{_did_you_mean(canonical, known)}")


def problem_entry(name: str) -> ProblemEntry:
    """Return the entry of a problem; raises ``UnknownMethod`` for an unknown name."""
    return _find(name)[1]


def problem_class(name: str) -> type[Problem]:
    """Return the class of a problem."""
    found: type[Problem] = resolve(problem_entry(name).target)
    return found


def formats(problem: str | None = None) -> tuple[Format, ...]:
    """Return the file formats of one problem, or of all."""
    entries = [problem_entry(problem)] if problem else problem_entries()
    out: list[Format] = []
    for entry in entries:
        if entry.formats:
            rows = importlib.import_module(entry.formats).FORMATS
            out += [form for form in rows if form.problem == entry.name]
    return tuple(out)


def generators(problem: str) -> dict[str, Any]:
    """Return the generators of a problem by name."""
    entry = problem_entry(problem)
    return dict(resolve(f"{entry.generators}:GENERATORS")[entry.name]) if entry.generators else {}


def view(problem: str) -> ModuleType | None:
    """Return the module that knows how to show the problem to people."""
    entry = problem_entry(problem)
    return importlib.import_module(entry.view) if entry.view else None


def methods(problem: str) -> tuple[Method, ...]:
    """Return the rows of all methods that serve a problem, ``auto`` first."""
    family, entry = _find(problem)
    rows: list[Method] = []
    module = _solver_module(family)
    if module is not None:
        rows += module.METHODS
    if module is None or not rows:
        rows += _third_party(family)
    return tuple(row for row in rows if row.problem == entry.name)


def _third_party(family: str) -> tuple[Method, ...]:
    out: list[Method] = []
    for name, value in _entry_points("fairopt.solvers").items():
        if name == family or name.startswith(f"{family}."):
            out += importlib.import_module(value).METHODS
    return tuple(out)


def all_methods(problem: str) -> tuple[Method, ...]:
    """Return ``methods`` and those that third parties add to a built-in family."""
    family, entry = _find(problem)
    own = methods(problem)
    extra = [r for r in _third_party(family) if r.problem == entry.name and r not in own]
    return (*own, *extra)


def find_method(problem: str, name: str) -> Method:
    """Return the row of a method by name or alias; raises ``UnknownMethod``."""
    canonical = name.replace("_", "-")
    for rows in (methods, all_methods):
        for row in rows(problem):
            if canonical == row.name or canonical in row.aliases:
                return row
    known = [row.name for row in all_methods(problem)]
    raise UnknownMethod(f"{problem} has no method {name!r}{_did_you_mean(canonical, known)}")


def _did_you_mean(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"{hint or '; choose from ' + ', '.join(known)}"
