"""Words of the command line that need more reading than Typer does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import typer

from ingot.errors import nearest
from ingot.runtime.library import Device

HOST = "host"
DEVICE_HELP = "Where the part of a target key runs, such as accel=opencl:0; may be repeated."


def bound_dims(words: Sequence[str]) -> dict[str, int]:
    """Reads `--dim batch=1 --dim time=16` into a dictionary.

    Raises:
        typer.BadParameter: a word is not of the form NAME=NUMBER, or a name is given twice.
    """
    dims: dict[str, int] = {}
    for word in words:
        name, found, value = word.rpartition("=")
        if not found or not name or not value.isdecimal():
            raise typer.BadParameter(f"--dim {word!r}: expected NAME=NUMBER, such as batch=1")
        if dims.setdefault(name, int(value)) != int(value):
            raise typer.BadParameter(f"--dim {name!r} is given twice, as {dims[name]} and {value}")
    return dims


def keyed_targets(words: Sequence[str]) -> str | dict[str, str]:
    """Reads `-t llvm`, or `-t host=llvm -t accel=opencl`, into what `ingot.build` takes. A target without a key is the host's;
    the host's is `llvm` if it is not given.

    Raises:
        typer.BadParameter: a key is given twice.
    """
    targets: dict[str, str] = {}
    for word in words:
        match = re.fullmatch(r"([A-Za-z0-9_]+)=(.*)", word)
        key, text = match.groups() if match else (HOST, word)
        if key in targets:
            raise typer.BadParameter(f"--target: {key!r} is given twice, as {targets[key]!r} and {text!r}")
        targets[key] = text
    return targets[HOST] if targets.keys() == {HOST} else {HOST: "llvm", **targets}


def placements(words: Sequence[str]) -> dict[str, str]:
    """Reads `--place Conv=accel --place 'head/*=accel'` into a dictionary, in order.

    Raises:
        typer.BadParameter: a word is not of the form WHAT=KEY, or a what is given twice.
    """
    place: dict[str, str] = {}
    for word in words:
        what, _, key = word.rpartition("=")
        if not what or not key or what in place:
            raise typer.BadParameter(f"--place {word!r}: expected WHAT=KEY, such as Conv=accel or 'head/*=accel', each WHAT once")
        place[what] = key
    return place


def require_placed(targets: str | Mapping[str, str], place: Mapping[str, str]) -> None:
    """Raises typer.BadParameter for a target besides the host that no `--place` names: it would be made for nothing."""
    for key, text in targets.items() if isinstance(targets, Mapping) else ():
        if key != HOST and key not in place.values():
            raise typer.BadParameter(
                f"--target {key}={text}: nothing is placed there; say which nodes it computes, "
                f"such as --place Conv={key}, or --place '*={key}' for all"
            )


def keyed_devices(words: Sequence[str]) -> dict[str, list[Device]]:
    """Reads `--device accel=opencl:1`, or `accel=opencl` for number 0, into what a factory of executors takes.

    Raises:
        typer.BadParameter: a word is not of that form.
    """
    devices: dict[str, list[Device]] = {}
    for word in words:
        match = re.fullmatch(r"([A-Za-z0-9_]+)=([A-Za-z0-9_]+)(?::([0-9]{1,6}))?", word)
        if match is None:
            raise typer.BadParameter(f"--device {word!r}: expected KEY=KIND:NUMBER, such as accel=opencl:0")
        key, kind, number = match.groups()
        devices.setdefault(key, []).append(Device(kind, int(number or 0)))
    return devices


def with_numbers(words: Sequence[str], usual: Mapping[str, str]) -> list[str]:
    """Puts the usual number behind options that may stand without one, such as `--tune` before another option or a file."""
    made: list[str] = []
    for word, following in zip(words, [*words, ""][1:], strict=True):
        made.append(word)
        if word == "--":
            return [*made, *words[len(made) :]]
        if word in usual and not _is_number(following):
            made[-1] = f"{word}={usual[word]}"
    return made


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def one_of(what: str, word: str, known: Iterable[str]) -> str:
    """Returns `word` if it is known.

    Raises:
        typer.BadParameter: it is not; the message has the nearest names.
    """
    names = tuple(known)
    if word not in names:
        listed = ", ".join(names) if len(names) <= 12 else f"{len(names)} are known"
        raise typer.BadParameter(f"{what} {word!r} is unknown{nearest(word, names)} (known: {listed})")
    return word
