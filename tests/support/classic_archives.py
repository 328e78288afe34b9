"""Small archives as the original tools wrote them, version by version, made by hand: packed C functions, a graph and parameters;
or the C interface of one call. The model is y = (x + w) * 2.
"""

from __future__ import annotations

import io
import json
import tarfile

import numpy as np

from ingot.base.tensor import DType
from ingot.package.classic.params import params_to_bytes

WEIGHTS = np.array([[10, 20, 30, 40]], np.float32)

# In the style of the original's C: arguments by DLTensor, checks left out, workspace from the runtime.
FUNCTIONS = """
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_%(name)s_fused_add(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value,
                                       int32_t* out_ret_tcode, void* resource_handle) {
  float* x = (float*)((DLTensor*)((TVMValue*)args)[0].v_handle)->data;
  float* w = (float*)((DLTensor*)((TVMValue*)args)[1].v_handle)->data;
  float* y = (float*)((DLTensor*)((TVMValue*)args)[2].v_handle)->data;
  void* sum = TVMBackendAllocWorkspace(1, 0, (uint64_t)16, 2, 32);
  if (num_args != 3 || sum == NULL || ((DLTensor*)((TVMValue*)args)[0].v_handle)->ndim != 2) return -1;
  if (arg_type_ids[0] != 7 && arg_type_ids[0] != 13) return -1;
  for (int32_t i = 0; i < 4; ++i) ((float*)sum)[i] = x[i] + w[i];
  for (int32_t i = 0; i < 4; ++i) y[i] = ((float*)sum)[i];
  if (TVMBackendFreeWorkspace(1, 0, sum) != 0) return -1;
  return 0;
}
TVM_DLL int32_t tvmgen_%(name)s_fused_multiply(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value,
                                       int32_t* out_ret_tcode, void* resource_handle) {
  DLTensor* in = (DLTensor*)((TVMValue*)args)[0].v_handle;
  DLTensor* out = (DLTensor*)((TVMValue*)args)[1].v_handle;
  for (int32_t i = 0; i < 4; ++i) ((float*)out->data)[i] = ((float*)in->data)[i] * 2.0f;
  return num_args == 2 && in->shape[1] == 4 ? 0 : -1;
}
"""

INTERFACE = """
#include <stdint.h>
#include "tvmgen_%(name)s.h"
static const float w[4] = {10.0f, 20.0f, 30.0f, 40.0f};
int32_t tvmgen_%(name)s_run(struct tvmgen_%(name)s_inputs* inputs, struct tvmgen_%(name)s_outputs* outputs) {
  for (int32_t i = 0; i < 4; ++i) ((float*)outputs->y)[i] = (((float*)inputs->x)[i] + w[i]) * 2.0f;
  return 0;
}
"""

HEADER = """#ifndef TVMGEN_%(upper)s_H_
#define TVMGEN_%(upper)s_H_
#include <stdint.h>
struct tvmgen_%(name)s_inputs {
  void* x;
};
struct tvmgen_%(name)s_outputs {
  void* y;
};
int32_t tvmgen_%(name)s_run(
  struct tvmgen_%(name)s_inputs* inputs,
  struct tvmgen_%(name)s_outputs* outputs
);
#endif
"""


def graph_text(name: str) -> str:
    """y shares the storage of the sum; `__nop` reshapes in between."""
    nodes = [
        {"op": "null", "name": "x", "inputs": []},
        {"op": "null", "name": "p0", "inputs": []},
        _call("add", f"tvmgen_{name}_fused_add", [[0, 0, 0], [1, 0, 0]]),
        _call("reshape_nop", "__nop", [[2, 0, 0]]),
        _call("multiply", f"tvmgen_{name}_fused_multiply", [[3, 0, 0]]),
    ]
    attrs = {
        "dltype": ["list_str", ["float32"] * 5],
        "storage_id": ["list_int", [0, 1, 2, 2, 2]],
        "shape": ["list_shape", [[1, 4]] * 5],
        "device_index": ["list_int", [1] * 5],
    }
    graph = {
        "nodes": nodes,
        "arg_nodes": [0, 1],
        "heads": [[4, 0, 0]],
        "attrs": attrs,
        "node_row_ptr": list(range(6)),
    }
    return json.dumps(graph)


def _call(name: str, function: str, inputs: list[list[int]]) -> dict[str, object]:
    attrs = {
        "func_name": function,
        "num_inputs": str(len(inputs)),
        "num_outputs": "1",
        "flatten_data": "0",
        "hash": "1f",
    }
    return {"op": "tvm_op", "name": name, "attrs": attrs, "inputs": inputs}


def classic_files(
    version: int, executor: str = "graph", name: str = "tiny", *, sizes: bool = True
) -> dict[str, bytes]:
    """The files of an archive of version 1 to 7. `sizes`: of inputs and outputs, as TVM wrote them from v0.11 on."""
    words = {"name": name, "upper": name.upper()}
    prefix = f"{name}_" if version >= 3 else ""
    files = {
        f"parameters/{name}.params": params_to_bytes(
            {"p0": (DType.FLOAT32, WEIGHTS)} if executor == "graph" else {}
        )
    }
    files["relay.txt" if version < 4 else "src/relay.txt" if version < 7 else f"src/{name}.relay"] = (
        b"fn (%x) { ... }"
    )
    files[f"codegen/host/src/{prefix}lib0.c"] = (
        (FUNCTIONS if executor == "graph" else INTERFACE) % words
    ).encode()
    if executor == "graph":
        folder = "runtime-config" if version < 5 else "executor-config"
        files[f"{folder}/graph/{'graph.json' if version < 7 else name + '.graph'}"] = graph_text(
            name
        ).encode()
    else:
        files[f"codegen/host/include/tvmgen_{name}.h"] = (HEADER % words).encode()
    main = {"device": 1, "workspace_size_bytes": 16, "constants_size_bytes": 16, "io_size_bytes": 32}
    if version == 7 and sizes:
        main |= {
            "inputs": {"x": {"size": 16, "dtype": "float32"}},
            "outputs": {"y": {"size": 16, "dtype": "float32"}},
        }
    sids = [
        {"storage_id": 0, "size_bytes": 16, "input_binding": "x"},
        {"storage_id": 1, "size_bytes": 16, "input_binding": "p0"},
    ]
    said: dict[str, object] = {
        "model_name": name,
        "export_datetime": "2022-07-01 09:30:00Z",
        "target": {"1": "c -keys=cpu"} if version < 6 else ["c -keys=cpu"],
        "runtimes" if version < 5 else "executors": [executor],
        "memory": sids
        if version == 1
        else {"sids": sids, "functions": {"main": [main], "operator_functions": []}},
    }
    if version >= 4:
        said["style"] = "full-model"
    metadata = {"version": version, "modules": {name: said}} if version == 7 else {"version": version, **said}
    files["metadata.json"] = json.dumps(metadata, indent=2, sort_keys=True).encode()
    return files


def classic_archive(files: dict[str, bytes], style: int = tarfile.PAX_FORMAT) -> bytes:
    """The files as Python's `tarfile` writes a folder: with folders, fractional times, and somebody's user id."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=style) as archive:
        folders = {
            "/".join(name.split("/")[:depth]) for name in files for depth in range(1, name.count("/") + 1)
        }
        for name in ["", *sorted({*folders, *files})]:
            info = tarfile.TarInfo(f"./{name}" if name else ".")
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mtime = 1656667800.25
            if name in files:
                info.size = len(files[name])
                archive.addfile(info, io.BytesIO(files[name]))
            else:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
    return buffer.getvalue()
