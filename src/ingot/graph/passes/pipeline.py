"""What a graph pass is to the others: a record with a name, in an order, and the runner that watches each one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import onnx
import onnx_ir as ir

from ingot.base.defects import defects_named
from ingot.base.errors import InternalError, TargetError, nearest
from ingot.base.observe import Observer
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.operator_table import OperatorTable
from ingot.graph.passes.control_flow.kept import Kept
from ingot.graph.passes.control_flow.unroll import Unroller
from ingot.graph.passes.tidy.fold_budget import FoldBudget
from ingot.graph.passes.tidy.shapes import skeleton
from ingot.graph.read.damage import FAULTS
from ingot.graph.read.declared import Declarations
from ingot.graph.read.types import opset_of
from ingot.graph.write import model_bytes

# Before it every weight had to be an input, too, and passes make weights.
_IR_VERSION_MIN = 4


@dataclass(slots=True)
class Work:
    """A model on its way through the passes, and what they know of each other.

    Attributes:
        model: the model at hand; a pass changes it in place, or puts another one here.
        table: the operators that have kernels.
        declarations: what the model states of its own values.
        exact: whether the mathematics is that of each operator's definition, to the last bit of a weight.
        sizes: gets what follows from shapes.
        depth: how often the bodies of operators were written out.
        unroller: counts the nodes that loops become.
        kept: the loops and branches that stay.
        skip: the names of passes that are left out.
        budget: what may still be computed while building.
    """

    model: ir.Model
    table: OperatorTable
    declarations: Declarations
    exact: bool = True
    sizes: SizeLog | None = None
    depth: int = 0
    kept: Kept = field(default_factory=Kept)
    skip: Collection[str] = frozenset()
    unroller: Unroller = field(init=False)
    budget: FoldBudget = field(init=False)

    def inside(self, model: ir.Model) -> Work:
        """The work on a model that stands inside of a loop or a branch of this one."""
        work = Work(model, self.table, Declarations(), self.exact, kept=self.kept, skip=self.skip)
        work.budget = self.budget
        return work

    def is_native(self, node: ir.Node) -> bool:
        """Whether there is a kernel for a node's operator."""
        return self.table.find(node.domain, node.op_type, opset_of(self.model, node.domain)) is not None

    def needs(self, domain: str, op_type: str) -> Collection[int] | None:
        """The positions of inputs that an operator needs to know while building; None if it has no kernel."""
        if op_type == "Identity":
            return ()
        operator = self.table.find(domain, op_type, opset_of(self.model, domain))
        return None if operator is None else operator.constant_inputs


def always(_: Work) -> bool:
    """The condition of a group that has none."""
    return True


@dataclass(frozen=True, slots=True)
class Pass:
    """One step from a model to an equal one.

    Attributes:
        name: a verb and what it is done to, in lower case: `recognise-layer-norm`.
        does: what the pass does, in one line.
        run: does it; returns whether what depends on a change has to follow: another round, or the `then` of a group.
        optional: whether models can be lowered without it. They compute the same then, and may be slower.
    """

    name: str
    does: str
    run: Callable[[Work], bool]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Steps one after another, if `when` holds. If one of them requests it, the passes `then` follow."""

    steps: tuple[Step, ...]
    then: tuple[Pass, ...] = ()
    when: Callable[[Work], bool] = always


@dataclass(frozen=True, slots=True)
class Repeated:
    """A ladder of steps (rungs). After a rung with a pass that requests it, the first rung runs again while `goes_on` holds."""

    rungs: tuple[tuple[Pass, ...], ...]
    goes_on: Callable[[Work], bool]


Step = Pass | Group | Repeated


def passes_of(steps: Sequence[Step]) -> tuple[Pass, ...]:
    """Every pass of some steps once, in the order in which they run first."""
    return tuple({pass_.name: pass_ for pass_ in _flat(steps)}.values())


def _flat(steps: Sequence[Step]) -> Iterator[Pass]:
    for step in steps:
        match step:
            case Pass():
                yield step
            case Group():
                yield from _flat((*step.steps, *step.then))
            case Repeated():
                yield from (pass_ for rung in step.rungs for pass_ in rung)


def checked_skips(names: object, passes: Sequence[Pass]) -> frozenset[str]:
    """The names of passes to leave out, if they may be.

    Raises:
        TargetError: a name that no pass has, or that of a pass which is not optional; or these are no names.
    """
    if isinstance(names, str) or not isinstance(names, Collection):
        raise TargetError(
            f"skip_passes={names!r:.80}: expected the names of passes, such as ('recognise-layer-norm',)"
        )
    optional = {pass_.name: pass_.optional for pass_ in passes}
    for name in names:
        if not isinstance(name, str) or name not in optional:
            known = "`ingot build --passes` lists them"
            raise TargetError(
                f"skip_passes: there is no pass {name!r:.80}{nearest(name, optional)} ({known})"
            )
        if not optional[name]:
            others = ", ".join(pass_.name for pass_ in passes if pass_.optional)
            raise TargetError(
                f"skip_passes: the pass {name!r} cannot be left out, no model can be lowered without it (these can: {others})"
            )
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs steps on a model.

    Attributes:
        observer: hears how long each pass took, and gets the model after each one that changed it.
        skip: the names of passes that are left out.
        check: whether the model is checked after each pass that changed it.
    """

    observer: Observer
    skip: Collection[str] = frozenset()
    check: bool = False

    def run(self, steps: Sequence[Step], work: Work) -> bool:
        """Runs steps in order; returns whether one asked for what depends on a change.

        Raises:
            InternalError: a pass failed, or with `check` left a model that is not well-formed; the message has its name.
        """
        asked = False
        for step in steps:
            match step:
                case Pass():
                    asked |= self._pass(step, work)
                case Group():
                    asked |= self._group(step, work)
                case Repeated():
                    self._climb(step, work)
        return asked

    def _group(self, group: Group, work: Work) -> bool:
        asked = group.when(work) and self.run(group.steps, work)
        if asked:
            self.run(group.then, work)
        return asked

    def _climb(self, ladder: Repeated, work: Work) -> None:
        while ladder.goes_on(work) and any(self.run(rung, work) for rung in ladder.rungs):
            pass

    def _pass(self, pass_: Pass, work: Work) -> bool:
        if pass_.name in self.skip:
            return False
        watched = self.check or self.observer.wants_stages
        before = _parts(work.model) if watched else []
        with (
            self.observer.timed(f"passes: {pass_.name}"),
            defects_named(f"the pass {pass_.name} of the graph", *FAULTS),
        ):
            asked = pass_.run(work)
        if watched and not _are_same(before, _parts(work.model)):
            self._changed(pass_, work.model)
        return asked

    def _changed(self, pass_: Pass, model: ir.Model) -> None:
        self.observer.dump(f"{pass_.name}.onnx", lambda: model_bytes(model))
        if self.check:
            check_model(model, pass_.name)


def check_model(model: ir.Model, name: str) -> None:
    """Checks that a model is well-formed: what nodes read is there before them, and no name is given twice.

    Raises:
        InternalError: it is not; `name` is that of the pass that left it so.
    """
    proto = skeleton(model)
    proto.ir_version = max(proto.ir_version, _IR_VERSION_MIN)
    del proto.graph.value_info[:]  # what is known of values between nodes, which may be no type yet
    try:
        onnx.checker.check_model(proto)
    except onnx.checker.ValidationError as error:
        text = " ".join(str(error).split())
        raise InternalError(
            f"the pass {name} of the graph left a model that is not well-formed: {text[:300]}"
        ) from error


def _parts(model: ir.Model) -> list[object]:
    """All that a model is made of, without looking at the content of weights: passes put other tensors in their places."""
    graph = model.graph
    parts: list[object] = [
        *graph.inputs,
        *graph.outputs,
        *(value.const_value for value in graph.initializers.values()),
    ]
    for value in (*graph.inputs, *graph.outputs, *graph.initializers.values()):
        parts += _facts(value)
    for node in ir.traversal.RecursiveGraphIterator(graph):
        parts += [node, node.domain, node.op_type, *node.inputs, *node.attributes.values()]
        for value in node.outputs:
            parts += _facts(value)
    return parts


def _facts(value: ir.Value) -> tuple[object, ...]:
    return value, value.name, str(value.shape), str(value.type)


def _are_same(parts: Sequence[object], others: Sequence[object]) -> bool:
    if len(parts) != len(others):
        return False
    return all(
        part is other or (isinstance(part, str) and part == other)
        for part, other in zip(parts, others, strict=True)
    )
