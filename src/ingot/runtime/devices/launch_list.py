"""What lists of launches have in common, whatever the device: which memory every operand lies in.

Read strictly: what is not exactly of the form is refused, and so is an operand that is not inside the memory it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ingot.artifact.artifact import Artifact
from ingot.artifact.json_read import read_json
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen

REGIONS = ("params", "arena")
_MAX = 2**62
_MAX_NAME = 1000
_NAME = re.compile(rf"[A-Za-z0-9_.$]{{1,{_MAX_NAME}}}")
T = TypeVar("T")


class Operand(metaclass=Frozen):
    """Where an operand begins: a region, an offset in elements, and the size of an element."""

    region: str
    offset: int
    element_bytes: int


def read_list(artifact: Artifact, version: int, read: Callable[[Any], T], older: Sequence[int] = ()) -> T:
    """What `read` makes of the JSON in an artifact, of this version or an older one. It raises ValueError with the place of what
    is wrong.

    Raises:
        ArtifactError: it is not of the form; the message says where.
    """
    try:
        data = read_json(artifact.content)
        if (
            type(data) is dict
            and type(data.get("version")) is int
            and data["version"] not in (version, *older)
        ):
            known = " or ".join(map(str, (*older, version)))
            raise ValueError(f"version {data['version']}, expected {known}; update ingot")
        return read(data)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(
            f"artifact {artifact.file_name!r} holds no list of launches: {error}", file=artifact.file_name
        ) from error


def operand(data: Any, where: str, sizes: Mapping[str, int]) -> Operand:
    """The operand that an object says."""
    region, element, first, size = fields(data, where, ("region", "element_bytes", "offset", "size"))
    if region not in REGIONS:
        raise ValueError(f"{where}.region must be one of {', '.join(REGIONS)}")
    offset, element = whole(first, f"{where}.offset"), whole(element, f"{where}.element_bytes", 1)
    end = (offset + whole(size, f"{where}.size")) * element
    if size and end > sizes[region]:
        raise ValueError(f"{where} ends at byte {end} of {region}, which has {sizes[region]}")
    return Operand(region, offset, element)


def fields(data: Any, where: str, keys: Sequence[str]) -> tuple[Any, ...]:
    """The values of an object that has exactly these keys."""
    if type(data) is not dict or data.keys() != set(keys):
        raise ValueError(f"{where or 'the file'} must be an object with exactly the keys {', '.join(keys)}")
    return tuple(data[key] for key in keys)


def array(data: Any, where: str) -> list[Any]:
    """The data, which must be an array."""
    if type(data) is not list:
        raise ValueError(f"{where} must be an array")
    return data


def whole(data: Any, where: str, low: int = 0) -> int:
    """The data, which must be a whole number."""
    if type(data) is not int or not low <= data <= _MAX:
        raise ValueError(f"{where} must be a whole number, at least {low}")
    return data


def text(data: Any, where: str) -> str:
    """The data, which must be text."""
    if type(data) is not str:
        raise ValueError(f"{where} must be text")
    return data


def kernel_name(data: Any, where: str) -> str:
    """The data, which must be the name of a kernel."""
    name = text(data, where)
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{where} must be a name of at most {_MAX_NAME} letters, digits, _, . and $, got {name[:40]!r}"
        )
    return name
