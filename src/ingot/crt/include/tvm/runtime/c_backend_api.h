/* What generated code calls. */
#ifndef TVM_RUNTIME_C_BACKEND_API_H_
#define TVM_RUNTIME_C_BACKEND_API_H_

#include <tvm/runtime/c_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A packed function: arguments with their type codes, room for a result and its type code, and a handle of the module. 0 is good. */
typedef int (*TVMBackendPackedCFunc)(TVMValue *args, int *type_codes, int num_args, TVMValue *out_ret_value, int *out_ret_tcode,
                                     void *resource_handle);

/* Working memory from TVMPlatformMemoryAllocate, freed in reverse order; NULL if there is none. */
TVM_DLL void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes, int dtype_code_hint, int dtype_bits_hint);
TVM_DLL int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr);

typedef struct {
  void *sync_handle;
  int32_t num_task;
} TVMParallelGroupEnv;

typedef int (*FTVMParallelLambda)(int task_id, TVMParallelGroupEnv *penv, void *cdata);

/* Calls `flambda` once, as the only task, and gives its result. */
TVM_DLL int TVMBackendParallelLaunch(FTVMParallelLambda flambda, void *cdata, int num_task);

/* Adds a global function. */
TVM_DLL int TVMBackendRegisterSystemLibSymbol(const char *name, void *ptr);

#ifdef __cplusplus
}
#endif

#endif
