"""What code by LLVM calls of the thread pool (`native/pool.h`)."""

from __future__ import annotations

POOL_FOR, POOL_THREADS = "ingot_pool_for", "ingot_pool_threads"
POOL_PAIR, POOL_ENTER, POOL_LEAVE = "ingot_pool_team", "ingot_pool_turn", "ingot_pool_pass"
POOL = (POOL_FOR, POOL_THREADS, POOL_PAIR, POOL_ENTER, POOL_LEAVE)
