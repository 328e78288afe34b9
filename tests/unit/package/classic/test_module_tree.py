"""Artifact sets as module trees of the older scheme: exactly one blob for a set, which other readers understand too."""

from __future__ import annotations

import random

import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.base.errors import ArtifactError
from ingot.package.classic.module_blob import (
    SYMBOLS,
    Layout,
    ModuleBlob,
    StoredModule,
    facts,
    from_bytes,
    to_bytes,
)
from ingot.package.classic.module_tree import SYMBOL, plan_tree, read_module_tree
from ingot.package.container_write import write_container
from ingot.package.library_file import read_library
from ingot.package.library_write import finish_library

ARTIFACTS = (
    Artifact("ingot", "metadata", "m.json", b"{}"),
    Artifact("opencl", "opencl", "m.cl", b"kernel", "accel"),
    Artifact("ingot", "params", "m.params", bytes(range(256)) * 20),
    Artifact("ingot", "params", "m_accel.params", bytes(300), "accel"),
    Artifact("ingot", "text", "m.txt", b"words"),
)
KEYS = ["ingot.metadata", "_lib", "ingot.opencl", "ingot.params", "ingot.text"]
IMPORTS = ((1,), (2, 3, 4), (), (), ())


def blob(artifacts: tuple[Artifact, ...] = ARTIFACTS) -> bytes:
    return b"".join(bytes(piece) for piece in plan_tree(artifacts)[1])


def test_a_tree_gives_back_its_artifacts_as_views_at_the_places_that_were_planned() -> None:
    planned, pieces = plan_tree(ARTIFACTS)
    content = b"".join(bytes(piece) for piece in pieces)
    tree, container = read_module_tree(content)
    assert tree == planned and tree.size_bytes == len(content)
    assert sorted(container.artifacts, key=ARTIFACTS.index) == list(ARTIFACTS)
    for member in container.members:
        assert content[member.offset : member.offset + member.size_bytes] == member.artifact.content
        assert member.offset % (4096 if member.artifact.loader == "params" else 64) == 0
        assert memoryview(member.artifact.content).obj is content


def test_the_reader_of_classic_trees_understands_it_and_writes_the_same_bytes() -> None:
    content = blob()
    found = from_bytes(content, SYMBOLS[SYMBOL])
    assert found.layout is Layout.B and not found.unread
    assert [module.type_key for module in found.modules] == KEYS and found.imports == IMPORTS
    assert to_bytes(found) == content
    assert [facts(module).keys() for module in found.modules if module.payload] == [{"container_bytes"}] * 4


def test_without_metadata_the_library_is_the_root() -> None:
    tree, container = read_module_tree(blob(ARTIFACTS[1:]))
    assert [module.type_key for module in tree.modules] == KEYS[1:] and len(container.members) == 4
    with pytest.raises(ArtifactError, match="from 1 to 1023 modules besides the library, got 0"):
        plan_tree(())


def test_a_flipped_bit_is_refused_wherever_it_is() -> None:
    content = bytearray(blob())
    for at in range(len(content)):
        if at % 16 and not any(content[at - at % 16 : at - at % 16 + 16]):
            continue  # of long runs of zeros every sixteenth byte
        content[at] ^= 1 << at % 8
        with pytest.raises(ArtifactError):
            read_module_tree(bytes(content))
        content[at] ^= 1 << at % 8


def test_every_truncation_is_refused() -> None:
    content = blob()
    for size in [*range(200), *range(200, len(content), 37)]:
        for data in (content[:size], (max(size, 8) - 8).to_bytes(8, "little") + content[8:size]):
            with pytest.raises(ArtifactError):
                read_module_tree(data)


def test_random_bytes_raise_nothing_but_artifact_errors() -> None:
    rng = random.Random(0)
    content = blob()
    for _ in range(300):
        data = bytearray(content)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(0, len(data) - 8, 8)
            data[at : at + 8] = rng.choice(
                [bytes(8), b"\xff" * 8, rng.randbytes(8), (2**62).to_bytes(8, "little")]
            )
        if bytes(data) != content:
            with pytest.raises(ArtifactError):
                read_module_tree(bytes(data))


OTHERS = {
    "another order": ((0, 1, 3, 2, 4), IMPORTS),
    "another tree": ((0, 1, 2, 3, 4), ((1, 2), (3, 4), (), (), ())),
    "no library": ((0, 2, 3, 4), ((1, 2, 3), (), (), ())),
}


@pytest.mark.parametrize("what", OTHERS)
def test_trees_that_ingot_would_not_write_are_refused(what: str) -> None:
    numbers, imports = OTHERS[what]
    modules = from_bytes(blob(), SYMBOLS[SYMBOL]).modules
    made = ModuleBlob(Layout.B, tuple(modules[number] for number in numbers), imports)
    with pytest.raises(ArtifactError, match="module tree"):
        read_module_tree(to_bytes(made))


def test_a_tree_with_modules_of_others_is_refused() -> None:
    made = ModuleBlob(Layout.B, (StoredModule("_lib"), StoredModule("const_loader", bytes(32))), ((1,), ()))
    with pytest.raises(ArtifactError, match="'const_loader', which is none of ingot's"):
        read_module_tree(to_bytes(made))


def test_a_payload_with_artifacts_of_another_loader_is_refused() -> None:
    key = b"ingot.text"
    inner = b"".join(bytes(piece) for piece in write_container([ARTIFACTS[0]]))
    padding = -(16 + 12 + 8 + len(key) + 16) % 64
    payload = padding.to_bytes(8, "little") + bytes(padding) + len(inner).to_bytes(8, "little") + inner
    made = ModuleBlob(Layout.B, (StoredModule("_lib"), StoredModule(key.decode(), payload)), ((1,), ()))
    with pytest.raises(ArtifactError, match="no artifacts, or those of another"):
        read_module_tree(to_bytes(made))


def library() -> bytes:
    content = blob()
    linked = b"\x7fELF" + bytes(8188) + content + b"end"
    return b"".join(map(bytes, finish_library(linked, content[:1024], len(content), tree=True)))


def test_a_library_file_with_a_tree_protects_every_byte() -> None:
    content = bytearray(library())
    file = read_library(bytes(content))
    assert file.tree is not None and [module.type_key for module in file.tree.modules] == KEYS
    assert ArtifactSet(file.container.artifacts) == ArtifactSet(read_module_tree(blob())[1].artifacts)
    for at in range(0, len(content), 7):
        content[at] ^= 4
        with pytest.raises(ArtifactError):
            read_library(bytes(content))
        content[at] ^= 4


def test_index_verification_of_a_tree_protects_all_but_code_and_constants() -> None:
    content = bytearray(library())
    members = read_library(bytes(content)).container.members
    for member in members:
        at = 8192 + member.offset
        content[at] ^= 1
        if member.artifact.loader == "params":
            read_library(bytes(content), verify="index")
        else:
            with pytest.raises(ArtifactError, match="is damaged"):
                read_library(bytes(content), verify="index")
        content[at] ^= 1
