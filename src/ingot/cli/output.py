"""What `ingot build` writes: which kind of file a name asks for, what goes next to it, and whether there is a place for it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from ingot.api.artifact_set import ArtifactSet
from ingot.cli.parser import CommandLineError
from ingot.link.interface import why_no_interface
from ingot.link.packages import cmake_config, cmake_version, pkg_config
from ingot.package.container_file import SUFFIX as SET_SUFFIX
from ingot.package.tar import SUFFIX as ARCHIVE_SUFFIX

_LIBRARY = re.compile(r".+\.so(\.[0-9]+)*")  # libdigits.so.1.2, too


SEVERAL = "it has several models; ArtifactSet.c_header(model) gives the header of each"


class Kind(Enum):
    """What a build can write."""

    LIBRARY = "a library (.so)"
    SET = f"a stored set of artifacts ({SET_SUFFIX})"
    ARCHIVE = f"a Model Library Format archive ({ARCHIVE_SUFFIX})"


def kind_of(path: Path) -> Kind:
    """What a file name asks for.

    Raises:
        CommandLineError: its suffix is of none of the kinds.
    """
    if path.suffix == SET_SUFFIX:
        return Kind.SET
    if path.suffix == ARCHIVE_SUFFIX:
        return Kind.ARCHIVE
    if _LIBRARY.fullmatch(path.name):
        return Kind.LIBRARY
    raise CommandLineError(
        f"-o {path}: its suffix must say what to write: {', '.join(kind.value for kind in Kind)}"
    )


def companion_names(path: Path, cmake: bool) -> Iterator[tuple[Path, str]]:
    """The files of `companion_files`, and what they are, before anything is built: there may be no header in the end."""
    header = path.with_suffix(".h")
    yield header, "the library's C header"
    if cmake:
        for name, _ in _packages(path.name, header.name, "", ""):
            yield path.parent / name, "a package file"


def companion_files(artifacts: ArtifactSet, path: Path, cmake: bool) -> dict[str, str]:
    """Names and texts of what is written next to the library: the header, and the package files if they are wanted."""
    models = list(artifacts.models().values())
    if len(models) != 1 and cmake:
        raise CommandLineError(f"--cmake is for a library of one model: {SEVERAL}")
    if len(models) != 1 or (not cmake and why_no_interface(artifacts, models[0])):
        return {}
    info = models[0]
    header = path.with_suffix(".h").name
    files = {header: artifacts.c_header()}
    if cmake:
        files.update(_packages(path.name, header, info.ingot_version, f"the model {info.name}"))
    return files


def _packages(library: str, header: str, version: str, description: str) -> tuple[tuple[str, str], ...]:
    """Names and texts of the package files for CMake and pkg-config."""
    return (
        cmake_config(library, header),
        cmake_version(library, version),
        pkg_config(library, header, version, description),
    )


def check_writable(path: Path, content: str, option: str, taken: dict[str, str]) -> None:
    """Checks, before minutes of work, that a file can be written and is not one that the command reads or writes. Adds its
    real path to `taken`.

    Raises:
        CommandLineError: the file cannot be written, or its path is taken.
    """
    place = os.path.realpath(path)
    wrong = f"is {taken[place]} itself" if place in taken else _why_not_writable(path)
    if wrong:
        raise CommandLineError(f"{path} {wrong}; give a file name with {option}")
    taken[place] = content


def _why_not_writable(path: Path) -> str:
    """The reason why a file cannot be written at a path, as far as it can be known before; empty if there is none."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "" if path.parent.is_dir() else f"cannot be written: there is no folder {path.parent}"
    except (
        OSError
    ) as error:  # a name that is too long, a loop of symbolic links, a folder that is closed to us
        return f"cannot be written: {error.strerror}"
    if stat.S_ISDIR(mode):
        return "is a folder"
    return "" if stat.S_ISREG(mode) else "is a device or a pipe"
