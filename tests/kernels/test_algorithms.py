"""Every algorithm of every family, on every machine that it accepts, computes what the definition says; and how one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ingot.kernels.algorithm import Algorithm, Estimate, choose
from ingot.kernels.families import FAMILIES
from ingot.kernels.template import Candidate, Site
from ingot.loops.nodes import Kernel
from ingot.loops.text import body_text
from tests.kernels.problems import PROBLEMS, Case
from tests.kernels.templates import run_template, site_of
from tests.kernels.test_grid_templates import run_grid
from tests.support import machines

MACHINES = {
    "scalars": machines.SCALARS,
    "vectors of 16 bytes": replace(machines.VECTORS, math="normwise"),
    "vectors of 32 bytes, products of int16": replace(machines.AVX2, dot_i16x2=True, l2_bytes=1 << 19),
    "vectors of 64 bytes": replace(machines.SERVER, separate_fadd_pipes=True),
    "lanes as factors": replace(machines.NEON, l2_bytes=1 << 20),
    "AMX": machines.AMX,
    "a GPU": machines.GPU,
}


def site_at(case: Case, machine: str, wanted: Mapping[str, str] | None = None) -> Site:
    known = [array if number in case.known else None for number, array in enumerate(case.arrays)]
    return site_of(case.template, MACHINES[machine], known, case.orders, wanted)


@cache
def candidates(machine: str, name: str) -> Mapping[str, Candidate]:
    """What there was to choose between for a problem, by the names of algorithms."""
    case = PROBLEMS[name]
    site = site_at(case, machine)
    case.template.build(site)
    return {one.name: one for one in site.candidates[case.family]}


def accepted(family: str, algorithm: str) -> list[tuple[str, str]]:
    """The machines and problems that an algorithm does not refuse."""
    return [
        (machine, name)
        for machine in MACHINES
        for name, case in PROBLEMS.items()
        if case.family == family and not candidates(machine, name)[algorithm].refusal
    ]


@pytest.mark.parametrize(
    ("family", "name"), [(family, one.name) for family, some in FAMILIES.items() for one in some]
)
def test_an_algorithm_computes_the_definition_on_every_machine_that_it_accepts(
    family: str, name: str
) -> None:
    computed = 0
    for machine, problem in accepted(family, name):
        case, wanted = PROBLEMS[problem], {family: name}
        site = site_at(case, machine, wanted)
        case.template.build(site)
        if (
            site.chosen[family] != name
        ):  # refused by the values of its constants, which are looked at where it is wanted
            assert next(one.refusal for one in site.candidates[family] if one.name == name)
            continue
        for result, expected in zip(results(case, machine, wanted), case.expected, strict=True):
            np.testing.assert_allclose(
                result, expected, rtol=0, atol=case.tolerance, err_msg=f"{machine}, {problem}"
            )
        computed += 1
    assert computed, "no machine and problem here are accepted: add one to tests/kernels/problems.py"


def results(case: Case, machine: str, wanted: Mapping[str, str]) -> Sequence[np.ndarray]:
    if MACHINES[machine].grid:
        constants = {number: case.arrays[number] for number in case.known}
        return run_grid(case.template, *case.arrays, constants=constants, orders=case.orders, wanted=wanted)
    return run_template(
        case.template,
        *case.arrays,
        machine=MACHINES[machine],
        orders=case.orders,
        known=case.known,
        wanted=wanted,
    )


# Those that write the same loops for all weights but for what they ask of them.
OF_ANY_WEIGHTS = {
    "conv": {
        "direct",
        "depthwise",
        "input_channels",
        "pairwise",
        "winograd_f2",
        "winograd_f4",
        "grid",
        "grid_depthwise",
    },
    "matmul": {"panels", "pairwise", "columns"},
}


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, some in OF_ANY_WEIGHTS.items() for name in sorted(some)]
)
def test_the_loops_of_a_layer_are_those_of_one_with_other_weights(family: str, name: str) -> None:
    wanted, compared = {family: name}, 0
    for machine, problem in accepted(family, name):
        case = PROBLEMS[problem]
        others = [
            array if number not in case.known else -array[::-1] for number, array in enumerate(case.arrays)
        ]
        site, its = site_at(case, machine, wanted), site_at(replace(case, arrays=others), machine, wanted)
        bodies = [case.template.build(each) for each in (site, its)]
        if site.chosen[family] != name:
            continue
        assert not site.looks_at_values and site.packed.keys() == site.arranged.keys(), (
            f"{machine}, {problem}"
        )
        for asked in site.asked:
            assert asked.question(others[asked.position]) == asked.answer
        first, second = (body_text(Kernel("k", (), (), tuple(body))) for body in bodies)
        assert first == second, f"{machine}, {problem}"
        for position, arranged in site.arranged.items():
            np.testing.assert_array_equal(arranged(others[position]), its.packed[position][1])
        compared += 1
    assert compared


@pytest.mark.parametrize("machine", MACHINES)
def test_on_every_machine_some_algorithm_refuses_no_problem(machine: str) -> None:
    for name, case in PROBLEMS.items():
        site = site_at(case, machine)
        case.template.build(site)
        assert not candidates(machine, name)[site.chosen[case.family]].refusal


def test_a_family_has_problems_to_be_tested_with() -> None:
    assert {case.family for case in PROBLEMS.values()} == set(FAMILIES)


def nothing(_site: Site, _problem: None) -> tuple[()]:
    return ()


SLOW = Algorithm("slow", nothing, estimate=lambda _site, _problem: Estimate(False, False, 9.0, 3.0))
UNFIT = Algorithm("unfit", nothing, refuses=lambda _site, _problem: "it never fits")
PLAIN = Algorithm("plain", nothing)


def test_the_first_that_pays_is_taken_and_all_are_noted() -> None:
    site = Site(machines.SCALARS, [], [], [])
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
    site = Site(machines.SCALARS, [], [], [], wanted={"any": wanted})
    assert choose(site, "any", None, (SLOW, UNFIT, PLAIN)) is taken
