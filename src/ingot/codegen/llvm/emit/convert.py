"""Conversions between element types, and the short floats that most processors can store but not compute with."""

from __future__ import annotations

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.builder import Value, constant, literal, register_type, vector_of
from ingot.codegen.llvm.emit.values import SHORT_FLOATS, Dot, VectorBuilder, suffix

_INT32_LOW, _INT32_HIGH = -(2**31), 2**31 - 1
_NEON_FLOATS = 4  # in a register


class Conversions(VectorBuilder):
    """Writes conversions into one function. A short float in a register is a float32 that the short type can hold."""

    def round(self, value: Value) -> Value:
        """Rounds a result that was computed in float32 to its own, shorter type; other types stay as they are."""
        return self.unpack(self.pack(value), value.dtype) if value.dtype in SHORT_FLOATS else value

    def pack(self, value: Value) -> Value:
        """The 16 bits of a short float, rounded to nearest even from any float32 in its register."""
        lanes = value.lanes
        if value.dtype is DType.FLOAT16 and self.chip.has_half:
            half = self.fn.emit(f"fptrunc {value.typed} to {vector_of('half', lanes)}")
            return Value(
                self.fn.emit(f"bitcast {vector_of('half', lanes)} {half} to {vector_of('i16', lanes)}"),
                DType.UINT16,
                lanes,
            )
        bits = self._bits(value, DType.UINT32)
        if value.dtype is DType.BFLOAT16:
            odd = self._op("and", self._op("lshr", bits, 16), 1)
            rounded = self._op("lshr", self._pair("add", self._op("add", bits, 0x7FFF), odd), 16)
            quiet = self._op("or", self._op("lshr", bits, 16), 0x40)
            test = self.make(f"fcmp uno {value.typed}, {value.text}", value, DType.BOOL)
            return self._narrow(self._choose(test, quiet, rounded))
        size = self._op("and", bits, 0x7FFFFFFF)
        sign = self._op("and", self._op("lshr", bits, 16), 0x8000)
        # Normal: another exponent bias, then round the 13 bits that fall off to nearest even.
        moved = self._op("sub", size, 0x38000000)
        odd = self._op("and", self._op("lshr", moved, 13), 1)
        normal = self._op("lshr", self._pair("add", self._op("add", moved, 0xFFF), odd), 13)
        # Subnormal: adding a half puts the last bit that stays at the end of a float32, whose own addition rounds.
        single = Value(self._bits(size, DType.FLOAT32).text, DType.FLOAT32, lanes)
        shifted = self.make(
            f"fadd {single.typed}, {self.vector(constant(0.5, DType.FLOAT32), lanes).text}", single
        )
        tiny = self._op("sub", self._bits(shifted, DType.UINT32), 0x3F000000)
        result = self._choose(self._test("ult", size, 0x38800000), tiny, normal)
        result = self._choose(
            self._test("uge", size, 0x47800000), self.vector(constant(0x7C00, DType.UINT32), lanes), result
        )
        quiet = self._op("or", self._op("and", self._op("lshr", size, 13), 0x3FF), 0x7E00)
        result = self._choose(self._test("ugt", size, 0x7F800000), quiet, result)
        return self._narrow(self._pair("or", result, sign))

    def unpack(self, bits: Value, dtype: DType) -> Value:
        """The short float that 16 bits stand for."""
        lanes = bits.lanes
        if dtype is DType.FLOAT16 and self.chip.has_half:
            half = self.fn.emit(f"bitcast {bits.typed} to {vector_of('half', lanes)}")
            return Value(
                self.fn.emit(f"fpext {vector_of('half', lanes)} {half} to {vector_of('float', lanes)}"),
                dtype,
                lanes,
            )
        wide = self.make(f"zext {bits.typed} to {vector_of('i32', lanes)}", bits, DType.UINT32)
        if dtype is DType.BFLOAT16:
            return self._bits(self._op("shl", wide, 16), dtype)
        # Shifted into place the number is 2^112 too small, subnormal or not; infinity and NaN want the greatest exponent.
        size = self._op("and", wide, 0x7FFF)
        small = self._bits(self._op("shl", size, 13), DType.FLOAT32)
        scale = self.vector(constant(2.0**112, DType.FLOAT32), lanes)
        scaled = self._bits(self.make(f"fmul {small.typed}, {scale.text}", small), DType.UINT32)
        scaled = self._choose(self._test("uge", size, 0x7C00), self._op("or", scaled, 0x7F800000), scaled)
        sign = self._op("shl", self._op("and", wide, 0x8000), 16)
        return self._bits(self._pair("or", scaled, sign), dtype)

    def cast(self, value: Value, dtype: DType) -> Value:
        """A `Cast` node."""
        source = value.dtype
        if source is dtype:
            return value
        if (
            value.const is not None
            and value.is_uniform
            and not source.is_float
            and not (source is DType.BOOL and dtype.is_float)
        ):
            return constant(
                bool(value.const) if dtype is DType.BOOL else _wrap(int(value.const), dtype), dtype
            )
        if value.step:
            value = self._cast_affine(value, dtype)
            if value.dtype is dtype:
                return value
            source = value.dtype
        if source.is_float:
            return self._from_float(value, dtype)
        if dtype is DType.BOOL:
            return self.make(f"icmp ne {value.typed}, {self._zero(value)}", value, DType.BOOL)
        if dtype.is_float:
            return self._int_to_float(value, dtype)
        target = register_type(dtype, value.lanes)
        width = 1 if source is DType.BOOL else source.bits
        if dtype.bits == width:
            result = Value(value.text, dtype, value.lanes)
        elif dtype.bits < width:
            result = self.make(f"trunc {value.typed} to {target}", value, dtype)
        elif (
            source is DType.BOOL
            and self.chip.has_scalef
            and value.lanes > 1
            and 512 % (value.lanes * dtype.bits) == 0
        ):
            result = self._from_mask(value, dtype)
        else:
            result = self.make(
                f"{'sext' if source.is_signed else 'zext'} {value.typed} to {target}", value, dtype
            )
        if dtype is DType.INT64 and width < 64 and not value.lanes:
            low, high = (
                (-(1 << width - 1), (1 << width - 1) - 1) if source.is_signed else (0, (1 << width) - 1)
            )
            return Value(result.text, dtype, low=low, high=high)
        return result

    def _from_mask(self, value: Value, dtype: DType) -> Value:
        """Ones where a mask is set, from a register. LLVM would load them from memory under the mask: while that is all zeros a
        page of constants may never be brought in, and each such load takes hundreds of cycles to find out that it need not be.
        """
        type_ = register_type(dtype, value.lanes)
        whole = max(value.lanes, 128 // dtype.bits)  # lanes of a register
        ones = self.hidden(self.vector(constant(1, dtype), whole))
        if whole > value.lanes:
            ones = self.part(ones, 0, value.lanes)
        zeros = self.vector(constant(0, dtype), value.lanes).text
        return self.make(f"select {value.typed}, {ones.typed}, {type_} {zeros}", value, dtype)

    def bitcast(self, value: Value, dtype: DType) -> Value:
        """A `Bitcast` node."""
        value = self.vector(value, value.lanes)
        if value.dtype in SHORT_FLOATS:
            value = self.pack(value)
        if dtype in SHORT_FLOATS:
            return self.unpack(Value(value.text, DType.UINT16, value.lanes), dtype)
        if DType.BOOL in (value.dtype, dtype):
            return self.cast(value, dtype)
        return self._bits(value, dtype)

    def _cast_affine(self, value: Value, dtype: DType) -> Value:
        """An affine vector on the way to another type: as a plain vector, as short as its range allows."""
        low, high = value.ends
        if dtype.is_integer and dtype.bits < 64:
            short = dtype
        elif dtype.is_float and low >= _INT32_LOW and high <= _INT32_HIGH:
            short = DType.INT32
        else:
            return self.vector(value, value.lanes)
        base = self.splat(self.cast(value.base, short), value.lanes)
        kind = register_type(short)
        steps = ", ".join(f"{kind} {literal(value.step * lane, short)}" for lane in range(value.lanes))
        return self.make(f"add {base.typed}, <{steps}>", base)

    def _from_float(self, value: Value, dtype: DType) -> Value:
        source, lanes = value.dtype, value.lanes
        if dtype is DType.BOOL:
            return self.make(f"fcmp une {value.typed}, {self._zero(value)}", value, DType.BOOL)
        if not dtype.is_float:
            # The narrower types go through a wider one, as processors do; freeze makes "out of range" some number.
            wide = (
                dtype
                if dtype in (DType.INT32, DType.INT64, DType.UINT64)
                else DType.INT32
                if dtype.bits < 32
                else DType.INT64
            )
            raw = self.fn.emit(
                f"fpto{'s' if wide.is_signed else 'u'}i {value.typed} to {register_type(wide, lanes)}"
            )
            fixed = Value(self.fn.emit(f"freeze {register_type(wide, lanes)} {raw}"), wide, lanes)
            return self.cast(fixed, dtype)
        if dtype is DType.FLOAT64:
            return self.make(f"fpext {value.typed} to {register_type(dtype, lanes)}", value, dtype)
        if source is DType.FLOAT64:
            if dtype is DType.FLOAT32:
                return self.make(f"fptrunc {value.typed} to {register_type(dtype, lanes)}", value, dtype)
            value = self._to_odd(value)
        return self.round(Value(value.text, dtype, lanes))

    def rounds_to(self, source: DType, target: DType) -> bool:
        """Whether the processor rounds half to even and converts in one instruction."""
        has_one = self.chip.machine.fma_by_element or self.chip.dot in (Dot.PAIRS, Dot.VNNI)
        return source is DType.FLOAT32 and target is DType.INT32 and has_one

    def rounded(self, value: Value) -> Value:
        """float32 to the nearest int32, half to even."""
        (value,) = self.plain(value)
        if (
            self.chip.machine.fma_by_element
            and value.lanes > _NEON_FLOATS
            and value.lanes % _NEON_FLOATS == 0
        ):
            firsts = range(
                0, value.lanes, _NEON_FLOATS
            )  # its instruction has a name for vectors of one register only
            return self.side_by_side(
                [self.rounded(self.shuffled(value, range(at, at + _NEON_FLOATS))) for at in firsts]
            )
        result, source = suffix(DType.INT32, value.lanes), suffix(DType.FLOAT32, value.lanes)
        is_neon = self.chip.machine.fma_by_element and value.lanes in (0, 2, _NEON_FLOATS)
        function = f"aarch64.neon.fcvtns.{result}.{source}" if is_neon else f"lrint.{result}.{source}"
        text = self.fn.call(
            f"llvm.{function}", register_type(DType.INT32, value.lanes), (value.type, value.text)
        )
        return Value(text, DType.INT32, value.lanes)

    def _to_odd(self, value: Value) -> Value:
        """float64 → float32 so that rounding again, to fewer bits, gives what rounding once would have."""
        lanes = value.lanes
        near = self.make(
            f"fptrunc {value.typed} to {register_type(DType.FLOAT32, lanes)}", value, DType.FLOAT32
        )
        back = self.make(f"fpext {near.typed} to {value.type}", value)
        inexact = self.make(f"fcmp one {back.typed}, {value.text}", value, DType.BOOL)
        sizes = self.intrinsic("fabs", back), self.intrinsic("fabs", value)
        beyond = self.make(f"fcmp ogt {sizes[0].typed}, {sizes[1].text}", value, DType.BOOL)
        bits = self._bits(near, DType.UINT32)
        step = self.make(f"zext {beyond.typed} to {bits.type}", bits)
        odd = self._op("or", self._pair("sub", bits, step), 1)
        return self._bits(self._choose(inexact, odd, bits), DType.FLOAT32)

    def _int_to_float(self, value: Value, dtype: DType) -> Value:
        letter = "s" if value.dtype.is_signed else "u"
        if dtype is DType.BFLOAT16 and value.dtype.bits > 16:
            double = self.make(
                f"{letter}itofp {value.typed} to {register_type(DType.FLOAT64, value.lanes)}",
                value,
                DType.FLOAT64,
            )
            return self.cast(double, dtype)
        return self.round(
            self.make(f"{letter}itofp {value.typed} to {register_type(dtype, value.lanes)}", value, dtype)
        )

    def _zero(self, value: Value) -> str:
        return "zeroinitializer" if value.lanes else literal(0, value.dtype)

    def _bits(self, value: Value, dtype: DType) -> Value:
        target = register_type(dtype, value.lanes)
        return (
            Value(value.text, dtype, value.lanes)
            if target == value.type
            else self.make(f"bitcast {value.typed} to {target}", value, dtype)
        )

    def _op(self, op: str, value: Value, number: int) -> Value:
        return self.make(
            f"{op} {value.typed}, {self.vector(constant(number, value.dtype), value.lanes).text}", value
        )

    def _pair(self, op: str, a: Value, b: Value) -> Value:
        return self.make(f"{op} {a.typed}, {b.text}", a)

    def _test(self, op: str, value: Value, number: int) -> Value:
        return self.make(
            f"icmp {op} {value.typed}, {self.vector(constant(number, value.dtype), value.lanes).text}",
            value,
            DType.BOOL,
        )

    def _choose(self, test: Value, a: Value, b: Value) -> Value:
        return self.make(f"select {test.typed}, {a.typed}, {b.typed}", a)

    def _narrow(self, value: Value) -> Value:
        return self.make(f"trunc {value.typed} to {vector_of('i16', value.lanes)}", value, DType.UINT16)


def _wrap(number: int, dtype: DType) -> int | float:
    if dtype.is_float:
        return float(number) if abs(number) < 2**53 else number
    number &= (1 << dtype.bits) - 1
    return number - (1 << dtype.bits) if dtype.is_signed and number >> dtype.bits - 1 else number
