"""Archives are equal bytes for equal files, and what other tools write for plain trees is read."""

import io
import subprocess
import tarfile

import pytest

from ingot.base.errors import ArtifactError
from ingot.package.tar import BLOCK_BYTES, MAX_PARTS, RECORD_BYTES, read_tar, write_tar

FILES = {
    "b/two.txt": b"2" * 700,
    "a.txt": b"",
    "b/c/three.bin": bytes(range(256)) * 2,
    "late/x": b"x",
    "b/a": b"1",
}


def written(files=FILES, **options):
    return b"".join(write_tar(files, **options))


def contents(found):
    return {name: bytes(file.content) for name, file in found.items()}


def test_what_is_written_is_read():
    assert contents(read_tar(written())) == FILES


def test_equal_files_are_equal_bytes_in_any_order():
    assert written(dict(reversed(FILES.items()))) == written()
    assert len(written()) % RECORD_BYTES == 0


def test_members_are_where_the_reader_says():
    data = written()
    for file in read_tar(data).values():
        assert file.offset % BLOCK_BYTES == 0
        assert data[file.offset : file.offset + len(file.content)] == bytes(file.content)


def test_contents_are_views_of_the_bytes_that_were_read():
    data = bytearray(written({"a": b"old"}))
    file = read_tar(data)["a"]
    data[file.offset] = ord("c")
    assert bytes(file.content) == b"cld"


def test_pythons_tarfile_reads_it_in_the_order_of_the_original_tools():
    data = written(last=("late",), seconds=86400)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        members = archive.getmembers()
        names = [member.name for member in members]
        assert names == [
            ".",
            "./a.txt",
            "./b",
            "./b/a",
            "./b/c",
            "./b/c/three.bin",
            "./b/two.txt",
            "./late",
            "./late/x",
        ]
        assert {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in members} == {(0, 0, "root", "root", 86400)}
        assert {m.mode for m in members if m.isfile()} == {0o644} and {
            m.mode for m in members if m.isdir()
        } == {0o755}
        assert archive.extractfile("./b/two.txt").read() == FILES["b/two.txt"]


@pytest.mark.process
def test_the_tar_of_the_system_unpacks_it(tmp_path):
    (tmp_path / "x.tar").write_bytes(written())
    subprocess.run(["tar", "xf", "x.tar", "-C", ".", "--warning=no-timestamp"], cwd=tmp_path, check=True)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize("style", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_trees_that_python_wrote_are_read(tmp_path, style):
    for name, content in FILES.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_bytes(content)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=style) as archive:
        archive.add(tmp_path / "tree", arcname=".")
    assert contents(read_tar(buffer.getvalue())) == FILES


def test_names_without_a_leading_dot_and_long_pax_names_are_read():
    long = "runtime/" + "x" * 120 + "/y.c"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in ("metadata.json", long):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = 3, 1.5
            archive.addfile(info, io.BytesIO(b"abc"))
    assert contents(read_tar(buffer.getvalue())) == {"metadata.json": b"abc", long: b"abc"}


def test_names_of_more_than_a_hundred_letters_are_split():
    long = "a" * 90 + "/" + "b" * 90
    data = written({long: b"1"})
    assert contents(read_tar(data)) == {long: b"1"}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames()[-1] == "./" + long


def test_a_name_without_a_place_to_split_is_refused():
    with pytest.raises(ArtifactError, match="too long for a tar"):
        written({"a" * 150: b""})


def test_names_of_many_parts_are_refused_by_reader_and_writer(monkeypatch):
    deep = "/".join("a" * MAX_PARTS)
    assert contents(read_tar(written({deep: b"1"}))) == {deep: b"1"}
    with pytest.raises(ArtifactError, match="a name of 17 parts, more than 16"):
        written({f"{deep}/a": b""})
    monkeypatch.setattr("ingot.package.tar.MAX_PARTS", MAX_PARTS + 1)
    data = written({f"{deep}/a": b""})
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="more than 16"):
        read_tar(data)


def test_files_and_folders_are_not_more_than_members_may_be(monkeypatch):
    data = written({"a/b/c": b"", "a/b/d": b""})
    monkeypatch.setattr("ingot.package.tar.MAX_MEMBERS", 5)
    assert set(read_tar(data)) == {"a/b/c", "a/b/d"}
    with pytest.raises(ArtifactError, match="more than 5 files and folders"):
        written({"a/b/c": b"", "d/e/f": b""})
