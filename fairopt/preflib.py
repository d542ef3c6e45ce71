"""Files of PrefLib: orders with ties, and categories, with their counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fairopt.errors import InstanceError

_KEY = re.compile(r"#\s*([A-Z][A-Z ]*?)\s*(\d*)\s*:\s*(.*)")
_PART = re.compile(r"\{[^{}]*\}|[^,{}\s]+")
_MOST = 10**6  # alternatives


@dataclass(frozen=True)
class Row:
    """One ballot: its line, how many voters, classes of alternatives, best first."""

    line: int
    count: int
    classes: list[list[int]]


@dataclass(frozen=True)
class Preflib:
    """The content of a file.

    Attributes
    ----------
    about
        The header: ``NUMBER ALTERNATIVES``, ``DATA TYPE`` …
    names, categories
        By number.
    rows
        The ballots; alternatives are numbers as in the file.
    """

    about: Mapping[str, str]
    names: Mapping[int, str]
    categories: Mapping[int, str]
    rows: list[Row] = field(default_factory=list)

    @property
    def alternatives(self) -> int:
        """How many alternatives there are; raises ``InstanceError`` if the header is silent."""
        number = self.about.get("NUMBER ALTERNATIVES", "")
        if not (number.isascii() and number.isdecimal() and 0 < int(number) < _MOST):
            why = "expected '# NUMBER ALTERNATIVES: m' (the layout that PrefLib has had since 2022)"
            raise InstanceError("", why)
        return int(number)


def parse(text: str) -> Preflib:
    """Read a file; raises ``InstanceError`` with the line."""
    names: dict[int, str] = {}
    categories: dict[int, str] = {}
    about: dict[str, str] = {}
    rows = []
    for n, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            if found := _KEY.fullmatch(line.strip()):
                kind = {"ALTERNATIVE NAME": names, "CATEGORY NAME": categories}.get(found[1])
                if kind is not None and found[2]:
                    kind[int(found[2])] = found[3].strip()
                about[found[1]] = found[3].strip()
        elif line.strip():
            rows.append(_row(line, n))
    return Preflib(about, names, categories, rows)


def _row(line: str, n: int) -> Row:
    """Return multiplicity and classes of ``12: 3,{1,2},{}``."""
    many, colon, order = line.partition(":")
    if not colon or not (many.strip().isascii() and many.strip().isdecimal()):
        raise InstanceError(f"line {n}", "expected 'count: order'")
    classes = []
    for part in _PART.findall(order):
        cells = [cell.strip() for cell in part.strip("{}").split(",") if cell.strip()]
        if not all(cell.isascii() and cell.isdecimal() and len(cell) < 9 for cell in cells):
            raise InstanceError(f"line {n}", f"expected alternatives, got {part!r}")
        classes.append([int(cell) for cell in cells])
    return Row(n, int(many), classes)
