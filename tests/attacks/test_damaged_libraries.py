"""Damaged libraries are refused before any of their code is mapped.

The library that is attacked has a constructor, which writes a file as soon as the dynamic linker maps it. The file must never
appear.
"""

import random

import pytest

from ingot.artifact.artifact import Artifact
from ingot.base.errors import ArtifactError
from ingot.link.shared import link_library
from ingot.package.library_file import FOOTER_BYTES, read_library
from ingot.runtime.load import load
from tests.support.tiny_library import tiny_set

pytestmark = pytest.mark.cc

CONSTRUCTOR = """
#include <stdio.h>
__attribute__((constructor)) static void mark(void) {
  FILE *file = fopen("%s", "w");
  if (file) fclose(file);
}
"""


@pytest.fixture(scope="module")
def marker(tmp_path_factory):
    return tmp_path_factory.mktemp("attack") / "code-was-mapped"


@pytest.fixture(scope="module")
def content(marker, tmp_path_factory):
    path = tmp_path_factory.mktemp("victim") / "m.so"
    source = Artifact("c", "native", "mark.c", (CONSTRUCTOR % marker).encode())
    link_library(tiny_set(size=500, extra=(source,)), path)
    return path.read_bytes()


@pytest.fixture(autouse=True)
def no_code_was_mapped(marker):
    marker.unlink(missing_ok=True)
    yield
    assert not marker.exists()


def refused(data):
    with pytest.raises(ArtifactError):
        load(bytes(data))


def parts(content):
    """Bytes of the header and index of the container, and of the footer."""
    offset = read_library(content).container_offset
    index_end = offset + 128 + int.from_bytes(content[offset + 24 : offset + 32], "little")
    return range(offset, index_end), range(len(content) - FOOTER_BYTES, len(content))


def test_the_trap_works(content, marker):
    load(content)
    assert marker.exists()
    marker.unlink()


def test_every_flipped_byte_of_header_index_and_footer(content):
    data = bytearray(content)
    for part in parts(content):
        for at in part:
            for bit in (0x01, 0x80):
                data[at] ^= bit
                refused(data)
                data[at] ^= bit


def test_flipped_bytes_of_code_and_members(content):
    data = bytearray(content)
    rng = random.Random(1)
    for at in [*range(64), *(rng.randrange(len(data)) for _ in range(400))]:
        bit = 1 << rng.randrange(8)
        data[at] ^= bit
        refused(data)
        data[at] ^= bit


def test_every_truncation(content):
    sizes = {*range(300), *range(len(content) - 300, len(content)), *range(0, len(content), 97)}
    for part in parts(content):
        sizes |= set(part)
    for size in sorted(sizes):
        refused(content[:size])


def test_a_damaged_library_with_a_module_tree(marker, tmp_path):
    path = tmp_path / "tree.so"
    source = Artifact("c", "native", "mark.c", (CONSTRUCTOR % marker).encode())
    link_library(tiny_set(size=500, extra=(source,)), path, container="module-tree")
    content = path.read_bytes()
    load(content)
    assert marker.exists()
    marker.unlink()
    file = read_library(content)
    begin = file.container_offset
    rng = random.Random(2)
    places = [*range(begin, begin + 128), *range(len(content) - FOOTER_BYTES, len(content))]
    places += [member.offset + begin for member in file.container.members] + [
        rng.randrange(len(content)) for _ in range(200)
    ]
    data = bytearray(content)
    for at in places:
        data[at] ^= 0x10
        refused(data)
        data[at] ^= 0x10
    for size in (*range(0, len(content), 997), len(content) - 1):
        refused(content[:size])


def test_something_before_or_behind_the_library(content):
    for data in (
        content + b"\0",
        content + content,
        b"\0" + content,
        bytes(4096) + content,
        content + content[-FOOTER_BYTES:],
    ):
        refused(data)


def test_swapped_pages_and_runs_of_zeros(content):
    rng = random.Random(2)
    for _ in range(50):
        data = bytearray(content)
        first, second = (rng.randrange(len(data) // 512) * 512 for _ in range(2))
        data[first : first + 512], data[second : second + 512] = (
            data[second : second + 512],
            data[first : first + 512],
        )
        if data != content:
            refused(data)
        data = bytearray(content)
        at = rng.randrange(len(data) - 64)
        data[at : at + 64] = bytes(64)
        if data != content:
            refused(data)


def test_the_container_of_one_library_in_the_code_of_another(content, marker, tmp_path):
    """The code of one and the weights of another, each good by itself."""
    source = Artifact("c", "native", "mark.c", (CONSTRUCTOR % marker).encode())
    other = tiny_set(size=500, extra=(source,))
    weights = [
        Artifact("c", "params", "tiny.params", bytes(2000)) if a.loader == "params" else a for a in other
    ]
    link_library(type(other)(weights), tmp_path / "other.so")
    second = (tmp_path / "other.so").read_bytes()
    offset = read_library(content).container_offset
    assert len(second) == len(content) and read_library(second).container_offset == offset
    size = int.from_bytes(content[offset + 16 : offset + 24], "little")
    data = bytearray(content)
    data[offset : offset + size] = second[offset : offset + size]
    refused(data)


def test_code_changed_under_index_verification_is_the_callers_risk_but_the_index_is_not(content):
    data = bytearray(content)
    header_and_index, _ = parts(content)
    for at in header_and_index:
        data[at] ^= 1
        with pytest.raises(ArtifactError):
            load(bytes(data), verify="index")
        data[at] ^= 1
