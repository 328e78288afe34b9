"""What a kernel is told about the model around it."""

from __future__ import annotations

import pytest

from ingot.loops.define import Home
from ingot.plan.schedule import home_of
from ingot.target import Machine

KIB = 1024


@pytest.mark.parametrize(
    ("weight_bytes", "home"),
    [(0, Home.CORE), (1300 * KIB, Home.CORE), (1500 * KIB, Home.SHARED), (16 << 20, Home.SHARED), (17 << 20, Home.MEMORY)],
)
def test_the_size_of_all_weights_says_where_they_are(weight_bytes, home):
    assert home_of(Machine(l2_bytes=1024 * KIB), weight_bytes) is home


def test_where_there_is_no_cache_weights_are_in_memory():
    machine = Machine(l2_bytes=0)
    assert home_of(machine, 0) is Home.CORE and home_of(machine, 1) is Home.MEMORY
