"""Each kind of hostile tar archive is refused by name, by an ArtifactError and nothing else."""

import contextlib
import io
import random
import tarfile

import pytest

from ingot.base.errors import ArtifactError
from ingot.package.tar import read_tar, write_tar


def member(
    name=b"./a.txt",
    size=b"00000000003\0",
    kind=b"0",
    *,
    content=b"abc",
    prefix=b"",
    link=b"",
    magic=b"ustar\x0000",
):
    """One member, whose header has exactly these fields and a right checksum."""
    header = bytearray(512)
    for at, field in ((0, name), (100, b"0000644\0"), (108, b"0000000\0"), (116, b"0000000\0"), (124, size)):
        header[at : at + len(field)] = field
    for at, field in (
        (136, b"00000000000\0"),
        (148, b" " * 8),
        (156, kind),
        (157, link),
        (257, magic),
        (345, prefix),
    ):
        header[at : at + len(field)] = field
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + content + bytes(-len(content) % 512)


def folder(name):
    return member(name, b"00000000000\0", b"5", content=b"")


def pax(*records, kind=b"x"):
    lines = b""
    for record in records:
        length = len(record) + 2
        length += len(str(length + len(str(length))))
        lines += b"%d %s\n" % (length, record)
    return member(b"./PaxHeaders/a", b"%011o\0" % len(lines), kind, content=lines)


def archive(*members, end=bytes(1024)):
    return b"".join(members) + end


HUGE = b"\x80" + bytes(3) + (1 << 63).to_bytes(8, "big")  # 2^63 in base 256

HOSTILE = {
    "a hard link": archive(member(kind=b"1", link=b"metadata.json")),
    "a symbolic link": archive(member(kind=b"2", size=b"00000000000\0", content=b"", link=b"/etc/passwd")),
    "a character device": archive(member(kind=b"3")),
    "a block device": archive(member(kind=b"4")),
    "a named pipe": archive(member(kind=b"6")),
    "a contiguous file": archive(member(kind=b"7")),
    "a GNU sparse file": archive(member(kind=b"S")),
    "a GNU long name": archive(member(b"././@LongLink", kind=b"L"), member()),
    "a GNU long link name": archive(member(b"././@LongLink", kind=b"K"), member()),
    "a continuation": archive(member(kind=b"M")),
    "a GNU volume label": archive(member(kind=b"V")),
    "a GNU list of a folder": archive(member(kind=b"D")),
    "an old GNU long name": archive(member(kind=b"N")),
    "a Solaris extended header": archive(member(kind=b"X")),
    "a global pax header": archive(pax(b"path=b", kind=b"g"), member()),
    "unknown kind": archive(member(kind=b"Q")),
    "which leads out of its folder": archive(member(b"./a/../../b")),
    "'..'": archive(member(b"..")),
    "an absolute name": archive(member(b"/etc/passwd")),
    "has an absolute name: 'C:": archive(member(b"C:/windows")),
    "an empty part": archive(member(b"./a//b")),
    "an empty part: ''": archive(member(b"./")),
    "empty part: 'a/./b'": archive(member(b"a/./b")),
    "plain on every system": archive(member(b"./a\\..\\b")),
    "plain on every system: 'a\\n'": archive(member(b"./a\n")),
    "plain on every system: '\\\\xff": archive(member(b"\xff")),
    "plain on every system: 'nul.txt'": archive(member(b"./nul.txt")),
    "plain on every system: 'a.'": archive(member(b"./a.")),
    "a name of 251 letters": archive(member(b"b" * 100, prefix=(b"a" * 75 + b"/") + b"c" * 74)),
    "the same name twice": archive(member(), member()),
    "the same name twice: 'a.txt'": archive(member(b"./a.txt"), member(b"a.txt")),
    "the same name twice: 'd'": archive(folder(b"./d/"), folder(b"./d")),
    "in case only": archive(member(b"./A.txt"), member(b"./a.txt")),
    "differs from 'Src' in case only": archive(member(b"./Src/a"), member(b"./src/b")),
    "both as a file and as a folder": archive(member(b"./a"), member(b"./a/b")),
    "'b' both as a file and as a folder": archive(member(b"./b/a"), member(b"./b")),
    "base 256": archive(member(size=HUGE)),
    "a number in base 256": archive(member(size=b"\xff" * 12)),
    "cut short: './a.txt' has 68719476735 bytes": archive(member(size=b"7" * 12)),
    "not octal": archive(member(size=b"-0000000001\0")),
    "not octal: size": archive(member(size=b"00000000009\0")),
    "a link target at a member that is no link": archive(member(link=b"b")),
    "data behind its end": archive(member(b"./a\0/../b")),
    "another name": archive(pax(b"path=../../b"), member()),
    "'size'": archive(pax(b"size=9223372036854775808"), member()),
    "'linkpath'": archive(pax(b"linkpath=/etc/passwd"), member()),
    "'GNU.sparse.major'": archive(pax(b"GNU.sparse.major=1"), member()),
    "'hdrcharset'": archive(pax(b"hdrcharset=BINARY"), member()),
    "'SCHILY.xattr.user.a'": archive(pax(b"SCHILY.xattr.user.a=b"), member()),
    "'mtime' twice": archive(pax(b"mtime=1", b"mtime=2"), member()),
    "two pax headers": archive(pax(b"mtime=1"), pax(b"mtime=1"), member()),
    "a damaged pax header": archive(member(b"x", b"%011o\0" % 9, b"x", content=b"99 a=b\n\n\n"), member()),
    "damaged pax header": archive(member(b"x", b"%011o\0" % 7, b"x", content=b"7 mtime"), member()),
    "a pax header of 16777216 bytes": archive(member(b"x", b"%011o\0" % (1 << 24), b"x"), member()),
    "whose checksum is wrong": archive(member().replace(b"0000644", b"0000777")),
    "without the mark of POSIX tar": archive(member(magic=b"\0" * 8)),
    "fields of sparse": archive(member(magic=b"ustar  \0", prefix=b"1")),
    "data in the padding behind './a.txt'": archive(member()[:-1] + b"x"),
    "data in the padding behind a pax": archive(pax(b"mtime=1")[:-1] + b"x", member()),
    "a folder with content": archive(member(b"./d", kind=b"5")),
    "data behind its end; trailing": archive(member(), end=bytes(1024) + b"x" + bytes(511)),
    "data behind its end; second archive": archive(member(), end=bytes(1024) + archive(member(b"./b"))),
    "cut short: the end of the archive": member(),
    "two blocks of zeros": archive(member(), end=bytes(512)),
    "no multiple of 512": archive(member(), end=bytes(1025)),
    "compressed with gzip": b"\x1f\x8b" + bytes(1022),
    "cut short: the end": b"",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused_by_name(what):
    with pytest.raises(ArtifactError) as caught:
        read_tar(HOSTILE[what], "kws.tar")
    assert what.partition(";")[0] in str(caught.value)
    assert str(caught.value).startswith("kws.tar ")


def test_a_folder_that_is_listed_twice_is_refused_even_if_files_named_it_first():
    read_tar(archive(member(b"./d/a"), folder(b"./d")))
    with pytest.raises(ArtifactError, match="twice"):
        read_tar(archive(folder(b"./d"), member(b"./d/a"), folder(b"./d")))


def test_too_many_members_are_refused(monkeypatch):
    monkeypatch.setattr("ingot.package.tar.MAX_MEMBERS", 3)
    with pytest.raises(ArtifactError, match="more than 3 members"):
        read_tar(archive(*(member(b"./%d" % number) for number in range(4))))


def test_a_member_too_long_for_the_format_is_not_written(monkeypatch):
    monkeypatch.setattr("ingot.package.tar.MAX_FILE_BYTES", 3)
    with pytest.raises(ArtifactError, match="at most 3"):
        write_tar({"a": b"1234"})


@pytest.mark.parametrize("name", ["../a", "/a", "a//b", "./a", "", "a\\b", "CON", "é"])
def test_a_hostile_name_is_not_written(name):
    with pytest.raises(ArtifactError):
        write_tar({name: b""})


def test_every_truncation_and_any_flipped_bit_is_an_artifact_error_or_a_sound_archive():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as made:
        for name in ("./a", "./b/c"):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = 600, 0.5
            made.addfile(info, io.BytesIO(b"q" * 600))
    data = buffer.getvalue()
    for end in range(0, len(data) - 10240 + 1024 + 8192, 97):
        with contextlib.suppress(ArtifactError):
            assert set(read_tar(data[:end])) <= {"a", "b/c"}
    rng = random.Random(5)
    for _ in range(3000):
        broken = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            broken[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            for name, file in read_tar(bytes(broken)).items():
                assert (
                    ".." not in name
                    and not name.startswith("/")
                    and file.offset + len(file.content) <= len(data)
                )
        except ArtifactError:
            pass
