"""Exports the small sequence models under `tests/models/` from PyTorch, with inputs and onnxruntime's answers beside them.

Run by hand when a model changes, in an environment of its own (PyTorch is no dependency of ingot):

    pip install torch==2.13.0 onnx onnxruntime && python tools/export_torch_models.py

Weights are random from a fixed seed, scaled so that every layer changes its input and no activation saturates. The files
`<name>.npz` hold `in_<input>` and `out_<output>` arrays.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

FOLDER = Path(__file__).parent.parent / "tests" / "models"
OPSET = 17


class Encoder(nn.Module):
    """Two layers of a transformer encoder with GELU: x [batch, 16, 64] → y [batch, 16, 64]."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(64), enable_nested_tensor=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)


class DecoderBlock(nn.Module):
    """One pre-norm block of GPT-2's kind: fused query-key-value projection, causal mask, tanh GELU."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gelu = nn.GELU(approximate="tanh")
        self.register_buffer("past", torch.tril(torch.ones(length, length, dtype=torch.bool)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.project(self.norm1(x)).split(width, dim=2)
        query, key, value = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for part in parts
        )
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        weights = scores.masked_fill(~self.past[:length, :length], float("-inf")).softmax(dim=-1)
        x = x + self.merge((weights @ value).transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(self.gelu(self.widen(self.norm2(x))))


class Decoder(nn.Module):
    """Token and position embeddings, a decoder block, tied output: tokens [1, 16] → logits [1, 16, 96]."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(96, 64), nn.Embedding(16, 64)
        self.block = DecoderBlock(64, 4, 16)
        self.norm = nn.LayerNorm(64)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return self.norm(self.block(x)) @ self.tokens.weight.T


class Recurrent(nn.Module):
    """A recurrent network with a linear head: x [1, 12, 16] → y [1, 12, 10] and the last hidden state."""

    def __init__(self, kind: type[nn.LSTM] | type[nn.GRU], bidirectional: bool) -> None:
        super().__init__()
        self.cell = kind(16, 32, num_layers=2, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(64 if bidirectional else 32, 10)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y, state = self.cell(x)
        hidden = state[0] if isinstance(state, tuple) else state
        return self.head(y), hidden


def spread(model: nn.Module, generator: torch.Generator, gain: float = 1.0) -> nn.Module:
    """Random weights of gain/√fan-in, biases and scales that are not trivial."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if weight.dim() > 1:
                weight.copy_(gain * noise / weight.shape[-1] ** 0.5)
            else:
                weight.copy_(0.1 * noise + (1.0 if "norm" in name and name.endswith("weight") else 0.0))
    return model.eval()


def export(
    name: str,
    model: nn.Module,
    inputs: dict[str, torch.Tensor],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
) -> None:
    path = FOLDER / f"{name}.onnx"
    torch.onnx.export(
        model,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds = {key: value.numpy() for key, value in inputs.items()}
    answers = dict(zip(outputs, session.run(outputs, feeds), strict=True))
    with torch.no_grad():
        expected = model(*inputs.values())
    for (key, answer), wanted in zip(
        answers.items(), expected if isinstance(expected, tuple) else (expected,), strict=True
    ):
        np.testing.assert_allclose(answer, wanted.numpy(), rtol=1e-4, atol=1e-5, err_msg=f"{name}: {key}")
        print(f"{name:20s} {key:8s} {answer.shape!s:16s} spread {answer.std():.3f}")
    arrays = {f"in_{key}": value for key, value in feeds.items()} | {
        f"out_{key}": value for key, value in answers.items()
    }
    np.savez_compressed(FOLDER / f"{name}.npz", **arrays)


def main() -> None:
    warnings.filterwarnings("ignore")
    torch.backends.mha.set_fastpath_enabled(False)  # it is one fused operator that has no ONNX form
    torch.manual_seed(11)
    generator = torch.Generator().manual_seed(11)
    FOLDER.mkdir(parents=True, exist_ok=True)

    def noise(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator)

    batch = {"x": {0: "batch"}, "y": {0: "batch"}}
    export("transformer_encoder", spread(Encoder(), generator), {"x": noise(1, 16, 64)}, ["y"], batch)
    tokens = torch.randint(0, 96, (1, 16), generator=generator)
    export("gpt_decoder", spread(Decoder(), generator), {"tokens": tokens}, ["logits"], {})
    sequence = noise(1, 12, 16)
    export("lstm", spread(Recurrent(nn.LSTM, True), generator, 2.0), {"x": sequence}, ["y", "hidden"], {})
    export("gru", spread(Recurrent(nn.GRU, False), generator, 2.0), {"x": sequence}, ["y", "hidden"], {})


if __name__ == "__main__":
    main()
