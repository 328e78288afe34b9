"""`ArtifactSet` as `build` gives it: data that can be linked, loaded, saved and exported."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ingot.artifact.artifact import (
    LOADER_NATIVE,
    LOADER_SOURCE,
    LOADER_VECTORS,
    Artifact,
)
from ingot.artifact.artifact_set import ArtifactSet as Artifacts
from ingot.artifact.artifact_set import Member
from ingot.artifact.levels import read_levels
from ingot.artifact.tuning_json import stored_tuning, tuning_to_json
from ingot.base import environment
from ingot.base.errors import ArtifactError
from ingot.base.observe import Observer
from ingot.codegen import registry as codegens
from ingot.graph.evaluate.test_vectors import vector
from ingot.link.interface import interface_header, variants_of, why_no_interface
from ingot.link.shared import link_library, link_pieces, write_aside
from ingot.package.c.text import why_no_text
from ingot.package.classic.params import content_of
from ingot.package.container_file import open_container
from ingot.package.container_write import write_container
from ingot.package.mlf.write import write_archive
from ingot.runtime.library import Library
from ingot.runtime.load_sources import load_pieces, load_unlinked
from ingot.runtime.platforms import require_platforms

METADATA_ID = "ingot"  # the code generator id of what the compiler itself makes


class ArtifactSet(Artifacts):
    """An `ArtifactSet` that can be linked and loaded: the data is in `ingot.artifact`, which knows no linker."""

    def __init__(self, artifacts: Iterable[Member] = ()) -> None:
        # Explicit for type checkers, which otherwise assume an `__init__` of all fields.
        super().__init__(artifacts)

    def export_library(
        self,
        path: str | os.PathLike[str],
        *,
        compile_flags: Sequence[str] = (),
        container: str = "ingot",
        observer: Observer | None = None,
        soname: str = "",
    ) -> None:
        """Links everything into one shared library at `path`. See `ingot.link.shared.link_library` for arguments and errors.

        With `container="module-tree"` the data is a tree of modules as of the older scheme, for tools that read that. It loads
        alike.

        Raises:
            ArtifactError: also if artifacts cannot be in a library; the message names them and says what to do.
        """
        for generator in codegens.ALL:
            refused = [
                artifact.file_name
                for artifact in self
                if generator.no_library and artifact.codegen_id == generator.id
            ]
            if refused:
                raise ArtifactError(
                    f"a library cannot have the artifacts {', '.join(refused[:6])}{', …' if len(refused) > 6 else ''} of the "
                    f"code generator {generator.id}: {generator.no_library}; or keep the set in a file with save('model.ingot')",
                    artifacts=tuple(refused),
                    codegen=generator.id,
                )
        link_library(
            self, path, compile_flags=compile_flags, container=container, observer=observer, soname=soname
        )

    def export_model_library_format(
        self,
        path: str | os.PathLike[str],
        version: int = 8,
        *,
        executor: str | None = None,
        style: str = "full-model",
        vectors: int = 1,
    ) -> None:
        """Writes a Model Library Format archive, a plain tar with sources or objects, to `path`. See `docs/use/mlf.md`.

        Equal sets give equal bytes; `SOURCE_DATE_EPOCH` is the time of the export and of every member.

        Args:
            path: the file to write; its folder must exist.
            version: 8 is ingot's own; 5 and 7 are written as the original tools wrote them.
            executor: "aot" (one C function for an inference) or "graph" (packed functions, a graph and its parameters); by
                default each model's own first one.
            style: "full-model"; or "operator", for one function without graph and parameters.
            vectors: how many test vectors version 8 gets for each model that has none: inputs by a fixed rule, and what ONNX's
                evaluator computes from them, if it can run the model.

        Raises:
            ArtifactError: the set cannot be in such an archive; the message says why.
            ToolchainError: the file cannot be written. There is never half a file.
        """
        for info in self.models().values():
            if info.levels:
                raise ArtifactError(
                    f"an archive has code for one CPU, and model {info.name!r} for several: build it for one"
                )
        full = self.merge(_test_vectors(self, vectors)) if version == 8 and style == "full-model" else self
        pieces = write_archive(
            full, version=version, executor=executor, style=style, seconds=environment.source_date_epoch()
        )
        write_aside(Path(path), pieces)

    def export_tuning(self, path: str | os.PathLike[str]) -> None:
        """Writes what was measured for the models of this set as a tuning file, for `build(tuning=…)`.

        Raises:
            ArtifactError: no model of the set was tuned.
            ToolchainError: the file cannot be written. There is never half a file.
        """
        tuning = stored_tuning(self)
        if tuning is None:
            raise ArtifactError("no model of this set was tuned: build it with tune=… or --tune")
        write_aside(Path(path), [tuning_to_json(tuning)])

    def c_header(self, model: str | None = None) -> str:
        """The text of the C header for one model of the exported library; `model` may be left out if there is only one.

        Raises:
            ArtifactError: no such model, several and none named, or one that C cannot call; the message says why.
        """
        models = self.models()
        names = [model] if model is not None else list(models)
        if len(names) != 1 or names[0] not in models:
            raise ArtifactError(
                f"c_header: name one of the models {', '.join(models)}, got {model!r}", model=model
            )
        info = models[names[0]]
        why = why_no_interface(self, info)
        if why:
            instead = "build all of it for 'llvm' or 'c'"
            if why_no_text(info):
                instead = "let the program do that step, before or after the model"
            if any(state.grows is not None for state in info.states):
                instead = (
                    "build it without state=, as an input and an output, or with a cache of one capacity"
                )
            raise ArtifactError(
                f"model {info.name!r} has no C interface: {why}; {instead}",
                model=info.name,
            )
        header = interface_header(info, read_levels(self, info)[1:], variants_of(self, info))
        return bytes(header.content).decode("ascii")

    def load(self) -> Library:
        """Links and loads in one step, through the same path as a file. Without native code it needs no tool chain."""
        if any(artifact.loader == LOADER_NATIVE for artifact in self):
            require_platforms(self.models().values())
            return load_pieces(link_pieces(ArtifactSet(self.artifacts)), in_memory=self.in_memory)
        return load_unlinked(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the set to a file, such as `model.ingot`: every artifact with its labels, in order, and digests of all.

        Raises:
            ArtifactError: the set has an in-memory artifact.
            ToolchainError: the file cannot be written. There is never half a file.
        """
        self.require_stored("a file")
        write_aside(Path(path), write_container(self))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: str = "full") -> ArtifactSet:
        """The set that `save` wrote. Contents are views of the file, which is mapped, or read as a whole if it is small.

        Args:
            path: the file.
            verify: "full" checks every byte; "index" all but the constants.

        Raises:
            LoadError: the file cannot be opened.
            ArtifactError: it is no saved set, or was changed.
        """
        return cls(open_container(path, verify=verify).artifacts)


def _test_vectors(artifacts: ArtifactSet, count: int) -> ArtifactSet:
    """Test vectors of the models that have none."""
    vectors: list[Artifact] = []
    for info in artifacts.models().values():
        if info.border is not None and info.border.has_text:  # files of vectors hold numbers
            continue
        prefix = f"{info.symbol}/"
        given = [
            artifact
            for artifact in artifacts.select(loader=LOADER_VECTORS)
            if artifact.file_name.startswith(prefix)
        ]
        model = [
            artifact.content
            for artifact in artifacts.select(loader=LOADER_SOURCE)
            if artifact.file_name == f"{info.symbol}.onnx"
        ]
        if given or not model:
            continue
        for number in range(count):
            inputs, outputs = (
                {artifact.name: artifact.type for artifact in tensors}
                for tensors in (info.inputs, info.outputs)
            )
            arrays = vector(
                bytes(model[0]), inputs, outputs, number, () if info.border is None else info.border.outputs
            )
            if arrays is None:
                break
            for kind, tensors, given_arrays in (
                ("input", info.inputs, arrays[0]),
                ("output", info.outputs, arrays[1]),
            ):
                for at, tensor in enumerate(tensors):
                    content = content_of(tensor.dtype, given_arrays[tensor.name])
                    vectors.append(
                        Artifact(METADATA_ID, LOADER_VECTORS, f"{prefix}{number}/{kind}{at}.bin", content)
                    )
    return ArtifactSet(vectors)
