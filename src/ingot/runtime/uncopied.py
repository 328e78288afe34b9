"""What cannot be copied, and so not be sent to another process either, says what can."""

from __future__ import annotations

from typing import NoReturn

from ingot.base.errors import LoadError


def refuse(subject: str, instead: str) -> NoReturn:
    """Raises LoadError: `subject` cannot be copied, or sent to another process; `instead` says what can."""
    raise LoadError(f"{subject} cannot be copied or sent to another process: {instead}")
