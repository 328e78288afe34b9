"""Which inputs are state: what an output gives is the input of the next run.

Exporters have no word for it, they write pairs of names: `past_key_values.0.key` and `present.0.key`, `h` and `hn`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ingot.artifact.model_info import StateInfo
from ingot.base.errors import ModelError, TargetError, nearest
from ingot.base.tensor import TensorType

AUTO = "auto"
State = Mapping[str, str] | str | None

# How exporters call what comes out of an input, the most telling first: a pattern of the input's name, and the output's names.
_PAIRED_NAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"past_key_values(?P<rest>[._].+)", (r"present\g<rest>", r"present_key_values\g<rest>")),
    (r"past(?P<rest>[._].+)", (r"present\g<rest>",)),
    (r"(?P<all>.+)0", (r"\g<all>n", r"\g<all>N", r"\g<all>_n")),
    (r"(?P<all>.+?)_?in(?P<number>_?\d*)", (r"\g<all>_out\g<number>", r"\g<all>out\g<number>")),
    (r"in_(?P<all>.+)", (r"out_\g<all>",)),
    (
        r"(?P<all>.*?)(?P<number>\d*)",
        (r"\g<all>n\g<number>", r"\g<all>N\g<number>", r"\g<all>_out\g<number>"),
    ),
    (
        r"(?P<all>.+)",
        tuple(
            before + r"\g<all>" + behind
            for before, behind in (
                ("", "n"),
                ("", "N"),
                ("", "_n"),
                ("", "_out"),
                ("", "_new"),
                ("new_", ""),
                ("", "_next"),
                ("next_", ""),
                ("out_", ""),
                ("present_", ""),
            )
        ),
    ),
)


def checked_state(state: object) -> State:
    """The argument `state` of a build, of the right kind.

    Raises:
        TargetError: it is neither names by names nor "auto".
    """
    if state is None or state == AUTO:
        return AUTO if state else None
    if isinstance(state, Mapping) and all(isinstance(name, str) for pair in state.items() for name in pair):
        return dict(state)
    raise TargetError(
        f"state={state!r:.80}: give the name of an output for each input that is state, such as {{'h': 'hn'}}, or 'auto'"
    )


def states_of(
    state: State, model: str, inputs: Mapping[str, TensorType], outputs: Mapping[str, TensorType]
) -> tuple[StateInfo, ...]:
    """The pairs of input and output that are meant, in the order of the inputs.

    Args:
        state: output names by input names; one `*` in both stands for the same text, at least one pair must fit. Or "auto", for
            pairs of the same type whose names exporters use; or None.
        model: the model's name, for messages.
        inputs: their types by name, in the model's order.
        outputs: likewise.

    Raises:
        ModelError: no such input or output, one that is in two pairs, or a pair of two types.
    """
    if state is None:
        return ()
    if isinstance(state, str):
        pairs = list(_paired_by_name(inputs, outputs))
        if not pairs:
            raise ModelError(
                f"model {model!r}: state='auto' finds no input that belongs to an output of the same type by its name; "
                f"name the pairs, such as state={{'h': 'hn'}} (inputs: {_listed(inputs)}; outputs: {_listed(outputs)})",
                model=model,
            )
    else:
        pairs = [pair for given in state.items() for pair in _matching(model, *given, inputs, outputs)]
    for at, words in enumerate(("input", "output")):
        names = [pair[at] for pair in pairs]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(
                    f"model {model!r}: state has the {words} {name!r} in two pairs; an {words} belongs to one",
                    name=name,
                )
    for source, result in pairs:
        _require_one_type(model, source, result, inputs[source], outputs[result])
    by_input = dict(pairs)
    return tuple(StateInfo(name, by_input[name]) for name in inputs if name in by_input)


def require_fixed(
    model: str, states: Sequence[StateInfo], variants: Sequence[Mapping[str, TensorType]]
) -> None:
    """Raises ModelError where the shape of a state varies from call to call; `variants` are the types in each program."""
    for state in states:
        types = [types[name] for types in variants for name in (state.input, state.output)]
        for other in types[1:]:
            if other != types[0]:
                raise ModelError(
                    f"model {model!r}: state {state.input!r} has extents that vary ({types[0]} and {other}), and what is kept "
                    "has one shape; bind these dimensions to numbers (dims={'batch': 1})",
                    name=state.input,
                )


def _matching(
    model: str,
    source: str,
    result: str,
    inputs: Mapping[str, TensorType],
    outputs: Mapping[str, TensorType],
) -> Iterator[tuple[str, str]]:
    """The pairs that one entry of `state` stands for."""
    if source.count("*") != result.count("*") or source.count("*") > 1:
        raise ModelError(
            f"model {model!r}: state {source!r}: {result!r} must have one '*' in both names, or none",
            name=source,
        )
    before, _, behind = source.partition("*")
    texts = (
        [
            name[len(before) : len(name) - len(behind)]
            for name in inputs
            if len(name) >= len(before) + len(behind) and name.startswith(before) and name.endswith(behind)
        ]
        if "*" in source
        else [""]
    )
    if not texts:
        raise ModelError(
            f"model {model!r}: no input fits the state {source!r} (inputs: {_listed(inputs)})", name=source
        )
    for text in texts:
        pair = source.replace("*", text), result.replace("*", text)
        for name, words, known in zip(pair, ("input", "output"), (inputs, outputs), strict=True):
            if name not in known:
                raise ModelError(
                    f"model {model!r}: state {pair[0]!r}: {pair[1]!r}: the model has no {words} {name!r}"
                    f"{nearest(name, known)} ({words}s: {_listed(known)})",
                    name=name,
                )
        yield pair


def _paired_by_name(
    inputs: Mapping[str, TensorType], outputs: Mapping[str, TensorType]
) -> Iterator[tuple[str, str]]:
    free = dict(outputs)
    for name, type_ in inputs.items():
        paired = next((other for other in _names_of_outputs(name) if free.get(other) == type_), None)
        if paired is not None:
            del free[paired]
            yield name, paired


def _names_of_outputs(name: str) -> Iterator[str]:
    for pattern, results in _PAIRED_NAMES:
        match = re.fullmatch(pattern, name)
        if match:
            yield from (match.expand(result) for result in results)


def _require_one_type(
    model: str, source: str, result: str, given: TensorType, result_type: TensorType
) -> None:
    if given == result_type:
        return
    grows = (
        "; an output that grows with each run is no state yet: bind a fixed length"
        if given.dtype == result_type.dtype and len(given.shape) == len(result_type.shape)
        else ""
    )
    raise ModelError(
        f"model {model!r}: state {source!r} is {given} and {result!r} is {result_type}; both must have one type{grows}",
        input=source,
        output=result,
    )


def _listed(names: Mapping[str, TensorType]) -> str:
    shown = [f"{name}: {type_}" for name, type_ in list(names.items())[:12]]
    return ", ".join(shown) + (", …" if len(names) > 12 else "") if shown else "none"
