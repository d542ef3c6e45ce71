"""Outcomes of voting rules on abcvoting's own files: our reader, our rules, their winners.

    pip download abcvoting==2.19.2 --no-deps --no-binary abcvoting
    tar xzf abcvoting-2.19.2.tar.gz
    python3 -m venv peers && peers/bin/pip install -r benchmarks/peers/requirements-jr_ranking.txt .
    peers/bin/python benchmarks/peers/jr_ranking_files.py abcvoting-2.19.2

The source distribution comes with some 1,500 ``.abc.yaml`` files. Those of ``tests/test_instances``
name the winners of each rule: all of them must be ours, or ours among them for the rules of which
we return one winner. For the files of ``benchmark/instances``, which name none, abcvoting itself is
asked, resolutely, for the ``--live`` smallest. Prints counts as one line of JSON and every
difference to standard error; ends with code 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import fairopt
from fairopt.errors import InstanceError
from fairopt.run import Run
from fairopt_solvers.jr_ranking.outcomes import Completion, all_outcomes, by_phragmen, resolute
from fairopt_solvers.jr_ranking.profile import Profile
from fairopt_solvers.jr_ranking.rules import EqualShares, Phragmen, Rule, SeqPav

RULES: dict[str, tuple[type[Rule], Completion | None, str]] = {
    "seqpav": (SeqPav, None, "standard"),
    "seqphragmen": (Phragmen, None, "gmpy2-fractions"),
    "equal-shares": (EqualShares, by_phragmen, "gmpy2-fractions"),
}  # all winners
SINGLE = ("av", "cc", "pav")  # one winner, by a method of that name
SLOW = 20  # seconds for all winners of one rule on one file
Sets = set[frozenset[int]]


class TooLongError(Exception):
    """All ways to break the ties are too many."""


def main() -> None:
    """Compare file by file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="an unpacked source distribution of abcvoting")
    parser.add_argument("--live", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=600.0, help="to stop after")
    given = parser.parse_args()
    counts, begun = Counter[str](), time.monotonic()
    for path in sorted(given.folder.rglob("*.abc.yaml")):
        if "data-fail" not in path.parts:
            counts["files read"] += read(path, counts) is not None
    for pair in (named(given.folder), asked(given.folder, given.live)):
        for path, name, same in pair:
            if time.monotonic() - begun > given.seconds:
                counts["left out"] += 1
                continue
            try:
                kind = "same" if limited(same) else "different"
            except TooLongError:
                kind = "too long"
            counts[f"{name} {kind}"] += 1
            if kind == "different":
                print(f"{path.name}: {name} differs", file=sys.stderr)
    print(json.dumps(dict(sorted(counts.items()))))
    sys.exit(any(name.endswith("different") for name in counts))


def read(path: Path, counts: Counter[str] | None = None) -> Any:
    """Read a file as an instance; None if it gives no committee size or no candidates."""
    try:
        return fairopt.load(path)
    except InstanceError as error:
        if counts is not None:
            counts["files refused"] += 1
            print(f"{path.name}: {error}", file=sys.stderr)
        return None


def limited(work: Callable[[], bool]) -> bool:
    """Do the work within ``SLOW`` seconds."""

    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SLOW)
    try:
        return work()
    finally:
        signal.alarm(0)


Comparison = tuple[Path, str, Callable[[], bool]]


def named(folder: Path) -> Iterator[Comparison]:
    """Yield the comparisons with the winners that files name."""
    for path in sorted((folder / "tests").rglob("*.abc.yaml")):
        content = yaml.safe_load(path.read_text())
        if not isinstance(content, Mapping) or "data-fail" in path.parts:
            continue
        problem = read(path)
        for entry in content.get("compute") or ():
            rule, winners = entry.get("rule_id"), entry.get("result")
            if problem is None or not winners or entry.get("resolute", True):
                continue
            sets = {frozenset(map(int, winner)) for winner in winners}
            if rule in RULES:
                yield path, rule, lambda p=problem, r=rule, s=sets: every(p, r) == s
            elif rule in SINGLE:
                yield path, rule, lambda p=problem, r=rule, s=sets: one(p, r) in s


def asked(folder: Path, most: int) -> Iterator[Comparison]:
    """Yield the comparisons with abcvoting's answer of today, on the smallest files."""
    from abcvoting import fileio

    files = (folder / "benchmark").rglob("*.abc.yaml")
    for path in sorted(files, key=lambda p: (p.stat().st_size, p.name))[:most]:
        if (problem := read(path)) is None:
            continue
        peer = fileio.read_abcvoting_yaml_file(str(path))[0]
        for rule in RULES:
            yield (
                path, f"{rule} live",
                lambda p=problem, r=rule, q=peer: first(p, r) == theirs(q, r, p.k),
            )  # fmt: skip


def theirs(peer: Any, rule: str, k: int) -> frozenset[int]:
    """Return abcvoting's first winner."""
    from abcvoting import abcrules

    words = {"algorithm": RULES[rule][2], "resolute": True}
    return frozenset(map(int, abcrules.compute(rule, peer, k, **words)[0]))


def every(problem: Any, rule: str) -> Sets:
    """Return all winners of a sequential rule."""
    make, then, _ = RULES[rule]
    return all_outcomes(make(Profile.of(problem), problem.k), then)


def first(problem: Any, rule: str) -> frozenset[int]:
    """Return the winner with the lowest indices at every tie."""
    make, then, _ = RULES[rule]
    return frozenset(resolute(make(Profile.of(problem), problem.k), Run(), then).selected)


def one(problem: Any, method: str) -> frozenset[int]:
    """Return the winner of a method."""
    return frozenset(fairopt.solve(problem, method).answer.selected)


if __name__ == "__main__":
    main()
