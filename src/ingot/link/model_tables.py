"""Tables of C that say what a model is: the function that computes it, and what this asks the processor for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingot.artifact.model_info import ModelInfo
from ingot.link.processor import feature_rows
from ingot.package.c.states import pairs_in_place
from ingot.package.c.tensors import string_literal
from ingot.package.c.text import CText, workspace_of


def feature_tables(
    levels: Sequence[ModelInfo], prefix: str = "", lowest: Sequence[str] | None = None
) -> Iterable[str]:
    """What each level asks the processor for; the lowest one for `lowest`, if that is said."""
    for number, level in enumerate(levels):
        yield f"static const struct ingot_feature {prefix}features{number or ''}[] = {{"
        yield from feature_rows(level.cpu_features if number or lowest is None else lowest)
        yield "    {NULL, 0u, 0u, 0u, 0u, 0u},"
        yield "};"


def model_tables(
    levels: Sequence[ModelInfo], constants: str, text: CText | None, prefix: str = ""
) -> Iterable[str]:
    """The one model, or the model of each level, in names that begin with a prefix."""
    inputs, outputs = len(levels[0].inputs), len(levels[0].outputs)
    memories = [level.host.memory for level in levels]
    names = [str(number or "") for number in range(len(levels))]
    flags = (f"{prefix}checked{name}, {prefix}populated{name}" for name in names)
    yield f"static int32_t {', '.join(flags)};"
    if levels[1:]:
        yield f"static int32_t {prefix}chosen;"
    rows = []
    for name, level in zip(names, levels, strict=True):
        memory = level.host.memory
        # Levels differ in their arenas, but text has one place behind all of them.
        workspace_bytes, alignment = workspace_of([memory] if text is None else memories, text)
        rows += [
            f"    {string_literal(level.name)}, {_run_name(level)}, {f'{prefix}tensors' if inputs + outputs else 'NULL'},",
            f"    {inputs}, {outputs},",
            f"    {constants}, {workspace_bytes}u, {alignment}u, {prefix}features{name}, &{prefix}checked{name},",
            f"    {memory.always_read_bytes}u, &{prefix}populated{name},",
        ]
    if not levels[1:]:
        yield from (f"static const struct ingot_model {prefix}model = {{", *rows, "};")
        return
    yield f"static const struct ingot_model {prefix}models[] = {{"
    for at in range(0, len(rows), 4):
        yield from ("    {", *rows[at : at + 4], "    },")
    yield "};"


def _run_name(info: ModelInfo) -> str:
    return f"run_in_place_{info.symbol}" if pairs_in_place(info) else _calls_name(info)


def _calls_name(info: ModelInfo) -> str:
    return info.run_name if len(info.targets) == 1 else f"run_all_{info.symbol}"


def run_source(info: ModelInfo) -> Iterable[str]:
    """The declaration of the model's own function, or one around it; for a model with several targets, a function that makes all
    their calls.
    """
    yield from _calls_source(info)
    if pairs_in_place(info):
        yield f"static int32_t {_run_name(info)}(void *const *bases)"
        yield "{"
        for source, result, size_bytes in pairs_in_place(info):
            old, new = (f"bases[INGOT_FIRST_TENSOR + {at}]" for at in (source, result))
            yield f"    if ({new} != {old}) {{"
            yield f"        __builtin_memcpy({new}, {old}, {size_bytes}u);"
            yield "    }"
        yield f"    return {_calls_name(info)}(bases);"
        yield "}"
        yield ""


def _calls_source(info: ModelInfo) -> Iterable[str]:
    if len(info.targets) == 1:
        yield f"extern int32_t {info.run_name}(void *const *bases);"
        return
    units = {
        target.key: info.symbol if target is info.host else f"{info.symbol}_{target.key}"
        for target in info.targets
    }
    counts = dict.fromkeys(units, 0)
    lines = []
    for call in info.calls:
        lines.append(
            f"    if ((status = ingot_{units[call.target_key]}_call({counts[call.target_key]}, bases)) != 0) {{"
        )
        lines += ["        return status;", "    }"]
        counts[call.target_key] += 1
    for key, unit in units.items():
        if counts[key]:
            yield f"extern int32_t ingot_{unit}_call(int32_t number, void *const *bases);"
    yield f"static int32_t {_calls_name(info)}(void *const *bases)"
    yield "{"
    yield "    int32_t status = 0;"
    yield "    (void)bases;"
    yield from lines
    yield "    return status;"
    yield "}"
    yield ""
