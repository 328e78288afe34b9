"""Pools of executors: many threads, few executors, nobody waits in vain."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ingot
from ingot.runtime.executors.pool import ExecutorPool
from tests.support.tiny_library import expected


class Counted:
    """Stands for an executor; says when two threads use it."""

    def __init__(self) -> None:
        self.users = 0
        self.answers = 0

    def predict(self, inputs: object, *, out: object, **arrays: float) -> float:
        self.users += 1
        assert self.users == 1
        time.sleep(arrays.get("seconds", 0.0))
        self.users -= 1
        self.answers += 1
        return arrays["x"]


def pool_of(size: int, make: Callable[[], object] = Counted, timeout: float | None = None) -> ExecutorPool:
    return ExecutorPool(make, size, timeout)  # type: ignore[arg-type]


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def waiting(pool: ExecutorPool) -> int:
    return int(repr(pool).split("made, ")[1].split()[0])


@pytest.mark.cc
def test_any_number_of_threads_get_right_answers(library) -> None:
    pool = library.pool("tiny", size=2)
    rows = [np.full(4, number, np.float32) for number in range(64)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda x: pool.predict(x=x)[0], rows))
    for x, y in zip(rows, answers, strict=True):
        np.testing.assert_array_equal(y, expected(x))
    with pool.executor() as one:
        one.set_input(x=rows[3])
        one.run()
        np.testing.assert_array_equal(one.get_output(0), expected(rows[3]))


def test_no_more_executors_are_made_than_there_is_work_for() -> None:
    made: list[Counted] = []

    def make() -> Counted:
        made.append(Counted())
        return made[-1]

    pool = pool_of(3, make)
    for number in range(5):
        assert pool.predict(x=number) == number
    assert len(made) == 1
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda x: pool.predict(x=x, seconds=0.01), range(30)))
    assert 1 <= len(made) <= 3
    assert sum(one.answers for one in made) == 35


def test_who_waits_longest_comes_first() -> None:
    pool = pool_of(1)
    order: list[int] = []

    def work(number: int) -> None:
        with pool.executor():
            order.append(number)

    with pool.executor():
        threads = []
        for number in range(6):
            threads.append(threading.Thread(target=work, args=(number,)))
            threads[-1].start()
            wait_until(lambda number=number: waiting(pool) == number + 1)
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_a_call_waits_no_longer_than_it_may() -> None:
    pool = pool_of(1, timeout=0.01)
    with (
        pool.executor(),
        pytest.raises(
            ingot.BusyError, match=r"no executor of the pool was free within 0\.01 s: 1 are at work"
        ),
    ):
        pool.predict(x=1)
    assert pool.predict(x=1) == 1
    assert not issubclass(ingot.BusyError, ingot.InputError)


def test_an_error_of_an_inference_gives_the_executor_back() -> None:
    class Failing(Counted):
        def predict(self, inputs: object, *, out: object, **arrays: float) -> float:
            raise ingot.InputError("wrong")

    pool = pool_of(1, Failing, timeout=0)
    for _ in range(3):
        with pytest.raises(ingot.InputError, match="wrong"):
            pool.predict(x=1)


def test_who_waits_may_make_the_executor_that_another_could_not() -> None:
    begun, fail = threading.Event(), threading.Event()
    attempts: list[int] = []

    def make() -> Counted:
        attempts.append(1)
        if len(attempts) == 1:
            begun.set()
            fail.wait(20)
            raise ingot.OutOfMemoryError("no memory")
        return Counted()

    pool = pool_of(1, make)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(pool.predict, x=1)
        begun.wait(20)
        second = threads.submit(pool.predict, x=2)
        wait_until(lambda: waiting(pool) == 1)
        fail.set()
        assert second.result(20) == 2
        assert isinstance(first.exception(20), ingot.OutOfMemoryError)
    assert pool.predict(x=3) == 3


def test_an_executor_that_an_interrupt_lost_is_replaced() -> None:
    pool = pool_of(1, timeout=0)
    lost = pool._take()
    with pytest.raises(ingot.BusyError):
        pool.predict(x=1)
    del lost
    gc.collect()
    assert pool.predict(x=1) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_child_of_a_fork_has_executors_of_its_own() -> None:
    pool = pool_of(1, timeout=5)
    with pool.executor():
        child = os.fork()
        if child == 0:
            os._exit(0 if pool.predict(x=7) == 7 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert pool.predict(x=8) == 8


@pytest.mark.cc
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"size": 0}, "from 1 to 1024, got size=0"),
        ({"size": 2.0}, "got size=2.0"),
        ({"size": True}, "got size=True"),
        ({"timeout": -1}, "got timeout=-1"),
        ({"threads": 0}, "threads must be a whole number"),
        ({"executor": "vm"}, "has no executor 'vm'"),
    ],
)
def test_wrong_arguments_are_said_at_once(library, words: dict[str, object], said: str) -> None:
    with pytest.raises(ingot.LoadError, match=said):
        library.pool("tiny", **words)


@pytest.mark.cc
def test_one_of_several_models_must_be_named(library) -> None:
    with pytest.raises(ingot.LoadError, match="several models, choose one: tiny, big"):
        library.pool()
    assert library.pool("big").size >= 1
