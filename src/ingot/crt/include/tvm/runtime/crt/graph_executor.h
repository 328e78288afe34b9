/* Runs a graph (JSON) of packed functions.
 *
 * The graph and the parameters are not trusted: whatever they hold, a function gives an error, its reason in TVMGetLastError, and
 * reads and writes nothing outside. An executor makes two allocations when it is created and none later. One thread at a time. */
#ifndef TVM_RUNTIME_CRT_GRAPH_EXECUTOR_H_
#define TVM_RUNTIME_CRT_GRAPH_EXECUTOR_H_

#include <dlpack/dlpack.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/packed_func.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TVMGraphExecutor TVMGraphExecutor;

/* Makes an executor. `sym_json` ends with NUL and is not needed afterwards. `devices` is one device, {kDLCPU, 0}. */
int TVMGraphExecutor_Create(const char *sym_json, TVMModuleHandle module_handle, const DLDevice *devices,
                            TVMGraphExecutor **executor);

/* The position of an input or parameter among all of them; -1 if there is none with the name. */
int TVMGraphExecutor_GetInputIndex(TVMGraphExecutor *executor, const char *name);

/* How many inputs and parameters the graph has. */
int TVMGraphExecutor_GetNumInputs(TVMGraphExecutor *executor);
int TVMGraphExecutor_GetNumOutputs(TVMGraphExecutor *executor);

/* Makes the executor read an input from the tensor's memory, which must stay until the last run; nothing is copied. The tensor has
 * the type and shape of the input, is dense, and aligned to its elements. If it fails, so does the next run. */
int TVMGraphExecutor_SetInput(TVMGraphExecutor *executor, const char *name, DLTensor *data_in);

/* Copies an output of the last run into a tensor of the same type, rank and number of elements. */
int TVMGraphExecutor_GetOutput(TVMGraphExecutor *executor, const int32_t index, DLTensor *out);

/* Copies parameters from the content of a file. Every one of them must be known; if one is wrong, none is taken. */
int TVMGraphExecutor_LoadParams(TVMGraphExecutor *executor, const char *param_blob, const uint32_t param_size);

/* Runs the graph. If it fails, outputs cannot be got until a run is good. */
int TVMGraphExecutor_Run(TVMGraphExecutor *executor);

/* Frees an executor and clears the pointer. */
int TVMGraphExecutor_Release(TVMGraphExecutor **executor);

#ifdef __cplusplus
}
#endif

#endif
