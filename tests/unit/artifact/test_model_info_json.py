import contextlib
import dataclasses
import importlib.resources
import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.artifact.model_info import CallInfo, MemoryInfo, ModelInfo, Origin, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import SCHEMA_FILE_NAME, info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.artifact.values import dense
from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.border.steps import OPERATIONS
from tests.support.tiny_library import tiny_info

INFO = dataclasses.replace(
    tiny_info(),
    digests=(("model", "sha256:" + "0" * 64),),
    origin=Origin(
        9,
        (("", 17), ("ai.onnx.ml", 3)),
        "pytorch",
        "2.9",
        "example",
        -1,
        "what it is",
        "",
        (("author", "Jane"),),
        2,
    ),
)


def schema():
    return json.loads(importlib.resources.files("ingot.artifact").joinpath(SCHEMA_FILE_NAME).read_text())


def changed(path, value):
    """INFO as JSON, with the field at the path changed (or removed, if value is ...)."""
    data = json.loads(info_to_json(INFO))
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(data).encode()


def test_reading_gives_back_what_was_written():
    assert info_from_json(info_to_json(INFO)) == INFO
    assert info_from_json(memoryview(info_to_json(INFO))) == INFO


names = st.text(max_size=8)
shapes = st.lists(st.integers(0, 9), max_size=4).map(tuple)
tensors = st.lists(
    st.builds(TensorInfo, names, st.sampled_from(DType), shapes),
    max_size=3,
    unique_by=lambda tensor: tensor.name,
).map(tuple)


@settings(max_examples=40)
@given(
    inputs=tensors,
    outputs=tensors,
    nodes=st.lists(names, max_size=2).map(tuple),
    flops=st.integers(0, 1 << 60),
    algorithm=st.sampled_from(["", "conv=winograd_f4"]),
)
def test_every_info_survives_the_journey_through_json(inputs, outputs, nodes, flops, algorithm):
    values = tuple(
        dense(f"{region}.{at}", tensor.type.stored, region, at)
        for region, some in (("input", inputs), ("output", outputs))
        for at, tensor in enumerate(some)
    )
    args = tuple(value.name for value in values)
    calls = (CallInfo("k", nodes, flops, 1, 2, args, (), algorithm=algorithm),)
    info = ModelInfo(
        "m", "m", inputs, outputs, (TargetInfo("host", "llvm", "llvm"),), ("graph",), calls, values
    )
    text = info_to_json(info)
    assert info_from_json(text) == info
    assert text.isascii() and text == info_to_json(info_from_json(text))
    jsonschema.validate(json.loads(text), schema())


def test_a_call_of_a_region_keeps_its_name_and_one_of_none_has_no_word_of_it():
    call = dataclasses.replace(INFO.calls[0], region="region0")
    info = dataclasses.replace(INFO, calls=(call, *INFO.calls[1:]))
    assert info_from_json(info_to_json(info)) == info
    assert "region" not in json.loads(info_to_json(INFO))["calls"][0]


def test_a_call_without_an_algorithm_is_read_as_before():
    (call, *_) = json.loads(info_to_json(INFO))["calls"]
    assert "algorithm" not in call
    assert info_from_json(info_to_json(INFO)).calls[0].algorithm == ""


def test_the_published_schema_takes_what_is_written_and_is_itself_good():
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(info_to_json(INFO)), schema())


def test_the_published_schema_has_every_operation_of_the_host():
    assert schema()["$defs"]["step"]["properties"]["op"]["enum"] == sorted(OPERATIONS)


SHAPE_ERRORS = [
    (("name",), "../x", "name"),
    (("symbol",), "1x", "symbol"),
    (("symbol",), "x-y", "symbol"),
    (("executors",), ["vm"], "executors[0]"),
    (("executors",), [], "executors"),
    (("inputs", 0, "dtype"), "float31", "inputs[0].dtype"),
    (("inputs", 0, "shape"), [-1], "inputs[0].shape[0]"),
    (("inputs", 0, "shape"), [True], "inputs[0].shape[0]"),
    (("inputs", 0, "shape"), "4", "inputs[0].shape"),
    (("inputs", 0, "more"), 1, "inputs[0].more"),
    (("inputs", 0, "name"), ..., "inputs[0].name"),
    (("targets",), [], "targets"),
    (("targets", 0, "cpu_features"), ["avx2", "\n"], "targets[0].cpu_features[1]"),
    (("targets", 0, "memory", "arena_bytes"), -1, "targets[0].memory.arena_bytes"),
    (("targets", 0, "memory", "arena_bytes"), 1 << 60, "targets[0].memory.arena_bytes"),
    (("targets", 0, "memory"), None, "targets[0].memory"),
    (("values", 2, "region"), "stack", "values[2].region"),
    (("calls", 0, "nodes"), [1], "calls[0].nodes[0]"),
    (("calls", 0, "algorithm"), 1, "calls[0].algorithm"),
    (("calls", 0, "region"), "a-b", "calls[0].region"),
    (("calls", 0, "region"), "", "calls[0].region"),
    (("digests",), {"model": "md5:00"}, "digests.model"),
    (("schema_version",), 0, "schema_version"),
    (("origin",), None, "origin"),
    (("origin", "ir_version"), 9.5, "origin.ir_version"),
    (("origin", "model_version"), 1 << 63, "origin.model_version"),
    (("origin", "opsets"), [], "origin.opsets"),
    (("origin", "opsets", ""), "17", "origin.opsets."),
    (("origin", "opsets", "x" * 65537), 1, "origin.opsets"),
    (("origin", "metadata", "author"), 1, "origin.metadata.author"),
    (("origin", "metadata", "x" * 65537), "", "origin.metadata"),
    (("origin", "doc_string"), "x" * 65537, "origin.doc_string"),
    (("origin", "producer_name"), ..., "origin.producer_name"),
    (("origin", "left_out"), -1, "origin.left_out"),
    (("origin", "path"), "m.onnx", "origin.path"),
]


@pytest.mark.parametrize(("path", "value", "field"), SHAPE_ERRORS)
def test_a_wrong_field_is_named_by_its_path_and_the_schema_agrees(path, value, field):
    content = changed(path, value)
    with pytest.raises(ArtifactError) as caught:
        info_from_json(content)
    assert caught.value.facts["field"] == field
    assert field in str(caught.value)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(content), schema())


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("inputs", 0, "shape"), [4.0], "inputs[0].shape[0]"),  # to JSON Schema 4.0 is an integer
        (("inputs", 0, "shape"), [1 << 40, 1 << 40], "inputs[0].shape"),
        (("targets", 0, "key"), "accel", "targets"),
        (("targets", 0, "memory", "alignment_bytes"), 48, "targets[0].memory.alignment_bytes"),
        (("targets", 0, "params"), "", "targets[0].params"),
        (("values", 2, "offset_bytes"), 1, "values[2].offset_bytes"),  # one byte past the arena
        (("values", 1, "offset_bytes"), 16, "values[1].offset_bytes"),  # past the constants
        (("values", 2, "strides"), [2], "values[2].offset_bytes"),
        (("values", 2, "strides"), [-1], "values[2].offset_bytes"),  # before the arena
        (("values", 2, "strides"), [], "values[2].strides"),
        (("values", 4, "number"), 2, "values[4].number"),
        (("values", 2, "number"), 1, "values[2].number"),
        (("values", 2, "target_key"), "accel", "values[2].target_key"),
        (("values", 2, "name"), "x", "values"),
        (("calls", 0, "args"), ["nobody"], "calls[0].args[0]"),
        (("calls", 0, "outputs"), ["y"], "calls[0].outputs[0]"),
    ],
)
def test_what_a_schema_cannot_say_is_checked_too(path, value, field):
    with pytest.raises(ArtifactError) as caught:
        info_from_json(changed(path, value))
    assert caught.value.facts["field"] == field


def test_info_without_an_origin_is_read_as_before():
    old = dataclasses.replace(INFO, digests=(), origin=None)
    assert b"origin" not in info_to_json(old)
    assert info_from_json(info_to_json(old)) == old


def test_a_newer_schema_says_to_update():
    with pytest.raises(ArtifactError, match="update ingot"):
        info_from_json(changed(("schema_version",), 2))


NO_INFO = [
    b"",
    b"\xff",
    b"null",
    b"[]",
    b"1",
    b'{"a":1,"a":1}',
    b"[" * 100_000,
    b'{"x":NaN}',
    b"9" * 10_000,
    b"{}{}",
]


@pytest.mark.parametrize("content", [*NO_INFO, '{"ä":1}'.encode()])
def test_bytes_that_are_no_info_raise_artifact_errors_only(content):
    with pytest.raises(ArtifactError):
        info_from_json(content)


@settings(max_examples=200)
@given(at=st.integers(0, len(info_to_json(INFO)) - 1), byte=st.integers(0, 255))
def test_a_changed_byte_is_another_info_or_an_artifact_error(at, byte):
    content = bytearray(info_to_json(INFO))
    content[at] = byte
    with contextlib.suppress(ArtifactError):
        info_from_json(bytes(content))


def test_info_that_could_not_be_read_back_is_not_written():
    with pytest.raises(ArtifactError):
        info_to_json(dataclasses.replace(INFO, symbol="not an identifier"))
    target = dataclasses.replace(INFO.host, memory=MemoryInfo())
    with pytest.raises(ArtifactError, match="values"):
        info_to_json(dataclasses.replace(INFO, targets=(target,)))
