"""Files that are larger than what is in them, share their parts, or belong to somebody else: refused or ignored, soon."""

from __future__ import annotations

import argparse
import os
import resource
import stat
import time
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.artifact.artifact import Artifact
from ingot.artifact.tuning import Measurements
from ingot.artifact.tuning_json import stored_tuning, tuning_to_json
from ingot.base.cache import DirectoryCache
from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.cli.inspect import command
from ingot.package.classic.params import params_from_bytes, params_to_bytes
from ingot.package.container import ENTRY, HEADER, MAGIC, VERSION, digest_pair, matches, read_container
from ingot.package.container_file import open_container
from ingot.package.container_write import write_container
from ingot.package.tar import read_tar, write_tar
from ingot.tune.apply import read_tuning


def inspect(path: str | Path) -> None:
    command(argparse.Namespace(file=Path(path), artifact=None, json=False, tuning=False))


SIZE = 1 << 31
MEMORY_KIB = 100_000


def sparse(path: Path, begin: bytes = b"", end: bytes = b"") -> Path:
    """A file of 2 GiB, of which hardly anything is stored."""
    with path.open("wb") as file:
        file.write(begin)
        file.truncate(SIZE)
        file.seek(SIZE - len(end))
        file.write(end)
    return path


def one_large_member(loader: str) -> bytes:
    """The beginning of a container of 2 GiB whose one member is nearly all of it, with right digests of header and index."""
    labels = [b"host", b"x", b"f", loader.encode()]
    offset = 4096
    entry = ENTRY.pack(offset, SIZE - offset, bytes(32), bytes(32), *map(len, labels)) + b"".join(labels)
    entry += bytes(-len(entry) % 8)
    head = HEADER.pack(MAGIC, VERSION, 0, SIZE, len(entry), 1).ljust(64, b"\0")
    return head + b"".join(digest_pair(head, entry)) + entry


@pytest.mark.parametrize("read", [ingot.load, inspect])
@pytest.mark.parametrize(
    ("name", "begin", "end"),
    [
        ("m.so", b"\x7fELF", b""),
        ("m.so", b"\x7fELF", b"INGOTEND" + bytes(120)),
        ("m.tar", b"".join(write_tar({"a": b"1"})), b""),
        ("m.ingot", one_large_member("params"), b""),
    ],
)
def test_a_sparse_file_is_refused_without_reading_it(tmp_path, name, begin, end, read):
    path = sparse(tmp_path / name, begin, end)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ArtifactError, match="are stored"):
        read(str(path))
    with pytest.raises(ArtifactError, match="are stored"):
        open_container(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY_KIB


def test_an_archive_has_no_end_without_an_end():
    content = b"".join(write_tar({"a": b"1"}))
    assert list(read_tar(content + bytes(1 << 19))) == ["a"]
    with pytest.raises(ArtifactError, match="behind its last member"):
        read_tar(content + bytes(1 << 21))


def test_entries_that_share_a_place_are_checked_once(monkeypatch):
    content = bytes(range(256)) * 256
    shared = b"".join(write_container([Artifact("x", "text", f"f{at}", content) for at in range(40)]))
    checked = []
    monkeypatch.setattr(
        "ingot.package.container.matches", lambda *given: checked.append(len(given[2])) or matches(*given)
    )
    assert len(read_container(shared).members) == 40
    assert checked == [64, len(content)]  # header with index, and the one place
    broken = bytearray(shared)
    broken[-1000] ^= 1
    with pytest.raises(ArtifactError, match="'f0' is damaged"):
        read_container(broken)


def test_measurements_that_share_a_place_are_read_once():
    content = tuning_to_json((Measurements("llvm", "cpu", ()),))
    content += b" " * (1 << 20)
    members = [Artifact("x", "text", f"m{at}.tuning.json", content) for at in range(500)]
    begin = time.process_time()
    assert stored_tuning(members) == (Measurements("llvm", "cpu", ()),)
    assert time.process_time() - begin < 0.5


# ─── parameters ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shape", [(0, 1 << 24, 1 << 48), (1 << 40, 0, 1 << 40), (0, 1, 3, 1 << 48, 2, 0)])
def test_an_empty_tensor_of_a_shape_that_no_array_has_is_refused(shape):
    good = params_to_bytes({"a": (DType.FLOAT32, np.zeros((0,) * len(shape), np.float32))})
    assert params_from_bytes(good)["a"][1].shape == (0,) * len(shape)
    at = len(good) - 8 - 8 * len(shape)
    broken = good[:at] + b"".join(extent.to_bytes(8, "little") for extent in shape) + good[-8:]
    with pytest.raises(ArtifactError, match="which no array can have"):
        params_from_bytes(broken)


# ─── places that are no files ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("read", [inspect, read_tuning])
def test_a_pipe_that_nobody_writes_to_is_refused(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArtifactError, match="is no regular file"):
        read(tmp_path / "pipe")


# ─── the cache ─────────────────────────────────────────────────────────────────────────────────────────────────────

KEY = "ab" * 16


def entry_of(folder: Path) -> Path:
    return folder / KEY[:2] / KEY[2:]


def test_an_entry_of_another_owner_is_ignored(tmp_path, monkeypatch):
    cache = DirectoryCache(tmp_path)
    cache.put(KEY, b"code")
    assert cache.get(KEY) == b"code"
    if os.geteuid() == 0:
        os.chown(entry_of(tmp_path), 12345, -1)
    else:
        monkeypatch.setattr("os.geteuid", lambda: 12345)
    assert cache.get(KEY) is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_may_write_is_ignored(tmp_path, mode):
    cache = DirectoryCache(tmp_path)
    cache.put(KEY, b"code")
    entry_of(tmp_path).chmod(mode)
    assert cache.get(KEY) is None
    cache.put(KEY, b"new")
    assert cache.get(KEY) == b"new"


def test_an_entry_is_written_for_its_user_alone_whatever_the_mask_is(tmp_path):
    before = os.umask(0)
    try:
        DirectoryCache(tmp_path).put(KEY, b"code")
    finally:
        os.umask(before)
    assert stat.S_IMODE(entry_of(tmp_path).stat().st_mode) == 0o600


def test_an_entry_that_is_a_pipe_is_ignored(tmp_path):
    entry_of(tmp_path).parent.mkdir()
    os.mkfifo(entry_of(tmp_path))
    assert DirectoryCache(tmp_path).get(KEY) is None
