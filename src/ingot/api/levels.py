"""One program for each CPU that the host's target names (`-mcpu=x86-64-v2,x86-64-v3`), with what constants they have in common.

A level is all that a build makes for one of them: kernels, a memory plan, metadata. Levels of one model have the same name,
inputs and outputs and the same member of constants; each has its own symbol. Loading the library takes the last level that fits
the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.artifact.model_info import MemoryInfo, ModelInfo, TargetInfo
from ingot.artifact.tuning import Tuning
from ingot.base.defects import defects_named
from ingot.base.errors import TargetError
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.codegen.llvm.build.features import names_features
from ingot.codegen.model_info import model_info, params_content
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.machines.machine import Machine
from ingot.plan.algorithms import algorithms_text, require_taken
from ingot.plan.fuse.attention import join_attention
from ingot.plan.layout.bands import in_bands
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.memory.shared_constants import shared_constants
from ingot.plan.program import HOST, CompileUnit, Draft, MemoryPlan, Program
from ingot.plan.schedule.schedule import schedule
from ingot.plan.shorten import shortened_program
from ingot.plan.text import draft_text, kernels_text, program_text
from ingot.plan.transfer import unit_for
from ingot.tune.apply import wanted_of

NATIVE = "native"


@dataclass(frozen=True, slots=True)
class Part:
    """One target key of a build: a definite target and its code generator. `levels`: definite targets for better CPUs."""

    key: str
    target: Target
    generator: Codegen
    levels: tuple[Target, ...] = ()

    @property
    def space(self) -> str:
        """The memory that its code works in: the host's, or its own."""
        is_host = self.generator.device_kind == "cpu" or self.generator.regions is not None
        return HOST if is_host else self.key

    def symbol(self, name: str) -> str:
        """The C identifier of its part of a model."""
        return name if self.key == HOST else f"{name}_{self.key}"

    def describe(self, unit: CompileUnit, generated: Generated, params: str) -> TargetInfo:
        """What a library says about it. `params`: the name of what its constants are in."""
        memory = unit.memory
        own = self.space == self.key
        return TargetInfo(
            self.key,
            str(self.target),
            self.target.codegen,
            self.generator.device_kind,
            generated.cpu_features,
            MemoryInfo(
                memory.arena_bytes,
                memory.params_bytes,
                memory.lower_bound_bytes,
                memory.alignment_bytes,
                memory.always_read_bytes,
            )
            if own
            else MemoryInfo(),
            params if own else "",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A planned program. `model` is the model's name, `symbol` that of this program of it. `repeats`: it is one of several for
    other sizes, which answer some after the others. `owner` is the model after which the constants are called.
    """

    model: str
    symbol: str
    parts: Mapping[str, Part]
    program: Program
    memories: Mapping[str, MemoryPlan]
    tuning: Tuning = ()
    repeats: bool = False
    owner: str = ""

    @property
    def targets(self) -> dict[str, Target]:
        """The definite target of each key."""
        return {key: part.target for key, part in self.parts.items()}

    def generated(
        self, outputs: Sequence[str], draft: Draft, context: BuildContext
    ) -> tuple[ModelInfo, dict[str, Generated]]:
        """Its code, and what a library says about it; `outputs` are the names that the model gives to what it puts out, and
        `draft` is the model as it was lowered.
        """
        units = {
            key: unit_for(self.program, self.memories, key, part.space, part.symbol(self.symbol))
            for key, part in self.parts.items()
        }
        if self.repeats and len(units) == 1:
            units = {key: replace(unit, repeats=True) for key, unit in units.items()}
        artifacts = {
            key: part.generator.generate(units[key], part.target, context) for key, part in self.parts.items()
        }
        described = [
            part.describe(units[key], artifacts[key], f"{part.symbol(self.owner or self.model)}.params")
            for key, part in self.parts.items()
        ]
        return replace(
            model_info(self.program, outputs, self.memories, described, draft), symbol=self.symbol
        ), artifacts


def part_for(key: str, target: Target, generator: Codegen) -> Part:
    """The part of a target that may name several CPUs.

    Raises:
        TargetError: several, where one must be named; or one of them is unknown, or named twice.
    """
    cpus = target.cpu.split(",")
    if len(cpus) == 1:
        return Part(key, generator.resolve(target), generator)
    if not generator.levels or key != HOST:
        where = (
            f"the target {key!r}, which is not the host"
            if generator.levels
            else f"the code generator {generator.id}"
        )
        raise TargetError(
            f"target {str(target)!r}: {where}, makes code for one CPU; name one", cpu=target.cpu, key=key
        )
    if NATIVE in cpus or len(set(cpus)) != len(cpus) or not all(cpus):
        raise TargetError(
            f"target {str(target)!r}: -mcpu names several CPUs, so each of them once and by its name ('native' is this machine"
            " alone), from the lowest to the highest: the last one that fits a machine is what runs there",
            cpu=target.cpu,
        )
    first, *others = (generator.resolve(replace(target, cpu=cpu)) for cpu in cpus)
    if not names_features(first.triple):
        raise TargetError(
            f"target {str(target)!r}: several CPUs can be named for x86-64 only, since a library does not say which instructions"
            f" of {first.triple.partition('-')[0]} it uses; name one",
            cpu=target.cpu,
            triple=first.triple,
        )
    return Part(key, first, generator, tuple(others))


def levels_of(parts: Mapping[str, Part]) -> list[Mapping[str, Part]]:
    """The parts of each level, the lowest first.

    Raises:
        TargetError: there are several levels, and other targets than the host.
    """
    host = parts[HOST]
    if host.levels and len(parts) > 1:
        others = ", ".join(key for key in parts if key != HOST)
        raise TargetError(
            f"a model for several CPUs has no other targets, got {others}; name one CPU for the host",
            keys=others,
        )
    return [
        {**parts, HOST: replace(host, target=target, levels=())} for target in (host.target, *host.levels)
    ]


def machines_of(parts: Mapping[str, Part], math: str) -> dict[str, Machine]:
    """What templates may count on, by target key. `math`: a word of `ingot.machines.machine.MATH`."""
    return {key: replace(part.generator.machine(part.target), math=math) for key, part in parts.items()}


def require_one_level(parts: Mapping[str, Part]) -> None:
    """Raises TargetError if there are several: what is measured holds for one processor."""
    if parts[HOST].levels:
        raise TargetError("tune and tuning are for one CPU; build the model for one, or leave them out")


def scheduled(
    draft: Draft,
    parts: Mapping[str, Part],
    machines: Mapping[str, Machine],
    given: Tuning,
    watcher: Observer,
    uses_up: bool = False,
    force: Mapping[str, str] | None = None,
) -> Program:
    """From what is to be computed to kernels; arguments as of `planned`.

    Raises:
        TargetError: a forced algorithm refuses every kernel.
    """
    with watcher.timed("fuse"), defects_named("fusing definitions"):
        fused = in_bands(join_attention(draft, machines), machines)
    watcher.dump("fused.txt", lambda: draft_text(fused))
    spaces = {key: part.space for key, part in parts.items()}
    targets = {key: part.target for key, part in parts.items()}
    with watcher.timed("schedule"), defects_named("writing kernels"):
        program = schedule(fused, machines[HOST], machines, spaces, wanted_of(given, targets), uses_up, force)
    require_taken(program, force or {})
    return program


def planned(
    draft: Draft,
    symbol: str,
    parts: Mapping[str, Part],
    machines: Mapping[str, Machine],
    given: Tuning,
    watcher: Observer,
    uses_up: bool = False,
    force: Mapping[str, str] | None = None,
) -> Level:
    """From what is to be computed to kernels and a proven memory plan, for one level.

    Args:
        draft: the model, fused, with copies between targets.
        symbol: the C identifier of the program.
        parts: a part for each target key.
        machines: what `machines_of` gives for them.
        given: what was measured of kernels.
        watcher: receives the stages.
        uses_up: whether this is the last time that the draft is planned, so that its constants need not stay.
        force: algorithms by family, which are taken wherever they do not refuse.

    Raises:
        TargetError: a forced algorithm refuses every kernel.
    """
    program = scheduled(draft, parts, machines, given, watcher, uses_up, force)
    if draft.limits:
        with watcher.timed("shorten"), defects_named("shortening loops"):
            program = shortened_program(program, draft.limits, draft.sizes)
    spaces = {key: part.space for key, part in parts.items()}
    watcher.dump("algorithms.txt", lambda: algorithms_text(program))
    watcher.dump("kernels.txt", lambda: kernels_text(program))
    with watcher.timed("memory"), defects_named("planning memory"):
        near = {HOST: machines[HOST].near_bytes}
        memories = {
            space: plan_memory(program, space, near.get(space, 0)) for space in dict.fromkeys(spaces.values())
        }
        for space, memory in memories.items():
            check_memory(program, memory, space)
    watcher.dump("program.txt", lambda: program_text(program, memories))
    return Level(program.name, symbol, parts, program, memories, given)


def with_shared_constants(levels: Sequence[Level]) -> list[Level]:
    """The levels with places in the same members of constants, in which equal ones are stored once."""
    if len(levels) == 1:
        return list(levels)
    programs = [level.program for level in levels]
    shared: list[dict[str, MemoryPlan]] = [{} for _ in levels]
    for space in levels[0].memories:
        memories = shared_constants(programs, [level.memories[space] for level in levels])
        for program, memory, spaces in zip(programs, memories, shared, strict=True):
            check_memory(program, memory, space)
            spaces[space] = memory
    return [replace(level, memories=memories) for level, memories in zip(levels, shared, strict=True)]


def constants_content(levels: Sequence[Level], space: str) -> memoryview:
    """The constants of a memory space, of all levels."""
    first, *others = (params_content(level.program, level.memories[space], space) for level in levels)
    if not others:
        return first
    content = np.frombuffer(first, np.uint8).copy()
    for other in others:  # nothing lies where another has its own, and equal bytes where both have some
        np.bitwise_or(content, np.frombuffer(other, np.uint8), out=content)
    return memoryview(content.data).toreadonly()
