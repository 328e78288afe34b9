"""Whole builds in the cache: the artifacts that equal inputs made before, so that nothing is planned or compiled again.

The key covers all that decides a build's bytes: the model with its weights, as it was read; targets, placement, executors,
mathematics and passes left out; ingot's own files; the versions of what it computes with; and the processor, by which NumPy
rounds constants.
An entry is untrusted: of one that is not what `_packed` writes, nothing is believed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from ingot.artifact.artifact import Artifact, Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.base import environment
from ingot.base.errors import ArtifactError
from ingot.base.observe import ModelWarning, Observer
from ingot.base.scratch import forget_pages
from ingot.codegen import registry
from ingot.codegen.record import Codegen, KernelCache

_LARGE_BYTES = 1 << 20  # of a content that is no copy of a part of its entry
MAX_BYTES = 128 * 1024 * 1024  # of an entry: a quarter of what the cache holds
# What computes constants, reads models and compiles.
_MADE_WITH = ("llvmlite", "ml_dtypes", "numpy", "onnx", "onnx-ir")
_FORM = "ingot build 1"
_KINDS: Mapping[str, type[Warning]] = {
    ModelWarning.__name__: ModelWarning
}  # of warnings, where nobody listens
_FILES = Path(__file__).parent.parent  # of ingot

Note = tuple[str, str]  # a sentence, and the name of its kind


@dataclass(slots=True)
class KeptBuild:
    """The place of one build in the cache, and what its observer was told meanwhile."""

    cache: KernelCache
    key: str
    notes: list[Note] = field(default_factory=list)

    def heard(self, observer: Observer) -> Observer:
        """An observer that passes everything on and remembers the sentences, for builds that find this one."""
        return _Listener(observer, self.notes)

    def artifacts(self, observer: Observer) -> tuple[Artifact, ...] | None:
        """The artifacts of an equal build; None if there is none. The observer receives that build's notes again."""
        content = self.cache.get(self.key)
        unpacked = _unpacked(content) if content is not None else None
        if unpacked is None:
            return None
        notes, artifacts = unpacked
        for sentence, kind in notes:
            observer.note(sentence, _KINDS.get(kind, UserWarning))
        return artifacts

    def keep(self, artifacts: Sequence[Artifact]) -> None:
        """Stores the artifacts, unless they would take too much of the cache."""
        if sum(memoryview(each.content).nbytes for each in artifacts) <= MAX_BYTES:
            self.cache.put(self.key, _packed(self.notes, artifacts))


class _Listener(Observer):
    """Passes everything on to another observer, which may be of a class of its own, and remembers its sentences."""

    def __init__(self, observer: Observer, notes: list[Note]) -> None:
        super().__init__(observer.on_dump, observer.on_progress, observer.on_note, observer.times)
        self._observer, self._notes = observer, notes

    def dump(self, name: str, content: Callable[[], str | bytes]) -> None:
        self._observer.dump(name, content)

    def progress(self, stage: str, done: int, total: int) -> None:
        self._observer.progress(stage, done, total)

    def note(self, sentence: str, kind: type[Warning] = UserWarning) -> None:
        self._notes.append((sentence, kind.__name__))
        self._observer.note(sentence, kind)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        with self._observer.timed(stage):
            yield


def known_build(
    cache: KernelCache,
    model: Mapping[str, Content],
    generators: Mapping[str, Codegen],
    place: Mapping[str, str] | Callable[..., str | None] | None,
    choices: Iterable[object],
) -> KeptBuild | None:
    """Where the cache keeps a build; None if not all that decides it can be written down.

    Args:
        cache: what is kept, and found.
        model: the files of the model as it was read, by name; none of a model that is too large for one.
        generators: the code generators by key and target.
        place: which nodes go to which target: a function may decide by what nobody else sees.
        choices: all else that decides the build, as values whose `repr` leaves nothing out.
    """
    if (
        not model
        or callable(place)
        or any(generator not in registry.ALL for generator in generators.values())
    ):
        return None
    digest = hashlib.sha256()
    for fact in (_FORM, _makers(), *generators, repr(list((place or {}).items())), *map(repr, choices)):
        digest.update(f"{len(fact.encode())} {fact}\n".encode())
    for name, content in model.items():
        digest.update(f"{name} {memoryview(content).nbytes}\n".encode())
        digest.update(content)
        forget_pages(content)
    return KeptBuild(cache, digest.hexdigest())


@functools.cache
def _makers() -> str:
    """A digest of ingot's own files and of what they run on."""
    digest = hashlib.sha256()
    facts = [platform.python_version(), environment.processor_traits(), *map(_version, _MADE_WITH)]
    digest.update("\0".join(facts).encode())
    for path in sorted(_FILES.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            digest.update(f"\0{path.relative_to(_FILES).as_posix()} {len(content)}\0".encode() + content)
    return digest.hexdigest()


def _version(distribution: str) -> str:
    try:
        return f"{distribution} {metadata.version(distribution)}"
    except metadata.PackageNotFoundError:
        return f"{distribution} without a version"


def _packed(notes: Sequence[Note], artifacts: Sequence[Artifact]) -> bytes:
    """A line of JSON that lists the artifacts, then their contents."""
    entries = [[*artifact.labels, memoryview(artifact.content).nbytes] for artifact in artifacts]
    head = json.dumps({"notes": list(notes), "artifacts": entries}).encode("ascii")
    return b"".join([head, b"\n", *(artifact.content for artifact in artifacts)])


def _unpacked(content: bytes) -> tuple[list[Note], tuple[Artifact, ...]] | None:
    end = content.find(b"\n")
    try:
        head = json.loads(content[: max(end, 0)])
        entries, notes = head["artifacts"], [(sentence, kind) for sentence, kind in head["notes"]]
        if not all(isinstance(word, str) for note in notes for word in note):
            return None
        artifacts = ArtifactSet(_artifacts(entries, memoryview(content)[end + 1 :])).artifacts
    except (ArtifactError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return notes, artifacts


def _artifacts(entries: Iterable[Sequence[object]], contents: memoryview) -> Iterable[Artifact]:
    begin = 0
    for key, codegen, file_name, loader, size in entries:
        if not isinstance(size, int) or not 0 <= size <= len(contents) - begin:
            raise ValueError("a content that is not there")
        if not all(isinstance(label, str) for label in (key, codegen, file_name, loader)):
            raise TypeError("a label that is no text")
        content = contents[begin : begin + size]
        held = content if size >= _LARGE_BYTES else bytes(content)
        yield Artifact(str(codegen), str(loader), str(file_name), held, str(key))
        begin += size
    if begin != len(contents):
        raise ValueError("contents that nobody has")
