"""What code is made for: `Target`, `Machine`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from ingot.base.errors import TargetError, nearest
from ingot.base.records import Frozen
from ingot.base.tensor import DType

PRESETS: Mapping[str, str] = {
    "host": "llvm -mcpu=native",
}


class Target(metaclass=Frozen):
    """What code is made for. Text form: `llvm -mcpu=skylake-avx512 -mattr=+avx2,-fma -mtriple=x86_64-linux-gnu --option=value`.

    The text form is lossless: `Target.parse(str(target)) == target`, except for `key`, which is a
    model's own name for the target ("host", or the name of an accelerator). `cpu` may be several names with commas between them,
    from the lowest to the highest: a library then has code for each.
    """

    codegen: str
    cpu: str = ""
    features: tuple[str, ...] = ()  # "+avx2", "-fma"
    triple: str = ""
    options: tuple[tuple[str, str], ...] = ()  # sorted by name
    key: str = "host"

    def __post_init__(self) -> None:
        for name in ("codegen", "cpu", "triple", "key"):
            if not isinstance(getattr(self, name), str):
                raise TargetError(f"Target({name}={getattr(self, name)!r}): expected text")
        if not isinstance(self.features, tuple) or not all(isinstance(one, str) for one in self.features):
            raise TargetError(
                f"Target(features={self.features!r}): expected a tuple of text, such as ('+avx2',)"
            )
        if not isinstance(self.options, tuple) or not all(map(_is_option, self.options)):
            raise TargetError(
                f"Target(options={self.options!r}): expected a tuple of pairs of text, such as (('l2', '1M'),)"
            )

    @classmethod
    def parse(cls, text: str, key: str = "host") -> Target:
        """Reads the text form or the name of a preset.

        Raises:
            TargetError: not of the form, or an unknown flag.
        """
        try:
            words = shlex.split(PRESETS.get(text.strip(), text))
        except ValueError as error:
            raise TargetError(f"target {text!r}: {error}", target=text) from error
        if not words or not re.fullmatch(r"[a-z][a-z0-9_-]*", words[0]):
            raise TargetError(
                f"target {text!r}: expected a code generator's name first, such as 'llvm -mcpu=native' or 'c'",
                target=text,
            )
        cpu = triple = ""
        features: tuple[str, ...] = ()
        options: dict[str, str] = {}
        for word in words[1:]:
            flag, found, value = word.partition("=")
            if not found or not value:
                raise TargetError(
                    f"target {text!r}: {word!r} is not of the form -flag=value", target=text, flag=word
                )
            if flag in ("-mcpu", "-mtriple") and re.search(
                r"[^A-Za-z0-9._,-]" if flag == "-mcpu" else r"[^A-Za-z0-9._-]", value
            ):
                raise TargetError(f"target {text!r}: {value!r} is no name for {flag}", target=text, flag=word)
            if flag == "-mcpu":
                cpu = value
            elif flag == "-mtriple":
                triple = value
            elif flag == "-mattr":
                features = tuple(part.strip() for part in value.split(",") if part.strip())
                for feature in features:
                    if not re.fullmatch(r"[+-][A-Za-z0-9._-]+", feature):
                        raise TargetError(
                            f"target {text!r}: feature {feature!r} must begin with + or -",
                            target=text,
                            feature=feature,
                        )
            elif flag.startswith("--") and len(flag) > 2:
                options[flag[2:]] = value
            else:
                known = ["-mcpu", "-mattr", "-mtriple", "--option"]
                raise TargetError(
                    f"target {text!r}: unknown flag {flag!r}{nearest(flag, known)} (known: {', '.join(known)})",
                    target=text,
                    flag=flag,
                )
        return cls(words[0], cpu, features, triple, tuple(sorted(options.items())), key)

    def __str__(self) -> str:
        words = [self.codegen]
        if self.triple:
            words.append(f"-mtriple={self.triple}")
        if self.cpu:
            words.append(f"-mcpu={self.cpu}")
        if self.features:
            words.append(f"-mattr={','.join(self.features)}")
        words += [shlex.quote(f"--{name}={value}") for name, value in self.options]
        return " ".join(words)


def _is_option(pair: object) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(word, str) for word in pair)


MATH = ("fast", "exact", "normwise")
"""What `Machine.math` may be; the first is the default.

"exact": the sums and products of an operator's definition, in any order. "fast": fewer, or those of parts of numbers, by
algorithms whose error an element owes to the row and the column that it is made of, or to elements near it. "normwise": also by
such whose error is relative to the largest element of a whole operand.
"""


class Machine(metaclass=Frozen):
    """What a template may count on when it chooses tiles: a plain description of the processor that a target stands for."""

    vector_bytes: int = 0  # 0: no vectors, templates write scalar loops
    vector_registers: int = 16
    has_fma: bool = False
    l2_bytes: int = 256 * 1024  # of the cache that one core has for itself; 0: none to count on
    grid: bool = False  # runs kernels as groups of work items with shared memory, as GPUs do
    math: str = MATH[0]
    cores: int = 0  # on which a model is to run; 0: nobody says

    dot_i8x4: bool = False  # one instruction sums the products of four bytes: VNNI, SDOT, USDOT
    dot_i8x4_signed: bool = False  # only of signed bytes: SDOT
    dot_i16x2: bool = False  # one instruction sums the products of pairs of 16-bit numbers: PMADDWD
    amx_int8: bool = False  # AMX tiles of bytes: see `LoopKind.TILES`
    amx_bf16: bool = False  # AMX tiles of bfloat16
    prefetch: bool = False  # a `Prefetch` brings memory into a cache
    # A store to a line that is only in L2 takes several times as long as a load of it.
    slow_l2_stores: bool = False
    # 64-byte vectors take two cycles: slow to store across cache lines and to load from L2.
    double_pumped_512: bool = False
    # Additions have pipes of their own: as many begin in a cycle as FMAs, beside them.
    separate_fadd_pipes: bool = False
    # A line's fill from L2 occupies the load ports, whether prefetched or not.
    l2_fills_use_load_ports: bool = False
    # An FMA takes a scalar from a lane of a register (NEON's FMLA), and no operand from memory.
    fma_by_element: bool = False

    @property
    def near_bytes(self) -> int:
        """Of what an inference writes and reads again, so that it stays in the cache which each core has for itself, beside
        weights; 0 where there is no such cache, or code asks for nothing and so is not written for it.
        """
        return self.l2_bytes // 2 if self.prefetch else 0

    def lanes(self, dtype: DType) -> int:
        """Elements in one vector register, at least 1."""
        return max(1, self.vector_bytes // dtype.size_bytes)
