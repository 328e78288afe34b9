/* Classifies images of digits with a graph executor: the graph and the weights are files, which can be changed without a compiler;
 * the program has the operators. It is written as for the classic C runtime.
 *
 *     classify_graph GRAPH PARAMS IMAGES      prints a digit for each image
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/runtime/crt/crt.h>
#include <tvm/runtime/crt/graph_executor.h>
#include <tvm/runtime/crt/packed_func.h>

#include "images.h"

/* A whole file, with a NUL behind it. NULL: it cannot be read. */
static char *content(const char *path, size_t *bytes) {
  FILE *const file = fopen(path, "rb");
  char *text = NULL;
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
    size = ftell(file);
    rewind(file);
  }
  if (size >= 0) {
    *bytes = (size_t)size;
    text = malloc(*bytes + 1);
  }
  if (text != NULL) {
    if (fread(text, 1, *bytes, file) == *bytes) {
      text[*bytes] = '\0';
    } else {
      free(text);
      text = NULL;
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return text;
}

/* The operators that are linked into this program. */
static int system_library(TVMModuleHandle *module) {
  const TVMArgs none = TVMArgs_Create(NULL, NULL, 0);
  TVMPackedFunc function;
  int status = TVMPackedFunc_InitGlobalFunc(&function, "runtime.SystemLib", &none);
  if (status == 0) {
    status = TVMPackedFunc_Call(&function);
  }
  if (status == 0) {
    *module = TVMArgs_AsModuleHandle(&function.ret_value, 0);
  }
  return status;
}

static int load(const char *graph_path, const char *params_path, TVMGraphExecutor **executor) {
  const DLDevice device = {kDLCPU, 0};
  size_t graph_bytes = 0, params_bytes = 0;
  char *const graph = content(graph_path, &graph_bytes);
  char *const params = content(params_path, &params_bytes);
  TVMModuleHandle module = NULL;
  int status = graph == NULL || params == NULL;
  if (status != 0) {
    TVMAPISetLastError("the graph or the parameters cannot be read");
  } else {
    status = (int)TVMInitializeRuntime();
  }
  if (status == 0) {
    status = system_library(&module);
  }
  if (status == 0) {
    status = TVMGraphExecutor_Create(graph, module, &device, executor);
  }
  if (status == 0) {
    status = TVMGraphExecutor_LoadParams(*executor, params, (uint32_t)params_bytes);
  }
  /* The executor has copied what it needs. */
  free(graph);
  free(params);
  return status;
}

static int classify(TVMGraphExecutor *executor, FILE *file) {
  float image[PIXELS], probabilities[DIGITS];
  int64_t image_shape[] = {1, 1, 8, 8}, probabilities_shape[] = {1, DIGITS};
  DLTensor input = {image, {kDLCPU, 0}, 4, {kDLFloat, 32, 1}, image_shape, NULL, 0};
  DLTensor output = {probabilities, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, probabilities_shape, NULL, 0};
  /* The executor reads the input where it is, so this is done once. */
  int status = TVMGraphExecutor_SetInput(executor, "image", &input);
  while (status == 0 && next_image(file, image)) {
    status = TVMGraphExecutor_Run(executor);
    if (status == 0) {
      status = TVMGraphExecutor_GetOutput(executor, 0, &output);
    }
    if (status == 0) {
      printf("%d\n", most_probable(probabilities));
    }
  }
  return status;
}

int main(int argc, char **argv) {
  FILE *const file = argc == 4 ? fopen(argv[3], "rb") : NULL;
  TVMGraphExecutor *executor = NULL;
  int status;
  if (file == NULL) {
    fprintf(stderr, "usage: %s GRAPH PARAMS IMAGES\n", argv[0]);
    return 2;
  }
  status = load(argv[1], argv[2], &executor);
  if (status == 0) {
    status = classify(executor, file);
  }
  if (status != 0) {
    fprintf(stderr, "0x%x: %s\n", (unsigned)status, TVMGetLastError());
  }
  (void)fclose(file);
  return TVMGraphExecutor_Release(&executor) != 0 || status != 0;
}
