"""The folder of compiled code: found again, never wrong, never in the way of other files."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from ingot.base.cache import DirectoryCache

KEY = "ab" * 32


def entry(folder: Path) -> Path:
    (found,) = [path for path in folder.glob("*/*") if path.is_file()]
    return found


def test_what_was_put_is_got(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path / "new" / "folder")
    assert cache.get(KEY) is None
    cache.put(KEY, b"content")
    assert cache.get(KEY) == b"content" == DirectoryCache(tmp_path / "new" / "folder").get(KEY)
    cache.put(KEY, b"")
    assert cache.get(KEY) == b""


def test_a_damaged_entry_is_no_entry(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path)
    cache.put(KEY, b"content")
    sound = entry(tmp_path).read_bytes()
    for position in range(len(sound)):
        entry(tmp_path).write_bytes(sound[:position] + bytes([sound[position] ^ 1]) + sound[position + 1 :])
        assert cache.get(KEY) is None
        entry(tmp_path).write_bytes(sound[:position])
        assert cache.get(KEY) is None
    entry(tmp_path).write_bytes(sound)
    assert cache.get(KEY) == b"content"


def test_an_entry_under_another_name_is_no_entry(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path)
    cache.put(KEY, b"content")
    other = KEY[:-1] + "0"
    entry(tmp_path).rename(tmp_path / other[:2] / other[2:])
    assert cache.get(other) is None


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = DirectoryCache(tmp_path / "file")
    cache.put(KEY, b"content")
    assert cache.get(KEY) is None


def test_a_key_cannot_leave_the_folder(tmp_path: Path) -> None:
    for key in ("../../../../etc/passwd", "", "AB" * 32):
        with pytest.raises(ValueError, match="hexadecimal"):
            DirectoryCache(tmp_path).get(key)


def test_many_writers_leave_one_sound_entry(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(20):
            DirectoryCache(tmp_path).put(KEY, bytes([number]) * 10000)
            assert DirectoryCache(tmp_path).get(KEY) in {bytes([each]) * 10000 for each in range(4)}

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert entry(tmp_path)


def test_the_least_recently_used_entries_go_first(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path, limit_bytes=2500)
    keys = [f"{number:064x}" for number in range(3)]
    for age, key in enumerate(keys):
        cache.put(key, bytes(900))
        path = tmp_path / key[:2] / key[2:]
        if path.exists():
            os.utime(path, (1000 + age, 1000 + age))
    cache.shrink()
    assert [cache.get(key) is not None for key in keys] == [False, True, True]


def test_only_what_the_cache_wrote_is_counted_and_removed(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path, limit_bytes=1000)
    others = [
        "thesis.txt",
        "photos/ab/1.jpg",
        "ab/notes",
        f"ab/{'c' * 38}",
        f"ab/{'C' * 62}",
        f"abc/{'c' * 61}",
    ]
    others.append(f"ab/{'d' * 62}/x")
    for name in others:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(5000))
        os.utime(path, (1000, 1000))
    (tmp_path / "ab" / ("e" * 62)).symlink_to(tmp_path / "thesis.txt")
    cache.put(KEY, bytes(900))
    cache.put(KEY[:-1] + "0", bytes(900))
    cache.shrink()
    assert all((tmp_path / name).read_bytes() == bytes(5000) for name in others)
    cache = DirectoryCache(tmp_path, limit_bytes=0)
    cache.shrink()
    assert cache.get(KEY) is None
    assert all((tmp_path / name).is_file() for name in [*others, f"ab/{'e' * 62}"])


def test_other_files_leave_no_less_room(tmp_path: Path) -> None:
    (tmp_path / "film.mkv").write_bytes(bytes(5000))
    cache = DirectoryCache(tmp_path, limit_bytes=2000)
    cache.put(KEY, bytes(900))
    cache.shrink()
    assert cache.get(KEY) == bytes(900)


def test_what_a_killed_process_left_half_written_goes_when_it_is_old(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path)
    cache.put(KEY, b"content")
    old, new, foreign = (tmp_path / KEY[:2] / f".{KEY[2:]}.{digit * 16}" for digit in "123")
    for path, content in ((old, b"ingot ker"), (new, b"ingot ker"), (foreign, b"something else")):
        path.write_bytes(content)
        os.utime(path, (time.time() - 7200,) * 2)
    os.utime(new)
    cache.shrink()
    assert (old.exists(), new.exists(), foreign.exists()) == (False, True, True)
    assert cache.get(KEY) == b"content"


def test_the_limit_holds_for_many_that_each_write_little(tmp_path: Path) -> None:
    for number in range(60):
        DirectoryCache(tmp_path, limit_bytes=16 * 10000).put(f"{number:064x}", bytes(9000))
    written = sum(path.stat().st_size for path in tmp_path.glob("*/*"))
    assert 16 * 9000 < written < 18 * 10000
