/* libFuzzer: any bytes as parameters, and as a single tensor. */
#include "crt_platform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TVMModuleHandle operators;
  TVMGraphExecutor *executor = NULL;
  TVMNDArray array;
  char *const content = malloc(size == 0 ? 1 : size); /* as long as it says, for the sanitizer */
  const char *at = content;
  long before;
  if (operators == NULL) {
    operators = start();
  }
  if (size != 0) {
    memcpy(content, data, size);
  }
  before = alive;
  if (TVMGraphExecutor_Create(GRAPH, operators, &cpu, &executor) != 0) {
    abort();
  }
  use(executor, content, size);
  if (TVMGraphExecutor_Release(&executor) != 0) {
    abort();
  }
  if (TVMNDArray_LoadBounded(&array, &at, content + size) == 0 && TVMNDArray_Release(&array) != 0) {
    abort();
  }
  free(content);
  if (alive != before) {
    abort();
  }
  return 0;
}
