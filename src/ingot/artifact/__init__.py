"""Artifacts: sets of them, and what describes a model. Here is what the whole room begins with: `Artifact`, one generated file as
plain data; and how JSON of untrusted bytes is read, strictly, and what it says is checked.

JSON is read without the module `json`, which takes as long to import as a small model takes to load. All its work is done by the
scanner that CPython has in C for it, and this uses that scanner, with the same results.
"""

from _json import make_scanner
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

import ingot
from ingot.base.records import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Loaders that ingot itself gives a meaning to; others belong to code generators and plug-ins.
LOADER_METADATA = "metadata"  # ModelInfo as JSON: makes the root of what is loaded
LOADER_LEVEL = "level"  # ModelInfo of a model's program for a better processor, which the metadata name
LOADER_NATIVE = "native"  # .c and .o files: linked into the shared library
LOADER_PARAMS = "params"  # the constants of a model, at the offsets that its memory plan says
LOADER_VECTORS = "vectors"  # test inputs and expected outputs
LOADER_TEXT = "text"  # for people and for tools; nothing of it is loaded to run
LOADER_SOURCE = "source"  # what the code was made from: a set keeps it, an archive has it, a library leaves it out

# Ids that loading itself gives a meaning to: they have no `Loader`.
RESERVED = frozenset(
    {LOADER_METADATA, LOADER_LEVEL, LOADER_NATIVE, LOADER_PARAMS, LOADER_SOURCE, LOADER_VECTORS, LOADER_TEXT}
)

Content = bytes | memoryview

# What names are made of: nothing is left of a text that has only these when they are stripped off. Compiling a pattern would take
# longer than all names of a library.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WORD = _LETTERS + "0123456789"
_LABEL = _WORD + "._-"
_SYMBOL = _WORD + "_"
_FILE_NAME = _LABEL + "+@"

LABEL_FORM = "1 to 64 ASCII letters, digits, '.', '_' or '-', a letter or digit first"
"""What `is_label` asks for."""


class Artifact(metaclass=Frozen):
    """One generated file.

    `codegen_id` says who made it, `loader` who loads it, `target_key` which of a model's targets it is for. `file_name` is a
    relative POSIX path, unique within (`target_key`, `codegen_id`); its suffix tells the format. `content` may be a memory map.
    Two artifacts are equal iff their bytes and labels are.
    """

    codegen_id: str
    loader: str
    file_name: str
    content: Content
    target_key: str = "host"

    def __post_init__(self) -> None:
        for label in (self.codegen_id, self.loader, self.target_key):
            if not is_label(label):
                raise ingot.ArtifactError(
                    f"artifact {self.file_name!r}: label {label!r} must be {LABEL_FORM}",
                    label=label,
                )
        if not _is_file_name(self.file_name):
            raise ingot.ArtifactError(
                f"artifact file name {self.file_name!r} must be a relative path of plain names (letters, digits, '._+@-')",
                file_name=self.file_name,
            )
        if type(self.content) is not bytes:
            object.__setattr__(self, "content", _as_bytes(self.content, self.file_name))

    def __reduce__(self) -> "tuple[type[Artifact], tuple[str, str, str, bytes, str]]":
        """A memory map is sent to another process as its bytes."""
        return Artifact, (self.codegen_id, self.loader, self.file_name, bytes(self.content), self.target_key)

    @property
    def labels(self) -> tuple[str, str, str, str]:
        """Target key, code generator, file name, loader: the first three identify the artifact within a set."""
        return (self.target_key, self.codegen_id, self.file_name, self.loader)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Artifact):
            return NotImplemented
        return self.labels == other.labels and memoryview(self.content) == memoryview(other.content)

    def __hash__(self) -> int:
        return hash((self.labels, len(self.content)))

    def __repr__(self) -> str:
        key, codegen, file_name, loader = self.labels
        return f"<ingot.Artifact {key}/{codegen}/{file_name}: {loader}, {memoryview(self.content).nbytes:,} bytes>"


def is_label(text: str) -> bool:
    """1 to 64 ASCII letters, digits, '.', '_' or '-', a letter or digit first."""
    return 0 < len(text) <= 64 and text[0] in _WORD and not text.strip(_LABEL)


def is_symbol(text: str) -> bool:
    """1 to 128 ASCII letters, digits or '_', a letter first: a part of a C identifier."""
    return 0 < len(text) <= 128 and text[0] in _LETTERS and not text.strip(_SYMBOL)


def is_digest(text: str) -> bool:
    """`sha256:` and 64 hexadecimal digits."""
    return text[:7] == "sha256:" and len(text) == 71 and not text[7:].strip("0123456789abcdef")


def _as_bytes(content: object, file_name: str) -> memoryview:
    """What may be an artifact's content, as a view of bytes."""
    try:
        view = memoryview(content)  # type: ignore[arg-type]
    except TypeError:
        raise ingot.ArtifactError(
            f"artifact {file_name!r}: content must be bytes or a buffer, got {type(content).__name__}", file_name=file_name
        ) from None
    if not view.c_contiguous:
        raise ingot.ArtifactError(f"artifact {file_name!r}: content must be contiguous", file_name=file_name)
    return view if view.format == "B" and view.ndim == 1 else view.cast("B")


def _is_file_name(text: str) -> bool:
    """A relative POSIX path of up to 255 characters: its parts are ASCII letters, digits, '._+@-', none begins with a dot."""
    return len(text) <= 255 and all(part and part[0] != "." and not part.strip(_FILE_NAME) for part in text.split("/"))


# ─── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────

MAX_TEXT = 65536  # ONNX sets no limit to names; frameworks write whole scopes into them

_SPACE = " \t\n\r"


def read_json(content: Content, encoding: str = "ascii") -> Any:
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
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object has the same key twice")
    return made


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

    def wrong(self, field: str, what: str) -> NoReturn:
        """Raises ArtifactError: the field, or for an empty one the whole, is wrong."""
        raise ingot.ArtifactError(f"{self.subject}{': field ' + field if field else ''} {what}", field=field)

    def object(self, value: Any, field: str, keys: frozenset[str], optional: frozenset[str] = frozenset()) -> dict[str, Any]:
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
            self.wrong(field, f"must be within {low} and {high}, got {value if abs(value) < 1 << 128 else 'a huge number'}")
        return value

    def version(self, data: dict[str, Any], field: str, newest: int) -> None:
        """An object says a version that this ingot can read; what is newer may have any other form."""
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
