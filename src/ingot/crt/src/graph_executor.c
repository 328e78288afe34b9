/* Runs a graph. */
#include <tvm/runtime/crt/graph_executor.h>

#include "graph.h"

int TVMGraphExecutor_Create(const char *sym_json, TVMModuleHandle module_handle, const DLDevice *devices,
                            TVMGraphExecutor **executor) {
  *executor = NULL;
  if (sym_json == NULL) {
    return ingot_crt_fail(kTvmErrorExecutorBadGraph, "graph", "there is no text");
  }
  if (devices == NULL || devices[0].device_type != kDLCPU || devices[0].device_id != 0) {
    return ingot_crt_fail(kTvmErrorExecutorModuleBadContext, "graph executor: the only device is the CPU 0", NULL);
  }
  return ingot_graph_load(sym_json, module_handle, executor);
}

int TVMGraphExecutor_Release(TVMGraphExecutor **executor) {
  TVMGraphExecutor *const graph = *executor;
  *executor = NULL;
  return graph == NULL ? 0 : ingot_graph_free(graph);
}

int TVMGraphExecutor_GetNumInputs(TVMGraphExecutor *executor) {
  return (int)executor->args;
}

int TVMGraphExecutor_GetNumOutputs(TVMGraphExecutor *executor) {
  return (int)executor->heads;
}

/* The position of the input whose name has these bytes; the number of inputs if there is none. */
static uint32_t find(const TVMGraphExecutor *graph, const char *name, size_t length) {
  uint32_t at = 0;
  while (at < graph->args) {
    const char *const own = graph->text + graph->node[graph->arg[at]].name;
    if (strlen(own) == length && memcmp(own, name, length) == 0) {
      break;
    }
    at++;
  }
  return at;
}

static struct ingot_entry *input(const TVMGraphExecutor *graph, uint32_t at) {
  return &graph->entry[graph->node[graph->arg[at]].first_output];
}

int TVMGraphExecutor_GetInputIndex(TVMGraphExecutor *executor, const char *name) {
  const uint32_t at = find(executor, name, strlen(name));
  return at == executor->args ? -1 : (int)at;
}

static int same_shape(const DLTensor *a, int32_t ndim, const int64_t *shape) {
  if (a->ndim != ndim) {
    return 0;
  }
  for (int32_t i = 0; i < ndim; i++) {
    if (a->shape[i] != shape[i]) {
      return 0;
    }
  }
  return 1;
}

int TVMGraphExecutor_SetInput(TVMGraphExecutor *executor, const char *name, DLTensor *data_in) {
  const uint32_t at = find(executor, name, strlen(name));
  const char *error = NULL;
  DLTensor *tensor;
  executor->bad_input = 1;
  if (at == executor->args) {
    return ingot_crt_fail(kTvmErrorExecutorModuleNoSuchInput, "graph executor: there is no input", name);
  }
  tensor = &input(executor, at)->array.dl_tensor;
  if (data_in == NULL || data_in->device.device_type != kDLCPU) {
    error = "graph executor: a tensor in memory of the CPU is needed for";
  } else if (!ingot_crt_same_type(data_in->dtype, tensor->dtype) || !same_shape(data_in, tensor->ndim, tensor->shape)) {
    error = "graph executor: the tensor has another type or shape than input";
  } else if (ingot_crt_check_dense(data_in) != 0) {
    error = "graph executor: the tensor is not dense, not aligned, or nowhere, for input";
  }
  if (error != NULL) {
    return ingot_crt_fail(kTvmErrorExecutorBadTensor, error, name);
  }
  tensor->data = (char *)data_in->data + data_in->byte_offset;
  executor->bad_input = 0;
  return 0;
}

int TVMGraphExecutor_Run(TVMGraphExecutor *executor) {
  const int bad_input = executor->bad_input;
  executor->bad_input = 0;
  executor->done = 0;
  if (bad_input) {
    return ingot_crt_fail(kTvmErrorExecutorBadTensor, "graph executor: the last input was refused", NULL);
  }
  for (uint32_t i = 0; i < executor->nodes; i++) {
    const struct ingot_node *const node = &executor->node[i];
    const uint32_t count = node->inputs + node->outputs;
    TVMValue result;
    int code, status;
    if (!node->operates) {
      continue;
    }
    for (uint32_t k = 0; k < count; k++) {
      struct ingot_entry *const entry =
          &executor->entry[k < node->inputs ? executor->input[node->first_input + k].index : node->first_output + k - node->inputs];
      if (entry->array.dl_tensor.data == NULL) {
        return ingot_crt_fail(kTvmErrorExecutorInputNotSet, "graph executor: an input or parameter was not set", NULL);
      }
      executor->value[k].v_handle = &entry->array;
      executor->code[k] = kTVMNDArrayHandle;
    }
    if (node->function == NULL) {
      /* The input may lie in memory of the caller. */
      const DLTensor *const from = &((const TVMNDArray *)executor->value[0].v_handle)->dl_tensor;
      executor->entry[node->first_output].array.dl_tensor.data = from->data;
      continue;
    }
    status = TVMFuncCall(node->function, executor->value, executor->code, (int)count, &result, &code);
    if (status != 0) {
      return status;
    }
  }
  executor->done = 1;
  return 0;
}

int TVMGraphExecutor_GetOutput(TVMGraphExecutor *executor, const int32_t index, DLTensor *out) {
  const DLTensor *from;
  size_t bytes, room;
  if (index < 0 || (uint32_t)index >= executor->heads) {
    return ingot_crt_fail(kTvmErrorFunctionCallInvalidArg, "graph executor: there is no output with this number", NULL);
  }
  if (!executor->done) {
    return ingot_crt_fail(kTvmErrorExecutorNotRun, "graph executor: there was no good run", NULL);
  }
  from = &executor->entry[executor->head[index].index].array.dl_tensor;
  if (from->data == NULL) {
    return ingot_crt_fail(kTvmErrorExecutorInputNotSet, "graph executor: an input or parameter was not set", NULL);
  }
  if (out == NULL || out->device.device_type != kDLCPU || out->ndim != from->ndim || !ingot_crt_same_type(out->dtype, from->dtype) ||
      ingot_crt_check_dense(out) != 0 || ingot_crt_bytes(out->dtype, out->ndim, out->shape, &room) != 0 ||
      ingot_crt_bytes(from->dtype, from->ndim, from->shape, &bytes) != 0 || room != bytes) {
    return ingot_crt_fail(kTvmErrorExecutorBadTensor, "graph executor: the tensor does not fit the output", NULL);
  }
  if (bytes != 0) {
    memmove((char *)out->data + out->byte_offset, from->data, bytes);
  }
  return 0;
}

/* ─── parameters ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A file of parameters that is being read: a name, and the tensor that belongs to it. */
struct blob {
  const char *name_at;   /* the next name */
  const char *tensor_at; /* the next tensor */
  const char *end;
  uint64_t count;
};

static int bad(const char *what) {
  return ingot_crt_fail(kTvmErrorExecutorBadParams, "parameters", what);
}

/* Reads the name at `*at`. */
static int next_name(const char **at, const char *end, const char **name, size_t *length) {
  uint64_t bytes;
  if (ingot_crt_read_u64(at, end, &bytes) != 0 || bytes > (size_t)(end - *at)) {
    return bad("a name is cut off");
  }
  *name = *at;
  *length = (size_t)bytes;
  *at += bytes;
  return 0;
}

static int open_blob(const TVMGraphExecutor *graph, const char *data, uint32_t size, struct blob *blob) {
  const char *at = data;
  uint64_t magic, reserved, tensors;
  blob->end = data + size;
  if (ingot_crt_read_u64(&at, blob->end, &magic) != 0 || ingot_crt_read_u64(&at, blob->end, &reserved) != 0 ||
      ingot_crt_read_u64(&at, blob->end, &blob->count) != 0) {
    return bad("they are cut off");
  }
  if (magic != kTVMNDArrayListMagic) {
    return bad("this is no file of parameters");
  }
  if (blob->count > graph->args) {
    return bad("there are more than the graph has inputs");
  }
  blob->name_at = at;
  for (uint64_t i = 0; i < blob->count; i++) {
    const char *name;
    size_t length;
    if (next_name(&at, blob->end, &name, &length) != 0) {
      return (int)kTvmErrorExecutorBadParams;
    }
  }
  if (ingot_crt_read_u64(&at, blob->end, &tensors) != 0 || tensors != blob->count) {
    return bad("there are not as many tensors as names");
  }
  blob->tensor_at = at;
  return 0;
}

/* The next parameter: its entry and its content. */
static int next_param(const TVMGraphExecutor *graph, struct blob *blob, uint32_t *at, struct ingot_crt_record *record) {
  const char *name = "";
  size_t length = 0;
  const DLTensor *tensor;
  if (next_name(&blob->name_at, blob->end, &name, &length) != 0 ||
      ingot_crt_read_record(&blob->tensor_at, blob->end, record) != 0) {
    return (int)kTvmErrorExecutorBadParams;
  }
  *at = find(graph, name, length);
  if (*at == graph->args) {
    return bad("one of them is no input of the graph");
  }
  tensor = &input(graph, *at)->array.dl_tensor;
  if (!ingot_crt_same_type(record->dtype, tensor->dtype) || !same_shape(tensor, record->ndim, record->shape)) {
    return ingot_crt_fail(kTvmErrorExecutorBadParams, "parameters: another type or shape than in the graph",
                          graph->text + graph->node[graph->arg[*at]].name);
  }
  return 0;
}

static size_t rounded(size_t bytes) {
  const size_t alignment = TVM_CRT_STORAGE_ALIGNMENT_BYTES;
  return (bytes + alignment - 1) / alignment * alignment;
}

/* Checks everything; gives the bytes of the parameters that have no memory yet. `seen` marks those that were there. */
static int check_params(const TVMGraphExecutor *graph, struct blob blob, int *seen, size_t *missing) {
  *missing = 0;
  for (uint64_t i = 0; i < blob.count; i++) {
    struct ingot_crt_record record;
    uint32_t at;
    const int status = next_param(graph, &blob, &at, &record);
    if (status != 0) {
      return status;
    }
    if (seen[at]) {
      return bad("one of them is there twice");
    }
    seen[at] = 1;
    if (input(graph, at)->own == NULL) {
      if (record.bytes > SIZE_MAX / 4 - *missing) {
        return bad("they are too large");
      }
      *missing += rounded(record.bytes == 0 ? 1 : record.bytes);
    }
  }
  return blob.tensor_at == blob.end ? 0 : bad("something follows behind them");
}

int TVMGraphExecutor_LoadParams(TVMGraphExecutor *executor, const char *param_blob, const uint32_t param_size) {
  const size_t alignment = TVM_CRT_STORAGE_ALIGNMENT_BYTES;
  struct blob blob;
  size_t missing = 0;
  char *block = NULL;
  int status, *seen;
  if (param_blob == NULL) {
    return bad("there are none");
  }
  status = open_blob(executor, param_blob, param_size, &blob);
  if (status != 0 || blob.count == 0) {
    return status != 0 ? status : blob.tensor_at == blob.end ? 0 : bad("something follows behind them");
  }
  seen = ingot_crt_allocate(executor->args * sizeof *seen);
  if (seen == NULL) {
    return ingot_crt_fail(kTvmErrorPlatformNoMemory, "parameters: no memory", NULL);
  }
  memset(seen, 0, executor->args * sizeof *seen);
  status = check_params(executor, blob, seen, &missing);
  if (ingot_crt_free(seen) != 0 && status == 0) {
    status = (int)kTvmErrorPlatformCheckFailure;
  }
  if (status != 0) {
    return status;
  }
  if (missing != 0) {
    block = ingot_crt_allocate(sizeof executor->params + alignment + missing);
    if (block == NULL) {
      return ingot_crt_fail(kTvmErrorPlatformNoMemory, "parameters: no memory", NULL);
    }
    memcpy(block, &executor->params, sizeof executor->params);
    executor->params = block;
    block += sizeof executor->params;
    block += (alignment - (uintptr_t)block % alignment) % alignment;
  }
  for (uint64_t i = 0; i < blob.count; i++) {
    struct ingot_crt_record record;
    uint32_t at;
    struct ingot_entry *entry;
    (void)next_param(executor, &blob, &at, &record); /* it was good before */
    entry = input(executor, at);
    if (entry->own == NULL) {
      entry->own = block;
      block += rounded(record.bytes == 0 ? 1 : record.bytes);
    }
    entry->array.dl_tensor.data = entry->own;
    ingot_crt_copy_elements(entry->own, record.data, record.bytes, ingot_crt_element_bytes(record.dtype));
  }
  return 0;
}
