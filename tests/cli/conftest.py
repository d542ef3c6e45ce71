from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairopt import registry
from fairopt.cli.app import cli

HERE = Path(__file__).parent


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the toy family known."""
    from fairopt.cli import reading

    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setattr(registry, "_entry_points", lambda group: {"toy": "toy_family"})
    registry.families.cache_clear()
    reading.reader_flags.cache_clear()
    yield
    registry.families.cache_clear()
    reading.reader_flags.cache_clear()


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run the command line in this process; a traceback is never right."""

    def invoke(*args: Any) -> Result:
        result = CliRunner().invoke(cli, [str(a) for a in args])
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        assert "Traceback" not in result.stderr
        return result

    return invoke


@pytest.fixture
def toy(toys: None, tmp_path: Path) -> Callable[..., Path]:
    """Write a toy instance."""

    def write(name: str = "toy.json", **content: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({"problem": "toy-pick", "size": 5, **content}))
        return path

    return write
