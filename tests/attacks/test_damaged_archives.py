"""Damaged Model Library Format archives are refused before anything of them is compiled: by ArtifactError, or by LoadError if
they are sound and cannot run.
"""

import json
import random

import pytest

import ingot
from ingot.base.errors import ArtifactError, LoadError
from ingot.inspectors.registry import inspect
from ingot.package.mlf.link import linkable
from ingot.package.mlf.read import read_archive
from ingot.package.tar import read_tar, write_tar
from tests.support.classic_archives import classic_files
from tests.support.models import model

HERE = 62  # the number of a machine in ELF files


def archive(files):
    return b"".join(write_tar(files))


def taken(content):
    """Everything that looking into it, and loading before it compiles, does."""
    try:
        inspect(content, "x.tar")
        linkable(read_archive(content), HERE, {})
    except (ArtifactError, LoadError):
        return False
    return True


@pytest.mark.parametrize(
    "files", [classic_files(1), classic_files(5), classic_files(7), classic_files(7, "aot")]
)
def test_flipped_bits_and_cuts_raise_nothing_else(files):
    assert taken(archive(files))
    rng = random.Random(len(files))
    names = [name for name in files if not name.endswith(".c")]
    for _ in range(800):
        name = rng.choice(names)
        broken = bytearray(files[name])
        for _ in range(rng.choice((1, 1, 3))):
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        taken(archive(files | {name: bytes(broken)}))
    for name in names:
        for _ in range(20):
            taken(archive(files | {name: files[name][: rng.randrange(len(files[name]))]}))


WORDS = (None, True, -1, 1 << 70, 1.5, "", "../x", "\n", [], [[]], {}, {"a": 1}, "a" * 5000)


@pytest.mark.parametrize(("version", "executor"), [(1, "graph"), (6, "aot"), (7, "graph"), (7, "aot")])
def test_any_value_anywhere_in_the_metadata_raises_nothing_else(version, executor):
    files = classic_files(version, executor)
    metadata = json.loads(files["metadata.json"])
    places = list(paths(metadata))
    for place in places:
        for word in WORDS:
            data = json.loads(files["metadata.json"])
            inner = data
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = word
            taken(archive(files | {"metadata.json": json.dumps(data).encode()}))


def paths(value, before=()):
    """The way to every value of nested lists and dictionaries."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*before, key)
        yield from paths(inner, (*before, key))


def test_an_archive_of_version_8_survives_no_change(tmp_path):
    artifacts = ingot.build(model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }"), "c", name="small")
    path = tmp_path / "x.tar"
    artifacts.export_model_library_format(path)
    content = path.read_bytes()
    files = {name: (file.offset, len(file.content)) for name, file in read_tar(content).items()}
    rng = random.Random(4)
    for name, (offset, size) in files.items():
        for _ in range(2 if name != "metadata.json" and size else 0):
            broken = bytearray(content)
            broken[offset + rng.randrange(size)] ^= 1 << rng.randrange(8)
            with pytest.raises(ArtifactError, match="damaged file"):
                read_archive(bytes(broken))
    offset, size = files["metadata.json"]
    for _ in range(300):
        broken = bytearray(content)
        broken[offset + rng.randrange(size)] ^= 1 << rng.randrange(8)
        taken(bytes(broken))


def test_artifacts_cannot_be_laid_out_elsewhere(tmp_path):
    artifacts = ingot.build(model("agraph (float[4] x) => (float[4] y) { y = Relu (x) }"), "c", name="small")
    path = tmp_path / "x.tar"
    artifacts.export_model_library_format(path)
    files = {name: bytes(file.content) for name, file in read_tar(path.read_bytes()).items()}
    for key, value, words in (
        ("file_name", "../../evil.c", "relative path of plain names"),
        ("target_key", "../..", "label"),
        ("path", "../../etc/passwd", "no file of it"),
    ):
        data = json.loads(files["metadata.json"])
        data["artifacts"][1][key] = value
        with pytest.raises(ArtifactError, match=words):
            read_archive(archive(files | {"metadata.json": json.dumps(data).encode()}))
