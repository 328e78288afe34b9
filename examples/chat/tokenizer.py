"""The tokenizer of a GGUF file: byte-level BPE, by the package tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

import ingot

_CONTROL = 3  # the type of a token that stands for no text
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _by_words(digits: str) -> pre_tokenizers.PreTokenizer:
    """Splits at words, where numbers are cut into pieces of `digits`."""
    split = pre_tokenizers.Split(Regex(_WORDS % digits), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _by_digits() -> pre_tokenizers.PreTokenizer:
    digits = pre_tokenizers.Digits(individual_digits=True)
    return pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])


# What `tokenizer.ggml.pre` says of how a text is split before pairs are merged.
_SPLITS = {
    "smollm": _by_digits,
    "llama-bpe": lambda: _by_words(r"\p{N}{1,3}"),
    "qwen2": lambda: _by_words(r"\p{N}"),
}


def tokenizer_of(facts: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer that a file describes.

    Raises:
        ingot.UnsupportedError: it is no byte-level BPE, or splits texts in a way that is not known.
    """
    kind, split = facts.get("tokenizer.ggml.model"), facts.get("tokenizer.ggml.pre")
    if kind != "gpt2" or split not in _SPLITS:
        raise ingot.UnsupportedError(
            f"tokenizer {kind!r} with splits {split!r} is not handled, only 'gpt2' with {', '.join(_SPLITS)}"
        )
    tokens, types = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    merges = [tuple(pair.split(" ", 1)) for pair in facts["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: id_ for id_, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer, tokenizer.decoder = _SPLITS[split](), decoders.ByteLevel()
    control = [token for token, type_ in zip(tokens, types, strict=True) if type_ == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in control])
    return tokenizer
