/* A graph in memory: one allocation for everything that is known when it is read, one for the tensors between operators. */
#ifndef INGOT_CRT_GRAPH_H
#define INGOT_CRT_GRAPH_H

#include <tvm/runtime/crt/graph_executor.h>

#include "crt_internal.h"

/* An entry: one output of a node. */
struct ingot_entry {
  TVMNDArray array; /* what operators get; its data is NULL while nothing is there */
  void *own;        /* its memory, if it is planned or was allocated for parameters */
  uint32_t storage;
  int shared; /* whether its memory is planned */
};

struct ingot_node {
  TVMFunctionHandle function; /* NULL: nothing to call */
  uint32_t first_input;
  uint32_t inputs;
  uint32_t first_output; /* an entry */
  uint32_t outputs;
  uint32_t name;     /* of an input: where in `text` */
  int operates;       /* whether it is an operator */
};

struct ingot_pair {
  uint32_t node;
  uint32_t index; /* after reading: the entry */
};

struct TVMGraphExecutor {
  /* How many there are. */
  uint32_t nodes;
  uint32_t inputs; /* of all operators */
  uint32_t args;   /* inputs of the graph, with its parameters */
  uint32_t heads;
  uint32_t rows;
  uint32_t types, storages, shapes; /* equal: entries */
  uint32_t dims;
  uint32_t most_values; /* of one operator */
  uint32_t text_bytes;
  uint32_t storage_count;
  /* Where they are. */
  struct ingot_entry *entry;
  struct ingot_node *node;
  TVMValue *value;
  int64_t *dim;
  size_t *storage; /* bytes of each, then offsets */
  struct ingot_pair *input;
  struct ingot_pair *head;
  uint32_t *arg;
  uint32_t *row;
  int *code;
  char *text;
  void *planned; /* memory of planned storage */
  void *params;  /* blocks of memory for parameters; each begins with the address of the next */
  int bad_input; /* an input was refused since the last run */
  int done;      /* the last run was good */
};

/* Reads a graph. On failure everything is freed again, and the last error says why. */
INGOT_HIDDEN int ingot_graph_load(const char *json, TVMModuleHandle module, TVMGraphExecutor **executor);

/* Checks what was read and allocates the tensors between operators. On failure the last error says why; the graph stays to be freed. */
INGOT_HIDDEN int ingot_graph_prepare(TVMGraphExecutor *graph);

INGOT_HIDDEN int ingot_graph_free(TVMGraphExecutor *executor);

#endif
