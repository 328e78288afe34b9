"""The thread pools of a module with compiled code: made and ended by two functions that the code itself has.

`ingot_pool *ingot_pool_create(int32_t threads)` and `void ingot_pool_destroy(ingot_pool *pool)`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingot.artifact.module import Function

CREATE, DESTROY = "ingot_pool_create", "ingot_pool_destroy"


class ThreadPools:
    """One pool for each number of threads, shared by all executors that use this number.

    A module ends its pools before it lets go of their code. So it owns them, and gives `get_function` at each call instead
    of being referred to from here.
    """

    def __init__(self) -> None:
        self._pools: dict[int, int | None] = {}

    def address(self, threads: int, get_function: Callable[[str], Function | None]) -> int | None:
        """The address of the pool for that many threads; None for one thread, or where the code has no pools."""
        create = get_function(CREATE)
        if threads < 2 or create is None:
            return None
        if threads not in self._pools:
            create.restype = ctypes.c_void_p  # type: ignore[attr-defined]
            pool = create(ctypes.c_int32(threads))
            # Two callers at the same time may both make one. The second has no threads yet and goes away.
            if self._pools.setdefault(threads, pool) != pool:
                _destroy(pool, get_function)
        return self._pools[threads]

    def close(self, get_function: Callable[[str], Function | None]) -> None:
        """Ends all pools. No loop may be running."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            _destroy(pool, get_function)


def _destroy(pool: int | None, get_function: Callable[[str], Function | None]) -> None:
    destroy = get_function(DESTROY)
    if destroy is not None:
        destroy(ctypes.c_void_p(pool))
