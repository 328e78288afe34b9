"""Tar archives: a strict reader of untrusted bytes, and a writer that gives equal bytes for equal files.

The reader takes what POSIX tar (ustar), Python's `tarfile` and GNU tar write for plain trees: regular files and directories with
plain names. All else that a tar can say is refused by name: links, devices, names that lead elsewhere, sparse files, sizes
that other readers understand differently, members that overwrite each other, bytes behind the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NoReturn

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen

SUFFIX = ".tar"
BLOCK_BYTES = 512
RECORD_BYTES = 10240  # what tar pads a whole archive to
MAX_END_BYTES = 1 << 20  # of zeros at the end: GNU tar pads to what its user says, in blocks of 512 bytes
MAX_MEMBERS = 65536  # also of files and folders, whether folders have members of their own or not
MAX_NAME = 240
MAX_PARTS = 16  # of a name; what was ever written has up to 8
MAX_PAX_BYTES = 1 << 16
MAX_FILE_BYTES = (1 << 33) - 1  # what eleven octal digits say

_NAME = re.compile(r"[A-Za-z0-9._+@=,~#%&()\[\]{}!^$ -]+", re.ASCII)
# Windows gives these a meaning of their own, whatever their suffix.
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.ASCII | re.IGNORECASE)
_GZIP = b"\x1f\x8b"
_REFUSED = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"7": "a contiguous file",
    b"g": "a global pax header, which changes what later members mean",
    b"D": "a GNU list of a folder's names",
    b"K": "a GNU long link name",
    b"L": "a GNU long name",
    b"M": "a continuation of a member of another volume",
    b"N": "an old GNU long name",
    b"S": "a GNU sparse file",
    b"V": "a GNU volume label",
    b"X": "a Solaris extended header",
}
# What pax headers may say. None of it changes where a member is or how long it is; `path` must be what the header begins with.
_PAX_KEYS = frozenset({"mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "path"})


class TarFile(metaclass=Frozen):
    """A regular file of an archive. `content` is a view of the archive's bytes, from byte `offset` on."""

    name: str
    content: memoryview
    offset: int


def is_tar(content: Content) -> bool:
    """Whether the bytes begin as an archive that `read_tar` may read, or may say more about: a compressed one."""
    view = memoryview(content).cast("B")
    return bytes(view[257:262]) == b"ustar" or bytes(view[:2]) == _GZIP


def read_tar(content: Content, name: str = "archive") -> dict[str, TarFile]:
    """The regular files of an archive by name, in its order, without a leading `./`. Contents are views, nothing is copied.

    Raises:
        ArtifactError: not an uncompressed tar, or one with anything but plain files and folders in plain places.
    """
    return _Reader(memoryview(content).toreadonly().cast("B"), name).files()


def write_tar(files: Mapping[str, Content], *, seconds: int = 0, last: Iterable[str] = ()) -> list[Content]:
    """An archive as pieces, to be written one after the other; contents are not copied.

    Every folder stands before what is in it, siblings are sorted, owners are root, modes 0755 and 0644. Member names begin with
    `./`, the first member is `.` itself.

    Args:
        files: contents by name.
        seconds: the time of every member, in seconds since 1970.
        last: names of folders at the top that come after all else.

    Raises:
        ArtifactError: a name that `read_tar` would not take, or that the format cannot hold; a file that is too long.
    """
    late = tuple(last)
    tree: dict[tuple[bool, tuple[str, ...]], Content | None] = {}
    names = _Names("archive")
    for name, content in files.items():
        names.add(name, is_folder=False)
        parts = tuple(name.split("/"))
        for depth in range(1, len(parts)):
            tree[(parts[0] in late, parts[:depth])] = None
        tree[(parts[0] in late, parts)] = content
    pieces: list[Content] = [_header(".", None, seconds)]
    for _, parts in sorted(tree):
        member = tree[(parts[0] in late, parts)]
        pieces.append(_header("./" + "/".join(parts), member, seconds))
        if member is not None:
            size = memoryview(member).nbytes
            pieces += [member, bytes(-size % BLOCK_BYTES)]
    written = sum(memoryview(piece).nbytes for piece in pieces) + 2 * BLOCK_BYTES
    pieces.append(bytes(2 * BLOCK_BYTES + -written % RECORD_BYTES))
    return pieces


def _header(name: str, content: Content | None, seconds: int) -> bytes:
    size = 0 if content is None else memoryview(content).nbytes
    if size > MAX_FILE_BYTES:
        raise ArtifactError(
            f"archive: {name!r} has {size} bytes, a tar member has at most {MAX_FILE_BYTES}",
            name=name,
            size=size,
        )
    raw, prefix = name.encode("ascii"), b""
    if len(raw) > 100:
        cut = raw.find(b"/", len(raw) - 101)
        if not 0 < cut <= 155:
            raise ArtifactError(f"archive: the name {name!r} is too long for a tar", name=name)
        raw, prefix = raw[cut + 1 :], raw[:cut]
    mode, kind = (0o755, b"5") if content is None else (0o644, b"0")
    fields = b"%-100b%07o\0%07o\0%07o\0%011o\0%011o\0        %b%100b" % (
        raw,
        mode,
        0,
        0,
        size,
        seconds,
        kind,
        b"",
    )
    fields += b"ustar\x0000%-32b%-32b%07o\0%07o\0%-155b%12b" % (b"root", b"root", 0, 0, prefix, b"")
    # Names are padded with zeros; the fields for numbers have none, and the checksum's own field counts as spaces.
    text = bytearray(fields)
    for start, end in ((0, 100), (157, 257), (265, 297), (297, 329), (345, 500), (500, 512)):
        text[start:end] = bytes(text[start:end]).rstrip(b" ").ljust(end - start, b"\0")
    text[148:156] = b"%06o\0 " % sum(text)
    return bytes(text)


class _Names:
    """Every name of an archive, held against the others: none twice, not even for systems that know no case."""

    def __init__(self, archive: str) -> None:
        self._archive = archive
        # Files and folders that were named, or are on the way to one, by their names in lower case: as it was written, and
        # whether it is a folder.
        self._places: dict[str, tuple[str, bool]] = {}
        self._listed: set[str] = set()

    def add(self, name: str, *, is_folder: bool) -> None:
        parts = name.split("/")
        if len(name) > MAX_NAME:
            self._wrong(name, f"a name of {len(name)} letters, more than {MAX_NAME}")
        if len(parts) > MAX_PARTS:
            self._wrong(name, f"a name of {len(parts)} parts, more than {MAX_PARTS}")
        for part in parts:
            if part == "..":
                self._wrong(name, "a name with '..', which leads out of its folder")
            if part in ("", "."):
                self._wrong(name, "a name with an empty part")
            if (
                not _NAME.fullmatch(part)
                or part != part.strip(" ")
                or part.endswith(".")
                or _DEVICES.fullmatch(part)
            ):
                self._wrong(name, "a name that is not plain on every system")
        if name in self._listed:
            self._wrong(name, "the same name twice")
        self._listed.add(name)
        path, folder = name, is_folder
        while path:
            known = self._places.get(path.lower())
            if known is None:
                self._places[path.lower()] = (path, folder)
                if len(self._places) > MAX_MEMBERS:
                    self._wrong(name, f"more than {MAX_MEMBERS} files and folders")
            elif known[0] != path:
                self._wrong(name, f"a name that differs from {known[0]!r} in case only")
            elif known[1] != folder:
                self._wrong(name, f"{path!r} both as a file and as a folder")
            else:
                break  # what is above it came with it
            path, folder = path.rpartition("/")[0], True

    def _wrong(self, name: str, problem: str) -> NoReturn:
        raise ArtifactError(f"{self._archive} has {problem}: {name[:200]!r}", name=name)


class _Reader:
    """A place in an archive."""

    def __init__(self, view: memoryview, name: str) -> None:
        self._view = view
        self._name = name
        self._at = 0
        self._names = _Names(name)
        self._members = 0

    def files(self) -> dict[str, TarFile]:
        if bytes(self._view[:2]) == _GZIP:
            self._wrong("is compressed with gzip; unpack it first: a library archive is a plain tar")
        members: dict[str, TarFile] = {}
        while (header := self._block()).count(0) != BLOCK_BYTES:
            self._members += 1
            if self._members > MAX_MEMBERS:
                self._wrong(f"has more than {MAX_MEMBERS} members")
            self._check(header)
            path: bytes | None = None
            if header[156:157] == b"x":
                path = self._pax(header)
                header = self._block()
                self._check(header)
                if header[156:157] == b"x":
                    self._wrong("has two pax headers for one member")
            member = self._member(header, path)
            if member is not None:
                members[member.name] = member
        rest = self._view[self._at :]
        if len(rest) < BLOCK_BYTES or any(rest[:BLOCK_BYTES]):
            self._wrong("is cut short: two blocks of zeros must stand at its end")
        if len(rest) > MAX_END_BYTES:
            self._wrong(f"has {len(rest)} bytes behind its last member, more than {MAX_END_BYTES}")
        if any(rest):
            self._wrong("has data behind its end")
        if len(self._view) % BLOCK_BYTES:
            self._wrong(f"has {len(self._view)} bytes, which is no multiple of {BLOCK_BYTES}")
        return members

    def _block(self) -> bytes:
        if len(self._view) - self._at < BLOCK_BYTES:
            self._wrong("is cut short: the end of the archive is missing")
        self._at += BLOCK_BYTES
        return bytes(self._view[self._at - BLOCK_BYTES : self._at])

    def _check(self, header: bytes) -> None:
        """Magic and checksum."""
        magic = header[257:265]
        if magic not in (b"ustar\x0000", b"ustar  \x00"):
            self._wrong("has a header without the mark of POSIX tar or GNU tar")
        if magic == b"ustar  \x00" and any(header[345:500]):
            self._wrong("has a GNU header with fields of sparse or incremental archives")
        stored = self._number(header[148:156], "checksum")
        if stored != sum(header) - sum(header[148:156]) + 8 * 32:
            self._wrong("has a header whose checksum is wrong")

    def _member(self, header: bytes, path: bytes | None) -> TarFile | None:
        """The member of that header, None for a folder; steps over its content."""
        raw = self._text(header[:100], "name")
        prefix = self._text(header[345:500], "name")
        full = prefix + b"/" + raw if prefix else raw
        if path is not None:
            if path[:100] != full:
                self._wrong(
                    f"has a pax header that gives the member {_shown(full)} another name: {_shown(path)}"
                )
            full = path
        kind = header[156:157]
        if kind in _REFUSED:
            self._wrong(f"has {_REFUSED[kind]}: {_shown(full)}")
        if kind not in (b"0", b"\0", b"5"):
            self._wrong(f"has a member of the unknown kind {_shown(kind)}: {_shown(full)}")
        if any(header[157:257]):
            self._wrong(f"has a link target at a member that is no link: {_shown(full)}")
        size = self._number(header[124:136], f"size of {_shown(full)}")
        name = self._plain(full, kind == b"5")
        start = self._at
        padded = size + -size % BLOCK_BYTES
        if padded > len(self._view) - start:
            self._wrong(f"is cut short: {_shown(full)} has {size} bytes, {len(self._view) - start} are left")
        if kind == b"5":
            if size:
                self._wrong(f"has a folder with content: {_shown(full)}")
            if name:
                self._names.add(name, is_folder=True)
            return None
        self._names.add(name, is_folder=False)
        self._at += padded
        if any(self._view[start + size : self._at]):
            self._wrong(f"has data in the padding behind {_shown(full)}")
        return TarFile(name, self._view[start : start + size], start)

    def _plain(self, raw: bytes, is_folder: bool) -> str:
        """The name without `./` before and, for a folder, `/` behind it; empty for the archive's own folder."""
        if not raw.isascii():
            self._wrong(f"has a name that is not plain on every system: {_shown(raw)}")
        name = raw.decode("ascii")
        if name.startswith("/") or re.match(r"[A-Za-z]:", name):
            self._wrong(f"has an absolute name: {_shown(raw)}")
        if is_folder:
            name = name.removesuffix("/")
            if name == ".":
                return ""
        return name.removeprefix("./")

    def _pax(self, header: bytes) -> bytes | None:
        """The path that a pax header gives to the next member, None if it gives none."""
        size = self._number(header[124:136], "size of a pax header")
        if size > MAX_PAX_BYTES:
            self._wrong(f"has a pax header of {size} bytes, more than {MAX_PAX_BYTES}")
        blocks = [self._block() for _ in range(-(-size // BLOCK_BYTES))]
        text, padding = b"".join(blocks)[:size], b"".join(blocks)[size:]
        if any(padding):
            self._wrong("has data in the padding behind a pax header")
        records: dict[str, bytes] = {}
        while text:
            digits, space, _ = text[:8].partition(b" ")
            if not space or not digits.isdigit() or not len(digits) + 3 <= int(digits) <= len(text):
                self._wrong("has a damaged pax header")
            record, text = text[len(digits) + 1 : int(digits)], text[int(digits) :]
            key, equals, value = record[:-1].partition(b"=")
            if not equals or record[-1:] != b"\n":
                self._wrong("has a damaged pax header")
            word = key.decode("ascii", "replace")
            if word not in _PAX_KEYS:
                self._wrong(f"has a pax header with {word[:80]!r}, which changes what a member is")
            if word in records:
                self._wrong(f"has a pax header with {word!r} twice")
            records[word] = value
        return records.get("path")

    def _text(self, field: bytes, field_name: str) -> bytes:
        text, _, rest = field.partition(b"\0")
        if any(rest):
            self._wrong(f"has a {field_name} with data behind its end")
        return text

    def _number(self, field: bytes, field_name: str) -> int:
        if field[0] & 0x80:
            self._wrong(f"has a number in base 256, for members of more than 8 GiB: {field_name}")
        digits = field.strip(b" \0")
        if not re.fullmatch(rb"[0-7]+", digits):
            self._wrong(f"has a number that is not octal: {field_name}")
        return int(digits, 8)

    def _wrong(self, problem: str) -> NoReturn:
        raise ArtifactError(f"{self._name} {problem}", name=self._name, at=self._at)


def _shown(raw: bytes) -> str:
    return repr(raw[:200].decode("ascii", "backslashreplace"))
