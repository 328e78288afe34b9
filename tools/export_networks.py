"""Exports networks of torchvision, timm and transformers as ONNX files, as PyTorch writes them, to build and to measure.

Run by hand, in an environment of its own (PyTorch is no dependency of ingot); without names it exports all:

    pip install torch==2.13.0 torchvision timm transformers onnx onnxscript
    python tools/export_networks.py networks [NAME ...]
    .venv/bin/python benchmarks/run.py --cold 0 --turns 7 --models networks/*.onnx     # in ingot's own, with its extra bench

Nothing is downloaded: weights are those that the libraries begin with. Statistics of batch norms and weights that would all be
zero are drawn from a fixed seed, so that activations and answers are no constants. A network that cannot be exported is named,
and the next one follows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import timm
import torch
import torchvision
import transformers
from torch import nn

Network = tuple[nn.Module, tuple[torch.Tensor, ...]]
TORCHVISION = (
    "efficientnet_b0", "convnext_tiny", "vit_b_16", "swin_t", "swin_v2_t", "mobilenet_v3_small", "mobilenet_v3_large",
    "regnet_y_400mf", "regnet_x_800mf", "shufflenet_v2_x1_0", "mnasnet1_0", "densenet121", "resnext50_32x4d",
    "wide_resnet50_2", "maxvit_t", "alexnet", "squeezenet1_1",
)  # fmt: skip
VIDEO = ("r3d_18", "mc3_18")
SEGMENTATION = ("deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large", "fcn_resnet50")
TIMM = (
    "deit_tiny_patch16_224", "mobilevit_s", "efficientformer_l1", "ghostnet_100", "repvgg_a0", "levit_128", "poolformer_s12",
    "mixer_s16_224", "edgenext_small", "mobilenetv4_conv_small", "fastvit_t8", "tinynet_a", "hrnet_w18_small", "dpn68",
    "coat_tiny", "xcit_nano_12_p16_224", "cspdarknet53", "nfnet_l0", "convmixer_768_32", "resmlp_12_224", "gmixer_24_224",
    "pvt_v2_b0", "tf_efficientnet_lite0",
)  # fmt: skip
DECODER: dict[str, Any] = {
    "hidden_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 4000,
    "use_cache": False,
}
# By name: class, its configuration, and the numbers of that which are not the library's own; then tokens of the input.
TOKENS: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "bert": ("BertModel", "BertConfig", {"num_hidden_layers": 4}, 64),
    "distilbert": ("DistilBertModel", "DistilBertConfig", {"n_layers": 3}, 128),
    "mobilebert": ("MobileBertModel", "MobileBertConfig", {"num_hidden_layers": 4}, 64),
    "electra": ("ElectraModel", "ElectraConfig", {"num_hidden_layers": 4}, 64),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", {"n_layer": 2, "vocab_size": 5000, "use_cache": False}, 32),
    "llama": ("LlamaForCausalLM", "LlamaConfig", {**DECODER, "intermediate_size": 1376}, 32),
    "llama_step": ("LlamaForCausalLM", "LlamaConfig", {**DECODER, "intermediate_size": 1376}, 1),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", {**DECODER, "intermediate_size": 1376, "head_dim": 64}, 16),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", {**DECODER, "intermediate_size": 1024, "head_dim": 64}, 16),
    "phi3": ("Phi3ForCausalLM", "Phi3Config", {**DECODER, "intermediate_size": 1024, "pad_token_id": 0}, 16),
    "mamba": (
        "MambaModel",
        "MambaConfig",
        {"hidden_size": 256, "num_hidden_layers": 2, "vocab_size": 1000},
        16,
    ),
}


class Only(nn.Module):
    """The first, or the named, of a network's results."""

    def __init__(self, network: nn.Module, key: str | int = 0) -> None:
        super().__init__()
        self.network, self.key = network, key

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.network(*inputs)[self.key]


def networks() -> dict[str, Callable[[], Network]]:
    """What makes each network and its inputs, by name."""

    def vision_model(name: str) -> Callable[[], Network]:
        def make() -> Network:
            return torchvision.models.get_model(name, weights=None), (torch.randn(1, 3, 224, 224),)

        return make

    def video(name: str) -> Callable[[], Network]:
        def make() -> Network:
            return torchvision.models.get_model(name, weights=None), (torch.randn(1, 3, 8, 112, 112),)

        return make

    def segmentation(name: str) -> Callable[[], Network]:
        def make() -> Network:
            network = torchvision.models.get_model(name, weights=None, weights_backbone=None)
            return Only(network, "out"), (torch.randn(1, 3, 256, 256),)

        return make

    def timm_model(name: str) -> Callable[[], Network]:
        def make() -> Network:
            network = timm.create_model(name, pretrained=False)
            return network, (torch.randn(1, *timm.data.resolve_model_data_config(network)["input_size"]),)

        return make

    def tokens(name: str) -> Callable[[], Network]:
        def make() -> Network:
            kind, config, numbers, length = TOKENS[name]
            network = getattr(transformers, kind)(getattr(transformers, config)(**numbers))
            return Only(network), (torch.randint(0, 1000, (1, length)),)

        return make

    return {
        **{name: vision_model(name) for name in TORCHVISION},
        **{name: video(name) for name in VIDEO},
        **{name: segmentation(name) for name in SEGMENTATION},
        **{f"timm_{name}": timm_model(name) for name in TIMM},
        **{name: tokens(name) for name in TOKENS},
    }


def export(make: Callable[[], Network], path: Path) -> None:
    torch.manual_seed(0)
    network, inputs = make()
    network.eval()
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    with torch.no_grad():
        for weights in network.parameters():
            if (
                weights.dim() > 1 and not weights.any()
            ):  # a head that is to be trained: all answers would be zeros
                weights.normal_(0, 0.02)
    program = torch.onnx.export(network, inputs, dynamo=True, verbose=False)
    onnx.save(program.model_proto, path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    options = parser.parse_args()
    known = networks()
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"no such network: {', '.join(unknown)}; there are {', '.join(known)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.names or known:
        try:
            export(known[name], options.folder / f"{name}.onnx")
            print(name, flush=True)
        except Exception as error:  # whatever the libraries raise
            failed += 1
            print(
                f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:200]}",
                file=sys.stderr,
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
