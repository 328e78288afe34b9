"""Kernels of a program with room, with loops that end where the places of a call do (`loops/transform/shorten`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.base.tensor import DType
from ingot.loops.analyse.counts import Limit, needed_axis
from ingot.loops.nodes import Buffer, Const, Kernel, Load, buffer
from ingot.loops.transform.given import with_needed
from ingot.loops.transform.rewrite import expressions, postorder, statements
from ingot.loops.transform.shorten import needs_whole, shortened
from ingot.plan.param_limits import param_limits
from ingot.plan.program import Call, Program, Transfer, latest_sizes

_Limits = tuple[Limit, ...]
_Key = tuple[int, tuple[_Limits, ...]]  # a kernel and the limits of its parameters


def shortened_program(
    program: Program,
    limits: Mapping[str, Sequence[Limit]],
    vectors: Sequence[tuple[str, frozenset[int]]],
) -> Program:
    """The program, of which kernels compute the places that are there and few others.

    Args:
        program: as `schedule` made it.
        limits: of values by name. A value that is not named is needed as a whole.
        vectors: the values that have the sizes of a call, as of a draft (`Draft.sizes`).
    """
    short: dict[_Key, Kernel] = {}
    shape = program.values[vectors[0][0]].type.shape
    sizes = _Sizes(
        vectors, shape, _known_at(program, vectors), _NeededKnown(buffer("sizes", DType.INT64, shape))
    )
    known = _with_whole_fills(program, {name: tuple(some) for name, some in limits.items()}, short, sizes)
    named: dict[_Key, Kernel] = {}
    names: set[str] = set()
    calls: list[Call | Transfer] = []
    for call in program.calls:
        if not isinstance(call, Call):
            calls.append(call)
            continue
        problem = _Problem.of(call, program, known, sizes)
        key = problem.key
        if key not in named:
            named[key] = _named_apart(_without(_unread(short[key]), short[key]), names)
            names.add(named[key].name)
        args = _arguments(call, short[key], problem.sizes, sizes)
        unread = _unread(short[key])
        args = tuple(arg for number, arg in enumerate(args) if number not in unread)
        calls.append(replace(call, kernel=named[key], args=args))
    texts = {name: text for name, text in program.texts.items() if name not in names}
    return replace(program, calls=tuple(calls), texts=texts)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The values that have the sizes of a call, the shape of each, and by the `id` of each call of a kernel the dims whose sizes
    are known before it: what counts places does not know yet how many there are. `needed` gives kernels that know how much of
    their outputs is needed.
    """

    vectors: Sequence[tuple[str, frozenset[int]]]
    shape: tuple[int, ...]
    known_at: Mapping[int, frozenset[int]]
    needed: _NeededKnown

    def __contains__(self, name: str) -> bool:
        return any(name == vector for vector, _ in self.vectors)


class _NeededKnown:
    """Kernels that know how much of output 0 is needed; those that ask for it read it in `sizes`."""

    def __init__(self, sizes: Buffer) -> None:
        self.sizes = sizes
        self._known: dict[
            tuple[int, _Limits], tuple[Kernel, Kernel]
        ] = {}  # with the one that asks, to keep it

    def __call__(self, call: Call, program: Program, known: Mapping[str, _Limits]) -> Kernel:
        """The kernel of a call, with limits of values by name."""
        kernel = call.kernel
        if all(needed_axis(param) is None for param in kernel.inputs):
            return kernel
        written = call.writes[0]
        key = id(kernel), known.get(written, ())
        if key not in self._known:
            shape = program.values[written].type.shape
            self._known[key] = kernel, with_needed(kernel, key[1], shape, self.sizes)
        return self._known[key][1]


def _known_at(
    program: Program, vectors: Sequence[tuple[str, frozenset[int]]]
) -> Mapping[int, frozenset[int]]:
    written = {name for call in program.calls for name in call.writes}
    known = frozenset[int]().union(*(dims for name, dims in vectors if name not in written))
    by_name, known_at = dict(vectors), {}
    for call in program.kernel_calls:
        known_at[id(call)] = known
        known = known.union(*(by_name[name] for name in call.writes if name in by_name))
    return known_at


def _arguments(call: Call, kernel: Kernel, param: Buffer, sizes: _Sizes) -> tuple[str, ...]:
    """The arguments of a call for its shorter kernel, which reads in `param` how many places there are."""
    if param not in kernel.inputs or kernel is call.kernel:
        return call.args
    expressions_ = (part for stmt in statements(kernel.body) for part in expressions(stmt))
    read = [node for node in postorder(*expressions_) if isinstance(node, Load) and node.buffer == param]
    places = [node.index[0] for node in read]
    dims = {int(place.value) if isinstance(place, Const) else -1 for place in places}
    if -1 in dims:
        dims = set().union(*(known for _, known in sizes.vectors))
    at, given = kernel.inputs.index(param), len(call.kernel.inputs)
    is_new = len(kernel.inputs) > given
    return (*call.args[:at], latest_sizes(sizes.vectors, dims), *call.args[at if is_new else at + 1 :])


def _unread(kernel: Kernel) -> frozenset[int]:
    """The inputs, by number, that asked how much is needed."""
    return frozenset(number for number, param in enumerate(kernel.inputs) if needed_axis(param) is not None)


def _without(numbers: frozenset[int], kernel: Kernel) -> Kernel:
    """The kernel without some of its inputs, which it does not read."""
    if not numbers:
        return kernel
    kept = [number for number in range(len(kernel.inputs)) if number not in numbers]
    inputs = tuple(kernel.inputs[number] for number in kept)
    in_place = tuple((kept.index(number), output) for number, output in kernel.in_place)
    return replace(kernel, inputs=inputs, in_place=in_place)


@dataclass(frozen=True, slots=True)
class _Problem:
    """What `loops/transform/shorten` wants to know of a call.

    Attributes:
        kernel: what is called.
        of_params: the limits of each parameter.
        limits: the same by name, without parameters that have none.
        sizes: the parameter with the sizes of a call, or a new one.
        parts: which other parameters are some of the sizes, and from which one on.
    """

    kernel: Kernel
    of_params: tuple[_Limits, ...]
    limits: Mapping[str, _Limits]
    sizes: Buffer
    parts: Mapping[str, int]

    @property
    def key(self) -> _Key:
        """The same for calls of one kernel with the same limits."""
        return id(self.kernel), self.of_params

    @property
    def arguments(self) -> tuple[Mapping[str, _Limits], Buffer, Mapping[str, int]]:
        """As `shortened` and `needs_whole` take them behind the kernel."""
        return self.limits, self.sizes, self.parts

    @classmethod
    def of(cls, call: Call, program: Program, known: Mapping[str, _Limits], vectors: _Sizes) -> _Problem:
        """The problem of a call, with limits of values by name."""
        kernel = vectors.needed(call, program, known)
        of_params = tuple(
            param_limits(
                program.values[name],
                param,
                [limit for limit in known.get(name, ()) if limit.count.dim in vectors.known_at[id(call)]],
            )
            for name, param in zip(call.args, kernel.params, strict=True)
        )
        limits = {param.name: some for param, some in zip(kernel.params, of_params, strict=True) if some}
        # A kernel may have all sizes already, or some of them.
        values = {
            param.name: program.values[name]
            for param, name in zip(kernel.inputs, call.reads, strict=True)
            if needed_axis(param) is None
        }
        parts = {name: value.offset for name, value in values.items() if value.base in vectors}
        sizes = _sizes_param(kernel, parts, vectors)
        parts.pop(sizes.name, None)
        return cls(kernel, of_params, limits, sizes, parts)


def _sizes_param(kernel: Kernel, parts: Mapping[str, int], vectors: _Sizes) -> Buffer:
    """The parameter with all sizes: one that a kernel has, or a new one."""
    given = [param for param in kernel.inputs if param.name in parts and param.shape == vectors.shape]
    asked = [param for param in given if param == vectors.needed.sizes]
    return next(iter((*asked, *given)), vectors.needed.sizes)


def _with_whole_fills(
    program: Program, limits: Mapping[str, _Limits], short: dict[_Key, Kernel], sizes: _Sizes
) -> Mapping[str, _Limits]:
    """The limits, with neutral places up to the end where a kernel reads more of them than the next block has. `short` gets the
    kernels that were shortened on the way.
    """
    known = {name: tuple(map(_without_margin, some)) for name, some in limits.items()}
    params: dict[_Key, frozenset[str]] = {}
    while True:
        # Whoever reads a copy on another device reads all of it.
        needing = {copy.source for copy in program.calls if isinstance(copy, Transfer)}
        for call in program.kernel_calls:
            problem = _Problem.of(call, program, known, sizes)
            key = problem.key
            if key not in short:
                short[key] = shortened(problem.kernel, *problem.arguments)
                params[key] = needs_whole(problem.kernel, *problem.arguments, short[key])
            needing.update(_read_whole(call, problem, params[key], known))
        bases = {program.values[name].base for name in needing}
        # Whoever writes such a value does it under another name, if the one that is read is a view.
        views = {name for name, value in program.values.items() if value.base in bases and name in known}
        changed = {name: tuple(map(_more, known[name], limits[name])) for name in views}
        if all(known[name] == some for name, some in changed.items()):
            return known
        known |= changed


def _read_whole(
    call: Call, problem: _Problem, params: frozenset[str], known: Mapping[str, _Limits]
) -> Iterator[str]:
    """The values of which a call may read neutral places behind the next block; `params` are such parameters, by their limits.
    Of a value without limits, which may be a part of one that has some, it may read everything.
    """
    for param, name, limits in zip(call.kernel.inputs, call.reads, problem.of_params, strict=False):
        if name not in known:
            yield name
        fills = [limit for limit in known.get(name, ()) if limit.fill is not None and not limit.margin]
        # A limit that is in no single axis of the parameter is none of the kernel's: it may read everything.
        own = [limit for limit in limits if limit.fill is not None and not limit.margin]
        if param.name in params or len(fills) > len(own):
            yield name


def _without_margin(limit: Limit) -> Limit:
    """The limit with no neutral place, where a margin would do: who knows how many places there are needs none."""
    return limit if limit.margin is None else replace(limit, margin=0)


def _more(limit: Limit, given: Limit) -> Limit:
    """The limit with more neutral places, as far as windows read them, or everywhere."""
    if limit.fill is None:
        return limit
    return replace(limit, whole=True) if given.margin is None else given


def _named_apart(kernel: Kernel, names: set[str]) -> Kernel:
    """The kernel under a name that no other one has."""
    name, number = kernel.name, 2
    while name in names:
        name, number = f"{kernel.name}_{number}", number + 1
    return kernel if name == kernel.name else replace(kernel, name=name)
