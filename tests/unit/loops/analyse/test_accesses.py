"""Where a kernel reads and writes memory."""

from __future__ import annotations

from ingot.base.tensor import DType
from ingot.loops.analyse.accesses import Access, accesses, index_key, is_same
from ingot.loops.nodes import Expr, For, If, Kernel, Let, Load, Store, Var, Word, buffer, compare, index

X, Y = buffer("x", DType.FLOAT32, (64,)), buffer("y", DType.FLOAT32, (64,))
ROW, COLUMN, AT = Var("i"), Var("j"), Var("at")


def _accesses(where: Expr, other: Expr) -> list[Access]:
    copy = (Let(AT, ROW * 8), If(compare("lt", COLUMN, 4), (Store(Y, (where,), Load(X, (other,))),), ()))
    return accesses(Kernel("k", (X,), (Y,), (For(ROW, index(8), (For(COLUMN, index(8), copy),)),)))


def test_an_access_has_the_loops_and_branches_around_it_and_no_names() -> None:
    load, store = _accesses(AT + COLUMN, ROW * 8 + COLUMN)
    assert [access.is_store for access in (load, store)] == [False, True]
    assert [loop.var for loop in store.loops] == [ROW, COLUMN]
    assert [number for _, number in store.path] == [0, 0, 1, 0]
    assert is_same(load.index, store.index)
    assert load.loops is store.loops


def test_equal_indices_have_one_key() -> None:
    load, store = _accesses(AT + COLUMN, COLUMN + ROW * 8)
    assert index_key(load) == index_key(store)


def test_other_indices_have_other_keys() -> None:
    # Two quotients that are written alike are two terms.
    for where in (
        ROW * 8 + COLUMN + 1,
        ROW * 7 + COLUMN,
        COLUMN,
        (ROW * 8 + COLUMN) // 2,
        (ROW * 8 + COLUMN) // 2 + (ROW * 8 + COLUMN) // 2,
    ):
        keys = {index_key(access) for access in _accesses(where, ROW * 8 + COLUMN)}
        assert len(keys) == 2
    twice, once = _accesses((COLUMN + 1) // 2 + (COLUMN + 1) // 2, (COLUMN + 1) // 2)
    assert index_key(twice) != index_key(once)


def test_a_word_reads_as_many_elements_as_it_has_bytes_of() -> None:
    for dtype, last in ((DType.UINT8, 7), (DType.INT16, 5)):
        small, total = buffer("small", dtype, (8,)), buffer("total", DType.INT32, (1,))
        store = Store(total, (index(0),), Word(Load(small, (index(4),))))
        loads = [
            access for access in accesses(Kernel("k", (small,), (total,), (store,))) if not access.is_store
        ]
        assert sorted(index_key(load)[0][0] for load in loads) == [4, last]
