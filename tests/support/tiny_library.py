"""Artifact sets written by hand, in C, for tests of the run side: no compiler of ingot's is needed."""

from __future__ import annotations

import numpy as np

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import CallInfo, MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.values import ValueInfo
from ingot.base.tensor import DType, row_major

F32 = DType.FLOAT32

# y = (x + w) * 2, one intermediate value in the arena, one constant; and z = x, to have two outputs.
SOURCE = """
#include <stdint.h>
typedef struct ingot_pool ingot_pool;
void ingot_pool_for(ingot_pool *, void (*)(void *const *, int64_t, int64_t), void *const *, int64_t, int64_t);
#define N %(size)d
#define EXPORT __attribute__((visibility("default")))
static void add(void *const *args, int64_t begin, int64_t end) {
  const float *x = args[0], *w = args[1];
  float *h = args[2];
  for (int64_t i = begin; i < end; i++) h[i] = x[i] + w[i];
}
static void twice(void *const *args, int64_t begin, int64_t end) {
  const float *h = args[0];
  float *y = args[1];
  for (int64_t i = begin; i < end; i++) y[i] = h[i] * 2;
}
EXPORT int32_t ingot_%(symbol)s_call(int32_t number, void *const *bases) {
  if (number == 0) {
    void *args[3] = {bases[3], bases[0], bases[1]};
    ingot_pool_for(bases[2], add, args, N, 64);
    return 0;
  }
  if (number == 1) {
    void *args[2] = {bases[1], bases[4]};
    ingot_pool_for(bases[2], twice, args, N, 64);
    return 0;
  }
  if (number == 2) {
    for (int64_t i = 0; i < N; i++) ((float *)bases[5])[i] = ((const float *)bases[3])[i];
    return 0;
  }
  return -1;
}
EXPORT int32_t ingot_%(symbol)s_run(void *const *bases) {
  if (((const float *)bases[3])[0] == 12345.0f) return -7;
  for (int32_t i = 0; i < 3; i++) {
    const int32_t status = ingot_%(symbol)s_call(i, bases);
    if (status) return status;
  }
  return 0;
}
"""


def weights(size: int) -> np.ndarray:
    return np.arange(size, dtype=np.float32) / 8


def tiny_info(name: str = "tiny", size: int = 4, *, executors=("aot", "graph"), cpu_features=()) -> ModelInfo:
    shape = (size,)

    def value(value_name: str, region: str, number: int = 0) -> ValueInfo:
        return ValueInfo(value_name, F32, shape, row_major(shape), region, number)

    return ModelInfo(
        name=name,
        symbol=name,
        inputs=(TensorInfo("x", F32, shape),),
        outputs=(TensorInfo("y", F32, shape), TensorInfo("z", F32, shape)),
        targets=(
            TargetInfo(
                "host",
                "c",
                "c",
                cpu_features=cpu_features,
                memory=MemoryInfo(arena_bytes=4 * size, params_bytes=4 * size, lower_bound_bytes=4 * size),
                params=f"{name}.params",
            ),
        ),
        executors=executors,
        calls=(
            CallInfo("add", ("Add_0",), size, 8 * size, 4 * size, ("x", "w", "h"), ("h",)),
            CallInfo("twice", ("Mul_1",), size, 4 * size, 4 * size, ("h", "y"), ("y",)),
            CallInfo("copy", ("Identity_2",), 0, 4 * size, 4 * size, ("x", "z"), ("z",)),
        ),
        values=(
            value("x", "input"),
            value("w", "params"),
            value("h", "arena"),
            value("y", "output"),
            value("z", "output", 1),
        )
        if "graph" in executors
        else (),
        ingot_version="0",
    )


def tiny_set(
    name: str = "tiny", size: int = 4, *, source: str = SOURCE, extra: tuple[Artifact, ...] = (), **options
) -> ArtifactSet:
    info = tiny_info(name, size, **options)
    return ArtifactSet(
        (
            Artifact("ingot", "metadata", f"{name}.json", info_to_json(info)),
            Artifact("c", "native", f"{name}.c", (source % {"symbol": name, "size": size}).encode()),
            Artifact("c", "params", f"{name}.params", weights(size).tobytes()),
            *extra,
        )
    )


def expected(x: np.ndarray) -> np.ndarray:
    return (x + weights(x.size)) * np.float32(2)
