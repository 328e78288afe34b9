"""`ExecutorPool`: executors of one model for any number of threads."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ingot.base.errors import BusyError, LoadError
from ingot.base.lazy import Late
from ingot.runtime.executors.base import Executor

if TYPE_CHECKING:
    from ingot.runtime import uncopied as late_uncopied
else:
    late_uncopied = Late("ingot.runtime.uncopied")

SIZE_MAX = 1024


class _Waiting:
    """A thread that waits for an executor. `turn` is released when it gets one, or may make one (`executor` is None)."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.turn.acquire()
        self.executor: Executor | None = None


class ExecutorPool:
    """Executors of one model, shared by threads: `predict` takes a free one, or waits until one is.

    The thread that has waited longest comes first. Executors are made when they are first needed, `size` at most; they
    share code and weights, and each has its own arena. A child of a fork has executors of its own.
    """

    def __init__(self, make: Callable[[], Executor], size: int, timeout: float | None) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= SIZE_MAX:
            raise LoadError(
                f"a pool has a whole number of executors from 1 to {SIZE_MAX}, got size={size!r}", size=size
            )
        if timeout is not None and not timeout >= 0:
            raise LoadError(
                f"a pool waits for a number of seconds of at least 0, or for ever (None), got timeout={timeout!r}"
            )
        self._make, self._size, self._timeout = make, size, timeout
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()  # `_lost` may be called wherever memory is allocated
        self._known: set[weakref.ref[Executor]] = set()
        self._free: list[Executor] = []
        self._waiting: deque[_Waiting] = deque()
        self._count = 0

    @property
    def size(self) -> int:
        """The most executors that the pool makes."""
        return self._size

    def __repr__(self) -> str:
        return f"<ingot.ExecutorPool: {self._count} of {self._size} executors made, {len(self._waiting)} threads wait>"

    def __reduce__(self) -> Any:
        late_uncopied.refuse("a pool of executors", "send the library, and make a pool there")

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """One inference by a free executor: `Executor.predict`.

        Raises:
            BusyError: no executor was free within the pool's `timeout`.
            InputError: as `Executor.predict`.
            DeviceError: as `Executor.predict`.
        """
        with self.executor() as executor:
            return executor.predict(inputs, out=out, **arrays)

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        """An executor for this thread alone until the block ends, for `set_input`, `run` and `get_output`.

        Raises:
            BusyError: none was free within the pool's `timeout`.
        """
        if self._process != os.getpid():
            self._begin()  # what a thread of the parent held is not there
        taken = self._take()
        try:
            yield taken
        finally:
            self._release(taken)

    def _take(self) -> Executor:
        with self._lock:
            if self._free:
                return self._free.pop()
            may_make = self._count < self._size
            if may_make:
                self._count += 1
            else:
                waiting = _Waiting()
                self._waiting.append(waiting)
        taken = None if may_make else self._wait(waiting)
        return self._new() if taken is None else taken

    def _wait(self, waiting: _Waiting) -> Executor | None:
        """The executor that was handed over; None: this thread may make one."""
        try:
            if waiting.turn.acquire(timeout=-1 if self._timeout is None else self._timeout):
                return waiting.executor
        except BaseException:  # an interrupt
            if not self._leave(waiting):
                self._release(waiting.executor)
            raise
        if self._leave(waiting):
            raise BusyError(
                f"no executor of the pool was free within {self._timeout:g} s: {self._size} are at work and "
                f"{len(self._waiting)} more threads wait; make a larger pool, or send fewer requests",
                size=self._size,
            )
        return waiting.executor

    def _leave(self, waiting: _Waiting) -> bool:
        """Stops waiting; False if something was handed over meanwhile."""
        with self._lock:
            if waiting not in self._waiting:
                return False
            self._waiting.remove(waiting)
            return True

    def _new(self) -> Executor:
        """A new executor, which was counted before."""
        try:
            executor = self._make()
            self._known.add(weakref.ref(executor, self._lost))
        except BaseException:
            self._release(None)
            raise
        return executor

    def _lost(self, reference: weakref.ref[Executor]) -> None:
        """An executor is gone that nobody gave back, because an interrupt came in between: another may be made."""
        self._known.discard(reference)
        self._release(None)

    def _release(self, executor: Executor | None) -> None:
        """Hands an executor, or without one the right to make it, to who waits longest; or keeps it."""
        with self._lock:
            if self._waiting:
                first = self._waiting.popleft()
                first.executor = executor
                first.turn.release()
            elif executor is not None:
                self._free.append(executor)
            else:
                self._count -= 1
