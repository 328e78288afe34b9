"""`ingot inspect`: what a library says about itself, or what can be seen in one that another tool made.

Reads and checks the file's bytes; maps no code and runs none.
"""

from __future__ import annotations

import argparse
import base64
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ingot.artifact.artifact import Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.levels import read_levels
from ingot.artifact.model_info import ControlInfo, ModelInfo, TensorInfo
from ingot.artifact.model_info_json import counts_data, dims_data, origin_data
from ingot.artifact.state_block import states_data
from ingot.artifact.tuning import Measurements
from ingot.artifact.tuning_json import stored_tuning, tuning_to_json
from ingot.base.errors import ArtifactError, LoadError
from ingot.cli import late
from ingot.cli.arguments import one_of
from ingot.cli.console import seconds, show, show_json, show_table, show_text, show_words, size
from ingot.cli.parser import Parser
from ingot.inspectors.inspector import Inspection
from ingot.inspectors.origin import origin_lines
from ingot.package.classic.module_tree import SYMBOL as TREE_SYMBOL
from ingot.package.classic.module_tree import ModuleTree
from ingot.package.container import MAGIC, Container, Member
from ingot.package.container_file import checked_container
from ingot.package.library_file import FOOTER_BYTES, FOOTER_MAGIC, file_content, open_regular, read_library


def add_options(parser: Parser) -> None:
    """The options of `ingot inspect`."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="a library or an archive, of ingot or of TVM, or a stored set of artifacts",
    )
    parser.add_argument(
        "artifact",
        metavar="ARTIFACT",
        nargs="?",
        help="the file name of one of its artifacts: show its content",
    )
    parser.add_argument("--json", action="store_true", help="write JSON")
    parser.add_argument(
        "--tuning", action="store_true", help="write what was measured for its kernels, as a tuning file"
    )


def command(arguments: argparse.Namespace) -> None:
    """Shows what a library holds, without running any of its code."""
    file, artifact, json = arguments.file, arguments.artifact, arguments.json
    content = _content(file)
    if (
        bytes(content[: len(MAGIC)]) != MAGIC
        and bytes(content[-FOOTER_BYTES:][: len(FOOTER_MAGIC)]) != FOOTER_MAGIC
    ):
        inspection = late.inspect(content, str(file))
        if inspection is not None:
            _show_foreign(file, inspection, artifact, json)
            return
    container, tree = _read(content, file)
    if arguments.tuning:
        found_tuning = stored_tuning(container.artifacts)
        if found_tuning is None:
            raise ArtifactError(f"{file}: no model in it was tuned", path=str(file))
        show_text(tuning_to_json(found_tuning).decode("ascii"))
        return
    if artifact is not None:
        names = [member.artifact.file_name for member in container.members]
        member = container.members[names.index(one_of("artifact", artifact, dict.fromkeys(names)))]
        if json:
            show_json({**_member_facts(member), **_content_facts(member.artifact.content)})
        else:
            _show_content(member.artifact.content)
        return
    models = ArtifactSet(container.artifacts).models()
    if json:
        show_json(
            {
                "file": file.name,
                "size_bytes": file.stat().st_size,
                "models": [
                    _model_facts(info, read_levels(container.artifacts, info)) for info in models.values()
                ],
                "members": [_member_facts(member) for member in container.members],
                "tree": None if tree is None else [asdict(module) for module in tree.modules],
            }
        )
        return
    show(f"{file.name}  {size(file.stat().st_size)}, every digest is right")
    for info in models.values():
        _show_model(info, read_levels(container.artifacts, info))
    show()
    for group in stored_tuning(container.artifacts) or ():
        _show_measurements(group)
    if tree is not None:
        show(f"module tree {TREE_SYMBOL}")
        for number, module in enumerate(tree.modules):
            imports = f"  imports {', '.join(map(str, module.imports))}" if module.imports else ""
            show(f"  {number}.{module.type_key}{imports}")
        show()
    show_table(
        "artifacts",
        ("file", "loader", "codegen", "target", ">size", "sha256"),
        [
            (
                stored.file_name,
                stored.loader,
                stored.codegen_id,
                stored.target_key,
                size(member.size_bytes),
                member.sha256.hex()[:16],
            )
            for member in container.members
            for stored in (member.artifact,)
        ],
    )


def _content(path: Path) -> Content:
    try:
        descriptor = open_regular(str(path))
        try:
            return memoryview(file_content(descriptor, str(path))).toreadonly()
        finally:
            os.close(descriptor)
    except LoadError as error:
        raise ArtifactError(error.message, path=str(path)) from error


def _read(content: Content, path: Path) -> tuple[Container, ModuleTree | None]:
    """The container of a file, all digests checked; and its module tree, if it has one."""
    if bytes(content[: len(MAGIC)]) == MAGIC:
        return checked_container(content, name=str(path)), None
    file = read_library(content, name=str(path))
    file.container.verify_members()
    return file.container, file.tree


def _show_foreign(path: Path, inspection: Inspection, member: str | None, json: bool) -> None:
    """A file that ingot did not make."""
    if member is not None:
        content = inspection.members[one_of("part", member, inspection.members)]
        if json:
            show_json({"module": member, "size_bytes": len(content), **_content_facts(content)})
        else:
            _show_content(content)
    elif json:
        show_json({"file": path.name, "size_bytes": path.stat().st_size, **inspection.facts})
    else:
        show(f"{path.name}  {size(path.stat().st_size)}, {inspection.maker}")
        for line in inspection.lines:
            show(line)


def _show_model(info: ModelInfo, levels: Sequence[ModelInfo]) -> None:
    show()
    show(
        f"model {info.name}  (symbol {info.symbol}, executors {', '.join(info.executors)}, made by ingot {info.ingot_version})"
    )
    kept = info.state_names
    in_place = {state.output for state in info.states if state.axis is not None}
    rows = [("state" if tensor.name in kept else "input", tensor) for tensor in info.inputs]
    rows += [("next state" if tensor.name in kept else "output", tensor) for tensor in info.outputs]
    rows = [("in its place" if tensor.name in in_place else role, tensor) for role, tensor in rows]
    show_table(
        "",
        ("", "name", "type", ">bytes"),
        [(kind, row.name, row.type_words, f"{row.size_bytes:,}") for kind, row in rows],
    )
    if info.dims:
        _show_dims(info)
    for line in origin_lines(info):
        show(line)
    if info.border is not None:
        show(f"callers see {info}; the rows above are the compiled part")
    if info.levels:
        show(
            "levels: the last one whose features a processor has runs there; constants are one member for all"
        )
    for target in info.targets if not info.levels else [level.host for level in levels]:
        memory = target.memory
        show(f"target {target.key}: {target.target}")
        show(
            f"  needs     {target.device_kind}"
            + (f" with {', '.join(target.cpu_features)}" if target.cpu_features else "")
        )
        show(
            f"  memory    {size(memory.params_bytes)} constants, {size(memory.arena_bytes)} arena "
            f"(no plan can need less than {size(memory.lower_bound_bytes)})"
        )
    if info.calls:
        flops, kernels = sum(call.flops for call in info.calls), len({call.kernel for call in info.calls})
        show(f"  work      {len(info.calls)} calls of {kernels} kernels, {flops / 1e6:,.1f} MFLOP")
        for control in info.controls:
            show(f"  control   {_control_words(control)}")
        if algorithms := _algorithms(info):
            counted = ", ".join(f"{count} by {name}" for name, count in algorithms.items())
            show(f"  computed  {counted}")


def _control_words(control: ControlInfo) -> str:
    """What a loop or a branch does, by the numbers of calls."""
    if control.repeats:
        return f"{control.node}: calls {control.first} to {control.end - 1} at most {control.count:,} times"
    sides = [
        f"calls {first} to {end - 1}" if end > first else "nothing"
        for first, end in ((control.first, control.middle), (control.middle, control.end))
    ]
    return f"{control.node}: {' or '.join(sides)}"


def _show_dims(info: ModelInfo) -> None:
    """The extents that vary, and the programs for them."""
    at = next(program for program in info.programs if program.symbol == info.symbol).sizes
    named = [dim.name for dim in info.dims]
    for number, dim in enumerate(info.dims):
        how = "programs compute any number of items" if dim.outputs else "there is a program for each size"
        how = how if dim.places else "no kernel asks for it"
        if dim.room:
            capacities = sorted({program.sizes[number] for program in info.programs})
            how = f"programs with room for {', '.join(map(str, capacities))} serve each size"
        show_words(f"varies    {dim}: {how}", len("varies    "))
    show_words(f"bytes above, and what follows, are for {_sizes_words(named, at)}; there are programs for", 0)
    show_words("  " + "; ".join(_sizes_words(named, program.sizes) for program in info.programs), 2)


def _sizes_words(names: Sequence[str], sizes: Sequence[int]) -> str:
    return " ".join(f"{name}={size}" for name, size in zip(names, sizes, strict=True))


def _show_measurements(group: Measurements) -> None:
    """What was measured on a processor: the kernels for which it is not what the cost model takes."""
    faster = [kernel for kernel in group.kernels if not kernel.is_usual]
    title = (
        f"tuned on {group.cpu}: {len(group.kernels)} kernels, {len(faster)} not as the cost model has them"
    )
    rows = []
    for kernel in faster:
        usual = dict(kernel.usual)
        changed = [(name, word) for name, word in kernel.choices if usual.get(name) != word]
        was = " ".join(f"{name}={usual[name]}" for name, _ in changed if name in usual)
        now = " ".join(f"{name}={word}" for name, word in changed)
        gain = 1 - kernel.time_ns / kernel.usual_ns if kernel.usual_ns else 0.0
        rows.append((kernel.kernel, was, now, seconds(kernel.time_ns * 1e-9), f"{-100 * gain:.1f}"))
    if rows:
        show_table(title, ("kernel", "cost model", "fastest", ">time", ">%"), rows)
    else:
        show(title)
    show()


def _tensor_facts(tensor: TensorInfo) -> dict[str, Any]:
    return {"name": tensor.name, "dtype": tensor.dtype.value, "shape": list(tensor.shape)}


def _algorithms(info: ModelInfo) -> dict[str, int]:
    """How many calls are computed by each algorithm, of those that could be computed in several ways."""
    return dict(sorted(Counter(call.algorithm for call in info.calls if call.algorithm).items()))


def _model_facts(info: ModelInfo, levels: Sequence[ModelInfo]) -> dict[str, Any]:
    return {
        "name": info.name,
        "symbol": info.symbol,
        "inputs": [_tensor_facts(tensor) for tensor in info.inputs],
        "outputs": [_tensor_facts(tensor) for tensor in info.outputs],
        **({} if info.border is None else {"callers": str(info)}),
        "executors": list(info.executors),
        "targets": [asdict(target) for target in info.targets],
        **({"dims": dims_data(info)} if info.dims else {}),
        **({"states": states_data(info)} if info.states else {}),
        **({"counts": counts_data(info)} if info.counts else {}),
        "levels": [{"symbol": level.symbol, **asdict(level.host)} for level in levels] if info.levels else [],
        "calls": len(info.calls),
        "flops": sum(call.flops for call in info.calls),
        "algorithms": _algorithms(info),
        "ingot_version": info.ingot_version,
        "digests": dict(info.digests),
        "origin": None if info.origin is None else origin_data(info.origin),
    }


def _member_facts(member: Member) -> dict[str, Any]:
    artifact = member.artifact
    return {
        "file": artifact.file_name,
        "loader": artifact.loader,
        "codegen": artifact.codegen_id,
        "target": artifact.target_key,
        "offset": member.offset,
        "size_bytes": member.size_bytes,
        "sha256": member.sha256.hex(),
        "blake3": member.blake3.hex(),
    }


def _content_facts(content: Content) -> dict[str, str]:
    text = _text(content)
    return {"text": text} if text is not None else {"base64": base64.b64encode(content).decode("ascii")}


def _show_content(content: Content) -> None:
    text = _text(content)
    if text is not None:
        show_text(text)
        return
    for line in hexdump(memoryview(content)):
        show(line)


def _text(content: Content) -> str | None:
    """The content as text, None if it is none: not UTF-8, or with control characters other than line ends and tabs."""
    try:
        text = bytes(content).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if all(letter.isprintable() or letter in "\n\r\t" for letter in text) else None


def hexdump(content: memoryview) -> Iterator[str]:
    """Lines of offset, 16 bytes and their letters; a run of lines equal to the one before is one `*`."""
    before: bytes | None = None
    starred = False
    for offset in range(0, len(content), 16):
        row = bytes(content[offset : offset + 16])
        if row == before and offset + 16 < len(content):
            if not starred:
                yield "*"
            starred = True
            continue
        before, starred = row, False
        letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"{offset:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  |{letters}|"
