"""A model as a folder of C, as firmware gets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ingot
from ingot.artifact.artifact import LOADER_NATIVE, LOADER_PARAMS
from ingot.artifact.model_info import ModelInfo
from ingot.graph.read.source import ModelSource
from ingot.package.c.model import constants_files, model_header, model_source
from ingot.package.c.test_program import Vector, test_program, vectors_header
from tests.system.crt.build import CRT

TEST_HEADER = CRT / "test"


@dataclass(frozen=True)
class Firmware:
    """The sources of a model in a folder; its test program among them, if there are vectors."""

    info: ModelInfo
    folder: Path
    content: bytes  # the constants

    @property
    def sources(self) -> list[Path]:
        """All sources and objects of the model."""
        return sorted(one for one in self.folder.rglob("*.[cSo]") if not one.name.endswith("_test.c"))

    @property
    def test(self) -> Path:
        return self.folder / f"{self.info.symbol}_test.c"


def firmware(
    folder: Path,
    model: ModelSource,
    name: str,
    dims: Mapping[str, int] | None = None,
    *,
    form: str = "auto",
    target: str = "c",
    state: Mapping[str, str] | None = None,
) -> Firmware:
    """Builds a model and writes its sources, or objects, into the folder."""
    artifacts = ingot.build(model, target, name=name, dims=dims, state=state)
    info = artifacts.models()[name]
    content = b"".join(bytes(one.content) for one in artifacts if one.loader == LOADER_PARAMS)
    folder.mkdir()
    files = {one.file_name: bytes(one.content) for one in artifacts if one.loader == LOADER_NATIVE}
    files |= {f"{name}.h": model_header(info).encode(), f"{name}_api.c": model_source(info).encode()}
    for file, data in (files | constants_files(info, content, form)).items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_bytes(data)
    return Firmware(info, folder, content)


def write_test(made: Firmware, vectors: Sequence[Vector]) -> None:
    """Adds a test program."""
    (made.folder / f"{made.info.symbol}_vectors.h").write_text(vectors_header(made.info, vectors))
    made.test.write_text(test_program(made.info))
