"""The border of a model as JSON: what is written is read again, and what is wrong is named."""

import copy
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import ingot.artifact
from ingot.artifact.border_read import read_border
from ingot.artifact.model_info import DimInfo, ModelInfo, ProgramInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import SCHEMA_FILE_NAME, info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.border.data import elements_of
from ingot.border.program import TEXT, Border, Elements, Port, Product, Step
from ingot.border.sizes import border_at

TABLE = Step(
    "table",
    ("t",),
    ("codes",),
    (
        ("default", Elements("int64", (), (-1,))),
        ("keys", Elements(TEXT, (2,), ("a", "é\U0001f600"))),
        ("values", Elements("int64", (2,), (0, 1))),
    ),
)
SPECIAL = Step(
    "constant", (), ("c",), (("value", elements_of(np.array([np.inf, -np.inf, np.nan, 0.1], np.float32))),)
)
WRITE = Step("write", ("y",), ("words",), (("dtype", "float32"),))
BORDER = Border(
    (
        Port("t", "text", None, (3,)),
        Port("s", "sequence", None, (), (Port("s[0]", "tensor", DType.FLOAT32, (2,)),)),
    ),
    (
        Port("m", "maps", None, (), (Port("y", "tensor", DType.FLOAT32, (1, 2)),), (7, "b")),
        Port("words", "text", None, (1, -1)),
        Port("o", "optional"),
    ),
    (TABLE, SPECIAL),
    (WRITE,),
)
INFO = ModelInfo(
    "m",
    "m",
    (TensorInfo("codes", DType.INT64, (3,)), TensorInfo("s[0]", DType.FLOAT32, (2,))),
    (TensorInfo("y", DType.FLOAT32, (1, 2)),),
    (TargetInfo("host", "c", "c"),),
    ("aot",),
    border=BORDER,
)


def schema():
    return json.loads((Path(ingot.artifact.__file__).parent / SCHEMA_FILE_NAME).read_text())


def test_what_is_written_is_read_again_and_fits_the_schema():
    content = info_to_json(INFO)
    assert content.isascii()
    found = info_from_json(content)
    # NaN is not itself.
    np.testing.assert_array_equal(found.border.front[1]["value"].array(), SPECIAL["value"].array())
    assert (found.border.inputs, found.border.outputs, found.border.front[0]) == (
        BORDER.inputs,
        BORDER.outputs,
        TABLE,
    )
    jsonschema.validate(json.loads(content), schema())


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("inputs", 0, "kind"), "texts", r"border.inputs\[0\].kind must be one of tensor"),
        (("inputs", 0, "shape"), [-2], r"border.inputs\[0\].shape\[0\]"),
        (("inputs", 0, "labels"), [], "labels is unknown"),
        (("inputs", 1, "parts", 0, "name"), "t", "same name twice"),
        (("outputs", 0, "labels"), [1], "a column for each label"),
        (("outputs", 0, "labels"), [1, 1 << 64], r"labels\[1\]"),
        (("outputs", 1, "name"), "gone", "the text 'gone', which nothing makes"),
        (("outputs", 0, "parts", 0, "shape"), [2, 2], "another shape than the compiled part"),
        (("front", 0, "op"), "exec", r"border.front\[0\].op must be one of"),
        (("front", 0, "inputs"), ["gone"], "'gone', which nothing makes before it"),
        (("front", 0, "inputs"), ["s[0]"], "reads float32, and its keys are text"),
        (("front", 0, "inputs"), [], "has 0 names, expected 1"),
        (("front", 0, "outputs"), ["codes", "more"], "has 2 names, expected 1"),
        (
            ("front", 0, "outputs"),
            ["other"],
            "makes no int64 'codes', which is an input of the compiled part",
        ),
        (("front", 0, "attributes", "keys", "values"), ["a"], "has 1 elements for the shape"),
        (("front", 0, "attributes", "keys", "values"), ["a", "\ud800"], "half of a character"),
        (("front", 0, "attributes", "values", "values"), [0, 1 << 63], r"values.values\[1\]"),
        (("front", 0, "attributes", "values", "shape"), [2, 1], "expected two equal lists"),
        (("front", 0, "attributes", "default", "dtype"), "complex64", "dtype must be one of"),
        (("front", 0, "attributes", "more"), 1, "more is unknown"),
        (("front", 1, "attributes", "value", "values"), [1, 2, 3, 4], "must be a number with a point"),
        (("front", 1, "attributes", "value", "shape"), [1 << 29], "must be within"),
        (("back", 0, "attributes", "dtype"), "int8", "reads float32, and its attribute says int8"),
        (("front", 1, "outputs"), ["t"], "makes 't', which is there already"),
        (
            ("back", 0),
            {"op": "match", "inputs": ["t"], "outputs": ["z"], "attributes": {"pattern": "("}},
            r"\(match\) a '\('",
        ),
        (
            ("back", 0),
            {"op": "read", "inputs": ["t"], "outputs": ["words"], "attributes": {"dtype": "bool"}},
            "not read as bool",
        ),
        (
            ("back", 0),
            {"op": "join", "inputs": ["t", "y"], "outputs": ["words"], "attributes": {}},
            "expected text",
        ),
        (
            ("back", 0),
            {"op": "reshape", "inputs": ["t"], "outputs": ["z"], "attributes": {"shape": [-1, -1]}},
            "more than",
        ),
        (
            ("back", 0),
            {"op": "expand", "inputs": ["t"], "outputs": ["words"], "attributes": {"shape": [1 << 28, 9]}},
            "elements",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_field(path, value, why):
    data = copy.deepcopy(json.loads(info_to_json(INFO)))
    place = data["border"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ArtifactError, match=why):
        info_from_json(json.dumps(data).encode())


def test_ports_in_ports_are_bounded():
    port = Port("x", "optional")
    for _ in range(6):
        port = Port("x", "optional", None, (), (port,))
    with pytest.raises(ArtifactError, match="nested more than 4 deep"):
        info_to_json(ModelInfo("m", "m", (), (), INFO.targets, ("aot",), border=Border((), (port,))))


ROWS = DimInfo("N", 1, 64, 1, (), (("codes", 0),), (("y", 0, 1),))
MANY = Product(1, (ROWS,))
RESHAPE = Step("reshape", ("t",), ("long",), (("shape", (2,)),), (("shape", (Product(2, (ROWS,)),)),))
VARYING = ModelInfo(
    "m",
    "m",
    (TensorInfo("codes", DType.INT64, (1, 2), (ROWS, 2)),),
    (TensorInfo("y", DType.FLOAT32, (1, 2), (ROWS, 2)),),
    INFO.targets,
    ("aot",),
    border=Border(
        (Port("t", "text", None, (1, 2), extents=(MANY, 2)),),
        (
            Port(
                "m",
                "maps",
                None,
                (),
                (Port("y", "tensor", DType.FLOAT32, (1, 2), extents=(MANY, 2)),),
                (7, "b"),
            ),
            Port("long", "text", None, (2,), extents=(Product(2, (ROWS,)),)),
        ),
        (TABLE, RESHAPE),
    ),
    dims=(ROWS,),
    programs=(ProgramInfo("m", (1,), 5), ProgramInfo("m_program1", (8,), 9)),
)


def test_numbers_that_vary_are_read_as_they_were_written_and_fit_the_schema():
    content = info_to_json(VARYING)
    assert info_from_json(content) == VARYING
    jsonschema.validate(json.loads(content), schema())
    border = border_at(VARYING.border, {"N": 5})
    assert [port.shape for port in border.inputs] == [(5, 2)]
    assert [leaf.shape for port in border.outputs for leaf in port.leaves()] == [(5, 2), (10,)]
    assert border.front == (TABLE, Step("reshape", ("t",), ("long",), (("shape", (10,)),)))


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("inputs", 0, "shape", 0), [0, "N"], r"border.inputs\[0\].shape\[0\] must be an integer"),
        (("inputs", 0, "shape", 0), [1, "M"], r"border.inputs\[0\].shape\[0\] must be an integer"),
        (("inputs", 0, "shape", 0), [True, "N"], r"border.inputs\[0\].shape\[0\] must be an integer"),
        (("inputs", 0, "shape", 0), [], r"border.inputs\[0\].shape\[0\] must be an integer"),
        (("inputs", 0, "shape", 0), [1 << 40, "N"], r"border.inputs\[0\].shape\[0\] must be within"),
        (("inputs", 0, "shape", 0), 1, "border.inputs has no extent that is 'N'"),
        (("inputs", 0, "shape"), 7, r"border.inputs\[0\].shape must be an array"),
        (("outputs", 0, "parts", 0, "shape", 0), [2, "N"], "another shape than the compiled part"),
        (("front", 1, "attributes", "shape", 0), [1, 2], r"border.front\[1\].attributes.shape\[0\]"),
        (("front", 1, "attributes"), [], r"border.front\[1\].attributes"),
        (("front",), {}, "border.front"),
    ],
)
def test_a_number_that_varies_wrongly_is_named_by_its_field(path, value, why):
    data = copy.deepcopy(json.loads(info_to_json(VARYING)))
    place = data["border"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ArtifactError, match=why):
        info_from_json(json.dumps(data).encode())


def test_extents_of_no_kernel_have_one_program():
    data = json.loads(info_to_json(VARYING))
    data["dims"]["symbols"][0] |= {"inputs": [], "outputs": []}
    with pytest.raises(ArtifactError, match="must be one number: no kernel asks for 'N'"):
        info_from_json(json.dumps(data).encode())


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("counted", [("n", "int64", []), ("a", "float32", [2])]),
        ("maybe", [("n", "bool", []), ("a", "float32", [2])]),
        ("sized", [("a", "float32", [2]), ("n", "int64", [1])]),
    ],
)
def test_what_says_what_there_is_has_its_place_and_type(kind, parts):
    def port(given):
        fields = [
            {"name": name, "kind": "tensor", "dtype": dtype, "shape": shape} for name, dtype, shape in given
        ]
        return {
            "inputs": [],
            "outputs": [{"name": "y", "kind": kind, "parts": fields}],
            "front": [],
            "back": [],
        }

    outputs = tuple(TensorInfo(name, DType(dtype), tuple(shape)) for name, dtype, shape in parts)
    border = read_border(port(parts), (), outputs)
    assert border.outputs[0].kind == kind
    for wrong in (parts[::-1], parts[:0], [(name, "int32", shape) for name, _, shape in parts]):
        with pytest.raises(ArtifactError, match="has no part that says what there is"):
            read_border(port(wrong), (), outputs)
