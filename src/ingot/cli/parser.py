"""The parser of the command line: `argparse` with the messages and the width of this command line.

It needs the standard library alone, so that an installation which only loads libraries has the commands that need no compiler.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from typing import Any, NoReturn

from ingot.base.errors import nearest

MAX_COLUMNS = 100


class CommandLineError(Exception):
    """The command line is wrong: one sentence that says what, and what was expected."""


class Parser(argparse.ArgumentParser):
    """Options by their whole names, and errors as exceptions instead of an exit."""

    def __init__(self, **named: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_formatter, **named)

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 (argparse calls it so)
        """Prints the help to standard output, and lets a failure to write be seen: `argparse` would hide it."""
        print(self.format_help(), end="")

    def shorten_usage(self) -> None:
        """Leaves the list of all options to the help below: the usage is one line."""
        positional = " ".join(
            f"[{action.metavar}]" if action.nargs == "?" else f"{action.metavar}"
            for action in self._actions
            if not action.option_strings
        )
        self.usage = f"{self.prog} {positional} [OPTION ...]"

    def error(self, message: str) -> NoReturn:
        raise CommandLineError(
            f"{message.removeprefix('argument ')} ({self.prog} --help lists what there is)"
        )

    def parse_all(self, words: list[str]) -> argparse.Namespace:
        """Parses all words.

        Raises:
            CommandLineError: a word is not known, missing or of a wrong kind; the message has the nearest known one.
        """
        arguments, unknown = self.parse_known_args(words)
        if unknown:
            word = unknown[0].partition("=")[0]
            known = nearest(word, self.option_strings) if word.startswith("-") else ""
            noun = "option" if word.startswith("-") else "argument"
            self.error(f"unknown {noun} {unknown[0]!r}{known}")
        return arguments

    @property
    def option_strings(self) -> tuple[str, ...]:
        """Every option, such as `-o` and `--output`."""
        return tuple(name for action in self._actions for name in action.option_strings)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Shows `-o, --output FILE` where `argparse` of Python 3.11 shows the metavariable twice."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


def _formatter(prog: str) -> argparse.HelpFormatter:
    return _Formatter(
        prog, max_help_position=26, width=min(shutil.get_terminal_size().columns - 1, MAX_COLUMNS)
    )


def number(kind: type[int] | type[float], minimum: float = 0) -> Callable[[str], float]:
    """A reader of numbers of at least `minimum`, for the argument `type` of an option."""

    def read(word: str) -> float:
        try:
            value = kind(word)
        except ValueError:
            value = None
        if value is None or not value >= minimum:
            expected = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"expected {expected} of at least {minimum:g}, got {word!r}")
        return value

    return read
