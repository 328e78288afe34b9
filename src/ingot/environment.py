"""The one reader of the process's environment. Everybody else asks here, by a function that says what the variable means."""

from __future__ import annotations

import os
from pathlib import Path

from ingot.errors import ToolchainError


def compiler_command() -> str:
    """`CC`: the compiler driver to use, with its first arguments; empty if not set."""
    return os.environ.get("CC", "").strip()


def cache_folder() -> Path | None:
    """Where ingot keeps what it can make again: `$XDG_CACHE_HOME/ingot`, `~/.cache/ingot`, or None when there is no home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base and Path(base).is_absolute():  # the XDG rule: relative paths are ignored
        return Path(base) / "ingot"
    home = os.environ.get("HOME", "")
    return Path(home) / ".cache" / "ingot" if home else None


def source_date_epoch() -> int:
    """`SOURCE_DATE_EPOCH`: the time, in seconds, that goes where a format wants one; 0 if not set.

    Raises:
        ToolchainError: it is set and is no whole number from 0 to 2^32 - 1.
    """
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) < 1 << 32):
        raise ToolchainError(f"SOURCE_DATE_EPOCH must be a whole number of seconds below 2^32, got {text[:40]!r}", got=text)
    return int(text)
