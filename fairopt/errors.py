"""Every error that fairopt raises on purpose; each carries its exit code."""

from __future__ import annotations

from typing import ClassVar


class FairoptError(Exception):
    """Base class; the command line turns it into one line and ``exit_code``."""

    exit_code: ClassVar[int] = 5


class InstanceError(FairoptError, ValueError):
    """An instance, or another file of ours, breaks a rule.

    ``where`` is the path of the field as in the JSON file (``papers[3].authors``) and may be
    empty when the file as a whole is meant; ``file`` is set by the reader.
    """

    exit_code = 2

    def __init__(self, where: str, why: str, *, file: str | None = None) -> None:
        super().__init__(where, why)
        self.where = where
        self.why = why
        self.file = file

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.where, self.why) if part)


class UsageError(FairoptError, ValueError):
    """An option, objective or verb that does not exist here, or has a value it cannot have."""

    exit_code = 2


class UnknownMethod(FairoptError, LookupError):
    """No method or problem has that name."""

    exit_code = 2


class MethodError(FairoptError, RuntimeError):
    """A method or backend answered something that its check refutes: our bug or theirs."""

    exit_code = 5
