"""`ArtifactSet`: what a build makes. Ordered, unique, plain data; every function returns a new set."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.model_info_read import read_models
from ingot.artifact.module import Module
from ingot.base.errors import ArtifactError, nearest
from ingot.base.records import Frozen

_SHOWN = 6  # names in a `repr`


class InMemoryArtifact(metaclass=Frozen):
    """Code that lives in this process only and is its own loader. A set that has one cannot be stored."""

    codegen_id: str
    file_name: str
    module: Module
    target_key: str = "host"

    @property
    def loader(self) -> str:
        return "memory"

    @property
    def labels(self) -> tuple[str, str, str, str]:
        """Target key, code generator, file name, loader: the first three identify the artifact within a set."""
        return (self.target_key, self.codegen_id, self.file_name, self.loader)

    def load(self) -> Module:
        return self.module


Member = Artifact | InMemoryArtifact
Self = TypeVar("Self", bound="ArtifactSet")


class ArtifactSet(metaclass=Frozen):
    """Artifacts in the order in which they were made; no two have the same target key, code generator and file name.

    Sets are equal iff they have equal artifacts in the same order. `in_memory` ones are apart: only `loadable` code sees
    them.

    Raises:
        ArtifactError: two artifacts have the same place.
    """

    artifacts: tuple[Artifact, ...]
    in_memory: tuple[InMemoryArtifact, ...] = ()

    def __init__(self, artifacts: Iterable[Member] = ()) -> None:
        members = tuple(artifacts)
        seen: set[tuple[str, str, str]] = set()
        for member in members:
            if member.labels[:3] in seen:
                raise ArtifactError(
                    f"two artifacts are called {describe(member)}; file names must be unique for a target and code generator",
                    labels=member.labels,
                )
            seen.add(member.labels[:3])
        object.__setattr__(
            self, "artifacts", tuple(member for member in members if isinstance(member, Artifact))
        )
        object.__setattr__(
            self, "in_memory", tuple(member for member in members if isinstance(member, InMemoryArtifact))
        )

    def __reduce__(self) -> tuple[type[ArtifactSet], tuple[tuple[Artifact, ...]]]:
        """A set is sent to another process as its artifacts.

        Raises:
            ArtifactError: it has an in-memory artifact.
        """
        self.require_stored("another process")
        return type(self), (self.artifacts,)

    @property
    def members(self) -> tuple[Member, ...]:
        """Stored artifacts, then in-memory ones."""
        return (*self.artifacts, *self.in_memory)

    def __iter__(self) -> Iterator[Artifact]:
        return iter(self.artifacts)

    def __len__(self) -> int:
        return len(self.artifacts) + len(self.in_memory)

    def __repr__(self) -> str:
        names = [member.file_name for member in self.members]
        shown = ", ".join(names[:_SHOWN]) + (
            f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        )
        size = sum(memoryview(artifact.content).nbytes for artifact in self.artifacts)
        return f"<ingot.ArtifactSet: {shown}; {size:,} bytes>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ArtifactSet):
            return NotImplemented
        return self.artifacts == other.artifacts and self.in_memory == other.in_memory

    def __hash__(self) -> int:
        return hash((self.artifacts, self.in_memory))

    def select(
        self: Self,
        *,
        loader: str | None = None,
        codegen_id: str | None = None,
        target_key: str | None = None,
        suffix: str = "",
    ) -> Self:
        """The artifacts that have all the given labels and whose file name ends with `suffix`."""
        return type(self)(
            member
            for member in self.members
            if loader in (None, member.loader)
            and codegen_id in (None, member.codegen_id)
            and target_key in (None, member.target_key)
            and member.file_name.endswith(suffix)
        )

    def by_loader(self: Self) -> dict[str, Self]:
        """A set for each loader, in the order of loader names."""
        return {name: self.select(loader=name) for name in sorted({member.loader for member in self.members})}

    def by_codegen(self: Self) -> dict[str, Self]:
        """A set for each code generator, in the order of their names."""
        ids = sorted({member.codegen_id for member in self.members})
        return {codegen_id: self.select(codegen_id=codegen_id) for codegen_id in ids}

    def find(self, file_name: str) -> Artifact:
        """The artifact of that file name.

        Raises:
            ArtifactError: none, or several in different targets or of different code generators; select first.
        """
        matching = [artifact for artifact in self.artifacts if artifact.file_name == file_name]
        if len(matching) != 1:
            names = [artifact.file_name for artifact in self.artifacts]
            problem = (
                f"several artifacts are called {file_name!r}"
                if matching
                else f"no artifact is called {file_name!r}"
            )
            raise ArtifactError(
                f"{problem}{nearest(file_name, names) if not matching else ': select a target or code generator'}"
            )
        return matching[0]

    def merge(self: Self, *others: ArtifactSet) -> Self:
        """One set with the models of all. Equal artifacts are one.

        Raises:
            ArtifactError: artifacts of the same place differ (two models have one name), or two models have one C symbol.
        """
        kept: dict[tuple[str, str, str], Member] = {member.labels[:3]: member for member in self.members}
        for other in others:
            for member in other.members:
                if kept.setdefault(member.labels[:3], member) != member:
                    raise ArtifactError(
                        f"cannot merge: both sets have {describe(member)} of different content; rename a model",
                        labels=member.labels,
                    )
        merged = type(self)(kept.values())
        merged.models()
        return merged

    def models(self) -> dict[str, ModelInfo]:
        """The models that the set's metadata describe, by name.

        Raises:
            ArtifactError: metadata is wrong, or two models have the same name or symbol.
        """
        return read_models(self.artifacts)

    def digest(self) -> str:
        """`sha256:` and 64 hexadecimal digits over the labels and bytes of every artifact, in order.

        Raises:
            ArtifactError: the set has an in-memory artifact.
        """
        self.require_stored("a digest")
        sha256 = importlib.import_module(
            "hashlib"
        ).sha256  # loads OpenSSL, which loading a library does without
        total = sha256(b"ingot artifact set 1\n")
        for artifact in self.artifacts:
            total.update(repr((artifact.labels, len(artifact.content))).encode("ascii"))
            total.update(sha256(artifact.content).digest())
        return f"sha256:{total.hexdigest()}"

    def require_stored(self, purpose: str) -> None:
        """Raises ArtifactError, which names it, if an artifact lives in this process only and so cannot have `purpose`."""
        if self.in_memory:
            names = ", ".join(describe(member) for member in self.in_memory)
            raise ArtifactError(
                f"this set cannot have {purpose}: {names} exists in this process only; "
                "build that part with a code generator that makes files",
                artifacts=tuple(member.labels for member in self.in_memory),
            )


def describe(member: Member) -> str:
    """`'resnet18.o' (target host, code generator llvm)`."""
    return f"{member.file_name!r} (target {member.target_key}, code generator {member.codegen_id})"
