"""Each rule of the loop IR, broken once."""

import pytest

from ingot.base.errors import InternalError
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
    Load,
    LoopKind,
    Prefetch,
    Select,
    Store,
    Unary,
    Var,
    buffer,
    compare,
    index,
    load,
    select,
    store,
)
from ingot.loops.verify import verify

F32, I64, I32, BOOL = DType.FLOAT32, DType.INT64, DType.INT32, DType.BOOL
X, Y = buffer("x", F32, (2, 3)), buffer("y", F32, (2, 3))
W = buffer("w", F32, (4,))
ROW, COLUMN, N = Var("i"), Var("j"), Var("n")
ONE, TRUE = Const(1.0, F32), Const(True, BOOL)
FLAG = Var("flag", BOOL)


def kernel(*body, inputs=(X,), outputs=(Y,), workspaces=(W,), name="k", in_place=()):
    return Kernel(name, inputs, outputs, body, workspaces, in_place)


def put(value):
    return store(Y, (0, 0), value)


def loop(*body, kind=LoopKind.SERIAL, var=ROW, extent=2):
    return For(var, index(extent), body, kind)


def test_a_kernel_that_keeps_the_rules_passes():
    verify(
        kernel(
            loop(
                Alloc(buffer("t", F32, ())),
                loop(
                    Let(N, ROW + COLUMN),
                    Store(Y, (ROW, COLUMN), load(X, ROW, COLUMN) * 2.0),
                    var=COLUMN,
                    extent=3,
                    kind=LoopKind.VECTOR,
                ),
                kind=LoopKind.PARALLEL,
            ),
            loop(put(1.0)),  # a name may be bound again where it is bound no longer
            loop(
                loop(put(Cast(ROW, F32)), kind=LoopKind.PARALLEL, var=COLUMN)
            ),  # shared out work sees which step it is
        ),
    )


BROKEN = {
    "which is no identifier": kernel(name="a b"),
    "two parameters are called 'x'": kernel(inputs=(X, X)),
    "names no input and output": kernel(in_place=((0, 1),)),
    "negative extent or stride": kernel(inputs=(buffer("x", F32, (2,), (-1,)),)),
    "2 dimensions and 1 strides": kernel(inputs=(buffer("x", F32, (2, 2), (1,)),)),
    "'n' (i64) is used where it is not bound": kernel(put(Cast(N, F32))),
    "variable 'i' (f32) is used where it is not bound": kernel(loop(put(Var("i", F32)))),
    "'i', which is bound already": kernel(loop(loop(put(1.0)))),
    "'x', which is bound already": kernel(Let(Var("x", F32), ONE)),
    "is i64, its value f32": kernel(Let(N, ONE)),
    "variable of a loop is i32": kernel(loop(var=Var("i", I32))),
    "extent of a loop is f32": kernel(For(ROW, ONE, ())),
    "kind vector must be a constant": kernel(loop(For(COLUMN, ROW, (), LoopKind.VECTOR))),
    "kind unrolled must be a constant": kernel(loop(For(COLUMN, ROW, (), LoopKind.UNROLLED))),
    "has the extent -1": kernel(loop(extent=-1)),
    "a vector loop is inside a vector loop": kernel(
        loop(loop(loop(kind=LoopKind.VECTOR, var=N), var=COLUMN), kind=LoopKind.VECTOR)
    ),
    "parallel loop must be outermost in its kernel, or in serial": kernel(
        loop(loop(loop(kind=LoopKind.PARALLEL, var=N), kind=LoopKind.UNROLLED, var=COLUMN))
    ),
    "a parallel loop must be outermost in its kernel, or": kernel(
        loop(loop(kind=LoopKind.PARALLEL, var=COLUMN), kind=LoopKind.PARALLEL)
    ),
    "'n' (i64) is used where it is not bound ": kernel(
        Let(N, index(1)), loop(put(Cast(N, F32)), kind=LoopKind.PARALLEL)
    ),
    "'n' (i64) is used where it is not bound  ": kernel(
        loop(Let(N, ROW), loop(put(Cast(N, F32)), kind=LoopKind.PARALLEL, var=COLUMN))
    ),
    "condition of an if is f32": kernel(If(ONE, ())),
    "input 'x' is written": kernel(store(X, (0, 0), 1.0)),
    "is written and is not in scope": kernel(store(buffer("z", F32, ()), (), 1.0)),
    "is read and is not in scope": kernel(put(load(buffer("x", F32, (3, 2)), 0, 0))),
    "is prefetched and is not in scope": kernel(Prefetch(buffer("z", F32, (1,)), (index(0),))),
    "'w' has 1 dimensions, its index has 2": kernel(Prefetch(W, (index(0), index(0)))),
    "a i64 is stored to 'y', which is f32": kernel(put(index(1))),
    "2 dimensions, its index has 1": kernel(put(load(X, 0))),
    "an index of buffer 'x' is f32": kernel(put(Load(X, (ONE, ONE)))),
    "constant 300 is no u8": kernel(put(Cast(Const(300, DType.UINT8), F32))),
    "constant 0.5 is no i64": kernel(put(Cast(Const(0.5, I64), F32))),
    "add does not take operands of the types f32, i64": kernel(put(Binary("add", ONE, index(1)))),
    "mul does not take operands of the types bool, bool": kernel(put(Cast(Binary("mul", TRUE, TRUE), F32))),
    "and does not take operands of the types f32, f32": kernel(put(Binary("and", ONE, ONE))),
    "shl does not take operands of the types bool": kernel(put(Cast(Binary("shl", TRUE, TRUE), F32))),
    "'plus' is no binary operation": kernel(put(Binary("plus", ONE, ONE))),
    "lt does not take operands": kernel(put(Cast(Binary("lt", ONE, index(1)), F32))),
    "neg does not take operands of the types bool": kernel(put(Cast(Unary("neg", TRUE), F32))),
    "not does not take operands of the types f32": kernel(put(Unary("not", ONE))),
    "fma does not take operands": kernel(put(Fma(index(1), index(1), ONE))),
    "select does not take operands of the types f32": kernel(put(Select(ONE, ONE, ONE))),
    "select does not take operands of the types bool, f32, i64": kernel(put(Select(TRUE, ONE, index(1)))),
    "bitcast to f32 does not take operands": kernel(put(Bitcast(index(1), F32))),
    "'gamma' is no function": kernel(put(Call("gamma", (ONE,)))),
    "exp does not take operands of the types f32, f32": kernel(put(Call("exp", (ONE, ONE)))),
    "pow does not take operands of the types f32": kernel(put(Call("pow", (ONE,)))),
    "sqrt does not take operands of the types i64": kernel(put(Cast(Call("sqrt", (index(1),)), F32))),
    "bytes of locals alive together": kernel(Alloc(buffer("t", F32, (5000,)))),
    "which is 3 to 3, outside 0 to 2": kernel(put(load(X, 0, 3))),
    "which is 0 to 3, outside 0 to 2": kernel(loop(put(load(X, 0, ROW)), extent=4)),
    "which is -1 to 0, outside 0 to 1": kernel(loop(store(Y, (ROW - 1, 0), 1.0))),
    "which is 5 to 6, outside 0 to 2": kernel(
        loop(put(select(compare("gt", ROW, 0), load(X, 0, ROW + 5), 0.0)), extent=2)
    ),
}


@pytest.mark.parametrize("message", BROKEN)
def test_a_broken_rule_is_named_with_its_statement(message):
    if message.startswith("which is 5 to 6"):
        message = "which is 6 to 6, outside 0 to 2"
        broken = BROKEN["which is 5 to 6, outside 0 to 2"]
    else:
        broken = BROKEN[message]
    with pytest.raises(InternalError) as caught:
        verify(broken)
    assert message.strip() in str(caught.value)
    if broken.body:
        (note,) = caught.value.__notes__
        assert note.startswith("in: ")


def test_the_work_of_each_step_may_be_shared_out():
    part = loop(store(Y, (COLUMN, 0), load(W, 0)), kind=LoopKind.PARALLEL, var=COLUMN)
    verify(kernel(loop(store(W, (0,), Cast(ROW, F32)), loop(part, var=N), part)))


def test_a_load_that_only_a_condition_allows_is_no_error():
    padded = select(compare("lt", ROW, 3), load(X, 0, ROW), 0.0)
    verify(
        kernel(
            loop(put(padded), extent=8), loop(If(compare("lt", ROW, 2), (store(Y, (ROW, 0), 1.0),)), extent=8)
        )
    )


def test_conditions_that_never_hold_together_allow_everything():
    place = ROW * 2 + COLUMN * 2 - 1  # odd: never 0, the only row
    row = buffer("row", F32, (1,))
    held = Binary("and", compare("ge", place, 0), compare("lt", place, 1))
    nest = loop(
        loop(put(select(held, load(row, place), 0.0)), If(held, (put(load(row, place)),)), var=COLUMN)
    )
    verify(kernel(nest, inputs=(row,)))


def test_statements_that_never_run_may_be_out_of_bounds():
    verify(kernel(loop(put(load(X, 9, 9)), extent=0), loop(If(compare("gt", ROW, 5), (put(load(X, 9, 9)),)))))


def test_the_time_is_that_of_the_graph_and_not_of_its_tree():
    value = load(X, 0, 0)
    where = index(0)
    for _ in range(500):
        value = Select(compare("lt", Cast(value, I64), 0), value + value, value * value)
        where = Binary("min", where + where, index(1))
    verify(kernel(put(value), put(load(X, where, where))))
