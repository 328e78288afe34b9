"""Groups of work items: the rules, the text form, what it means, and where items must wait for one another."""

import numpy as np
import pytest

from ingot.base.errors import InternalError
from ingot.loops.analyse.grid import Fence, fences, grid_of, own_as_locals
from ingot.loops.interpret import run
from ingot.loops.nodes import (
    Alloc,
    Cast,
    Const,
    DType,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Space,
    Var,
    buffer,
    compare,
    index,
    load,
    store,
)
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.loops.transform.rewrite import statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.verify import verify

F32 = DType.FLOAT32
X, Y = buffer("x", F32, (2, 4)), buffer("y", F32, (2, 4))
TILE = buffer("tile", F32, (4,))
OWN = buffer("own", F32, (4, 2))
GROUP, ITEM, STEP, N = Var("g"), Var("i"), Var("k"), Var("n")


def kernel(*body, in_place=()):
    return Kernel("k", (X,), (Y,), body, (), in_place)


def group(*body, var=GROUP, extent=2):
    return For(var, index(extent), body, LoopKind.GROUP)


def items(*body, var=ITEM, extent=4):
    return For(var, index(extent), body, LoopKind.ITEM)


def serial(*body, extent=2, kind=LoopKind.SERIAL):
    return For(STEP, index(extent), body, kind)


FILL = items(store(TILE, (ITEM,), load(X, GROUP, ITEM)))
TURN = items(store(Y, (GROUP, ITEM), load(TILE, index(3) - ITEM)))
SHARED = Alloc(TILE, Space.SHARED)
REGISTERS = Alloc(OWN, Space.PER_ITEM)
CLEAR = items(store(OWN, (ITEM, 0), 0.0))
ADD = items(store(OWN, (ITEM, 0), load(OWN, ITEM, 0) + load(TILE, ITEM) * load(TILE, index(3) - ITEM)))
WRITE = items(store(Y, (GROUP, ITEM), load(OWN, ITEM, 0)))
PRODUCT = kernel(group(SHARED, REGISTERS, CLEAR, serial(FILL, ADD), WRITE))


def test_items_come_after_all_items_of_the_loop_before():
    x = np.arange(8, dtype=np.float32)
    y = np.zeros(8, np.float32)
    run(kernel(group(SHARED, FILL, TURN)), {"x": x, "y": y})
    np.testing.assert_array_equal(y.reshape(2, 4), x.reshape(2, 4)[:, ::-1])


def test_what_belongs_to_an_item_outlives_its_loop():
    x = np.arange(8, dtype=np.float32)
    y = np.zeros(8, np.float32)
    run(PRODUCT, {"x": x, "y": y})
    rows = x.reshape(2, 4)
    np.testing.assert_array_equal(y.reshape(2, 4), 2 * rows * rows[:, ::-1])


def test_grid_loops_and_their_memory_are_read_back():
    text = to_text(PRODUCT)
    assert to_text(from_text(text)) == text
    assert all(
        word in text
        for word in ("group g < 2 {", "item i < 4 {", "shared tile: f32[4]{1}", "per_item own: f32[4, 2]")
    )


def test_simplifying_keeps_the_rules():
    verify(simplify_kernel(PRODUCT))
    assert to_text(simplify_kernel(PRODUCT)) == to_text(PRODUCT)


BROKEN = {
    "extent of a group loop must be a constant": kernel(Let(N, index(1)), For(GROUP, N, (), LoopKind.GROUP)),
    "a group loop has the extent 0": kernel(group(extent=0)),
    "a group loop has the extent 2147483648": kernel(group(extent=2**31)),
    "a group loop has the extent 70000": kernel(group(group(var=N), extent=70000)),
    "must be outermost in its kernel, or alone": kernel(group(Let(N, index(0)), group(var=STEP))),
    "must be outermost in its kernel, or alone ": kernel(serial(group())),
    "must be outermost in its kernel, or alone  ": kernel(If(Const(True, DType.BOOL), (group(),))),
    "4 group loops are nested": kernel(group(group(group(group(var=Var("d")), var=Var("c")), var=Var("b")))),
    "a group loop is inside a parallel loop": kernel(serial(group(), kind=LoopKind.PARALLEL)),
    "an item loop is inside a vector loop": kernel(group(serial(items(), kind=LoopKind.VECTOR))),
    "must be inside a group loop and no other": kernel(items()),
    "must be inside a group loop and no other ": kernel(group(items(items(var=N)))),
    "extent of an item loop must be a constant": kernel(group(For(ITEM, GROUP, (), LoopKind.ITEM))),
    "an item loop has the extent 257": kernel(group(items(extent=257))),
    "an item loop has the extent 3, another of its group 4": kernel(group(items(), items(extent=3))),
    "which item's is it?": kernel(group(Alloc(TILE))),
    "space shared must be in a group": kernel(SHARED),
    "space shared must be in a group ": kernel(group(items(SHARED))),
    "space per_item must be in a group": kernel(REGISTERS),
    "must be row-major, with a dimension for the items": kernel(
        group(Alloc(buffer("own", F32, ()), Space.PER_ITEM))
    ),
    "must be row-major, with a dimension for the items ": kernel(
        group(Alloc(buffer("own", F32, (4, 2), (1, 4)), Space.PER_ITEM))
    ),
    "32772 bytes that a group shares": kernel(
        group(
            serial(Alloc(buffer("a", F32, (8192,)), Space.SHARED)),
            serial(Alloc(buffer("b", F32, ()), Space.SHARED)),
        )
    ),
    "writes memory outside its item loops": kernel(group(store(Y, (0, 0), 1.0))),
    "reads memory outside its item loops": kernel(
        group(SHARED, If(compare("lt", load(X, 0, 0), 1.0), (FILL,)))
    ),
    "its first index must be the item's, i": kernel(
        group(REGISTERS, items(store(OWN, (index(3) - ITEM, 0), 0.0)))
    ),
    "its first index must be the item's, i ": kernel(
        group(REGISTERS, items(store(Y, (GROUP, ITEM), load(OWN, 0, 1))))
    ),
    "bytes of locals alive together": kernel(group(Alloc(buffer("own", F32, (4, 5000)), Space.PER_ITEM))),
    "'n' (i64) is used where it is not bound": kernel(
        Let(N, index(1)), group(items(store(Y, (0, ITEM), Cast(N, F32))))
    ),
}


@pytest.mark.parametrize("message", BROKEN)
def test_a_broken_rule_is_named_with_its_statement(message):
    with pytest.raises(InternalError) as caught:
        verify(BROKEN[message])
    assert message.strip() in str(caught.value)
    (note,) = caught.value.__notes__
    assert note.startswith("in: ")


def test_the_rules_that_are_kept_pass():
    verify(PRODUCT)
    verify(kernel(group(group(group(items(store(Y, (0, ITEM), 1.0)), var=Var("c")), var=Var("b")))))
    own = buffer("own", F32, (1,))
    verify(kernel(group(Alloc(own, Space.PER_ITEM), items(store(own, (0,), 1.0), extent=1))))


def test_a_machine_without_groups_refuses_them():
    with pytest.raises(InternalError, match="for a machine without groups"):
        verify(PRODUCT, grid=False)
    verify(kernel(serial(store(Y, (0, STEP), 1.0))), grid=False)


# ─── what code generators ask ────────────────────────────────────────────────────────────────────────────────────────


def fences_of(made):
    """The fence before each item loop, in order."""
    grid = grid_of(made.body[0])
    found = fences(made, grid)
    return [
        found.get(id(stmt))
        for stmt in statements(grid.body)
        if isinstance(stmt, For) and stmt.kind is LoopKind.ITEM
    ]


SEEN = Fence(shared=True, params=False)


def test_a_nest_tells_its_shape():
    grid = grid_of(group(group(SHARED, FILL, TURN, var=N, extent=5)))
    assert (grid.extents, grid.items, len(grid.body)) == ((2, 5), 4, 3)
    assert grid_of(serial()) is None
    assert grid_of(group()).items == 1


def test_items_wait_before_they_read_what_others_wrote():
    assert fences_of(kernel(group(SHARED, FILL, TURN))) == [None, SEEN]


def test_items_wait_before_they_write_what_others_still_read():
    # CLEAR and WRITE touch only what is each item's own; the next FILL overwrites what ADD reads.
    assert fences_of(PRODUCT) == [None, SEEN, SEEN, None]
    assert fences_of(kernel(group(SHARED, REGISTERS, serial(FILL, ADD, extent=1)))) == [SEEN, SEEN]


def test_what_one_branch_touched_counts_behind_both():
    branch = If(compare("lt", GROUP, 1), (FILL,), (CLEAR,))
    assert fences_of(kernel(group(SHARED, REGISTERS, branch, TURN))) == [None, None, SEEN]


def test_a_fence_is_not_repeated():
    assert fences_of(kernel(group(SHARED, REGISTERS, FILL, ADD, TURN))) == [None, SEEN, None]


def test_parameters_written_by_other_items_need_a_fence_of_their_own():
    write = items(store(Y, (GROUP, ITEM), 1.0))
    again = items(store(Y, (GROUP, ITEM), load(Y, GROUP, index(3) - ITEM)))
    assert fences_of(kernel(group(write, again))) == [None, Fence(shared=False, params=True)]
    read = items(store(OWN, (ITEM, 0), load(X, GROUP, ITEM)))
    assert fences_of(kernel(group(REGISTERS, read, write))) == [None, None]
    assert fences_of(kernel(group(REGISTERS, read, write), in_place=((0, 0),))) == [None, Fence(False, True)]


def test_buffers_of_an_item_become_locals_without_the_items_dimension():
    grid = grid_of(PRODUCT.body[0])
    local = buffer("own", F32, (2,))
    block = own_as_locals(grid.body)
    assert block[1].buffer == local and block[1].space is Space.LOCAL
    text = to_text(kernel(*block))
    assert "own[i" not in text and "store own[0] = (own[0] + " in text
