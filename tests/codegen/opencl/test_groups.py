"""Kernels of work groups in OpenCL C: their source, and that a device computes what the interpreter says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from ingot.base.errors import InternalError
from ingot.codegen.c.kernel import print_kernel
from ingot.codegen.opencl.source import printed
from ingot.loops.nodes import Kernel, Var, store
from tests.property.grids import grid_kernels
from tests.property.strategies import arrays_for
from tests.support.kernel_opencl import agrees_with_interpreter, kernel_unit, needs_opencl
from tests.support.machines import GPU_SHAPE
from tests.unit.loops.analyse.test_grid import FILL as FILL_TILE
from tests.unit.loops.analyse.test_grid import ITEM, PRODUCT, SHARED, TURN, Y, group, items, kernel

QUICK = settings(max_examples=12, derandomize=True, suppress_health_check=list(HealthCheck))


def test_the_source_of_a_group_is_as_it_was(golden: Callable[[str, str], None]) -> None:
    golden("opencl/groups.cl", printed(kernel_unit(PRODUCT, "groups"), GPU_SHAPE).text)


def test_dimensions_are_named_innermost_first() -> None:
    made = kernel(
        group(group(items(store(Y, (Var("outer"), ITEM), 1.0)), var=Var("inner"), extent=5), var=Var("outer"))
    )
    ((launch,),) = printed(kernel_unit(made), GPU_SHAPE).launches.values()
    assert (launch.groups, launch.items) == ((5, 2), 4)
    assert "outer = (int)get_group_id(1)" in printed(kernel_unit(made), GPU_SHAPE).text


def test_a_language_without_groups_refuses_them() -> None:
    with pytest.raises(InternalError, match="which the language c has not"):
        print_kernel(PRODUCT, "k", str)
    with pytest.raises(InternalError, match="which the language c has not"):
        print_kernel(kernel(group(SHARED, FILL_TILE, TURN)), "k", str)


@pytest.mark.opencl
@needs_opencl
def test_tiles_and_registers_on_a_device() -> None:
    agrees_with_interpreter(PRODUCT, arrays_for(PRODUCT)["x"])


@pytest.mark.opencl
@needs_opencl
@QUICK
@given(grid_kernels())
def test_items_wait_for_one_another_wherever_they_must(made: Kernel) -> None:
    agrees_with_interpreter(made, np.arange(made.inputs[0].span, dtype=np.float32))
