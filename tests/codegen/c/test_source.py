"""Whole sources of the code generator c: entries, links, texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from ingot.base.errors import TargetError
from ingot.base.target import Target
from ingot.codegen.c.generator import CODEGEN
from ingot.codegen.c.source import header, source
from ingot.codegen.record import BuildContext
from tests.codegen.units import expected, memory, small_unit
from tests.support.kernel_c import addresses, compile_source, compile_sources, needs_cc

X = np.array([1.0, -20.0, 3.0, 0.5], np.float32)


@pytest.mark.cc
@needs_cc
def test_run_does_all_calls_and_call_does_one() -> None:
    unit = small_unit("small")
    library = compile_source(source(unit))
    arrays = memory(unit, X)
    assert library.ingot_small_run(addresses(arrays)) == 0
    np.testing.assert_array_equal(arrays[4], expected(unit, X))
    again = memory(unit, X)
    for number in range(3):
        assert not again[4].any()
        assert library.ingot_small_call(number, addresses(again)) == 0
    np.testing.assert_array_equal(again[4], arrays[4])
    for number in (-1, 3, 2**31 - 1):
        assert library.ingot_small_call(number, addresses(again)) < 0


@pytest.mark.cc
@needs_cc
def test_more_memory_than_a_processor_has_addresses_for_is_refused_by_the_compiler() -> None:
    unit = small_unit("small")
    assert "SIZE_MAX" not in source(unit)
    text = source(dataclasses.replace(unit, memory=dataclasses.replace(unit.memory, arena_bytes=5 << 30)))
    compile_source(text)  # 64 bits are enough
    with pytest.raises(AssertionError, match="5368709120 bytes in one piece"):
        compile_source("#include <stdint.h>\n#undef SIZE_MAX\n#define SIZE_MAX 4294967295u\n" + text)


@pytest.mark.cc
@needs_cc
def test_two_models_link_together_and_show_only_their_entries() -> None:
    units = [small_unit("left"), small_unit("right")]
    library = compile_sources([source(unit) for unit in units])
    for unit in units:
        arrays = memory(unit, X)
        assert getattr(library, f"ingot_{unit.symbol}_run")(addresses(arrays)) == 0
        np.testing.assert_array_equal(arrays[4], expected(unit, X))
    assert not hasattr(library, "left_add") and not hasattr(library, "left_step_0")


@pytest.mark.cc
@needs_cc
def test_the_header_fits_the_source() -> None:
    unit = small_unit("small")
    compile_source(
        header(unit) + source(unit) + "typedef char right_size[INGOT_SMALL_ARENA_BYTES == 80 ? 1 : -1];\n"
    )


def test_equal_kernels_are_one_function() -> None:
    text = source(small_unit("small"))
    assert text.count("static void small_add(") == 1 and text.count("small_add(") == 4


def test_the_source_names_the_nodes_of_every_kernel() -> None:
    text = source(small_unit("small"))
    assert "Add_0, Add_1, Identity_* /" in text and "Relu_" in text
    text.encode("ascii")


def test_the_source_is_as_it_was(golden: Callable[[str, str], None]) -> None:
    golden("c/small.c", source(small_unit("small")))
    golden("c/small.h", header(small_unit("small")))


def test_generate_gives_a_native_source_and_a_header_for_people() -> None:
    target = Target.parse("c", key="host")
    made = CODEGEN.generate(small_unit("small"), target, BuildContext())
    assert [(artifact.file_name, artifact.loader) for artifact in made.artifacts] == [
        ("small.c", "native"),
        ("small.h", "text"),
    ]
    assert made == CODEGEN.generate(small_unit("small"), target, BuildContext())
    assert made.cpu_features == ()


@pytest.mark.parametrize("text", ["c --fast=1", "c -mcpu=native", "c -mattr=+avx2", "c -mtriple=thumbv7em"])
def test_a_flag_that_c_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(TargetError, match="code generator c"):
        CODEGEN.resolve(Target.parse(text))
    assert CODEGEN.resolve(Target.parse("c")) == Target.parse("c")
