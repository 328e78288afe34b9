"""Which CPU features a piece of assembly really uses, read from its instructions.

It is asked where an object does not tell (`x86_features`), for LLVM takes as long to write assembly as to make an object.
"""

from __future__ import annotations

import re

_SIMPLE = {
    "fma": r"vfn?m(?:add|sub|addsub|subadd)\d{3}",
    "f16c": r"vcvtp[hs]2p[hs]\b",
    "bmi1": r"(?:andn|bextr|blsi|blsmsk|blsr)[lq]?\b|tzcnt[wlq]?\b",
    "bmi2": r"(?:bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lq]?\b",
    "abm": r"lzcnt[wlq]?\b",
    "popcnt": r"popcnt[wlq]?\b",
    "movbe": r"movbe[wlq]?\b",
    "gfni": r"v?gf2p8\w+",
    "amx_tile": r"(?:ld|st)tilecfg\b|tile(?:loadd|loaddt1|stored|zero|release)\b",
    "amx_int8": r"tdpb(?:ss|su|us|uu)d\b",
    "amx_bf16": r"tdpbf16ps\b",
    "avx512_vnni": r"vpdp(?:busd|busds|wssd|wssds)\b",
    "avx512ifma": r"vpmadd52[lh]uq\b",
    "avx512vbmi": r"vp(?:erm(?:b|[it]2b)|multishiftqb)\b",
    "avx512_vbmi2": r"vp(?:sh[lr]dv?[wdq]|compress[bw]|expand[bw])\b",
    "avx512_bitalg": r"vp(?:opcnt[bw]|shufbitqmb)\b",
    "avx512_vpopcntdq": r"vpopcnt[dq]\b",
    "avx512cd": r"vp(?:lzcnt|conflict)[dq]\b|vpbroadcastm\w+",
    "avx512_bf16": r"v(?:cvtne2?ps2bf16[xy]?|dpbf16ps)\b",
    # Conversions have a letter for what is in memory, and one of float32 a last x, as the shorter ones are of F16C.
    "avx512_fp16": r"v(?:movw|\w+(?:ph|sh)|\w+ph[xyz][xy]?|cvt(?:t?(?:ph|sh)2(?!ps\b)\w+|\w+2sh[lq]))\b(?<!cvtps2ph)",
    # Of AMD alone.
    "sse4a": r"(?:insertq|extrq|movnts[sd])\b",
    "fma4": r"vfn?m(?:add|sub|addsub|subadd)[ps][sd]\b",
    "xop": (
        r"vp(?:perm|ermil2p[sd]|cmov|com(?:lt|le|gt|ge|eq|neq|false|true)u?[bwdq]|rot[bwdq]|sh[al][bwdq]|mac\w+|madcs\w+"
        r"|h(?:add|sub)u?(?:bw|bd|bq|wd|wq|dq))\b|vfrcz\w+"
    ),
    "tbm": r"(?:blcfill|blcic?|blcmsk|blcs|blsfill|blsic|t1mskc|tzmsk)[lq]?\b",
    "pni": r"(?:haddp|hsubp|addsubp)[sd]\b|mov(?:ddup|shdup|sldup)\b|lddqu\b",
    "ssse3": r"(?:pshufb|palignr|pabs[bwd]|phadd\w*|phsub\w*|pmaddubsw|pmulhrsw|psign[bwd])\b",
    "sse4_1": (
        r"(?:blend\w*|pblend\w*|round[ps][sd]|insertps|extractps|pinsr[bdq]|pextr[bdq]|pm(?:in|ax)(?:sb|sd|uw|ud)|pmulld|pmuldq"
        r"|pmov[sz]x\w+|ptest|packusdw|dpp[sd]|pcmpeqq|mpsadbw|phminposuw)\b"
    ),
    "sse4_2": r"(?:pcmpgtq|crc32[bwlq]?|pcmp[ei]str[im])\b",
}
NAMES = frozenset(
    {*_SIMPLE, "avx", "avx2", "avx_ifma", "avx_vnni", "avx512f", "avx512vl", "avx512dq", "avx512bw"}
)
"""Every feature that `cpu_features` can find."""

_COMPILED = {name: re.compile(pattern) for name, pattern in _SIMPLE.items()}
# 256-bit integer instructions, and broadcasts from a register, came with AVX2; float ones and whole moves with AVX.
_AVX2_ANY = re.compile(
    r"v(?:pbroadcast\w+|p?gather\w+|psllv\w|psrlv\w|psrav\w|pblendd|pmaskmov\w|perm(?:q|d|ps|pd)"
    r"|inserti128|extracti128|broadcasti128)\b"
)
_AVX_INTEGER = re.compile(r"v(?:p(?!ermil|erm2f128|test)|mpsadbw|movntdqa)\w*")
_AVX512_DQ = re.compile(
    r"k\w+b\b|k(?:add|test)w\b|vp(?:extr|insr)[dq]\b|v(?:and|andn|or|xor)p[sd]\b"
    r"|vpmullq|vcvtt?p[sd]2u?qq|vcvtu?qq2p[sd]|vrange\w+|vreduce\w+|vfpclass\w+"
    r"|v(?:insert|extract|broadcast)[fi](?:64x2|32x8|32x2)|vpmov(?:m2[dq]|[dq]2m)"
)
_AVX512_BW = re.compile(
    r"k\w+[dq]\b|vmovdqu(?:8|16)\b|vdbpsadbw|vps[lr]ldq|vp(?:add|sub|min|max|abs|avg|blendm|broadcast)s?u?s?[bw]\b"
    r"|vp(?:cmp(?:eq|n?l[et]|neq|gt)?u?|testn?m|extr|insr)[bw]\b|vp(?:alignr|sadbw|shuf[hl]w)"
    r"|vpmul[lh]\w*w\b|vpshufb|vps[lr][la]v?w|vpack\w+"
    r"|vpunpck[lh](?:bw|wd)|vpmov(?:[sz]xbw|u?s?wb|[bw]2m|m2[bw])|vpmadd(?:wd|ubsw)|vperm(?:w|i2w|t2w)"
)
_WIDE = re.compile(r"%zmm|%[xy]mm(?:1[6-9]|2\d|3[01])\b|%k[0-7]\b|\{%k|\{1to\d+\}")
# Of AVX-512 alone, whatever the registers: the processor has no shorter form of these.
_AVX512_ONLY = re.compile(
    r"v(?:pternlog|p?blendm|perm[it]2|perm[bw]\b|scalef|align[dq]\b|dbpsadbw|fixupimm|fpclass|getexp|getmant|range[ps][sd]"
    r"|reduce[ps][sd]|rndscale|rcp14|rsqrt14|plzcnt|pconflict|popcnt|pmadd52|pmultishift"
    r"|pdp(?:bu|ws)sds?\b|dpbf16ps|cvtne2?ps2bf16|pabsq|pmullq"
    r"|p?compress(?:[bwdq]|p[sd])\b|p?expand(?:[bwdq]|p[sd])\b|psh[lr]dv?[wdq]\b"
    r"|ps(?:ll|rl|ra)vw\b|psrav?q|pro[lr]v?[dq]\b"
    r"|p(?:andn?|x?or)[dq]\b|p(?:min|max)[su]q|pmov(?:u?s)?(?:q[bwd]|d[bw]|wb)\b|movdq[au](?:8|16|32|64)\b"
    r"|(?:shuf|insert|extract|broadcast)[fi](?:32x[248]|64x[24])"
    r"|cvt(?:t?[ps][sd]2u(?:dq|qq|si)|t?p[sd]2qq|u?qq2p[sd]|udq2p[sd]|usi2s[sd]))"
)
# 64 bytes of memory, made half as long: the shorter forms of these have a letter more.
_FROM_MEMORY = r"vcvt(?:t?pd2u?dq|pd2ps|u?qq2ps|neps2bf16)\t[^%]*\(.*%ymm"
_HALVED = re.compile(_FROM_MEMORY)
# Operand forms that only AVX-512 has: shifts of a memory operand by an immediate, broadcasts from a general register, and
# permutations of 64-bit elements whose order is not an immediate.
_AVX512_OPERANDS = re.compile(
    rf"vps(?:ll|rl|ra)(?:[wdq]|dq)\t\$[^,]+, [^%]*\(|vpbroadcast[bwdq]\t%[er]|vperm(?:q|pd)\t[^$]|{_FROM_MEMORY}"
)
_SCALAR = re.compile(r"v(?!p|broadcast)\w*(?:s[sdh]$|s[sdh]2u?si|si2s|mov[dqw]$)")


def names_features(triple: str) -> bool:
    """Whether code for it says which features it needs: x86-64. Kernels for others do not differ from what their triple says."""
    return triple.startswith("x86_64")


def cpu_features(assembly: str, triple: str) -> tuple[str, ...]:
    """The features that code needs beyond its architecture's baseline, as Linux's /proc/cpuinfo names them, sorted.

    Handles x86-64 in AT&T syntax; gives nothing for others.
    """
    if not names_features(triple):
        return ()
    features: set[str] = set()
    for line in assembly.splitlines():
        if not line.startswith("\t") or line.startswith("\t."):
            continue
        # The shorter forms of VNNI and IFMA are marked by a prefix, whether or not the processor has both.
        instruction = line.strip().removeprefix("{vex}\t")
        mnemonic, _, operands = instruction.partition("\t")
        if instruction != line.strip() and mnemonic.startswith(("vpdp", "vpmadd52")):
            features |= {"avx", "avx_vnni" if mnemonic.startswith("vpdp") else "avx_ifma"}
            continue
        mnemonic = mnemonic.split()[-1] if mnemonic else mnemonic
        if mnemonic.startswith("bextr") and operands.startswith("$"):  # BMI has it with registers only
            features.add("tbm")
            continue
        if mnemonic == "pextrw" and operands.endswith(")"):  # SSE2 has it with registers only
            features.add("sse4_1")
        for name, pattern in _COMPILED.items():
            if pattern.match(mnemonic):
                features.add(name)
        if instruction == line.strip() and _is_avx512(mnemonic, instruction):
            features |= _of_avx512(mnemonic, operands)
        elif mnemonic.startswith("v"):
            features.add("avx")
            if _AVX2_ANY.match(mnemonic) or ("%ymm" in operands and _AVX_INTEGER.match(mnemonic)):
                features.add("avx2")
            if re.match(r"vbroadcasts[sd]\b", mnemonic) and operands.startswith("%xmm"):
                features.add("avx2")
    return tuple(sorted(features))


def _is_avx512(mnemonic: str, instruction: str) -> bool:
    if not mnemonic.startswith("v"):
        return _WIDE.search(instruction) is not None
    known = _AVX512_ONLY.match(mnemonic) or _AVX512_OPERANDS.match(instruction) or _WIDE.search(instruction)
    return known is not None


def _is_no_short_vector(mnemonic: str, operands: str) -> bool:
    """Whether an instruction that names short registers is of numbers alone, or reads 64 bytes of memory."""
    return _SCALAR.match(mnemonic) is not None or _HALVED.match(f"{mnemonic}\t{operands}") is not None


def _of_avx512(mnemonic: str, operands: str) -> set[str]:
    features = {"avx512f"}
    if (
        "%zmm" not in operands
        and ("%xmm" in operands or "%ymm" in operands)
        and not _is_no_short_vector(mnemonic, operands)
    ):
        features.add("avx512vl")
    if _AVX512_DQ.match(mnemonic):
        features.add("avx512dq")
    if _AVX512_BW.match(mnemonic):
        features.add("avx512bw")
    return features
