"""Large feature maps by bands of rows, so that none of them leaves the cache before it is read.

Where convolutions follow one another whose results are larger than half of a core's second-level cache, a result goes out to a
cache that cores share, and comes back for the next convolution. Instead, some rows go through all of them, then the next rows:
what is between them exists only for one band, always in the same memory. Rows that two bands read are made twice.

The upper bands and the lower ones are branches, which two threads may do side by side: when both shared out each step of a band,
they would read the rows in its middle from one another.

A band is read through views and written in its place, so that nothing is copied.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import TensorType
from ingot.kernels.concat import concat_template
from ingot.kernels.template import Pointwise, Template, index_vars
from ingot.loops.nodes import Buffer, Const, Expr, Load, buffer, index
from ingot.loops.transform.rewrite import Rewriter, loads, walk
from ingot.machines.machine import Machine
from ingot.plan.fuse.attention import as_fused, counted_readers
from ingot.plan.program import Branch, Draft, Epilogue, Fused, Step

ROW = 2  # the dimension of rows in `[N, C, H, W]`

# The upper half of the bands and the lower one need nothing from one another. More branches would take more memory than stays in
# the cache of one thread that does all of them.
BRANCHES = 2


def in_bands(draft: Draft, machines: Mapping[str, Machine]) -> Draft:
    """The draft with chains of templates taken apart into bands of rows.

    Does not handle: results that several steps read or that are outputs of the model, templates with an input that is computed
    where it is read.
    """
    if not any(_suits(machine) for machine in machines.values()):
        return draft
    readers = counted_readers(draft)
    # What is put together is stored with gaps, where the others have their places. `check_memory`, which sees the span of each
    # value, would miss what nobody writes between two bands of it.
    joined = {name for step in draft.steps if step.definition.name == "concat" for name in step.inputs}
    reader_of = {name: step for step in draft.steps for name in step.inputs}
    replaced: dict[str, list[Step]] = {}
    types = dict(draft.types)
    seen: set[str] = set()
    for step in draft.steps:
        if step.outputs[0] in seen or not _suits(machines[step.key]):
            continue
        limit = machines[step.key].l2_bytes // 2
        chain = [step] if _is_divisible(step, draft) else []
        while chain:
            name = chain[-1].outputs[0]
            after = reader_of.get(name)
            if after is None or readers.get(name) != 1 or name in draft.outputs or after.key != step.key:
                break
            if (
                types[name].size_bytes <= limit
                or not _is_divisible(after, draft)
                or after.inputs.index(name) != _first_operand(after)
            ):
                break
            chain.append(after)
        seen.update(each.outputs[0] for each in chain)
        last = chain[-1].outputs[0] if chain else ""
        bands = (
            _bands(chain, types, machines[step.key])
            if len(chain) > 1 and last not in draft.outputs and last not in joined
            else None
        )
        if bands:
            replaced |= {each.outputs[0]: [] for each in chain[:-1]}
            replaced[chain[-1].outputs[0]] = _Writer(types).steps(chain, bands)
    if not replaced:
        return draft
    steps = tuple(each for step in draft.steps for each in replaced.get(step.outputs[0], [step]))
    return replace(draft, types=types, steps=steps)


def _suits(machine: Machine) -> bool:
    """With more cores than branches the L2s together hold the whole tensor, and a band has too little work for them."""
    return (
        machine.l2_bytes >= machine.tuning.bands.min_l2_bytes
        and not machine.grid
        and machine.cores <= BRANCHES
    )


def _first_operand(step: Step) -> int:
    """Which of the step's inputs is input 0 of its template."""
    source = as_fused(step).sources[0]
    assert isinstance(source, int)
    return source


def _is_divisible(step: Step, draft: Draft) -> bool:
    """Whether some rows of the step's result can be made of some rows of its operands."""
    if not isinstance(step.definition, Template | Fused) or len(step.outputs) != 1:
        return False
    if any(draft.limits.get(name) for name in (*step.inputs, *step.outputs)):
        return False  # of parts of a value nobody knows which places are there
    fused = as_fused(step)
    if fused.template.rows is None or not all(isinstance(source, int) for source in fused.sources):
        return False
    name = step.inputs[_first_operand(step)]
    if name in draft.constants or (name in draft.inputs and ("input", 0) in fused.template.prefers):
        return False  # a copy of the whole in another order is better than one of each band
    others = [step.inputs[source] for source in fused.sources[1:] if isinstance(source, int)]
    if any(other not in draft.constants for other in others):
        return False
    last = fused.epilogue
    if last is None:
        return True
    return fused.sources[0] not in last.operands and _by_rows(last) is not None


def _by_rows(last: Epilogue) -> frozenset[int] | None:
    """The inputs of an epilogue that are read at the row which is written; None if they are read at others, too, or the row is
    needed for something else.
    """
    pointwise = last.pointwise
    if pointwise.output.rank <= ROW:
        return None
    row, height = pointwise.index[ROW], pointwise.output.shape[ROW]

    def is_at_row(node: Load) -> bool:
        others = (*node.index[:ROW], *node.index[ROW + 1 :])
        alone = not any(part == row for other in others for part in walk(other))
        return (
            len(node.index) == pointwise.output.rank
            and node.index[ROW] == row
            and node.buffer.shape[ROW] == height
            and alone
        )

    at_row = {node.buffer.name for node in loads(pointwise.value) if is_at_row(node)}
    rest = Rewriter(
        lambda expr: Const(0, expr.dtype) if isinstance(expr, Load) and is_at_row(expr) else None
    )(pointwise.value)
    if any(node == row for node in walk(rest)) or any(node.buffer.name in at_row for node in loads(rest)):
        return None
    return frozenset(number for number, formal in enumerate(pointwise.inputs) if formal.name in at_row)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some rows of a step: its template, the rows that it makes, and those that it reads."""

    template: Template
    written: tuple[int, int]
    read: tuple[int, int]


def _parts(chain: Sequence[Step], first: int, stop: int) -> list[_Part] | None:
    """What each step of the chain makes for these rows of the last one's result."""
    parts: list[_Part] = []
    for step in reversed(chain):
        rows = as_fused(step).template.rows
        cut = rows.make(first, stop) if rows is not None else None
        if cut is None:
            return None
        template, begin, end = cut
        parts.append(_Part(template, (first, stop), (begin, end)))
        first, stop = begin, end
    return parts[::-1]


def _bands(
    chain: Sequence[Step], types: Mapping[str, TensorType], machine: Machine
) -> list[list[_Part]] | None:
    """The parts of each band: as many rows as a band can have without its results being larger than half of L2, two neighbouring
    ones together, or somewhat fewer if all bands are equal then, best as many in each branch. None if that is not possible, or
    too much would be made twice.
    """
    row_bytes = [types[step.outputs[0]].size_bytes // types[step.outputs[0]].shape[ROW] for step in chain]
    height = types[chain[-1].outputs[0]].shape[ROW]

    def bands(rows: int) -> list[list[_Part]] | None:
        parts = [_parts(chain, first, min(first + rows, height)) for first in range(0, height, rows)]
        return [each for each in parts if each is not None] if all(parts) else None

    def fits(candidate: list[list[_Part]] | None) -> bool:
        return candidate is not None and all(
            _extent(a.written) * a_bytes + _extent(b.written) * b_bytes <= machine.l2_bytes // 2
            for parts in candidate
            for (a, a_bytes), (b, b_bytes) in itertools.pairwise(zip(parts, row_bytes, strict=True))
        )

    maximum = next((rows for rows in range(height - 1, 0, -1) if fits(bands(rows))), 0)
    sizes = range(maximum, maximum // 2, -1)
    equal = next(
        (rows for branches in (BRANCHES, 1) for rows in sizes if height % (rows * branches) == 0), maximum
    )
    chosen = bands(equal) if equal else None
    if chosen is None:
        return None
    twice = 0
    for number, step in enumerate(chain):
        rows = as_fused(step).template.rows
        assert rows is not None
        twice += (
            sum(_extent(parts[number].written) for parts in chosen) - types[step.outputs[0]].shape[ROW]
        ) * rows.operations
    saved = 2 * sum(types[step.outputs[0]].size_bytes for step in chain[:-1])
    return chosen if twice <= saved * machine.tuning.bands.operations_per_byte else None


def _extent(rows: tuple[int, int]) -> int:
    return rows[1] - rows[0]


class _Writer:
    """Writes the steps of bands; the types of their results go into `types`."""

    def __init__(self, types: dict[str, TensorType]) -> None:
        self.types = types

    def steps(self, chain: Sequence[Step], bands: Sequence[Sequence[_Part]]) -> list[Step]:
        """All bands, one after another, and what puts them together."""
        steps: list[Step] = []
        names: list[str] = []
        for number, parts in enumerate(bands):
            begin = len(steps)
            name = self._rows_of(steps, chain[0], chain[0].inputs[_first_operand(chain[0])], parts[0].read)
            for step, part in zip(chain, parts, strict=True):
                name = self._part(steps, step, part, name)
            names.append(name)
            branch = Branch(chain[-1].outputs[0], number * BRANCHES // len(bands))
            steps[begin:] = [replace(each, branch=branch) for each in steps[begin:]]
        last = chain[-1]
        template = concat_template([self.types[name] for name in names], ROW)
        steps.append(Step(template, tuple(names), last.outputs, last.nodes, last.key))
        return steps

    def _part(self, steps: list[Step], step: Step, part: _Part, source: str) -> str:
        """Emits some rows of a step; `source` has those of its operand. Returns the name of the result."""
        fused = as_fused(step)
        inputs = list(step.inputs)
        inputs[_first_operand(step)] = source
        last = fused.epilogue
        if last is not None:
            at_row = _by_rows(last)
            assert at_row is not None
            for number in at_row:
                operand = last.operands[number]
                if operand >= 0:
                    inputs[operand] = self._rows_of(steps, step, step.inputs[operand], part.written)
            last = replace(last, pointwise=_with_rows(last.pointwise, at_row, _extent(part.written)))
        fused_part = Fused(part.template, fused.sources, last)
        name = self._named(step.outputs[0], part.written, fused_part.outputs[0])
        steps.append(Step(fused_part, tuple(inputs), (name,), step.nodes, step.key))
        return name

    def _rows_of(self, steps: list[Step], reader: Step, name: str, rows: tuple[int, int]) -> str:
        """Emits a view of some rows of a value."""
        whole = self.types[name]
        begin, end = rows
        type_ = _cut(whole, end - begin)
        formal = buffer("a0", whole.dtype, whole.shape)
        variables = index_vars(whole.rank)
        where = tuple(
            variable + index(begin) if at == ROW else variable for at, variable in enumerate(variables)
        )
        view = Pointwise((formal,), type_, variables, Load(formal, where), "rows")
        view_name = self._named(name, rows, type_)
        steps.append(Step(view, (name,), (view_name,), reader.nodes, reader.key))
        return view_name

    def _named(self, name: str, rows: tuple[int, int], type_: TensorType) -> str:
        unused_name = base = f"{name}.rows{rows[0]}to{rows[1]}"
        number = 1
        while unused_name in self.types:
            number += 1
            unused_name = f"{base}.{number}"
        self.types[unused_name] = type_
        return unused_name


def _cut(type_: TensorType, rows: int) -> TensorType:
    return TensorType(type_.dtype, (*type_.shape[:ROW], rows, *type_.shape[ROW + 1 :]))


def _with_rows(pointwise: Pointwise, at_row: frozenset[int], rows: int) -> Pointwise:
    """The expression for so many rows: the inputs that are read at the row which is written have as many."""
    formals: dict[str, Buffer] = {}
    for number, formal in enumerate(pointwise.inputs):
        shape = _cut(formal.type, rows).shape if number in at_row else formal.shape
        formals[formal.name] = buffer(formal.name, formal.dtype, shape)

    def leave(expr: Expr) -> Expr | None:
        return Load(formals[expr.buffer.name], expr.index) if isinstance(expr, Load) else None

    return replace(
        pointwise,
        inputs=tuple(formals.values()),
        output=_cut(pointwise.output, rows),
        value=Rewriter(leave)(pointwise.value),
    )
