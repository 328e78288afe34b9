"""Which buffers a kernel reads from end to end, whatever its data are."""

from ingot.loops.analyse.reach import always_read
from ingot.loops.nodes import (
    DType,
    For,
    If,
    Kernel,
    Let,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    minimum,
    select,
    store,
)

F32, I64 = DType.FLOAT32, DType.INT64
TABLE, WEIGHTS = buffer("table", F32, (100, 8)), buffer("weights", F32, (4, 8))
IDS, Y = buffer("ids", I64, (4,)), buffer("y", F32, (4, 8))
ROW, COLUMN, NAME = Var("r"), Var("c"), Var("t", I64)


def found(*body):
    nest = For(ROW, index(4), (For(COLUMN, index(8), body),))
    return always_read(Kernel("k", (TABLE, WEIGHTS, IDS), (Y,), (nest,)), (TABLE, WEIGHTS, IDS))


def test_rows_that_data_choose_are_not_all_of_a_table():
    assert found(
        store(Y, (ROW, COLUMN), load(TABLE, load(IDS, ROW), COLUMN) + load(WEIGHTS, ROW, COLUMN))
    ) == {"ids", "weights"}


def test_a_name_for_what_was_read_chooses_rows_too():
    lookup = Let(NAME, minimum(load(IDS, ROW), 99)), store(Y, (ROW, COLUMN), load(TABLE, NAME, COLUMN))
    assert found(*lookup) == {"ids"}


def test_a_table_that_is_also_read_in_order_is_read():
    total = For(NAME, index(100), (store(Y, (ROW, COLUMN), load(TABLE, NAME, COLUMN)),))
    assert found(store(Y, (ROW, COLUMN), load(TABLE, load(IDS, ROW), COLUMN)), total) == {"ids", "table"}


def test_a_part_is_not_all():
    assert found(store(Y, (ROW, COLUMN), load(TABLE, ROW * 3, COLUMN))) == frozenset()
    assert found(store(Y, (ROW, COLUMN), load(WEIGHTS, 3 - ROW, COLUMN))) == {"weights"}


def test_what_only_some_data_bring_about_does_not_count():
    write = store(Y, (ROW, COLUMN), load(WEIGHTS, ROW, COLUMN))
    assert found(If(compare("lt", load(IDS, ROW), 1), (write,))) == {"ids"}
    assert found(For(NAME, load(IDS, ROW), (write,))) == {"ids"}
    assert found(If(compare("lt", ROW, 9), (write,))) == {"weights"}


def test_a_buffer_that_is_not_read_is_not_there():
    assert found(store(Y, (ROW, COLUMN), cast(load(IDS, ROW), F32))) == {"ids"}
    assert found(store(Y, (ROW, COLUMN), select(compare("lt", ROW, 2), load(WEIGHTS, ROW, COLUMN), 0.0))) == {
        "weights"
    }
