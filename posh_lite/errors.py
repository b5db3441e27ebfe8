"""Errors that say what is wrong, where, and what to do next."""

from __future__ import annotations


class PoshLiteError(Exception):
    """Base of every error that the package raises on purpose."""


class InputError(PoshLiteError):
    """A file or record that cannot be used. The message names the file, the line and the field.

    Args:
        message: what is wrong and what to do about it, in one line.
        path: the file, or None for input that is not a file.
        line: 1-based line number, or None.
        field: name of the offending field, or None.
    """

    def __init__(
        self, message: str, *, path: object = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.path, self.line, self.field = path, line, field
        where = "" if path is None else f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(f"{where}{message}")


class MissingDependency(PoshLiteError):
    """An optional part is not installed. The message says which extra brings it."""


class ReplayMiss(PoshLiteError):
    """A question was asked in replay that the verdict log does not hold."""


class JudgeError(PoshLiteError):
    """A judge cannot be made, or broke the contract."""


class JudgeDown(JudgeError):
    """What a judge needs is gone, such as its server: no other question would be answered either."""


class LogError(PoshLiteError):
    """A verdict log cannot be opened, read or written. The message says what to do."""
