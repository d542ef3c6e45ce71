"""Pairs and tables for people: plain aligned text, or rich where stdout is a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import click

PLAIN_WIDTH = 80
_WIDEST = 120  # wider terminals do not make better reading
_GAP = "  "
_COLOURS = {
    "optimal": "green",
    "verified": "green",
    "feasible": "yellow",
    "claimed": "yellow",
    "unknown": "yellow",
    "infeasible": "red",
    "REFUTED": "bold red",
}


def one_line(text: str) -> str:
    """Return text without line breaks and control characters (names come from files)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else _escape(c) for c in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


def width() -> int:
    """Return how many columns may be used."""
    if not sys.stdout.isatty():
        return PLAIN_WIDTH
    return max(40, min(_WIDEST, shutil.get_terminal_size().columns))


def say(text: str = "") -> None:
    """Print a line of the result on stdout."""
    click.echo(text)


def paragraph(text: str, indent: str = "") -> None:
    """Print text, wrapped."""
    for line in _wrapped(text, width(), indent):
        say(line)


def _wrapped(text: str, columns: int, indent: str = "") -> list[str]:
    lines = textwrap.wrap(
        one_line(text), columns, initial_indent=indent, subsequent_indent=indent,
        break_on_hyphens=False, break_long_words=True,
    )  # fmt: skip
    return lines or [""]


def pairs(rows: Iterable[tuple[str, str]]) -> None:
    """Print names and texts in two columns, long texts wrapped beside their name."""
    listed = [(one_line(name), text) for name, text in rows]
    if not listed:
        return
    left = min(max(len(name) for name, _ in listed), width() // 2)
    room = max(20, width() - left - len(_GAP))
    console = _console()
    for name, text in listed:
        lines = _wrapped(text, room)
        if len(name) > left:
            _emit(console, name, "")
            name = ""
        for k, line in enumerate(lines):
            _emit(console, (name if k == 0 else "").ljust(left) + _GAP, line)


def _emit(console: Any, name: str, line: str) -> None:
    if console is None:
        say(f"{name}{line}".rstrip())
        return
    from rich.text import Text

    word = line.split(",")[0].split(" ")[0].rstrip(":")
    colour = _COLOURS.get(word, "")
    styled = Text(name, "bold")
    styled.append(line[: len(word)], colour or "not bold")
    styled.append(line[len(word) :], "not bold")
    console.print(styled, soft_wrap=True)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> None:
    """Print a table; one that is too wide continues below, the first column repeated.

    ``right`` are the columns aligned to the right.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    sizes = [max([len(head), *(len(row[k]) for row in cells)]) for k, head in enumerate(columns)]
    for block, chosen in enumerate(_blocks(sizes)):
        if block:
            say()
        _block([columns[k] for k in chosen], [[row[k] for k in chosen] for row in cells],
               [sizes[k] for k in chosen], [k in right for k in chosen])  # fmt: skip


def _blocks(sizes: Sequence[int]) -> list[list[int]]:
    """Return which columns stand together so that each block fits."""
    room = width()
    blocks: list[list[int]] = [[0]]
    for k in range(1, len(sizes)):
        used = sum(sizes[c] + len(_GAP) for c in blocks[-1])
        if used + sizes[k] > room and len(blocks[-1]) > 1:
            blocks.append([0])
        blocks[-1].append(k)
    return blocks


def _block(
    heads: Sequence[str], rows: Sequence[Sequence[str]], sizes: Sequence[int], right: Sequence[bool]
) -> None:
    """Print one block; the last column is wrapped if even so it is too wide."""
    rest = max(20, width() - sum(sizes[:-1]) - len(_GAP) * (len(sizes) - 1))
    sizes = [*sizes[:-1], min(sizes[-1], rest)]
    console = _console()
    for number, row in enumerate((heads, *rows)):
        tail = _wrapped(row[-1], rest)
        for k, last in enumerate(tail):
            parts = [*row[:-1], last] if k == 0 else [*[""] * (len(row) - 1), last]
            line = _GAP.join(
                cell.rjust(size) if to_right else cell.ljust(size)
                for cell, size, to_right in zip(parts, sizes, right, strict=True)
            ).rstrip()
            if console is None:
                say(line)
            else:
                console.print(line, style="bold" if number == 0 else "", soft_wrap=True)


def _console() -> Any:
    """Return rich's console on a terminal, else None."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=width())
