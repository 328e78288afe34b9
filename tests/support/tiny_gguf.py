"""GGUF files of small decoders with random weights. The writer shares nothing with the reader of examples/chat."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

HIDDEN, HEADS, GROUPS, HEAD, INNER, VOCABULARY, LAYERS = 64, 4, 2, 16, 256, 96, 2
# Type number of ggml, elements and bytes of a block, and the places of its scales of 16 bits.
FORMATS: Mapping[str, tuple[int, int, int, tuple[int, ...]]] = {
    "F32": (0, 1, 4, ()),
    "F16": (1, 1, 2, ()),
    "Q4_0": (2, 32, 18, (0,)),
    "Q4_1": (3, 32, 20, (0, 2)),
    "Q8_0": (8, 32, 34, (0,)),
    "Q4_K": (12, 256, 144, (0, 2)),
    "Q6_K": (14, 256, 210, (208,)),
}


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words.encode())) + words.encode()


def value(content: Any) -> bytes:
    """A value with its type in front of it."""
    if isinstance(content, str):
        return struct.pack("<I", 8) + text(content)
    if isinstance(content, float):
        return struct.pack("<If", 6, content)
    if isinstance(content, list):
        return struct.pack("<IIQ", 9, 8, len(content)) + b"".join(map(text, content))
    return struct.pack("<II", 4, content)


def blocks(random: np.random.Generator, kind: str, shape: tuple[int, ...], size: float) -> bytes:
    """A tensor with random content, of weights that are about `size`."""
    _, elements, block_bytes, scales = FORMATS[kind]
    if kind in ("F32", "F16"):
        return (random.standard_normal(shape) * size).astype("<f4" if kind == "F32" else "<f2").tobytes()
    count = int(np.prod(shape)) // elements
    data = random.integers(0, 256, (count, block_bytes), dtype=np.uint8)
    reach = {"Q4_0": 5, "Q4_1": 5, "Q8_0": 75, "Q4_K": 160, "Q6_K": 1400}[kind]
    for at in scales:
        number = random.uniform(0.5, 1.5, count) * size / reach
        # An offset takes the mean off: those of Q4_1 are added to what is 7.5 in the mean, those of Q4_K are taken off.
        number *= {("Q4_1", 2): -7.5, ("Q4_K", 2): 7.5}.get((kind, at), 1)
        data[:, at : at + 2] = number.astype("<f2").view(np.uint8).reshape(count, 2)
    return data.tobytes()


def decoder_tensors(
    architecture: str, kinds: Mapping[str, str]
) -> dict[str, tuple[str, tuple[int, ...], float]]:
    """Format, shape and size of the weights by name; `kinds` has the formats of matrices, by a part of their names."""

    def matrix(name: str, rows: int, depth: int) -> tuple[str, tuple[int, ...], float]:
        kind = next((kind for part, kind in kinds.items() if part in name), kinds[""])
        return kind, (rows, depth), depth**-0.5

    tensors = {
        "token_embd.weight": ("Q8_0", (VOCABULARY, HIDDEN), 1.0),
        "output_norm.weight": ("F32", (HIDDEN,), 1.0),
    }
    for layer in range(LAYERS):
        sizes = {
            "attn_q": (HEADS * HEAD, HIDDEN),
            "attn_k": (GROUPS * HEAD, HIDDEN),
            "attn_v": (GROUPS * HEAD, HIDDEN),
            "attn_output": (HIDDEN, HEADS * HEAD),
            "ffn_gate": (INNER, HIDDEN),
            "ffn_up": (INNER, HIDDEN),
            "ffn_down": (HIDDEN, INNER),
        }
        for name, size in sizes.items():
            tensors[f"blk.{layer}.{name}.weight"] = matrix(name, *size)
        vectors = {"attn_norm": HIDDEN, "ffn_norm": HIDDEN}
        if architecture == "qwen3":
            vectors |= {"attn_q_norm": HEAD, "attn_k_norm": HEAD}
        tensors |= {f"blk.{layer}.{name}.weight": ("F32", (size,), 1.0) for name, size in vectors.items()}
        if architecture == "qwen2":
            biases = {f"attn_{role}": sizes[f"attn_{role}"][0] for role in "qkv"}
            tensors |= {f"blk.{layer}.{name}.bias": ("F32", (size,), 0.3) for name, size in biases.items()}
    return tensors


def write_gguf(
    path: Path, architecture: str = "llama", kinds: Mapping[str, str] = {"": "Q4_1"}, **facts: object
) -> Path:
    """Writes a decoder; `facts` are added to what the file says of its architecture, or take its place."""
    random = np.random.default_rng(7)
    stated = {
        "general.architecture": architecture,
        f"{architecture}.block_count": LAYERS,
        f"{architecture}.context_length": 128,
        f"{architecture}.embedding_length": HIDDEN,
        f"{architecture}.attention.head_count": HEADS,
        f"{architecture}.attention.head_count_kv": GROUPS,
        f"{architecture}.attention.key_length": HEAD,
        f"{architecture}.attention.layer_norm_rms_epsilon": 1e-5,
        f"{architecture}.rope.freq_base": 10000.0,
        "tokenizer.ggml.tokens": ["a", "b"],
    } | {f"{architecture}.{name.replace('__', '.')}": fact for name, fact in facts.items()}
    tensors = decoder_tensors(architecture, kinds)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(stated))
    head += b"".join(text(key) + value(fact) for key, fact in stated.items())
    body = b""
    for name, (kind, shape, size) in tensors.items():
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += struct.pack("<IQ", FORMATS[kind][0], len(body))
        body += blocks(random, kind, shape, size)
        body += bytes(-len(body) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + body)
    return path
