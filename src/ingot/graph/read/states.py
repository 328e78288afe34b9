"""Which inputs are state: what an output gives is the input of the next run.

Exporters have no word for it, they write pairs of names: `past_key_values.0.key` and `present.0.key`, `h` and `hn`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ingot.artifact.model_info import StateInfo
from ingot.base.errors import ModelError, TargetError, nearest
from ingot.base.tensor import TensorType

AUTO = "auto"
State = Mapping[str, str] | str | None

# How exporters call an input and the output that is its next value, the most telling first. A number behind both may follow.
_PAIRED_NAMES = (
    ("past_key_values*", "present*"),
    ("past_key_values*", "present_key_values*"),
    ("past*", "present*"),
    ("*0", "*n"),
    ("*_in", "*_out"),
    ("*in", "*out"),
    ("in_*", "out_*"),
    ("*", "*n"),
    ("*", "*N"),
    ("*", "*_n"),
    ("*", "*_out"),
    ("*", "*_new"),
    ("*", "new_*"),
    ("*", "*_next"),
    ("*", "next_*"),
    ("*", "out_*"),
    ("*", "present_*"),
)


def checked_state(state: object) -> State:
    """The argument `state` of a build, of the right kind.

    Raises:
        TargetError: it is neither names by names nor "auto".
    """
    if state is None or (isinstance(state, str) and state == AUTO):
        return state
    if isinstance(state, Mapping) and all(isinstance(name, str) for pair in state.items() for name in pair):
        return dict(state)
    raise TargetError(
        f"state={state!r:.80}: give the name of an output for each input that is state, such as {{'h': 'hn'}}, or 'auto'"
    )


def may_be_state(state: State, name: str) -> bool:
    """Whether an input is state by its name: one that a pattern fits, or that exporters call a cache of what came before."""
    if isinstance(state, str):
        return name.startswith("past")
    return any(_starred(pattern, name) is not None for pattern in state or ())


def states_of(
    state: State,
    model: str,
    inputs: Mapping[str, TensorType],
    outputs: Mapping[str, TensorType],
    varying: Mapping[tuple[str, int], str] | None = None,
) -> tuple[StateInfo, ...]:
    """The pairs of input and output that are meant, in the order of the inputs.

    Args:
        state: output names by input names; one `*` in both stands for the same text, at least one pair must fit. Or "auto", for
            pairs of the same type whose names exporters use; or None.
        model: the model's name, for messages.
        inputs: their types by name, in the model's order.
        outputs: likewise.
        varying: the symbols of extents that vary, by input and axis. Along one of these an output may be longer than its input.

    Raises:
        ModelError: no such input or output, one that is in two pairs, or a pair of two types.
    """
    if state is None:
        return ()
    if isinstance(state, str):
        pairs = list(_paired_by_name(inputs, outputs, varying or {}))
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
    states: dict[str, StateInfo] = {}
    for source, result in pairs:
        axis = grown_axis(source, inputs[source], outputs[result], varying or {})
        if axis is None:
            _require_one_type(model, source, result, inputs[source], outputs[result])
            states[source] = StateInfo(source, result)
        else:
            states[source] = StateInfo(source, result, grows=axis, dim=(varying or {})[source, axis])
    return tuple(states[name] for name in inputs if name in states)


def paired_names(
    state: State, model: str, inputs: Mapping[str, object], outputs: Mapping[str, object]
) -> list[tuple[str, str]]:
    """The pairs of input and output that are meant, by their names alone; of "auto" those whose kinds are the same.

    Args:
        state: as of `states_of`.
        model: the model's name, for messages.
        inputs: kinds by name, in the order that the pairs get.
        outputs: likewise.

    Raises:
        ModelError: no such input or output.
    """
    if isinstance(state, Mapping):
        texts = [{name: str(kind) for name, kind in some.items()} for some in (inputs, outputs)]
        return [pair for names in state.items() for pair in _matching(model, *names, *texts)]
    return [
        (name, other)
        for name in inputs
        for other in list(_names_of_outputs(name))
        if other in outputs and outputs[other] == inputs[name]
    ]


def grown_axis(
    source: str, given: TensorType, result: TensorType, varying: Mapping[tuple[str, int], str]
) -> int | None:
    """The axis along which an output is longer than the input that it becomes, if that varies and all else is the same."""
    if given.dtype is not result.dtype or given.rank != result.rank:
        return None
    others = [axis for axis in range(given.rank) if given.shape[axis] != result.shape[axis]]
    if len(others) != 1 or given.shape[others[0]] > result.shape[others[0]]:
        return None
    return others[0] if (source, others[0]) in varying else None


def grown_by(
    model: str,
    states: Sequence[StateInfo],
    inputs: Mapping[str, TensorType],
    outputs: Mapping[str, TensorType],
) -> dict[str, int]:
    """How many places a step adds to the states of each symbol.

    Raises:
        ModelError: it is not the same for all of them.
    """
    steps: dict[str, int] = {}
    for state in states:
        if state.grows is None:
            continue
        more = outputs[state.output].shape[state.grows] - inputs[state.input].shape[state.grows]
        if steps.setdefault(state.dim, more) != more:
            raise ModelError(
                f"model {model!r}: a step adds {more} places to the state {state.input!r}, and {steps[state.dim]} to another "
                f"that has {state.dim} places too; states of one symbol grow alike",
                name=state.input,
            )
    return steps


def require_fixed(
    model: str,
    states: Sequence[StateInfo],
    variants: Sequence[tuple[Mapping[str, TensorType], Mapping[str, TensorType]]],
    varying: Collection[str],
) -> None:
    """Raises ModelError where the shape of a state varies from call to call.

    Args:
        model: the model's name, for messages.
        states: what to look at.
        variants: the types of inputs and of outputs, in each program.
        varying: inputs and outputs with extents that vary: one program may be for all their sizes.
    """
    for state in states:
        if state.grows is not None:
            continue
        types = {
            types[name]
            for some in variants
            for types, name in zip(some, (state.input, state.output), strict=True)
        }
        if len(types) > 1 or state.input in varying or state.output in varying:
            raise ModelError(
                f"model {model!r}: state {state.input!r} has extents that vary, and what is kept has one shape; "
                "bind these dimensions to numbers (dims={'batch': 1})",
                name=state.input,
            )


def _matching(
    model: str,
    source: str,
    result: str,
    inputs: Mapping[str, object],
    outputs: Mapping[str, object],
) -> Iterator[tuple[str, str]]:
    """The pairs that one entry of `state` stands for."""
    if source.count("*") != result.count("*") or source.count("*") > 1:
        raise ModelError(
            f"model {model!r}: state {source!r}: {result!r} must have one '*' in both names, or none",
            name=source,
        )
    texts = [text for name in inputs if (text := _starred(source, name)) is not None]
    if not texts:
        raise ModelError(
            f"model {model!r}: no input is called like the state {source!r}{nearest(source, inputs)} (inputs: {_listed(inputs)})",
            name=source,
        )
    for text in texts:
        pair = source.replace("*", text), result.replace("*", text)
        if pair[1] not in outputs:
            raise ModelError(
                f"model {model!r}: state {pair[0]!r}: {pair[1]!r}: the model has no output {pair[1]!r}"
                f"{nearest(pair[1], outputs)} (outputs: {_listed(outputs)})",
                name=pair[1],
            )
        yield pair


def _paired_by_name(
    inputs: Mapping[str, TensorType],
    outputs: Mapping[str, TensorType],
    varying: Mapping[tuple[str, int], str],
) -> Iterator[tuple[str, str]]:
    free = dict(outputs)

    def fits(name: str, other: str) -> bool:
        return other in free and (
            free[other] == inputs[name] or grown_axis(name, inputs[name], free[other], varying) is not None
        )

    for name in inputs:
        paired = next((other for other in _names_of_outputs(name) if fits(name, other)), None)
        if paired is not None:
            del free[paired]
            yield name, paired


def _starred(pattern: str, name: str) -> str | None:
    """The text that `*` stands for where a name fits a pattern, "" in one without; None where it does not fit."""
    before, star, behind = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    fits = len(name) >= len(before) + len(behind) and name.startswith(before) and name.endswith(behind)
    return name[len(before) : len(name) - len(behind)] if fits else None


def _names_of_outputs(name: str) -> Iterator[str]:
    """What an output may be called that is the next value of an input, the most telling first."""
    stem = re.sub(r"_?\d+$", "", name)
    for source, result in _PAIRED_NAMES:
        for whole in dict.fromkeys((name, stem)):
            text = _starred(source, whole)
            if text:
                yield result.replace("*", text) + name[len(whole) :]


def _require_one_type(
    model: str, source: str, result: str, given: TensorType, result_type: TensorType
) -> None:
    if given == result_type:
        return
    grows = (
        "; for an output that grows with each run give the symbol of the input's length a range from 0 to what the state may "
        "hold, such as dims={'past': ingot.dim(0, 2048)}"
        if given.dtype == result_type.dtype and len(given.shape) == len(result_type.shape)
        else ""
    )
    raise ModelError(
        f"model {model!r}: state {source!r} is {given} and {result!r} is {result_type}; both must have one type{grows}",
        input=source,
        output=result,
    )


def _listed(names: Mapping[str, object]) -> str:
    shown = [f"{name}: {type_}" for name, type_ in list(names.items())[:12]]
    return ", ".join(shown) + (", …" if len(names) > 12 else "") if shown else "none"
