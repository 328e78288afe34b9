"""Some small model of codediff reaches every algorithm of every family: what none reaches, a refactor may change unseen.

Builds end behind the plan; the file takes 3 seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import onnx
import pytest

import ingot
from ingot.kernels.families import FAMILIES
from tests.codediff import kernel_models
from tests.codediff.subjects import EVERYWHERE, MORE_CPUS, ON_MORE

# A model and a target that it is compared on, the algorithms that it is there for, and `math` where it is not the default.
REACHED = (
    ("attention", "znver4", "matmul=pairwise reduce=rows", "fast"),
    ("channels_of_planes", "neoverse-n1", "layer_norm=columns", "fast"),
    ("channels_of_planes", "opencl", "layer_norm=rows", "fast"),
    ("conv_1x1", "znver4", "conv=pairwise", "fast"),
    ("conv_1x1_wide", "sapphirerapids", "conv=amx", "fast"),
    ("conv_depthwise", "opencl", "conv=grid_depthwise conv=grid", "fast"),
    ("conv_depthwise", "znver3", "conv=depthwise", "fast"),
    ("conv_few_outputs", "neoverse-n1", "conv=input_channels conv_transpose=input_channels", "fast"),
    ("conv_few_outputs", "opencl", "conv_transpose=grid", "fast"),
    ("conv_transpose", "neoverse-n1", "conv_transpose=direct", "fast"),
    ("image_norms", "neoverse-n1", "softmax=columns", "fast"),
    ("inception", "opencl", "matmul=grid pool=windows reduce=group_columns", "fast"),
    ("inception", "sapphirerapids", "conv=winograd_f2", "fast"),
    (
        "inception",
        "neoverse-n1",
        "conv=direct conv=winograd_f4 pool=rows reduce=columns softmax=rows",
        "fast",
    ),
    ("matmul", "sapphirerapids", "matmul=amx", "fast"),
    ("matmul_columns", "neoverse-n1", "matmul=columns", "fast"),
    ("matmul_large", "znver3", "matmul=panels", "fast"),
    ("matmul_square", "neoverse-n1", "matmul=strassen", "normwise"),
    ("norms", "opencl", "layer_norm=group_rows reduce=group_rows softmax=group_rows", "fast"),
    ("qdq_conv", "alderlake", "qconv=depthwise_pairs qconv=direct qconv=pointwise", "fast"),
    ("qdq_conv", "graniterapids-cores16", "qconv=amx qconv=depthwise_words", "fast"),
    ("qdq_conv", "opencl", "qconv=depthwise_taps", "fast"),
    ("qdq_conv_wide", "znver3", "qconv=winograd_f4", "fast"),
    ("qdq_matmul", "sapphirerapids", "qmatmul=amx", "fast"),
    ("qdq_matmul", "znver3", "qmatmul=panels", "fast"),
    ("top", "neoverse-n1", "topk=sorted_list", "fast"),
    ("top", "opencl", "topk=passes", "fast"),
    ("top_hundred", "neoverse-n1", "topk=selection", "fast"),
    ("weights_of_4_bits", "znver3", "matmul_nbits=in_registers", "fast"),
    ("weights_of_4_bits", "znver4", "matmul_nbits=int8_slices", "fast"),
    ("weights_of_4_bits_many_rows", "neoverse-n1", "matmul_nbits=widened", "fast"),
)


class Planned(Exception):  # noqa: N818 - it is no error, but the end that is wanted
    """The tables of algorithms are there: what a build does afterwards is not waited for."""


class Tables(ingot.Observer):
    text = ""

    def dump(self, name: str, content: Callable[[], str | bytes]) -> None:
        if name == "algorithms.txt":
            self.text = str(content())
            raise Planned


def chosen(model: str, label: str, math: str) -> set[str]:
    """The algorithms of all kernels of a model, as `conv=direct`."""
    target = {**EVERYWHERE, **(MORE_CPUS if model in ON_MORE else {})}[label]
    observer = Tables(on_note=lambda _: None)
    placed = {} if isinstance(target, str) else {"place": {"*": "accel"}}
    proto = onnx.load_from_string(kernel_models.models()[model]())
    with pytest.raises(Planned):
        ingot.build(proto, target, name="m", math=math, cache=None, observer=observer, **placed)
    return set(re.findall(r"^\S+: (\w+=\w+)$", observer.text, re.MULTILINE))


@pytest.mark.parametrize(("model", "label", "algorithms", "math"), REACHED)
def test_a_model_reaches_the_algorithms_that_it_is_there_for(
    model: str, label: str, algorithms: str, math: str
) -> None:
    assert set(algorithms.split()) <= chosen(model, label, math)
    assert math == "fast" or model in kernel_models.MATH[math]


def test_every_algorithm_is_reached() -> None:
    reached = {name for _, _, algorithms, _ in REACHED for name in algorithms.split()}
    every = {f"{family}={algorithm.name}" for family, some in FAMILIES.items() for algorithm in some}
    assert not every - reached, "add a small model to kernel_models.py that chooses them on some target"
    assert reached <= every
