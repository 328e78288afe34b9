"""Exports networks with a batch that varies, by both exporters of PyTorch, as `NAME.torchscript.onnx` and `NAME.dynamo.onnx`.

Run by hand, in an environment of its own (PyTorch is no dependency of ingot); without names it exports all:

    pip install torch==2.13.0 torchvision timm transformers onnx onnxscript
    python tools/dynamic_exports.py networks [NAME ...]
    .venv/bin/python tools/dynamic_builds.py networks/*.onnx          # in ingot's own: what becomes of them

Nothing is simplified afterwards, and nothing is downloaded: weights are those that the libraries begin with. The networks are
those of `export_networks.py` and some more, with masks and with recurrent layers. Files that are there are not exported again.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import export_networks
import torch
import transformers
from torch import nn

EXPORTERS = ("torchscript", "dynamo")
# By name: class, configuration, numbers of that which are not the library's own, and the shapes of the inputs behind the batch.
IMAGES: dict[str, tuple[str, str, dict[str, Any], tuple[int, ...]]] = {
    "clip_vision": ("CLIPVisionModel", "CLIPVisionConfig", {"num_hidden_layers": 2}, (3, 224, 224)),
    "convnextv2": ("ConvNextV2Model", "ConvNextV2Config", {"depths": [1, 1, 2, 1]}, (3, 224, 224)),
    "dinov2": ("Dinov2Model", "Dinov2Config", {"num_hidden_layers": 2}, (3, 224, 224)),
    "segformer": ("SegformerForSemanticSegmentation", "SegformerConfig", {}, (3, 128, 128)),
    "yolos": (
        "YolosForObjectDetection",
        "YolosConfig",
        {"num_hidden_layers": 2, "image_size": [128, 128]},
        (3, 128, 128),
    ),
    "swin2sr": ("Swin2SRForImageSuperResolution", "Swin2SRConfig", {"depths": [2, 2]}, (3, 64, 64)),
    "whisper_encoder": (
        "WhisperEncoder",
        "WhisperConfig",
        {"encoder_layers": 2, "d_model": 128, "encoder_attention_heads": 4},
        (80, 3000),
    ),
    "wav2vec2": ("Wav2Vec2Model", "Wav2Vec2Config", {"num_hidden_layers": 2}, (8000,)),
}
TOKENS = 24
MASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "albert": ("AlbertModel", "AlbertConfig", {"num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 4}),
    "bert_masked": ("BertModel", "BertConfig", {"num_hidden_layers": 2}),
    "deberta": ("DebertaModel", "DebertaConfig", {"num_hidden_layers": 2}),
    "gpt2_masked": ("GPT2LMHeadModel", "GPT2Config", {"n_layer": 2, "vocab_size": 5000, "use_cache": False}),
    "modernbert": ("ModernBertModel", "ModernBertConfig", {"num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 4}),
    "roberta": ("RobertaModel", "RobertaConfig", {"num_hidden_layers": 2}),
    "t5_encoder": ("T5EncoderModel", "T5Config", {"num_layers": 2}),
    "xlm_roberta": ("XLMRobertaModel", "XLMRobertaConfig", {"num_hidden_layers": 2, "vocab_size": 5000}),
}  # fmt: skip


class Masked(nn.Module):
    """A network of transformers with a mask; its first result."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.network(input_ids=tokens, attention_mask=mask)[0]


class Crnn(nn.Module):
    """Text in images of lines: convolutions, then a recurrent network over columns."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 64, 3, 1, 1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d((8, 1)),
        )  # fmt: skip
        self.cells = nn.LSTM(64, 48, num_layers=2, bidirectional=True)
        self.head = nn.Linear(96, 37)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(x).squeeze(2).permute(2, 0, 1)
        y, _ = self.cells(y)
        steps, batch, width = y.size()
        return self.head(y.reshape(steps * batch, width)).view(steps, batch, -1).permute(1, 0, 2)


class Tagger(nn.Module):
    """A class for each token, by a recurrent network; its batch is the first dimension, and it begins from zeros."""

    def __init__(self, kind: type[nn.LSTM] | type[nn.GRU], first: bool) -> None:
        super().__init__()
        self.table, self.first = nn.Embedding(500, 32), first
        self.cells = kind(32, 40, num_layers=2, bidirectional=True, batch_first=first)
        self.head = nn.Linear(80, 9)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.table(tokens)
        y = self.cells(x if self.first else x.transpose(0, 1))[0]
        return self.head(y if self.first else y.transpose(0, 1))


class Dlrm(nn.Module):
    """Dense features and tables, whose products with each other are features too."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(100, 16) for _ in range(6))
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 16))
        self.top = nn.Sequential(nn.Linear(16 + 21, 64), nn.ReLU(), nn.Linear(64, 1))
        rows, columns = torch.tril_indices(7, 7, -1)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)

    def forward(self, dense: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        low = self.bottom(dense)
        each = torch.stack([low, *(table(kinds[:, at]) for at, table in enumerate(self.tables))], dim=1)
        products = torch.bmm(each, each.transpose(1, 2))[:, self.rows, self.columns]
        return torch.sigmoid(self.top(torch.cat([low, products], dim=1)))


class Pointnet(nn.Module):
    """Points, multiplied by a matrix that is computed of them."""

    def __init__(self) -> None:
        super().__init__()
        self.of_points = nn.Sequential(nn.Conv1d(3, 32, 1), nn.ReLU(), nn.Conv1d(32, 64, 1))
        self.matrix = nn.Linear(64, 9)
        self.features = nn.Sequential(
            nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU(), nn.Conv1d(64, 128, 1)
        )
        self.head = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        points = self.matrix(self.of_points(x).max(2)[0]).view(-1, 3, 3) + torch.eye(3).repeat(
            x.size(0), 1, 1
        )
        return self.head(self.features(torch.bmm(points, x)).max(2)[0])


class Unet(nn.Module):
    """An image's segments: halved, doubled, and joined."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList(
            [nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 32, 3, 2, 1), nn.Conv2d(32, 64, 3, 2, 1)]
        )
        self.up = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(64, 16, 2, 2)])
        self.head = nn.Conv2d(32, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = torch.relu(self.down[0](x))
        second = torch.relu(self.down[1](first))
        third = torch.relu(self.down[2](second))
        joined = torch.cat([self.up[0](third), second], 1)
        whole = torch.cat([self.up[1](joined), first], 1)
        return nn.functional.interpolate(self.head(whole), scale_factor=2, mode="bilinear")


class Decoder(nn.Module):
    """A layer of torch's own transformer with a causal mask, one row of learned queries for each item."""

    def __init__(self) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(5, 64))
        layer = nn.TransformerDecoderLayer(64, 4, 128, batch_first=True)
        self.layers = nn.TransformerDecoder(layer, 2)

    def forward(self, memory: torch.Tensor) -> torch.Tensor:
        queries = self.queries.unsqueeze(0).expand(memory.size(0), -1, -1)
        return self.layers(queries, memory)


def written() -> dict[str, Callable[[], export_networks.Made]]:
    """Networks that no library has, by name: what makes each, and inputs for one item."""
    return {
        "crnn": lambda: (Crnn(), (torch.randn(1, 1, 32, 100),)),
        "decoder_of_queries": lambda: (Decoder(), (torch.randn(1, 12, 64),)),
        "dlrm": lambda: (Dlrm(), (torch.randn(1, 13), torch.randint(0, 100, (1, 6)))),
        "gru_tagger": lambda: (Tagger(nn.GRU, False), (torch.randint(0, 500, (1, 12)),)),
        "lstm_tagger": lambda: (Tagger(nn.LSTM, True), (torch.randint(0, 500, (1, 12)),)),
        "pointnet": lambda: (Pointnet(), (torch.randn(1, 3, 128),)),
        "unet": lambda: (Unet(), (torch.randn(1, 3, 64, 64),)),
    }


def networks() -> dict[str, Callable[[], export_networks.Made]]:
    """What makes each network and its inputs for one item, by name."""

    def of_images(name: str) -> export_networks.Made:
        kind, config, numbers, shape = IMAGES[name]
        path = "transformers.models.whisper.modeling_whisper" if kind == "WhisperEncoder" else "transformers"
        network = getattr(importlib.import_module(path), kind)(getattr(transformers, config)(**numbers))
        return export_networks.Only(network), (torch.randn(1, *shape),)

    def masked(name: str) -> export_networks.Made:
        kind, config, numbers = MASKED[name]
        network = getattr(transformers, kind)(getattr(transformers, config)(**numbers))
        tokens = torch.randint(0, 1000, (1, TOKENS))
        return Masked(network), (tokens, torch.ones(1, TOKENS, dtype=torch.int64))

    return {
        **export_networks.networks(),
        **{name: functools.partial(of_images, name) for name in IMAGES},
        **{name: functools.partial(masked, name) for name in MASKED},
        **written(),
    }


def export(make: Callable[[], export_networks.Made], exporter: str, path: Path) -> None:
    """Writes one network as a user does who wants any batch, from an example of two items."""
    torch.manual_seed(0)
    network, inputs = make()
    network.eval()
    two = tuple(torch.cat([each, each]) for each in inputs)
    names = [f"input{at}" for at in range(len(two))]
    if exporter == "torchscript":
        torch.onnx.export(
            network, two, str(path), input_names=names, output_names=["output"], dynamo=False, opset_version=17,
            dynamic_axes={name: {0: "batch"} for name in (*names, "output")},
        )  # fmt: skip
        return
    batch = torch.export.Dim("batch", min=1, max=4096)
    shapes: tuple[Any, ...] = tuple({0: batch} for _ in two)
    first = next(iter(inspect.signature(network.forward).parameters.values()))
    torch.onnx.export(
        network, two, str(path), input_names=names, output_names=["output"], dynamo=True, verbose=False,
        dynamic_shapes=(shapes,) if first.kind is inspect.Parameter.VAR_POSITIONAL else shapes, external_data=False,
    )  # fmt: skip


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these networks")
    parser.add_argument("--exporter", choices=EXPORTERS, action="append", help="only this one")
    options = parser.parse_args()
    known = networks()
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"no such network: {', '.join(unknown)}; there are {', '.join(known)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.backends.mha.set_fastpath_enabled(False)  # one fused operator that has no ONNX form
    failed = 0
    for name in options.names or known:
        for exporter in options.exporter or EXPORTERS:
            path, part = options.folder / f"{name}.{exporter}.onnx", options.folder / "part"
            if path.exists():
                continue
            try:
                export(known[name], exporter, part)
                part.rename(path)
                print(f"{name} {exporter}", flush=True)
            except Exception as error:  # whatever the libraries raise
                failed += 1
                reason = " ".join(str(error).split())[:300]
                print(f"{name} {exporter}: {type(error).__name__}: {reason}", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
