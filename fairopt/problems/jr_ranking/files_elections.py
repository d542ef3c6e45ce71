"""Files of election libraries: abcvoting, PaBuLib and PrefLib."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairopt import preflib, rational
from fairopt.convert import Exactly
from fairopt.delimited import text_of
from fairopt.errors import InstanceError
from fairopt.problem import Meta
from fairopt.problems.jr_ranking.files_polis import needed
from fairopt.problems.jr_ranking.problem import JrRanking
from fairopt.rational import Rational
from fairopt.solution import Note

# -- abcvoting -----------------------------------------------------------------------------


def is_abcvoting(suffix: str, head: bytes) -> bool:
    """Return whether the file is YAML."""
    return suffix in (".yaml", ".yml")


def read_abcvoting(
    data: bytes, *, meta: Meta, k: int | None = None, dedupe: bool = False
) -> JrRanking:
    """Read ``profile`` (lists of candidates), ``num_cand``, ``committeesize``, ``voter_weights``.

    A ballot may also be a set, ``{0, 3}``, or a mapping with ``approved`` and ``weight``. The
    committee size is k where k is not given.
    """
    content = _yaml(data)
    if not isinstance(content, Mapping) or not isinstance(content.get("profile"), list):
        raise InstanceError("profile", "expected a list of ballots")
    ballots, own = [], []
    for i, raw in enumerate(content["profile"]):
        ballot, weight = _ballot(raw, f"profile[{i}]")
        ballots.append(ballot)
        own.append(weight)
    largest = max((c for ballot in ballots for c in ballot), default=-1)
    m = _whole(content.get("num_cand", largest + 1), "num_cand")
    weights: Any = content.get("voter_weights", content.get("weights"))
    if isinstance(weights, Mapping):
        weights = [weights.get(i, 1) for i in range(len(ballots))]
    if weights is None and any(w is not None for w in own):
        weights = [1 if w is None else w for w in own]
    if k is None and content.get("committeesize") is not None:
        k = _whole(content["committeesize"], "committeesize")
    size = needed(k)
    return JrRanking.from_ballots(
        ballots, n_comments=m, k=size, weights=weights, dedupe=dedupe, meta=meta
    )


def _yaml(data: bytes) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(data, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else ""
        raise InstanceError(where, "is not valid YAML") from None
    except (RecursionError, ValueError):
        raise InstanceError("", "is not valid YAML") from None


def _ballot(raw: Any, where: str) -> tuple[list[int], Any]:
    weight = None
    if isinstance(raw, Mapping) and set(raw) <= {"approved", "weight"} and raw:
        weight, raw = raw.get("weight"), raw.get("approved", [])
    if isinstance(raw, Mapping) and all(value is None for value in raw.values()):
        raw = list(raw)
    if isinstance(raw, set):
        raw = sorted(raw)
    if not isinstance(raw, list):
        raise InstanceError(where, f"expected a list of candidates, got {raw!r}"[:120])
    return [_whole(c, where) for c in raw], weight


def _whole(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InstanceError(where, f"expected a whole number, got {value!r}"[:120])
    return value


# -- PaBuLib -------------------------------------------------------------------------------


def is_pabulib(suffix: str, head: bytes) -> bool:
    """Return whether the file has the sections of PaBuLib."""
    return suffix == ".pb" or head.lstrip()[:5].upper() == b"META\n"


def read_pabulib(
    data: bytes,
    *,
    meta: Meta,
    k: int | None = None,
    threshold: Exactly | None = None,
    dedupe: bool = False,
) -> JrRanking:
    """Read approval votes on projects; costs are ignored, or the score vector ``cost``.

    k has to be given, as the budget is no count. Files with points or rankings need ``threshold``:
    points from the threshold on approve, or the first ``threshold`` places.
    """
    sections = _sections(text_of(data))
    about = {row[0].strip().lower(): row[1].strip() for _, row in sections["META"] if len(row) > 1}
    kind = about.get("vote_type", "").lower()
    if kind not in ("approval", "choose-1", "ordinal", "cumulative", "scoring"):
        raise InstanceError("vote_type", f"unknown value {kind!r}")
    if kind not in ("approval", "choose-1") and threshold is None:
        why = f"the votes are {kind}; give a threshold to make approvals from them"
        raise InstanceError("threshold", why)
    projects = _table(sections["PROJECTS"], "project_id")
    place = {row["project_id"]: c for c, (_, row) in enumerate(projects)}
    if len(place) != len(projects):
        raise InstanceError("PROJECTS", "a project is given twice")
    costs = [rational.parse(row.get("cost") or "0", f"line {n}, cost") for n, row in projects]
    ballots = [
        _chosen(row, n, kind, place, threshold) for n, row in _table(sections["VOTES"], "vote")
    ]
    words = f"{len(ballots):,} votes on {len(place):,} projects; the budget is ignored"
    size = needed(k)
    return JrRanking.from_ballots(
        ballots, n_comments=len(place), k=size, ids=list(place), score_sets={"cost": costs},
        dedupe=dedupe, meta=meta, remarks=[Note("read", words)],
    )  # fmt: skip


_Lines = list[tuple[int, list[str]]]


def _sections(text: str) -> dict[str, _Lines]:
    out: dict[str, _Lines] = {"META": [], "PROJECTS": [], "VOTES": []}
    here: _Lines | None = None
    for n, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=";"), 1):
        if not any(cell.strip() for cell in row):
            continue
        name = row[0].strip().upper()
        if len(row) == 1 and name in out:
            here = out[name]
        elif here is None:
            raise InstanceError(f"line {n}", "expected one of META, PROJECTS, VOTES")
        else:
            here.append((n, row))
    for name, rows in out.items():
        if not rows:
            raise InstanceError(name, "the section is missing or empty")
    return out


def _table(rows: _Lines, need: str) -> list[tuple[int, dict[str, str]]]:
    names = [name.strip().lower() for name in rows[0][1]]
    if need not in names:
        raise InstanceError(f"line {rows[0][0]}", f"has no column {need}")
    out = []
    for n, row in rows[1:]:
        if len(row) > len(names):
            raise InstanceError(f"line {n}", f"expected {len(names)} cells, got {len(row)}")
        out.append((n, dict(zip(names, (cell.strip() for cell in row), strict=False))))
    return out


def _chosen(
    row: Mapping[str, str],
    line: int,
    kind: str,
    place: Mapping[str, int],
    threshold: Rational | None,
) -> list[int]:
    """Return the projects that a vote approves."""
    named = [name.strip() for name in row.get("vote", "").split(",") if name.strip()]
    for name in named:
        if name not in place:
            raise InstanceError(f"line {line}", f"no project {name!r}")
    if kind == "ordinal" and threshold is not None:
        named = named[: max(0, int(threshold // 1))]
    elif threshold is not None and kind in ("cumulative", "scoring"):
        points = [p for p in row.get("points", "").split(",") if p.strip()]
        if len(points) != len(named):
            raise InstanceError(f"line {line}", f"expected {len(named)} points, got {len(points)}")
        given = [rational.parse(p, f"line {line}, points") for p in points]
        named = [name for name, p in zip(named, given, strict=True) if p >= threshold]
    return [place[name] for name in named]


# -- PrefLib -------------------------------------------------------------------------------

_PREFLIB = (".toi", ".toc", ".cat")


def is_preflib(suffix: str, head: bytes) -> bool:
    """Return whether the file holds weak orders or categories."""
    return suffix in _PREFLIB


def read_preflib(
    data: bytes, *, meta: Meta, k: int | None = None, approved: str | None = None
) -> JrRanking:
    """Read weak orders, of which the first class is approved, or categories.

    ``approved`` names the approved categories of a .cat file, by name or number, separated by
    commas; default the first. Alternatives go by their names if these differ, else by number.
    """
    file = preflib.parse(text_of(data))
    m, names = file.alternatives, file.names
    take, remarks = _taken(file.about, file.categories, approved)
    ballots = [_first(row.classes, take, m, row.line) for row in file.rows]
    listed = [names.get(c, str(c)) for c in range(1, m + 1)]
    ids = listed if len(set(listed)) == m else [str(c) for c in range(1, m + 1)]
    size = needed(k)
    return JrRanking.from_ballots(
        ballots, n_comments=m, k=size, ids=ids, weights=[row.count for row in file.rows] or None,
        meta=meta, remarks=remarks,
    )  # fmt: skip


def _taken(
    about: Mapping[str, str], categories: Mapping[int, str], approved: str | None
) -> tuple[list[int], list[Note]]:
    """Return the classes that are approved, from 0."""
    count = len(categories)
    if "NUMBER CATEGORIES" not in about:
        if approved is not None:
            raise InstanceError("approved", "is for files with categories")
        return [0], []
    if approved is None:
        name = categories.get(1, "1")
        text = f"approved is the first category, {name!r}, of {count or 'several'}"
        return [0], [Note("defaults", text)]
    place = {name.casefold(): number for number, name in sorted(categories.items(), reverse=True)}
    out = []
    for word in (part.strip() for part in approved.split(",") if part.strip()):
        number = place.get(word.casefold(), int(word) if word.isdecimal() else 0)
        if number not in categories:
            known = ", ".join(categories.values())
            raise InstanceError("approved", f"no category {word!r}; choose from {known}")
        out.append(number - 1)
    return out, []


def _first(classes: Sequence[Sequence[int]], take: Sequence[int], m: int, n: int) -> list[int]:
    out = []
    for c in _alternatives(classes, take):
        if not 1 <= c <= m:
            raise InstanceError(f"line {n}", f"no alternative {c}; there are 1 to {m}")
        out.append(c - 1)
    return out


def _alternatives(classes: Sequence[Sequence[int]], take: Sequence[int]) -> Iterator[int]:
    for place in take:
        if place < len(classes):
            yield from classes[place]
