/* JSON → graph.
 *
 * The text is read twice by the same functions: first only to count, then, into memory of the right size, to store. */
#include "graph.h"
#include "json.h"

#define MOST_COUNT 0x3fffffffu

struct reader {
  struct ingot_json json;
  TVMGraphExecutor *graph; /* counts; and where to store, when `store` */
  TVMModuleHandle module;
  uint32_t text_most; /* most bytes of `text` that were in use at once */
  uint32_t seen;
  int store;
  int status;
};

enum { SEEN_NODES = 1, SEEN_ARGS = 2, SEEN_HEADS = 4, SEEN_ATTRS = 8, SEEN_ROWS = 16, SEEN_TYPES = 32, SEEN_STORAGE = 64, SEEN_SHAPE = 128 };
enum { NODE_OP = 1, NODE_NAME = 2, NODE_INPUTS = 4, NODE_ATTRS = 8 };
enum { ATTR_FUNCTION = 1, ATTR_INPUTS = 2, ATTR_OUTPUTS = 4, ATTR_FLATTEN = 8 };

static void wrong(struct reader *reader, const char *error) {
  if (reader->json.error == NULL) {
    reader->json.error = error;
  }
}

/* Marks a key as seen; it may be there once. */
static void once(struct reader *reader, uint32_t *seen, uint32_t key) {
  if ((*seen & key) != 0) {
    wrong(reader, "a key is there twice");
  }
  *seen |= key;
}

static int is(const char *word, const char *wanted) {
  return strcmp(word, wanted) == 0;
}

/* Reads a string behind the text so far. Gives where it begins. */
static uint32_t text(struct reader *reader) {
  TVMGraphExecutor *const graph = reader->graph;
  const uint32_t begin = graph->text_bytes;
  char *const out = reader->store ? graph->text + begin : NULL;
  const size_t length = ingot_json_string(&reader->json, out, reader->store ? reader->text_most - begin - 1 : 0);
  if (length > MOST_COUNT) {
    wrong(reader, "a string is too long");
    return begin;
  }
  if (reader->store) {
    out[length] = '\0';
  }
  graph->text_bytes += (uint32_t)length + 1;
  if (!reader->store && graph->text_bytes > reader->text_most) {
    reader->text_most = graph->text_bytes;
  }
  return begin;
}

/* [node, index] or [node, index, version] */
static struct ingot_pair pair(struct reader *reader) {
  struct ingot_pair found = {0, 0};
  uint32_t count = 0;
  ingot_json_enter(&reader->json, '[');
  while (ingot_json_more(&reader->json, &count, ']')) {
    const uint32_t number = (uint32_t)ingot_json_number(&reader->json, MOST_COUNT);
    if (count == 1) {
      found.node = number;
    } else if (count == 2) {
      found.index = number;
    } else if (count > 3) {
      wrong(reader, "a reference has two or three numbers");
    }
  }
  if (count < 2) {
    wrong(reader, "a reference has two or three numbers");
  }
  return found;
}

/* What an operator's attributes say. */
struct operation {
  uint32_t seen;
  uint32_t function; /* where its name begins in `text` */
  uint32_t inputs;
  uint32_t outputs;
};

static void read_attributes(struct reader *reader, struct operation *operation) {
  uint32_t count = 0;
  char key[INGOT_JSON_KEY];
  ingot_json_enter(&reader->json, '{');
  while (ingot_json_more(&reader->json, &count, '}')) {
    ingot_json_key(&reader->json, key);
    if (is(key, "func_name")) {
      once(reader, &operation->seen, ATTR_FUNCTION);
      operation->function = text(reader);
    } else if (is(key, "num_inputs")) {
      once(reader, &operation->seen, ATTR_INPUTS);
      operation->inputs = (uint32_t)ingot_json_quoted_number(&reader->json, MOST_COUNT);
    } else if (is(key, "num_outputs")) {
      once(reader, &operation->seen, ATTR_OUTPUTS);
      operation->outputs = (uint32_t)ingot_json_quoted_number(&reader->json, MOST_COUNT);
    } else if (is(key, "flatten_data")) {
      once(reader, &operation->seen, ATTR_FLATTEN);
      if (ingot_json_quoted_number(&reader->json, MOST_COUNT) != 0) {
        wrong(reader, "flatten_data is not supported");
      }
    } else {
      ingot_json_skip(&reader->json);
    }
  }
}

/* Finds the function of an operator; `__nop` does nothing. */
static void find_function(struct reader *reader, struct ingot_node *node, const char *name) {
  if (!is(name, "__nop") && reader->json.error == NULL) {
    reader->status = TVMModGetFunction(reader->module, name, 0, &node->function);
    if (reader->status != 0) {
      wrong(reader, ""); /* the message is set */
    }
  }
}

static void read_node(struct reader *reader) {
  TVMGraphExecutor *const graph = reader->graph;
  struct ingot_node node = {NULL, graph->inputs, 0, 0, 0, 0, 0};
  struct operation operation = {0, 0, 0, 0};
  uint32_t count = 0, seen = 0, name_end;
  char word[INGOT_JSON_KEY];
  int placeholder = 0;
  const uint32_t text_begin = graph->text_bytes;
  ingot_json_enter(&reader->json, '{');
  while (ingot_json_more(&reader->json, &count, '}')) {
    ingot_json_key(&reader->json, word);
    if (is(word, "op")) {
      once(reader, &seen, NODE_OP);
      ingot_json_word(&reader->json, word);
      placeholder = is(word, "null");
      node.operates = is(word, "tvm_op");
      if (!placeholder && !node.operates) {
        wrong(reader, "a node's op is neither \"null\" nor \"tvm_op\"");
      }
    } else if (is(word, "name")) {
      once(reader, &seen, NODE_NAME);
      node.name = text(reader);
    } else if (is(word, "inputs")) {
      uint32_t inputs = 0;
      once(reader, &seen, NODE_INPUTS);
      ingot_json_enter(&reader->json, '[');
      while (ingot_json_more(&reader->json, &inputs, ']')) {
        const struct ingot_pair found = pair(reader);
        if (reader->store) {
          graph->input[graph->inputs] = found;
        }
        graph->inputs++;
        node.inputs++;
      }
    } else if (is(word, "attrs") || is(word, "attr")) {
      once(reader, &seen, NODE_ATTRS);
      read_attributes(reader, &operation);
    } else {
      ingot_json_skip(&reader->json);
    }
  }
  if ((seen & (NODE_OP | NODE_NAME | NODE_INPUTS)) != (NODE_OP | NODE_NAME | NODE_INPUTS)) {
    wrong(reader, "a node needs op, name and inputs");
  }
  if (placeholder && node.inputs != 0) {
    wrong(reader, "a node with op \"null\" has inputs");
  }
  node.outputs = 1;
  if (node.operates) {
    const uint32_t needed = ATTR_FUNCTION | ATTR_INPUTS | ATTR_OUTPUTS | ATTR_FLATTEN;
    if ((operation.seen & needed) != needed) {
      wrong(reader, "an operator needs func_name, num_inputs, num_outputs and flatten_data");
    }
    if (operation.inputs != node.inputs) {
      wrong(reader, "num_inputs is not the number of inputs");
    }
    node.outputs = operation.outputs;
    if (reader->store) {
      find_function(reader, &node, graph->text + operation.function);
    }
  }
  /* Of the text only the names of inputs are kept. They are moved to where the node's text begins. */
  name_end = text_begin;
  if (!node.operates && reader->json.error == NULL && reader->store) {
    const uint32_t length = (uint32_t)strlen(graph->text + node.name) + 1;
    memmove(graph->text + text_begin, graph->text + node.name, length);
    node.name = text_begin;
    name_end = text_begin + length;
  } else if (!node.operates && !reader->store) {
    name_end = graph->text_bytes; /* at least as much */
  }
  graph->text_bytes = name_end;
  if (node.outputs > MOST_COUNT - node.inputs) {
    wrong(reader, "too many tensors at one operator");
  } else if (node.inputs + node.outputs > graph->most_values) {
    graph->most_values = node.inputs + node.outputs;
  }
  if (reader->store) {
    graph->node[graph->nodes] = node;
  }
  graph->nodes++;
}

/* A list of whole numbers. */
static void read_numbers(struct reader *reader, uint32_t *out, uint32_t *total) {
  uint32_t count = 0;
  ingot_json_enter(&reader->json, '[');
  while (ingot_json_more(&reader->json, &count, ']')) {
    const uint32_t number = (uint32_t)ingot_json_number(&reader->json, MOST_COUNT);
    if (reader->store) {
      out[*total] = number;
    }
    *total += 1;
  }
}

static void read_types(struct reader *reader) {
  TVMGraphExecutor *const graph = reader->graph;
  uint32_t count = 0;
  ingot_json_enter(&reader->json, '[');
  while (ingot_json_more(&reader->json, &count, ']')) {
    char word[INGOT_JSON_KEY];
    DLDataType type;
    ingot_json_word(&reader->json, word);
    ingot_crt_parse_type(word, &type);
    if (type.bits == 0) {
      wrong(reader, "an unknown type");
    }
    if (reader->store) {
      graph->entry[graph->types].array.dl_tensor.dtype = type;
    }
    graph->types++;
  }
}

static void read_storages(struct reader *reader) {
  TVMGraphExecutor *const graph = reader->graph;
  uint32_t count = 0;
  ingot_json_enter(&reader->json, '[');
  while (ingot_json_more(&reader->json, &count, ']')) {
    const uint32_t id = (uint32_t)ingot_json_number(&reader->json, MOST_COUNT);
    if (id >= graph->storage_count) {
      graph->storage_count = id + 1;
    }
    if (reader->store) {
      graph->entry[graph->storages].storage = id;
    }
    graph->storages++;
  }
}

static void read_shapes(struct reader *reader) {
  TVMGraphExecutor *const graph = reader->graph;
  uint32_t count = 0;
  ingot_json_enter(&reader->json, '[');
  while (ingot_json_more(&reader->json, &count, ']')) {
    uint32_t rank = 0;
    if (reader->store) {
      graph->entry[graph->shapes].array.dl_tensor.shape = graph->dim + graph->dims;
    }
    ingot_json_enter(&reader->json, '[');
    while (ingot_json_more(&reader->json, &rank, ']')) {
      const int64_t extent = (int64_t)ingot_json_number(&reader->json, INT64_MAX);
      if (reader->store) {
        graph->dim[graph->dims] = extent;
      }
      graph->dims++;
    }
    if (rank > TVM_CRT_MAX_NDIM) {
      wrong(reader, "a shape has more than TVM_CRT_MAX_NDIM dimensions");
    }
    if (reader->store) {
      graph->entry[graph->shapes].array.dl_tensor.ndim = (int32_t)rank;
    }
    graph->shapes++;
  }
}

/* The tables: "key": ["tag", [...]]. Others than three are skipped. */
static void read_tables(struct reader *reader) {
  static const struct {
    const char *key;
    const char *tag;
    uint32_t seen;
    void (*read)(struct reader *reader);
  } tables[] = {{"dltype", "list_str", SEEN_TYPES, read_types},
                {"storage_id", "list_int", SEEN_STORAGE, read_storages},
                {"shape", "list_shape", SEEN_SHAPE, read_shapes}};
  uint32_t count = 0;
  char word[INGOT_JSON_KEY];
  ingot_json_enter(&reader->json, '{');
  while (ingot_json_more(&reader->json, &count, '}')) {
    size_t table = 0;
    ingot_json_key(&reader->json, word);
    while (table < sizeof tables / sizeof tables[0] && !is(word, tables[table].key)) {
      table++;
    }
    if (table == sizeof tables / sizeof tables[0]) {
      ingot_json_skip(&reader->json);
    } else {
      uint32_t parts = 0;
      once(reader, &reader->seen, tables[table].seen);
      ingot_json_enter(&reader->json, '[');
      while (ingot_json_more(&reader->json, &parts, ']')) {
        if (parts == 1) {
          ingot_json_word(&reader->json, word);
          if (!is(word, tables[table].tag)) {
            wrong(reader, "a table has a tag that is not its own");
          }
        } else if (parts == 2) {
          tables[table].read(reader);
        } else {
          wrong(reader, "a table has more than a tag and a list");
        }
      }
      if (parts < 2) {
        wrong(reader, "a table has no list");
      }
    }
  }
}

static void read_graph(struct reader *reader) {
  TVMGraphExecutor *const graph = reader->graph;
  uint32_t count = 0, members;
  char word[INGOT_JSON_KEY];
  reader->seen = 0;
  ingot_json_enter(&reader->json, '{');
  while (ingot_json_more(&reader->json, &count, '}')) {
    members = 0;
    ingot_json_key(&reader->json, word);
    if (is(word, "nodes")) {
      once(reader, &reader->seen, SEEN_NODES);
      ingot_json_enter(&reader->json, '[');
      while (ingot_json_more(&reader->json, &members, ']')) {
        read_node(reader);
      }
    } else if (is(word, "arg_nodes")) {
      once(reader, &reader->seen, SEEN_ARGS);
      read_numbers(reader, graph->arg, &graph->args);
    } else if (is(word, "heads")) {
      once(reader, &reader->seen, SEEN_HEADS);
      ingot_json_enter(&reader->json, '[');
      while (ingot_json_more(&reader->json, &members, ']')) {
        const struct ingot_pair found = pair(reader);
        if (reader->store) {
          graph->head[graph->heads] = found;
        }
        graph->heads++;
      }
    } else if (is(word, "node_row_ptr")) {
      once(reader, &reader->seen, SEEN_ROWS);
      read_numbers(reader, graph->row, &graph->rows);
    } else if (is(word, "attrs")) {
      once(reader, &reader->seen, SEEN_ATTRS);
      read_tables(reader);
    } else {
      ingot_json_skip(&reader->json);
    }
  }
  if (reader->seen != 255) {
    wrong(reader, "nodes, arg_nodes, heads, node_row_ptr, dltype, storage_id or shape is missing");
  }
}

/* ─── one allocation for all ─────────────────────────────────────────────────────────────────────────────────────── */

/* Takes room for `count` things from `*total` bytes; gives where. `*total` stays SIZE_MAX once it is too much. */
static size_t take(size_t *total, size_t count, size_t bytes) {
  const size_t alignment = sizeof(int64_t);
  const size_t begin = *total;
  if (begin == SIZE_MAX || count > (SIZE_MAX / 2 - begin) / bytes) {
    *total = SIZE_MAX;
    return 0;
  }
  *total = (begin + count * bytes + alignment - 1) / alignment * alignment;
  return begin;
}

/* Allocates a graph with room for what was counted. */
static TVMGraphExecutor *allocate(const TVMGraphExecutor *counted, uint32_t text_bytes) {
  size_t total = 0;
  TVMGraphExecutor *graph;
  char *base;
  const size_t self = take(&total, 1, sizeof *graph);
  const size_t entry = take(&total, counted->types, sizeof *graph->entry);
  const size_t node = take(&total, counted->nodes, sizeof *graph->node);
  const size_t value = take(&total, counted->most_values, sizeof *graph->value);
  const size_t dim = take(&total, counted->dims, sizeof *graph->dim);
  const size_t storage = take(&total, counted->storage_count, sizeof *graph->storage);
  const size_t input = take(&total, counted->inputs, sizeof *graph->input);
  const size_t head = take(&total, counted->heads, sizeof *graph->head);
  const size_t arg = take(&total, counted->args, sizeof *graph->arg);
  const size_t row = take(&total, counted->rows, sizeof *graph->row);
  const size_t code = take(&total, counted->most_values, sizeof *graph->code);
  const size_t names = take(&total, text_bytes, 1);
  if (total == SIZE_MAX) {
    return NULL;
  }
  base = ingot_crt_allocate(total);
  if (base == NULL) {
    return NULL;
  }
  memset(base, 0, total);
  graph = (TVMGraphExecutor *)(void *)(base + self);
  graph->entry = (void *)(base + entry);
  graph->node = (void *)(base + node);
  graph->value = (void *)(base + value);
  graph->dim = (void *)(base + dim);
  graph->storage = (void *)(base + storage);
  graph->input = (void *)(base + input);
  graph->head = (void *)(base + head);
  graph->arg = (void *)(base + arg);
  graph->row = (void *)(base + row);
  graph->code = (void *)(base + code);
  graph->text = base + names;
  return graph;
}

int ingot_graph_load(const char *json, TVMModuleHandle module, TVMGraphExecutor **executor) {
  TVMGraphExecutor counted;
  struct reader reader;
  int status;
  memset(&counted, 0, sizeof counted);
  memset(&reader, 0, sizeof reader);
  reader.graph = &counted;
  reader.module = module;
  reader.json.at = json;
  if (strlen(json) > MOST_COUNT) {
    return ingot_crt_fail(kTvmErrorExecutorBadGraph, "graph", "the text is too long");
  }
  read_graph(&reader);
  if (counted.types != counted.storages || counted.types != counted.shapes || counted.storage_count > counted.types) {
    wrong(&reader, "dltype, storage_id and shape do not fit each other");
  }
  if (reader.json.error != NULL) {
    return ingot_crt_fail(kTvmErrorExecutorBadGraph, "graph", reader.json.error);
  }
  reader.graph = allocate(&counted, reader.text_most);
  if (reader.graph == NULL) {
    return ingot_crt_fail(kTvmErrorPlatformNoMemory, "graph: no memory", NULL);
  }
  reader.json.at = json;
  reader.store = 1;
  read_graph(&reader);
  status = reader.status;
  if (status == 0) {
    status = ingot_graph_prepare(reader.graph);
  }
  if (status != 0) {
    (void)ingot_graph_free(reader.graph);
    return status;
  }
  *executor = reader.graph;
  return 0;
}

int ingot_graph_free(TVMGraphExecutor *executor) {
  int status = ingot_crt_free(executor->planned);
  while (executor->params != NULL) {
    void *const block = executor->params;
    memcpy(&executor->params, block, sizeof executor->params);
    if (ingot_crt_free(block) != 0) {
      status = -1;
    }
  }
  return ingot_crt_free(executor) != 0 ? -1 : status;
}
