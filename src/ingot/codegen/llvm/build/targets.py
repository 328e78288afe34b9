"""From a target's text to a definite processor, and what templates may count on there."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import llvmlite.binding as llvm

from ingot.base import environment
from ingot.base.errors import TargetError, nearest
from ingot.base.target import Target
from ingot.base.threads import available_threads
from ingot.codegen.llvm.build.objects import Processor, start_llvm, target_machine
from ingot.codegen.llvm.build.probe import tiles_pay_here
from ingot.codegen.llvm.build.processors import (
    BASELINES,
    CPUS,
    FAMILIES,
    FEATURES,
    IMPOSSIBLE,
    LINUX_FEATURES,
    STAND_INS,
    UNASKED,
    UNFIT,
    WIDE,
    WITH_UNASKED,
    WITH_VECTORS,
)
from ingot.codegen.llvm.emit.values import Chip, Dot
from ingot.machines.machine import Machine
from ingot.machines.microarchitecture import Microarchitecture
from ingot.machines.registry import find
from ingot.machines.tuning import Amx

L2 = "l2"
"""The option of a target that says how much second-level cache a core has for itself: `--l2=1M`."""
CORES = "cores"
"""The option of a target that says on how many cores its models are to run: `--cores=8`."""
FLOAT32_TILES = "float32-tiles"
"""The option of a target that says whether products of float32 go through AMX tiles: `--float32-tiles=off`."""
_L2_MAX = 1 << 30
_CORES_MAX = 1024  # as many threads as a pool has
_OPTIONS = {
    L2: f"--{L2}=BYTES, the second-level cache that a core has for itself",
    CORES: f"--{CORES}=N, on how many cores models are to run",
    FLOAT32_TILES: f"--{FLOAT32_TILES}=on or off, whether products of float32 go through AMX tiles",
}
_CORES_OF_NATIVE = 4  # up to three get equal shares from code for any number of cores, which runs well on other machines, too
_NOT_WORTH_NAMING = frozenset(
    {
        "cmov",
        "crc32",
        "cx16",
        "cx8",
        "fxsr",
        "mmx",
        "prefer-128-bit",
        "prefer-256-bit",
        "soft-float",
        "sse",
        "sse2",
        "x87",
    }
)


@dataclass(frozen=True, slots=True)
class _Traits:
    vector_bytes: int
    has_fma: bool
    has_half: bool
    has_gather: bool
    dot: Dot
    pair_bytes: int
    has_scalef: bool
    lookup_bytes: int
    fma_by_element: bool


def family(triple: str) -> tuple[str, str]:
    """The name of the instruction set in a triple, as in FAMILIES, and its family.

    Raises:
        TargetError: no such instruction set.
    """
    first = triple.partition("-")[0]
    for name in sorted(FAMILIES, key=len, reverse=True):
        if first == name or (FAMILIES[name] == "arm" and re.fullmatch(name + r"(v\d[a-z0-9.]*)?", first)):
            return name, FAMILIES[name]
    raise TargetError(
        f"target triple {triple!r}: unknown instruction set {first!r}{nearest(first, FAMILIES)} (known: {', '.join(FAMILIES)})",
        triple=triple,
    )


def require_addresses(target: Target, longest_bytes: int, symbol: str) -> None:
    """Raises TargetError if a resolved target's processor has addresses of 32 bits, and a model more bytes in one piece."""
    name, _ = family(target.triple)
    if name not in WIDE and longest_bytes > 2**31:
        raise TargetError(
            f"target {str(target)!r}: model {symbol!r} has {longest_bytes} bytes in one piece, and {name} addresses of 32 bits;"
            " build it for another processor, or for smaller inputs",
            triple=target.triple,
        )


def resolve(target: Target) -> Target:
    """The target with a triple, a CPU that LLVM knows, and, for `native`, this machine's features.

    `llvm` alone is `llvm -mcpu=native`.

    Raises:
        TargetError: an unknown triple, CPU, feature or option, with the nearest names.
    """
    start_llvm()
    triple = target.triple or llvm.get_default_triple()
    name, kind = family(triple)
    options = dict(target.options)
    for option in options.keys() - set(_OPTIONS):
        raise TargetError(
            f"target {str(target)!r}: the code generator {target.codegen} has no option {option!r}{nearest(option, _OPTIONS)} "
            f"(known: {'; '.join(_OPTIONS.values())})",
            option=option,
        )
    if L2 in options:
        options[L2] = _size_text(_size_bytes(target, options[L2]))
    if CORES in options:
        options[CORES] = str(_cores(target, options[CORES]))
    # Without a CPU and a triple the code is for this machine; for another one the caller says how much of it to count on.
    cpu, features = (
        target.cpu or (BASELINES.get(name, "generic") if target.triple else "native"),
        target.features,
    )
    floats_in_registers = kind == "arm" and triple.endswith("hf")
    if not target.cpu and "linux" in triple:
        usual = "armv6" if triple.startswith("armv6") else name
        features = LINUX_FEATURES.get(f"{usual}-hf" if floats_in_registers else name, ()) + features
    if cpu == "native":
        host = llvm.get_default_triple()
        if family(host)[1] != kind:
            raise TargetError(
                f"target {str(target)!r}: 'native' is {host}, not {triple}; name the CPU", target=str(target)
            )
        cpu = llvm.get_host_cpu_name()
        if cpu not in CPUS[kind]:
            cpu = BASELINES.get(name, "generic")
        # What the caller says comes last, so that it wins.
        features = _host_features(triple, cpu, kind) + features
        size_bytes = environment.cache_bytes(2)
        if size_bytes and L2 not in options:
            options[L2] = _size_text(size_bytes)
        here = available_threads()
        if here >= _CORES_OF_NATIVE and CORES not in options:
            options[CORES] = str(min(here, _CORES_MAX))
    if cpu not in CPUS[kind]:
        near = nearest(cpu, CPUS[kind] | {"native"})
        raise TargetError(
            f"target {str(target)!r}: LLVM knows no {kind} CPU {cpu!r}{near} ('ingot list cpus' shows all)",
            cpu=cpu,
            family=kind,
        )
    if cpu in UNFIT.get(name, ()):
        raise TargetError(
            f"target {str(target)!r}: the CPU {cpu} has no {name} code; name another CPU or triple",
            cpu=cpu,
            triple=triple,
        )
    if kind == "riscv":
        _check_vectors(target, cpu, _last_of_each(features))
    for feature in features:
        if feature in IMPOSSIBLE.get(name, ()):
            raise TargetError(
                f"target {str(target)!r}: {name} code cannot be made with {feature}; leave it out",
                feature=feature,
            )
        if kind == "x86" and feature[1:] in UNASKED:
            raise TargetError(
                f"target {str(target)!r}: no code is made of {feature[1:]}, since no library could ask a processor and its "
                "system for it; leave it out (code for processors that have it uses everything else of them)",
                feature=feature,
                family=kind,
            )
        if feature[1:] not in FEATURES[kind]:
            raise TargetError(
                f"target {str(target)!r}: {kind} has no feature {feature[1:]!r}{nearest(feature[1:], FEATURES[kind])}",
                feature=feature,
                family=kind,
            )
    resolved = replace(
        target,
        triple=triple,
        cpu=cpu,
        features=_last_of_each(features),
        options=tuple(sorted(options.items())),
    )
    resolved = _with_tiles(target, resolved)
    if floats_in_registers and not _has_float_unit(processor(resolved)):
        raise TargetError(
            f"target {str(target)!r}: {triple} passes floats in registers for floats, and {cpu} has none; name another CPU, a "
            "feature such as +vfp2, or the triple that ends without hf",
            cpu=cpu,
            triple=triple,
        )
    return resolved


def _with_tiles(asked: Target, resolved: Target) -> Target:
    """The target with what was asked, or for this machine measured, about products of float32 in AMX tiles."""
    options = dict(resolved.options)
    wanted = options.get(FLOAT32_TILES)
    if wanted not in (None, "on", "off"):
        raise TargetError(
            f"target {str(asked)!r}: --{FLOAT32_TILES}={wanted} is neither on nor off",
            option=FLOAT32_TILES,
            value=wanted,
        )
    able = _has_amx_bf16(resolved)
    if wanted == "on" and not able:
        raise TargetError(
            f"target {str(asked)!r}: --{FLOAT32_TILES}=on, but its processor has no AMX tiles for float32 (amx-bf16, on Linux,"
            " with vectors of 64 bytes); leave it out",
            option=FLOAT32_TILES,
        )
    cores = int(options.get(CORES, 0)) or available_threads()
    is_here = asked.cpu == "native" or not (asked.cpu or asked.triple)
    # On few cores tiles may gain nothing from the second one, so it is measured (`llvm/build/probe`).
    if wanted is not None or not (able and is_here) or cores >= _amx(resolved).vector_cores:
        return resolved
    options[FLOAT32_TILES] = "on" if tiles_pay_here(processor(resolved), chip(resolved), cores) else "off"
    return replace(resolved, options=tuple(sorted(options.items())))


def _has_amx_bf16(target: Target) -> bool:
    return _has_tiles(target, "amx-bf16") and _traits(processor(target)).vector_bytes == 64


def _uses_amx_bf16(target: Target) -> bool:
    """Whether products of float32 are to go through tiles, for a resolved target."""
    options = dict(target.options)
    cores = int(options.get(CORES, 0))
    usual = "on" if 0 < cores <= _amx(target).named_max_cores else "off"
    return _has_amx_bf16(target) and options.get(FLOAT32_TILES, usual) == "on"


def _amx(target: Target) -> Amx:
    """What was measured of AMX on a resolved target's processor."""
    return _known(target, _traits(processor(target))).measured.amx


def _check_vectors(target: Target, cpu: str, features: Sequence[str]) -> None:
    """LLVM ends the process over a length of vectors that are not there, as -zve32x leaves it too."""
    has = cpu in WITH_VECTORS or any(
        feature == "+v" or feature.startswith(("+zve", "+zvfh")) for feature in features
    )
    lengths = [feature for feature in features if feature.startswith("+zvl")]
    if lengths and not has:
        raise TargetError(
            f"target {str(target)!r}: {lengths[0]} is a length of vectors, which need +v or +zve32x too"
        )
    if has and "-zve32x" in features:
        raise TargetError(
            f"target {str(target)!r}: -zve32x takes away what its other vectors are made of; leave it out"
        )


def _size_bytes(target: Target, text: str) -> int:
    size = environment.size_from_text(text)
    if size is None or size > _L2_MAX:
        raise TargetError(
            f"target {str(target)!r}: --{L2}={text} is no size of a cache; give bytes up to 1024M, such as 512K or 1M",
            option=L2,
            value=text,
        )
    return size


def _cores(target: Target, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _CORES_MAX):
        raise TargetError(
            f"target {str(target)!r}: --{CORES}={text} is no number of cores; give one from 1 to {_CORES_MAX}",
            option=CORES,
            value=text,
        )
    return int(text)


def _size_text(size: int) -> str:
    """The shortest text for a number of bytes."""
    for unit, letter in ((1 << 20, "M"), (1 << 10, "K")):
        if size and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def _last_of_each(features: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        sign + name for name, sign in sorted({feature[1:]: feature[0] for feature in features}.items())
    )


def _host_features(triple: str, cpu: str, kind: str) -> tuple[str, ...]:
    """Features of the processor here that code generation may use.

    What it lacks is listed only where the CPU's name promises more than the machine gives, as in some virtual machines.
    """
    names = {
        name: here
        for name, here in llvm.get_host_cpu_features().items()
        if name in FEATURES[kind] - _NOT_WORTH_NAMING
    }
    present = tuple(sorted("+" + name for name, here in names.items() if here))
    promised, given = _traits(Processor(triple, cpu, "")), _traits(Processor(triple, cpu, ",".join(present)))
    without = tuple(sorted("-" + name for name, here in names.items() if not here))
    real = _traits(Processor(triple, cpu, ",".join(present + without)))
    return present if promised == given == real else present + without


def why_not_here(target: Target) -> str:
    """Why what is measured on this machine says nothing about a target; empty if it does.

    It does for code for this very CPU, and for code that names only a level of its instruction set, such as x86-64-v3.
    """
    target, here = resolve(target), resolve(Target(target.codegen))
    (name, kind), (own, _) = family(target.triple), family(here.triple)
    if name != own or system(target.triple) != system(here.triple):
        return f"it is for {target.triple}, and this machine is {here.triple}"
    if target.cpu != here.cpu and not target.cpu.startswith(("generic", "x86-64")):
        return f"it is for the CPU {target.cpu}, and this one is {here.cpu}"
    lacking = [
        feature
        for feature in target.features
        if feature[0] == "+" and not llvm.get_host_cpu_features().get(feature[1:])
    ]
    return f"it counts on {', '.join(lacking)}, which this CPU lacks" if lacking and kind == "x86" else ""


def system(triple: str) -> str:
    """The operating system in a triple."""
    _, *rest = triple.split("-")
    known = (
        name
        for name in ("linux", "darwin", "windows", "freebsd")
        if any(part.startswith(name) for part in rest)
    )
    return next(known, "-".join(rest))


def processor(target: Target) -> Processor:
    """The triple, CPU and features that LLVM gets for a resolved target."""
    unasked = tuple("-" + name for name in UNASKED) if target.cpu in WITH_UNASKED else ()
    cpu, own = STAND_INS.get(target.cpu, (target.cpu, ()))
    return Processor(target.triple, cpu, _in_order((*own, *target.features, *unasked)))


def _in_order(features: Sequence[str]) -> str:
    """Features as LLVM is told them. One that is taken away takes what needs it with it, and one that is given brings what it
    needs: whatever comes last wins, and `-avx512f` means it, although this machine has `+avx512vl`.
    """
    return ",".join(sorted(features, key=lambda feature: feature.startswith("-")))


def without_missing(given: Processor) -> Processor:
    """The processor with every feature turned off that the one here lacks."""
    known = FEATURES[family(given.triple)[1]] - _NOT_WORTH_NAMING
    missing = sorted(
        name for name, here in llvm.get_host_cpu_features().items() if not here and name in known
    )
    features = [*filter(None, given.features.split(",")), *("-" + name for name in missing)]
    return Processor(given.triple, given.cpu, _in_order(_last_of_each(tuple(features))))


@functools.lru_cache(maxsize=64)
def _traits(given: Processor) -> _Traits:
    """Asks LLVM by compiling some instructions: tables of what a CPU has would grow old."""
    text = """
define void @add(ptr %p, ptr %q) { %x = load <16 x float>, ptr %p, align 4 %y = load <16 x float>, ptr %q, align 4
 %z = fadd <16 x float> %x, %y store <16 x float> %z, ptr %p, align 4 ret void }
define void @mask(ptr %p, ptr %q) { %x = load <8 x i32>, ptr %p, align 4 %y = load <8 x i32>, ptr %q, align 4
 %z = add <8 x i32> %x, %y store <8 x i32> %z, ptr %p, align 4 ret void }
define void @short(ptr %p, ptr %q) { %x = load <32 x i16>, ptr %p, align 2 %y = load <32 x i16>, ptr %q, align 2
 %z = add <32 x i16> %x, %y store <32 x i16> %z, ptr %p, align 2 ret void }
declare float @llvm.fma.f32(float, float, float)
define float @fma(float %a, float %b, float %c) { %d = call float @llvm.fma.f32(float %a, float %b, float %c) ret float %d }
define void @half(ptr %p, float %a) { %h = fptrunc float %a to half %i = bitcast half %h to i16 store i16 %i, ptr %p ret void }
"""
    machine = target_machine(given)
    module = llvm.parse_assembly(
        f'target datalayout = "{machine.target_data}"\ntarget triple = "{given.triple}"\n{text}'
    )
    assembly = machine.emit_assembly(module)
    vector_bytes = 64 if "%zmm" in assembly else 32 if "%ymm" in assembly else 16
    dot = _dot(given)
    return _Traits(
        vector_bytes,
        has_fma="fmaf" not in assembly,
        has_half="hf2" not in assembly and "h2f" not in assembly and "f2h" not in assembly,
        has_gather="%zmm" in assembly,
        dot=dot,
        pair_bytes=_longest(assembly, "vpaddw") if dot in (Dot.PAIRS, Dot.VNNI) else 0,
        has_scalef=_compiles_to(given, _SCALE, r"vscalefps\s+%xmm"),
        lookup_bytes=_lookup_bytes(given, vector_bytes, _longest(assembly, "vpaddd") > 16),
        fma_by_element=re.search(r"\bfadd\s+v\d+\.4s", assembly) is not None,
    )


def _longest(assembly: str, instruction: str) -> int:
    """Bytes of the longest vectors that an instruction works on: AVX has no integers of 32 bytes, AVX-512F none of 16 bits."""
    operands = " ".join(re.findall(rf"\b{instruction}\s(.*)", assembly))
    return 64 if "%zmm" in operands else 32 if "%ymm" in operands else 16


def _lookup_bytes(given: Processor, vector_bytes: int, has_integers: bool) -> int:
    """Bytes of the registers in which tables of bytes are looked up; `has_integers`: vectors of 32 bytes may be integers."""
    if vector_bytes == 64 and _compiles_to(given, _SHUFFLE, r"vperm[it]2b\s"):
        return 64
    return 32 if has_integers and family(given.triple)[1] == "x86" else 0


@functools.lru_cache(maxsize=64)
def _has_float_unit(given: Processor) -> bool:
    """Whether a processor of the family of Arm adds floats by itself."""
    machine = target_machine(given)
    module = llvm.parse_assembly(
        f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
        "define float @sum(float %a, float %b) { %c = fadd float %a, %b ret float %c }"
    )
    return "vadd.f32" in machine.emit_assembly(module)


_SCALE = """
declare <4 x float> @llvm.ldexp.v4f32.v4i32(<4 x float>, <4 x i32>)
define <4 x float> @scale(<4 x float> %x, <4 x i32> %n) {
 %y = call <4 x float> @llvm.ldexp.v4f32.v4i32(<4 x float> %x, <4 x i32> %n) ret <4 x float> %y }
"""
# No pattern that a simpler instruction could make.
_SHUFFLE = f"""
define void @shuffle(ptr %p, ptr %q) {{ %x = load <64 x i8>, ptr %p %y = load <64 x i8>, ptr %q
 %z = shufflevector <64 x i8> %x, <64 x i8> %y, <64 x i32> <{", ".join(f"i32 {lane * lane % 127}" for lane in range(64))}>
 store <64 x i8> %z, ptr %p ret void }}
"""


def _compiles_to(given: Processor, text: str, instruction: str) -> bool:
    """Whether LLVM makes an x86 instruction of a function."""
    if family(given.triple)[1] != "x86":
        return False
    machine = target_machine(given)
    module = llvm.parse_assembly(
        f'target datalayout = "{machine.target_data}"\ntarget triple = "{given.triple}"\n{text}'
    )
    return re.search(instruction, machine.emit_assembly(module)) is not None


_PROBES = {
    "x86": """
declare <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16>, <8 x i16>)
define <4 x i32> @pairs(<4 x i32> %c, <8 x i16> %a, <8 x i16> %b) {
 %p = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %a, <8 x i16> %b) %s = add <4 x i32> %c, %p ret <4 x i32> %s }
""",
    "aarch64": """
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
define i32 @mixed(<16 x i8> %a, <16 x i8> %b) { %x = zext <16 x i8> %a to <16 x i32> %y = sext <16 x i8> %b to <16 x i32>
 %z = mul <16 x i32> %x, %y %s = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %z) ret i32 %s }
define i32 @signed(<16 x i8> %a, <16 x i8> %b) { %x = sext <16 x i8> %a to <16 x i32> %y = sext <16 x i8> %b to <16 x i32>
 %z = mul <16 x i32> %x, %y %s = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %z) ret i32 %s }
""",
}
_SIGNS = (("vpdpwssd", Dot.VNNI), ("pmaddwd", Dot.PAIRS), ("usdot", Dot.USDOT), ("sdot", Dot.SDOT))


def _dot(given: Processor) -> Dot:
    """What LLVM makes of code that it turns into dot products where there are instructions for them."""
    name, kind = family(given.triple)
    if kind not in _PROBES or name.startswith("i"):
        return Dot.NONE
    machine = target_machine(given)
    module = llvm.parse_assembly(
        f'target datalayout = "{machine.target_data}"\ntarget triple = "{given.triple}"\n{_PROBES[kind]}'
    )
    assembly = machine.emit_assembly(module)
    return next((dot for sign, dot in _SIGNS if sign in assembly), Dot.NONE)


def chip(target: Target) -> Chip:
    """What the emitter may count on for a resolved target."""
    traits, kind = _traits(processor(target)), family(target.triple)[1]
    # On Zen 4 `prefetcht1` brings nothing from a page that the TLB does not have; `prefetcht0` looks the page up.
    return Chip(
        machine=_machine(target), has_half=traits.has_half, has_gather=traits.has_gather, dot=traits.dot,
        pair_bytes=traits.pair_bytes, has_scalef=traits.has_scalef, lookup_bytes=traits.lookup_bytes,
        looks_floats_up=traits.has_scalef and traits.vector_bytes == 64, has_doubles=kind in ("x86", "aarch64"),
        has_amx_bf16=_has_tiles(target, "amx-bf16"), prefetches_far=kind != "x86",
    )  # fmt: skip


def machine(target: Target) -> Machine:
    """What templates may count on. `target` need not be resolved."""
    return _machine(resolve(target))


def _machine(target: Target) -> Machine:
    """What templates may count on for a resolved target."""
    traits = _traits(processor(target))
    known = _known(target, traits)
    kind = family(target.triple)[1]
    registers = 32 if traits.vector_bytes == 64 or kind in ("aarch64", "riscv") else 16
    prefetch = kind in ("x86", "aarch64")
    # Without an operating system it is a microcontroller.
    l2_bytes = 0 if "-none-" in target.triple else known.l2_bytes
    options = dict(target.options)
    if L2 in options:
        l2_bytes = _size_bytes(target, options[L2])
    cores = int(options.get(CORES, 0))
    return Machine(
        vector_bytes=traits.vector_bytes, vector_registers=registers, has_fma=traits.has_fma, l2_bytes=l2_bytes,
        cores=cores, dot_i8x4=traits.dot not in (Dot.PAIRS, Dot.NONE), dot_i8x4_signed=traits.dot is Dot.SDOT,
        dot_i16x2=traits.pair_bytes >= traits.vector_bytes, amx_int8=_has_tiles(target, "amx-int8"),
        amx_bf16=_uses_amx_bf16(target), prefetch=prefetch, slow_l2_stores=known.slow_l2_stores,
        double_pumped_512=known.double_pumped_512, separate_fadd_pipes=known.separate_fadd_pipes,
        l2_fills_use_load_ports=known.l2_fills_use_load_ports, fma_by_element=traits.fma_by_element,
        tuning=known.measured,
    )  # fmt: skip


def _has_tiles(target: Target, kind: str) -> bool:
    """Whether code may multiply in tiles, by the feature for what is in them. LLVM cannot be asked by compiling: it ends the
    process over what it cannot make.
    """
    name, _ = family(target.triple)
    if name != "x86_64" or system(target.triple) != "linux":  # whom permission is asked for their state
        return False
    named = {feature[1:]: feature[0] == "+" for feature in target.features}
    implied = find(target.cpu).amx or named.get(kind, False)
    return implied and all(named.get(feature, True) for feature in ("amx-tile", kind))


def _known(target: Target, traits: _Traits) -> Microarchitecture:
    """What is known of a resolved target's kind of core, of vectors as long as its code has."""
    return find(target.cpu, target.features).with_vectors_of(traits.vector_bytes)
