"""How JSON of untrusted bytes is read, strictly, and what it says is checked.

JSON is read without the module `json`, which takes as long to import as a small model takes to load. All its work is done by the
scanner that CPython has in C for it, and this uses that scanner, with the same results.
"""

from _json import make_scanner
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

import ingot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ingot.artifact.artifact import Content

MAX_TEXT = 65536  # ONNX sets no limit to names; frameworks write whole scopes into them

_SPACE = " \t\n\r"


def read_json(content: "Content", encoding: str = "ascii") -> Any:
    """The value that the bytes say.

    Raises:
        ValueError: not text of this encoding, not JSON, NaN or Infinity, or an object with the same key twice.
        RecursionError: nested too deeply.
    """
    try:
        text = bytes(content).decode(encoding).strip(_SPACE)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is no {encoding} text") from None
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError(f"a value is missing at character {error.value}") from None
    if end != len(text):
        raise ValueError(f"something stands behind the value, at character {end}")
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise ValueError("an object has the same key twice")
    return unique


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


# What the scanner asks its maker for, by the names that `json.JSONDecoder` uses.
_rules: Any = SimpleNamespace(
    strict=True,  # no control characters in strings
    object_hook=None,
    object_pairs_hook=_no_duplicates,
    parse_float=_finite,
    parse_int=int,
    parse_constant=_no_constant,
)
_scan = make_scanner(_rules)


class Checks:
    """What the values of a `subject` must be. Every method gives the value if it is that, and else names the field that is wrong.

    `forms` says in words what a predicate for texts asks for.
    """

    __slots__ = ("_forms", "subject")

    def __init__(self, subject: str, forms: "Mapping[Callable[[str], bool], str]") -> None:
        self.subject = subject
        self._forms = forms

    def wrong(self, field: str, problem: str) -> NoReturn:
        """Raises ArtifactError: the field, or for an empty one the whole, is wrong."""
        raise ingot.ArtifactError(
            f"{self.subject}{': field ' + field if field else ''} {problem}", field=field
        )

    def object(
        self, value: Any, field: str, keys: frozenset[str], optional: frozenset[str] = frozenset()
    ) -> dict[str, Any]:
        """An object with all of the keys, and no others but optional ones."""
        data = self.any_object(value, field)
        if data.keys() != keys:
            at = f"{field}." if field else ""
            missing, surplus = sorted(keys - data.keys()), sorted(data.keys() - keys - optional)
            if missing:
                self.wrong(at + missing[0], "is missing")
            if surplus:
                self.wrong(at + surplus[0][:64], "is unknown to this version of ingot")
        return data

    def any_object(self, value: Any, field: str) -> dict[str, Any]:
        """An object, whatever its keys."""
        if type(value) is not dict:
            self.wrong(field, f"must be an object, got {type(value).__name__}")
        return value

    def array(self, value: Any, field: str) -> list[Any]:
        """An array, whatever is in it."""
        if type(value) is not list:
            self.wrong(field, f"must be an array, got {type(value).__name__}")
        return value

    def integer(self, value: Any, field: str, low: int, high: int) -> int:
        """An integer within bounds."""
        if type(value) is not int:
            self.wrong(field, f"must be an integer, got {type(value).__name__}")
        if not low <= value <= high:
            self.wrong(
                field,
                f"must be within {low} and {high}, got {value if abs(value) < 1 << 128 else 'a huge number'}",
            )
        return value

    def version(self, data: dict[str, Any], field: str, newest: int) -> None:
        """Refuses an object of a newer version than this ingot reads, before its fields are checked: they may differ."""
        version = data.get(field)
        if type(version) is int and version > newest:
            got = version if version < 1 << 64 else "huge"
            self.wrong(field, f"is {got}, this ingot reads up to {newest}; update ingot")

    def text(self, value: Any, field: str, is_right: "Callable[[str], bool] | None" = None) -> str:
        """A string, of a form if that is given."""
        if type(value) is not str:
            self.wrong(field, f"must be a string, got {type(value).__name__}")
        if len(value) > MAX_TEXT:
            self.wrong(field, f"has {len(value)} characters, more than the limit of {MAX_TEXT}")
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            self.wrong(field, f"has half of a character: {value[:80]!a}")
        if is_right is not None and not is_right(value):
            self.wrong(field, f"{value[:80]!r} is not of the right form: {self._forms[is_right]}")
        return value
