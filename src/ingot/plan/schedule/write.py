"""Where a template meets its place: the kernel's parameters and loops for one step.

Equal problems have one digest, in any model and process, so that what was measured for one is known for all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.template import Arranged, Asked, Candidate, Room, Site
from ingot.loops.nodes import Buffer, Expr, Load, Stmt, buffer
from ingot.loops.text import buffer_text
from ingot.plan.program import Fused, Inlined, Problem
from ingot.plan.text import pointwise_text


def problem_text(problem: Problem) -> str:
    """Everything that decides a kernel, but for the machine, the values of constants, and what is left for second copies of them:
    that depends on how kernels before it were written, and an answer must not be lost because another one was taken.
    """
    fused = problem.fused
    lines = [fused.template.name, f"math {problem.machine.math}", f"weights {problem.home.value}"]
    lines += [f"{name} = {value!r}" for name, value in sorted(fused.template.spec.items())]
    for param, constant in zip(problem.buffers, problem.constants, strict=True):
        lines.append(f"in {buffer_text(param)}{'' if constant is None else ' constant'}")
    for source in fused.sources:
        if isinstance(source, Inlined):  # its extents are not those of a buffer
            operand_text = f"{source.pointwise.output} {pointwise_text(source.pointwise)}"
            lines.append(f"read {operand_text} of {source.operands}")
        else:
            lines.append(f"read {source}")
    lines += [f"out {buffer_text(param)}" for param in problem.outputs]
    if any(problem.limits):
        lines.append(f"limits {problem.limits} by sizes of {problem.sizes}")
    if fused.epilogue is not None:
        lines.append(f"made {fused.template.outputs[0]}")
        lines.append(f"then {pointwise_text(fused.epilogue.pointwise)} of {fused.epilogue.operands}")
    return "\n".join(lines) + "\n"


def problem_digest(problem: Problem) -> str:
    """SHA-256 of the text, as hexadecimal digits."""
    return hashlib.sha256(problem_text(problem).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Repacked:
    """A parameter that is another arrangement of a constant: parameter `number`, made of the step's input `source`. `arranged`
    makes it of other values of the constant, where it can.
    """

    number: int
    source: int
    array: np.ndarray
    arranged: Arranged | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The kernel of a problem. `inputs` begin with those of the step; `offered`, `chosen`, `candidates` and
    `spare_bytes` are the site's. `asked` is what the kernel depends on of the values of constants, by the numbers of the step's
    inputs; None: it may depend on anything. The last of `inputs` are `room_params`, which tell how many places are there.
    """

    inputs: tuple[Buffer, ...]
    body: tuple[Stmt, ...]
    workspaces: tuple[Buffer, ...]
    repacked: tuple[Repacked, ...]
    in_place: tuple[tuple[int, int], ...]
    offered: Mapping[str, tuple[str, ...]]
    chosen: Mapping[str, str]
    candidates: Mapping[str, tuple[Candidate, ...]]
    spare_bytes: int
    asked: tuple[Asked, ...] | None = None
    room_params: tuple[Buffer, ...] = ()

    def with_constants(self, constants: Sequence[np.ndarray | None]) -> Written | None:
        """The kernel of the same problem for constants with other values; None where it may be another one."""
        if self.asked is None:
            return None
        repacked = []
        for each in self.asked:
            array = constants[each.position]
            if array is None or each.question(array) != each.answer:
                return None
        for old in self.repacked:
            array = constants[old.source]
            if array is None or old.arranged is None:
                return None
            repacked.append(replace(old, array=np.ascontiguousarray(old.arranged(array))))
        return replace(self, repacked=tuple(repacked))


def write(problem: Problem, wanted: Mapping[str, str] | None = None) -> Written:
    """Has the template write its kernel. `wanted` overrides its decisions: options by the names of their knobs."""
    fused, buffers = problem.fused, problem.buffers
    inline = _operands_of_expressions(fused)
    inputs: list[Buffer | None] = []
    constants: list[np.ndarray | None] = []
    reads = {}
    for position, origin in enumerate(fused.sources):
        if isinstance(origin, Inlined):
            inputs.append(None)
            constants.append(None)
            reads[position] = _reader(origin, buffers)
        else:
            inputs.append(buffers[origin])
            # What an expression also reads must keep its form, so a template may not repack it.
            constants.append(None if origin in inline else problem.constants[origin])
    epilogue, machine = _writer(fused, buffers), problem.machine
    site = Site(
        machine,
        inputs,
        problem.outputs,
        constants,
        reads,
        epilogue,
        wanted,
        problem.home,
        problem.spare_bytes,
        _room(problem),
    )
    body = tuple(fused.template.build(site))
    position_of = {origin: at for at, origin in enumerate(fused.sources) if isinstance(origin, int)}
    params = list(buffers)
    repacked = []
    for position, (packed, array) in site.packed.items():
        origin = fused.sources[position]
        assert isinstance(origin, int)
        number = origin if position_of[origin] == position else len(params)
        repacked.append(Repacked(number, origin, array, site.arranged.get(position)))
        if number == len(params):
            params.append(packed)
        else:
            params[number] = packed
    in_place = () if site.writes_again else _epilogue_in_place(fused, params, problem.outputs[0])
    workspaces, room_params = tuple(site.workspaces), tuple(site.room_params.values())
    facts = site.offered, site.chosen, site.candidates, site.spare_bytes, _asked(site, fused.sources)
    return Written((*params, *room_params), body, workspaces, tuple(repacked), in_place, *facts, room_params)


def _room(problem: Problem) -> Room | None:
    """What is there of the template's operands."""
    if not any(problem.limits):
        return None
    sources = problem.fused.sources
    inputs = tuple(problem.limits[origin] if isinstance(origin, int) else () for origin in sources)
    return Room(buffer("sizes", DType.INT64, problem.sizes), inputs, problem.limits[-1])


def _asked(site: Site, sources: Sequence[int | Inlined]) -> tuple[Asked, ...] | None:
    """What a template asked about constants, by the numbers of the step's inputs; None if it looked at their values itself."""
    if site.looks_at_values or site.packed.keys() != site.arranged.keys():
        return None
    asked = []
    for each in site.asked:
        origin = sources[each.position]
        assert isinstance(origin, int)
        asked.append(replace(each, position=origin))
    return tuple(asked)


def _operands_of_expressions(fused: Fused) -> set[int]:
    used = {number for origin in fused.sources if isinstance(origin, Inlined) for number in origin.operands}
    if fused.epilogue is not None:
        used |= set(fused.epilogue.operands)
    return used


def _reader(origin: Inlined, buffers: Sequence[Buffer]) -> Callable[[tuple[Expr, ...]], Expr]:
    def read(where: tuple[Expr, ...]) -> Expr:
        return origin.pointwise.at(where, lambda number, at: Load(buffers[origin.operands[number]], at))

    return read


def _writer(fused: Fused, buffers: Sequence[Buffer]) -> Callable[[tuple[Expr, ...], Expr], Expr] | None:
    epilogue = fused.epilogue
    if epilogue is None:
        return None

    def write_(where: tuple[Expr, ...], value: Expr) -> Expr:
        return epilogue.pointwise.at(
            where,
            lambda number, at: (
                value if number == epilogue.hole else Load(buffers[epilogue.operands[number]], at)
            ),
        )

    return write_


def _epilogue_in_place(fused: Fused, params: Sequence[Buffer], output: Buffer) -> tuple[tuple[int, int], ...]:
    """Operands that only the epilogue reads, each element just before its result is stored in the same place."""
    epilogue = fused.epilogue
    if epilogue is None:
        return ()
    plain = {origin for origin in fused.sources if isinstance(origin, int)}
    plain |= {number for origin in fused.sources if isinstance(origin, Inlined) for number in origin.operands}
    pairs = []
    for position, number in enumerate(epilogue.operands):
        if number < 0 or number in plain or epilogue.operands.count(number) > 1:
            continue
        same = params[number].shape == output.shape and params[number].strides == output.strides
        same = same and params[number].dtype.size_bytes == output.dtype.size_bytes
        if same and epilogue.pointwise.follows(position):
            pairs.append((number, 0))
    return tuple(pairs)
