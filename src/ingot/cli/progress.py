"""A line at the foot of a terminal that says how far a build has come."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Self

BAR = 24  # letters
PAUSE_SECONDS = 0.1  # between two writings of the line


class Progress:
    """Writes to standard error while it is entered, if that is a terminal; the line is gone afterwards."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._stage = ""
        self._begin = self._written = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("")
        self._is_shown = False

    def move(self, stage: str, done: int, total: int) -> None:
        """`stage` has done `done` steps of `total`, which is 0 where nobody knows how many there are."""
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._begin = stage, now
        elif now - self._written < PAUSE_SECONDS:
            return
        self._written = now
        full = BAR * min(done, total) // total if total else 0
        count = f" {done}/{total}" if total else ""
        self._write(f"{stage:<12} [{'#' * full}{'.' * (BAR - full)}]{count} {now - self._begin:.0f} s")

    def say(self, sentence: str) -> None:
        """A sentence on standard error that stays, above the line."""
        self._write("")
        print(f"ingot: {sentence}", file=sys.stderr)

    def _write(self, line: str) -> None:
        if self._is_shown:
            print(
                f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K",
                end="",
                file=sys.stderr,
                flush=True,
            )
