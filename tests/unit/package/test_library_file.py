import pytest

from ingot.artifact.artifact import Artifact
from ingot.base.errors import ArtifactError
from ingot.package.container_write import write_container
from ingot.package.library_file import FOOTER_BYTES, read_library
from ingot.package.library_write import finish_library

ARTIFACTS = (Artifact("ingot", "text", "a.txt", b"some text"), Artifact("c", "params", "w", bytes(300)))


def library(artifacts=ARTIFACTS):
    container = b"".join(write_container(artifacts))
    linked = b"\x7fELF" + bytes(8188) + container + b"section headers"
    return b"".join(finish_library(linked, container[:128], len(container)))


def test_a_library_gives_back_its_artifacts_and_where_they_are():
    content = library()
    file = read_library(content)
    assert file.container.artifacts == ARTIFACTS
    assert file.container_offset == 8192
    assert file.size_bytes == len(content) and len(content) % 64 == 0


def test_every_byte_of_the_file_is_protected():
    content = bytearray(library())
    for at in range(len(content)):
        content[at] ^= 1
        with pytest.raises(ArtifactError):
            read_library(bytes(content))
        content[at] ^= 1


def test_every_truncation_is_refused():
    content = library()
    for size in range(len(content)):
        with pytest.raises(ArtifactError):
            read_library(content[:size])
    with pytest.raises(ArtifactError):
        read_library(content + b"\0")


def test_index_verification_protects_all_but_code_and_constants():
    content = bytearray(library())
    container = 8192
    members = {member.artifact.loader: member for member in read_library(bytes(content)).container.members}
    text, params = members["text"], members["params"]
    for at in (
        0,
        container + 8,
        container + 64,
        container + 130,
        container + text.offset,
        len(content) - FOOTER_BYTES + 20,
    ):
        content[at] ^= 1
        if at:
            with pytest.raises(ArtifactError):
                read_library(bytes(content), verify="index")
        else:
            read_library(bytes(content), verify="index")
        content[at] ^= 1
    content[container + params.offset] ^= 1
    read_library(bytes(content), verify="index")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no shared library"),
        (b"\x7fELF" + bytes(500), "no ingot footer"),
        (b"\x7fELF" + bytes(99) + b"__tvm_module_ctx" + bytes(500), "was made by TVM, not by ingot"),
        (b"\x7fELF" + bytes(99) + b"__tvm_dev_mblob\0ingot_m_run" + bytes(500), "no ingot footer"),
        (b"hello" * 100, "no shared library"),
        (b"".join(write_container(())), "bare container"),
    ],
)
def test_what_is_no_library_is_told_apart(content, words):
    with pytest.raises(ArtifactError, match=words):
        read_library(content, name="m.so")


def test_a_model_is_not_yet_a_library():
    with pytest.raises(ArtifactError, match="make a library of it first"):
        read_library(b"onnx", name="m.onnx")


def test_a_linker_that_loses_or_moves_the_container_is_noticed():
    container = b"".join(write_container(ARTIFACTS))
    for linked in (bytes(8192), bytes(64) + container, container + bytes(-len(container) % 4096) + container):
        with pytest.raises(ArtifactError, match="linker"):
            finish_library(linked, container[:128], len(container))


def test_verify_is_one_of_two_words():
    with pytest.raises(ArtifactError, match="full, index"):
        read_library(library(), verify="none")
