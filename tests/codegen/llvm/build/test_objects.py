"""Objects for 32-bit Arm pass floats as the C library of their triple takes them, and say so to the linker."""

from __future__ import annotations

import io

import pytest
from elftools.elf.elffile import ELFFile

from ingot.codegen.llvm.build.objects import Processor, compiled, whole_triple

CODE = """
declare float @llvm.rint.f32(float)
define float @rounded_sum(float %a, float %b) {
  %c = fadd float %a, %b %d = call float @llvm.rint.f32(float %c) %e = fadd float %d, %d ret float %e
}
"""


def tag(content: bytes) -> int | None:
    """Tag_ABI_VFP_args of the object."""
    section = ELFFile(io.BytesIO(content)).get_section_by_name(".ARM.attributes")
    (vendor,) = section.iter_subsections()
    (scope,) = vendor.iter_subsubsections()
    return next(
        (attribute.value for attribute in scope.iter_attributes() if attribute.tag == "TAG_ABI_VFP_ARGS"),
        None,
    )


@pytest.mark.parametrize(
    "triple", ["thumbv7em-none-eabihf", "arm-linux-gnueabihf", "arm-unknown-linux-gnueabihf"]
)
def test_a_hard_float_triple_passes_floats_in_registers_to_the_c_library_too(triple: str) -> None:
    made = compiled(
        CODE, Processor(triple, "cortex-m4" if "m-" in triple else "cortex-a9", ""), own_vectors=True
    )
    assert tag(made.content) == 1
    assert "rintf" in made.assembly
    assert "vmov" not in made.assembly  # between the registers of integers and those of floats


def test_objects_of_a_soft_float_triple_pass_floats_as_integers() -> None:
    made = compiled(CODE, Processor("thumbv7em-none-eabi", "cortex-m4", ""), own_vectors=True)
    assert tag(made.content) is None
    assert "vmov\ts0, r" in made.assembly


@pytest.mark.parametrize(
    ("triple", "whole"),
    [
        ("arm-linux-gnueabihf", "arm-unknown-linux-gnueabihf"),
        ("aarch64-linux-musl", "aarch64-unknown-linux-musl"),
        ("arm-none-linux-gnueabihf", "arm-none-linux-gnueabihf"),
        ("arm64-apple-darwin", "arm64-apple-darwin"),
        ("riscv32-unknown-elf", "riscv32-unknown-elf"),
        ("wasm32-wasi", "wasm32-wasi"),
    ],
)
def test_the_abi_of_a_triple_is_its_fourth_part(triple: str, whole: str) -> None:
    assert whole_triple(triple) == whole
