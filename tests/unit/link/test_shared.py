import dataclasses
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet, InMemoryArtifact
from ingot.artifact.model_info import MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.base.errors import ArtifactError, ToolchainError
from ingot.base.tensor import DType
from ingot.link import shared
from ingot.link.shared import link_library, link_pieces
from ingot.package.library_file import read_library
from ingot.runtime.load import load
from tests.support.paths import ROOT
from tests.support.tiny_library import expected, tiny_set

pytestmark = pytest.mark.cc


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("link") / "tiny.so"
    link_library(tiny_set(), path)
    return path


def test_the_container_has_all_artifacts_but_native_ones(library):
    expected = tuple(artifact for artifact in tiny_set() if artifact.loader != "native")
    assert read_library(library.read_bytes()).container.artifacts == expected


def test_only_entries_and_the_pool_are_exported(library):
    with library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        exported = {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol.name
        }
    assert exported == {
        "ingot_tiny_run",
        "ingot_tiny_call",
        "tiny_run",
        "tiny_run_parallel",
        "tiny_strerror",
        "ingot_models",
        "__tvm_ffi_tiny",
        "ingot_pool_create",
        "ingot_pool_destroy",
        "ingot_container",
    }


def test_the_container_is_loaded_read_only_and_page_aligned(library):
    with library.open("rb") as file:
        elf = ELFFile(file)
        section = elf.get_section_by_name(".ingot")
        offset = read_library(library.read_bytes()).container_offset
        assert section["sh_flags"] == 2  # SHF_ALLOC, neither written nor executed
        assert section["sh_offset"] == offset and section["sh_addr"] % 4096 == 0
        loads = [segment for segment in elf.iter_segments("PT_LOAD") if segment.section_in_segment(section)]
        assert len(loads) == 1 and not loads[0]["p_flags"] & 2
        assert not any(segment["p_flags"] & 1 for segment in elf.iter_segments("PT_GNU_STACK"))


def test_the_same_set_makes_the_same_bytes_in_any_process_folder_and_locale(library, tmp_path):
    script = (
        "import sys; from tests.support.tiny_library import tiny_set; from ingot.link.shared import link_library;"
        "link_library(tiny_set(), sys.argv[1])"
    )
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "TMPDIR": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(ROOT),
    }
    other = tmp_path / "deeper" / "other.so"
    other.parent.mkdir()
    subprocess.run([sys.executable, "-c", script, str(other)], cwd=tmp_path, env=environment, check=True)
    assert other.read_bytes() == library.read_bytes()
    assert str(tmp_path).encode() not in other.read_bytes()


def test_a_set_without_native_code_still_makes_a_library(tmp_path):
    artifacts = ArtifactSet(artifact for artifact in tiny_set() if artifact.loader != "native")
    link_library(artifacts, tmp_path / "bare.so")
    assert read_library((tmp_path / "bare.so").read_bytes()).container.artifacts == artifacts.artifacts


def test_headers_among_the_native_artifacts_can_be_included(tmp_path):
    source = tiny_set().find("tiny.c")
    artifacts = ArtifactSet(
        (
            *tiny_set().select(loader="metadata"),
            *tiny_set().select(loader="params"),
            dataclasses.replace(source, file_name="src/tiny.c", content=b'#include "part.h"\n'),
            dataclasses.replace(source, file_name="src/part.h"),
        )
    )
    link_library(artifacts, tmp_path / "m.so")


def test_a_compiler_error_is_quoted_and_nothing_is_left(tmp_path):
    artifacts = ArtifactSet((Artifact("c", "native", "broken.c", b"int f(void) { return nonsense; }"),))
    with pytest.raises(ToolchainError, match=r"broken\.c(.|\n)*nonsense") as caught:
        link_library(artifacts, tmp_path / "m.so")
    assert caught.value.facts["status"] != 0
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_output_is_an_error_and_the_old_file_stays(tmp_path):
    with pytest.raises(ToolchainError, match="folder does not exist"):
        link_library(tiny_set(), tmp_path / "no" / "m.so")
    (tmp_path / "loop").symlink_to("loop")
    for name, words in (
        ("loop", "Too many levels"),
        ("loop/m.so", "Too many levels"),
        ("a" * 300, "File name too long"),
    ):
        with pytest.raises(ToolchainError, match=words):
            link_library(tiny_set(), tmp_path / name)
    (tmp_path / "loop").unlink()
    (tmp_path / "folder").mkdir()
    with pytest.raises(ToolchainError, match="Is a directory"):
        link_library(tiny_set(), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_library_is_replaced_as_a_whole_and_may_be_executed(tmp_path):
    path = tmp_path / "m.so"
    path.write_bytes(b"old")
    link_library(tiny_set(), path)
    assert read_library(path.read_bytes()).container.artifacts
    assert path.stat().st_mode & stat.S_IXUSR
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.so"]


def test_an_in_memory_artifact_cannot_be_linked_and_is_named(tmp_path):
    class Nothing:
        pass

    with pytest.raises(ArtifactError, match="'callable'"):
        link_pieces(ArtifactSet((InMemoryArtifact("python", "callable", Nothing()),)))


def test_a_cache_that_cannot_be_used_does_no_harm(tmp_path, monkeypatch, library):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    link_library(tiny_set(), tmp_path / "m.so")
    assert (tmp_path / "m.so").read_bytes() == library.read_bytes()


def test_a_damaged_object_in_the_cache_is_made_again(tmp_path, monkeypatch):
    runs = []

    def compiled(chain, arguments, folder, purpose):
        runs.append(purpose)
        (folder / arguments[-1]).write_bytes(b"object")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(shared.Toolchain, "run", compiled)
    chain = shared.Toolchain(("cc",), "1")

    def made():
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        return (folder / shared._runtime_object(shared.POOL, chain, folder)).read_bytes()

    assert [made(), made()] == [b"object"] * 2 and len(runs) == 1
    (stored,) = (tmp_path / "cache" / "ingot").glob("*/*")
    for damaged in (b"", stored.read_bytes()[:-1]):
        stored.write_bytes(damaged)  # as after a loss of power
        assert [made(), made()] == [b"object"] * 2
    assert len(runs) == 3


def test_stripping_keeps_the_container_in_the_object_and_loading_says_what_is_missing(library, tmp_path):
    stripped = tmp_path / "stripped.so"
    if subprocess.run(["strip", "-o", stripped, library], check=False).returncode:
        pytest.skip("needs strip")
    with stripped.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".ingot")
        with library.open("rb") as original:
            assert section.data() == ELFFile(original).get_section_by_name(".ingot").data()
    with pytest.raises(ArtifactError, match="strip"):
        read_library(stripped.read_bytes())


def test_a_container_beyond_the_reach_of_code_lies_behind_all_else_in_a_segment_of_its_own(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(shared, "FAR_CONTAINER_BYTES", 0)
    path = tmp_path / "far.so"
    link_library(tiny_set(), path)
    with path.open("rb") as file:
        elf = ELFFile(file)
        section = elf.get_section_by_name(".ingot")
        loads = list(elf.iter_segments("PT_LOAD"))
        assert loads[-1].section_in_segment(section) and loads[-1]["p_flags"] == 4  # read only
        assert not any(load.section_in_segment(section) for load in loads[:-1])
        assert all(
            other["sh_addr"] < section["sh_addr"] for other in elf.iter_sections() if other.name != ".ingot"
        )
        assert section["sh_offset"] == read_library(path.read_bytes()).container_offset
    x = np.arange(4, dtype=np.float32)
    assert np.array_equal(load(path)["tiny"]().predict(x=x)[0], expected(x))


@pytest.mark.slow
@pytest.mark.skipif(
    "INGOT_TEST_HUGE" not in os.environ,
    reason="needs INGOT_TEST_HUGE=1, 7 GB of memory and of disk, and a minute",
)
def test_more_than_two_gigabytes_of_constants_link_and_load(tmp_path):
    size = 2_200_000_000
    source = """
    #include <stdint.h>
    __attribute__((visibility("default"))) int32_t ingot_huge_run(void *const *bases) {
      ((uint8_t *)bases[3])[0] = ((const uint8_t *)bases[0])[%d - 1];
      return 0;
    }
    """
    constants = np.zeros(size, np.uint8)
    constants[-1] = 77
    host = TargetInfo("host", "c", "c", memory=MemoryInfo(params_bytes=size), params="huge.params")
    info = ModelInfo(
        "huge",
        "huge",
        (),
        (TensorInfo("y", DType.UINT8, (1,)),),
        (host,),
        executors=("aot",),
        ingot_version="0",
    )
    path = tmp_path / "huge.so"
    artifacts = (
        Artifact("ingot", "metadata", "huge.json", info_to_json(info)),
        Artifact("c", "native", "huge.c", (source % size).encode()),
        Artifact("ingot", "params", "huge.params", memoryview(constants)),
    )
    link_library(ArtifactSet(artifacts), path)
    for verify in ("full", "index"):
        assert load(path, verify=verify)["huge"]().predict() == [77]
    path.unlink()
