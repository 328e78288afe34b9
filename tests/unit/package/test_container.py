import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.artifact.artifact import Artifact
from ingot.base.errors import ArtifactError
from ingot.package import container
from ingot.package.container import (
    HEADER_BYTES,
    MEMBER_ALIGNMENT,
    PARAMS_ALIGNMENT,
    digest_pair,
    read_container,
)
from ingot.package.container_write import write_container
from ingot.package.library_file import stated_constants
from tests.support.paths import ROOT


def packed(*artifacts):
    return b"".join(write_container(artifacts))


SOME = (
    Artifact("ingot", "metadata", "m.json", b"{}"),
    Artifact("c", "params", "m.params", bytes(range(256)) * 3),
    Artifact("c", "text", "notes/readme.txt", b""),
    Artifact("opencl", "opencl", "k.cl", b"kernel", "accel"),
)

labels = st.sampled_from(["a", "host", "c", "x.y_z-1", "9" * 64])
file_names = st.lists(st.text("aZ_+@-", min_size=1, max_size=5), min_size=1, max_size=3).map("/".join)
artifacts = st.builds(
    Artifact,
    labels,
    st.sampled_from(["params", "text", "metadata", "x"]),
    file_names,
    st.one_of(st.binary(max_size=200), st.sampled_from([b"same", b"", b"z" * 5000])),
    labels,
)


@settings(max_examples=100)
@given(st.lists(artifacts, max_size=8, unique_by=lambda artifact: artifact.labels[:3]))
def test_reading_gives_back_what_was_written_in_order(some):
    content = packed(*some)
    container = read_container(content)
    assert container.artifacts == tuple(some)
    assert packed(*container.artifacts) == content
    for member in container.members:
        assert (
            member.offset % (PARAMS_ALIGNMENT if member.artifact.loader == "params" else MEMBER_ALIGNMENT)
            == 0
        )
    constants = [
        member for member in container.members if member.artifact.loader == "params" and member.size_bytes
    ]
    places = [(member.offset, member.offset + member.size_bytes) for member in constants]
    assert stated_constants(memoryview(content)) == places


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_are_a_container_or_an_artifact_error(content):
    for data in (content, packed(*SOME)[:HEADER_BYTES] + content):
        with pytest.raises(ArtifactError):
            read_container(data)
        assert all(0 <= begin < end <= len(data) for begin, end in stated_constants(memoryview(data)))


def test_contents_are_views_of_what_was_read():
    content = packed(*SOME)
    found = read_container(content).members[1]
    assert isinstance(found.artifact.content, memoryview)
    assert found.artifact.content.obj is content
    assert found.artifact.content.readonly


def test_equal_bytes_are_stored_once():
    weights = bytes(100_000)
    once = packed(Artifact("a", "params", "w", weights))
    twice = packed(Artifact("a", "params", "w", weights), Artifact("b", "params", "w", weights))
    assert len(twice) == len(once)
    assert len({member.offset for member in read_container(twice).members}) == 1


def test_every_truncation_and_extension_is_refused():
    content = packed(*SOME)
    for size in range(len(content)):
        with pytest.raises(ArtifactError):
            read_container(content[:size])
    with pytest.raises(ArtifactError):
        read_container(content + bytes(64))


def test_every_flipped_byte_is_refused():
    content = bytearray(packed(*SOME))
    for at in range(len(content)):
        for bit in (0x01, 0x80):
            content[at] ^= bit
            with pytest.raises(ArtifactError):
                read_container(bytes(content))
            content[at] ^= bit


def forged(index_edit=None, head_edit=None):
    """A container with a changed index or header whose digests are right again."""
    content = bytearray(packed(*SOME))
    index_bytes = int.from_bytes(content[24:32], "little")
    if head_edit:
        head_edit(content)
    if index_edit:
        index = memoryview(content)[HEADER_BYTES : HEADER_BYTES + index_bytes]
        index_edit(index)
        del index
    content[64:128] = b"".join(digest_pair(bytes(content[:64]), bytes(content[128 : 128 + index_bytes])))
    return bytes(content)


def put(at, value, size=8):
    def edit(data):
        data[at : at + size] = value.to_bytes(size, "little")

    return edit


def test_a_forgery_that_changes_nothing_is_read():
    assert read_container(forged()).artifacts == SOME


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("overlap with the header", put(0, 0)),
        ("overlap with the next member", put(8, 5000)),
        ("hole", put(0, 8192)),
        ("outside", put(0, 1 << 63)),
        ("huge size", put(8, (1 << 64) - 1)),
        ("entry padding", put(84, 1, 1)),
        ("label longer than its text", put(80, 255, 1)),
        ("label that is not ASCII", put(88, 0xFF, 1)),
        ("file name with a parent folder", put(88 + 4 + 5, int.from_bytes(b"../../", "little"), 6)),
        ("empty label", put(80, 0, 1)),
    ],
)
def test_a_forged_index_with_right_digests_is_refused(name, edit):
    with pytest.raises(ArtifactError):
        read_container(forged(index_edit=edit))


@pytest.mark.parametrize(
    ("what", "edit"),
    [
        ("version 2", put(8, 2, 4)),
        ("version 0", put(8, 0, 4)),
        ("flags", put(12, 1, 4)),
        ("size", put(16, 1 << 40)),
        ("index size", put(24, 1 << 40)),
        ("count", put(32, 5, 4)),
        ("count", put(32, 3, 4)),
        ("huge count", put(32, (1 << 32) - 1, 4)),
        ("reserved", put(36, 1, 1)),
        ("reserved", put(63, 1, 1)),
    ],
)
def test_a_forged_header_with_right_digests_is_refused(what, edit):
    with pytest.raises(ArtifactError):
        read_container(forged(head_edit=edit))


def test_an_index_never_makes_the_reader_take_more_memory_than_the_file_has():
    huge = bytearray(packed(*SOME))
    huge[24:32] = ((1 << 25) - 1).to_bytes(8, "little")
    huge[32:36] = (65536).to_bytes(4, "little")
    with pytest.raises(ArtifactError, match="impossible index"):
        read_container(bytes(huge))


def test_two_artifacts_of_one_place_are_not_written():
    with pytest.raises(ArtifactError):
        packed(SOME[0], SOME[0])


def test_without_blake3_sha256_does_the_work_in_writing_and_reading(monkeypatch):
    with_blake3 = packed(*SOME)
    monkeypatch.setattr(container, "blake3_digest", None)
    assert read_container(with_blake3).artifacts == SOME
    without = bytearray(packed(*SOME))
    assert read_container(bytes(without)).artifacts == SOME
    without[4200] ^= 1
    with pytest.raises(ArtifactError):
        read_container(bytes(without))
    monkeypatch.undo()
    without[4200] ^= 1
    assert read_container(bytes(without)).artifacts == SOME


def test_the_example_of_the_documentation_is_what_is_written():

    page = (ROOT / "docs" / "reference" / "format.md").read_text()
    content = packed(Artifact("ingot", "text", "hello.txt", b"Hello, reader.\n"))
    for line in hex_dump(content).splitlines():
        assert line in page


def hex_dump(content):
    lines = []
    for at in range(0, len(content), 16):
        row = content[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{at:06x}  {row.hex(' ')}  {text}")
    return "\n".join(lines)
