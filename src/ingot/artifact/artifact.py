"""`Artifact`: one generated file as plain data, the words for who loads it, and what names are made of."""

import ingot
from ingot.base.records import Frozen

# Loaders that ingot itself gives a meaning to; others belong to code generators and plug-ins.
LOADER_METADATA = "metadata"  # ModelInfo as JSON: makes the root of what is loaded
LOADER_LEVEL = "level"  # ModelInfo of a model's program for a better processor, which the metadata name
LOADER_PROGRAM = "program"  # ModelInfo of a model's program for other sizes, which the metadata name
LOADER_NATIVE = "native"  # .c and .o files: linked into the shared library
LOADER_PARAMS = "params"  # the constants of a model, at the offsets that its memory plan says
LOADER_VECTORS = "vectors"  # test inputs and expected outputs
LOADER_TEXT = "text"  # for people and for tools; nothing of it is loaded to run
# What the code was made from: a set keeps it, an archive has it, a library leaves it out.
LOADER_SOURCE = "source"

# Ids that loading itself gives a meaning to: they have no `Loader`.
RESERVED = frozenset(
    {
        LOADER_METADATA,
        LOADER_LEVEL,
        LOADER_PROGRAM,
        LOADER_NATIVE,
        LOADER_PARAMS,
        LOADER_SOURCE,
        LOADER_VECTORS,
        LOADER_TEXT,
    }
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
            f"artifact {file_name!r}: content must be bytes or a buffer, got {type(content).__name__}",
            file_name=file_name,
        ) from None
    if not view.c_contiguous:
        raise ingot.ArtifactError(f"artifact {file_name!r}: content must be contiguous", file_name=file_name)
    return view if view.format == "B" and view.ndim == 1 else view.cast("B")


def _is_file_name(text: str) -> bool:
    """A relative POSIX path of up to 255 characters: its parts are ASCII letters, digits, '._+@-', none begins with a dot."""
    return len(text) <= 255 and all(
        part and part[0] != "." and not part.strip(_FILE_NAME) for part in text.split("/")
    )
