"""The builder writes the loops that `for` statements say, and refuses what would lose statements."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.loops.build import builder as module
from ingot.loops.build.builder import Builder, Extent
from ingot.loops.interpret import run
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    index,
    load,
)
from ingot.loops.text import to_text
from ingot.loops.verify import verify

OUT = buffer("out", DType.FLOAT32, (64,))


def written(body: Callable[[Builder], None], **arrays: np.ndarray) -> np.ndarray:
    """What a kernel with the statements of `body` stores in `OUT`, which is -1 elsewhere. `arrays` are its inputs."""
    k = Builder()
    body(k)
    inputs = tuple(buffer(name, DType.from_numpy(array.dtype), array.shape) for name, array in arrays.items())
    kernel = Kernel("tested", inputs, (OUT,), k.statements())
    verify(kernel)
    memory = {"out": np.full(64, -1, np.float32)} | {name: array.ravel() for name, array in arrays.items()}
    run(kernel, memory)
    return memory["out"]


def count(k: Builder, *where: Expr | int) -> None:
    """Adds nothing to what is there but a mark: each element that is stored to is told by its own index."""
    (at,) = where
    k.store(OUT, (at,), 1.0)


# ─── loops ───


def test_loops_stand_one_in_another_and_statements_in_the_innermost_open_one() -> None:
    k = Builder()
    for row in k.loop("row", 3):
        k.store(OUT, (row,), 1.0)
        for column in k.loop("column", 4):
            k.store(OUT, (row * 4 + column,), 2.0)
        k.store(OUT, (row,), 3.0)
    (outer,) = k.statements()
    assert isinstance(outer, For) and outer.var == Var("row")
    assert [type(stmt).__name__ for stmt in outer.body] == ["Store", "For", "Store"]


def test_a_loop_of_no_iteration_is_left_out_and_one_of_one_is_its_body() -> None:
    k = Builder()
    for _ in k.loop("never", 0):
        raise AssertionError("the body of an empty loop is not run")
    for at in k.loop("once", 1):
        k.store(OUT, (at,), 1.0)
    (stmt,) = k.statements()
    assert not isinstance(stmt, For)


@pytest.mark.parametrize("declares", ["let", "alloc"])
def test_a_loop_of_one_iteration_keeps_its_block_where_it_declares_something(declares: str) -> None:
    k = Builder()
    for _ in k.loop("once", 1, LoopKind.PARALLEL):
        if declares == "let":
            k.let("value", Const(1.0, DType.FLOAT32))
        else:
            k.alloc("local", DType.FLOAT32, (4,))
    (stmt,) = k.statements()
    assert isinstance(stmt, For) and stmt.kind is LoopKind.SERIAL
    assert isinstance(stmt.body[0], Let | Alloc)


def test_a_block_is_there_even_if_it_declares_nothing() -> None:
    k = Builder()
    with k.block("tile"):
        count(k, 0)
    (stmt,) = k.statements()
    assert isinstance(stmt, For) and stmt.var.name == "tile"


@pytest.mark.parametrize("extent", [1, 7, 8, 13, 64])
def test_tiles_vectors_and_blocks_of_vectors_cover_an_extent_once(extent: int) -> None:
    def by_tiles(k: Builder) -> None:
        for start, size in k.tiles("tile", extent, (8, 2, 1)):
            for at in k.loop("at", size):
                k.store(OUT, (start + at,), load(OUT, start + at) + 1.0)

    def by_vectors(k: Builder) -> None:
        for at in k.vectors(extent, 4):
            k.store(OUT, (at,), load(OUT, at) + 1.0)

    def by_blocks(k: Builder) -> None:
        for at in k.vector_blocks("c", extent, 4):
            k.store(OUT, (at,), load(OUT, at) + 1.0)

    for body in (by_tiles, by_vectors, by_blocks):
        assert written(body).tolist() == [0.0] * extent + [-1.0] * (64 - extent)


def test_a_nest_and_a_collapsed_box_go_through_all_of_a_box_in_order() -> None:
    def number(k: Builder, where: tuple[Expr, ...]) -> None:
        i, j, m = where
        at = (i * 3 + j) * 4 + m
        k.store(OUT, (at,), load(OUT, at) + 2.0)

    def nested(k: Builder) -> None:
        for where in k.nest(["i", "j", "m"], [2, 3, 4]):
            number(k, where)

    def collapsed(k: Builder) -> None:
        for where in k.collapse("box", (2, 3, 4)):
            number(k, where)

    assert (written(nested) == written(collapsed)).all()
    assert written(nested).tolist() == [1.0] * 24 + [-1.0] * 40


def test_a_nest_of_no_loop_is_its_body() -> None:
    k = Builder()
    for where in k.nest([], []):
        assert where == ()
        count(k, 0)
    assert len(k.statements()) == 1


@pytest.mark.parametrize("many", [1, 2, 5])
def test_one_of_many_pieces_of_work_is_done_by_its_number(many: int) -> None:
    def body(k: Builder) -> None:
        for at in k.loop("at", many):
            for work in k.one_of(at, many):
                k.store(OUT, (at,), 10.0 * work)

    assert written(body).tolist() == [10.0 * work for work in range(many)] + [-1.0] * (64 - many)
    k = Builder()
    for work in k.one_of(Var("at"), 2):
        k.store(OUT, (work,), 1.0)
    (stmt,) = k.statements()
    assert isinstance(stmt, If)


# ─── extents that are expressions ───


@pytest.mark.parametrize("sizes", [(4, 2, 1), (8, 1)])
def test_extents_may_be_expressions_that_are_known_while_running(sizes: tuple[int, ...]) -> None:
    lengths = np.array([0, 1, 5, 8, 15], np.int64)
    of = buffer("lengths", DType.INT64, (5,))

    def rows(k: Builder, inner: Callable[[Expr, Expr], None]) -> None:
        for row in k.loop("row", len(lengths)):
            inner(row * 16, load(of, row))

    expected = np.full(80, -1.0, np.float32)
    for row, length in enumerate(lengths):
        expected[row * 16 : row * 16 + length] = 0.0

    for way in ("loop", "tiles", "vector_blocks", "collapse"):
        out = buffer("wide", DType.FLOAT32, (80,))
        k = Builder()
        for row in k.loop("row", len(lengths)):
            extent: Extent = load(of, row)
            for at in _indices(k, way, extent, sizes):
                k.store(out, (row * 16 + at,), load(out, row * 16 + at) + 1.0)
        kernel = Kernel("tested", (of,), (out,), k.statements())
        verify(kernel)
        memory = {"lengths": lengths, "wide": np.full(80, -1.0, np.float32)}
        run(kernel, memory)
        assert (memory["wide"] == expected).all(), way


def _indices(k: Builder, way: str, extent: Extent, sizes: tuple[int, ...]) -> Iterator[Expr]:
    if way == "loop":
        yield from k.loop("at", extent)
    elif way == "collapse":
        for _, at in k.collapse("at", (1, extent), LoopKind.SERIAL):
            yield at
    elif way == "vector_blocks":
        yield from k.vector_blocks("at", extent, sizes[0])
    else:
        for start, size in k.tiles("tile", extent, sizes):
            for lane in k.vector("lane", size):
                yield start + lane


def test_tiles_must_cover_every_extent_that_is_not_known() -> None:
    k = Builder()
    with pytest.raises(InternalError, match=r"tiles 'n' of sizes \(8, 4\) do not cover every extent"):
        for start, _ in k.tiles("n", Var("length"), (8, 4)):
            count(k, start)


def test_tiles_must_cover_an_extent_that_is_known() -> None:
    k = Builder()
    with pytest.raises(InternalError, match=r"tiles 'n' of sizes \(8, 4\) do not cover 10"):
        for start, _ in k.tiles("n", 10, (8, 4)):
            count(k, start)


# ─── misuse ───


def test_continue_ends_the_statements_of_one_piece() -> None:
    k = Builder()
    for start, size in k.tiles("n", 11, (4, 2, 1)):
        if size == 2:
            continue
        count(k, start)
    assert [stmt.extent.value for stmt in k.statements() if isinstance(stmt, For)] == [2]  # type: ignore[attr-defined]


def test_a_body_that_is_left_by_break_is_told_at_the_end() -> None:
    k = Builder()
    for at in k.loop("m", 4):
        count(k, at)
        break
    with pytest.raises(InternalError, match="the loop 'm' is still open: its body was left by break"):
        k.statements()


def test_a_body_that_is_left_by_break_is_told_by_the_loop_around_it() -> None:
    k = Builder()
    with pytest.raises(InternalError, match="the loop 'n' in 'm' is still open"):
        for _ in k.loop("m", 4):
            for _ in k.loop("n", 4):
                break


def test_a_body_that_is_left_by_return_is_told() -> None:
    def first(k: Builder) -> Expr:
        for at in k.loop("m", 4):
            return at
        raise AssertionError

    k = Builder()
    count(k, first(k))
    with pytest.raises(InternalError, match="the loop 'm' is still open"):
        k.statements()


def test_an_exception_of_a_body_is_told_as_it_is() -> None:
    k = Builder()
    with pytest.raises(ValueError, match="of my own"):
        for _ in k.loop("m", 4):
            with k.block("tile"):
                raise ValueError("of my own")


def test_a_body_whose_exception_was_caught_is_told() -> None:
    k = Builder()
    with pytest.raises(InternalError, match="the loop 'tile' in 'm' is still open"):
        for _ in k.loop("m", 4):
            try:
                with k.block("tile"):
                    raise ValueError
            except ValueError:
                pass


def test_an_iterator_that_is_not_exhausted_is_told() -> None:
    k = Builder()
    indices = iter(k.loop("m", 4))
    count(k, next(indices))
    with pytest.raises(InternalError, match="the loop 'm' is still open"):
        k.statements()


def test_a_generator_that_is_not_exhausted_is_told() -> None:
    def halves(k: Builder) -> Iterator[Expr]:
        for half in k.loop("half", 4):
            yield half * 2

    k = Builder()
    with pytest.raises(InternalError, match="the loop 'half' in 'm' is still open"):
        for _ in k.loop("m", 4):
            for at in halves(k):
                count(k, at)
                break


@pytest.mark.parametrize("next_step", ["store", "loop", "block", "statements", "end of the loop around"])
def test_a_loop_that_is_made_but_not_gone_through_is_told(next_step: str) -> None:
    k = Builder()
    with pytest.raises(InternalError, match="the loop 'n' was made but not gone through"):
        for _ in k.loop("m", 4):
            k.loop("n", 4)
            if next_step == "store":
                count(k, 0)
            elif next_step == "loop":
                k.loop("p", 4)
            elif next_step == "block":
                with k.block("tile"):
                    pass
            elif next_step == "statements":
                k.emit(())


def test_a_loop_is_gone_through_only_once() -> None:
    k = Builder()
    indices = k.loop("m", 4)
    for at in indices:
        count(k, at)
    with pytest.raises(InternalError, match="the loop 'm' was gone through before"):
        for at in indices:
            count(k, at)


def test_a_store_behind_the_loop_of_its_index_is_told() -> None:
    k = Builder()
    for at in k.loop("m", 4):
        count(k, at)
    with pytest.raises(InternalError, match="a store uses 'm' behind the loop"):
        count(k, at * 2)


def test_a_store_behind_the_block_of_its_value_is_told() -> None:
    k = Builder()
    with k.block("tile"):
        at = k.let("at", index(3) + Var("n"))
    with pytest.raises(InternalError, match="a store uses 'at' behind the loop"):
        count(k, at)


def test_a_name_may_be_used_again_behind_its_loop() -> None:
    k = Builder()
    for _ in range(2):
        for at in k.loop("m", 4):
            count(k, at)
    assert len(k.statements()) == 2


def test_a_store_behind_the_last_statement_is_told() -> None:
    k = Builder()
    assert k.statements() == ()
    with pytest.raises(InternalError, match="the statements of this builder were taken already"):
        count(k, 0)


# ─── the page ───


def test_the_example_of_the_module_adds_two_matrices() -> None:
    code = textwrap.dedent(re.search(r"\n\n(    k = Builder\(\)\n.*?)\n\n", module.__doc__, re.DOTALL)[1])  # type: ignore[index, arg-type]
    scope = {**vars(module), "rows": 3, "columns": 13, "lanes": 4, "load": load}
    scope |= {name: buffer(name, DType.FLOAT32, (3, 13)) for name in ("left", "right", "output")}
    stmts = _run_as_function(code, scope)
    kernel = Kernel("tested", (scope["left"], scope["right"]), (scope["output"],), stmts)
    verify(kernel)
    memory = {name: np.arange(39, dtype=np.float32) for name in ("left", "right", "output")}
    run(kernel, memory)
    assert (memory["output"] == 2 * np.arange(39)).all()
    assert "vector" in to_text(kernel)


def _run_as_function(code: str, scope: dict[str, object]) -> tuple[Stmt, ...]:
    exec("def example():\n" + textwrap.indent(code, "    "), scope)
    return scope["example"]()  # type: ignore[operator,no-any-return]
