"""What a model says of itself, and the digests of its files, go into the library; nothing of where the files lay does."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import helper, numpy_helper, parser

import ingot
from ingot.artifact.model_info import ModelInfo, Origin
from ingot.graph.read import origin as origin_module
from ingot.graph.read.origin import METADATA_BYTES_MAX, PAIRS_MAX, TEXT_MAX, origin_of

RELU = """<ir_version: 9, opset_import: ["" : 17, "ai.onnx.ml" : 3], producer_name: "pytorch", producer_version: "2.9",
           domain: "org.example", model_version: 4, doc_string: "what it is">
          g (float[2] x) => (float[2] y) { y = Relu(x) }"""


def said_by(text: str = RELU, metadata: dict[str, str] | None = None) -> onnx.ModelProto:
    made = parser.parse_model(text)
    helper.set_model_props(made, metadata or {})
    return made


def info_of(source: object, **arguments: object) -> ModelInfo:
    (info,) = ingot.build(source, "interp", **arguments).models().values()  # type: ignore[arg-type]
    return info


def sha256(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def test_what_a_model_says_of_itself_is_in_its_library() -> None:
    made = said_by(metadata={"names": "{0: 'person'}", "author": "Jane"})
    made.graph.doc_string = "what its graph is"
    library = ingot.build(made, "interp").load()
    expected = Origin(
        ir_version=9,
        opsets=(("", 17), ("ai.onnx.ml", 3)),
        producer_name="pytorch",
        producer_version="2.9",
        domain="org.example",
        model_version=4,
        doc_string="what it is",
        graph_doc_string="what its graph is",
        metadata=(("author", "Jane"), ("names", "{0: 'person'}")),
    )
    assert library.models["g"].origin == library["g"].info.origin == expected


def test_the_opset_is_the_one_of_the_file_not_of_what_it_became() -> None:
    old = parser.parse_model(
        """<ir_version: 3, opset_import: ["" : 6]> g (float[2] x) => (float[2] y) { y = Relu(x) }"""
    )
    origin = info_of(old).origin
    assert origin is not None and origin.opsets == (("", 6),) and origin.ir_version == 3


def test_the_digest_is_that_of_the_file_and_of_its_bytes(tmp_path: Path) -> None:
    content = said_by().SerializeToString()
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    for source in (path, str(path), content, bytearray(content), memoryview(content)):
        assert info_of(source).digests == (("model", sha256(content)),)


def test_an_object_in_memory_has_no_digest() -> None:
    """It is no file: what it would be written as depends on who writes it."""
    made = said_by()
    for source in (made, ir.from_proto(made)):
        info = info_of(source)
        assert info.digests == () and info.origin == origin_of(made)


def external(folder: Path, locations: dict[str, str], weights: tuple[float, ...] = (2.0, 3.0)) -> Path:
    """A model whose weights lie in files beside it, at the location for each."""
    made = parser.parse_model(
        """<ir_version: 9, opset_import: ["" : 17]>
        g (float[2] x) => (float[2] y) <float[2] a, float[2] b> { h = Add(x, a) y = Add(h, b) }"""
    )
    del made.graph.initializer[:]
    folder.mkdir(exist_ok=True)
    for (name, location), weight in zip(locations.items(), weights, strict=True):
        array = np.full(2, weight, np.float32)
        tensor = numpy_helper.from_array(array, name)
        onnx.external_data_helper.set_external_data(tensor, location)
        tensor.ClearField("raw_data")
        made.graph.initializer.append(tensor)
        (folder / location).write_bytes(array.tobytes())
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    return path


@pytest.mark.parametrize("stays", [False, True], ids=["read at once", "read when asked for"])
def test_files_beside_the_model_have_the_digest_of_their_list(
    stays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of what `LC_ALL=C sha256sum a.bin b.bin` prints."""
    if stays:
        monkeypatch.setattr("ingot.graph.read.source.WEIGHT_FROM_BYTES", 8)
    path = external(tmp_path / "m", {"b": "b.bin", "a": "a.bin"})
    listed = "".join(
        f"{sha256((path.parent / name).read_bytes())[7:]}  {name}\n" for name in ("a.bin", "b.bin")
    )
    assert dict(info_of(path).digests) == {
        "model": sha256(path.read_bytes()),
        "external_data": sha256(listed.encode()),
    }


def test_a_changed_byte_beside_the_model_changes_the_digest(tmp_path: Path) -> None:
    first = info_of(external(tmp_path / "first", {"a": "a.bin", "b": "b.bin"}))
    other = info_of(external(tmp_path / "other", {"a": "a.bin", "b": "b.bin"}, weights=(2.0, 3.5)))
    assert first.digests[1] == other.digests[1] and first.digests[0] != other.digests[0]


def test_a_file_that_is_named_in_several_ways_counts_once(tmp_path: Path) -> None:
    once = info_of(external(tmp_path / "once", {"a": "w.bin", "b": "w.bin"}, weights=(2.0, 2.0)))
    twice = info_of(external(tmp_path / "twice", {"a": "w.bin", "b": "./w.bin"}, weights=(2.0, 2.0)))
    assert once.digests[0] == twice.digests[0]


def test_naming_a_file_in_another_way_does_not_let_it_be_read_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingot.graph.read.source.EXTERNAL_TIMES_MAX", 1)
    with pytest.raises(ingot.ModelError, match="more than 1 times"):
        info_of(external(tmp_path / "m", {"a": "w.bin", "b": "./w.bin"}))


def test_neither_folder_nor_file_name_gets_into_a_build(tmp_path: Path) -> None:
    """The same file, elsewhere and under another name, gives the same bytes."""
    first, other = tmp_path / "m.onnx", tmp_path / "elsewhere" / "renamed.onnx"
    first.write_bytes(said_by().SerializeToString())
    other.parent.mkdir()
    shutil.copy(first, other)
    assert ingot.build(first, "c", name="m") == ingot.build(other, "c", name="m")


def test_what_a_model_says_of_itself_changes_no_code() -> None:
    first, other = (ingot.build(one, "c") for one in (said_by(), said_by(metadata={"author": "Jane"})))
    code = [[one for one in built if one.loader in ("native", "params", "text")] for built in (first, other)]
    assert code[0] == code[1] and first != other


def test_long_texts_are_cut() -> None:
    made = said_by()
    made.doc_string = made.producer_name = "x" * (TEXT_MAX + 1)
    made.domain = "y" * TEXT_MAX
    origin = origin_of(made)
    assert origin.doc_string == origin.producer_name == "x" * (TEXT_MAX - 1) + "…"
    assert origin.domain == made.domain


def test_metadata_that_is_too_long_is_left_out_whole_and_counted() -> None:
    made = said_by(
        metadata={"huge": "x" * METADATA_BYTES_MAX, "fits": "ü" * 20_000, "too": "ü" * 20_000, "small": "1"}
    )
    origin = info_of(made).origin
    assert origin is not None
    assert [key for key, _ in origin.metadata] == ["fits", "small"] and origin.left_out == 2


def test_more_entries_and_opsets_than_are_kept_are_counted() -> None:
    made = said_by(metadata={f"key{at}": "" for at in range(PAIRS_MAX + 3)})
    made.opset_import.extend(helper.make_opsetid(f"domain{at:04}", 1) for at in range(PAIRS_MAX))
    made.opset_import.add(domain="d" * (TEXT_MAX + 1), version=1)
    origin = origin_of(made)
    assert len(origin.metadata) == len(origin.opsets) == PAIRS_MAX
    assert origin.opsets[0] == ("", 17) and origin.left_out == 3 + 3


def test_of_what_is_said_twice_the_last_one_counts() -> None:
    made = said_by(metadata={"author": "Jane"})
    made.metadata_props.add(key="author", value="John")
    made.opset_import.add(domain="ai.onnx", version=18)
    origin = origin_of(made)
    assert origin.metadata == (("author", "John"),) and origin.opsets == (("", 18), ("ai.onnx.ml", 3))


def test_text_that_is_not_utf8_is_damage() -> None:
    made = said_by(metadata={"author": "Jane"})
    with pytest.raises(ingot.ModelError, match="not UTF-8"):
        info_of(made.SerializeToString().replace(b"Jane", b"Jan\xff"))


def test_only_the_first_level_of_a_model_says_where_it_comes_from() -> None:
    target = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64,x86-64-v3"
    built = ingot.build(said_by(), target)
    (info,) = built.models().values()
    (level,) = built.select(loader="level")
    assert info.origin is not None and b"origin" not in bytes(level.content)
    assert origin_module.noted_origin(ir.from_proto(said_by())) == (None, ())


@pytest.mark.cc
@pytest.mark.parametrize(("version", "executor"), [(8, "aot"), (7, "aot"), (5, "graph")])
def test_archives_carry_the_origin(version: int, executor: str, tmp_path: Path) -> None:
    built = ingot.build(said_by().SerializeToString(), "c", executor=executor)
    built.export_model_library_format(tmp_path / "m.tar", version, vectors=0)
    (info,) = ingot.load(tmp_path / "m.tar").models.values()
    assert (info.origin, info.digests) == (
        origin_of(said_by()),
        (("model", sha256(said_by().SerializeToString())),),
    )
