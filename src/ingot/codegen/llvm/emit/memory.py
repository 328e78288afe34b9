"""Reading and writing memory, one element or one vector at a time.

What instruction an access becomes follows from the form of its offset: the same in every lane → a scalar access; consecutive →
a vector access; every second to fourth element → vector loads and a shuffle; anything else → lane by lane. A mask says
which lanes may touch memory at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, memory_type, number, register_type, vector_of
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.values import SHORT_FLOATS, suffix
from ingot.loops.nodes import Buffer

# A readable place for the scalar load of a masked region in which no lane is active.
ZERO = "@ingot_zero"
ZERO_DEFINITION = f"{ZERO} = private unnamed_addr constant [16 x i8] zeroinitializer, align 16"
_FURTHEST_STEP = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a buffer lies. `lanes` is not 0 for a local of a vector loop: element `e` of lane `l` is at `e * lanes + l`. What is
    `local` is on the stack, or in registers after all.
    """

    pointer: str
    buffer: Buffer
    lanes: int = 0
    local: bool = False


def _raw(dtype: DType) -> DType:
    """The type whose registers look like the stored elements."""
    return DType.UINT8 if dtype is DType.BOOL else DType.UINT16 if dtype in SHORT_FLOATS else dtype


def _within(ops: Operations, place: Place, offset: Value) -> Value:
    if not place.lanes:
        return offset
    lane = Value("0", DType.INT64, place.lanes, 1, low=0, high=0, multiple=0)
    return ops.add(ops.mul(offset, number(place.lanes)), lane)


def address(ops: Operations, place: Place, offset: Value) -> str:
    """The address of the element at a scalar offset."""
    if offset.const == 0:
        return place.pointer
    return ops.fn.emit(
        f"getelementptr inbounds {memory_type(place.buffer.dtype)}, ptr {place.pointer}, {offset.typed}"
    )


def _addresses(ops: Operations, place: Place, offset: Value, lanes: int) -> str:
    wide = ops.vector(offset, lanes)
    return ops.fn.emit(
        f"getelementptr inbounds {memory_type(place.buffer.dtype)}, ptr {place.pointer}, {wide.typed}"
    )


def _reversed(ops: Operations, value: Value) -> Value:
    return ops.shuffled(value, reversed(range(value.lanes)))


def _at_step(offset: Value, by: int, ops: Operations) -> Value:
    return ops.add(offset.base, number(by))


def load(ops: Operations, place: Place, offset: Value, mask: Value | None) -> Value:
    """The element at an offset (in elements), as a register value; lanes outside the mask are 0 or repeat another lane."""
    dtype = place.buffer.dtype
    offset = _within(ops, place, offset)
    if mask is not None and mask.const is not None:
        mask = None
    raw = _load_raw(ops, place, offset, mask)
    if dtype is DType.BOOL:
        return ops.make(f"icmp ne {raw.typed}, {'zeroinitializer' if raw.lanes else '0'}", raw, DType.BOOL)
    return ops.unpack(raw, dtype) if dtype in SHORT_FLOATS else raw


def _load_raw(ops: Operations, place: Place, offset: Value, mask: Value | None) -> Value:
    fn, lanes = ops.fn, offset.lanes
    dtype = _raw(place.buffer.dtype)
    scalar, align = register_type(dtype), dtype.size_bytes
    if offset.is_uniform:
        pointer = address(ops, place, offset)
        if mask is not None:
            bits = suffix(DType.BOOL, mask.lanes)
            some = fn.call(f"llvm.vector.reduce.or.{bits}", "i1", (mask.type, mask.text))
            pointer = fn.emit(f"select i1 {some}, ptr {pointer}, ptr {ZERO}")
        return Value(fn.emit(f"load {scalar}, ptr {pointer}, align {align}"), dtype)
    if offset.step in (1, -1):
        first = offset.base if offset.step == 1 else _at_step(offset, 1 - lanes, ops)
        pointer = address(ops, place, first)
        if mask is None:
            value = Value(
                fn.emit(f"load {vector_of(scalar, lanes)}, ptr {pointer}, align {align}"), dtype, lanes
            )
        else:
            within = mask if offset.step == 1 else _reversed(ops, mask)
            kind = vector_of(scalar, lanes)
            args = [
                ("ptr", pointer),
                ("i32 immarg", str(align)),
                (mask.type, within.text),
                (kind, "zeroinitializer"),
            ]
            value = Value(_masked(ops, "load", kind, f"{suffix(dtype, lanes)}.p0", args), dtype, lanes)
        return value if offset.step == 1 else _reversed(ops, value)
    if mask is not None:
        kind, pointers = vector_of(scalar, lanes), vector_of("ptr", lanes)
        args = [
            (pointers, _addresses(ops, place, offset, lanes)),
            ("i32 immarg", str(align)),
            (mask.type, mask.text),
            (kind, "zeroinitializer"),
        ]
        return Value(_masked(ops, "gather", kind, f"{suffix(dtype, lanes)}.v{lanes}p0", args), dtype, lanes)
    if 1 < offset.step <= _FURTHEST_STEP and lanes > 1:
        return _load_strided(ops, place, offset, dtype)
    elements = []
    for lane in range(lanes):
        pointer = address(ops, place, ops.lane(offset, lane))
        elements.append(Value(fn.emit(f"load {scalar}, ptr {pointer}, align {align}"), dtype))
    return ops.join(elements)


def _load_strided(ops: Operations, place: Place, offset: Value, dtype: DType) -> Value:
    """Every step-th element, out of as many overlapping vector loads, none of which leaves the span of the elements wanted."""
    lanes, step = offset.lanes, offset.step
    kind = register_type(dtype, lanes)
    last = (lanes - 1) * step + 1 - lanes
    starts = [last * window // (step - 1) for window in range(step)]
    result = Value("poison", dtype, lanes)
    filled: set[int] = set()
    for start in starts:
        pointer = address(ops, place, _at_step(offset, start, ops))
        window = Value(ops.fn.emit(f"load {kind}, ptr {pointer}, align {dtype.size_bytes}"), dtype, lanes)
        order: list[int | None] = []
        for lane in range(lanes):
            at = lane * step - start
            if lane not in filled and 0 <= at < lanes:
                filled.add(lane)
                order.append(lanes + at)
            else:
                order.append(lane if lane in filled else None)
        result = ops.shuffled(result, order, window)
    return result


def store(ops: Operations, place: Place, offset: Value, value: Value, lanes: int, mask: Value | None) -> None:
    """Writes the element at an offset, for each of `lanes` lanes (0: outside of vector loops) that the mask allows."""
    dtype = place.buffer.dtype
    offset = _within(ops, place, offset)
    if mask is not None and mask.const is not None:
        mask = None
    value = ops.vector(value, value.lanes)
    if dtype is DType.BOOL:
        value = ops.cast(value, DType.UINT8)
    elif dtype in SHORT_FLOATS:
        value = ops.pack(value)
    fn, align = ops.fn, _raw(dtype).size_bytes
    if offset.is_uniform and mask is None:
        # All lanes write one element: the last one stays.
        last = ops.lane(value, lanes - 1) if value.lanes else value
        fn.do(f"store {last.typed}, ptr {address(ops, place, offset)}, align {align}")
        return
    lanes = offset.lanes or lanes
    value = ops.vector(value, lanes)
    if offset.step in (1, -1):
        first = offset.base
        if offset.step == -1:
            first, value = _at_step(offset, 1 - lanes, ops), _reversed(ops, value)
        pointer = address(ops, place, first)
        if mask is None:
            fn.do(f"store {value.typed}, ptr {pointer}, align {align}")
        else:
            within = mask if offset.step == 1 else _reversed(ops, mask)
            args = [
                (value.type, value.text),
                ("ptr", pointer),
                ("i32 immarg", str(align)),
                (mask.type, within.text),
            ]
            _masked(ops, "store", "void", f"{suffix(value.dtype, lanes)}.p0", args)
        return
    if mask is None:
        for lane in range(lanes):
            element = ops.lane(value, lane)
            fn.do(f"store {element.typed}, ptr {address(ops, place, ops.lane(offset, lane))}, align {align}")
        return
    args = [
        (value.type, value.text),
        (vector_of("ptr", lanes), _addresses(ops, place, offset, lanes)),
        ("i32 immarg", str(align)),
        (mask.type, mask.text),
    ]
    _masked(ops, "scatter", "void", f"{suffix(value.dtype, lanes)}.v{lanes}p0", args)


def _masked(ops: Operations, operation: str, result: str, overload: str, args: list[tuple[str, str]]) -> str:
    """Calls `llvm.masked.*`; `immarg` belongs to the declaration only."""
    name = f"llvm.masked.{operation}.{overload}"
    text = ops.fn.call(name, result, *((type_.removesuffix(" immarg"), given) for type_, given in args))
    ops.fn.declare(name, f"{result} @({', '.join(type_ for type_, _ in args)})")
    return text


def place_of_locals(ops: Operations, buffer: Buffer, lanes: int) -> Place:
    """Memory on the stack for a local buffer, one for each lane."""
    return Place(
        ops.fn.alloca(memory_type(buffer.dtype), buffer.span * max(lanes, 1)),
        replace(buffer),
        lanes,
        local=True,
    )
