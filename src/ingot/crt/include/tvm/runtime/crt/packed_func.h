/* Functions with arguments, as one object. */
#ifndef TVM_RUNTIME_CRT_PACKED_FUNC_H_
#define TVM_RUNTIME_CRT_PACKED_FUNC_H_

#include <stdint.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/module.h>
#include <tvm/runtime/crt/platform.h>

#include "crt_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "float32", "int8", "bool", "float32x4", … All zeros: no such type. */
DLDataType String2DLDataType(const char *s);

typedef struct TVMArgs {
  TVMValue values[TVM_CRT_MAX_ARGS];
  int tcodes[TVM_CRT_MAX_ARGS];
  uint32_t values_count;
} TVMArgs;

/* Copies values with their type codes; more than TVM_CRT_MAX_ARGS make an empty TVMArgs. */
TVMArgs TVMArgs_Create(TVMValue *values, uint32_t *tcodes, uint32_t values_count);

/* The module handle at an index; aborts if it is something else. */
TVMModuleHandle TVMArgs_AsModuleHandle(const TVMArgs *args, size_t index);

typedef struct TVMPackedFunc {
  char name[200];
  TVMFunctionHandle fexec;
  TVMArgs args;
  TVMArgs ret_value;
  int (*Call)(struct TVMPackedFunc *pf);
  void (*SetArgs)(struct TVMPackedFunc *pf, const struct TVMArgs *args);
} TVMPackedFunc;

/* A global function, or one of a module, with arguments (NULL: none). */
int TVMPackedFunc_InitGlobalFunc(TVMPackedFunc *pf, const char *name, const TVMArgs *args);
int TVMPackedFunc_InitModuleFunc(TVMPackedFunc *pf, TVMModuleHandle module, const char *name, const TVMArgs *args);

/* Calls it; the result is in `pf->ret_value`. */
int TVMPackedFunc_Call(TVMPackedFunc *pf);
void TVMPackedFunc_SetArgs(TVMPackedFunc *pf, const TVMArgs *args);

#ifdef __cplusplus
}
#endif

#endif
