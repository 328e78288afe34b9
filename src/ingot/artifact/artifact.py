"""`Artifact`: one generated file as plain data."""

from __future__ import annotations

import re

from ingot.errors import ArtifactError
from ingot.frozen import frozen

# Loaders that ingot itself gives a meaning to; others belong to code generators and plug-ins.
LOADER_METADATA = "metadata"  # ModelInfo as JSON: makes the root of what is loaded
LOADER_NATIVE = "native"  # .c and .o files: linked into the shared library
LOADER_PARAMS = "params"  # the constants of a model, at the offsets that its memory plan says
LOADER_VECTORS = "vectors"  # test inputs and expected outputs
LOADER_TEXT = "text"  # for people; nobody loads it
LOADER_SOURCE = "source"  # what the code was made from: a set keeps it, an archive has it, a library leaves it out

Content = bytes | memoryview


@frozen
class Artifact:
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
            if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", label):
                raise ArtifactError(
                    f"artifact {self.file_name!r}: label {label!r} must be 1 to 64 letters, digits, '.', '_' or '-'",
                    label=label,
                )
        parts = self.file_name.split("/")
        if len(self.file_name) > 255 or not all(re.fullmatch(r"[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*", part) for part in parts):
            raise ArtifactError(
                f"artifact file name {self.file_name!r} must be a relative path of plain names (letters, digits, '._+@-')",
                file_name=self.file_name,
            )

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
