"""The models that are compared, and the targets of each."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.codediff import kernel_models
from tests.support.node_tests import load_node_tests, node_test_names
from tests.support.paths import MODELS, ROOT, TESTS

# CPUs that are described by different facts, so that kernels for them are written in different ways.
CPUS: Mapping[str, str] = {
    "znver3": "llvm -mtriple=x86_64-linux-gnu -mcpu=znver3",  # vectors of 32 bytes, 16 registers
    "znver4": "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4",  # AVX-512 in halves, dot products
    "sapphirerapids": "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids --cores=1",  # AMX for integers and for float32
    "neoverse-n1": "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",  # multiply-add by lane, signed dot products
}
OTHERS: Mapping[str, Any] = {
    "c": "c",
    "opencl": {"host": "c", "accel": "opencl"},
    "cuda": {"host": "c", "accel": "cuda"},
}
# For a few models only.
MORE_CPUS: Mapping[str, str] = {
    "x86-64": "llvm -mtriple=x86_64-linux-gnu",  # SSE2 alone
    "alderlake": "llvm -mtriple=x86_64-linux-gnu -mcpu=alderlake",  # dot products in vectors of 32 bytes
    "skylake-avx512": "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512",  # AVX-512 without dot products
    "znver4-cores8": "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4 --cores=8",
    "graniterapids-cores16": "llvm -mtriple=x86_64-linux-gnu -mcpu=graniterapids --cores=16",
    "neoverse-v2": "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v2",  # dot products of both signs
    "riscv64": "llvm -mtriple=riscv64-linux-gnu",
    "cortex-m4": "llvm -mtriple=thumbv7em-none-eabi -mcpu=cortex-m4",
    "opencl-cpu": {"host": "c", "accel": "opencl --device=cpu"},  # type: ignore[dict-item]
}
EVERYWHERE = {**CPUS, **OTHERS}
ON_MORE = (
    "conv_3x3",
    "conv_depthwise",
    "matmul",
    "matmul_one_row",
    "qdq_conv",
    "qdq_matmul",
    "norms",
    "chain",
)
LARGE_ON = ("znver4", "sapphirerapids")  # in turns
# Networks that `make bench` measures, whose many layers have sizes that nothing else here has.
NETWORKS = ("resnet18", "mobilenet_v2")
TRANSFORMERS = ("minilm", "gpt2_step", "gpt2_block")
NODE_TESTS = (
    "test_ai_onnx_ml_tree_ensemble_single_tree", "test_attention_4d_gqa_causal", "test_averagepool_2d_ceil",
    "test_batchnorm_example", "test_bitshift_left_uint8", "test_blackmanwindow_expanded",
    "test_cast_FLOAT_to_FLOAT8E4M3FN", "test_cast_FLOAT16_to_FLOAT", "test_col2im_pads", "test_compress_0",
    "test_cumsum_2d_axis_1", "test_deform_conv_with_multiple_offset_groups",
    "test_depthtospace_crd_mode_example", "test_det_nd", "test_dft_axis", "test_einsum_batch_matmul",
    "test_gathernd_example_float32", "test_gridsample_bicubic", "test_layer_normalization_4d_axis2",
    "test_loop11", "test_lppool_2d_strides", "test_maxunpool_export_without_output_shape",
    "test_mod_mixed_sign_int32", "test_nllloss_NCd1d2_with_weight", "test_onehot_with_axis",
    "test_optional_has_element_optional_input", "test_qlinearconv",
    "test_quantizelinear_blocked_asymmetric", "test_reduce_log_sum_exp_default_axes_keepdims_example",
    "test_reversesequence_batch", "test_roialign_aligned_true", "test_rotary_embedding_interleaved",
    "test_scan9_sum", "test_scatter_elements_with_reduction_max", "test_scatternd_max",
    "test_split_variable_parts_2d_opset18", "test_stft", "test_string_concat",
    "test_tfidfvectorizer_tf_uniandbigrams_skip5", "test_tile", "test_training_dropout_default",
    "test_unsqueeze_unsorted_axes", "test_where_example",
)  # fmt: skip
QUICK = (
    "conv_3x3", "conv_1x1", "conv_depthwise", "conv_transpose", "matmul", "matmul_one_row",
    "attention_step", "lstm", "norms", "chain", "moves", "top", "qdq_conv", "qdq_matmul", "inception",
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A model, what binds it, and the targets that it is built for, by their names."""

    name: str
    content: Callable[[], bytes]
    targets: Mapping[str, Any] = field(default_factory=lambda: EVERYWHERE)
    dims: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    math: str = ""

    def row(self, folder: Path) -> dict[str, Any]:
        """What a snapshot is told of it. The model's bytes are put into a file of the folder, named by their digest."""
        content = self.content()
        path = folder / f"{hashlib.sha256(content).hexdigest()[:32]}.onnx"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return {
            "name": self.name, "path": str(path), "targets": dict(self.targets), "dims": dict(self.dims),
            "constants": dict(self.constants), "math": self.math,
        }  # fmt: skip


def subjects(quick: bool) -> Iterator[Subject]:
    """All models that are here, or the few of QUICK; those of mlperf_tiny only where INGOT_TEST_MODELS has them."""
    for name, content in kernel_models.models().items():
        if not quick or name in QUICK:
            yield Subject(
                name, content, {**EVERYWHERE, **(MORE_CPUS if name in ON_MORE and not quick else {})}
            )
    yield _from_tests("lstm", {**EVERYWHERE, **({} if quick else MORE_CPUS)})
    if quick:
        return
    for math, names in kernel_models.MATH.items():
        for name in names:
            yield Subject(f"{name}_{math}", kernel_models.models()[name], CPUS, math=math)
    yield from map(_from_tests, ("gru", "gpt_decoder"))
    yield Subject("transformer_encoder", (MODELS / "transformer_encoder.onnx").read_bytes, dims={"batch": 1})
    yield Subject("digits", (ROOT / "examples/digits/digits.onnx").read_bytes, dims={"batch": 1})
    yield from _node_tests()
    yield from _larger()


def _from_tests(name: str, targets: Mapping[str, Any] = EVERYWHERE) -> Subject:
    return Subject(name, (MODELS / f"{name}.onnx").read_bytes, targets)


def _node_tests() -> Iterator[Subject]:
    bound = tomllib.loads((TESTS / "conformance" / "conformance.toml").read_text(encoding="utf-8"))["passes"]
    for test in load_node_tests(set(NODE_TESTS) & set(node_test_names())):
        given = dict(zip((one.name for one in test.model.graph.input), test.inputs, strict=False))
        constants = {name: given[name].tolist() for name in bound[test.name]}
        yield Subject(test.name, test.model.SerializeToString, EVERYWHERE, constants=constants)


def _larger() -> Iterator[Subject]:
    extra = Path(os.environ.get("INGOT_TEST_MODELS") or "nowhere") / "mlperf_tiny" / "onnx"
    for path in sorted(extra.glob("*_fp32.onnx")) + sorted(extra.glob("*_int8_qdq.onnx")):
        yield Subject(path.stem, path.read_bytes, CPUS)
    sys.path.append(str(ROOT / "benchmarks"))  # whose modules import each other by their bare names
    made: dict[str, Callable[[], bytes]] = {
        **importlib.import_module("networks").NETWORKS,
        **importlib.import_module("transformers").TRANSFORMERS,
    }
    for at, name in enumerate((*NETWORKS, *TRANSFORMERS)):
        cpu = LARGE_ON[at % len(LARGE_ON)]
        yield Subject(name, made[name], {cpu: CPUS[cpu]})
