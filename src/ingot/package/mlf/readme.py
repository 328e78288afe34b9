"""The README.md of an archive, for a person who never heard of ingot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ingot.artifact.model_info import ModelInfo
from ingot.artifact.state_block import state_block
from ingot.package.c.states import seen_ends, state_members
from ingot.package.c.tensors import Member, TextInfo, c_elements
from ingot.package.c.text import c_text, ends_in_c, workspace_of


def readme(
    infos: Sequence[ModelInfo], executors: Mapping[str, str], stamp: str, files: Collection[str]
) -> str:
    """The text: what is in the archive, how to build, how to call each model."""
    names = ", ".join(f"`{info.symbol}`" for info in infos)
    folders = [
        ("codegen/host/src", "C99 sources, all of which belong to the program"),
        ("codegen/host/lib", "objects, all of which belong to the program"),
        ("codegen/host/include", "the C interfaces: headers of each model"),
        ("codegen/", "code for other processors than the host, by target"),
        ("executor-config/graph", "graphs for a graph executor (JSON; Netron shows them)"),
        (
            "parameters",
            "constants: `.params` by name for a graph executor, `.constants` as the code has them",
        ),
        (
            "src",
            "what the code was made from: the model (`.onnx`, and as text), its loops, its calls and memory; "
            "compiling needs none of it, `ingot.load` does",
        ),
        ("runtime", "a C runtime, for programs that use a graph executor"),
        ("test", "a test program and test vectors of each model"),
        ("metadata.json", "everything in numbers, and the SHA-256 of every file"),
    ]
    made_on = (
        "" if stamp.startswith("1970-01-01 00:00:00") else f" on {stamp.removesuffix('Z')} UTC"
    )  # no time was given
    lines = [
        f"# {', '.join(info.symbol for info in infos)}",
        "",
        f"Compiled machine-learning models as C code: {names}. A Model Library Format archive, "
        f"version 8, made by ingot {infos[0].ingot_version}{made_on}. "
        "No tool of ours is needed to use it: a C99 compiler is.",
        "",
        "```sh",
        "make         # the models as a static library, build/libmodels.a",
        *(
            [
                "make test    # runs the test vectors on the machine at hand (CFLAGS='-O2 -DINGOT_TEST_RTOL=1e-3': less exactly)"
            ]
            if any(name.startswith("test/") for name in files)
            else []
        ),
        "```",
        "",
        "`make CC=arm-none-eabi-gcc CFLAGS='-mcpu=cortex-m4 -mthumb -Os'` builds for another processor"
        + (
            "."
            if not any(name.endswith(".o") for name in files)
            else ", if the objects in `codegen/host/lib` are for it."
        )
        + " A build of your own compiles every file of `codegen/host/src` and links every object of `codegen/host/lib`; "
        "floating point must not be made inexact (no `-ffast-math`).",
        "",
        "| file or folder | what |",
        "|---|---|",
        *(f"| `{name}` | {content} |" for name, content in folders if _has(name, files)),
    ]
    for info in infos:
        lines += ["", f"## {info.symbol}", "", "| | name | type | bytes |", "|---|---|---|---|"]
        text = c_text(info) if executors[info.name] == "aot" else None
        inputs, outputs = ends_in_c(info, text)
        has_block = bool(info.states) and executors[info.name] == "aot" and len(info.targets) == 1
        if has_block:
            inputs, outputs = seen_ends(info, inputs, outputs)
        lines += [_row("input", tensor) for tensor in inputs] + [_row("output", tensor) for tensor in outputs]
        if has_block:
            lines += [_row("state", member) for member in state_members(info)]
        memory = info.host.memory
        workspace_bytes, _ = workspace_of([memory], text)
        lines += [
            "",
            f"Made for `{info.host.target}`. Tensors are dense and row-major. "
            f"Memory: {memory.params_bytes:,} bytes of constants, {workspace_bytes:,} bytes while it runs"
            + (f", {state_block(info).size_bytes:,} bytes of state for each stream." if has_block else "."),
            "",
        ]
        if executors[info.name] == "graph":
            lines.append(
                f"Runs call by call in a graph executor: `executor-config/graph/{info.symbol}.graph` "
                f"with `parameters/{info.symbol}.params`, "
                "and the functions of `TVMSystemLibEntryPoint`. `runtime/` has such an executor."
            )
        elif len(info.targets) > 1:
            keys = ", ".join(target.key for target in info.targets)
            lines.append(f"Has parts for several targets ({keys}); `ingot.load` runs it.")
        else:
            lines += ["```c", *_example(info, inputs, outputs), "```", ""]
            content = (
                "has the same"
                if text is None
                else "has the compiled part, which takes and gives the codes of text,"
            )
            lines.append(f"`tvmgen_{info.symbol}.h` {content} by the names of TVM's C interface.")
            if info.states:
                lines[-1] += " There state is an input and an output, which the caller carries."
    return "\n".join(lines) + "\n"


def _has(name: str, files: Collection[str]) -> bool:
    if name == "codegen/":
        return any(file.startswith(name) and not file.startswith("codegen/host/") for file in files)
    return name == "metadata.json" or any(file.startswith(f"{name}/") for file in files)


def _row(kind: str, member: Member) -> str:
    tensor = member.tensor
    size = f"{c_elements(tensor):,} pointers" if isinstance(tensor, TextInfo) else f"{tensor.size_bytes:,}"
    return f"| {kind} | `{tensor.name}` | {tensor.type} | {size} |"


def _example(info: ModelInfo, inputs: Sequence[Member], outputs: Sequence[Member]) -> list[str]:
    symbol, upper = info.symbol, info.symbol.upper()
    memory = [("workspace", f"{upper}_WORKSPACE")]
    begun: list[str] = []
    if info.states:
        memory.insert(0, ("state", f"{upper}_STATE"))
        begun.append(f"{symbol}_init_state(state);    /* once: then each call is a step of the stream */")
    arguments = ", ".join(["&inputs", "&outputs", *(name for name, _ in memory)])
    return [
        f'#include "{symbol}.h"',
        "",
        *(
            f"static uint8_t {name}[{macro}_BYTES] __attribute__((aligned({macro}_ALIGNMENT)));"
            for name, macro in memory
        ),
        "",
        f"struct {symbol}_inputs inputs;      /* a pointer for each input; {symbol}.h has the names */",
        f"struct {symbol}_outputs outputs;    /* and for each output */",
        *(f"inputs.{tensor.name} = …;" for tensor in inputs),
        *(f"outputs.{tensor.name} = …;" for tensor in outputs),
        *begun,
        f"int32_t status = {symbol}_run({arguments});    /* 0 is good */",
    ]
