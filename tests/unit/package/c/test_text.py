"""The border of a model in C: what it is refused for, and its tables. What compiled code does is in tests/system."""

import numpy as np
import pytest

import ingot
from ingot.artifact.model_info import MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.base.tensor import DType
from ingot.border.data import elements_of
from ingot.border.program import OPEN, TEXT, Border, Elements, Port, Step
from ingot.border.steps import OPERATIONS
from ingot.package.c.text import _REFUSED, _STEPS, c_text, why_no_text, workspace_of
from ingot.package.c.text_source import definitions
from tests.support.models import model


def info(*front: Step, shape=(2,), outputs=("y",), border=True) -> ModelInfo:
    """A model whose input is text of that shape and whose outputs are what the steps make; nothing is compiled."""
    ports = tuple(Port(name, "text", None, (OPEN,)) for name in outputs)
    ends = Border((Port("x", "text", None, shape),), ports, front)
    return ModelInfo("m", "m", (), (), (TargetInfo("host", "c", "c"),), border=ends if border else None)


def table(keys, values, default, name="y", source="x") -> Step:
    return Step("table", (source,), (name,), (("default", default), ("keys", keys), ("values", values)))


def texts(*values: str) -> Elements:
    return Elements(TEXT, (len(values),), values)


def one(value) -> Elements:
    return Elements(TEXT, (), (value,)) if isinstance(value, str) else elements_of(np.array(value))


def test_a_model_of_tensors_needs_nothing():
    assert c_text(info(border=False)) is None and not why_no_text(info(border=False))
    ends = Border((Port("x", "sequence", None, (), (Port("x[0]", "tensor", DType.FLOAT32, (2,)),)),), ())
    assert (
        c_text(ModelInfo("m", "m", (TensorInfo("x[0]", DType.FLOAT32, (2,)),), (), (), border=ends)) is None
    )


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (
            Step("join", ("x", "x"), ("y",)),
            "the step 'join' (StringConcat) that makes 'y': it makes new text",
        ),
        (
            Step("match", ("x",), ("y",), (("pattern", "a"),)),
            "'match' (RegexFullMatch) that makes 'y': there is no matcher",
        ),
        (
            Step("split", ("x",), ("y", "n"), (("delimiter", ""), ("maxsplit", -1))),
            "(StringSplit) that makes 'y', 'n'",
        ),
        (Step("write", ("x",), ("y",), (("dtype", "int64"),)), "'write' (Cast to text)"),
        (Step("read", ("x",), ("y",), (("dtype", "int64"),)), "'read' (Cast from text)"),
        (Step("normalize", ("x",), ("y",), (("case", "LOWER"),)), "'normalize' (StringNormalizer)"),
        (
            Step("constant", (), ("y",), (("value", texts("a\0b")),)),
            "'constant' that makes 'y': it gives the text 'a\\x00b'",
        ),
        (table(texts("a"), texts("\ud800"), one("")), "'table' that makes 'y': it gives the text '\\ud800'"),
        (table(texts("a"), texts("b"), one("\0")), "it gives the text '\\x00'"),
        (
            Step("reshape", ("x",), ("y",), (("shape", (3,)),)),
            "'reshape' that makes 'y': of the shape [2]: cannot reshape",
        ),
        (Step("take", ("x", "x"), ("y",), (("axis", 1),)), "it takes along axis 1 of 1 dimensions"),
        (Step("concat", ("x", "x"), ("y",), (("axis", 1),)), "it joins shapes that do not fit: [2], [2]"),
    ],
)
def test_what_c_cannot_do_is_refused_with_the_step_and_the_operator(step, why):
    assert why in why_no_text(info(step))


def test_no_memory_is_taken_for_what_a_file_says_is_huge():
    numbers = Port("x", "tensor", DType.INT64, (1 << 40,))
    ends = Border((numbers,), (numbers,), (Step("reshape", ("x",), ("y",), (("shape", (-1, 1)),)),))
    assert "the step 'reshape' that makes 'y': it reads more than" in why_no_text(
        ModelInfo("m", "m", (), (), (), border=ends)
    )


def test_text_of_open_extents_is_refused_by_its_name():
    assert "the text 'x' of the shape [-1]" in why_no_text(info(Step("same", ("x",), ("y",)), shape=(OPEN,)))


def test_what_steps_make_is_as_large_as_it_is_declared():
    step = table(texts("a"), elements_of(np.arange(1)), one(-1), "n")
    text = Port("x", "text", None, (2,))
    kernels = ModelInfo(
        "m", "m", (TensorInfo("n", DType.INT64, (3,)),), (), (), border=Border((text,), (), (step,))
    )
    assert "they make 'n' of the shape [2], expected [3]" in why_no_text(kernels)
    ends = Border((text,), (Port("n", "tensor", DType.INT64, (1,)),), (step,))
    assert "they make 'n' of the shape [2], expected [1]" in why_no_text(
        ModelInfo("m", "m", (), (), (), border=ends)
    )


def test_a_key_that_no_c_program_can_give_is_left_out():
    made = c_text(info(table(texts("b\0", "b", "\ud800", "a"), elements_of(np.arange(4)), one(-1))))
    lines = "\n".join(definitions(made))
    assert '"b\\000"' in lines and '"a\\000"' in lines and lines.count("\\000") == 2
    assert "UINT64_C(0x3), UINT64_C(0x1), UINT64_C(0xffffffffffffffff)" in lines and "2u, 0, 0, 8}" in lines


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_real_keys_have_one_pattern_for_zeros_and_one_for_nan(dtype):
    keys = elements_of(np.array([-0.0, 0.0, -np.nan, np.inf, np.nan], dtype))
    codes = Step("constant", (), ("k",), (("value", keys),))
    lines = "\n".join(definitions(c_text(info(codes, table(keys, texts(*"abcde"), one("f"), source="k")))))
    infinity = {"float16": 0x7C00, "float32": 0x7F800000, "float64": 0x7FF << 52}[dtype]
    assert f"UINT64_C(0x0), UINT64_C(0x{infinity:x}), UINT64_C(0x{infinity + 1:x}),\n" in lines


def test_memory_for_text_lies_behind_the_largest_arena():
    made = c_text(
        info(table(texts("a"), elements_of(np.arange(1)), one(-1), "n"), Step("same", ("x",), ("y",)))
    )
    memories = [MemoryInfo(arena_bytes=13, alignment_bytes=4), MemoryInfo(arena_bytes=5, alignment_bytes=16)]
    assert made.work_bytes == 16 and made.work(13) == "(char *)workspace + 16"
    assert workspace_of(memories, made) == (32, 16) and workspace_of(memories, None) == (13, 16)


def test_a_refused_model_says_so_in_python_too():
    proto = model(
        "g (string[2] x, float[2] f) => (string[2] y, float[2] z) { y = StringConcat(x, x) z = Neg(f) }",
        opset=20,
    )
    artifacts = ingot.build(proto, "c", name="m", cache=None)
    with pytest.raises(
        ingot.ArtifactError, match=r"'m' has no C interface: C cannot do the step 'join' \(StringConcat\)"
    ):
        artifacts.c_header()


def test_every_step_of_the_host_is_done_in_c_or_refused_with_a_reason():
    assert not _STEPS.keys() & _REFUSED.keys()
    assert _STEPS.keys() | _REFUSED.keys() == OPERATIONS.keys()
