"""Kernels as written for AVX-512, compiled for the processor here: LLVM makes several instructions of one where vectors are long.

So what templates and the emitter write for 16 lanes, 32 registers, dot products of bytes and tables in registers runs on any
machine; what LLVM makes of it for AVX-512 itself does not. Instructions that only x86 has are computed by definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unittest import mock

from ingot.base.target import Target
from ingot.codegen.llvm import generator as llvm
from ingot.codegen.llvm.build.objects import Job
from ingot.codegen.llvm.build.targets import machine, resolve
from ingot.codegen.llvmjit import generator as llvmjit
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.machines.machine import Machine
from ingot.plan.program import CompileUnit


def codegen(id_: str, cpu: str) -> Codegen:
    """A code generator which writes for an x86 CPU and compiles for the processor here, in memory."""
    wide = resolve(Target.parse(f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={cpu}"))

    def modules(unit: CompileUnit, _target: Target, context: BuildContext) -> Iterator[Job]:
        for job in llvm.modules(unit, wide, context):
            yield Job(portable(job.text), job.own_vectors)

    def generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
        with mock.patch.object(llvmjit, "modules", modules):
            return llvmjit.generate(unit, target, context)

    def written_for(_target: Target) -> Machine:
        return machine(wide)

    return Codegen(id_, f"kernels for {cpu} on the processor here", resolve, written_for, generate)


def portable(text: str) -> str:
    """The LLVM text of a module without what only x86 has: calls of its instructions, and assembly that only names a register."""
    text = re.sub(
        r'= call (<[^>]+>) asm "", "=v,0"\((<[^>]+>) (.*)\)$',
        r"= bitcast \2 \3 to \1",
        text,
        flags=re.MULTILINE,
    )
    known = dict(_definitions())
    for name in sorted(set(re.findall(r"@(llvm\.x86\.[a-z0-9.]+)", text))):
        text = re.sub(rf"^declare .*@{re.escape(name)}\(.*$\n?", "", text, flags=re.MULTILINE)
        # Not by its own name: in assembly that would look like the instruction.
        text = text.replace(f"@{name}(", f"@{_own(name)}(") + known[name]
    return text


def _own(name: str) -> str:
    return "own_" + name.removeprefix("llvm.x86.").replace(".", "_")


def _definitions() -> Iterator[tuple[str, str]]:
    for bits in (128, 256, 512):
        lanes = bits // 32
        name = f"llvm.x86.avx512.mask.scalef.ps.{bits}"
        yield name, _scale(_own(name), lanes)
        for word, count, widened in (("vpdpbusd", 4, ("zext", "sext")), ("vpdpwssd", 2, ("sext", "sext"))):
            name = f"llvm.x86.avx512.{word}.{bits}"
            yield name, _dot(_own(name), lanes, count, widened, True)
    for lanes, word in ((4, "sse2.pmadd.wd"), (8, "avx2.pmadd.wd"), (16, "avx512.pmaddw.d.512")):
        yield f"llvm.x86.{word}", _dot(_own(f"llvm.x86.{word}"), lanes, 2, ("sext", "sext"), False)
    name = "llvm.x86.avx512.vpermi2var.qi.512"
    yield name, _table(_own(name))
    name = "llvm.x86.avx2.pshuf.b"
    yield name, _halves(_own(name))
    name = "llvm.x86.avx512.permvar.sf.512"
    yield name, _floats(_own(name))


def _scale(name: str, lanes: int) -> str:
    """x * 2^floor(n), rounded once; `n` is whole and far from overflowing wherever it is called."""
    floats, ints, mask = f"<{lanes} x float>", f"<{lanes} x i32>", "i16" if lanes == 16 else "i8"
    rounding = ", i32 %r" if lanes == 16 else ""
    lines, last = [], "poison"
    for lane in range(lanes):
        lines += [
            f"%x{lane} = extractelement {floats} %x, i64 {lane}",
            f"%i{lane} = extractelement {ints} %i, i64 {lane}",
            f"%y{lane} = call float @llvm.ldexp.f32.i32(float %x{lane}, i32 %i{lane})",
            f"%z{lane} = insertelement {floats} {last}, float %y{lane}, i64 {lane}",
        ]
        last = f"%z{lane}"
    body = "\n".join(lines)
    return (
        f"define internal {floats} @{name}({floats} %x, {floats} %n, {floats} %p, {mask} %k{rounding}) {{\n"
        f"%i = fptosi {floats} %n to {ints}\n{body}\nret {floats} {last}\n}}\n"
    )


def _dot(name: str, lanes: int, count: int, widened: tuple[str, str], adds: bool) -> str:
    """The sums of `count` neighbouring products in 32 bits."""
    ints, given = f"<{lanes} x i32>", f"<{count * lanes} x i{32 // count}>"
    typed = ints if adds else given
    lines = [f"%{side}0 = bitcast {typed} %{side} to {given}" for side in "ab"]
    total = "%c" if adds else "zeroinitializer"
    for part in range(count):
        order = ", ".join(f"i32 {count * lane + part}" for lane in range(lanes))
        some = f"<{lanes} x i{32 // count}>"
        for side, how in zip("ab", widened, strict=True):
            lines.append(
                f"%{side}s{part} = shufflevector {given} %{side}0, {given} poison, <{lanes} x i32> <{order}>"
            )
            lines.append(f"%{side}w{part} = {how} {some} %{side}s{part} to {ints}")
        lines += [f"%m{part} = mul {ints} %aw{part}, %bw{part}", f"%t{part} = add {ints} {total}, %m{part}"]
        total = f"%t{part}"
    head = f"{ints} %c, " if adds else ""
    body = "\n".join(lines)
    return (
        f"define internal {ints} @{name}({head}{typed} %a, {typed} %b) {{\n{body}\nret {ints} {total}\n}}\n"
    )


def _table(name: str) -> str:
    """Bytes of two registers at the places that the low seven bits of a third say."""
    bytes_ = "<64 x i8>"
    lines = [
        "%t = alloca [128 x i8], align 64",
        f"store {bytes_} %a, ptr %t",
        "%h = getelementptr i8, ptr %t, i64 64",
    ]
    lines += [f"store {bytes_} %b, ptr %h", f"%w = and {bytes_} %i, splat (i8 127)", *_bytes_at(64)]
    body = "\n".join(lines)
    return f"define internal {bytes_} @{name}({bytes_} %a, {bytes_} %i, {bytes_} %b) {{\n{body}\nret {bytes_} %z63\n}}\n"


def _halves(name: str) -> str:
    """Bytes of each half of a register at the places in it that the low four bits of a second one say; 0 where its highest bit is
    set.
    """
    bytes_ = "<32 x i8>"
    starts = ", ".join(f"i8 {lane // 16 * 16}" for lane in range(32))
    lines = [
        "%t = alloca [32 x i8], align 32",
        f"store {bytes_} %a, ptr %t",
        f"%n = and {bytes_} %i, splat (i8 15)",
    ]
    lines += [
        f"%w = or {bytes_} %n, <{starts}>",
        *_bytes_at(32),
        f"%s = icmp slt {bytes_} %i, zeroinitializer",
    ]
    lines += [f"%y = select <32 x i1> %s, {bytes_} zeroinitializer, {bytes_} %z31"]
    body = "\n".join(lines)
    return f"define internal {bytes_} @{name}({bytes_} %a, {bytes_} %i) {{\n{body}\nret {bytes_} %y\n}}\n"


def _floats(name: str) -> str:
    """Floats of a register at the places in it that the low four bits of a second one say; any where these are not set."""
    floats, ints, last = "<16 x float>", "<16 x i32>", "poison"
    lines = ["%t = alloca [16 x float], align 64", f"store {floats} %a, ptr %t"]
    lines += [f"%s = freeze {ints} %i", f"%w = and {ints} %s, splat (i32 15)"]
    for lane in range(16):
        lines += [
            f"%l{lane} = extractelement {ints} %w, i64 {lane}",
            f"%p{lane} = getelementptr float, ptr %t, i32 %l{lane}",
            f"%y{lane} = load float, ptr %p{lane}",
            f"%z{lane} = insertelement {floats} {last}, float %y{lane}, i64 {lane}",
        ]
        last = f"%z{lane}"
    body = "\n".join(lines)
    return f"define internal {floats} @{name}({floats} %a, {ints} %i) {{\n{body}\nret {floats} {last}\n}}\n"


def _bytes_at(lanes: int) -> Iterator[str]:
    """The bytes of the table `%t` at the places `%w`; the last line gives all of them."""
    yield f"%l = zext <{lanes} x i8> %w to <{lanes} x i64>"
    last = "poison"
    for lane in range(lanes):
        yield f"%l{lane} = extractelement <{lanes} x i64> %l, i64 {lane}"
        yield f"%p{lane} = getelementptr i8, ptr %t, i64 %l{lane}"
        yield f"%y{lane} = load i8, ptr %p{lane}"
        yield f"%z{lane} = insertelement <{lanes} x i8> {last}, i8 %y{lane}, i64 {lane}"
        last = f"%z{lane}"
