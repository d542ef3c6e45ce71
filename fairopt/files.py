"""The one reader and writer: JSON, CSV, gzip, and which family a file belongs to."""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairopt import rational
from fairopt.errors import InstanceError, UsageError
from fairopt.solution import encode

if TYPE_CHECKING:
    from fairopt.problem import Meta, Problem

MAX_BYTES = 2 * 2**30  # unpacked
STRICT_JSON_BYTES = 64 * 2**20  # larger JSON goes to msgspec, which keeps the last repeated key
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
HEAD = 4096  # bytes shown to a format that is asked whether a file is its own


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of one problem, beside the common JSON.

    Parameters
    ----------
    name
        As shown to people: ``papers CSV``.
    problem
        The problem it holds.
    matches
        Whether a file with this suffix (``.csv``, without ``.gz``) and these first bytes is one.
    read
        ``read(data: bytes, *, meta: Meta, **options) -> Problem``; its other keyword arguments
        are the reader options. An option annotated ``Path`` names a further file.
    write
        ``write(problem) -> bytes``, or None.
    suffixes
        Suffixes that ``save`` takes for this format.
    needs
        Options without which a file is not taken for one: of a table that could be anything.
    """

    name: str
    problem: str
    matches: Callable[[str, bytes], bool]
    read: Callable[..., Problem]
    write: Callable[[Any], bytes] | None = None
    suffixes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


# -- bytes ---------------------------------------------------------------------------------


def read_bytes(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file, unpacked if it is gzip, without a byte order mark."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as handle:
            data = handle.read(max_bytes + 1)
    except IsADirectoryError:
        raise InstanceError("", "is a directory, not a file", file=name) from None
    except FileNotFoundError:
        raise InstanceError("", "no such file", file=name) from None
    except PermissionError:
        raise InstanceError("", "no permission to read it", file=name) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InstanceError("", f"cannot be read ({why})", file=name) from None
    if data[:2] == b"\x1f\x8b":
        data = _unpack(data, name, max_bytes)
    if len(data) > max_bytes:
        raise InstanceError("", f"is larger than {max_bytes} bytes (see --max-bytes)", file=name)
    if not data.strip():
        raise InstanceError("", "is empty", file=name)
    return data.removeprefix(b"\xef\xbb\xbf")


def _unpack(data: bytes, name: str, max_bytes: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            return packed.read(max_bytes + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InstanceError("", "is a damaged or truncated gzip file", file=name) from None


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all; gzip when the name ends in ``.gz``."""
    name = os.fspath(path)
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    draft = f"{name}.{os.getpid()}.tmp"
    try:
        if os.path.exists(name) and not os.path.isfile(name):  # a device or a pipe
            Path(name).write_bytes(data)
            return
        Path(draft).write_bytes(data)
        os.replace(draft, name)
    except OSError as error:
        Path(draft).unlink(missing_ok=True)
        raise UsageError(f"{name}: cannot be written ({error.strerror})") from None


# -- JSON ----------------------------------------------------------------------------------


def parse_json(data: bytes, *, file: str | None = None, digits: int = rational.MAX_DIGITS) -> Any:
    """Return JSON content with decimals as ``Decimal`` and keys ``x_…`` dropped.

    Refuses repeated keys, NaN, integers of more than ``digits`` digits and too deep nesting with
    an ``InstanceError``.
    """
    try:
        if len(data) >= STRICT_JSON_BYTES:
            return _large_json(data)
        content = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=functools.partial(_integer, digits=digits),
            parse_float=_decimal,
            parse_constant=_no_constant,
        )
        if _SURROGATE.search(data):
            _refuse_surrogates(content, "")
        return content
    except InstanceError as error:
        raise InstanceError(error.where, error.why, file=file) from None
    except UnicodeDecodeError as error:
        raise InstanceError("", f"is not UTF-8 text (byte {error.start})", file=file) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise InstanceError(where, f"is not valid JSON ({error.msg})", file=file) from None
    except RecursionError:
        raise InstanceError("", "is nested too deeply", file=file) from None


def _refuse_surrogates(value: Any, where: str) -> None:
    """Refuse half a character, which JSON can escape but no text file can hold."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise InstanceError(where, "holds half of a surrogate pair, which is no character")
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_surrogates(key, where or "a key")
            _refuse_surrogates(item, f"{where}.{key}".lstrip("."))
    elif isinstance(value, list):
        for k, item in enumerate(value):
            _refuse_surrogates(item, f"{where}[{k}]")


def _large_json(data: bytes) -> Any:
    import msgspec

    try:
        return msgspec.json.Decoder(Any, float_hook=_decimal).decode(data)
    except msgspec.DecodeError as error:
        raise InstanceError("", f"is not valid JSON ({error})") from None


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InstanceError(key, "the key is repeated in one object")
            seen.add(key)
    return {k: v for k, v in out.items() if not k.startswith("x_")}


def _integer(text: str, *, digits: int) -> int:
    if len(text) > digits:
        raise InstanceError("", f"holds a number of more than {digits} digits")
    return int(text)


def _decimal(text: str) -> Decimal:
    if len(text) > 2 * rational.MAX_DIGITS:
        raise InstanceError("", f"holds a number of more than {rational.MAX_DIGITS} digits")
    try:
        return Decimal(text)
    except ArithmeticError:  # an exponent that even Decimal cannot hold
        raise InstanceError("", f"holds a number that is too long: {text[:40]}") from None


def _no_constant(text: str) -> Any:
    raise InstanceError("", f"holds {text}, which is no number of JSON")


def dump_json(data: Any) -> bytes:
    """Return readable JSON: one line per item of a long list, never NaN."""
    return (json.dumps(encode(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


# -- instances -----------------------------------------------------------------------------


def load(
    source: str | os.PathLike[str] | Mapping[str, Any],
    problem: str | None = None,
    *,
    max_bytes: int = MAX_BYTES,
    settings: Mapping[str, Any] | None = None,
    **read: Any,
) -> Problem:
    """Read an instance: a path of any known format, or the content of its JSON as a dict.

    Parameters
    ----------
    source
        Path (gzip is recognised by content) or dict.
    problem
        Which problem the file holds; needed only where the file does not say it.
    max_bytes
        Refuse more than that, unpacked.
    settings
        Fields that the caller sets afterwards; a reader that has an option of such a name, as
        the one of a table that cannot say how many to choose, is given it. Where a file could be
        of several problems, those that have such fields are meant.
    **read
        Options of the reader (``dedupe``, ``points`` …).

    Raises
    ------
    InstanceError
        With file and field. Also when no format or several formats fit.
    """
    from fairopt.problem import Meta
    from fairopt.solution import Origin

    given = {"problem": problem, **read} if problem else dict(read)
    if isinstance(source, Mapping):
        meta = Meta(origin=Origin(read=encode(given)))
        return _from_json(dict(source), problem, read, meta)
    name = os.fspath(source)
    data = read_bytes(name, max_bytes=max_bytes)
    suffix = "".join(Path(name.removesuffix(".gz")).suffixes[-1:]).lower()
    stem = Path(name.removesuffix(".gz")).stem.encode("utf-8", "replace").decode()
    meta = Meta(name=stem, origin=Origin(read=encode(given)))
    try:
        return _read(data, suffix, problem, read, meta, settings or {})
    except InstanceError as error:
        if error.file is None:
            raise InstanceError(error.where, error.why, file=name) from None
        raise


def _read(
    data: bytes, suffix: str, problem: str | None, options: dict[str, Any], meta: Meta,
    settings: Mapping[str, Any],
) -> Problem:  # fmt: skip
    from fairopt import registry
    from fairopt.options import options_of

    if problem is not None:
        problem = registry.problem_entry(problem).name
    formats = [f for f in registry.formats(problem) if f.matches(suffix, data[:HEAD])]
    formats = _with_settings(_asked_for(formats, options), settings)
    if data.lstrip()[:1] in (b"{", b"[") and not formats:
        content = parse_json(data)
        if not isinstance(content, dict):
            raise InstanceError("", "expected a JSON object")
        return _from_json(content, problem, options, meta)
    if len(formats) == 1:
        asked = options_of(formats[0].read).keys() & settings.keys()
        given = {**{name: settings[name] for name in sorted(asked)}, **options}
        return read_format(formats[0], data, given, meta)
    if not formats:
        known = "; ".join(sorted({_listing(f) for f in registry.formats(problem)}))
        raise InstanceError("", f"fits no known format; known are JSON, {known}")
    fitting = ", ".join(f"{f.name} (--problem {f.problem})" for f in formats)
    raise InstanceError("", f"fits several formats: {fitting}; name the problem")


def _asked_for(formats: list[Format], options: Mapping[str, Any]) -> list[Format]:
    """Return the formats whose needs are given; of several those that know all options."""
    from fairopt.options import options_of

    given = {name.replace("-", "_") for name in options}
    fitting = [form for form in formats if given.issuperset(form.needs)]
    if len(fitting) < 2:
        return fitting
    return [f for f in fitting if given <= options_of(f.read).keys()] or fitting


def _with_settings(formats: list[Format], settings: Mapping[str, Any]) -> list[Format]:
    """Return of several formats those of problems that have the fields which are to be set."""
    from fairopt import registry

    if len(formats) < 2:
        return formats
    fields = [registry.problem_class(form.problem).settings.keys() for form in formats]
    meant = settings.keys() & set().union(*fields)
    return [form for form, own in zip(formats, fields, strict=True) if meant <= own] or formats


def _listing(form: Format) -> str:
    needs = "".join(f", with --{name.replace('_', '-')}" for name in form.needs)
    return f"{form.name} ({form.problem}{needs})"


def read_format(form: Format, data: bytes, options: dict[str, Any], meta: Meta) -> Problem:
    """Read bytes in one format, with its options converted to their types."""
    from fairopt.options import typed_options

    typed = typed_options(form.read, options, what=f"reader of {form.name}")
    files = {
        key: hashlib.sha256(read_bytes(value)).hexdigest()
        for key, value in typed.items()
        if isinstance(value, Path)
    }
    read = {**meta.origin.read, **encode(options), "format": form.name}
    origin = replace(meta.origin, read=read, files=files)
    return form.read(data, meta=replace(meta, origin=origin), **typed)


def _from_json(
    content: dict[str, Any], problem: str | None, options: dict[str, Any], meta: Meta
) -> Problem:
    from fairopt import registry

    if options:
        raise UsageError(f"a JSON instance has no reader option {next(iter(options))!r}")
    if {"fairopt", "answer", "status"} <= content.keys():
        raise InstanceError("", "is a solution file, not an instance")
    named = content.get("problem")
    if named is None and problem is None:
        raise InstanceError("problem", "the file does not name its problem (see --problem)")
    if named is not None and not isinstance(named, str):
        raise InstanceError("problem", "expected a text")
    entry = registry.problem_entry(named or problem or "")
    if problem is not None and named is not None and registry.problem_entry(problem) != entry:
        raise InstanceError("problem", f"the file says {named!r}, not {problem!r}")
    return registry.problem_class(entry.name).from_json(content, meta)


def save(thing: Any, path: str | os.PathLike[str]) -> None:
    """Write a solution (JSON) or an instance (JSON, or a format chosen by the suffix)."""
    from fairopt import registry
    from fairopt.problem import Problem

    name = os.fspath(path)
    if isinstance(thing, Problem):
        suffix = Path(name.removesuffix(".gz")).suffix.lower()
        for form in registry.formats(thing.problem):
            if suffix in form.suffixes and form.write is not None:
                write_bytes(name, form.write(thing))
                return
        if suffix != ".json":
            raise UsageError(f"{name}: {thing.problem} can be written as .json or a listed format")
    write_bytes(name, dump_json(thing.to_json()))
