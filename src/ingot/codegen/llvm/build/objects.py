"""LLVM text → optimised object code, or optimised bitcode."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass

import llvmlite.binding as llvm

from ingot.base.errors import InternalError
from ingot.codegen.llvm.build.features import cpu_features, names_features
from ingot.codegen.llvm.build.x86_features import object_features


@dataclass(frozen=True, slots=True)
class Processor:
    """What LLVM is asked to make code for: a triple, the name of a CPU, and features such as `+avx2,-fma`."""

    triple: str
    cpu: str
    features: str


_ABIS = ("android", "eabi", "gnu", "msvc", "musl")  # the beginnings of what a triple may end with


class Form(enum.Enum):
    """How compiled code is stored."""

    OBJECT = "object"  # instructions, for a linker
    BITCODE = "bitcode"  # optimised LLVM code, of which only the instructions have to be made


@dataclass(frozen=True, slots=True)
class Job:
    """One module to compile. `own_vectors`: its loops are vectors already; `name` is what messages call it."""

    text: str
    own_vectors: bool
    name: str = ""


@dataclass(frozen=True, slots=True)
class ObjectCode:
    """An object or bitcode, and the CPU features that its instructions need."""

    content: bytes
    cpu_features: tuple[str, ...]


class Compiled:
    """Object code or bitcode, and the assembly of its instructions, and what these need."""

    def __init__(self, module: llvm.ModuleRef, machine: llvm.TargetMachine, form: Form) -> None:
        # Emitting changes the module, so each emission gets its own copy.
        self._module, self._machine, self._form = module, machine, form
        self.content = bytes(module.as_bitcode()) if form is Form.BITCODE else self._object()

    @functools.cached_property
    def assembly(self) -> str:
        """Made lazily, because it takes as long as the object: a quarter of LLVM's time."""
        return str(self._machine.emit_assembly(self._module))

    def features(self, triple: str) -> tuple[str, ...]:
        """The CPU features that the instructions need, read from these; from the assembly where they are not known there."""
        if not names_features(triple):
            return ()
        names = object_features(self._object() if self._form is Form.BITCODE else self.content)
        return cpu_features(self.assembly, triple) if names is None else names

    def _object(self) -> bytes:
        return bytes(self._machine.emit_object(self._module.clone()))


@functools.cache
def start_llvm() -> None:
    """Prepares every target that LLVM was built with."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def whole_triple(triple: str) -> str:
    """The triple in four parts. LLVM looks for the ABI in the fourth, and where there are three, as in `arm-linux-gnueabihf`, it
    finds none: code for 32-bit Arm would pass floats in integer registers, which is not how the C library takes them.
    """
    first, *rest = triple.split("-")
    return f"{first}-unknown-{rest[0]}-{rest[1]}" if len(rest) == 2 and rest[1].startswith(_ABIS) else triple


@functools.lru_cache(maxsize=8)
def target_machine(processor: Processor) -> llvm.TargetMachine:
    """LLVM's own object for a processor: position-independent code, optimised most."""
    start_llvm()
    return llvm.Target.from_triple(whole_triple(processor.triple)).create_target_machine(
        cpu=processor.cpu, features=processor.features, opt=3, reloc="pic", codemodel="default"
    )


def optimised(text: str, processor: Processor, own_vectors: bool, unroll: bool = False) -> llvm.ModuleRef:
    """Parses and optimises a module. `own_vectors`: its loops are vectors already, so LLVM need not look for more, nor, unless
    told to `unroll`, repeat them.
    """
    machine = target_machine(processor)
    heading = f'source_filename = "ingot"\ntarget datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    try:
        # A context of its own: bitcode lists all that was ever named in its context, by other targets too.
        module = llvm.parse_assembly(heading + text, llvm.create_context())
        module.verify()
    except RuntimeError as error:
        raise InternalError(f"the LLVM text of a kernel is not valid: {error}", text=text) from error
    tuning = llvm.create_pipeline_tuning_options(3)
    tuning.loop_vectorization = not own_vectors
    tuning.slp_vectorization = not own_vectors
    tuning.loop_interleaving = False
    tuning.loop_unrolling = unroll or not own_vectors
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return module


def compiled(text: str, processor: Processor, own_vectors: bool, form: Form = Form.OBJECT) -> Compiled:
    """The optimised code of a module."""
    return Compiled(optimised(text, processor, own_vectors), target_machine(processor), form)


def build(job: Job, processor: Processor, form: Form = Form.OBJECT) -> ObjectCode:
    """Compiles one job."""
    result = compiled(job.text, processor, job.own_vectors, form)
    return ObjectCode(result.content, result.features(processor.triple))


def ptx(text: str, processor: Processor) -> str:
    """The PTX of a module for an NVIDIA GPU. What runs there are threads, so LLVM need not look for vectors in them."""
    return str(
        target_machine(processor).emit_assembly(optimised(text, processor, own_vectors=True, unroll=True))
    )
