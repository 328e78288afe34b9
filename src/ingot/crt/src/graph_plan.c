/* A graph that was read: what its numbers must be, and memory for the tensors between operators. */
#include "graph.h"

#define ALIGNMENT ((size_t)TVM_CRT_STORAGE_ALIGNMENT_BYTES)

/* The entry of a reference to a node before `end`; counts that were read belong together. NULL: good. */
static const char *resolve(const TVMGraphExecutor *graph, uint32_t end, struct ingot_pair *reference) {
  if (reference->node >= end) {
    return "a node uses one that does not stand before it";
  }
  if (reference->index >= graph->node[reference->node].outputs) {
    return "a node uses an output that there is not";
  }
  reference->index += graph->node[reference->node].first_output;
  return NULL;
}

static const char *connect(TVMGraphExecutor *graph) {
  const char *error = NULL;
  if (graph->rows != graph->nodes + 1 || graph->row[0] != 0 || graph->row[graph->nodes] != graph->types) {
    return "node_row_ptr does not fit the nodes";
  }
  for (uint32_t i = 0; i < graph->nodes; i++) {
    struct ingot_node *const node = &graph->node[i];
    if (graph->row[i] > graph->row[i + 1] || graph->row[i + 1] - graph->row[i] != node->outputs) {
      return "node_row_ptr does not fit the nodes";
    }
    node->first_output = graph->row[i];
    for (uint32_t k = 0; k < node->inputs && error == NULL; k++) {
      error = resolve(graph, i, &graph->input[node->first_input + k]);
    }
  }
  for (uint32_t i = 0; i < graph->heads && error == NULL; i++) {
    error = resolve(graph, graph->nodes, &graph->head[i]);
  }
  for (uint32_t i = 0; i < graph->args && error == NULL; i++) {
    if (graph->arg[i] >= graph->nodes || graph->node[graph->arg[i]].operates) {
      error = "arg_nodes names a node that is no input";
    }
  }
  return error;
}

/* A node that does nothing has its result where its input is. */
static const char *check_nothing(const TVMGraphExecutor *graph) {
  for (uint32_t i = 0; i < graph->nodes; i++) {
    const struct ingot_node *const node = &graph->node[i];
    if (node->operates && node->function == NULL) {
      size_t from, to;
      const struct ingot_entry *source, *result;
      if (node->inputs != 1 || node->outputs != 1) {
        return "a __nop has one input and one output";
      }
      source = &graph->entry[graph->input[node->first_input].index];
      result = &graph->entry[node->first_output];
      if (ingot_crt_bytes(source->array.dl_tensor.dtype, source->array.dl_tensor.ndim, source->array.dl_tensor.shape, &from) != 0 ||
          ingot_crt_bytes(result->array.dl_tensor.dtype, result->array.dl_tensor.ndim, result->array.dl_tensor.shape, &to) != 0 ||
          from != to || source->storage != result->storage) {
        return "a __nop must share its input's storage and size";
      }
    }
  }
  return NULL;
}

/* Plans storage: each storage as large as the largest of its entries, one behind the other. Inputs and parameters that share with
 * nobody get none yet. */
static const char *plan(TVMGraphExecutor *graph, size_t *total) {
  for (uint32_t i = 0; i < graph->types; i++) {
    struct ingot_entry *const entry = &graph->entry[i];
    graph->storage[entry->storage]++; /* how many share it */
  }
  for (uint32_t i = 0; i < graph->types; i++) {
    struct ingot_entry *const entry = &graph->entry[i];
    entry->shared = 1;
    if (graph->storage[entry->storage] == 1) {
      for (uint32_t k = 0; k < graph->args && entry->shared; k++) {
        entry->shared = graph->node[graph->arg[k]].first_output != i;
      }
    }
  }
  memset(graph->storage, 0, graph->storage_count * sizeof *graph->storage);
  for (uint32_t i = 0; i < graph->types; i++) {
    struct ingot_entry *const entry = &graph->entry[i];
    size_t bytes;
    if (ingot_crt_bytes(entry->array.dl_tensor.dtype, entry->array.dl_tensor.ndim, entry->array.dl_tensor.shape, &bytes) != 0) {
      return "a shape is too large";
    }
    entry->array.dl_tensor.device.device_type = kDLCPU;
    entry->array.reference_count = 1;
    if (entry->shared && graph->storage[entry->storage] < bytes) {
      graph->storage[entry->storage] = bytes;
    }
  }
  *total = ALIGNMENT - 1;
  for (uint32_t i = 0; i < graph->storage_count; i++) {
    const size_t bytes = (graph->storage[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > SIZE_MAX / 2 - *total) {
      return "a shape is too large";
    }
    graph->storage[i] = *total - (ALIGNMENT - 1);
    *total += bytes;
  }
  return NULL;
}

int ingot_graph_prepare(TVMGraphExecutor *graph) {
  size_t total = 0;
  char *base;
  const char *error = connect(graph);
  if (error == NULL) {
    error = check_nothing(graph);
  }
  if (error == NULL) {
    error = plan(graph, &total);
  }
  if (error != NULL) {
    return ingot_crt_fail(kTvmErrorExecutorBadGraph, "graph", error);
  }
  graph->planned = ingot_crt_allocate(total);
  if (graph->planned == NULL) {
    return ingot_crt_fail(kTvmErrorPlatformNoMemory, "graph: no memory for its tensors", NULL);
  }
  memset(graph->planned, 0, total);
  base = (char *)graph->planned + (ALIGNMENT - (uintptr_t)graph->planned % ALIGNMENT) % ALIGNMENT;
  for (uint32_t i = 0; i < graph->types; i++) {
    struct ingot_entry *const entry = &graph->entry[i];
    if (entry->shared) {
      entry->own = base + graph->storage[entry->storage];
      entry->array.dl_tensor.data = entry->own;
    }
  }
  return 0;
}
