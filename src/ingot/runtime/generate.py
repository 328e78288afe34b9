"""Tokens of a language model one after another: the prompt in pieces that the library has programs for, then a step a token.

What a model must look like is in docs/use/language-models.md.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from ingot.artifact.model_info import DimInfo, TensorInfo
from ingot.base.errors import InputError, ModelError
from ingot.runtime.executors.base import Executor
from ingot.runtime.executors.entries import Entries
from ingot.runtime.library import Library, cpu
from ingot.runtime.memory import Array
from ingot.runtime.sampling import Sampling, Uniform

_IDS, _LOGITS, _LOGITS_AT, _MASK = "input_ids", "logits", "logits_at", "attention_mask"
_NEVER = 1 << 62  # the cost of what cannot be


class Chance(TypedDict, total=False):
    """How a token is chosen (`Sampling`), and the seed of chance."""

    temperature: float
    top_k: int
    top_p: float
    seed: int | None


@dataclass(frozen=True, slots=True)
class _Piece:
    """Tokens that one run takes: `ids`, the first of them in place `start`. Behind the first `count` they are padding. The
    attention mask has `places`, of which the first `seen` have a token.
    """

    ids: Sequence[int]
    start: int
    count: int
    places: int
    seen: int


# What inputs of these names get.
_FEEDS: Mapping[str, Callable[[_Piece], object]] = {
    _IDS: lambda piece: piece.ids,
    "past_length": lambda piece: piece.start,
    "position_ids": lambda piece: range(piece.start, piece.start + len(piece.ids)),
    _LOGITS_AT: lambda piece: piece.count - 1,
    _MASK: lambda piece: [1] * piece.seen + [0] * (piece.places - piece.seen),
}


def generate(
    model: Library | Executor | Entries,
    ids: Sequence[int] | Array,
    *,
    max_tokens: int | None = None,
    stop: int | Sequence[int] = (),
    past: int = 0,
    **chance: Unpack[Chance],
) -> Iterator[int]:
    """Gives the tokens that a language model continues `ids` with, each as soon as it is known.

    Args:
        model: an executor of a model with state, whose inputs and outputs are as docs/use/language-models.md says, or the
            entries of one (`library.entries()`); or a library with one model, of which an executor is made.
        ids: the prompt, at least one token.
        max_tokens: the most tokens that are given; None: until a stop token, or until the cache is full.
        stop: a token, or several, after which nothing is given. It is the last one given.
        past: 0 begins anew. Else the executor's state has so many tokens already, which `ids` follow. The token given last is
            in no state yet, so a conversation goes on with `[last, *more]` and the number of all tokens before it.
        **chance: `temperature`, 0.0: the greatest logit is taken; above 0 chance decides, and the more evenly the greater it is.
            `top_k`, 0: chance decides among so many; 0: among all. `top_p`, 1.0: it decides among as few of the likeliest as
            have this part of the probability. `seed`, None: others each time; the same number gives the same tokens.

    Returns:
        An iterator over token ids. The prompt is computed when the first one is asked for.

    Raises:
        InputError: the model is none that tokens can be given, an argument is out of its range, or the prompt is longer than
            what the cache has room for. From the iterator: the cache is full, and there is a token to give.
        ModelError: from the iterator, if logits are not numbers.
    """
    seed = chance.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise InputError(f"seed={seed!r}: expected a whole number or None", got=seed)
    sampling = Sampling(chance.get("temperature", 0.0), chance.get("top_k", 0), chance.get("top_p", 1.0))
    unknown = chance.keys() - Chance.__annotations__.keys()
    if unknown:
        raise TypeError(f"generate has no argument {', '.join(sorted(unknown))}")
    decoder = _Decoder(_executor(model))
    prompt = _token_ids("ids", ids)
    stops = frozenset(_token_ids("stop", [stop] if isinstance(stop, int | np.integer) else stop))
    if not prompt:
        raise InputError("ids is empty: expected at least one token to continue")
    for name, number in (("past", past), *((("max_tokens", max_tokens),) if max_tokens is not None else ())):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"{name}={number!r}: expected a whole number, not below 0", got=number)
    decoder.require_room(past, len(prompt))
    return _tokens(decoder, prompt, int(past), max_tokens, stops, sampling, Uniform(seed))


def _tokens(
    decoder: _Decoder,
    prompt: Sequence[int],
    past: int,
    max_tokens: int | None,
    stops: frozenset[int],
    sampling: Sampling,
    uniform: Uniform,
) -> Iterator[int]:
    if max_tokens == 0:
        return
    if past == 0:
        decoder.model.reset()
    logits = decoder.logits_after(prompt, past)
    past, count = past + len(prompt), 0
    while True:
        token = sampling.choose(logits, uniform)
        if not np.isfinite(logits[token]):
            raise ModelError(f"{decoder.model}: the logits after {past} tokens are not numbers", past=past)
        yield token
        count += 1
        if token in stops or count == max_tokens:
            return
        decoder.require_room(past, 1)
        logits = decoder.logits_after([token], past)
        past += 1


class _Decoder:
    """A language model: one executor, or several entries, of which some only begin."""

    def __init__(self, model: Executor | Entries) -> None:
        self.model = model
        if isinstance(model, Executor):
            self._begin, self._entries = None, [_Entry(model)]
        else:
            begin = [_Entry(model[name]) for name in model.beginning]
            self._begin = begin[0] if begin else None
            self._entries = [_Entry(model[name]) for name in model if name not in model.beginning]
        sizes = [entry.sizes for entry in self._entries]
        self.sizes = sizes[0].with_those_of(sizes[1:]) if sizes else _Sizes((), False)
        rooms = [model.capacity, *(entry.places for entry in self._entries)]
        self.capacity = min((places for places in rooms if places is not None), default=None)

    def require_room(self, past: int, count: int) -> None:
        """Refuses tokens that the cache has no places for.

        Raises:
            InputError: there are fewer.
        """
        if self.capacity is not None and past + count > self.capacity:
            raise InputError(
                f"{self.model}: {count} more tokens after {past} do not fit the cache, which has {self.capacity} places; "
                "build the model with a greater capacity, or begin anew with fewer tokens",
                capacity=self.capacity,
                past=past,
                tokens=count,
            )

    def logits_after(self, ids: Sequence[int], past: int) -> Array:
        """Lets the model read `ids` behind `past` tokens; the logits after the last one, float `[vocabulary]`."""
        room = None if self.capacity is None else self.capacity - past
        logits, at = np.empty(0), 0
        size = None if self._begin is None or past else self._begin.sizes.longest(len(ids), room)
        if self._begin is not None and size is not None:
            at = min(size, len(ids))
            logits = self._begin.run(list(ids[:at]), past, size)
            room = None if room is None else room - at
        for size in self.sizes.pieces(len(ids) - at, room) if at < len(ids) else ():
            part = list(ids[at : at + size])
            entry = next(entry for entry in self._entries if size in entry.sizes)
            logits = entry.run(part, past + at, size)
            at += len(part)
        return logits


class _Entry:
    """An executor of a language model, and what its inputs and outputs are."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._types = {tensor.name: tensor for tensor in executor.inputs}
        names = [tensor.name for tensor in executor.outputs]
        if not executor.states:
            raise InputError(
                f"{executor} keeps no state, which a model needs to continue what it read: build it with state=, "
                'such as state={"past_key_values.*": "present.*"}'
            )
        unknown = [name for name in self._types if name not in _FEEDS]
        if unknown or _IDS not in self._types or _LOGITS not in names:
            raise InputError(
                f"{executor} is no language model that generate knows: it takes {', '.join(self._types)} and gives "
                f"{', '.join(names)}; expected input {_IDS} and output {_LOGITS}, and of other inputs only "
                f"{', '.join(name for name in _FEEDS if name != _IDS)}",
                unknown=tuple(unknown),
            )
        self._row = names.index(_LOGITS)
        self.sizes = _Sizes.of(self._types[_IDS], has_padding=_LOGITS_AT in self._types)
        extent = _extent_of_mask(self._types)
        self._masks_new = extent is not None and extent == _last_extent(self._types[_IDS])
        self.places = extent if isinstance(extent, int) and not self._masks_new else None

    def run(self, part: list[int], start: int, size: int) -> Array:
        """Lets the model read these tokens, which come behind `start` others, in a run of `size`; the logits after the last."""
        piece = self._piece(part, start, size)
        given = {name: self._array(name, tensor, piece) for name, tensor in self._types.items()}
        results = self._executor.predict(given)
        logits = results[self._row] if isinstance(results, tuple) else results
        rows: Array = logits.reshape(-1, logits.shape[-1])
        row: Array = rows[piece.count - 1 if len(rows) == len(piece.ids) else -1]
        return row

    def _piece(self, part: list[int], start: int, size: int) -> _Piece:
        padded, count = part + part[-1:] * (size - len(part)), len(part)
        if self._masks_new:
            return _Piece(padded, start, count, size, count)
        return _Piece(padded, start, count, self.places or start + size, start + count)

    def _array(self, name: str, tensor: TensorInfo, piece: _Piece) -> Array:
        value = np.array(_FEEDS[name](piece), tensor.dtype.numpy)
        return value.reshape([*[1] * (len(tensor.shape) - 1), -1] if tensor.shape else [])


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many tokens one run may take: those of a list, or of a range; and whether some of them may be padding."""

    sizes: Sequence[int]
    has_padding: bool

    @staticmethod
    def of(ids: TensorInfo, has_padding: bool) -> _Sizes:
        """The sizes of the input that takes tokens."""
        extent = _last_extent(ids)
        if isinstance(extent, DimInfo):
            sizes = extent.sizes or range(extent.low, extent.high + 1, extent.multiple_of)
        else:
            sizes = (ids.shape[-1],)
        if len(ids.shape) != 2 or ids.shape[0] != 1 or not sizes:
            raise InputError(f"input {ids} is expected to be one sequence, [1, tokens]")
        return _Sizes(sizes, has_padding)

    def __contains__(self, size: int) -> bool:
        return size in self.sizes

    def with_those_of(self, others: Sequence[_Sizes]) -> _Sizes:
        """These sizes and those of other entries."""
        if not others:
            return self
        every = {size for some in (self, *others) for size in some.sizes}
        return _Sizes(sorted(every), all(some.has_padding for some in (self, *others)))

    def longest(self, count: int, room: int | None) -> int | None:
        """The size of one run that takes most of `count` tokens; None if there is none."""
        if self.has_padding:
            fitting = [size for size in self.sizes if size >= count and (room is None or size <= room)]
            if fitting:
                return fitting[0]
        return max((size for size in self.sizes if size <= count), default=None)

    def pieces(self, count: int, room: int | None) -> Sequence[int]:
        """Sizes of runs for `count` tokens, the longest first: those that cost least. The last one has padding where that is
        allowed and costs less.

        A run reads all weights once, and computes with each of them once for a token. Both are taken to cost the same, so a run
        costs one more than it has tokens, padding among them.

        Args:
            count: tokens, above 0.
            room: places that are left in the cache, also for padding; None: any number.

        Raises:
            InputError: the library has no sizes for it.
        """
        longest = max(self.sizes)
        head = max(0, count // longest - 1)  # more than two of the longest runs take begins with these
        spare = max(self.sizes) if room is None else room - count
        rest = self._cheapest(count - head * longest, spare if self.has_padding else 0)
        if rest is None:
            raise InputError(
                f"{count} tokens are left, and the library takes {', '.join(map(str, self.sizes))} in a run, "
                f"{'of which none fits the cache' if self.has_padding else 'without padding'}; build it for 1 token too",
                tokens=count,
            )
        return [*[longest] * head, *rest]

    def _cheapest(self, count: int, spare: int) -> Sequence[int] | None:
        """The sizes for so many tokens, of which the last run may have `spare` more; None if there are none."""
        sizes = self._candidates(count)
        best: list[tuple[int, int]] = [
            (0, 0)
        ]  # for each number of tokens what they cost, and minus the first size
        for left in range(1, count + 1):
            fitting = (size for size in sizes if size <= left + spare)
            options = [(best[max(0, left - size)][0] + size + 1, -size) for size in fitting]
            best.append(min(options, default=(_NEVER, 0)))
        if best[count][0] >= _NEVER:
            return None
        chain: list[int] = []
        while count > 0:
            chain.append(-best[count][1])
            count -= chain[-1]
        return chain

    def _candidates(self, count: int) -> Sequence[int]:
        """The sizes that may be best for so many tokens: of a range the nearest ones, and both ends."""
        if not isinstance(self.sizes, range):
            return self.sizes
        low, high = self.sizes[0], self.sizes[-1]
        near = {low, high}
        for number in (count, count - high):
            at = bisect.bisect_left(self.sizes, number)
            near.update(self.sizes[max(0, at - 1) : at + 1])
        return sorted(near)


def _extent_of_mask(inputs: Mapping[str, TensorInfo]) -> int | DimInfo | str | None:
    """The number of places of the attention mask: that of the tokens of a run, of all tokens so far, or of those that
    there may be. None if there is no mask.
    """
    mask = inputs.get(_MASK)
    if mask is None:
        return None
    if len(mask.shape) != 2 or mask.dtype.is_float:
        raise InputError(
            f"input {mask} is expected to have a whole number or a bool for each place, [1, places]"
        )
    return _last_extent(mask)


def _last_extent(tensor: TensorInfo) -> int | DimInfo | str:
    return tensor.extents[-1] if tensor.extents else tensor.shape[-1]


def _executor(model: Library | Executor | Entries) -> Executor | Entries:
    if isinstance(model, Executor | Entries):
        return model
    if not isinstance(model, Library):
        raise InputError(f"expected a library, an executor or entries, got {type(model).__name__}")
    names = model.model_names
    if len(names) > 1 and len({info.entry and info.entry.of for info in model.models.values()} - {None}) == 1:
        stream: Entries = model.entries()
        return stream
    if len(names) != 1:
        raise InputError(
            f"the library has {len(names)} models ({', '.join(names)}); give an executor: library[name](ingot.cpu(0))",
            known=tuple(names),
        )
    executor: Executor = model[names[0]](cpu(0))
    return executor


def _token_ids(name: str, ids: Sequence[int] | Array) -> list[int]:
    array = np.asarray(ids)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{name}: expected whole numbers, the ids of tokens, got {array.dtype}")
    if array.ndim > 1 and array.size != array.shape[-1]:
        raise InputError(f"{name}: expected one sequence of token ids, got the shape {list(array.shape)}")
    return [int(token) for token in array.reshape(-1)]
