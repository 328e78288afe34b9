"""Objects for 32-bit Arm say how floats are passed."""

from __future__ import annotations

import io

import pytest
from elftools.elf.elffile import ELFFile

from ingot.codegen.llvm_arm import with_float_registers
from ingot.codegen.llvm_objects import Processor, compiled
from ingot.errors import InternalError

CODE = "define float @add(float %a, float %b) { %c = fadd float %a, %b ret float %c }"


def tag(content: bytes) -> int | None:
    """Tag_ABI_VFP_args of the object."""
    section = ELFFile(io.BytesIO(content)).get_section_by_name(".ARM.attributes")
    (vendor,) = section.iter_subsections()
    (scope,) = vendor.iter_subsubsections()
    return next((attribute.value for attribute in scope.iter_attributes() if attribute.tag == "TAG_ABI_VFP_ARGS"), None)


@pytest.mark.parametrize("triple", ["thumbv7em-none-eabihf", "arm-linux-gnueabihf"])
def test_objects_of_a_hard_float_triple_pass_floats_in_registers(triple: str) -> None:
    made = compiled(CODE, Processor(triple, "cortex-m4" if "m-" in triple else "cortex-a9", ""), own_vectors=True)
    assert tag(made.content) == 1
    assert "vadd.f32\ts0, s" in made.assembly


def test_objects_of_a_soft_float_triple_stay_as_they_are() -> None:
    assert tag(compiled(CODE, Processor("thumbv7em-none-eabi", "cortex-m4", ""), own_vectors=True).content) is None


def test_an_object_of_another_format_is_refused() -> None:
    with pytest.raises(InternalError, match="not a 32-bit ELF object"):
        with_float_registers(compiled(CODE, Processor("x86_64-linux-gnu", "x86-64", ""), own_vectors=True).content)
