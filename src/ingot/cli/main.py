"""The entry of the command line: finds the command, runs it, turns errors into a sentence and an exit status.

Exit status: 0 good, 1 a comparison failed, 2 the command line is wrong, from 3 on one for each kind of error (`STATUS_OF`),
12 something is not installed, 13 standard output cannot be written, 14 there is not enough memory, 130 interrupted, 141 nobody
reads standard output any more.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn, TextIO

try:
    import ingot
    from ingot.base.errors import (
        ArtifactError,
        BusyError,
        DeviceError,
        IngotError,
        InputError,
        LoadError,
        ModelError,
        TargetError,
        ToolchainError,
        UnsupportedError,
        nearest,
    )
    from ingot.cli import late
    from ingot.cli.arguments import with_numbers
    from ingot.cli.parser import CommandLineError, Parser
except KeyboardInterrupt:  # most of the time until `main` is called is spent here
    print("ingot: interrupted", file=sys.stderr)
    sys.exit(130)

STATUS_OF: tuple[tuple[type[IngotError], int], ...] = (
    (ModelError, 3),
    (UnsupportedError, 4),
    (TargetError, 5),
    (ToolchainError, 6),
    (ArtifactError, 7),
    (LoadError, 8),
    (InputError, 9),
    (DeviceError, 10),
    (BusyError, 15),
    (IngotError, 11),
)
STATUS_WRONG_WORDS = 2
STATUS_DEFECT = STATUS_OF[-1][1]
STATUS_NOT_INSTALLED = 12
STATUS_NO_OUTPUT = 13  # standard output cannot be written: a full disk
STATUS_NO_MEMORY = 14
STATUS_INTERRUPTED = 130
STATUS_BROKEN_PIPE = 141  # what a shell shows for a program that SIGPIPE ended
_NOT_MAPPED = "failed to map segment"  # the dynamic linker of glibc


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits. `arguments` are those of the process unless given."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: what is said there is for nobody, and not for the other one
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        if isinstance(
            stream := getattr(sys, name), io.TextIOWrapper
        ):  # `µ` is `\xb5` where the encoding has none
            stream.reconfigure(errors="backslashreplace")
    try:
        _run(arguments)
    except BrokenPipeError:  # wherever it was written, also in a sentence about another error
        _nobody_reads()
    except Exception:  # `_run` has no clause for it: a defect of ingot itself
        traceback.print_exc()
        raise SystemExit(STATUS_DEFECT) from None


def _run(arguments: Sequence[str] | None) -> None:
    words = with_numbers(sys.argv[1:] if arguments is None else arguments, {"--tune": "60"})
    try:
        _obey(words)
    except CommandLineError as error:
        _flush_or_drop()
        print(f"ingot: {error}", file=sys.stderr)
        raise SystemExit(STATUS_WRONG_WORDS) from None
    except IngotError as error:
        _flush_or_drop()
        print(f"ingot: {error}", file=sys.stderr)
        raise SystemExit(_status_of(error)) from None
    except ModuleNotFoundError as error:
        if (error.name or "ingot").split(".")[0] == "ingot":
            raise
        missing = f"this needs the package {error.name!r}, which is not installed"
        print(f"ingot: {missing}: pip install 'ingot-compiler[build]'", file=sys.stderr)
        raise SystemExit(STATUS_NOT_INSTALLED) from None
    except MemoryError:
        _no_memory()
    except KeyboardInterrupt:
        _interrupted()
    except (ImportError, OSError) as error:
        if isinstance(error, OSError) and _is_output(error):
            _no_output(error)
        if (refusal := _memory_refusal(error)) is not None:
            _no_memory(str(refusal))
        raise
    except SystemExit as ended:
        if not _flush_or_drop() and not ended.code:
            _nobody_reads()
        raise
    if not _flush_or_drop():
        _nobody_reads()
    raise SystemExit(0)


def _status_of(error: IngotError) -> int:
    if isinstance(error, MemoryError):
        return STATUS_NO_MEMORY
    return next(status for kind, status in STATUS_OF if isinstance(error, kind))


def _obey(words: Sequence[str]) -> None:
    """Shows the overview or the version, or runs a command: the only one whose module is imported."""
    if not words:
        print(overview(), end="", file=sys.stderr)
        raise SystemExit(STATUS_WRONG_WORDS)
    name, *others = words
    if name in ("-h", "--help"):
        print(overview(), end="")
    elif name == "--version":
        print(f"ingot {ingot.__version__}")
    elif name in late.SUMMARIES:
        run = late.command(name)
        run(parser(name).parse_all(others))
    else:
        kind = "option" if name.startswith("-") else "command"
        known = f"{', '.join(late.SUMMARIES)}, --help, --version"
        raise CommandLineError(f"unknown {kind} {name!r}{nearest(name, late.SUMMARIES)} (known: {known})")


def overview() -> str:
    """The text of `ingot --help`: every command with a line, in 80 columns."""
    rows = [
        *late.SUMMARIES.items(),
        ("--version", "Show the version."),
        ("-h, --help", "Show this overview."),
    ]
    lines = "\n".join(f"  {name:<12}{text}" for name, text in rows)
    return (
        "usage: ingot COMMAND ...\n\n"
        "Compiles trained ONNX models into small libraries that run on their own.\n\n"
        f"commands and options:\n{lines}\n\n"
        "`ingot COMMAND --help` has the options of a command.\n"
    )


def parser(name: str) -> Parser:
    """The parser of a command."""
    command_parser = Parser(prog=f"ingot {name}", description=late.SUMMARIES[name])
    late.add_options(name)(command_parser)
    command_parser.shorten_usage()
    return command_parser


def _flush_or_drop() -> bool:
    """Writes what is left to standard output; if nobody reads it any more, drops it without a word at exit, and returns False."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)
        return False
    except OSError as error:
        _no_output(error)
    return True


def _interrupted() -> NoReturn:
    print("ingot: interrupted", file=sys.stderr)
    raise SystemExit(STATUS_INTERRUPTED) from None


def _nobody_reads() -> NoReturn:
    """Ends without a word, also on standard error: that may be what nobody reads, or be the same pipe."""
    _drop(sys.stdout)
    _drop(sys.stderr)
    raise SystemExit(STATUS_BROKEN_PIPE) from None


def _drop(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_output(error: OSError) -> bool:
    """Whether writing to standard output failed, rather than something that names a file."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _memory_refusal(error: BaseException | None) -> BaseException | None:
    """The error by which the system refused memory, be it for the code of a library: the dynamic linker says that in words, and
    packages say something else then.
    """
    refused = _NOT_MAPPED, "annot allocate memory"
    while error is not None:
        if getattr(error, "errno", None) == errno.ENOMEM or any(words in str(error) for words in refused):
            return error
        error = error.__cause__ or error.__context__
    return None


def _no_memory(words: str = "") -> NoReturn:
    """`words` are the system's: the dynamic linker has the same for code on a file system that lets none run."""
    problem = "not enough memory (of the machine, or allowed to this process: ulimit -v)"
    if _NOT_MAPPED in words:
        problem += f", or code on a file system that is mounted noexec: {' '.join(words.split())[-200:]}"
    print(f"ingot: {problem}", file=sys.stderr)
    raise SystemExit(STATUS_NO_MEMORY) from None


def _no_output(error: OSError) -> NoReturn:
    _drop(sys.stdout)
    print(f"ingot: cannot write to standard output: {error.strerror}", file=sys.stderr)
    raise SystemExit(STATUS_NO_OUTPUT) from None
