/* What generated code calls. */
#include <tvm/runtime/c_backend_api.h>

#include "crt_internal.h"

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes, int dtype_code_hint, int dtype_bits_hint) {
  (void)dtype_code_hint;
  (void)dtype_bits_hint;
  if (device_type != kDLCPU || device_id != 0 || nbytes > SIZE_MAX) {
    return NULL;
  }
  return ingot_crt_allocate((size_t)nbytes);
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr) {
  (void)device_type;
  (void)device_id;
  return ingot_crt_free(ptr);
}

int TVMBackendParallelLaunch(FTVMParallelLambda flambda, void *cdata, int num_task) {
  TVMParallelGroupEnv env = {NULL, 1};
  (void)num_task;
  return flambda(0, &env, cdata);
}
