/* libFuzzer: any text as a graph. What is accepted is used in every way. */
#include "crt_platform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TVMModuleHandle operators;
  static char params[PARAMS_ROOM];
  static size_t params_bytes;
  const long before = alive;
  TVMGraphExecutor *executor = NULL;
  char *text;
  int status;
  if (operators == NULL) {
    operators = start();
    params_bytes = make_params(params);
    return 0;
  }
  /* The first byte says which allocation fails. */
  if (size == 0) {
    return 0;
  }
  text = malloc(size);
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  until_failure = data[0] < 4 ? (long)data[0] : -1;
  status = TVMGraphExecutor_Create(text, operators, &cpu, &executor);
  free(text); /* it is not needed afterwards */
  if (status == 0) {
    use(executor, params, params_bytes);
    if (TVMGraphExecutor_Release(&executor) != 0) {
      abort();
    }
  } else if (executor != NULL || TVMGetLastError()[0] == '\0') {
    abort();
  }
  until_failure = -1;
  if (alive != before) {
    abort();
  }
  return 0;
}
