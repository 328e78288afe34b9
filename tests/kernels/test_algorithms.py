"""Every algorithm of every family, on every machine that it accepts, computes what the definition says; and how one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import Algorithm, Estimate, choose
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.families import FAMILIES
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Site, Template
from ingot.loops.nodes import Buffer
from ingot.machines.machine import Machine
from tests.kernels.algorithms import refusal
from tests.kernels.conv.test_conv import by_definition
from tests.kernels.templates import SCALARS, run_template, strides_of
from tests.kernels.test_grid_templates import GRID, run_grid

MACHINES = {
    "scalars": SCALARS,
    "vectors of 16 bytes": Machine(vector_bytes=16, has_fma=True, math="normwise"),
    "vectors of 64 bytes": Machine(
        vector_bytes=64, vector_registers=32, has_fma=True, separate_fadd_pipes=True, l2_bytes=1 << 20
    ),
    "AMX": Machine(
        vector_bytes=64, vector_registers=32, has_fma=True, amx_int8=True, amx_bf16=True, l2_bytes=1 << 21
    ),
    "a GPU": GRID,
}


@dataclass(frozen=True)
class Case:
    """A problem of a family with a template that computes it, and how its operands are stored."""

    family: str
    problem: ConvSpec | MatMul
    template: Template
    orders: Mapping[str, Sequence[int]]
    known: tuple[int, ...] = (1,)


def conv(x: tuple[int, ...], w: tuple[int, ...], pad: int = 0, group: int = 1) -> Case:
    out = tuple(extent + 2 * pad - taps + 1 for extent, taps in zip(x[2:], w[2:], strict=True))
    types = (TensorType(DType.FLOAT32, shape) for shape in (x, w, (x[0], w[0], *out)))
    spec = ConvSpec(*types, w[2:], (1, 1), (1, 1), (pad, pad), (pad, pad), group)
    last = (0, 2, 3, 1)
    return Case("conv", spec, conv_template(spec), {"in0": last, "out0": last})


def matmul(
    rows: int, depth: int, columns: int, known: tuple[int, ...], orders: Mapping[str, Sequence[int]]
) -> Case:
    types = tuple(
        TensorType(DType.FLOAT32, shape) for shape in ((rows, depth), (depth, columns), (rows, columns))
    )
    return Case("matmul", MatMul(*types), matmul_template(*types), orders, known)


CASES = {
    "3×3": conv((1, 16, 6, 5), (16, 16, 3, 3), pad=1),
    "one tap": conv((1, 16, 4, 5), (16, 16, 1, 1)),
    "few output channels": conv((1, 32, 3, 6), (2, 32, 3, 3), pad=1),
    "depthwise": conv((1, 8, 5, 6), (8, 1, 3, 3), pad=1, group=8),
    "groups": conv((1, 6, 4, 7), (4, 3, 2, 3), group=2),
    "many rows": matmul(24, 32, 32, (1,), {}),
    "one row, columns side by side": matmul(1, 33, 9, (), {"in1": (1, 0)}),
}


def operands(case: Case) -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [random.standard_normal(one.shape).astype(np.float32) for one in case.template.inputs]


def defined(case: Case, arrays: Sequence[np.ndarray]) -> np.ndarray:
    left, right = (one.astype(np.float64) for one in arrays)
    return left @ right if isinstance(case.problem, MatMul) else by_definition(case.problem, left, right)


def site_of(
    case: Case, machine: Machine, arrays: Sequence[np.ndarray], wanted: Mapping[str, str] | None = None
) -> Site:
    def made(name: str, type_: TensorType) -> Buffer:
        return Buffer(name, type_.dtype, type_.shape, strides_of(type_, case.orders.get(name)))

    inputs = [made(f"in{number}", one) for number, one in enumerate(case.template.inputs)]
    outputs = [made(f"out{number}", one) for number, one in enumerate(case.template.outputs)]
    known = [array if number in case.known else None for number, array in enumerate(arrays)]
    return Site(machine, inputs, outputs, known, wanted=wanted)


def accepted(family: str, algorithm: Algorithm[ConvSpec | MatMul]) -> list[tuple[str, str]]:
    """The machines and cases that an algorithm does not refuse."""
    return [
        (machine, name)
        for machine, of in MACHINES.items()
        for name, case in CASES.items()
        if case.family == family and not refusal(algorithm, site_of(case, of, operands(case)), case.problem)
    ]


@pytest.mark.parametrize(
    ("family", "name"), [(family, one.name) for family, some in FAMILIES.items() for one in some]
)
def test_an_algorithm_computes_the_definition_on_every_machine_that_it_accepts(
    family: str, name: str
) -> None:
    (algorithm,) = (one for one in FAMILIES[family] if one.name == name)
    some = accepted(family, algorithm)
    assert some, "no machine and problem here are accepted: add one"
    for machine, case_name in some:
        case, wanted = CASES[case_name], {family: name}
        arrays = operands(case)
        site = site_of(case, MACHINES[machine], arrays, wanted)
        case.template.build(site)
        assert site.chosen[family] == name
        if MACHINES[machine].grid:
            constants = {number: arrays[number] for number in case.known}
            (found,) = run_grid(
                case.template, *arrays, constants=constants, orders=case.orders, wanted=wanted
            )
        else:
            (found,) = run_template(
                case.template,
                *arrays,
                machine=MACHINES[machine],
                orders=case.orders,
                known=case.known,
                wanted=wanted,
            )
        np.testing.assert_allclose(
            found, defined(case, arrays), rtol=0, atol=1e-4, err_msg=f"{machine}, {case_name}"
        )


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", CASES)
def test_on_every_machine_some_algorithm_refuses_nothing(name: str, machine: str) -> None:
    case = CASES[name]
    arrays = operands(case)
    last = [
        one
        for one in FAMILIES[case.family]
        if not refusal(one, site_of(case, MACHINES[machine], arrays), case.problem)
    ][-1]
    assert last.estimate(site_of(case, MACHINES[machine], arrays), case.problem).pays


def nothing(_site: Site, _problem: None) -> tuple[()]:
    return ()


SLOW = Algorithm("slow", nothing, estimate=lambda _site, _problem: Estimate(False, False, 9.0, 3.0))
UNFIT = Algorithm("unfit", nothing, refuses=lambda _site, _problem: "it never fits")
PLAIN = Algorithm("plain", nothing)


def test_the_first_that_pays_is_taken_and_all_are_noted() -> None:
    site = Site(Machine(), [], [], [])
    assert choose(site, "any", None, (SLOW, UNFIT, PLAIN)) is PLAIN
    assert site.offered["any"] == ("plain",)
    notes = [(one.name, one.refusal, one.cycles, one.instead) for one in site.candidates["any"]]
    assert notes == [
        ("slow", "", 9.0, 3.0),
        ("unfit", "it never fits", None, None),
        ("plain", "", None, None),
    ]


@pytest.mark.parametrize(("wanted", "taken"), [("slow", SLOW), ("unfit", PLAIN), ("plain", PLAIN)])
def test_one_that_is_wanted_is_taken_unless_it_refuses(wanted: str, taken: Algorithm[None]) -> None:
    site = Site(Machine(), [], [], [], wanted={"any": wanted})
    assert choose(site, "any", None, (SLOW, UNFIT, PLAIN)) is taken
