"""A model's files hold the whole model, also the text, whose weights are places in the other file."""

import numpy as np
import onnx
import onnx.external_data_helper
import onnx.numpy_helper
import onnx.parser
import onnx_ir

from ingot.graph.read.read import read_model
from ingot.graph.write import model_files
from tests.support.paths import DIGITS


def test_the_text_of_a_model_is_the_model(tmp_path):
    files = model_files(read_model(DIGITS, dims={"batch": 1}), "digits")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert set(files) == {"digits.onnx", "digits.onnx.txt"} and len(files["digits.onnx.txt"]) < 10_000
    whole = onnx.load(tmp_path / "digits.onnx")
    parsed = onnx.parser.parse_model(files["digits.onnx.txt"].decode())
    onnx.external_data_helper.load_external_data_for_model(parsed, str(tmp_path))
    onnx.checker.check_model(parsed)
    assert [node.op_type for node in parsed.graph.node] == [node.op_type for node in whole.graph.node]
    for one, two in zip(whole.graph.initializer, parsed.graph.initializer, strict=True):
        np.testing.assert_array_equal(onnx.numpy_helper.to_array(one), onnx.numpy_helper.to_array(two))


def test_weights_that_one_file_cannot_hold_are_left_out(monkeypatch):
    monkeypatch.setattr("ingot.graph.write.MAX_WEIGHTS_BYTES", 1000)
    assert model_files(read_model(DIGITS, dims={"batch": 1}), "digits") == {}


def test_large_weights_are_written_as_protobuf_writes_them(monkeypatch):
    model = read_model(DIGITS, dims={"batch": 1})
    expected = model_files(model, "digits")
    monkeypatch.setattr("ingot.graph.write.LARGE_BYTES", 100)
    assert model_files(model, "digits") == expected
    assert expected["digits.onnx"] == onnx_ir.to_proto(model).SerializeToString(deterministic=True)
