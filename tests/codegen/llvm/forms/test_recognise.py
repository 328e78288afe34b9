"""Forms are recognised before a kernel is emitted, shown beside its loops, and missed where a kernel counts on one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import ingot
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm import generator
from ingot.codegen.llvm.build.targets import chip, resolve
from ingot.codegen.llvm.forms.recognise import forms_text, lost_forms, recognise
from ingot.codegen.record import BuildContext
from ingot.loops.build.nest import expecting
from ingot.loops.nodes import (
    Binary,
    Cast,
    Const,
    Expr,
    For,
    Kernel,
    LoopKind,
    Stmt,
    Var,
    buffer,
    index,
    load,
    store,
)
from ingot.loops.transform.rewrite import statements
from ingot.plan.program import CompileUnit
from tests.codediff import kernel_models
from tests.codediff.subjects import CPUS

F = DType.FLOAT32
C, V = Var("c"), Var("v")
CHIP = chip(resolve(Target.parse(CPUS["znver3"])))


def unrolled(extent: int, body: Stmt, lanes: int) -> For:
    return For(C, index(extent), (For(V, index(lanes), (body,), LoopKind.VECTOR),), LoopKind.UNROLLED)


def transposing(in_place: bool = False) -> Kernel:
    x, y = buffer("x", F, (8, 8)), buffer("y", F, (8, 8))
    return Kernel(
        "turn",
        (x,),
        (y,),
        expecting("transpose", [unrolled(8, store(y, (C, V), load(x, V, C)), 8)]),
        in_place=((0, 0),) if in_place else (),
    )


def interleaving(parts: int = 3) -> Kernel:
    x, y = buffer("x", F, (8,)), buffer("y", F, (8, 4))
    return Kernel(
        "k", (x,), (y,), expecting("interleave", [unrolled(parts, store(y, (V, C), load(x, V)), 8)])
    )


def packing() -> Kernel:
    x, y = buffer("x", DType.UINT8, (2, 8)), buffer("y", DType.INT32, (8,))

    def byte(row: int) -> Expr:
        return Cast(load(x, row, V), DType.INT32)

    value = Binary("or", byte(0), Binary("shl", byte(1), Const(8, DType.INT32)))
    loops = [For(V, index(8), (store(y, (V,), value),), LoopKind.VECTOR)]
    return Kernel("k", (x,), (y,), expecting("pack_bytes", loops))


def test_the_text_of_a_kernel_shows_the_form_of_each_loop() -> None:
    assert "  unrolled c < 8 {  # transpose of 8×8 of x\n" in forms_text(transposing(), CHIP)
    assert "  unrolled c < 4 {  # interleave of 4 parts of y\n" in forms_text(interleaving(4), CHIP)
    assert "  vector v < 8 {  # pack_bytes\n" in forms_text(packing(), CHIP)


@pytest.mark.parametrize("kernel", [transposing(), interleaving(4), packing()])
def test_a_form_that_is_expected_and_recognised_is_not_lost(kernel: Kernel) -> None:
    assert not lost_forms(kernel, CHIP)


def test_a_lost_form_is_told_with_its_kernel_and_its_loop() -> None:
    (sentence,) = lost_forms(transposing(in_place=True), CHIP)
    assert sentence == "kernel 'turn': the unrolled loop 'c' expects the form transpose, and has none"
    assert "# expects transpose, which was not recognised" in forms_text(transposing(in_place=True), CHIP)


def test_a_store_with_gaps_has_lost_its_form() -> None:
    assert len(lost_forms(interleaving(parts=3), CHIP)) == 1


def test_a_loop_of_another_form_has_lost_the_one_that_is_expected() -> None:
    kernel = transposing()
    (loop,) = kernel.body
    assert isinstance(loop, For)
    assert len(lost_forms(replace(kernel, body=(replace(loop, expects="interleave"),)), CHIP)) == 1


def test_a_rest_that_gains_nothing_by_a_form_expects_none() -> None:
    y = buffer("y", F, (8, 8))
    short = unrolled(2, store(y, (C, V), 0), 2)
    single = For(C, index(8), (store(y, (C, 0), 0),), LoopKind.UNROLLED)
    assert expecting("transpose", (short, single)) == (short, single)


def emitted(name: str, cpu: str, folder) -> Iterator[tuple[Kernel, list[str], list[str]]]:
    """Each kernel of a model, the forms that it expects and has, and the sentences of those that are lost."""
    path = folder / "m.onnx"
    path.write_bytes(kernel_models.models()[name]())
    for unit, target in planned(path, CPUS[cpu]):
        traits = chip(target)
        for kernel in unit.program.kernels:
            forms = recognise(kernel, traits)
            expected = [
                stmt.expects
                for stmt in statements(kernel.body)
                if isinstance(stmt, For) and stmt.expects in forms.names(stmt)
            ]
            yield kernel, expected, lost_forms(kernel, traits)


class PlannedError(ingot.IngotError):
    """Ends a build when its kernels are there: LLVM has nothing to do with their forms."""


def planned(path, target: str) -> list[tuple[CompileUnit, Target]]:
    units: list[tuple[CompileUnit, Target]] = []

    def modules(unit: CompileUnit, target: Target, _: BuildContext) -> None:
        units.append((unit, target))
        raise PlannedError("the kernels are there")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generator, "modules", modules)
        with pytest.raises(PlannedError):
            ingot.build(path, target, observer=ingot.Observer(on_note=lambda _: None), cache=None)
    return units


# Models whose kernels count on forms, and forms that some kernel of the model has to expect: 4 s of
# processor time in all.
EXPECTED = {
    ("attention", "znver3"): {"transpose"},
    ("conv_3x3", "znver4"): {"transpose"},
    ("conv_3x3_wide", "neoverse-n1"): {"transpose", "broadcast4"},
    ("moves", "neoverse-n1"): {"transpose"},
    ("byte_moves", "znver3"): {"interleave"},
    ("resize", "znver3"): {"interleave"},
    ("qdq_conv", "znver3"): {"interleave"},
    ("qdq_conv", "sapphirerapids"): {"pack_bytes", "amx_sums"},
    ("qdq_matmul", "neoverse-n1"): {"broadcast4"},
    ("matmul", "sapphirerapids"): {"amx_sums"},
}


@pytest.mark.parametrize(("name", "cpu"), EXPECTED)
def test_no_kernel_loses_a_form_that_it_counts_on(name: str, cpu: str, tmp_path) -> None:
    kernels = list(emitted(name, cpu, tmp_path))
    assert not [sentence for _, _, lost in kernels for sentence in lost]
    assert {form for _, forms, _ in kernels for form in forms} >= EXPECTED[name, cpu]
