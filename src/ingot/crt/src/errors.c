/* The message of the last failure. */
#include "crt_internal.h"

#ifndef TVM_CRT_MAX_LAST_ERROR_BYTES
#define TVM_CRT_MAX_LAST_ERROR_BYTES 1024
#endif

static char last_error[TVM_CRT_MAX_LAST_ERROR_BYTES];

static size_t put(size_t at, const char *text) {
  while (*text != '\0' && at + 1 < sizeof last_error) {
    last_error[at++] = *text++;
  }
  last_error[at] = '\0';
  return at;
}

void TVMAPISetLastError(const char *msg) {
  (void)put(0, msg == NULL ? "" : msg);
}

const char *TVMGetLastError(void) {
  return last_error;
}

int ingot_crt_fail(tvm_crt_error_t code, const char *what, const char *name) {
  size_t at = put(0, what);
  if (name != NULL) {
    at = put(at, ": ");
    (void)put(at, name);
  }
  return (int)code;
}
