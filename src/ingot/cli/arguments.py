"""Words of the command line that need more reading than `argparse` does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ingot.base.dims import Dim, dim
from ingot.base.errors import nearest
from ingot.base.plugins import BUILT_IN
from ingot.cli.parser import CommandLineError

HOST = "host"


_SIZES = re.compile(
    r"(?P<size>\d+)|(?P<sizes>\d+(,\d+)+)|(?P<low>\d+)\.\.(?P<high>\d+)(:(?P<step>\d+))?", re.ASCII
)


def bound_dims(words: Sequence[str]) -> dict[str, int | list[int] | Dim | str]:
    """Reads `--dim batch=1 --dim height=32,64 --dim time=8..512:8` into a dictionary. `b:0=a:0` is for an extent that is the same
    as another one that has a word, and `total=past + 1` for a sum of such and numbers.

    Raises:
        CommandLineError: a word is of none of these forms, or a name is given twice.
        ModelError: a range has no size.
    """
    dims: dict[str, int | list[int] | Dim | str] = {}
    names = {word.rpartition("=")[0] for word in words} - {""}
    for word in words:
        name, equals, value = word.rpartition("=")
        match = _SIZES.fullmatch(value)
        if not equals or not name or (match is None and not _is_sum(value, names)):
            raise CommandLineError(
                f"--dim {word!r}: expected NAME=NUMBER, such as batch=1, or NAME=SIZES, such as batch=1..64 or size=32,64"
            )
        read = value if match is None else _sizes(match)
        if dims.setdefault(name, read) != read:
            raise CommandLineError(f"--dim {name!r} is given twice, as {dims[name]} and {value}")
    return dims


def _is_sum(text: str, names: Collection[str]) -> bool:
    """Whether each term of a text is a number or one of these names, and one is a name."""
    terms = [text] if text in names else [term.strip() for term in text.split("+")]
    named = [term in names for term in terms]
    return any(named) and all(is_name or term.isdecimal() for is_name, term in zip(named, terms, strict=True))


def _sizes(match: re.Match[str]) -> int | list[int] | Dim:
    if match["size"]:
        return int(match["size"])
    if match["sizes"]:
        return [int(size) for size in match["sizes"].split(",")]
    return dim(int(match["low"]), int(match["high"]), multiple_of=int(match["step"] or 1))


def stated(words: Sequence[str]) -> dict[str, str] | str | None:
    """Reads `--state h=hn --state c=cn` into a dictionary, or `--state auto`; None for none.

    Raises:
        CommandLineError: what is no pair of names, an input that is given twice, or `auto` beside others.
    """
    if not words:
        return None
    if list(words) == ["auto"]:
        return "auto"
    states: dict[str, str] = {}
    for word in words:
        name, _, result = word.partition("=")
        if not name or not result:
            raise CommandLineError(
                f"--state {word!r}: expected INPUT=OUTPUT, such as h=hn, or --state auto without others"
            )
        if states.setdefault(name, result) != result:
            raise CommandLineError(f"--state {name!r} is given twice, as {states[name]} and {result}")
    return states


def bounded(words: Sequence[str]) -> dict[str, int] | None:
    """Reads `--bound selected=300 --bound kept=10` into a dictionary; None for none.

    Raises:
        CommandLineError: what is no name with a number, or a name that is given twice.
    """
    bounds: dict[str, int] = {}
    for word in words:
        name, _, number = word.rpartition("=")
        if not name or not number.isdecimal():
            raise CommandLineError(f"--bound {word!r}: expected NAME=NUMBER, such as selected=300")
        if bounds.setdefault(name, int(number)) != int(number):
            raise CommandLineError(f"--bound {name!r} is given twice, as {bounds[name]} and {number}")
    return bounds or None


def bound_constants(words: Sequence[str]) -> dict[str, object]:
    """Reads `--constant sr=16000 --constant shape=1,2,3 --constant k=@k.npy` into what `ingot.build` takes: texts, which it reads
    by the type of the input, and arrays of files.

    Raises:
        CommandLineError: a word is not of the form NAME=VALUE, a name is given twice, or a file holds no array.
    """
    constants: dict[str, object] = {}
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals or not name or not value:
            raise CommandLineError(
                f"--constant {word!r}: expected NAME=VALUE, such as sr=16000, shape=1,2,3 or k=@k.npy"
            )
        if name in constants:
            raise CommandLineError(f"--constant {name!r} is given twice")
        constants[name] = _array_in(Path(value[1:])) if value.startswith("@") else value
    return constants


def _array_in(path: Path) -> np.ndarray:
    try:
        with path.open("rb") as file:
            array = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is no .npy file of plain numbers"
        raise CommandLineError(f"--constant @{path}: {reason}") from error
    if not isinstance(array, np.ndarray):
        raise CommandLineError(f"--constant @{path}: expected one array (.npy), got several (.npz)")
    return array


def keyed_targets(words: Sequence[str]) -> str | dict[str, str]:
    """Reads `-t llvm`, or `-t host=llvm -t accel=opencl`, into what `ingot.build` takes. A target without a key is the host's;
    the host's is `llvm` if it is not given.

    Raises:
        CommandLineError: a key is given twice.
    """
    targets: dict[str, str] = {}
    for word in words:
        match = re.fullmatch(r"([A-Za-z0-9_]+)=(.*)", word)
        key, text = match.groups() if match else (HOST, word)
        if key in targets:
            raise CommandLineError(f"--target: {key!r} is given twice, as {targets[key]!r} and {text!r}")
        targets[key] = text
    return targets[HOST] if targets.keys() == {HOST} else {HOST: "llvm", **targets}


def placements(words: Sequence[str]) -> dict[str, str]:
    """Reads `--place Conv=accel --place 'head/*=accel'` into a dictionary, in order.

    Raises:
        CommandLineError: a word is not of the form WHAT=KEY, or a what is given twice.
    """
    place: dict[str, str] = {}
    for word in words:
        placed, _, key = word.rpartition("=")
        if not placed or not key or placed in place:
            raise CommandLineError(
                f"--place {word!r}: expected WHAT=KEY, such as Conv=accel or 'head/*=accel', each WHAT once"
            )
        place[placed] = key
    return place


def require_placed(targets: str | Mapping[str, str], place: Mapping[str, str]) -> None:
    """Raises CommandLineError for a target besides the host that no `--place` names: it would be made for nothing. A code
    generator of another package may choose nodes itself.
    """
    for key, text in targets.items() if isinstance(targets, Mapping) else ():
        is_own = text.partition(" ")[0] in BUILT_IN["ingot.codegens"]
        if is_own and key != HOST and key not in place.values():
            raise CommandLineError(
                f"--target {key}={text}: nothing is placed there; say which nodes it computes, "
                f"such as --place Conv={key}, or --place '*={key}' for all"
            )


def with_numbers(words: Sequence[str], usual: Mapping[str, str]) -> list[str]:
    """Puts the usual number behind options that may stand without one, such as `--tune` before another option or a file."""
    rewritten: list[str] = []
    for word, following in zip(words, [*words, ""][1:], strict=True):
        rewritten.append(word)
        if word == "--":
            return [*rewritten, *words[len(rewritten) :]]
        if word in usual and not _is_number(following):
            rewritten[-1] = f"{word}={usual[word]}"
    return rewritten


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def forced(words: Sequence[str]) -> dict[str, str]:
    """Reads `--force conv=direct --force matmul=panels` into a dictionary.

    Raises:
        CommandLineError: a word is not of the form FAMILY=ALGORITHM, or a family is given twice.
    """
    choices: dict[str, str] = {}
    for word in words:
        family, _, name = word.partition("=")
        if not family or not name:
            raise CommandLineError(f"--force {word!r}: expected FAMILY=ALGORITHM, such as conv=direct")
        if choices.setdefault(family, name) != name:
            raise CommandLineError(f"--force {family!r} is given twice, as {choices[family]} and {name}")
    return choices


def one_of(kind: str, word: str, known: Iterable[str]) -> str:
    """Returns `word` if it is known.

    Raises:
        CommandLineError: it is not; the message has the nearest names.
    """
    names = tuple(known)
    if word not in names:
        listed = ", ".join(names) if len(names) <= 12 else f"{len(names)} are known"
        raise CommandLineError(f"{kind} {word!r} is unknown{nearest(word, names)} (known: {listed})")
    return word
