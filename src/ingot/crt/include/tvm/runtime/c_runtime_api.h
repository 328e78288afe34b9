/* Values, handles and functions of the runtime that applications and generated code share. */
#ifndef TVM_RUNTIME_C_RUNTIME_API_H_
#define TVM_RUNTIME_C_RUNTIME_API_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifndef TVM_DLL
#if defined(_WIN32)
#define TVM_DLL
#elif defined(__GNUC__)
#define TVM_DLL __attribute__((visibility("default")))
#else
#define TVM_DLL
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t tvm_index_t;

/* What a TVMValue holds. Numbers below 16 are fixed; integers and floats have those of DLPack. */
typedef enum {
  kTVMArgInt = 0,
  kTVMArgFloat = 2,
  kTVMOpaqueHandle = 3,
  kTVMNullptr = 4,
  kTVMDataType = 5,
  kDLDevice = 6,
  kTVMDLTensorHandle = 7,
  kTVMObjectHandle = 8,
  kTVMModuleHandle = 9,
  kTVMPackedFuncHandle = 10,
  kTVMStr = 11,
  kTVMBytes = 12,
  kTVMNDArrayHandle = 13,
  kTVMObjectRValueRefArg = 14,
  kTVMArgBool = 15,
  kTVMExtBegin = 16
} TVMArgTypeCode;

typedef DLTensor *TVMArrayHandle;

typedef union {
  int64_t v_int64;
  double v_float64;
  void *v_handle;
  const char *v_str;
  DLDataType v_type;
  DLDevice v_device;
} TVMValue;

typedef struct {
  const char *data;
  size_t size;
} TVMByteArray;

/* Handles are numbers in the guise of pointers: they are never followed. */
typedef void *TVMModuleHandle;
typedef void *TVMFunctionHandle;
typedef void *TVMRetValueHandle;
typedef void *TVMStreamHandle;
typedef void *TVMObjectHandle;

/* Keeps a message (at most 1023 bytes of it) for TVMGetLastError. */
TVM_DLL void TVMAPISetLastError(const char *msg);

/* The message of the last failure. */
TVM_DLL const char *TVMGetLastError(void);

/* The function `func_name` of a module. 0 is good; kTvmErrorFunctionNameNotFound if there is none. `query_imports` is ignored:
 * modules of this runtime import nothing. */
TVM_DLL int TVMModGetFunction(TVMModuleHandle mod, const char *func_name, int query_imports, TVMFunctionHandle *out);

/* Both do nothing: modules and functions live as long as the program. */
TVM_DLL int TVMModFree(TVMModuleHandle mod);
TVM_DLL int TVMFuncFree(TVMFunctionHandle func);

/* Calls a function: `num_args` values with their type codes, and room for one result. */
TVM_DLL int TVMFuncCall(TVMFunctionHandle func, TVMValue *arg_values, int *type_codes, int num_args, TVMValue *ret_val,
                        int *ret_type_code);

/* Finds a global function; `*out` is NULL, and the result 0, if there is none. */
TVM_DLL int TVMFuncGetGlobal(const char *name, TVMFunctionHandle *out);

/* Adds a global function. `f` is the address of a TVMBackendPackedCFunc. */
TVM_DLL int TVMFuncRegisterGlobal(const char *name, TVMFunctionHandle f, int override);

/* Stores results of a packed function that was called through TVMFuncCall; one result is all that there is room for. */
TVM_DLL int TVMCFuncSetReturn(TVMRetValueHandle ret, TVMValue *value, int *type_code, int num_ret);

/* Memory of a device. Only {kDLCPU, 0} exists. */
TVM_DLL int TVMDeviceAllocDataSpace(DLDevice dev, size_t nbytes, size_t alignment, DLDataType type_hint, void **out_data);
TVM_DLL int TVMDeviceFreeDataSpace(DLDevice dev, void *ptr);

#ifdef __cplusplus
}
#endif

#endif
