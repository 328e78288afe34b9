"""The text form of kernels: print and parse."""

import json
import math
import time

import pytest

from ingot.base.errors import ArtifactError
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Call,
    Cast,
    Const,
    DType,
    Fma,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Prefetch,
    Select,
    Unary,
    Var,
    buffer,
    compare,
    index,
    load,
    store,
)
from ingot.loops.parse import NESTING_MAX, from_text
from ingot.loops.text import body_text, expr_text, to_text
from ingot.loops.transform.rewrite import postorder

F32 = DType.FLOAT32
X, Y = buffer("x", F32, (2, 3), (1, 2)), buffer("y", F32, (2, 3))
SMALL = Const(1, DType.INT8)
ROW, COLUMN = Var("i"), Var("j")


def kernel(*body, **fields):
    return Kernel("k", (X,), (Y,), body, **fields)


def put(value):
    return store(Y, (0, 0), value)


EVERYTHING = kernel(
    For(
        ROW,
        index(2),
        (
            Alloc(buffer("t", DType.INT8, (2, 2), (1, 2))),
            Prefetch(X, (ROW, index(1))),
            Prefetch(X, (index(0), ROW), near=True),
            Prefetch(X, (index(0), ROW), alone=True),
            Prefetch(X, (index(1), ROW), near=True, alone=True),
            Let(Var("b", DType.BOOL), compare("lt", ROW, 1)),
            For(
                COLUMN,
                ROW + 1,
                (
                    If(
                        Unary("not", Var("b", DType.BOOL)),
                        (
                            store(
                                Y, (ROW, COLUMN), Fma(load(X, ROW, COLUMN), Const(0.1, F32), Const(-0.0, F32))
                            ),
                        ),
                        (put(Call("pow", (load(X, ROW, COLUMN), Const(math.inf, F32)))),),
                    ),
                    put(Bitcast(Cast(Binary("shl", ROW, COLUMN), DType.INT32), F32)),
                    put(
                        Select(Var("b", DType.BOOL), Unary("neg", load(X, ROW, COLUMN)), Const(math.nan, F32))
                    ),
                    put(Cast(Binary("xor", Const(-7, DType.INT8), Binary("min", SMALL, SMALL)), F32)),
                ),
            ),
        ),
        LoopKind.PARALLEL,
    ),
    workspaces=(buffer("w", DType.BFLOAT16, ()),),
    in_place=((0, 0),),
    comment='two lines\n"and" ütf',
)


def test_every_kind_of_node_is_read_back():
    text = to_text(EVERYTHING)
    again = from_text(text)
    assert to_text(again) == text
    assert (again.name, again.comment, again.in_place) == (
        EVERYTHING.name,
        EVERYTHING.comment,
        EVERYTHING.in_place,
    )
    assert again.params == EVERYTHING.params


def test_the_body_text_leaves_out_name_and_comment():
    other = Kernel(
        "other", EVERYTHING.inputs, EVERYTHING.outputs, EVERYTHING.body, EVERYTHING.workspaces, ((0, 0),)
    )
    assert body_text(other) == body_text(EVERYTHING)
    assert body_text(kernel(put(1.0))) != body_text(kernel(put(2.0)))


@pytest.mark.parametrize("value", [0.1, -0.0, 1e-45, 3.4028234663852886e38, math.inf, -math.inf, math.nan])
def test_floats_are_read_back_to_the_bit(value):
    again = from_text(to_text(kernel(put(Const(value, F32))))).body[0].value.value
    assert math.isnan(again) if math.isnan(value) else again.hex() == value.hex()


def test_a_shared_node_is_printed_once_and_is_one_object_again():
    shared = load(X, 0, 0) * 2.0
    text = to_text(kernel(put(shared + shared)))
    assert text.count("x[") == 1
    value = from_text(text).body[0].value
    assert value.left is value.right


def test_an_exponential_tree_is_a_short_text():
    value = load(X, 0, 0)
    for _ in range(500):
        value = value + value
    text = to_text(kernel(put(value)))
    assert len(text) < 20_000
    assert len(postorder(from_text(text).body[0].value)) == len(postorder(value))


def test_a_deep_expression_nests_little():
    value = load(X, 0, 0)
    for number in range(3000):
        value = value + float(number)
    text = expr_text(value)
    assert max(map(len, text.splitlines())) < 200
    assert to_text(from_text(to_text(kernel(put(value))))) == to_text(kernel(put(value)))


HEAD = "kernel k {\n in x: f32[2]{1}\n out y: f32[2]{1}\n"
DAMAGED = {
    "": "expected 'kernel'",
    "kernel": "expected a name",
    "kernel k {": "expected a name",
    HEAD + "store z[0] = 1.0:f32 }": "no buffer 'z'",
    HEAD + "store y[i] = 1.0:f32 }": "no variable 'i'",
    HEAD + "store y[$0] = 1.0:f32 }": "names no node",
    HEAD + "$0 = 1\n$0 = 2\nstore y[$0] = 1.0:f32 }": "named a second time",
    HEAD + "store y[0] = 1.0:f99 }": "expected an element type",
    HEAD + "store y[0] = 1.5 }": "no i64",
    HEAD + "store y[0] = foo(1) }": "no function",
    HEAD + "store y[0] = fma(1, 2) }": "expected 3",
    HEAD + "store y[0] = exp() }": "without an operand",
    HEAD + "store y[0] = (1 ? 2) }": "expected a token",
    HEAD + "jump }": "begins no statement",
    HEAD + "} }": "expected the end",
    HEAD + "in x: f32[2]{1} }": "second buffer 'x'",
    "kernel k { in x: f32[2]{} }": "1 dimensions and 0 strides",
    "kernel k { in x: f32[-2]{1} }": "negative or too large",
    'kernel k { "\\x" }': "as JSON writes it",
    HEAD + "store y[0] = " + "(" * 100_000: f"deeper than {NESTING_MAX}",
    HEAD + "store y[0] = " + "neg(" * 100_000: f"deeper than {NESTING_MAX}",
    HEAD + "if true {" * 100_000: f"deeper than {NESTING_MAX}",
    HEAD + "store y[" + "9" * 100_000 + "] = 1.0:f32 }": "no i64",
    HEAD + "store y[0] = " + "9" * 100_000 + ".0:f32 }": "no f32",
}


@pytest.mark.parametrize("text", DAMAGED, ids=lambda text: DAMAGED[text] + f" {len(text)}")
def test_damaged_text_is_refused_with_its_line(text):
    with pytest.raises(ArtifactError, match=r"kernel text, line [0-9]+") as caught:
        from_text(text)
    assert DAMAGED[text] in str(caught.value)


def test_any_prefix_and_any_change_is_a_kernel_or_an_error():
    text = to_text(EVERYTHING)
    for position in range(0, len(text), 3):
        for broken in (
            text[:position],
            text[:position] + "(" + text[position:],
            text[:position] + text[position + 1 :],
        ):
            try:
                from_text(broken)
            except ArtifactError:
                continue


def test_reading_takes_time_in_the_length():
    lets = "".join(f"let v{number}: i64 = {number}\n" for number in range(5_000))
    loops = "for i < 1 { }\n" * 5_000
    began = time.process_time()
    from_text(HEAD + lets + loops + "}")
    assert time.process_time() - began < 5


def test_the_comment_is_one_line_of_json():
    line = to_text(EVERYTHING).splitlines()[1]
    assert json.loads(line) == EVERYTHING.comment
