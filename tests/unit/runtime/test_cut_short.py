"""What an interrupt or a lack of memory cuts short leaves an executor as it was: the next call is right, or says what lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ingot
import ingot.runtime.executors.stepping as steps
from tests.support.tiny_library import expected

pytestmark = pytest.mark.cc
X = np.arange(4, dtype=np.float32)
BAD = np.array([12345, 1, 1, 1], np.float32)  # the code of the tiny library reports an error for it


def failing_at(number: int, function: Callable[..., Any], error: BaseException) -> Callable[..., Any]:
    """The function, whose call of that number raises the error."""
    calls = 0

    def instead(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise error
        return function(*args)

    return instead


@pytest.mark.parametrize("name", ["aligned_array", "address_of"])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), ingot.DeviceError("no memory")], ids=["interrupt", "no memory"]
)
def test_outputs_that_were_not_all_made_are_made_by_the_next_run(
    library, monkeypatch, name: str, error: BaseException
) -> None:
    executor = library["tiny"]()
    executor.set_input(x=X)
    with monkeypatch.context() as patch, pytest.raises(type(error)):
        patch.setattr(steps, name, failing_at(2, getattr(steps, name), error))
        executor.run()
    with pytest.raises(ingot.InputError, match="get_output before run"):
        executor.get_output(0)
    executor.run()
    assert np.array_equal(executor.get_output("y"), expected(X)) and np.array_equal(
        executor.get_output("z"), X
    )


@pytest.mark.parametrize("copy", [True, False])
def test_an_input_that_was_interrupted_is_set_by_the_next_call(library, monkeypatch, copy: bool) -> None:
    executor = library["tiny"]()
    for x in (X, X + 1):
        with monkeypatch.context() as patch:
            patch.setattr(steps, "address_of", failing_at(1, steps.address_of, KeyboardInterrupt()))
            try:
                executor.set_input(x=x, copy=copy)
            except KeyboardInterrupt:
                executor.set_input(x=x, copy=copy)
        executor.run()
        assert np.array_equal(executor.get_output("z"), x)


def test_a_run_that_failed_has_no_outputs(library) -> None:
    executor = library["tiny"]()
    for _ in range(2):  # the first run, and one behind a good one
        executor.set_input(x=BAD)
        with pytest.raises(ingot.DeviceError, match="error -7"):
            executor.run()
        with pytest.raises(ingot.InputError, match="get_output before run"):
            executor.get_output(0)
        executor.set_input(x=X)
        executor.run()
        assert np.array_equal(executor.get_output("y"), expected(X))
