"""`ingot_<symbol>_repeat` of a model whose extents vary: its program several times in one call, for one part after the other."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.plan.program import CompileUnit

HEADS = 3  # base pointers before those of inputs and outputs


def emit_repeat(unit: CompileUnit) -> Sequence[str]:
    """Lines of LLVM that define it; docs/reference/abi.md says what is in a row.

    The bases are copied, so that a row serves many calls. Behind the last round they point past the tensors, where nobody reads.
    """
    tensors = len(unit.program.inputs) + len(unit.program.outputs)
    bases = HEADS + tensors
    lines = [
        f"define i32 @ingot_{unit.symbol}_repeat(ptr %row) nounwind {{",
        "entry:",
        f"  %bases = alloca [{bases} x ptr], align 8",
    ]
    for at in range(bases):
        lines += [
            f"  %from{at} = getelementptr inbounds ptr, ptr %row, i64 {at}",
            f"  %base{at} = load ptr, ptr %from{at}",
            f"  %slot{at} = getelementptr inbounds ptr, ptr %bases, i64 {at}",
            f"  store ptr %base{at}, ptr %slot{at}",
        ]
    lines += [
        *_load("rounds", "i64", bases),
        "  br label %round",
        "round:",
        "  %left = phi i64 [ %rounds, %entry ], [ %fewer, %moved ]",
        f"  %status = call i32 @ingot_{unit.symbol}_run(ptr %bases)",
        "  %good = icmp eq i32 %status, 0",
        "  br i1 %good, label %moved, label %failed",
        "failed:",
        "  ret i32 %status",
        "moved:",
    ]
    for at in range(tensors):
        lines += [
            *_load(f"step{at}", "i64", bases + 1 + at),
            f"  %place{at} = load ptr, ptr %slot{HEADS + at}",
            f"  %moved{at} = getelementptr i8, ptr %place{at}, i64 %step{at}",
            f"  store ptr %moved{at}, ptr %slot{HEADS + at}",
        ]
    return [
        *lines,
        "  %fewer = sub i64 %left, 1",
        "  %more = icmp sgt i64 %fewer, 0",
        "  br i1 %more, label %round, label %ended",
        "ended:",
        *_load("next", "ptr", bases + 1 + tensors),
        "  %none = icmp eq ptr %next, null",
        "  br i1 %none, label %last, label %goes_on",
        "goes_on:",
        *_load("next_row", "ptr", bases + 2 + tensors),
        "  %its_status = call i32 %next(ptr %next_row)",
        "  ret i32 %its_status",
        "last:",
        "  ret i32 0",
        "}",
    ]


def _load(name: str, type_: str, at: int) -> Sequence[str]:
    """The word of the row at that place, as `%<name>`."""
    return (
        f"  %{name}_from = getelementptr inbounds ptr, ptr %row, i64 {at}",
        f"  %{name} = load {type_}, ptr %{name}_from",
    )
