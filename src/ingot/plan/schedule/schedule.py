"""From definitions to kernels: a draft and its layout become a program."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

import numpy as np

from ingot.base.errors import InternalError
from ingot.base.tensor import DType, TensorType, row_major
from ingot.kernels.template import SPARE_BYTES, Pointwise, Reshape, Template
from ingot.loops.nodes import Buffer, Kernel, Load, Var
from ingot.loops.text import body_text, buffer_text
from ingot.loops.verify import verify
from ingot.machines.machine import Machine
from ingot.plan.layout.arrange import arrange, orders_of_results
from ingot.plan.layout.layout import Layout, choose_layout, reshape_strides
from ingot.plan.layout.rebase import rebased, with_views
from ingot.plan.names import unused
from ingot.plan.program import (
    HOST,
    Arranged,
    Call,
    Choice,
    Control,
    Decision,
    Draft,
    Fused,
    Opaque,
    Problem,
    Program,
    Repeat,
    Send,
    Step,
    Transfer,
    Value,
)
from ingot.plan.schedule.body import Body, Done, Raw, comment_of, home_of, limits_of, with_numbers
from ingot.plan.schedule.control import (
    Counting,
    counting_begins,
    counting_goes_on,
    owning,
    places_of,
    spliced,
)
from ingot.plan.schedule.finish import finished
from ingot.plan.schedule.numbers import Shared, share_numbers
from ingot.plan.schedule.pointwise import PointwiseLoops, pointwise_loops
from ingot.plan.schedule.write import Written, problem_digest, problem_text, write
from ingot.plan.text import pointwise_text

_USED = np.empty(0)  # instead of a constant that was used up

_Expressions = TypeVar("_Expressions", Pointwise, Fused)

Wanted = Mapping[str, Mapping[str, str]]  # digest of a problem → word by name of a decision


def schedule(
    draft: Draft,
    machine: Machine,
    machines: Mapping[str, Machine] | None = None,
    spaces: Mapping[str, str] | None = None,
    wanted: Mapping[str, Wanted] | None = None,
    uses_up: bool = False,
    force: Mapping[str, str] | None = None,
) -> Program:
    """Chooses the storage of every value and writes a kernel for every step that needs one.

    Args:
        draft: what to compute; `plan.transfer` has been over it if it has several target keys.
        machine: the host.
        machines: the machine of each other target key.
        spaces: the memory space of each other target key; of one not in it, the host's.
        wanted: for target keys, the words of decisions that templates are not to make by themselves, by `problem_digest`.
        uses_up: takes each constant out of the draft when it is packed otherwise, so that weights are not there twice.
        force: words that all templates take, where they have these decisions and words; before those of `wanted`.
    """
    every = {**(machines or {}), HOST: machine}
    draft = arrange(draft, every)
    orders = orders_of_results(draft, every)
    layout = choose_layout(draft, spaces, orders)
    again = arrange(draft, every, layout.values)
    if len(again.steps) > len(draft.steps):
        draft, layout = again, choose_layout(again, spaces, orders)
    work = _Work(draft, layout, every, wanted or {}, uses_up, force or {})
    for number, step in enumerate(draft.steps):
        work.add(step)
        if uses_up:
            work.drop_packed(number, step)
    return work.program()


@dataclass(slots=True)
class _Work:
    draft: Draft
    layout: Layout
    machines: Mapping[str, Machine]
    wanted: Mapping[str, Wanted]
    uses_up: bool
    force: Mapping[str, str]
    weight_bytes: int = field(init=False)
    spare_bytes: int = SPARE_BYTES
    decisions: list[Decision] = field(default_factory=list)
    values: dict[str, Value] = field(init=False)
    constants: dict[str, np.ndarray] = field(init=False)
    calls: list[Call | Transfer] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    kernels: dict[str, Kernel] = field(default_factory=dict)  # by text
    names: set[str] = field(default_factory=set)
    loops: dict[tuple[str, ...], PointwiseLoops] = field(default_factory=dict)  # by all that they are made of
    kernels_of: dict[tuple[object, ...], Written] = field(default_factory=dict)
    kernels_of_any: defaultdict[tuple[object, ...], list[Written]] = field(
        default_factory=lambda: defaultdict(list)
    )  # whatever the values of constants are
    done: dict[int, Done] = field(default_factory=dict)
    alike: defaultdict[tuple[object, ...], list[tuple[Raw, Done]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    constant_names: defaultdict[str, list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )  # constants, by the names wished for
    views: dict[tuple[str, tuple[int, ...], tuple[int, ...]], str] = field(default_factory=dict)  # of parts
    last_steps: dict[str, int] = field(init=False)  # which read a base, or a view of it, by their numbers
    stored: set[str] = field(default_factory=set)  # bases that calls read or write
    looked_at: int = 0  # calls whose bases are in it

    def __post_init__(self) -> None:
        self.values = dict(self.layout.values)
        self.constants = dict(self.draft.constants)
        self.weight_bytes = sum(array.nbytes for array in self.draft.constants.values())
        steps = enumerate(self.draft.steps)
        self.last_steps = {self.values[name].base: number for number, step in steps for name in step.inputs}

    def program(self) -> Program:
        self._share_numbers()
        named = (
            {name for call in self.calls for name in call.args}
            | set(self.draft.inputs)
            | set(self.draft.outputs)
        )
        named |= {self.values[name].base for name in named}
        kept = {
            id(call.kernel) for call in self.calls if isinstance(call, Call)
        }  # others share their numbers now
        return Program(
            self.draft.name,
            {name: value for name, value in self.values.items() if name in named},
            {name: array for name, array in self.constants.items() if name in named},
            self.draft.inputs,
            self.draft.outputs,
            tuple(self.calls),
            tuple(self.decisions),
            {kernel.name: text for text, kernel in self.kernels.items() if id(kernel) in kept},
            self.draft.updates,
            self.draft.checks,
            tuple(self.controls),
        )

    def add(self, step: Step) -> None:
        first = step.outputs[0]
        if first in self.layout.free:
            return
        if first in self.layout.parts:
            for source, view in self.layout.parts[first]:
                self.values[view.name] = view
                self._emit(self._copy(source, view.name, step.key), step, "copy")
            return
        match step.definition:
            case Send():
                self._send(step)
            case Arranged() as arranged:
                self._emit(self._copy(step.inputs[0], first, step.key), step, arranged.name)
            case Opaque() as opaque:
                self._opaque(step, opaque)
            case Repeat() as repeat:
                self._repeat(step, repeat)
            case Choice() as choice:
                self._choice(step, choice)
            case Reshape() as reshape:
                self._emit(self._reshape(step, reshape), step, "reshape")
            case Pointwise() as pointwise:
                step, pointwise = self._with_views(step, pointwise)
                self._emit(self._pointwise(step, pointwise), step, pointwise.name)
            case Template() | Fused() as heavy:
                fused = heavy if isinstance(heavy, Fused) else Fused(heavy, tuple(range(len(heavy.inputs))))
                step, fused = self._with_views(step, fused)
                name = fused.template.name
                if fused.epilogue is not None:
                    name += "_" + fused.epilogue.pointwise.name
                self._emit(self._template(step, fused), step, name)

    def drop_packed(self, number: int, step: Step) -> None:
        """Drops the constants of which this step, of that number, is the last that reads them, if no call does."""
        for call in self.calls[self.looked_at :]:
            self.stored.update(self.values[name].base for name in call.args)
        self.looked_at = len(self.calls)
        for base in dict.fromkeys(self.values[name].base for name in step.inputs):
            if base in self.draft.constants and self.last_steps[base] == number and base not in self.stored:
                del self.draft.constants[base], self.constants[base]

    def _with_views(self, step: Step, definition: _Expressions) -> tuple[Step, _Expressions]:
        """The step with views of what its expressions read at one place only."""
        viewed, starts, shapes = with_views(
            definition, [self.values[name].type.shape for name in step.inputs]
        )
        if not starts:
            return step, definition
        inputs = list(step.inputs)
        for number, start in starts.items():
            inputs[number] = self._from(inputs[number], start, shapes[number])
        return replace(step, inputs=tuple(inputs)), cast(_Expressions, viewed)

    # ── kinds of steps ──

    def _send(self, step: Step) -> None:
        """A transfer; a source with gaps, or in another order, is made dense first, where it is."""
        result = self.values[step.outputs[0]]
        source = self._stored_as(step, step.inputs[0], result.strides, result.name)
        self.calls.append(Transfer(source, result.name, step.nodes))

    def _stored_as(self, step: Step, name: str, strides: tuple[int, ...], reader: str) -> str:
        """The name of the value stored dense with these strides: its own, or that of a copy which is made where it is."""
        source = self.values[name]
        if source.strides == strides and source.buffer("x").span == source.type.size:
            return name
        copy_name = unused(f"{reader}.dense.{name}", self.values)
        self.values[copy_name] = replace(source, name=copy_name, strides=strides, base=copy_name, offset=0)
        # Any target that works in that memory can copy; the host's own is the host.
        key = next((key for key, space in self.layout.spaces.items() if space == source.space), HOST)
        there = replace(step, key=HOST if source.space == HOST else key)
        self._emit(self._copy(name, copy_name, there.key), there, "copy")
        return copy_name

    def _opaque(self, step: Step, opaque: Opaque) -> None:
        """A call without loops: its kernel is only a signature."""
        names = []
        for name in step.inputs:
            dense = row_major(self.values[name].type.shape)
            names.append(self._stored_as(step, name, dense, step.outputs[0]))
        inputs = tuple(self.values[name].buffer(f"in{number}") for number, name in enumerate(names))
        outputs = tuple(self.values[name].buffer(f"out{number}") for number, name in enumerate(step.outputs))
        kernel = Kernel(self._kernel_name(step, "call"), inputs, outputs, (), comment=opaque.name)
        self.calls.append(
            Call(
                kernel, (*names, *step.outputs), step.nodes, step.key, step.branch, opaque.node, opaque.region
            )
        )

    def _repeat(self, step: Step, repeat: Repeat) -> None:
        """The calls of a loop: what counts, the first carried values, the body under control, the last carried values."""
        operands = [
            self._stored_as(step, name, row_major(self.values[name].type.shape), step.outputs[0])
            for name in step.inputs
        ]
        counts = [operands.pop(0) for _ in range(repeat.has_trips)]
        begin = [operands.pop(0) for _ in range(repeat.has_begin)]
        values = [self.values[name] for name in operands]
        walked = values[repeat.carried :][: len(repeat.walked)]
        stacked = [self.values[name] for name in step.outputs[repeat.carried :]]
        places = places_of(repeat, walked, values[repeat.carried + len(walked) :], stacked, self.values)
        self.values |= {value.name: value for value in places.values}
        for source, place in zip(operands, places.begins, strict=False):
            self._emit(self._copy(source, place.name, step.key), step, "carry")
        names = (places.number.name, places.parity.name, places.flag.name)
        self._count(step, counting_begins(repeat, self._given(*counts, *begin)), [*counts, *begin], names)
        first = len(self.calls)
        inner = self._inside(step, repeat.body, places.given)
        again = [inner[repeat.body.outputs[0]]] if repeat.has_condition else []
        goes_on = counting_goes_on(repeat, self._given(*counts, *again))
        status = places.status if repeat.endless_status else ()
        self._count(step, goes_on, [names[0], *counts, *again], (*status, *names))
        end = len(self.calls)
        self.controls.append(Control(repeat.name, first, end, names[2], end, repeat.count_max, *names[:2]))
        for place, result in zip(places.ends, step.outputs, strict=False):
            self._emit(self._copy(place.name, result, step.key), step, "carried")

    def _given(self, *names: str) -> list[Buffer]:
        return [self.values[name].buffer(f"given{at}") for at, name in enumerate(names)]

    def _count(self, step: Step, counting: Counting, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        ends = (counting.inputs, tuple(inputs), counting.outputs, tuple(outputs))
        body = Body(*ends, counting.body, (), counting.in_place, checks=len(outputs) > 3)
        self._emit(body, step, "count")

    def _choice(self, step: Step, choice: Choice) -> None:
        """The calls of two branches, of which those of one run."""
        condition, *around = (
            self._stored_as(step, name, row_major(self.values[name].type.shape), step.outputs[0])
            for name in step.inputs
        )
        seen = replace(
            self.values[condition],
            name=unused(f"{choice.name}.condition", self.values),
            type=TensorType(DType.BOOL, ()),
            strides=(),
        )
        flag = owning(unused(f"{choice.name}.flag", self.values), seen.type)
        self.values |= {seen.name: seen, flag.name: flag}
        self._emit(self._copy(seen.name, flag.name, step.key), step, "condition")
        bounds = [len(self.calls)]
        for draft in (choice.then, choice.otherwise):
            given = dict(zip(draft.inputs, (self.values[name] for name in around), strict=True))
            given |= zip(draft.outputs, (self.values[name] for name in step.outputs), strict=True)
            self._inside(step, draft, given)
            bounds.append(len(self.calls))
        self.controls.append(Control(choice.name, bounds[0], bounds[2], flag.name, bounds[1]))

    def _inside(self, step: Step, draft: Draft, given: Mapping[str, Value]) -> Mapping[str, str]:
        """The calls of a draft inside of a step, the values of its inputs and outputs where `given` says. Returns the names
        that its values have here.
        """
        machines, spaces = self.machines, self.layout.spaces
        program = schedule(draft, machines[HOST], machines, spaces, self.wanted, self.uses_up, self.force)
        inside = spliced(program, given, step.nodes[0] if step.nodes else step.outputs[0], self.values)
        self.values |= {value.name: value for value in inside.values}
        self.constants |= inside.constants
        kernels = {kernel.name: self._known_kernel(kernel, program) for kernel in program.kernels}
        first = len(self.calls)
        self.controls += [control.moved(first, inside.names) for control in program.controls]
        self.decisions += [replace(each, kernel=kernels[each.kernel].name) for each in program.decisions]
        for call in program.kernel_calls:
            args = tuple(inside.names[name] for name in call.args)
            self.calls.append(replace(call, kernel=kernels[call.kernel.name], args=args))
        return inside.names

    def _known_kernel(self, kernel: Kernel, program: Program) -> Kernel:
        """The kernel of a program inside of this one, under a name that is free here; an equal one if there is one."""
        text = program.texts.get(kernel.name) or body_text(kernel)
        if text not in self.kernels:
            name, number = kernel.name, 1
            while name in self.names:
                name, number = f"{kernel.name}_{number + 1}", number + 1
            self.names.add(name)
            self.kernels[text] = replace(kernel, name=name)
        return self.kernels[text]

    def _pointwise(self, step: Step, definition: Pointwise) -> Body:
        inputs = [self.values[name].buffer(f"x{number}") for number, name in enumerate(step.inputs)]
        output = self.values[step.outputs[0]].buffer("y")
        key = (step.key, pointwise_text(definition), *map(buffer_text, (*inputs, output)))
        loops = self.loops.get(key)
        if loops is None:
            loops = self.loops[key] = pointwise_loops(definition, inputs, output, self.machines[step.key])
        return Body(
            loops.params,
            tuple(step.inputs[number] for number in loops.operands),
            (loops.output,),
            step.outputs,
            loops.body,
            in_place=tuple((number, 0) for number in loops.in_place),
        )

    def _copy(self, source: str, destination: str, key: str) -> Body:
        type_ = self.values[source].type
        formal = Buffer("a0", type_.dtype, type_.shape, row_major(type_.shape))
        variables = tuple(Var(f"i{axis}") for axis in range(type_.rank))
        definition = Pointwise((formal,), type_, variables, Load(formal, variables), "copy")
        return self._pointwise(Step(definition, (source,), (destination,), (), key), definition)

    def _reshape(self, step: Step, reshape: Reshape) -> Body:
        """A copy to the output, seen with the input's shape."""
        source = self.values[step.inputs[0]]
        output = self.values[step.outputs[0]]
        shape = source.type.shape
        dense = output.buffer("y").is_row_major
        strides = row_major(shape) if dense else reshape_strides(output.type.shape, output.strides, shape)
        if strides is None:
            raise InternalError(
                f"reshape writes {output.name}, which is stored in an order that its input cannot be written in"
            )
        name = unused(f"{output.name}.seen{'x'.join(map(str, reshape.input.shape))}", self.values)
        self.values[name] = replace(
            output, name=name, type=TensorType(output.type.dtype, shape), strides=strides
        )
        return self._copy(step.inputs[0], name, step.key)

    def _template(self, step: Step, fused: Fused) -> Body:
        buffers = tuple(self.values[name].buffer(f"in{number}") for number, name in enumerate(step.inputs))
        outputs = tuple(self.values[name].buffer(f"out{number}") for number, name in enumerate(step.outputs))
        if not any(buffer.type.size for buffer in outputs):
            return Body(
                buffers, step.inputs, outputs, step.outputs, ()
            )  # templates need not know of empty results
        constants = tuple(self._constant(name) for name in step.inputs)
        machine = self.machines[step.key]
        home = home_of(machine, self.weight_bytes)
        limits = limits_of(self.draft, step, self.values)
        problem = Problem(fused, machine, buffers, outputs, constants, home, self.spare_bytes, *limits)
        known = self.wanted.get(step.key)
        wanted = {**(known.get(problem_digest(problem), {}) if known else {}), **self.force}
        weights = tuple(
            "" if array is None else name for name, array in zip(step.inputs, constants, strict=True)
        )
        written = self._written(problem, weights, wanted, step.key)
        names = list(step.inputs)
        for repacked in written.repacked:
            packed = self._packed_constant(
                step.inputs[repacked.source], written.inputs[repacked.number], repacked.array
            )
            if repacked.number == len(names):
                names.append(packed)
            else:
                names[repacked.number] = packed
        names += [self.draft.sizes[0][0] for _ in written.room_params]
        space = self.values[step.outputs[0]].space
        workspaces = []
        for buffer in written.workspaces:
            name = unused(f"{step.outputs[0]}.{buffer.name}", self.values)
            self.values[name] = Value(name, buffer.type, buffer.strides, name, 0, space)
            workspaces.append(name)
        if self.uses_up:
            problem = replace(
                problem, constants=tuple(None if array is None else _USED for array in constants)
            )
        has_choice = written.candidates or any(len(words) > 1 for words in written.offered.values())
        return Body(
            written.inputs,
            (*names, *workspaces),
            outputs,
            step.outputs,
            written.body,
            written.workspaces,
            written.in_place,
            Decision(problem, "", step.key, written.chosen, written.offered, wanted, written.candidates)
            if has_choice
            else None,
            fused.template.checks,
        )

    def _written(
        self, problem: Problem, weights: tuple[str, ...], wanted: Mapping[str, str], key: str
    ) -> Written:
        """What the template writes. For the steps of a loop, which have the same weights, by their names, it writes once; for
        equal layers of a network it only arranges their weights, where nothing else depends on these.
        """
        spares = problem.fused.template.spares
        of_any = (key, problem_text(problem), self.spare_bytes if spares else 0)
        written = self.kernels_of.get((*of_any, weights))
        if written is None:
            others = self.kernels_of_any[of_any]
            again = (other.with_constants(problem.constants) for other in others)
            written = next((same for same in again if same is not None), None)
            if written is None:
                written = write(problem, wanted)
                if written.asked is not None:
                    others.append(written)
            self.kernels_of[(*of_any, weights)] = written
        if spares:
            self.spare_bytes = max(0, written.spare_bytes)
        return written

    def _constant(self, name: str) -> np.ndarray | None:
        """The content of a constant, as the shape that the value has (a view of a constant is not offered)."""
        value = self.values[name]
        return self.constants[name] if name in self.constants and value.base == name else None

    def _packed_constant(self, source: str, packed: Buffer, array: np.ndarray) -> str:
        """The name of a constant holding this packed content; equal content is one constant."""
        wish = f"{source}.packed{'x'.join(map(str, packed.shape))}"
        for name in self.constant_names[wish]:
            old = self.constants[name]
            if old.dtype == array.dtype and np.array_equal(old.view(np.uint8), array.view(np.uint8)):
                return name
        return self._new_constant(wish, unused(wish, self.values), array, packed, self.values[source].space)

    def _new_constant(self, wish: str, name: str, array: np.ndarray, like: Buffer, space: str) -> str:
        self.constant_names[wish].append(name)
        self.constants[name] = array
        self.values[name] = Value(name, like.type, like.strides, name, 0, space)
        return name

    # ── kernels ──

    def _emit(self, written: Body, step: Step, name: str) -> None:
        done = self.done.get(id(written.body)) if written.body else None  # all empty bodies are one object
        if done is None or done.key != step.key:
            done = self.done[id(written.body)] = self._done_before(written, step, name)
        read = [written.input_names[number] for number in done.kept]
        for number, start in done.starts.items():
            read[number] = self._from(read[number], start, done.kernel.inputs[number].shape)
        args = (*read, *written.output_names, *written.input_names[len(written.inputs) :])
        if written.decision is not None:
            self.decisions.append(replace(written.decision, kernel=done.kernel.name))
        self.calls.append(Call(done.kernel, args, step.nodes, step.key, step.branch))

    def _done_before(self, written: Body, step: Step, name: str) -> Done:
        """The kernel of an equal body, if there was one: a network repeats its layers, each with weights of its own."""
        alike = self.alike[
            step.key, written.inputs, written.outputs, written.workspaces, written.in_place, written.checks
        ]
        raw = Raw(written)
        for other, done in alike:
            if other.text == raw.text:
                return replace(done, body=written.body)
        done = self._done(written, step, name)
        alike.append((raw, done))
        return done

    def _done(self, written: Body, step: Step, name: str) -> Done:
        """The kernel in its last form, with a name: that of an equal one, if there is one."""
        body = tuple(written.body)
        kernel = finished(
            Kernel(
                "k",
                written.inputs,
                written.outputs,
                body,
                written.workspaces,
                written.in_place,
                comment_of(name, step, written.decision),
                written.checks,
            ),
            self.machines[step.key],
        )
        kept = tuple(number for number, buffer in enumerate(written.inputs) if buffer in kernel.inputs)
        kernel, starts = rebased(kernel)
        text = body_text(kernel)
        known = self.kernels.get(text)
        if known is None:
            known = replace(kernel, name=self._kernel_name(step, name))
            verify(known, self.machines[step.key].grid)
            self.kernels[text] = known
        return Done(written.body, step.key, known, kept, starts)

    def _from(self, name: str, start: tuple[int, ...], shape: tuple[int, ...]) -> str:
        """A view of a part of a value: from a place on, of this shape."""
        if (name, start, shape) in self.views:
            return self.views[name, start, shape]
        value = self.values[name]
        view_name = unused(f"{name}.from{'x'.join(map(str, start))}.{'x'.join(map(str, shape))}", self.values)
        self.views[name, start, shape] = view_name
        offset = value.offset + sum(
            place * stride for place, stride in zip(start, value.strides, strict=True)
        )
        self.values[view_name] = replace(
            value, name=view_name, type=TensorType(value.type.dtype, shape), offset=offset
        )
        return view_name

    def _share_numbers(self) -> None:
        """Merges the kernels of one target that differ only in numbers."""
        keys = dict.fromkeys(call.key for call in self.calls if isinstance(call, Call))
        by_key = {
            key: [call for call in self.calls if isinstance(call, Call) and call.key == key] for key in keys
        }
        for key, calls in by_key.items():
            elsewhere = {call.kernel.name for other in keys if other != key for call in by_key[other]}
            kernels = {call.kernel.name: call.kernel for call in calls if call.kernel.name not in elsewhere}
            shared = share_numbers([kernel for kernel in kernels.values() if kernel.body])
            for new in {id(each.kernel): each.kernel for each in shared.values()}.values():
                verify(new, self.machines[key].grid)
            names = {
                old: [self._numbers(each, array, key) for array in each.numbers]
                for old, each in shared.items()
            }
            self.calls = [
                with_numbers(call, shared[call.kernel.name].kernel, names[call.kernel.name])
                if isinstance(call, Call) and call.key == key and call.kernel.name in shared
                else call
                for call in self.calls
            ]
            self.decisions = [
                replace(each, kernel=shared[each.kernel].kernel.name)
                if each.key == key and each.kernel in shared
                else each
                for each in self.decisions
            ]

    def _numbers(self, shared: Shared, array: np.ndarray, key: str) -> str:
        """The name of a constant for the numbers of one of the kernels that became one."""
        dtype = DType.from_numpy(array.dtype)
        prefix = f"{shared.kernel.name}.{dtype.value}"
        for name in self.constant_names[prefix]:
            old = self.constants[name]
            if old.shape == array.shape and old.tobytes() == array.tobytes():
                return name
        number = len(self.constant_names[prefix])
        while f"{prefix}.{number}" in self.values:
            number += 1
        like = Buffer("numbers", dtype, array.shape, row_major(array.shape))
        return self._new_constant(
            prefix, f"{prefix}.{number}", array, like, self.layout.spaces.get(key, HOST)
        )

    def _kernel_name(self, step: Step, name: str) -> str:
        """A C identifier from what is computed and the first node it stands for."""
        node = step.nodes[0] if step.nodes else step.outputs[0]
        base = re.sub(r"[^A-Za-z0-9]+", "_", f"{name}_{node}").strip("_").lower()[:60]
        candidate, number = base, 1
        while candidate in self.names:
            number += 1
            candidate = f"{base}_{number}"
        self.names.add(candidate)
        return candidate
